"""A figure as a URDF file, with all digits: `read_urdf` reads back what was written."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent

from .._figure.body import Body
from .._figure.figure import Figure
from .._figure.reduction import with_mimics
from .._figure.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3
from .._tree.joints import Fixed, Planar, Prismatic, Revolute
from .._tree.kinds import Free
from ..errors import FileError, ModelError

Value = str | float | Sequence[float]

NOT_GIVEN = {
    "lower": -math.inf,
    "upper": math.inf,
    "velocity": math.inf,
    "effort": math.inf,
    "damping": 0.0,
    "friction": 0.0,
}
"""What bodies have of that which URDF knows for joints with one coordinate only."""


def write_urdf(figure: Figure, path: str | Path) -> None:
    """Write an `ar.Model` as a URDF file, which `ar.load` reads back to the same dynamics.

    A free root joint is left out, as is the custom: load the file with `root=ar.Free()`. A figure
    that hangs in the world by other joints gets a link `world`. Gravity, and whether joints that
    mimic another follow it, are for `ar.load` to say. Of a map that joints follow, what is linear
    is written as mimics, and what is not is refused. A joint with limits, but none of its speed or
    force, gets the largest number there is; a slider without limits is written without, which some
    other programs refuse.

    Args:
        figure: with joints that URDF has: hinges, sliders, planar, free and fixed ones.
        path: the file, with the ending .urdf.
    """
    bodies, name = figure.description.links, figure.description.name
    if figure.description.reduction is not None:
        bodies = with_mimics(figure.tree, bodies, figure.bodies)
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
    root = _root(bodies)
    base = root.name if root else _unused("world", [body.name for body in bodies])
    links = [_link(body) for body in bodies]
    if root is None:
        links.insert(0, _element("link", name=base))
    taken = [str(body.joint_name) for body in bodies if not isinstance(body.joint, Fixed)]
    joints = []
    for body in bodies:
        _require_expressible(body)
        if body is root:
            continue
        joint = str(body.joint_name)
        if isinstance(body.joint, Fixed):  # several may have one name in a model, but not in a file
            joint = _unused(joint, taken)
            taken.append(joint)
        joints.append(_joint(joint, body, body.parent or base))
    return _element("robot", *links, *joints, name=name)


def _root(bodies: Sequence[Body]) -> Body | None:
    """The body that can be the root link: alone in the world, fixed or free at its origin."""
    roots = [body for body in bodies if body.parent is None]
    able = len(roots) == 1 and isinstance(roots[0].joint, Fixed | Free)
    return roots[0] if able and roots[0].placement == Transform() else None


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _require_expressible(body: Body) -> None:
    """Refuse what would be lost."""
    name = body.joint_name
    if any(_numbers(body, "armature")):
        raise ModelError(
            f"joint {name!r} has armature, which URDF does not have. Write the figure without it, "
            "`dataclasses.replace(body, armature=0.0)`, or keep the model with `pickle`."
        )
    lost = [n for n, absent in NOT_GIVEN.items() if any(x != absent for x in _numbers(body, n))]
    if body.joint.nv > 1 and (lost or body.mimic):
        raise ModelError(
            f"joint {name!r} has {body.joint.nv} coordinates and {', '.join(lost) or 'a mimic'}, "
            "which URDF knows for joints with one coordinate only. Write the figure without, or "
            "keep the model with `pickle`."
        )


def _numbers(body: Body, name: str) -> tuple[float, ...]:
    return getattr(body, name)


def _joint(name: str, body: Body, parent: str) -> str:
    kind, axis = _kind(body)
    parts = [
        *_origin(body.placement),
        _element("parent", link=parent),
        _element("child", link=body.name),
        *([_element("axis", xyz=axis)] if axis else []),
        *(_one_coordinate(kind, body) if body.joint.nv == 1 else ()),
    ]
    return _element("joint", *parts, name=name, type=kind)


def _kind(body: Body) -> tuple[str, Sequence[float]]:
    """What URDF calls a body's joint, and the joint's axis if it has one."""
    match body.joint:
        case Revolute(axis):
            limited = any(map(math.isfinite, (*_numbers(body, "lower"), *_numbers(body, "upper"))))
            return "revolute" if limited else "continuous", axis
        case Prismatic(axis):
            return "prismatic", axis
        case Planar(normal):
            return "planar", normal
        case Free("quaternion"):
            return "floating", ()
        case Fixed():
            return "fixed", ()
    raise ModelError(
        f"joint {body.joint_name!r} is {body.joint.label!r}, which URDF does not have. It has "
        "hinges, sliders, planar, free and fixed joints: build the figure of these, with massless "
        "links between hinges for a universal joint or Euler angles, or keep the model with "
        "`pickle`."
    )


def _one_coordinate(kind: str, body: Body) -> Iterator[str]:
    """Limits, damping, friction and mimic."""
    given = {name: _numbers(body, name)[0] for name in NOT_GIVEN}
    limits = {name: given[name] for name in ("lower", "upper", "effort", "velocity")}
    if kind == "continuous":
        del limits["lower"], limits["upper"]
    if any(map(math.isfinite, limits.values())):
        if not all(math.isfinite(limits.get(name, 0.0)) for name in ("lower", "upper")):
            raise ModelError(
                f"joint {body.joint_name!r} has limits {limits}, and URDF needs both lower and "
                "upper as soon as there is any. Give finite numbers, or none."
            )
        yield _element("limit", **{n: min(x, sys.float_info.max) for n, x in limits.items()})
    if given["damping"] or given["friction"]:
        yield _element("dynamics", damping=given["damping"], friction=given["friction"])
    if body.mimic:
        yield _element("mimic", **vars(body.mimic))


def _link(body: Body) -> str:
    visuals = (
        _element("visual", *_placed(shape, body), *_material(shape)) for shape in body.shapes
    )
    collisions = (_element("collision", *_placed(shape, body)) for shape in body.collision or ())
    return _element(
        "link", *_inertial(body.inertia), *visuals, *collisions, *_contact(body),  # type: ignore
        name=body.name,
    )  # fmt: skip


def _contact(body: Body) -> Iterator[str]:
    """Friction of a surface, as Bullet has it: URDF itself does not."""
    if body.surface_friction is not None:
        yield _element("contact", _element("lateral_friction", value=body.surface_friction))


def _placed(shape: Shape, body: Body) -> Iterator[str]:
    yield from _origin(shape.placement)
    yield _element("geometry", _solid(shape, body))


def _inertial(inertia: Inertia) -> Iterator[str]:
    """Mass properties about the centre of mass, in the link's axes; nothing for no inertia."""
    if inertia == Inertia():
        return
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.about_com()
    yield _element(
        "inertial",
        *_origin(Transform(r=inertia.com())),
        _element("mass", value=inertia.m),
        _element("inertia", ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz),
    )


