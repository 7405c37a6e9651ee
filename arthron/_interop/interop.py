"""Coordinates in the layouts of Pinocchio and MuJoCo, and back, over leading batch axes.

    layout = interop.pinocchio(model, theirs)  # or interop.mujoco(model, theirs)
    x, v = layout.q_to(q), layout.qd_to(q, qd)

Joints are matched by name, in whatever order the other library has them; that joints of one name
move alike is for the two models to agree on. What differs: Pinocchio's quaternions end in w; its
hinges without limits are (cos, sin), its planar joints (x, y, cos, sin) with velocity in body axes;
its free joints have velocity [linear; angular]. MuJoCo's free joints have [linear in world axes;
angular in body axes], its hinges and sliders count from `qpos0`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._compile.arguments import Arguments
from .._figure.figure import Array
from .._model.model import Model
from .._spatial.transform import (
    Transform,
    quaternion_from_matrix,
    quaternion_product,
    quaternion_rotation,
)
from .._tree.chain import Chain
from .._tree.joints import Helical, Joint, Planar, Prismatic, Revolute
from .._tree.kinds import Euler, Free, Spherical, Translational, Universal
from ..errors import ModelError, nearest


def pinocchio(model: Model, theirs: Any) -> Layout:
    """How a `pinocchio.Model` of the same figure lays out its coordinates."""
    if not all(hasattr(theirs, name) for name in ("names", "joints", "nq")):
        raise ModelError(
            f"the other model is a {type(theirs).__name__}. Give a `pinocchio.Model`, such as "
            "`pinocchio.buildModelFromUrdf(file)`."
        )
    pairs = zip(list(theirs.names)[1:], list(theirs.joints)[1:], strict=True)
    joints = {name: joint for name, joint in pairs if joint.nv}  # those that mimic have none
    _require_same_names(model, "Pinocchio", list(joints))
    pieces: list[_Piece] = []
    for i, name in _moving(model):
        joint = joints[name]
        bridges = _pinocchio_bridges(model.tree.joint[i], joint)
        if bridges is None:
            raise _unlike(model, i, f"a {joint.shortname()} in the Pinocchio model")
        pieces += _pieces(model, i, joint.idx_q, joint.idx_v, bridges)
    return Layout(model, "the Pinocchio model", theirs.nq, pieces)


def mujoco(model: Model, theirs: Any) -> Layout:
    """How a `mujoco.MjModel` of the same figure lays out its coordinates."""
    if not all(hasattr(theirs, name) for name in ("jnt_type", "qpos0", "nq")):
        raise ModelError(
            f"the other model is a {type(theirs).__name__}. Give a `mujoco.MjModel`, such as "
            "`mujoco.MjModel.from_xml_path(file)`."
        )
    names = [theirs.joint(k).name for k in range(theirs.njnt)]
    _require_same_names(model, "MuJoCo", names)
    pieces: list[_Piece] = []
    for i, name in _moving(model):
        k = names.index(name)
        x, v = int(theirs.jnt_qposadr[k]), int(theirs.jnt_dofadr[k])
        kind = ("free", "ball", "slide", "hinge")[theirs.jnt_type[k]]
        match model.tree.joint[i], kind:
            case (Revolute(), "hinge") | (Prismatic(), "slide"):
                bridge = _straight(1, float(theirs.qpos0[x]))
            case Spherical("quaternion"), "ball":
                bridge = _ball((0, 1, 2, 3))
            case Free("quaternion"), "free" if model.tree.parent[i] == 0:
                bridge = _free_in_world(model.tree.Xtree[i])
            case _:
                raise _unlike(model, i, f"a {kind} in the MuJoCo model")
        pieces += _pieces(model, i, x, v, [bridge])
    return Layout(model, "the MuJoCo model", theirs.nq, pieces)


def swap_halves(six: ArrayLike, axis: int = -1) -> Array:
    """Six-vectors [angular; linear] as [linear; angular], and back."""
    return np.roll(np.asarray(six, dtype=float), 3, axis)


@dataclass(frozen=True, repr=False)
class Layout:
    """Where each of our numbers is in another library, and what becomes of it there.

    Their positions x are a function of q, their velocities v = P(q) qd with an orthogonal matrix P,
    and so are their forces P(q) tau. Our `q` says where the figure is, in both directions. Matrices
    convert by rows: `tau_from(q, J)` for a Jacobian J of theirs, and for a mass matrix first by
    rows, then by columns.
    """

    model: Model
    name: str
    nx: int
    pieces: Sequence[_Piece]

    def __repr__(self) -> str:
        return f"<layout of {self.name} for {self.model.name}>"

    def q_to(self, q: ArrayLike) -> Array:
        """Their positions at our `q`; quaternions get unit length."""
        (rows,) = self._arrays(q=q)
        x = np.empty((*rows.shape[:-1], self.nx))
        for piece in self.pieces:
            x[..., piece.x] = piece.bridge.q_to(rows[..., piece.q])
        return x

    def q_from(self, x: ArrayLike) -> Array:
        """Our `q` at their positions `x`; angles that they have as (cos, sin) are within pi."""
        (rows,) = self._arrays(x=x)
        q = np.empty((*rows.shape[:-1], self.model.nq))
        for piece in self.pieces:
            q[..., piece.q] = piece.bridge.q_from(rows[..., piece.x])
        return q

    def qd_to(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Their velocities at our `q` and `qd`."""
        q, qd = self._arrays(q=q, qd=qd)
        return self._turned(q, qd)

    def qd_from(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Our `qd` at our `q` and their velocities `v`."""
        q, v = self._arrays(q=q, v=v)
        return self._turned_back(q, v)

    def qdd_to(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Their accelerations at our `q`, `qd` and `qdd`: P qdd + dP/dt qd."""
        q, qd, qdd = self._arrays(q=q, qd=qd, qdd=qdd)
        return self._turned(q, qdd) + self._drift(q, qd)

    def qdd_from(self, q: ArrayLike, qd: ArrayLike, a: ArrayLike) -> Array:
        """Our `qdd` at our `q` and `qd` and their accelerations `a`."""
        q, qd, a = self._arrays(q=q, qd=qd, a=a)
        return self._turned_back(q, a - self._drift(q, qd))

    def tau_to(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Their joint forces at our `q` and `tau`."""
        q, tau = self._arrays(q=q, tau=tau)
        return self._turned(q, tau)

    def tau_from(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Our joint forces at our `q` and their `tau`."""
        q, tau = self._arrays(q=q, tau=tau)
        return self._turned_back(q, tau)

    def _turned(self, q: Array, qd: Array) -> Array:
        v = np.empty_like(qd)
        for piece, P in self._matrices(q):
            v[..., piece.v] = _apply(P, qd[..., piece.qd])
        return v

    def _turned_back(self, q: Array, v: Array) -> Array:
        qd = np.empty_like(v)
        for piece, P in self._matrices(q):
            qd[..., piece.qd] = _apply(np.swapaxes(P, -1, -2), v[..., piece.v])
        return qd

    def _drift(self, q: Array, qd: Array) -> Array:
        a = np.empty_like(qd)
        for piece in self.pieces:
            a[..., piece.v] = piece.bridge.drift(q[..., piece.q], qd[..., piece.qd])
        return a

    def _matrices(self, q: Array) -> Iterator[tuple[_Piece, Array]]:
        return ((piece, piece.bridge.P(q[..., piece.q])) for piece in self.pieces)

    def _arrays(self, **given: ArrayLike) -> list[Array]:
        """The arrays over one batch; or what is wrong with them."""
        sizes = {"q": self.model.nq, "x": self.nx}
        inputs = {name: (sizes.get(name, self.model.nv),) for name in given}
        owner = self.name if "x" in given else self.model.name
        arguments = Arguments("layout", owner, inputs)
        arrays = arguments.bind((), given)
        batch = arguments.batch(arrays)
        return [np.broadcast_to(a, (*batch, a.shape[-1])).astype(float) for a in arrays.values()]


@dataclass(frozen=True)
class _Bridge:
    """One joint in two layouts: x = q_to(q), v = P(q) qd.

    Attributes:
        nq: how many coordinates we have.
        nx: how many they have.
        nv: how many velocities both have.
        q_to: their coordinates from ours.
        q_from: ours from theirs.
        P: matrix that takes our velocity to theirs, orthogonal.
        drift: dP/dt qd, a function of q and qd.
    """

    nq: int
    nx: int
    nv: int
    q_to: Callable[[Array], Array]
    q_from: Callable[[Array], Array]
    P: Callable[[Array], Array]
    drift: Callable[[Array, Array], Array | float] = lambda q, qd: 0.0


class _Piece(NamedTuple):
    """A bridge, and where its numbers are in q, qd and in their positions and velocities."""

    bridge: _Bridge
    q: slice
    qd: slice
    x: slice
    v: slice


def _straight(n: int, zero: float = 0.0) -> _Bridge:
    """Plain coordinates, which they count from `zero`."""
    return _Bridge(n, n, n, lambda q: q + zero, lambda x: x - zero, lambda q: np.eye(n))


def _circle() -> _Bridge:
    """An angle, which they have as (cos, sin)."""
    return _Bridge(
        1, 2, 1,
        lambda q: np.concatenate([np.cos(q), np.sin(q)], -1),
        lambda x: np.arctan2(x[..., 1:], x[..., :1]),
        lambda q: np.eye(1),
    )  # fmt: skip


def _planar_in_body() -> _Bridge:
    """A planar joint, which they have as (x, y, cos, sin) with velocity in body axes."""
    circle = _circle()

    def P(q: Array) -> Array:
        c, s, zero = np.cos(q[..., 2]), np.sin(q[..., 2]), np.zeros(q.shape[:-1])
        return _stacked([[c, s, zero], [-s, c, zero], [zero, zero, zero + 1.0]])

    def drift(q: Array, qd: Array) -> Array:
        x, y, turn = np.moveaxis(_apply(P(q), qd), -1, 0)
        return np.stack([turn * y, -turn * x, 0.0 * turn], -1)

    return _Bridge(
        3, 4, 3,
        lambda q: np.concatenate([q[..., :2], circle.q_to(q[..., 2:])], -1),
        lambda x: np.concatenate([x[..., :2], circle.q_from(x[..., 2:])], -1),
        P, drift,
    )  # fmt: skip


def _ball(order: Sequence[int]) -> _Bridge:
    """A quaternion, which they have in the order `order` of ours."""
    there = np.array(order)
    back = np.argsort(there)
    return _Bridge(
        4, 4, 3, lambda q: _unit(q)[..., there], lambda x: x[..., back], lambda q: np.eye(3)
    )


def _free_in_body() -> _Bridge:
    """A free joint by position and quaternion with w last, velocity [linear; angular]."""
    ball = _ball((1, 2, 3, 0))
    return _Bridge(
        7, 7, 6,
        lambda q: np.concatenate([q[..., :3], ball.q_to(q[..., 3:])], -1),
        lambda x: np.concatenate([x[..., :3], ball.q_from(x[..., 3:])], -1),
        lambda q: np.roll(np.eye(6), 3, 0),
    )  # fmt: skip


def _free_in_world(home: Transform) -> _Bridge:
    """A free joint by its pose in the world, velocity [linear in the world; angular in the body].

    Args:
        home: where our joint is in the world.
    """
    R0, p0 = np.array(home.R), np.array(home.r)

    def q_to(q: Array) -> Array:
        turn = _product(quaternion_from_matrix(home.R), _unit(q[..., 3:]))
        return np.concatenate([_apply(R0, q[..., :3]) + p0, turn], -1)

    def q_from(x: Array) -> Array:
        turn = _product(quaternion_from_matrix(home.E), x[..., 3:])
        return np.concatenate([_apply(R0.T, x[..., :3] - p0), turn], -1)

    def rotation(q: Array) -> Array:
        return R0 @ _stacked(quaternion_rotation(*np.moveaxis(q[..., 3:], -1, 0)))

    def P(q: Array) -> Array:
        P = np.zeros((*q.shape[:-1], 6, 6))
        P[..., :3, 3:], P[..., 3:, :3] = rotation(q), np.eye(3)
        return P

    def drift(q: Array, qd: Array) -> Array:
        lin = _apply(rotation(q), np.cross(qd[..., :3], qd[..., 3:]))
        return np.concatenate([lin, np.zeros_like(lin)], -1)

    return _Bridge(7, 7, 6, q_to, q_from, P, drift)


def _unit(q: Array) -> Array:
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _product(a: Sequence[float], b: Array) -> Array:
    return np.stack(quaternion_product(a, tuple(np.moveaxis(b, -1, 0))), -1)


def _stacked(rows: Any) -> Array:
    """A matrix of arrays as an array of matrices."""
    return np.stack([np.stack(list(row), -1) for row in rows], -2)


def _apply(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]


def _moving(model: Model) -> list[tuple[int, str]]:
    """Number and joint name of each body whose joint has coordinates."""
    numbered = enumerate(model.bodies, start=1)
    return [(i, str(body.joint_name)) for i, body in numbered if not model.tree.follow[i]]


def _pieces(model: Model, i: int, x: int, v: int, bridges: Sequence[_Bridge]) -> Iterator[_Piece]:
    """The bridges of our body i's joint in a row; their numbers start at x and v."""
    q, qd = model.tree.q_start[i], model.tree.v_start[i]
    for bridge in bridges:
        nq, nx, nv = bridge.nq, bridge.nx, bridge.nv
        places = (slice(q, q + nq), slice(qd, qd + nv), slice(x, x + nx), slice(v, v + nv))
        yield _Piece(bridge, *places)
        q, qd, x, v = (place.stop for place in places)


def _pinocchio_bridges(joint: Joint, theirs: Any) -> list[_Bridge] | None:
    """Our joint in Pinocchio, or None when theirs is another joint."""
    match joint, theirs.shortname().removeprefix("JointModel"):
        case (
            (Revolute(), "RX" | "RY" | "RZ" | "RevoluteUnaligned")
            | (Prismatic(), "PX" | "PY" | "PZ" | "PrismaticUnaligned")
            | (Helical(), "HX" | "HY" | "HZ" | "HelicalUnaligned")
        ):
            return [_straight(1)]
        case Revolute(), "RUBX" | "RUBY" | "RUBZ" | "RevoluteUnboundedUnaligned":
            return [_circle()]
        case Planar(), "Planar":
            return [_planar_in_body()]
        case Spherical("quaternion"), "Spherical":
            return [_ball((1, 2, 3, 0))]
        case Free("quaternion"), "FreeFlyer":
            return [_free_in_body()]
        case Universal(), "Universal":
            return [_straight(2)]
        case (Euler("zyx", False), "SphericalZYX") | (Translational(), "Translation"):
            return [_straight(3)]
        case _, "Composite":
            law, parts = getattr(joint, "law", joint), list(theirs.extract().joints)
            if isinstance(law, Chain) and len(law.joints) == len(parts):
                each = [_pinocchio_bridges(*pair) for pair in zip(law.joints, parts, strict=True)]
                if all(each):
                    return [bridge for bridges in each for bridge in bridges or ()]
    return None


def _require_same_names(model: Model, library: str, names: Sequence[str]) -> None:
    ours, theirs = f"`{model.name}`", f"the {library} model"
    for some, here, others, there in (
        (names, theirs, model.joint_names, ours),
        (model.joint_names, ours, names, theirs),
    ):
        alone = [name for name in some if name not in others]
        if alone:
            raise ModelError(
                f"joint {alone[0]!r} of {here} is not in {there}. Joints are matched by name: make "
                "both models from one file, with the same root joint, or give their joints the "
                f"same names.{nearest(alone[0], others)}"
            )


def _unlike(model: Model, i: int, there: str) -> ModelError:
    body = model.bodies[i - 1]
    return ModelError(
        f"joint {body.joint_name!r} is {body.joint.label!r} in `{model.name}` and {there}, and "
        "their coordinates are not known to correspond. Build one of the models with the kind of "
        "joint that the other has."
    )
