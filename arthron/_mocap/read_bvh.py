"""BVH files: a hierarchy of joints with channels, and the numbers of these, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from ..errors import FileError, nearest
from .plain_text import Word, number, read_lines, rows_of_numbers, whole
from .skeleton import POSITIONS, ROTATIONS, MotionFile, Offset, Skeleton, SkeletonJoint

MAX_JOINTS = 10_000
CHANNELS = {name.lower(): name for name in (*POSITIONS, *ROTATIONS)}
LONGEST_FRAME = 60.0
"""Seconds; what claims to take longer is no frame."""


def read_bvh(path: str | Path) -> MotionFile:
    """A BVH file.

    Numbers of position channels take the place of OFFSET, as most programs write them. On joints
    other than the root they must stay the same; zeros leave the offset as it is.
    """
    name, lines = str(path), read_lines(path)
    start = next((k for k, line in enumerate(lines) if line.strip().lower() == "motion"), None)
    if not any(line.strip().lower().startswith("hierarchy") for line in lines[:start]):
        raise FileError("it has no line HIERARCHY, with which BVH files begin.", name, 1)
    if start is None:
        raise FileError(
            "it has no line MOTION, after which frames follow. The file may have been cut off.",
            name,
        )
    joints = Hierarchy(name, lines[:start]).joints()
    columns = sum(len(joint.channels) for joint in joints)
    if not columns:
        raise FileError("no joint has channels, so there is no motion in it.", name, start + 1)
    values, frame_time = _motion(name, lines, start, columns)
    file = MotionFile(Skeleton(tuple(joints), Path(name).stem), values, frame_time, name)
    return _folded(file)


class Hierarchy:
    """The first part of a file, word by word."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path = path
        self.last = len(lines)
        self.words = self._words(lines)
        self.ahead = next(self.words, None)

    def _words(self, lines: list[str]) -> Iterator[Word]:
        """Words, braces apart; after ROOT and JOINT, the rest of the line is one word, a name."""
        for count, line in enumerate(lines, 1):
            parts = line.replace("{", " { ").replace("}", " } ").split()
            if parts and parts[0].lower() in ("root", "joint"):
                brace = parts.index("{") if "{" in parts else len(parts)
                parts = [parts[0], " ".join(parts[1:brace]), *parts[brace:]]
            yield from (Word(part, count) for part in parts)

    def next(self, expected: str) -> Word:
        """The next word, which must be there."""
        word, self.ahead = self.ahead, next(self.words, None)
        if word is None:
            raise self.error(f"the hierarchy ends where {expected} is expected.", self.last)
        return word

    def require(self, text: str) -> None:
        word = self.next(repr(text))
        if word.text.lower() != text.lower():
            raise self.error(f"{word.text[:40]!r} came where {text!r} is expected.", word.line)

    def error(self, message: str, line: int) -> FileError:
        return FileError(message, self.path, line)

    def joints(self) -> list[SkeletonJoint]:
        """All of them, parents first."""
        self.require("HIERARCHY")
        self.require("ROOT")
        found: list[SkeletonJoint] = []
        lines: dict[str, int] = {}
        above: list[int] = []  # the joints that are open
        self._open(found, lines, above)
        while above:
            word = self.next("JOINT, End Site or '}'")
            match word.text.lower():
                case "}":
                    above.pop()
                case "joint":
                    self._open(found, lines, above)
                case "end":
                    joint = found[above[-1]]
                    found[above[-1]] = replace(joint, ends=(*joint.ends, self._end_site()))
                case "offset":
                    found[above[-1]] = replace(found[above[-1]], offset=self._offset())
                case "channels":
                    found[above[-1]] = self._with_channels(found[above[-1]], word.line)
                case _:
                    raise self.error(
                        f"{word.text[:40]!r} came where OFFSET, CHANNELS, JOINT, End Site or a "
                        "closing brace is expected.", word.line,
                    )  # fmt: skip
        if self.ahead is not None:
            said = self.ahead.text[:40]
            what = "a second ROOT" if said.lower() == "root" else repr(said)
            raise self.error(
                f"{what} came after the end of the figure. A file holds one figure: split it.",
                self.ahead.line,
            )
        return found

    def _open(self, found: list[SkeletonJoint], lines: dict[str, int], above: list[int]) -> None:
        """A joint up to its opening brace."""
        word = self.next("the name of a joint")
        if not word.text:
            raise self.error("a joint has no name. Write one behind the word.", word.line)
        if word.text in lines:
            raise self.error(
                f"there are two joints called {word.text!r}; the first is on line "
                f"{lines[word.text]}. Names must differ; rename one.", word.line,
            )  # fmt: skip
        if len(found) >= MAX_JOINTS:
            raise self.error(f"there are more than {MAX_JOINTS:,} joints.", word.line)
        self.require("{")
        lines[word.text] = word.line
        found.append(SkeletonJoint(word.text, above[-1] if above else -1))
        above.append(len(found) - 1)

    def _end_site(self) -> Offset:
        self.require("Site")
        self.require("{")
        self.require("OFFSET")
        offset = self._offset()
        self.require("}")
        return offset

    def _offset(self) -> Offset:
        x, y, z = (number(self.next("a number"), self.path, "OFFSET") for _ in range(3))
        return x, y, z

    def _with_channels(self, joint: SkeletonJoint, line: int) -> SkeletonJoint:
        count = whole(self.next("how many channels there are"), self.path, "CHANNELS")
        if count > 6:
            raise self.error(f"joint {joint.name!r} has {count} channels. Six are the most.", line)
        names: list[str] = []
        for _ in range(count):
            word = self.next("a channel")
            name = CHANNELS.get(word.text.lower())
            if name is None or name in names:
                wrong = f"has {name} twice" if name else f"has a channel {word.text[:40]!r}"
                raise self.error(
                    f"joint {joint.name!r} {wrong}. Channels are {', '.join(CHANNELS.values())}."
                    f"{nearest(word.text[:40], CHANNELS.values())}", word.line,
                )  # fmt: skip
            names.append(name)
        order = "".join(name[0].lower() for name in names if name in ROTATIONS)
        return replace(joint, channels=tuple(names), rotation_order=order)


