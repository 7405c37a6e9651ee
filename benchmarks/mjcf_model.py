"""Figures of ours from MJCF files, as far as the humanoids of MuJoCo and dm_control go.

Bodies, free joints, hinges and slides, capsules, spheres and boxes, classes of defaults, stiffness,
damping, armature and limits. A body with several joints becomes several links, the last of which
has its name and its shapes. Actuators and sensors are left out.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import mujoco
import numpy as np

import arthron as ar

Attributes = dict[str, str]


class Read(NamedTuple):
    """What a file says.

    Attributes:
        model: the figure.
        springs: those of its joints.
        pairs: links that may meet each other as MuJoCo chooses them, without the world.
    """

    model: ar.Model
    springs: list[ar.forces.JointSpring]
    pairs: list[tuple[str, str]]

    def differences(self, theirs: mujoco.MjModel, count: int = 20) -> tuple[float, float]:
        """Largest differences of mass matrices and of bias forces at random states, relative."""
        rng, data = np.random.default_rng(0), mujoco.MjData(theirs)
        layout = ar.interop.mujoco(self.model, theirs)
        worst = np.zeros(2)
        for q in self.model.random(0, count):
            qd = rng.normal(size=self.model.nv)
            data.qpos[:], data.qvel[:] = layout.q_to(q), layout.qd_to(q, qd)
            mujoco.mj_forward(theirs, data)
            M = np.zeros((theirs.nv, theirs.nv))
            mujoco.mj_fullM(theirs, data, M)
            P = np.array([layout.qd_to(q, e) for e in np.eye(self.model.nv)]).T
            still = layout.qdd_from(q, qd, np.zeros(theirs.nv))  # theirs do not change
            ours = self.model.inverse_dynamics(q, qd, still), P.T @ data.qfrc_bias
            pairs = (self.model.mass_matrix(q), P.T @ M @ P), ours
            off = [np.abs(a - b).max() / np.abs(b).max() for a, b in pairs]
            worst = np.maximum(worst, off)
        return float(worst[0]), float(worst[1])


def read(path: Path | None = None, text: str | None = None) -> Read:
    """The figure of a file, or of its text."""
    root = ElementTree.parse(path).getroot() if path else ElementTree.fromstring(text or "")
    return _Reader(root).read()


class _Reader:
    def __init__(self, root: ElementTree.Element) -> None:
        self.root, self.classes = root, {"main": {}}
        compiler = root.find("compiler")
        radian = compiler is not None and compiler.get("angle") == "radian"
        self.unit = 1.0 if radian else math.pi / 180.0
        for each in root.findall("default"):
            self._defaults(each, "main", {})
        self.links: list[ar.Body] = []
        self.springs: list[ar.forces.JointSpring] = []
        self.welds: dict[str, tuple[str, str]] = {}  # of each link: what it is part of, and on what

    def read(self) -> Read:
        for body in self.root.findall("worldbody/body"):
            self._body(body, None, ("world", "world"), "main")
        model = ar.Model(self.links, name=self.root.get("model", "figure"))
        out = {
            frozenset((x.get("body1"), x.get("body2")))
            for x in self.root.findall("contact/exclude")
        }
        own = [*self.welds.items()]
        pairs = [
            (a, b)
            for k, (a, (weld_a, on_a)) in enumerate(own)
            for b, (weld_b, on_b) in own[k + 1 :]
            if weld_a != weld_b and on_a != weld_b and on_b != weld_a
            and frozenset((a, b)) not in out
        ]  # fmt: skip
        return Read(model, self.springs, pairs)

    def _defaults(self, element: ElementTree.Element, name: str, above: dict) -> None:
        own = {tag: dict(given) for tag, given in above.items()}
        for each in element:
            if each.tag != "default":
                own.setdefault(each.tag, {}).update(each.attrib)
        self.classes[name] = own
        for each in element.findall("default"):
            self._defaults(each, each.attrib["class"], own)

    def _with_defaults(self, element: ElementTree.Element, childclass: str) -> Attributes:
        own = self.classes[element.get("class", childclass)]
        return own.get(element.tag, {}) | element.attrib

    def _body(
        self, body: ElementTree.Element, parent: str | None, weld: tuple[str, str], childclass: str
    ) -> None:
        name, childclass = body.attrib["name"], body.get("childclass", childclass)
        joints = [self._with_defaults(x, childclass) for x in body.findall("joint")]
        shapes = [self._shape(self._with_defaults(x, childclass)) for x in body.findall("geom")]
        place = ar.pose(
            _numbers(body, "pos", "0 0 0"), quaternion=_numbers(body, "quat", "1 0 0 0")
        )
        free = body.find("freejoint")
        if free is not None or any(x.get("type") == "free" for x in joints):
            joint = free.get("name") if free is not None else joints[0].get("name")
            self.links.append(ar.Body(name, ar.Free(), shapes=shapes, joint_name=joint or name))
            weld, at = (name, "world"), np.zeros(3)
        elif joints:
            at = self._joints(name, joints, shapes, parent, place)
            weld = name, weld[0]
        else:
            self.links.append(ar.Body(name, ar.Fixed(), parent, place, shapes=shapes))
            at = np.zeros(3)
        if shapes:
            self.welds[name] = weld
        for each in body.findall("body"):
            pos = np.array(_numbers(each, "pos", "0 0 0")) - at
            each.set("pos", " ".join(map(repr, pos.tolist())))
            self._body(each, name, weld, childclass)

    def _joints(
        self, name: str, joints: list, shapes: list, parent: str | None, place
    ) -> np.ndarray:
        """Links of all joints; where the last of them is in the body."""
        at = np.zeros(3)
        for k, own in enumerate(joints):
            there, last = np.array(_numbers(own, "pos", "0 0 0")), k == len(joints) - 1
            turn = ar.pose(matrix=place.R) if k == 0 else ar.pose()
            start = place.r if k == 0 else ar.spatial.Vec3()
            offset = start + turn.R @ ar.spatial.Vec3(*(there - at))
            kind = ar.Prismatic if own.get("type") == "slide" else ar.Revolute
            unit = 1.0 if kind is ar.Prismatic else self.unit
            limited = own.get("limited", "true" if "range" in own else "false") == "true"
            low, high = (
                [unit * x for x in _numbers(own, "range", "0 0")]
                if limited
                else (-math.inf, math.inf)
            )
            link = name if last else f"{name} {k}"
            moved = [_moved(shape, there) for shape in shapes] if last else []
            self.links.append(ar.Body(
                link, kind(_numbers(own, "axis", "0 0 1")), parent,
                ar.pose([*offset], matrix=turn.R), shapes=moved, joint_name=own["name"],
                lower=low, upper=high, armature=float(own.get("armature", 0.0)),
                damping=float(own.get("damping", 0.0)),
            ))  # fmt: skip
            if float(own.get("stiffness", 0.0)):
                self.springs.append(ar.forces.JointSpring(own["name"], float(own["stiffness"])))
            parent, at = link, there
        return at

    def _shape(self, own: Attributes) -> ar.Shape:
        size, place = _numbers(own, "size", "0"), np.array(_numbers(own, "pos", "0 0 0"))
        R, half = np.eye(3), size[-1]
        if "fromto" in own:
            ends = np.array(_numbers(own, "fromto", "")).reshape(2, 3)
            place, half = ends.mean(0), np.linalg.norm(ends[1] - ends[0]) / 2
            R = _turned(ends[1] - ends[0])
        elif "zaxis" in own:
            R = _turned(np.array(_numbers(own, "zaxis", "")))
        elif "quat" in own:
            R = np.array([[*row] for row in ar.pose(quaternion=_numbers(own, "quat", "")).R])
        elif "euler" in own:
            R = np.eye(3)
            for axis, angle in zip(np.eye(3), _numbers(own, "euler", ""), strict=True):
                half_turn = 0.5 * self.unit * angle
                turn = ar.pose(quaternion=[math.cos(half_turn), *(math.sin(half_turn) * axis)]).R
                R = R @ np.array([[*row] for row in turn])
        given = {"placement": ar.pose(place.tolist(), matrix=R)}
        given["density"] = float(own.get("density", 1000.0))
        if "mass" in own:
            given["mass"] = float(own["mass"])
        kind = own.get("type", "sphere")
        if kind == "sphere":
            return ar.Sphere(size[0], **given)
        if kind == "capsule":
            return ar.Capsule(size[0], 2.0 * float(half), **given)
        if kind == "box":
            return ar.Box([2.0 * x for x in size], **given)
        raise ValueError(f"the geom type {kind!r} is not read.")


def _numbers(own, name: str, default: str) -> list[float]:
    return [float(x) for x in own.get(name, default).split()]


def _turned(z: np.ndarray) -> np.ndarray:
    """Axes with this z."""
    z = z / np.linalg.norm(z)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], -1)


def _moved(shape: ar.Shape, by: np.ndarray) -> ar.Shape:
    from dataclasses import replace

    own = shape.placement
    return replace(shape, placement=ar.pose([*(own.r - ar.spatial.Vec3(*by))], matrix=own.R))
