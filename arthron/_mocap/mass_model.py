"""What each body of a skeleton weighs: segments of a person, spread over its bones (D96)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._figure.figure import Array
from .._spatial.inertia import Inertia
from .segment_names import BodyPart
from .segment_tables import HEIRS, MIDLINE, BodySegment, body_segments, mean_person
from .skeleton import Skeleton

LIGHT_SHARE = 0.25
LEAST_SHARE = 0.02
"""Of the length of all bones of a segment: what a body without length is taken to have."""
BY_BONES = ("upper_arm", "forearm", "thigh", "shank")
"""Segments that are as long as their bones; others are as long as a person's of that stature."""
Group = tuple[str, str]
"""A segment, and its side if it is of a limb."""


def bone_ends(skeleton: Skeleton, number: int) -> list[tuple[int, Array]]:
    """Where the bones of a joint end, in its frame, and the joint there, or its own number.

    Joints that are where it is itself are looked through, but for one alone, which is the next
    hinge of the same joint and has the bones.
    """
    joint, children = skeleton.joints[number], skeleton.children[number]
    if len(children) == 1 and not joint.ends and not any(skeleton.joints[children[0]].offset):
        return []
    found = [(number, np.array(end)) for end in joint.ends if np.any(end)]
    for child in children:
        offset = np.array(skeleton.joints[child].offset)
        found += [(child, offset)] if offset.any() else bone_ends(skeleton, child)
    return found


def long_bone(skeleton: Skeleton, parts: Sequence[BodyPart], number: int) -> tuple[Array, float]:
    """The mean of a joint's bones, of those of the midline where it is in it, and their length."""
    ends = bone_ends(skeleton, number)
    if parts[number].segment in ("head", "trunk_upper", "trunk_middle"):
        ends = [each for each in ends if not parts[each[0]].side] or ends
    if not ends:
        return np.zeros(3), 0.0
    vectors = np.array([vector for _, vector in ends])
    return vectors.mean(0), float(np.linalg.norm(vectors, axis=-1).mean())


def body_inertias(
    skeleton: Skeleton, parts: Sequence[BodyPart], mass: float, stature: float, sex: str | None
) -> list[Inertia]:
    """Inertia of each joint's body in its frame.

    A segment's mass is shared by the length of its bones; collar bones, hip joints, necks and
    thumbs count a quarter. Each bone has the girth of the whole segment and its own length.

    Args:
        skeleton: in metres and axes of the world, z up and x ahead.
        parts: what its joints move.
        mass: of the whole [kg].
        stature: of the person [m].
        sex: whose tables.
    """
    bones = [long_bone(skeleton, parts, k) for k in range(len(parts))]
    groups: dict[Group, list[int]] = {}
    for k, ((segment, side, _), at) in enumerate(
        zip(parts, skeleton.rest_positions(), strict=True)
    ):
        side = side or ("left" if at[1] >= 0.0 else "right")  # where the name has none
        groups.setdefault((segment, "" if segment in MIDLINE else side), []).append(k)
    table = body_segments(sex)
    size = stature / mean_person(sex)[0]
    masses = _masses(table, groups)
    found = [Inertia()] * len(parts)
    for group, members in groups.items():
        segment = table[group[0]]
        reach = np.array([bones[k][1] * (LIGHT_SHARE if parts[k].light else 1) for k in members])
        whole = reach.sum()
        reach = np.maximum(reach, LEAST_SHARE * whole) if whole else np.ones(len(members))
        length = whole if group[0] in BY_BONES and whole else segment.length * size
        for k, share in zip(members, reach / reach.sum(), strict=True):
            axis = _along_spine(skeleton, parts, k) if group[0] in MIDLINE else bones[k][0]
            along = segment.com if len(members) == 1 and group[0] in BY_BONES else 0.5
            m = mass * masses[group] * share
            found[k] = _piece(segment, m, length, share, bones[k][0], along, axis)
    return found


def _along_spine(skeleton: Skeleton, parts: Sequence[BodyPart], number: int) -> Array:
    """Where the midline goes on from a joint of it; zero where it does not."""
    ends = [vector for joint, vector in bone_ends(skeleton, number) if not parts[joint].side]
    return np.sum(ends, axis=0) if ends and not parts[number].side else np.zeros(3)


def _masses(table: dict[str, BodySegment], groups: dict[Group, list[int]]) -> dict[Group, float]:
    """Part of the body's mass by group; of segments that are not there, others have it too."""
    found = dict.fromkeys(groups, 0.0)
    whole = sum(s.mass * (1 if name in MIDLINE else 2) for name, s in table.items())
    for name, segment in table.items():
        for side in [""] if name in MIDLINE else ["left", "right"]:
            heirs = [(h, "" if h in MIDLINE else side) for h in (name, *HEIRS[name].split())]
            heir = next((each for each in heirs if each in groups), next(iter(groups)))
            found[heir] += segment.mass / whole
    return found


def _piece(
    segment: BodySegment, m: float, length: float, share: float, bone: Array, along: float,
    axis: Array,
) -> Inertia:  # fmt: skip
    """A part of a segment about an axis: as thick as the whole, and as long as its share."""
    girth = (segment.longitudinal * length) ** 2
    moments = [
        0.5 * girth + ((radius * length) ** 2 - 0.5 * girth) * share**2
        for radius in (segment.sagittal, segment.transverse)
    ]
    up, ahead = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    size = np.linalg.norm(axis)
    z = axis / size if size else up
    x = (ahead if abs(z[0]) < 0.8 else up) - z * (z[0] if abs(z[0]) < 0.8 else z[2])
    x = x / np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], -1)
    about_com = R @ np.diag([m * moments[0], m * moments[1], m * girth]) @ R.T
    return Inertia.from_com(float(m), (along * bone).tolist(), 0.5 * (about_com + about_com.T))
