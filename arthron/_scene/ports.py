"""Where elements touch the figure, and how their forces change as it moves there.

A port is a link, which moves in six ways, or a joint, which moves in as many as it has velocity
coordinates. Slopes of forces come from the graph, none of them written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._graph.autodiff import forward
from .._graph.evaluate import evaluate
from .._graph.expr import Expr, is_scalar
from .._graph.graph import Graph
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, is_zero
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.configuration import rate_columns
from .._tree.joints import Joint
from ..errors import ModelError
from .call_user import call_user
from .element import Element, Here, MovingFrame, described

if TYPE_CHECKING:
    from .._model.model import Model

Block = Sequence[Sequence[Scalar]]


class Port(NamedTuple):
    """A link or a joint that an element touches.

    Attributes:
        body: the body that carries the link, or that the joint moves; 0 is the world, and of joints
            stands for coordinates that belong to none.
        X: where the link is on its body; None for a joint.
        size: in how many ways it moves.
    """

    body: int
    X: Transform | None
    size: int


def ports(element: Element, model: Model) -> list[Port]:
    """Where an element touches a figure: links, then joints."""
    found = []
    for link in element.links:
        place = None if link is None else model.frame(link)
        found.append(Port(place.body, place.X, 6) if place else Port(0, Transform(), 0))
    if element.joints is not ...:
        numbers = {b.joint_name: i for i, b in enumerate(model.bodies, 1)} | model.figure.leaders
        each = (numbers[joint] for joint in element.joints)
        found += [Port(i, None, model.tree.joint[i].nv) for i in each]
    return found


def checked(who: str, given: Any, here: Here) -> list:
    """Forces that an element returned: a `Force` for each link, a tuple for each joint."""
    links, joints = len(here.frames), here.joints
    alone = links + len(joints) == 1 and (isinstance(given, Force) or is_scalar(given))
    each = [given] if alone else list(given) if isinstance(given, tuple | list) else []
    if not links and len(joints) == 1 and len(each) == joints[0].nv > 1:
        each = [tuple(each)]  # of one joint: its numbers, without a list around them
    if not links and not joints:
        raise ModelError(f"{who} acts on nothing. Say what it touches: give `links` or `joints`.")
    fine = len(each) == links + len(joints) and all(isinstance(f, Force) for f in each[:links])
    tau: list[Any] = []
    for joint, f in zip(joints, each[links:] if fine else (), strict=False):
        objects = isinstance(f, np.ndarray) and f.dtype.kind == "O"
        numbers = tuple(f) if isinstance(f, tuple | list) or objects else (f,) * joint.nv
        fine = fine and len(numbers) == joint.nv and all(map(is_scalar, numbers))
        tau.append(numbers)
    if not fine:
        wrench = f"a `Force` for each link, such as `frame.wrench(point, force)`, {links} in all"
        expected = [wrench] * bool(links)
        expected += [f"{joint.nv} numbers for a joint" for joint in joints]
        raise ModelError(
            f"{who} returned {given!r}. Return {', then '.join(expected)}."
            f"{' Did you forget `return`?' * (given is None)}"
        )
    return [*each[:links], *tau]


def linearised(
    element: Element, at: Sequence[Port], here: Here, slopes: bool
) -> tuple[list, Block, Block]:
    """Forces of an element, their slope K by motions of its ports, and minus that by velocities.

    Both are blocks over the ways its ports move, of which the symmetric part is kept (S19 §1.9.2).
    """
    if not slopes and not element.conservative:
        return _forces(element, here), [], []
    local = Local(at, here)
    with local.graph:
        parts = _forces(element, local.here, optional=element.conservative)
    flat = local.flat(parts) if parts else []
    if element.conservative:
        pulls = _pulls(element, local)
        flat = [x + y for x, y in zip(flat, pulls, strict=True)] if flat else pulls
    rows = [local.graph.lift(x) for x in flat]
    columns: list[Any] = []
    if slopes:
        moves = [d for moves, _ in local.along for d in moves]
        speeds = [d for _, speeds in local.along for d in speeds]
        columns = [x for d in (*moves, *speeds) for x in forward(local.graph, rows, d)]
    numbers = local.here_at(flat + columns)
    n = len(flat)
    each = [numbers[k : k + n] for k in range(n, len(numbers), n)] if n else []
    K = [list(row) for row in zip(*each[:n], strict=True)]
    D = [[-x for x in row] for row in zip(*each[n:], strict=True)]
    return local.parts(numbers[:n]), symmetric_part(K), symmetric_part(D)


def _forces(element: Element, here: Here, optional: bool = False) -> list:
    who = f"`forces` of {described(element)}"
    given = call_user(who, element.forces, here)
    if optional and isinstance(given, tuple) and not given:
        return []
    return checked(who, given, here)


def energy_of(element: Element, here: Here) -> Scalar:
    """The energy that an element stores."""
    energy = call_user(f"`energy` of {described(element)}", element.energy, here)
    if not is_scalar(energy):
        raise ModelError(
            f"`energy` of {described(element)} returned {energy!r}. Return one number."
            f"{' Did you forget `return`?' * (energy is None)}"
        )
    return energy


def _pulls(element: Element, local: Local) -> list:
    """Minus the slope of an element's energy, in each way its ports move."""
    with local.graph:
        V = [local.graph.lift(energy_of(element, local.here))]
    for _, speeds in local.along:
        if not all(is_zero(forward(local.graph, V, d)[0]) for d in speeds):
            raise ModelError(
                f"the energy of {described(element)} depends on velocities. Give a function of "
                "where links and joints are, and what depends on velocity as forces."
            )
    return [-forward(local.graph, V, d)[0] for moves, _ in local.along for d in moves]


