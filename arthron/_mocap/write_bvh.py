"""BVH files, written with all digits that matter."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np

from ..errors import FileError, ModelError
from .skeleton import ROTATIONS, MotionFile, Offset, Skeleton

DIGITS = "%.10g"


def write_bvh(file: MotionFile, path: str | Path) -> Path:
    """Write a skeleton and its motion, channels as they are.

    Args:
        file: of a BVH file; joints of others may turn about axes that BVH does not have.
        path: where, ending in .bvh.
    """
    for joint in file.skeleton.joints:
        turns = "".join(name[0].lower() for name in joint.channels if name in ROTATIONS)
        if joint.axis is not None or turns != joint.rotation_order:
            raise ModelError(
                f"joint {joint.name!r} turns about axes of its own, or not in the order of its "
                "channels, which BVH does not have. `ar.load_motion(path).save_bvh` finds its "
                "angles."
            )
    if not isinstance(path, str | Path):
        raise FileError(
            f"a {type(path).__name__} is no path. Give the name of a file that ends in .bvh.",
            repr(path),
        )
    place = Path(path)
    if place.suffix.lower() != ".bvh":
        raise FileError("the name does not end in .bvh. Give one that does.", str(path))
    numbers = StringIO()
    np.savetxt(numbers, file.values, fmt=DIGITS)
    text = "\n".join([
        "HIERARCHY", *_hierarchy(file.skeleton), "MOTION", f"Frames: {len(file.values)}",
        f"Frame Time: {file.frame_time:.12g}", numbers.getvalue(),
    ])  # fmt: skip
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"it cannot be written: {error.strerror}. Check the path.", str(path)
        ) from None
    return place


def _hierarchy(skeleton: Skeleton) -> Iterator[str]:
    """Joints with those that hang on them inside, line by line."""
    open_joints = [(0, "", False)]
    while open_joints:
        number, margin, done = open_joints.pop()
        if done:
            yield f"{margin}}}"
            continue
        joint = skeleton.joints[number]
        yield f"{margin}{'ROOT' if joint.parent < 0 else 'JOINT'} {joint.name}"
        yield f"{margin}{{"
        yield f"{margin}\tOFFSET {_numbers(joint.offset)}"
        yield f"{margin}\tCHANNELS {' '.join([str(len(joint.channels)), *joint.channels])}"
        for end in joint.ends:
            yield from (f"{margin}\tEnd Site", f"{margin}\t{{")
            yield from (f"{margin}\t\tOFFSET {_numbers(end)}", f"{margin}\t}}")
        open_joints.append((number, margin, True))
        children = reversed(skeleton.children[number])
        open_joints += [(child, f"{margin}\t", False) for child in children]


def _numbers(offset: Offset) -> str:
    return " ".join(DIGITS % x for x in offset)
