"""ASF skeletons of Acclaim's format: bones with directions, lengths and axes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._figure.figure import Array
from ..errors import FileError, nearest
from .plain_text import Word, number, read_lines
from .rotations import from_angles, rotation_matrices
from .skeleton import Offset, Skeleton, SkeletonJoint

INCH = 0.0254
CHANNELS = {f"{kind}{axis}": f"{axis.upper()}{name}"
            for kind, name in (("t", "position"), ("r", "rotation")) for axis in "xyz"}  # fmt: skip
Rows = list[list[Word]]


class AsfFile(NamedTuple):
    """A skeleton and its units.

    Attributes:
        skeleton: each bone a joint where it begins.
        unit: metres in a unit of length.
        in_degrees: whether angles are, or else radians.
    """

    skeleton: Skeleton
    unit: float
    in_degrees: bool


@dataclass
class Entry:
    """The root, or a bone: what a file says of it by key, and on which line it begins."""

    line: int
    path: str
    words: dict[str, list[Word]] = field(default_factory=dict)

    def numbers(self, key: str, count: int) -> list[float]:
        """The first numbers behind a key; of those that may be left out, zeros if they are."""
        if key in ("direction", "length") and key not in self.words:
            raise FileError(f"a bone has no {key}. Add it.", self.path, self.line)
        given = self.words.get(key, [Word("0", self.line)] * count)
        if len(given) < count:
            line = given[0].line if given else self.line
            raise FileError(f"{key} has {len(given)} numbers, not {count}.", self.path, line)
        return [number(word, self.path, key) for word in given[:count]]

    def axis(self, key: str, in_degrees: bool) -> Array:
        """Three angles about x, y and z as a rotation, in the order of the word behind them."""
        angles = np.array(self.numbers(key, 3))
        order = _order(self)
        angles = np.radians(angles) if in_degrees else angles
        each = [angles["xyz".index(axis)] for axis in order]
        return rotation_matrices(from_angles(order, each))


def read_asf(path: str | Path) -> AsfFile:
    """An ASF file.

    A bone turns by C R C^T, C being its axis; "XYZ" turns about x first, so that R is Rz Ry Rx.
    """
    name = str(path)
    sections = _sections(read_lines(path), name)
    units = {row[0].text.lower(): row[1] for row in sections.get(":units", []) if len(row) > 1}
    length, angle = units.get("length", Word("1", 1)), units.get("angle", Word("deg", 1))
    if number(length, name, "length") < 1e-9:
        raise FileError(f"length is {length.text}. Give more than zero.", name, length.line)
    if angle.text.lower()[:3] not in ("deg", "rad"):
        raise FileError(f"angle is {angle.text[:40]!r}. Give deg or rad.", name, angle.line)
    in_degrees = angle.text.lower().startswith("deg")
    root = _entry(sections[":root"], name)
    bones = _bones(sections[":bonedata"], name)
    parents = _parents(sections[":hierarchy"], bones, name)
    joints = _joints(root, bones, parents, in_degrees)
    called = sections.get(":name") or [[Word(Path(path).stem, 1)]]
    return AsfFile(
        Skeleton(tuple(joints), called[0][0].text), INCH / float(length.text), in_degrees
    )


def _sections(lines: list[str], path: str) -> dict[str, Rows]:
    """Rows of words by the word with a colon that they stand behind."""
    found: dict[str, Rows] = {}
    rows: Rows = []
    for count, line in enumerate(lines, 1):
        text = line.split("#")[0].replace("(", " ").replace(")", " ")
        words = [Word(part, count) for part in text.split()]
        if words and words[0].text.startswith(":"):
            rows = found.setdefault(words.pop(0).text.lower(), [])
        if words:
            rows.append(words)
    for section in (":root", ":bonedata", ":hierarchy"):
        if section not in found:
            raise FileError(f"it has no section {section}, which ASF files have.", path, 1)
    return found


def _entry(rows: Rows, path: str) -> Entry:
    """Words by key; rows that begin with a number go on with the key before."""
    entry, key = Entry(rows[0][0].line if rows else 1, path), ""
    for first, *rest in rows:
        if first.text[0].isalpha() and first.text.lower() not in ("inf", "nan"):
            key = first.text.lower()
            entry.words[key] = rest
        elif key:
            entry.words[key] += [first, *rest]
    return entry


def _bones(rows: Rows, path: str) -> dict[str, Entry]:
    """What is said between `begin` and `end`, by the name of the bone."""
    found: dict[str, Entry] = {}
    start = None
    for k, row in enumerate(rows):
        word = row[0].text.lower()
        if (word == "begin") != (start is None) and word in ("begin", "end"):
            where = "outside of" if start is None else "inside"
            raise FileError(
                f"{word!r} came {where} a bone. Each has one begin and one end.", path, row[0].line
            )
        if word == "begin":
            start = k
        elif word == "end" and start is not None:
            entry, start = _entry(rows[start + 1 : k], path), None
            name = entry.words.get("name")
            if not name:
                raise FileError("a bone has no name. Add one.", path, row[0].line)
            if name[0].text in found or name[0].text == "root":
                raise FileError(
                    f"there are two bones called {name[0].text!r}. Names must differ.",
                    path, name[0].line,
                )  # fmt: skip
            found[name[0].text] = entry
    if start is not None:
        raise FileError("a bone begins and has no end.", path, rows[start][0].line)
    return found


def _parents(rows: Rows, bones: Mapping[str, Entry], path: str) -> dict[str, str]:
    """The parent of each bone, from lines of a bone and those that hang on it."""
    found: dict[str, str] = {}
    for parent, *children in rows:
        if parent.text.lower() in ("begin", "end") and not children:
            continue
        for word in (parent, *children):
            if word.text not in bones and (word.text != "root" or word is not parent):
                raise FileError(
                    f"the hierarchy has {word.text[:40]!r}, which is no bone that can be there."
                    f"{nearest(word.text[:40], bones)}", path, word.line,
                )  # fmt: skip
        for child in children:
            if child.text in found:
                raise FileError(
                    f"bone {child.text!r} hangs on {found[child.text]!r} and on {parent.text!r}. "
                    "Name it once.", path, child.line,
                )  # fmt: skip
            found[child.text] = parent.text
    return found


def _joints(
    root: Entry, bones: Mapping[str, Entry], parents: Mapping[str, str], in_degrees: bool
) -> list[SkeletonJoint]:
    """The root, and all bones where they begin, parents first."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    joints, tips = [_root(root, in_degrees)], {"root": (0.0, 0.0, 0.0)}
    numbers = {"root": 0}
    waiting = list(reversed(children.get("root", [])))
    while waiting:
        name = waiting.pop()
        parent = parents[name]
        bone = bones[name]
        numbers[name] = len(joints)
        joint = _bone(bone, name, in_degrees)
        length = bone.numbers("length", 1)[0]
        x, y, z = (length * part for part in bone.numbers("direction", 3))
        tips[name] = x, y, z
        ends = () if name in children else (tips[name],)
        joints.append(replace(joint, parent=numbers[parent], offset=tips[parent], ends=ends))
        waiting += reversed(children.get(name, []))
    lost = next((name for name in bones if name not in numbers), None)
    if lost is not None:
        raise FileError(
            f"bone {lost!r} does not hang on the root. Name it in the hierarchy.",
            root.path, bones[lost].line,
        )  # fmt: skip
    return joints


