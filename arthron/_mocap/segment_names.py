"""Which segment of a body a joint moves, by the names that programs give to joints."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import ModelError, nearest
from .segment_tables import TABLES

PREFIX = re.compile(
    r"^(.*:|mixamorig\d*_?|(valvebiped\.)?bip\d+[ _]?|character\d*_|cc_base_|j_bip_(c_)?|def[-_])",
    re.IGNORECASE,
)
"""What programs write before the names of all joints."""
WORDS = {
    "head": "head headtop headnub headend neck upperneck lowerneck eye jaw skull hair chin face "
    "ear brow eyelid tongue teeth necklower neckupper",
    "trunk_upper": "chest upperchest thorax upperback ribs ribcage sternum torso collar clavicle "
    "shoulderblade scapula chestupper spineshoulder breast",
    "trunk_middle": "lowerback abdomen waist midback lumbar abdomenupper abdomenlower "
    "chestlower spinemid",
    "trunk_lower": "hips pelvis root reference buttock hipjoint cog bip spinebase",
    "upper_arm": "arm upperarm uparm humerus shldr shldrbend armroll uparmroll",
    "forearm": "forearm elbow radius ulna lowerarm lowarm lowarmroll forearmroll forearmbend",
    "hand": "hand wrist finger fingers fingerbase thumb index mid middle ring pinky pinkie little "
    "palm carpal metacarpal handtip",
    "thigh": "upleg upperleg thigh femur uplegroll thighbend",
    "shank": "leg lowerleg lowleg shin calf knee tibia shank legroll",
    "foot": "foot ankle toe toes toebase ball heel footmiddle metatarsals",
}
SEGMENT_OF = {word: segment for segment, words in WORDS.items() for word in words.split()}
ENDINGS = ("end", "nub", "effector", "twist", "roll", "proximal", "intermediate", "distal", "site")
LIGHT = frozenset(
    "neck upperneck lowerneck neckupper necklower eye jaw chin hair ear brow hipjoint buttock "
    "collar clavicle shoulderblade scapula breast shoulder thumb".split()
)
"""Joints whose bones count a quarter of their length where they share a segment's mass."""
VERTEBRAE = {"l": "trunk_middle", "t": "trunk_upper", "c": "head"}


class JointName(NamedTuple):
    """What a name says: the side, or none, and a word that is known, or not."""

    side: str
    word: str


class BodyPart(NamedTuple):
    """What a joint moves.

    Attributes:
        segment: of `body_segments`.
        side: "left", "right" or "".
        light: whether it counts less among the bones of the segment.
    """

    segment: str
    side: str
    light: bool


def split_name(name: str) -> JointName:
    """Side and word of a name: "mixamorig:LeftUpLeg" and "lThigh" are (left, a thigh's word)."""
    short = re.sub(r"[ _.-][a-dA-D]$", "", PREFIX.sub("", name)) or name  # hinges of one joint
    flat = re.sub(r"[^a-z]", "", short.lower())
    vertebra = re.fullmatch(r"([LTC])\d+", short)
    if vertebra:
        return JointName("", VERTEBRAE[vertebra[1].lower()])
    for left, right in (("", ""), ("left", "right"), ("l", "r")):
        for side, mark in (("left", left), ("right", right)):
            for rest in _without(flat, mark):
                word = _known(rest)
                if word:
                    return JointName(side if mark else "", word)
    return JointName("", "")


def _without(flat: str, mark: str) -> list[str]:
    """A name without the mark of a side in front or behind, where there is one."""
    if not mark:
        return [flat]
    found = [flat[len(mark) :]] if flat.startswith(mark) else []
    return found + ([flat[: -len(mark)]] if flat.endswith(mark) else [])


def _known(rest: str) -> str:
    """The word in the dictionary that this is, with an ending or without."""
    words = [rest, *(rest.removesuffix(end) for end in ENDINGS)]
    for word in words:
        if word in SEGMENT_OF or word in ("spine", "hip", "shoulder"):
            return word
    for word in words:  # LeftHandIndex, LeftInHandThumb, LeftFootMiddle
        for limb in ("inhand", "hand", "foot"):
            if word.startswith(limb) and word.removeprefix(limb) in SEGMENT_OF:
                return "toe" if limb == "foot" else word.removeprefix(limb)
    return ""


def body_parts(names: Sequence[str], given: Mapping[str, str] | None = None) -> list[BodyPart]:
    """What each joint moves.

    Three words mean two things: a left shoulder is a collar bone where there is a left arm too,
    and the upper arm otherwise; a left hip likewise; and the first "spine" is the loin, others are
    the chest.

    Args:
        names: of the joints, parents first.
        given: segments by joint, for names that are not known, or to say otherwise.
    """
    if not (given is None or isinstance(given, Mapping)):
        raise ModelError(
            f"`segments` is {reprlib.repr(given)}. Give segments by joint: "
            f'`segments={{{names[0]!r}: "trunk_lower"}}`.'
        )
    given = {} if given is None else given
    for joint, segment in given.items():
        if joint not in names:
            raise ModelError(f"`segments` has a joint {joint!r}.{nearest(str(joint), names)}")
        if not isinstance(segment, str) or segment not in TABLES["male"]:
            raise ModelError(
                f"`segments` has {segment!r} for joint {joint!r}. Segments are "
                f"{', '.join(TABLES['male'])}."
            )
    split = [split_name(name) for name in names]
    there = {(side, SEGMENT_OF.get(word)) for side, word in split}
    found, unknown, spines = [], [], 0
    for name, (side, word) in zip(names, split, strict=True):
        segment = SEGMENT_OF.get(word, word if word in TABLES["male"] else None)
        if word == "shoulder":
            segment = "trunk_upper" if (side, "upper_arm") in there else "upper_arm"
        elif word == "hip":
            other = (side, "thigh") in there or not side
            segment = "trunk_lower" if other else "thigh"
        elif word == "spine":
            segment, spines = ("trunk_upper" if spines else "trunk_middle"), spines + 1
        segment = given.get(name, segment)
        if segment is None:
            unknown.append(name)
            continue
        light = word in LIGHT and segment != "upper_arm" and name not in given
        found.append(BodyPart(segment, side, light))
    if unknown:
        raise ModelError(
            f"it is not known which part of a body {', '.join(map(repr, unknown[:6]))}"
            f"{f' and {len(unknown) - 6} more joints' if len(unknown) > 6 else ''} move"
            f"{'s' if len(unknown) == 1 else ''}. Say it: "
            f"`segments={{{unknown[0]!r}: {_likely(unknown[0])}}}`; segments are "
            f"{', '.join(TABLES['male'])}."
        )
    return found


def _likely(name: str) -> str:
    """A segment that a word in a name is of, as an example; three dots where none is."""
    words = re.findall(r"[A-Z]?[a-z]+", name)
    known = (SEGMENT_OF.get(word.lower()) for word in words)
    return next((f'"{segment}"' for segment in known if segment), "...")
