"""The figure that a skeleton is: bodies with mass, joints by the channels of the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._figure.body import Body
from .._figure.figure import Array
from .._figure.shapes import Capsule
from .._model.model import Model
from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.joints import Fixed, Joint, Revolute
from .._tree.kinds import Free, Spherical, Universal
from .file_axes import FileAxes
from .rotations import AXIS_NUMBER, continuous
from .segment_names import BodyPart
from .skeleton import MotionFile, Skeleton, SkeletonJoint
from .skeleton_poses import joint_angles, joint_rotations

GIRTH = {
    "head": 0.04, "trunk_upper": 0.055, "trunk_middle": 0.055, "trunk_lower": 0.05,
    "upper_arm": 0.025, "forearm": 0.02, "hand": 0.013, "thigh": 0.04, "shank": 0.028,
    "foot": 0.018,
}  # fmt: skip
"""Radii of the capsules that are drawn, as parts of the stature."""
THICKEST = 0.45
"""Radius of a capsule at most, as part of its bone."""


def figure_of(
    skeleton: Skeleton, parts: Sequence[BodyPart], axes: FileAxes, inertias: Sequence[Inertia]
) -> Model:
    """A skeleton in metres and the world's axes as a model; ends of bones are frames of it."""
    bodies: list[Body] = []
    taken = set(skeleton.names)
    for number, joint in enumerate(skeleton.joints):
        lower, upper = _limits(joint)
        bodies.append(
            Body(
                joint.name, _joint(joint, axes),
                parent=None if joint.parent < 0 else skeleton.joints[joint.parent].name,
                placement=Transform() if joint.parent < 0 else joint.offset,
                inertia=inertias[number],
                shapes=_capsules(skeleton, number, GIRTH[parts[number].segment] * axes.height),
                lower=lower, upper=upper,
            )
        )  # fmt: skip
        for end in joint.ends:
            name = f"{joint.name}_end"
            while name in taken:
                name += "_"
            taken.add(name)
            bodies.append(Body(name, Fixed(), parent=joint.name, placement=end))
    return Model(bodies, name=skeleton.name)


def _joint(joint: SkeletonJoint, axes: FileAxes) -> Joint:
    """How a joint moves: by one axis, two, or freely."""
    if joint.parent < 0:
        return Free()
    if len(joint.rotation_order) == 3:
        return Spherical()
    C = np.eye(3) if joint.axis is None else np.array(joint.axis)
    each = [Vec3(*axes.to_world(C[:, AXIS_NUMBER[a]]).tolist()) for a in joint.rotation_order]
    return Universal(*each) if len(each) == 2 else Revolute(*each) if each else Fixed()


def _limits(joint: SkeletonJoint) -> tuple[Sequence[float] | float, Sequence[float] | float]:
    """Limits in the order of the product, of joints whose coordinates are angles."""
    if not joint.limits or joint.parent < 0 or len(joint.rotation_order) == 3:
        return -np.inf, np.inf
    named = [name[0].lower() for name in joint.channels]
    each = [joint.limits[named.index(axis)] for axis in joint.rotation_order]
    return [low for low, _ in each], [high for _, high in each]


def _capsules(skeleton: Skeleton, number: int, radius: float) -> list[Capsule]:
    """A capsule along each bone, to look at and to collide with; mass is said elsewhere."""
    found = []
    joint = skeleton.joints[number]
    ends = [np.array(end) for end in joint.ends]
    ends += [np.array(skeleton.joints[c].offset) for c in skeleton.children[number]]
    for end in ends:
        length = float(np.linalg.norm(end))
        if length < 1e-6:
            continue
        z = end / length
        x = np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < 0.7 else [0.0, 1.0, 0.0])
        x = x / np.linalg.norm(x)
        R = Mat3.from_rows(np.stack([x, np.cross(z, x), z], -1).tolist())
        r = min(radius, THICKEST * length)
        place = Transform.from_pose(R, Vec3(*(0.5 * end).tolist()))
        found.append(Capsule(r, length - r, mass=0.0, placement=place))
    return found


def coordinates_of(file: MotionFile, model: Model, axes: FileAxes) -> Array:
    """Coordinates of the model in each frame, (frames, nq)."""
    q = np.zeros((len(file.values), model.nq))
    for number, joint in enumerate(file.skeleton.joints):
        count = len(joint.rotation_order)
        if joint.parent >= 0 and not count:
            continue
        place = model.slice_q(joint.name)
        if joint.parent < 0:
            q[:, :3] = axes.to_world(file.root_positions()) * axes.scale
            place = slice(3, 7)
        if joint.parent < 0 or count == 3:
            turns = axes.quaternions(joint_rotations(file, number))
            q[:, place] = continuous(turns)
        else:
            q[:, place] = np.stack(joint_angles(file, number), -1)
    return q
