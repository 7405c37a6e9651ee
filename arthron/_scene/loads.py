"""What a scene's forces come to at a state: wrenches, forces at joints, and their slopes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._algorithms.kinematics import jacobians, poses, velocities
from .._graph.derive import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Expr, Graph
from .._model.joints import Joint
from .._model.tree import BodyList, JointForces, JointMatrix, Tree
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from ..errors import ModelError
from .elements import Frame, JointLimit, JointSpring, JointTorque
from .scene import Scene

Block = Sequence[Sequence[Scalar]]


class LinkSlopes(NamedTuple):
    """How the wrenches of one element change as its links move.

    Attributes:
        places: the body and the frame on it of each link; None for the world.
        v: twist of each link.
        K: slope of the wrenches by motions of the links, six numbers a link.
        D: minus their slope by twists.
    """

    places: list
    v: list[Motion]
    K: Block
    D: Block


class Loads(NamedTuple):
    """Everything that acts on a figure at a state, gravity excepted.

    Attributes:
        f_ext: wrench on each body, in its own axes.
        tau: force at each joint.
        links: slopes of the wrenches, element by element.
        joints: for each joint with forces, their slope by q and minus their slope by qd.
        energy: potential energy of them all.
    """

    f_ext: BodyList
    tau: JointForces
    links: list[LinkSlopes]
    joints: dict[int, tuple[Block, Block]]
    energy: Scalar


def loads(scene: Scene, tree: Tree, q, qd, t, *, slopes: bool = False) -> Loads:
    """Forces of a scene, with their slopes if wanted."""
    X0, v = poses(tree, q), velocities(tree, q, qd)
    f_ext = BodyList(Force() for _ in tree.parent)
    tau = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    links: list[LinkSlopes] = []
    joints: dict[int, tuple[Block, Block]] = {}
    energy: Scalar = 0.0
    for element in scene.forces:
        if not hasattr(element, "wrenches"):
            continue
        places = [scene.model.frame(name) if name is not None else None for name in element.links]
        frames = [Frame(p.X @ X0[p.body], p.X @ v[p.body]) if p else Frame() for p in places]
        wrenches, changes = linearised(element, frames, t, slopes)
        energy = energy + element.energy(frames, t)
        for place, wrench in zip(places, wrenches, strict=True):
            if place:
                f_ext[place.body] = f_ext[place.body] + place.X.T @ wrench
        if slopes:
            links.append(LinkSlopes(places, [frame.v for frame in frames], *changes))
    for i in tree.bodies:
        for law, potential in _laws(scene, tree, i):
            force, k, d = joint_slopes(tree.joint[i], law, q[i], qd[i], t)
            tau[i] = tuple(a + b for a, b in zip(tau[i], force, strict=True))
            energy = energy + potential(q[i])
            if slopes:
                before = joints.get(i, (None, None))
                joints[i] = _plus(before[0], k), _plus(before[1], d)
    return Loads(f_ext, JointForces(tau), links, joints, energy)


def stepped(tree: Tree, now: Loads, qd, h: Scalar) -> tuple[BodyList, JointForces]:
    """f_ext and tau with what moving on for a time h would add to them: f + h K v."""
    f_ext, tau = BodyList(now.f_ext), BodyList(now.tau)
    for slopes in now.links:
        x = [a for m in slopes.v for a in (*m.ang, *m.lin)]
        change = [_dot(row, x) * h for row in slopes.K]
        for k, place in enumerate(slopes.places):
            if place:
                wrench = Force(*_vectors(change[6 * k : 6 * k + 6]))
                f_ext[place.body] = f_ext[place.body] + place.X.T @ wrench
    for i, (K, _) in now.joints.items():
        tau[i] = tuple(x + h * _dot(row, qd[i]) for x, row in zip(tau[i], K, strict=True))
    return f_ext, JointForces(tau)


def added_inertia(tree: Tree, q, now: Loads, h: Scalar) -> JointMatrix:
    """What a step adds to M: J^T (h D - h^2 K) J of links, and h D - h^2 K of joints."""
    total = JointMatrix()
    J = jacobians(tree, q) if now.links else None
    for slopes in now.links:
        assert J is not None
        columns = [{j: p.X @ S for j, S in J[p.body].items()} if p else {} for p in slopes.places]
        _project(total, columns, _step_terms(h, slopes.K, slopes.D))
    for i, (K, D) in now.joints.items():
        total[i, i] = _plus(total.get((i, i)), _step_terms(h, K, D))
    return total


def body_and_joint_terms(tree: Tree, now: Loads, h: Scalar) -> tuple[BodyList, JointForces] | None:
    """The same as terms of single bodies and coordinates, if it is no more than that."""
    bodies = BodyList(_symmetric([[0.0] * 6] * 6) for _ in tree.parent)
    joints = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    for slopes in now.links:
        k = [k for k, place in enumerate(slopes.places) if place]
        if len(k) != 1:
            return None
        at, place = 6 * k[0], slopes.places[k[0]]
        terms = _step_terms(h, slopes.K, slopes.D)
        block = _symmetric([row[at : at + 6] for row in terms[at : at + 6]])
        bodies[place.body] = bodies[place.body] + place.X.T @ block @ place.X
    for i, (K, D) in now.joints.items():
        terms = _step_terms(h, K, D)
        if any(not _is_zero(x) for a, row in enumerate(terms) for b, x in enumerate(row) if a != b):
            return None
        joints[i] = tuple(
            x + row[a] for a, (x, row) in enumerate(zip(joints[i], terms, strict=True))
        )
    return bodies, JointForces(joints)


def _step_terms(h: Scalar, K: Block, D: Block) -> Block:
    """h D - h^2 K, and nothing where both are nothing."""
    return [
        [
            0.0 if _is_zero(k) and _is_zero(d) else h * (d - h * k)
            for k, d in zip(*rows, strict=True)
        ]
        for rows in zip(K, D, strict=True)
    ]


def _symmetric(B: Block) -> ArticulatedInertia:
    """A symmetric 6 x 6 matrix, of which the upper triangle is read."""
    I, M = (
        Mat3(Vec3(B[k][k], B[k][k + 1], B[k][k + 2]),
             Vec3(B[k][k + 1], B[k + 1][k + 1], B[k + 1][k + 2]),
             Vec3(B[k][k + 2], B[k + 1][k + 2], B[k + 2][k + 2]))
        for k in (0, 3)
    )  # fmt: skip
    return ArticulatedInertia(I, Mat3(*(Vec3(*row[3:]) for row in B[:3])), M)


def linearised(
    element: Any, frames: Sequence[Frame], t: Scalar, slopes: bool
) -> tuple[list[Force], tuple[Block, Block]]:
    """Wrenches of an element, and their slopes K by motions of the links and -D by twists.

    Both are blocks over six numbers a link, of which the symmetric part is kept (S19 1.33).
    """
    graph = Graph()
    symbols = [graph.inputs(18) for _ in frames]
    now = graph.input()
    moving = [
        Frame(Transform(Mat3(*_vectors(x[:9])), Vec3(*x[9:12])), Motion(*_vectors(x[12:])))
        if link is not None else frame
        for x, frame, link in zip(symbols, frames, element.links, strict=True)
    ]  # fmt: skip
    given = [x for frame in frames for x in _numbers(frame)]
    along = [_directions(x, frame) for x, frame in zip(symbols, moving, strict=True)]
    wrenches = list(element.wrenches(moving, now))
    if not wrenches:  # only a potential: minus its slope
        V = [graph.lift(element.energy(moving, now))]
        each = [[-forward(graph, V, d)[0] for d in pair[0]] for pair in along]
        wrenches = [Force(*_vectors(s)) for s in each]
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
    found = [Force(*_vectors(numbers[k : k + 6])) for k in range(0, n, 6)]
    if not slopes:
        return found, ([], [])
    columns = [numbers[k : k + n] for k in range(n, len(numbers), n)]
    K = [list(row) for row in zip(*columns[:n], strict=True)]
    D = [[-x for x in row] for row in zip(*columns[n:], strict=True)]
    return found, (_symmetric_part(K), _symmetric_part(D))


def _symmetric_part(A: Block) -> Block:
    n = range(len(A))
    return [[0.5 * (A[i][j] + A[j][i]) for j in n] for i in n]


def _vectors(x: Sequence[Scalar]) -> list[Vec3]:
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
        moves.append({s.position: r for s, r in pairs if not _is_zero(r)})
        speeds.append({x[12 + k].position: 1.0})
    return moves, speeds


def _is_zero(x: Scalar) -> bool:
    return x.graph.constants.get(x.position) == 0.0 if isinstance(x, Expr) else x == 0.0


def _project(total: JointMatrix, columns: Sequence[dict], blocks: Block) -> None:
    """Add J^T B J to a matrix over joints."""
    for a, left in enumerate(columns):
        for b, right in enumerate(columns):
            B = [row[6 * b : 6 * b + 6] for row in blocks[6 * a : 6 * a + 6]]
            for j, S in right.items():
                forces = [_times(B, m) for m in S]
                for i, R in left.items():
                    block = [[m.dot(f) for f in forces] for m in R]
                    total[i, j] = _plus(total.get((i, j)), block)


def _times(B: Block, m: Motion) -> Force:
    return Force(*_vectors([_dot(row, (*m.ang, *m.lin)) for row in B]))


def _dot(row: Sequence[Scalar], x: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(row, x, strict=True):
        total = total + a * b
    return total


def _plus(a, b):
    if a is None:
        return tuple(map(tuple, b))
    return tuple(
        tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True)
    )


def _laws(scene: Scene, tree: Tree, i: int):
    """Force laws of a joint: functions of (q, qd, t), and their potentials, functions of q."""
    joint, body = tree.joint[i], scene.model.bodies[i - 1]
    n = joint.nv
    if any(_each(body.damping, n)):
        d = _each(body.damping, n)
        yield lambda q, qd, t: [-k * x for k, x in zip(d, qd, strict=True)], lambda q: 0.0
    for element in scene.joint_forces.get(i, ()):
        match element:
            case JointSpring():
                yield _spring(element, joint)
            case JointLimit():
                yield _limit(element, joint, body)
            case JointTorque():
                yield _torque(element, n), lambda q: 0.0


def _each(x: Any, n: int) -> list[float]:
    return [float(x)] * n if isinstance(x, int | float) else [float(a) for a in x]


def _spring(element: JointSpring, joint: Joint):
    n = joint.nv
    k, d = _each(element.stiffness, n), _each(element.damping, n)
    rest = joint.neutral() if element.rest is None else _each(element.rest, joint.nq)

    def force(q, qd, t):
        away = joint.difference(rest, q)
        return [-a * x - b * r for a, x, b, r in zip(k, away, d, qd, strict=True)]

    def energy(q):
        total: Scalar = 0.0
        for a, x in zip(k, joint.difference(rest, q), strict=True):
            total = total + 0.5 * a * x * x
        return total

    return force, energy


def _limit(element: JointLimit, joint: Joint, body: Any):
    n = joint.nq
    low = _each(body.lower if element.lower is None else element.lower, n)
    high = _each(body.upper if element.upper is None else element.upper, n)
    k, d = element.stiffness, element.damping

    def beyond(x, lo, hi):
        """How far below the lower limit, above the upper; zero between."""
        under = where(x < lo, x - lo, 0.0)
        return under + where(x > hi, x - hi, 0.0)

    def force(q, qd, t):
        total = []
        for x, rate, lo, hi in zip(q, qd, low, high, strict=True):
            acts = where(x < lo, 1.0, where(x > hi, 1.0, 0.0))
            total.append(-k * beyond(x, lo, hi) - d * rate * acts)
        return total

    def energy(q):
        total: Scalar = 0.0
        for x, lo, hi in zip(q, low, high, strict=True):
            total = total + 0.5 * k * beyond(x, lo, hi) * beyond(x, lo, hi)
        return total

    return force, energy


def _torque(element: JointTorque, n: int) -> Callable[..., Any]:
    def force(q, qd, t):
        given = element.torque(q, qd, t)
        forces = list(given) if isinstance(given, tuple | list) else [given] * n
        if len(forces) != n or any(x is None for x in forces):
            raise ModelError(
                f"the torque at joint {element.joint!r} returned {given!r}. Return one number, or "
                f"{n} of them. Did you forget `return`?"
            )
        return forces

    return force


def joint_slopes(joint: Joint, law, q, qd, t) -> tuple[list, Block, Block]:
    """Force of a law at a joint, its slope by q and minus its slope by qd."""
    graph = Graph()
    at, rate, e = graph.inputs(joint.nq), graph.inputs(joint.nv), graph.inputs(joint.nv)
    now = graph.input()
    force = [graph.lift(x) for x in law(joint.integrate(at, e), rate, now)]
    columns = [forward(graph, force, {x.position: 1.0}) for x in (*e, *rate)]
    rows = [*force, *(graph.lift(x) for column in columns for x in column)]
    numbers = evaluate(graph, rows, [*q, *qd, *[0.0] * joint.nv, t])
    n = joint.nv
    slopes = [numbers[k : k + n] for k in range(n, len(numbers), n)]
    K = [list(row) for row in zip(*slopes[:n], strict=True)]
    D = [[-x for x in row] for row in zip(*slopes[n:], strict=True)]
    return numbers[:n], K, D
