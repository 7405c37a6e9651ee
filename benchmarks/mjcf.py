"""A figure of ours as MuJoCo has it, with the simplest of what acts on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

import arthron as ar

KINDS = {
    ar.Revolute: "hinge",
    ar.Universal: "hinge",
    ar.Prismatic: "slide",
    ar.Spherical: "ball",
    ar.Free: "free",
}


class Acts(NamedTuple):
    """What acts besides gravity and the damping of the figure's own joints.

    Attributes:
        stiffness: of all hinges, around zero.
        damping: of all hinges, besides their own.
        gains: stiffness and damping of a controller at all hinges.
        target: where that wants them.
        compensate: whether it holds the figure against gravity.
        springs: damped springs between links.
        pins: pairs of points of links, (link, point), that stay together.
        tips: points of links, (link, point), that stay above the ground.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    gains: tuple[float, float] | None = None
    target: Sequence[float] = ()
    compensate: bool = False
    springs: Sequence[ar.forces.Spring] = ()
    pins: Sequence[tuple] = ()
    tips: Sequence[tuple] = ()


def mjcf(model: ar.Model, step: float, integrator: str, acts: Acts = Acts()) -> str:  # noqa: B008
    """The figure without limits and all other extras, and with contact where that is said."""
    tree = model.tree
    inside: dict[int, list[str]] = {i: [] for i in range(tree.nb + 1)}

    def site(name: str, link: str, point) -> str:
        frame = model.frame(link)
        place = frame.X.r + frame.X.R @ ar.spatial.Vec3(*point)
        inside[frame.body].append(f'<site name="{name}" pos="{_text(place)}"/>')
        return name

    tendons, connects = [], []
    for link, point in acts.tips:
        frame = model.frame(link)
        place = _text(frame.X.r + frame.X.R @ ar.spatial.Vec3(*point))
        inside[frame.body].append(
            f'<geom type="sphere" size="1e-5" pos="{place}" contype="1" conaffinity="0"/>'
        )
    if acts.tips:
        inside[0].append('<geom type="plane" size="0 0 1" contype="0" conaffinity="1"/>')
    for k, pair in enumerate(acts.pins):
        one, two = (site(f"p{k} {end}", *place) for end, place in enumerate(pair))
        connects.append(f'<connect site1="{one}" site2="{two}"/>')
    for k, spring in enumerate(acts.springs):
        each = enumerate((spring.a, spring.b))
        ends = [f'<site site="{site(f"s{k}{end}", *place)}"/>' for end, place in each]
        tendons.append(
            f'<spatial stiffness="{spring.stiffness}" damping="{spring.damping}" '
            f'springlength="{spring.rest}">{"".join(ends)}</spatial>'
        )
    motors = []
    for i in reversed(tree.bodies):
        inside[tree.parent[i]].insert(0, _body(model, i, acts, inside[i]))
        if acts.gains and tree.joint[i].nv == 1:
            (k, d), name = acts.gains, model.joint_names[i - 1]
            bias = _text((k * acts.target[tree.q_start[i]], -k, -d))
            motors.append(
                f'<general joint="{name}" gainprm="0" biastype="affine" biasprm="{bias}"/>'
            )
    off = "frictionloss limit filterparent autoreset" + " contact" * (not acts.tips)
    off += "" if connects or acts.tips else " constraint equality warmstart"
    off += "" if motors else " actuation"
    flags = " ".join(f'{name}="disable"' for name in off.split())
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="true" boundmass="1e-9" '
        f'boundinertia="1e-12"/><option timestep="{step}" integrator="{integrator}" '
        f'gravity="{_text(tree.gravity.lin)}"><flag {flags}/></option>'
        f"<worldbody>{''.join(inside[0])}</worldbody><tendon>{''.join(tendons)}</tendon>"
        f"<equality>{''.join(connects)}</equality>"
        f"<actuator>{''.join(motors)}</actuator></mujoco>"
    )


def _body(model: ar.Model, i: int, acts: Acts, inside: Sequence[str]) -> str:
    tree = model.tree
    X, I, joint, name = tree.Xtree[i], tree.I[i], tree.joint[i], model.joint_names[i - 1]
    kind = KINDS[type(joint)]
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.array(X.R, dtype=float).ravel())
    c, Ic = I.com(), I.about_com()
    full = (Ic.x.x, Ic.y.y, Ic.z.z, Ic.x.y, Ic.x.z, Ic.y.z)
    if kind == "free":
        hinge = f'<freejoint name="{name}"/>'
    elif kind == "ball":
        hinge = f'<joint type="ball" name="{name}"/>'
    else:
        axes = [joint.axis] if joint.nv == 1 else [joint.first, joint.second]
        hinge = "".join(
            f'<joint type="{kind}" name="{name}{" second" * k}" axis="{_text(axis)}" '
            f'stiffness="{acts.stiffness}" damping="{own + acts.damping}"/>'
            for k, (axis, own) in enumerate(zip(axes, model.bodies[i - 1].damping, strict=True))
        )
    return (
        f'<body pos="{_text(X.r)}" quat="{_text(quat)}" gravcomp="{int(acts.compensate)}">'
        f'<inertial mass="{I.m!r}" pos="{_text(c)}" fullinertia="{_text(full)}"/>'
        f"{hinge}{''.join(inside)}</body>"
    )


def _text(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)
