"""Instruments on a figure: each function takes names and returns a page of what is read.

Compile pages with `ar.compile(page, model)`, differentiate them with `ar.jacobian`, run them on
numbers with `ar.evaluate`. Frames are links by name, "hand", or their centres of mass, "hand.com".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .._algorithms import sensors as pages
from .._pages.takes import Page
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.placement import three
from ..errors import ModelError, nearest
from .model import Model

__all__ = ("accelerometer", "gyroscope", "joint_wrench", "position", "velocity")

Point = Sequence[float]
ORIGIN = (0.0, 0.0, 0.0)


def position(model: Model, frame: str, point: Point = ORIGIN) -> Page:
    """The page (tree, q) of where a point of a frame is, in world axes, (3,) [m]."""
    return partial(pages.position, **_place(model, frame, point))


def velocity(model: Model, frame: str, point: Point = ORIGIN) -> Page:
    """The page (tree, q, qd) of how fast a point of a frame moves, in world axes, (3,) [m/s]."""
    return partial(pages.velocity, **_place(model, frame, point))


def gyroscope(model: Model, frame: str) -> Page:
    """The page (tree, q, qd) of a frame's angular velocity, in its own axes, (3,) [rad/s]."""
    return partial(pages.gyroscope, **_place(model, frame, ORIGIN))


def accelerometer(model: Model, frame: str, point: Point = ORIGIN) -> Page:
    """The page (tree, q, qd, qdd) of what an accelerometer at a point of a frame reads, (3,).

    The acceleration of the point, as a point, less that of free fall, in the frame's axes [m/s^2]:
    zero in free fall, and upwards 9.81 at rest.
    """
    return partial(pages.accelerometer, **_place(model, frame, point))


def joint_wrench(model: Model, joint: str) -> Page:
    """The page (tree, q, qd, qdd, f_ext) of the wrench through a joint, [torque; force], (6,).

    What the parent exerts on the child, all forces of the joint together, at the child's frame and
    in its axes [N m, N]. S^T of it is the joint's share of `inverse_dynamics`, but for armature
    times qdd, which drives the rotor and does not pass through the joint. A joint that follows
    another has a wrench as any other; its share goes to its leader, times the multiplier.
    """
    names = {str(body.joint_name): i for i, body in enumerate(model.bodies, start=1)}
    if joint not in names:
        raise ModelError(
            f"no moving joint {joint!r} in `{model.name}`.{nearest(joint, names)} "
            f"Each of `model.bodies` has its `joint_name`.{_of_fixed(model, joint)}"
        )
    return partial(pages.joint_wrench, body=names[joint])


def _of_fixed(model: Model, joint: str) -> str:
    """What to do for a wrench through a fixed joint, if it is one."""
    merged = [b for b in model.links if b.part_of_parent]
    link = next((b.name for b in merged if joint in (b.joint_name, b.name)), None)
    if link is None:
        return ""
    return (
        f" This one is fixed, and its link a part of what it is fixed to. For its wrench, take "
        f"`model.unmerge({link!r})`, in which the link is a body of its own."
    )


def _place(model: Model, frame: str, point: Point) -> dict[str, Any]:
    """The body that a point of a frame rides on, and the transform to axes of the frame there."""
    home = model.frame(frame)
    return {"body": home.body, "X": Transform(r=Vec3(*three("point", point))) @ home.X}
