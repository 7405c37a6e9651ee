"""Mass properties of the segments of human bodies (D96)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..errors import ModelError


@dataclass(frozen=True)
class BodySegment:
    """A segment of a person, left and right alike, as fractions of the body's mass and its length.

    Attributes:
        length: of the segment of a person of mean stature [m].
        mass: of the mass of the body.
        com: where its centre of mass is on the way from its upper end, its proximal one in limbs.
        sagittal: radius of gyration about the axis from back to front.
        transverse: about the axis from side to side.
        longitudinal: about the long axis.
    """

    length: float
    mass: float
    com: float
    sagittal: float
    transverse: float
    longitudinal: float


STATURE = {"female": 1.735, "male": 1.741}
BODY_MASS = {"female": 61.9, "male": 73.0}
"""Means of the people who were measured [m], [kg]."""

TABLES = {
    "female": {
        "head": BodySegment(0.2002, 0.0668, 0.5894, 0.330, 0.359, 0.318),
        "trunk_upper": BodySegment(0.1425, 0.1545, 0.2077, 0.746, 0.502, 0.718),
        "trunk_middle": BodySegment(0.2053, 0.1465, 0.4512, 0.433, 0.354, 0.415),
        "trunk_lower": BodySegment(0.1815, 0.1247, 0.4920, 0.433, 0.402, 0.444),
        "upper_arm": BodySegment(0.2751, 0.0255, 0.5754, 0.278, 0.260, 0.148),
        "forearm": BodySegment(0.2643, 0.0138, 0.4559, 0.261, 0.257, 0.094),
        "hand": BodySegment(0.0780, 0.0056, 0.7474, 0.531, 0.454, 0.335),
        "thigh": BodySegment(0.3685, 0.1478, 0.3612, 0.369, 0.364, 0.162),
        "shank": BodySegment(0.4323, 0.0481, 0.4416, 0.271, 0.267, 0.093),
        "foot": BodySegment(0.2283, 0.0129, 0.4014, 0.299, 0.279, 0.139),
    },
    "male": {
        "head": BodySegment(0.2033, 0.0694, 0.5976, 0.362, 0.376, 0.312),
        "trunk_upper": BodySegment(0.1707, 0.1596, 0.2999, 0.716, 0.454, 0.659),
        "trunk_middle": BodySegment(0.2155, 0.1633, 0.4502, 0.482, 0.383, 0.468),
        "trunk_lower": BodySegment(0.1457, 0.1117, 0.6115, 0.615, 0.551, 0.587),
        "upper_arm": BodySegment(0.2817, 0.0271, 0.5772, 0.285, 0.269, 0.158),
        "forearm": BodySegment(0.2689, 0.0162, 0.4574, 0.276, 0.265, 0.121),
        "hand": BodySegment(0.0862, 0.0061, 0.7900, 0.628, 0.513, 0.401),
        "thigh": BodySegment(0.4222, 0.1416, 0.4095, 0.329, 0.329, 0.149),
        "shank": BodySegment(0.4340, 0.0433, 0.4459, 0.255, 0.249, 0.103),
        "foot": BodySegment(0.2581, 0.0137, 0.4415, 0.257, 0.245, 0.124),
    },
}
"""Table 4 of D96: masses, lengths, centres of mass and radii of gyration of its rows."""

MIDLINE = ("head", "trunk_upper", "trunk_middle", "trunk_lower")
"""Segments that there is one of."""

TRUNK = "trunk_upper trunk_middle trunk_lower"
HEIRS = {
    "hand": f"forearm upper_arm {TRUNK}",
    "forearm": f"upper_arm {TRUNK} hand",
    "upper_arm": f"{TRUNK} forearm hand",
    "foot": "shank thigh trunk_lower trunk_middle trunk_upper",
    "shank": "thigh trunk_lower trunk_middle trunk_upper foot",
    "thigh": "trunk_lower trunk_middle trunk_upper shank foot",
    "head": TRUNK,
    "trunk_upper": "trunk_middle trunk_lower head",
    "trunk_middle": "trunk_lower trunk_upper head",
    "trunk_lower": "trunk_middle trunk_upper head",
}
"""Where the mass of a segment goes that a skeleton does not have: to the first that it has."""


def body_segments(sex: str | None = None) -> dict[str, BodySegment]:
    """Segments of women or men by name, or means of both (D96 Tab. 4).

    Args:
        sex: "female" or "male"; None for the mean.
    """
    if sex is not None and (not isinstance(sex, str) or sex not in TABLES):
        raise ModelError(
            f'`sex` is {sex!r}. Tables are of "female" and "male"; None is their mean.'
        )
    if sex is not None:
        return dict(TABLES[sex])
    return {
        name: BodySegment(
            *(
                0.5 * sum(getattr(table[name], field.name) for table in TABLES.values())
                for field in fields(BodySegment)
            )
        )
        for name in TABLES["male"]
    }


def mean_person(sex: str | None = None) -> tuple[float, float]:
    """Stature [m] and mass [kg] of the people whom the tables are about."""
    sexes = _sexes(sex)
    stature, mass = (sum(t[s] for s in sexes) / len(sexes) for t in (STATURE, BODY_MASS))
    return stature, mass


def _sexes(sex: str | None) -> list[str]:
    """Whose tables are asked for."""
    if sex is not None and (not isinstance(sex, str) or sex not in TABLES):
        raise ModelError(f'`sex` is {sex!r}. Give "female", "male" or None, the mean of both.')
    return list(TABLES) if sex is None else [sex]