def _material(shape: Shape) -> Iterator[str]:
    """Colour, by a name that no other has."""
    if shape.color is not None:
        color = _element("color", rgba=shape.color)
        yield _element("material", color, name=_text(shape.color))


def _solid(shape: Shape, body: Body) -> str:
    match shape:
        case Box():
            return _element("box", size=shape.size)
        case Sphere():
            return _element("sphere", radius=shape.radius)
        case Cylinder() | Capsule():
            kind = type(shape).__name__.lower()
            return _element(kind, radius=shape.radius, length=shape.length)
        case Mesh():
            there = os.path.exists(shape.path)
            return _element(
                "mesh", filename=os.path.abspath(shape.path) if there else shape.path,
                scale=shape.scale,
            )  # fmt: skip
    raise ModelError(
        f"body {body.name!r} has the shape {type(shape).__name__}, which URDF does not have. It "
        "has boxes, spheres, cylinders, capsules and meshes: give the body one of these to look "
        "at, and its mass as `inertia`."
    )


def _origin(X: Transform) -> Iterator[str]:
    """Where something is; nothing when it is at home."""
    turn = {} if X.E == Mat3.identity() else {"rpy": _rpy(X.R)}
    if X != Transform():
        yield _element("origin", xyz=X.r, **turn)


def _rpy(R: Mat3) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation.

    Once the yaw is taken off, the other two follow without loss, also where the pitch is a right
    angle and only the sum or difference of roll and yaw is determined.
    """
    yaw = math.atan2(R.y.x, R.x.x)
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R.z.x, c * R.x.x + s * R.y.x)
    roll = math.atan2(s * R.x.z - c * R.y.z, c * R.y.y - s * R.x.y)
    return roll, pitch, yaw


def _element(tag: str, /, *children: str, **attributes: Value) -> str:
    """XML text."""
    head = " ".join([tag, *(f'{name}="{_text(value)}"' for name, value in attributes.items())])
    if not children:
        return f"<{head}/>"
    return "\n".join([f"<{head}>", *(indent(child, "  ") for child in children), f"</{tag}>"])


def _character(c: str) -> str:
    """A character of a name; those that readers of XML would change or take for markup, by number.

    Line breaks and other blanks are among what readers change.
    """
    if (c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff":
        raise ModelError(
            f"a name of the figure has the character {c!r}, which XML cannot hold. Rename the "
            "body, joint, model or mesh, or keep the model with `pickle`."
        )
    return c if c == " " or (c.isprintable() and c not in "&<>\"'") else f"&#{ord(c)};"


def _text(value: Value) -> str:
    if isinstance(value, str):
        return "".join(map(_character, value))
    numbers = value if isinstance(value, Sequence) else (value,)
    return " ".join(repr(float(x) + 0.0) for x in numbers)  # no -0.0