class Local:
    """What an element sees, on symbols of its own: what its ports are functions of.

    Attributes:
        graph: where the symbols live.
        here: what the element sees.
        along: for each port, how its symbols change as it moves in each of its ways, and as its
            velocity does.
        of_states: which symbols are states of the element.
    """

    def __init__(self, at: Sequence[Port], here: Here) -> None:
        self.graph, self._at = Graph.inside(), at
        self._values: list[Scalar] = []
        self.along: list[tuple[list[dict], list[dict]]] = []
        frames = [self._frame(*each) for each in zip(at, here.frames, strict=False)]
        joints = [self._joint(*each) for each in zip(here.joints, here.q, here.qd, strict=True)]
        self._values.append(here.t)
        q, qd = zip(*joints, strict=True) if joints else ((), ())
        t, self.of_states = self.graph.input(), list[int]()
        states = {name: self._state(x) for name, x in here.states.items()}
        self.here = here._replace(t=t, frames=frames, q=q, qd=qd, states=states)

    def _frame(self, port: Port, frame: MovingFrame) -> MovingFrame:
        if not port.size:  # the world stands still
            self.along.append(([], []))
            return frame
        x = self.graph.inputs(18)
        self._values += [*(x for row in frame.X.E for x in row), *frame.X.r, *frame.v.ang,
                         *frame.v.lin]  # fmt: skip
        moving = MovingFrame(
            Transform(Mat3(*vectors(x[:9])), Vec3(*x[9:12])), Motion(*vectors(x[12:]))
        )
        moves, speeds, E = [], [], moving.X.E
        for k in range(6):
            w, u = (Vec3(*(float(i == k - 3 * half) for i in range(3))) for half in (0, 1))
            rates = [*(r for row in -(w.tilde @ E) for r in row), *(E.T @ u)]
            moves.append(_direction(x[:12], rates))
            speeds.append({x[12 + k].position: 1.0})
        self.along.append((moves, speeds))
        return moving

    def _joint(self, joint: Joint, q: Sequence, qd: Sequence) -> tuple[tuple, tuple]:
        x, rate = self.graph.inputs(joint.nq), self.graph.inputs(joint.nv)
        self._values += [*q, *qd]
        columns = rate_columns(joint, x)
        moves = [_direction(x, column) for column in columns]
        self.along.append((moves, [{r.position: 1.0} for r in rate]))
        return x, rate

    def _state(self, x: Any) -> Any:
        scalars = x if isinstance(x, tuple) else (x,)
        own = self.graph.inputs(len(scalars))
        self._values += scalars
        self.of_states += [each.position for each in own]
        return own if isinstance(x, tuple) else own[0]

    def flat(self, parts: Sequence) -> list:
        """Forces on ports as numbers, one for each way they move."""
        numbers: list[Scalar] = []
        for port, part in zip(self._at, parts, strict=True):
            if port.size:
                numbers += part if port.X is None else (*part.ang, *part.lin)
        return numbers

    def parts(self, numbers: Sequence[Scalar]) -> list:
        """The inverse of `flat`; nothing on the world."""
        found, k = [], 0
        for port in self._at:
            own = numbers[k : k + port.size]
            k += port.size
            found.append(tuple(own) if port.X is None else Force(*vectors(own or [0.0] * 6)))
        return found

    def here_at(self, scalars: Sequence[Any]) -> list:
        """Scalars of the graph at the state that is seen."""
        return evaluate(self.graph, [self.graph.lift(x) for x in scalars], self._values)


def port_velocities(at: Sequence[Port], here: Here) -> list[Scalar]:
    """How fast ports move in each of their ways."""
    links = zip(at, here.frames, strict=False)
    twists = [x for port, f in links if port.size for x in (*f.v.ang, *f.v.lin)]
    return twists + [x for qd in here.qd for x in qd]


def _direction(x: Sequence[Expr], rates: Sequence[Scalar]) -> dict:
    return {s.position: r for s, r in zip(x, rates, strict=True) if not is_zero(r)}


def symmetric_part(A: Block) -> Block:
    """(A + A^T) / 2"""
    n = range(len(A))
    return [[A[i][i] if i == j else 0.5 * (A[i][j] + A[j][i]) for j in n] for i in n]


def vectors(x: Sequence[Scalar]) -> list[Vec3]:
    """Numbers by threes."""
    return [Vec3(*x[k : k + 3]) for k in range(0, len(x), 3)]