def _motion(name: str, lines: list[str], start: int, columns: int) -> tuple[Array, float]:
    """Frames, and seconds from one to the next."""
    head = [(k, line) for k, line in enumerate(lines[start + 1 :], start + 2) if line.strip()][:2]
    said = []
    for what, (k, line) in zip(("Frames", "Frame Time"), head, strict=False):
        key, _, value = line.partition(":")
        if "".join(key.lower().split()) != what.lower().replace(" ", "") or not value.split():
            raise FileError(f"{line.strip()[:40]!r} came where '{what}:' is expected.", name, k)
        said.append(Word(value.split()[0], k))
    if len(said) < 2:
        raise FileError(
            "MOTION is not followed by 'Frames:' and 'Frame Time:'. Was the file cut off?",
            name, start + 1,
        )  # fmt: skip
    count, frame_time = whole(said[0], name, "Frames"), number(said[1], name, "Frame Time")
    if not 1e-6 < frame_time < LONGEST_FRAME:
        raise FileError(
            f"'Frame Time:' is {frame_time:g}. Expected the seconds from one frame to the next, "
            "0.0083333 at 120 frames a second.", name, said[1].line,
        )  # fmt: skip
    values = rows_of_numbers(lines[said[1].line :], said[1].line + 1, columns, name)
    if not len(values) or len(values) != count:
        raise FileError(
            f"'Frames:' says {count}, and there are {len(values)} lines of numbers. Correct the "
            "count, or find the frames that are missing.", name, said[0].line,
        )  # fmt: skip
    return values, frame_time


def _folded(file: MotionFile) -> MotionFile:
    """Without position channels of joints other than the root, which must not change."""
    joints = list(file.skeleton.joints)
    kept = np.ones(file.values.shape[1], bool)
    for k, joint in enumerate(joints[1:], 1):
        if not joint.positions:
            continue
        offset = list(joint.offset)
        for name in joint.positions:
            column = file.column(k, name)
            if np.ptp(column) > 1e-4 * max(1.0, float(np.abs(column).max())):
                raise FileError(
                    f"joint {joint.name!r} moves in its parent: its {name} goes from "
                    f"{column.min():g} to {column.max():g}. Only the root may; bake the motion "
                    "into rotations, or export without translation.", file.path,
                )  # fmt: skip
            if column.any():
                offset[POSITIONS.index(name)] = float(column.mean())
            kept[file.skeleton.starts[k] + joint.channels.index(name)] = False
        rest = tuple(name for name in joint.channels if name not in POSITIONS)
        joints[k] = replace(joint, offset=(offset[0], offset[1], offset[2]), channels=rest)
    return replace(
        file,
        skeleton=replace(file.skeleton, joints=tuple(joints)),
        values=np.ascontiguousarray(np.compress(kept, file.values, axis=1)),
    )
