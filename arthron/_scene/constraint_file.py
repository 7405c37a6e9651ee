"""Constraints said in a JSON file beside that of a robot: URDF has no word for them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._spatial.vectors import Vec3
from .._tree.joints import Fixed, Helical, Planar, Prismatic, Revolute
from .._tree.kinds import (
    Composite,
    PlanarTranslation,
    Spherical,
    Translational,
    Universal,
)
from .._tree.placement import pose
from ..errors import ArthronError, FileError, ModelError, nearest
from .couplings import Coupling, Distance, Rope
from .loop import Loop, transform

Entry = Mapping[str, Any]

JOINTS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "fixed": (Fixed, ()),
    "revolute": (Revolute, ("axis",)),
    "prismatic": (Prismatic, ("axis",)),
    "cylindrical": (lambda axis: Composite([Revolute(axis), Prismatic(axis)]), ("axis",)),
    "helical": (Helical, ("axis", "pitch")),
    "spherical": (Spherical, ()),
    "universal": (Universal, ("first", "second")),
    "planar": (Planar, ("normal",)),
    "translational": (Translational, ()),
    "planar translation": (PlanarTranslation, ("normal",)),
}
"""Kinds of joints by their names in files, and what each has to say."""

FIELDS = {
    "loop": ("a", "b", "joint"),
    "distance": ("a", "b", "length"),
    "rope": ("a", "b", "length"),
    "coupling": ("joints", "factors", "offset"),
}
"""Kinds of constraints, and what each says besides its name."""
BETWEEN: dict[str, Callable[..., Any]] = {"distance": Distance, "rope": Rope}
"""Those between two points."""
OPTIONAL = ("length", "offset", "name")


def load(path: str | Path) -> list[Any]:
    """Loops, distances, ropes and couplings out of a file, to be elements of a scene.

    Args:
        path: a JSON file, `robot.loops.json` beside `robot.urdf` by custom.
    """
    path = _path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"it cannot be read: {error.strerror}. Give the path of a file.",
                        str(path)) from error  # fmt: skip
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise FileError(f'it is not JSON: {error}. Write {{"constraints": [...]}}.', str(path),
                        line) from error  # fmt: skip
    entries = content.get("constraints") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise FileError('it has no list of "constraints". Write {"constraints": [...]}.', str(path))
    found = []
    for k, entry in enumerate(entries):
        name = entry.get("name", "") if isinstance(entry, dict) else ""
        who = f"constraint {k}{f' ({name!r})' if name else ''}"
        try:
            found.append(_element(entry))
        except ArthronError as error:
            raise FileError(f"{who}: {error}", str(path)) from error
    return found


def save(path: str | Path, constraints: Sequence[Any]) -> None:
    """Write loops, distances, ropes and couplings to a file, which `load` reads back."""
    path = _path(path)
    if not isinstance(constraints, list | tuple):
        raise ModelError(f"`constraints` is {constraints!r}. Give a list of them.")
    text = json.dumps({"constraints": [_entry(x) for x in constraints]}, indent=2)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(f"it cannot be written: {error.strerror}. Check the path.",
                        str(path)) from error  # fmt: skip


def _path(given: Any) -> Path:
    if not isinstance(given, str | Path):
        raise FileError(f"a {type(given).__name__} is no path. Give the name of a file.",
                        repr(given))  # fmt: skip
    return Path(given).expanduser()


def _element(entry: Any) -> Any:
    kind = _kind("constraint", entry, FIELDS)
    given = _given(kind, entry, FIELDS[kind], OPTIONAL)
    name = given.pop("name", "")
    ends = {n: _end(kind, n, given.pop(n)) for n in ("a", "b") if n in given}
    if kind == "loop":
        return Loop(**ends, joint=_joint(given["joint"]), name=name)
    if kind in BETWEEN:
        return BETWEEN[kind](**ends, **given, name=name)
    return Coupling(**given, name=name)


def _end(kind: str, name: str, entry: Any) -> tuple:
    """A link and where on it: a point of a distance or rope, a placement of a loop."""
    if isinstance(entry, str):
        entry = {"link": entry}
    if not isinstance(entry, dict):
        raise ModelError(
            f'{name!r} is {entry!r}. Write {{"link": "rod", "xyz": [0, 0, 1]}}, with "rpy" if it '
            "is turned; a link that is null is the world."
        )
    given = _given(f"frame {name!r}", entry, ("link", "xyz", "rpy"), ("xyz", "rpy"))
    xyz = given.get("xyz", (0.0, 0.0, 0.0))
    if kind in BETWEEN:
        return given["link"], tuple(xyz) if isinstance(xyz, list) else xyz
    at_start = xyz is None and name == "b"
    return given["link"], None if at_start else pose(xyz, given.get("rpy"))  # type: ignore[arg-type]


def _joint(entry: Any) -> Any:
    kind = _kind("joint", entry, JOINTS)
    make, fields = JOINTS[kind]
    return make(**_given(f"joint {kind!r}", entry, fields))


def _kind(what: str, entry: Any, known: Mapping[str, Any]) -> str:
    kind: Any = entry.get("type") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in known:
        came = repr(kind) if isinstance(entry, dict) else repr(entry)
        if isinstance(entry, str) and entry in known:
            axis = ', "axis": "y"' * (what == "joint" and "axis" in known[entry][1])
            raise ModelError(
                f'a {what} is {came}. Give an object with its "type": {{"type": "{entry}"{axis}}}.'
            )
        raise ModelError(
            f'the "type" of a {what} is {came}.{nearest(str(kind), known)} Known are '
            f"{', '.join(map(repr, known))}."
        )
    return kind


def _given(what: str, entry: Entry, fields: Sequence[str], optional: Sequence[str] = ()) -> dict:
    """What an entry says, all of which is known and nothing missing."""
    known = (*fields, "name", "type")
    extra = [n for n in entry if n not in known]
    missing = [n for n in fields if n not in entry and n not in optional]
    if extra or missing:
        wrong = (
            f"has {extra[0]!r}.{nearest(extra[0], known)}" if extra else f"lacks {missing[0]!r}."
        )
        raise ModelError(f"a {what} {wrong} It says {', '.join(map(repr, fields)) or 'nothing'}.")
    return {n: entry[n] for n in (*fields, "name") if n in entry}


def _entry(element: Any) -> dict[str, Any]:
    """An element as an entry of a file."""
    name = {"name": element.name} if getattr(element, "name", "") else {}
    if isinstance(element, Loop):
        ends = {n: _placed(getattr(element, n)) for n in ("a", "b")}
        return {"type": "loop", **name, **ends, "joint": _joint_entry(element.joint)}
    if isinstance(element, Distance | Rope):
        ends = {n: {"link": end[0], "xyz": list(end[1])}
                for n, end in (("a", element.a), ("b", element.b))}  # fmt: skip
        length = {} if element.length is None else {"length": element.length}
        return {"type": type(element).__name__.lower(), **name, **ends, **length}
    if isinstance(element, Coupling):
        return {"type": "coupling", **name, "joints": list(element.joints),
                "factors": list(element.factors), "offset": element.offset}  # fmt: skip
    raise ModelError(
        f"a {type(element).__name__} is no constraint that a file can hold. Files hold `Loop`, "
        "`Distance`, `Rope` and `Coupling`."
    )


def _placed(end: Any) -> dict[str, Any]:
    if math.isnan(end[1][0][0]):
        return {"link": end[0], "xyz": None}
    X = transform(end)
    R = X.R
    pitch = math.atan2(-R.z.x, math.hypot(R.x.x, R.y.x))
    level = math.hypot(R.x.x, R.y.x) > 1e-12  # else roll and yaw turn about one axis
    roll = math.atan2(R.z.y, R.z.z) if level else math.atan2(-R.y.z, R.y.y)
    yaw = math.atan2(R.y.x, R.x.x) if level else 0.0
    turned = {"rpy": [roll, pitch, yaw]} if (roll, pitch, yaw) != (0.0, 0.0, 0.0) else {}
    return {"link": end[0], "xyz": list(X.r), **turned}


def _joint_entry(joint: Any) -> dict[str, Any]:
    for kind, (make, fields) in JOINTS.items():
        if isinstance(make, type) and type(joint) is make:
            values = {n: getattr(joint, n) for n in fields}
            same = type(joint)(**values) == joint
            if same:
                return {"type": kind, **{n: list(x) if isinstance(x, Vec3) else x
                                         for n, x in values.items()}}  # fmt: skip
        if kind == "cylindrical" and isinstance(joint, Composite) and _is_cylinder(joint):
            return {"type": kind, "axis": list(joint.joints[0].axis)}  # type: ignore[attr-defined]
    raise ModelError(
        f"the joint of a Loop is {joint!r}, which a file cannot hold. Files hold "
        f"{', '.join(map(repr, JOINTS))}."
    )


def _is_cylinder(joint: Composite) -> bool:
    kinds = [type(x) for x in joint.joints]
    return kinds == [Revolute, Prismatic] and joint.joints[0].axis == joint.joints[1].axis  # type: ignore[attr-defined]
