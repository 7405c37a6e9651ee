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

from collections.abc import Sequence
from typing import Any

from .._model.model import Model
from .._tree.chain import Chain
from .._tree.joints import Helical, Joint, Planar, Prismatic, Revolute
from .._tree.kinds import Euler, Free, Spherical, Translational, Universal
from ..errors import ModelError, nearest
from .bridges import (
    Bridge,
    ball,
    circle,
    free_in_body,
    free_in_world,
    planar_in_body,
    straight,
)
from .layout import Layout, Piece, pieces


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
    found: list[Piece] = []
    for name, i in model.figure.leaders.items():
        joint = joints[name]
        bridges = _pinocchio_bridges(model.tree.joint[i], joint)
        if bridges is None:
            raise _unlike(model, i, f"a {joint.shortname()} in the Pinocchio model")
        found += pieces(model, i, joint.idx_q, joint.idx_v, bridges)
    return Layout(model, "the Pinocchio model", theirs.nq, found)


def mujoco(model: Model, theirs: Any) -> Layout:
    """How a `mujoco.MjModel` of the same figure lays out its coordinates."""
    if not all(hasattr(theirs, name) for name in ("jnt_type", "qpos0", "nq")):
        raise ModelError(
            f"the other model is a {type(theirs).__name__}. Give a `mujoco.MjModel`, such as "
            "`mujoco.MjModel.from_xml_path(file)`."
        )
    names = [theirs.joint(k).name for k in range(theirs.njnt)]
    _require_same_names(model, "MuJoCo", names)
    found: list[Piece] = []
    for name, i in model.figure.leaders.items():
        k = names.index(name)
        x, v = int(theirs.jnt_qposadr[k]), int(theirs.jnt_dofadr[k])
        kind = ("free", "ball", "slide", "hinge")[theirs.jnt_type[k]]
        match model.tree.joint[i], kind:
            case (Revolute(), "hinge") | (Prismatic(), "slide"):
                bridge = straight(1, float(theirs.qpos0[x]))
            case Spherical("quaternion"), "ball":
                bridge = ball((0, 1, 2, 3))
            case Free("quaternion"), "free" if model.tree.parent[i] == 0:
                bridge = free_in_world(model.tree.Xtree[i])
            case _:
                raise _unlike(model, i, f"a {kind} in the MuJoCo model")
        found += pieces(model, i, x, v, [bridge])
    return Layout(model, "the MuJoCo model", theirs.nq, found)


def _pinocchio_bridges(joint: Joint, theirs: Any) -> list[Bridge] | None:
    """Our joint in Pinocchio, or None when theirs is another joint."""
    match joint, theirs.shortname().removeprefix("JointModel"):
        case (
            (Revolute(), "RX" | "RY" | "RZ" | "RevoluteUnaligned")
            | (Prismatic(), "PX" | "PY" | "PZ" | "PrismaticUnaligned")
            | (Helical(), "HX" | "HY" | "HZ" | "HelicalUnaligned")
        ):
            return [straight(1)]
        case Revolute(), "RUBX" | "RUBY" | "RUBZ" | "RevoluteUnboundedUnaligned":
            return [circle()]
        case Planar(), "Planar":
            return [planar_in_body()]
        case Spherical("quaternion"), "Spherical":
            return [ball((1, 2, 3, 0))]
        case Free("quaternion"), "FreeFlyer":
            return [free_in_body()]
        case Universal(), "Universal":
            return [straight(2)]
        case (Euler("zyx", False), "SphericalZYX") | (Translational(), "Translation"):
            return [straight(3)]
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
