"""What sliders of a live page move: coordinates of joints, and numbers of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from .._scene.controller import Controller
from .._scene.joint_forces import JointLimit, JointSpring
from .._scene.lines import Line
from .._scene.parameters import Parameter
from .._scene.scene import Scene
from .._scene.setup import DAMPING, TREE, Setup
from .._tree.joints import Joint

PLACES = ("rest", "lower", "upper", "back")
"""Fields of what acts at joints that are coordinates of these, and how fast these come back."""
UNITS = {
    "m": {"stiffness": "N/m", "damping": "N s/m", "rest": "m"},
    "rad": {"stiffness": "N m/rad", "damping": "N m s/rad"},
}
"""Of fields of springs and limits, by what they act along."""


class NumberSlider(NamedTuple):
    """A slider for numbers of a scene, which all change by the same factor.

    Attributes:
        label: what it says.
        names: of parameters.
        entry: which entry of them, if only one.
    """

    label: str
    names: tuple[str, ...]
    entry: int | None = None

    def places(self, setup: Setup) -> list[int]:
        """Where these numbers are among the inputs of what is compiled."""
        slices = (setup.parameters.layout[name] for name in self.names)
        found = [k for where in slices for k in range(where.start, where.stop)]
        return found if self.entry is None else [found[self.entry]]


def slider_setup(scene: Scene) -> Setup:
    """A scene in which all that has a slider is an input of what is compiled."""
    names = (name for slider in number_sliders(scene.setup()) for name in slider.names)
    return scene.setup(("gravity", *names))


def number_sliders(setup: Setup) -> list[NumberSlider]:
    """One for each `ar.parameter`, and one for each field of elements of a kind.

    Elements with a name have their own. Of fields, those count that are below zero in none of the
    elements, and above in some, as are lengths that the start decides; places and directions do
    not.
    """
    found, together = [], dict[str, list[Parameter]]()
    for p in setup.parameters.each.values():
        if p.owner is not None:
            together.setdefault(_label(setup, p), []).append(p)
        elif p.name not in ("gravity", *TREE):
            found += _asked(p)
    for label, fields_of in together.items():
        some = [p for p in fields_of if p.opens_at_start or (p.value > 0.0).any()]
        if some and all(_scales(setup, p) for p in fields_of):
            kinds = {_unit(setup, p) for p in some}
            unit = kinds.pop() if len(kinds) == 1 else ""
            names = tuple(p.name for p in some)
            found.append(NumberSlider(f"{label} [{unit}]" if unit else label, names))
    return found


def _asked(p: Parameter) -> Iterator[NumberSlider]:
    """Of `ar.parameter`: one for each number."""
    if not p.value.ndim:
        yield NumberSlider(p.name, (p.name,))
    for k in range(p.value.size if p.value.ndim else 0):
        yield NumberSlider(f"{p.name}[{k}]", (p.name,), k)


def _scales(setup: Setup, p: Parameter) -> bool:
    """Whether a field is one of strengths and lengths, which can be some times as large."""
    element = setup.scene.all_elements[p.owner or 0]
    written = next(str(f.type) for f in fields(element) if f.name == p.field)
    listed = p.value.ndim and p.value.shape[-1] == 3 and p.name != DAMPING
    vector = listed and written != "Any" and not written.startswith("float")
    place = bool(element.joints) and p.field in PLACES
    if vector or place or "Point" in written or "Place" in written:
        return False
    return p.opens_at_start or bool(np.isfinite(p.value).all() and (p.value >= 0.0).all())


def _label(setup: Setup, p: Parameter) -> str:
    if p.name == DAMPING:
        return "joint damping"
    element = setup.scene.all_elements[p.owner or 0]
    kind = "controller" if isinstance(element, Controller) else type(element).__name__
    return f"{element.name or kind} · {p.field}"


def _unit(setup: Setup, p: Parameter) -> str:
    """Of a field, where it has one."""
    element, model = setup.scene.all_elements[p.owner or 0], setup.scene.model
    along = {"m"} if isinstance(element, Line) else set[str]()
    if isinstance(element, JointSpring | JointLimit):
        along = {
            unit
            for name in element.joints
            for unit in units(model.tree.joint[model.joint_number(name)])
        }
    return UNITS.get(along.pop(), {}).get(p.field, "") if len(along) == 1 else ""


def joint_sliders(setup: Setup) -> list[dict[str, Any]]:
    """One for each coordinate: where that is, and which velocities are zero while it is held.

    Of a quaternion they are the three numbers of a rotation vector; `turn` is which. There is none
    for joints where several coordinates make one rotation in another way. Limits are None where
    there are none.
    """
    model, fixed, found = setup.scene.model, set(setup.fixed_coordinates()), []

    def add(joint: str, part: str, unit: str, q: int, v: range, turn: int | None = None) -> None:
        limits = model.q_lower[q], model.q_upper[q]
        low, high = (x if turn is None and math.isfinite(x) else None for x in map(float, limits))
        name = f"{joint} {part}".strip()
        found.append({"name": name, "unit": unit, "q": q, "v": [v.start, v.stop], "turn": turn,
                      "low": low, "high": high, "fixed": not fixed.isdisjoint(v)})  # fmt: skip

    for name in model.joint_names:
        joint = model.tree.joint[model.joint_number(name)]
        q, v = model.slice_q(name).start, model.slice_qd(name).start
        if joint.nq == joint.nv:
            for k, (unit, part) in enumerate(zip(units(joint), _parts(joint), strict=True)):
                add(name, part, unit, q + k, range(v + k, v + k + 1))
        if joint.label == "free":
            for k, part in enumerate("xyz"):
                add(name, part, "m", q + k, range(v + 3, v + 6))
        if joint.label in ("free", "spherical"):
            for k, part in enumerate("xyz"):
                at = q + joint.nq - 4
                add(name, f"turn {part}", "rad", at, range(v, v + 3), k)
    return found


def joint_forces(setup: Setup) -> list[dict[str, str]]:
    """Names and units of velocity coordinates, whose forces are drawn."""
    model, found = setup.scene.model, []
    for name in model.joint_names:
        joint = model.tree.joint[model.joint_number(name)]
        for unit, part in zip(units(joint), _parts(joint), strict=True):
            found.append({"name": f"{name} {part}".strip(), "unit": unit})
    return found


def _parts(joint: Joint) -> list[str]:
    """What velocity coordinates are called beside the name of their joint."""
    if joint.nv == 1:
        return [""]
    turning = [f"turn {part}" for part in "xyz"]
    known = {"free": [*turning, *"xyz"], "spherical": turning}
    return known.get(joint.label, [f"[{k}]" for k in range(joint.nv)])


def units(joint: Joint) -> list[str]:
    """Of coordinates, by the velocities that they have: "rad", "m", or "" of neither."""
    found = []
    for column in joint(joint.neutral(), (0.0,) * joint.nv)[1]:
        turning, sliding = (math.dist(part, (0, 0, 0)) for part in (column.ang, column.lin))
        slides = turning < 1e-9 and abs(sliding - 1.0) < 1e-9
        found.append("rad" if abs(turning - 1.0) < 1e-9 else "m" if slides else "")
    return found