def _root(root: Entry, in_degrees: bool) -> SkeletonJoint:
    x, y, z = root.numbers("position", 3)
    named = root.words.get("order") or [Word(name, root.line) for name in CHANNELS]
    channels = _channels(named, root, CHANNELS)
    return SkeletonJoint(
        "root", -1, (x, y, z), channels, _product(root, channels),
        _axis(root.axis("orientation", in_degrees)),
    )  # fmt: skip


def _bone(bone: Entry, name: str, in_degrees: bool) -> SkeletonJoint:
    turns = {key: channel for key, channel in CHANNELS.items() if key.startswith("r")}
    channels = _channels(bone.words.get("dof", []), bone, turns)
    limits = bone.words.get("limits", [])
    pairs: list[tuple[float, float]] = []
    if len(limits) == 2 * len(channels):
        ends = [_limit(word, bone.path, in_degrees) for word in limits]
        pairs = [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    elif limits:
        raise FileError(
            f"bone {name!r} has {len(limits)} limits and {len(channels)} degrees of freedom. Give "
            "two for each.", bone.path, limits[0].line,
        )  # fmt: skip
    if any(low > high for low, high in pairs):
        raise FileError(
            f"bone {name!r} has a lower limit above the upper one. Swap them.",
            bone.path, limits[0].line,
        )  # fmt: skip
    axis = _axis(bone.axis("axis", in_degrees)) if channels else None
    return SkeletonJoint(
        name, -1, (0.0, 0.0, 0.0), channels, _product(bone, channels), axis, tuple(pairs)
    )


def _limit(word: Word, path: str, in_degrees: bool) -> float:
    if word.text.lower().lstrip("+-") in ("inf", "infinity"):
        return float(word.text)
    value = number(word, path, "limits")
    return float(np.radians(value)) if in_degrees else value


def _channels(words: list[Word], entry: Entry, known: Mapping[str, str]) -> tuple[str, ...]:
    """Channels by the words for them, tx and so on."""
    found: list[str] = []
    for word in words:
        name = known.get(word.text.lower())
        if name is None or name in found:
            raise FileError(
                f"{word.text[:40]!r} is no degree of freedom that can be here. Give some of "
                f"{', '.join(known)}, each once.", entry.path, word.line,
            )  # fmt: skip
        found.append(name)
    return tuple(found)


def _order(entry: Entry) -> str:
    """Axes of the product: "XYZ" turns about x first, and so is "zyx"."""
    given = entry.words.get("axis", [])
    said = bool(given) and given[-1].text.isalpha()
    word = given[-1] if said else Word("XYZ", entry.line)
    if sorted(word.text.lower()) != ["x", "y", "z"]:
        raise FileError(
            f"axis ends in {word.text[:40]!r}. Expected the order of turns, such as XYZ.",
            entry.path, word.line,
        )  # fmt: skip
    return word.text.lower()[::-1]


def _product(entry: Entry, channels: tuple[str, ...]) -> str:
    turns = {name[0].lower() for name in channels if name.endswith("rotation")}
    return "".join(axis for axis in _order(entry) if axis in turns)


def _axis(C: Array) -> tuple[Offset, Offset, Offset] | None:
    """None where it turns nothing."""
    if np.array_equal(C, np.eye(3)):
        return None
    x, y, z = (tuple(row) for row in C.tolist())
    return x, y, z
