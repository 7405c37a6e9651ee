"""A figure as a URDF file: what is written is what `read_urdf` reads, to the last digit or nearly."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from textwrap import indent
from typing import Any

from .._model.body import Body
from .._model.joints import Fixed, Joint, Planar, Prismatic, Revolute
from .._model.kinds import Free
from .._model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from ..errors import FileError, ModelError


def write_urdf(model: Any, path: str | Path) -> None:
    """Write an `ar.Model` as a URDF file, which `ar.load` reads back to the same dynamics.

    A free root joint is left out, as is the custom: load the file with `root=ar.Free()`. A figure
    that stands otherwise in the world gets a link for the world. Gravity, and whether joints that
    mimic another follow it, are no part of a URDF file: give them to `ar.load`. A hinge or slider
    with limits, but none for its speed or force, gets the largest number there is; a slider without
    limits has none, which some other programs refuse.
    """
    bodies, _, name, _ = model._described
    path = Path(path)
    if path.suffix.lower() != ".urdf":
        raise FileError("the name does not end in .urdf. Give one that does.", str(path))
    text = f'<?xml version="1.0"?>\n{_robot(name, bodies)}\n'
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"it cannot be written: {error.strerror}. Check the path.", str(path)
        ) from None


def _robot(name: str, bodies: Sequence[Body]) -> str:
    for body in bodies:
        _require_expressible(body)
    root = _root(bodies)
    base = root.name if root else _unused("world", [body.name for body in bodies])
    links = [*([] if root else [_element("link", name=base)]), *map(_link, bodies)]
    taken = [str(body.joint_name) for body in bodies if not isinstance(body.joint, Fixed)]
    joints = []
    for body in bodies:
        if body is not root:
            joint = str(body.joint_name)
            if isinstance(body.joint, Fixed):  # the model does not mind what these are called
                joint = _unused(joint, taken)
                taken.append(joint)
            joints.append(_joint(joint, body, base))
    return _element("robot", *links, *joints, name=name)


def _root(bodies: Sequence[Body]) -> Body | None:
    """The body that can be the root link: the only one in the world, and fixed or free there."""
    roots = [body for body in bodies if body.parent is None]
    if len(roots) == 1 and isinstance(roots[0].joint, Fixed | Free):
        return roots[0] if roots[0].placement == Transform() else None
    return None


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _require_expressible(body: Body) -> None:
    """Refuse what a URDF file cannot say, so that nothing is lost in silence."""
    joint = f"joint {body.joint_name!r}"
    if any(body.armature):  # type: ignore[arg-type]
        raise ModelError(
            f"{joint} has armature, which URDF does not have. Write the figure without it "
            "(`dataclasses.replace(body, armature=0.0)`), or keep the model with `pickle`."
        )
    extras = [*body.damping, *body.friction]  # type: ignore[misc]
    extras += [1.0 / x for x in (*body.velocity, *body.effort)]  # type: ignore[misc]
    ...
