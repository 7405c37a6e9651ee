"""What a scene's forces come to at a state: wrenches, forces at joints, and their slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.kinematics import jacobians, poses, velocities
from .._model.tree import BodyList, JointForces, JointMatrix, Tree
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar
from .._spatial.vectors import Mat3, Vec3
from .elements import Frame
from .lists import dot
from .scene import Scene
from .slopes import Block, is_zero, joint_slopes, linearised, symmetric_part, vectors


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
        joints: for each joint with forces, the symmetric parts of their slope by q and of minus
            their slope by qd.
        energy: potential energy of them all.
    """

    f_ext: BodyList
    tau: JointForces
    links: list[LinkSlopes]
    joints: dict[int, tuple[Block, Block]]
    energy: Scalar


def loads(scene: Scene, tree: Tree, q, qd, t, *, slopes: bool = False) -> Loads:
    """Forces of a scene, with their slopes if wanted."""
    on_links = [element for element in scene.forces if hasattr(element, "wrenches")]
    X0, v = (poses(tree, q), velocities(tree, q, qd)) if on_links else ([], [])
    f_ext = BodyList(Force() for _ in tree.parent)
    tau = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    links: list[LinkSlopes] = []
    joints: dict[int, tuple[Block, Block]] = {}
    energy: Scalar = 0.0
    for element in on_links:
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
        for law in scene.laws[i]:
            force = law.force(q[i], qd[i], t)
            tau[i] = tuple(a + b for a, b in zip(tau[i], force, strict=True))
            energy = energy + law.energy(q[i])
            if slopes:
                k, d = map(symmetric_part, joint_slopes(tree.joint[i], law, q[i], qd[i], t))
                before = joints.get(i, (None, None))
                joints[i] = _plus(before[0], k), _plus(before[1], d)
    return Loads(f_ext, JointForces(tau), links, joints, energy)


def stepped(tree: Tree, now: Loads, qd, h: Scalar) -> tuple[BodyList, JointForces]:
    """f_ext and tau with what moving on for a time h would add to them: f + h K v."""
    f_ext, tau = BodyList(now.f_ext), BodyList(now.tau)
    for slopes in now.links:
        x = [a for m in slopes.v for a in (*m.ang, *m.lin)]
        change = [dot(row, x) * h for row in slopes.K]
        for k, place in enumerate(slopes.places):
            if place:
                wrench = Force(*vectors(change[6 * k : 6 * k + 6]))
                f_ext[place.body] = f_ext[place.body] + place.X.T @ wrench
    for i, (K, _) in now.joints.items():
        tau[i] = tuple(x + h * dot(row, qd[i]) for x, row in zip(tau[i], K, strict=True))
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
        if any(not is_zero(x) for a, row in enumerate(terms) for b, x in enumerate(row) if a != b):
            return None
        joints[i] = tuple(
            x + row[a] for a, (x, row) in enumerate(zip(joints[i], terms, strict=True))
        )
    return bodies, JointForces(joints)


def _step_terms(h: Scalar, K: Block, D: Block) -> Block:
    """h D - h^2 K, and nothing where both are nothing."""
    return [
        [0.0 if is_zero(k) and is_zero(d) else h * (d - h * k) for k, d in zip(*rows, strict=True)]
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
    return Force(*vectors([dot(row, (*m.ang, *m.lin)) for row in B]))


def _plus(a, b):
    if a is None:
        return tuple(map(tuple, b))
    return tuple(
        tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True)
    )
