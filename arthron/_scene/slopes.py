"""How forces change as links and joints move: slopes from the graph, none of them written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._graph.derive import forward
from .._graph.evaluate import evaluate
from .._graph.expr import Expr
from .._graph.graph import Graph
from .._model.joints import Joint
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from ..errors import ModelError
from .elements import Frame, LinkForce, described
from .laws import Law

Block = Sequence[Sequence[Scalar]]


def linearised(
    element: LinkForce, frames: Sequence[Frame], t: Scalar, slopes: bool
) -> tuple[list[Force], tuple[Block, Block]]:
    """Wrenches of an element, and their slopes K by motions of the links and -D by twists.

    Both are blocks over six numbers a link, of which the symmetric part is kept (S19 1.33).
    """
    graph = Graph.inside()
    symbols = [graph.inputs(18) for _ in frames]
    now = graph.input()
    moving = [
        Frame(Transform(Mat3(*vectors(x[:9])), Vec3(*x[9:12])), Motion(*vectors(x[12:])))
        if link is not None else frame
        for x, frame, link in zip(symbols, frames, element.links, strict=True)
    ]  # fmt: skip
    given = [x for frame in frames for x in _numbers(frame)]
    along = [_directions(x, frame) for x, frame in zip(symbols, moving, strict=True)]
    with graph:
        wrenches = list(element.wrenches(moving, now))
    if getattr(element, "potential", None) is not None:
        pulls = _pulls(element, graph, moving, now, along)
        wrenches = [a + b for a, b in zip(wrenches, pulls, strict=True)] if wrenches else pulls
    flat = [graph.lift(x) for w in wrenches for x in (*w.ang, *w.lin)]
    rows: list[Any] = list(flat)
    if slopes:
        for which in (0, 1):
            for link, pair in zip(element.links, along, strict=True):
                for d in pair[which]:
                    rates = forward(graph, flat, d) if link is not None else [0.0] * len(flat)
                    rows += [graph.lift(x) for x in rates]
    numbers = evaluate(graph, rows, [*given, t])
    n = len(flat)
    found = [Force(*vectors(numbers[k : k + 6])) for k in range(0, n, 6)]
    if not slopes:
        return found, ([], [])
    columns = [numbers[k : k + n] for k in range(n, len(numbers), n)]
    K = [list(row) for row in zip(*columns[:n], strict=True)]
    D = [[-x for x in row] for row in zip(*columns[n:], strict=True)]
    return found, (symmetric_part(K), symmetric_part(D))


def _pulls(
    element: LinkForce, graph: Graph, frames: list[Frame], t: Scalar, along: list[tuple[list, list]]
) -> list[Force]:
    """Minus the slope of an element's potential, on each link."""
    with graph:
        V = [graph.lift(element.energy(frames, t))]
    for _, speeds in along:
        if not all(is_zero(forward(graph, V, d)[0]) for d in speeds):
            raise ModelError(
                f"the potential of {described(element)} depends on velocities. Give a function of "
                "where links are, and forces that depend on velocity as `wrench`."
            )
    return [Force(*vectors([-forward(graph, V, d)[0] for d in moves])) for moves, _ in along]


def symmetric_part(A: Block) -> Block:
    """(A + A^T) / 2"""
    n = range(len(A))
    return [[0.5 * (A[i][j] + A[j][i]) for j in n] for i in n]


def vectors(x: Sequence[Scalar]) -> list[Vec3]:
    """Numbers by threes."""
    return [Vec3(*x[k : k + 3]) for k in range(0, len(x), 3)]


def _numbers(frame: Frame) -> list[Scalar]:
    return [*(x for row in frame.X.E for x in row), *frame.X.r, *frame.v.ang, *frame.v.lin]


def _directions(x: Sequence[Expr], frame: Frame) -> tuple[list[dict], list[dict]]:
    """How the numbers of a frame change as it moves along each axis, and as its twist does."""
    moves, speeds = [], []
    E = frame.X.E
    for k in range(6):
        w, u = (Vec3(*(float(i == k - 3 * half) for i in range(3))) for half in (0, 1))
        rates = [*(r for row in -(w.tilde @ E) for r in row), *(E.T @ u)]
        pairs = zip(x[:12], rates, strict=True)
        moves.append({s.position: r for s, r in pairs if not is_zero(r)})
        speeds.append({x[12 + k].position: 1.0})
    return moves, speeds


def is_zero(x: Scalar) -> bool:
    """Whether a scalar is the constant zero."""
    return x.graph.constants.get(x.position) == 0.0 if isinstance(x, Expr) else x == 0.0


def joint_slopes(joint: Joint, law: Law, q, qd, t) -> tuple[Block, Block]:
    """Slope by q of the force of a law at a joint, and minus its slope by qd."""
    graph = Graph.inside()
    at, rate, e = graph.inputs(joint.nq), graph.inputs(joint.nv), graph.inputs(joint.nv)
    now = graph.input()
    with graph:
        force = [graph.lift(x) for x in law.force(joint.integrate(at, e), rate, now)]
    columns = [forward(graph, force, {x.position: 1.0}) for x in (*e, *rate)]
    rows = [graph.lift(x) for column in columns for x in column]
    numbers = evaluate(graph, rows, [*q, *qd, *[0.0] * joint.nv, t])
    n = joint.nv
    slopes = [numbers[k : k + n] for k in range(0, len(numbers), n)]
    K = [list(row) for row in zip(*slopes[:n], strict=True)]
    D = [[-x for x in row] for row in zip(*slopes[n:], strict=True)]
    return K, D
