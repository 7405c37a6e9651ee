"""Problems of Hock and Schittkowski 1981 (Test Examples for Nonlinear Programming Codes)."""

import math

import numpy as np
from written_programs import INF, Written, eq, exp, ge, le, log, sin


def _hs():
    """Problems of Hock and Schittkowski 1981, by number: program, start, least value."""
    yield (
        6,
        Written(2, lambda x: (1 - x[0]) ** 2, [eq(lambda x: 10 * (x[1] - x[0] ** 2))]),
        (-1.2, 1),
        0.0,
    )
    yield (
        7,
        Written(
            2,
            lambda x: log(1 + x[0] ** 2) - x[1],
            [eq(lambda x: (1 + x[0] ** 2) ** 2 + x[1] ** 2, 4)],
        ),
        (2, 2),
        -math.sqrt(3),
    )
    yield (
        10,
        Written(
            2,
            lambda x: x[0] - x[1],
            [ge(lambda x: -3 * x[0] ** 2 + 2 * x[0] * x[1] - x[1] ** 2 + 1)],
        ),
        (-10, 10),
        -1.0,
    )
    yield (
        11,
        Written(2, lambda x: (x[0] - 5) ** 2 + x[1] ** 2 - 25, [ge(lambda x: -(x[0] ** 2) + x[1])]),
        (4.9, 0.1),
        -8.498464223,
    )
    yield (
        12,
        Written(
            2,
            lambda x: 0.5 * x[0] ** 2 + x[1] ** 2 - x[0] * x[1] - 7 * x[0] - 7 * x[1],
            [ge(lambda x: 25 - 4 * x[0] ** 2 - x[1] ** 2)],
        ),
        (0, 0),
        -30.0,
    )
    yield (
        13,
        Written(
            2, lambda x: (x[0] - 2) ** 2 + x[1] ** 2, [ge(lambda x: (1 - x[0]) ** 3 - x[1])], 0.0
        ),
        (-2, -2),
        1.0,
    )
    yield (
        14,
        Written(
            2,
            lambda x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2,
            [ge(lambda x: -0.25 * x[0] ** 2 - x[1] ** 2 + 1), eq(lambda x: x[0] - 2 * x[1] + 1)],
        ),
        (2, 2),
        9 - 2.875 * math.sqrt(7),
    )
    yield (
        15,
        Written(
            2,
            lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
            [ge(lambda x: x[0] * x[1] - 1), ge(lambda x: x[0] + x[1] ** 2)],
            upper=(0.5, INF),
        ),
        (-2, 1),
        306.5,
    )
    yield (
        16,
        Written(
            2,
            lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
            [ge(lambda x: x[0] + x[1] ** 2), ge(lambda x: x[0] ** 2 + x[1])],
            (-0.5, -INF),
            (0.5, 1.0),
        ),
        (-2, 1),
        0.25,
    )
    yield (
        21,
        Written(
            2,
            lambda x: 0.01 * x[0] ** 2 + x[1] ** 2 - 100,
            [ge(lambda x: 10 * x[0] - x[1] - 10)],
            (2, -50),
            (50, 50),
        ),
        (-1, -1),
        -99.96,
    )
    yield (
        26,
        Written(
            3,
            lambda x: (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 4,
            [eq(lambda x: (1 + x[1] ** 2) * x[0] + x[2] ** 4 - 3)],
        ),
        (-2.6, 2, 2),
        0.0,
    )
    yield (
        28,
        Written(
            3,
            lambda x: (x[0] + x[1]) ** 2 + (x[1] + x[2]) ** 2,
            [eq(lambda x: x[0] + 2 * x[1] + 3 * x[2] - 1)],
        ),
        (-4, 1, 1),
        0.0,
    )
    yield (
        35,
        Written(
            3,
            lambda x: (
                9
                - 8 * x[0]
                - 6 * x[1]
                - 4 * x[2]
                + 2 * x[0] ** 2
                + 2 * x[1] ** 2
                + x[2] ** 2
                + 2 * x[0] * x[1]
                + 2 * x[0] * x[2]
            ),
            [ge(lambda x: 3 - x[0] - x[1] - 2 * x[2])],
            0.0,
        ),
        (0.5,) * 3,
        1 / 9,
    )
    yield (
        39,
        Written(
            4,
            lambda x: -x[0] + 0 * x[1],
            [
                eq(lambda x: x[1] - x[0] ** 3 - x[2] ** 2),
                eq(lambda x: x[0] ** 2 - x[1] - x[3] ** 2),
            ],
        ),
        (2,) * 4,
        -1.0,
    )
    yield (
        40,
        Written(
            4,
            lambda x: -1 * x[0] * x[1] * x[2] * x[3],
            [
                eq(lambda x: x[0] ** 3 + x[1] ** 2 - 1),
                eq(lambda x: x[0] ** 2 * x[3] - x[2]),
                eq(lambda x: x[3] ** 2 - x[1]),
            ],
        ),
        (0.8,) * 4,
        -0.25,
    )
    yield (
        43,
        Written(
            4,
            lambda x: (
                x[0] ** 2
                + x[1] ** 2
                + 2 * x[2] ** 2
                + x[3] ** 2
                - 5 * x[0]
                - 5 * x[1]
                - 21 * x[2]
                + 7 * x[3]
            ),
            [
                ge(
                    lambda x: (
                        8
                        - x[0] ** 2
                        - x[1] ** 2
                        - x[2] ** 2
                        - x[3] ** 2
                        - x[0]
                        + x[1]
                        - x[2]
                        + x[3]
                    )
                ),
                ge(
                    lambda x: (
                        10 - x[0] ** 2 - 2 * x[1] ** 2 - x[2] ** 2 - 2 * x[3] ** 2 + x[0] + x[3]
                    )
                ),
                ge(lambda x: 5 - 2 * x[0] ** 2 - x[1] ** 2 - x[2] ** 2 - 2 * x[0] + x[1] + x[3]),
            ],
        ),
        (0,) * 4,
        -44.0,
    )
    yield (
        48,
        Written(
            5,
            lambda x: (x[0] - 1) ** 2 + (x[1] - x[2]) ** 2 + (x[3] - x[4]) ** 2,
            [eq(lambda x: sum(x[1:], x[0]), 5), eq(lambda x: x[2] - 2 * (x[3] + x[4]), -3)],
        ),
        (3, 5, -3, 2, -2),
        0.0,
    )
    yield (
        60,
        Written(
            3,
            lambda x: (x[0] - 1) ** 2 + (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 4,
            [eq(lambda x: x[0] * (1 + x[1] ** 2) + x[2] ** 4, 4 + 3 * math.sqrt(2))],
            -10.0,
            10.0,
        ),
        (2,) * 3,
        0.03256820025,
    )
    yield (
        71,
        Written(
            4,
            lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2],
            [
                ge(lambda x: x[0] * x[1] * x[2] * x[3], 25),
                eq(lambda x: x[0] ** 2 + x[1] ** 2 + x[2] ** 2 + x[3] ** 2, 40),
            ],
            1.0,
            5.0,
        ),
        (1, 5, 5, 1),
        17.0140172892,
    )
    yield (
        76,
        Written(
            4,
            lambda x: (
                x[0] ** 2
                + 0.5 * x[1] ** 2
                + x[2] ** 2
                + 0.5 * x[3] ** 2
                - x[0] * x[2]
                + x[2] * x[3]
                - x[0]
                - 3 * x[1]
                + x[2]
                - x[3]
            ),
            [
                le(lambda x: x[0] + 2 * x[1] + x[2] + x[3], 5),
                le(lambda x: 3 * x[0] + x[1] + 2 * x[2] - x[3], 4),
                ge(lambda x: x[1] + 4 * x[2], 1.5),
            ],
            0.0,
        ),
        (0.5,) * 4,
        -4.681818181818,
    )
    yield (
        77,
        Written(
            5,
            lambda x: (
                (x[0] - 1) ** 2
                + (x[0] - x[1]) ** 2
                + (x[2] - 1) ** 2
                + (x[3] - 1) ** 4
                + (x[4] - 1) ** 6
            ),
            [
                eq(lambda x: x[0] ** 2 * x[3] + sin(x[3] - x[4]), 2 * math.sqrt(2)),
                eq(lambda x: x[1] + x[2] ** 4 * x[3] ** 2, 8 + math.sqrt(2)),
            ],
        ),
        (2,) * 5,
        0.24150513,
    )
    yield (
        78,
        Written(
            5,
            lambda x: x[0] * x[1] * x[2] * x[3] * x[4],
            [
                eq(lambda x: sum((a**2 for a in x[1:]), x[0] ** 2), 10),
                eq(lambda x: x[1] * x[2] - 5 * x[3] * x[4]),
                eq(lambda x: x[0] ** 3 + x[1] ** 3, -1),
            ],
        ),
        (-2, 1.5, 2, -1, -1),
        -2.91970041,
    )
    yield (
        79,
        Written(
            5,
            lambda x: (
                (x[0] - 1) ** 2
                + (x[0] - x[1]) ** 2
                + (x[1] - x[2]) ** 2
                + (x[2] - x[3]) ** 4
                + (x[3] - x[4]) ** 4
            ),
            [
                eq(lambda x: x[0] + x[1] ** 2 + x[2] ** 3, 2 + 3 * math.sqrt(2)),
                eq(lambda x: x[1] - x[2] ** 2 + x[3], -2 + 2 * math.sqrt(2)),
                eq(lambda x: x[0] * x[4], 2),
            ],
        ),
        (2,) * 5,
        0.0787768209,
    )
    spheres = [
        eq(lambda x: sum((a**2 for a in x[1:]), x[0] ** 2), 10),
        eq(lambda x: x[1] * x[2] - 5 * x[3] * x[4]),
        eq(lambda x: x[0] ** 3 + x[1] ** 3, -1),
    ]
    far = (2.3, 2.3, 3.2, 3.2, 3.2)
    low, high = tuple(-a for a in far), far
    yield (
        80,
        Written(5, lambda x: exp(x[0] * x[1] * x[2] * x[3] * x[4]), spheres, low, high),
        (-2, 2, 2, -1, -1),
        0.0539498478,
    )
    yield (
        81,
        Written(
            5,
            lambda x: (
                exp(x[0] * x[1] * x[2] * x[3] * x[4]) - 0.5 * (x[0] ** 3 + x[1] ** 3 + 1) ** 2
            ),
            spheres,
            low,
            high,
        ),
        (-2, 2, 2, -1, -1),
        0.0539498478,
    )
    yield (
        100,
        Written(
            7,
            lambda x: (
                (x[0] - 10) ** 2
                + 5 * (x[1] - 12) ** 2
                + x[2] ** 4
                + 3 * (x[3] - 11) ** 2
                + 10 * x[4] ** 6
                + 7 * x[5] ** 2
                + x[6] ** 4
                - 4 * x[5] * x[6]
                - 10 * x[5]
                - 8 * x[6]
            ),
            [
                le(lambda x: 2 * x[0] ** 2 + 3 * x[1] ** 4 + x[2] + 4 * x[3] ** 2 + 5 * x[4], 127),
                le(lambda x: 7 * x[0] + 3 * x[1] + 10 * x[2] ** 2 + x[3] - x[4], 282),
                le(lambda x: 23 * x[0] + x[1] ** 2 + 6 * x[5] ** 2 - 8 * x[6], 196),
                le(
                    lambda x: (
                        4 * x[0] ** 2
                        + x[1] ** 2
                        - 3 * x[0] * x[1]
                        + 2 * x[2] ** 2
                        + 5 * x[5]
                        - 11 * x[6]
                    )
                ),
            ],
        ),
        (1, 2, 0, 4, 0, 1, 1),
        680.6300573,
    )
    yield (
        113,
        Written(
            10,
            lambda x: (
                x[0] ** 2
                + x[1] ** 2
                + x[0] * x[1]
                - 14 * x[0]
                - 16 * x[1]
                + (x[2] - 10) ** 2
                + 4 * (x[3] - 5) ** 2
                + (x[4] - 3) ** 2
                + 2 * (x[5] - 1) ** 2
                + 5 * x[6] ** 2
                + 7 * (x[7] - 11) ** 2
                + 2 * (x[8] - 10) ** 2
                + (x[9] - 7) ** 2
                + 45
            ),
            [
                le(lambda x: 4 * x[0] + 5 * x[1] - 3 * x[6] + 9 * x[7], 105),
                le(lambda x: 10 * x[0] - 8 * x[1] - 17 * x[6] + 2 * x[7]),
                le(lambda x: -8 * x[0] + 2 * x[1] + 5 * x[8] - 2 * x[9], 12),
                le(
                    lambda x: 3 * (x[0] - 2) ** 2 + 4 * (x[1] - 3) ** 2 + 2 * x[2] ** 2 - 7 * x[3],
                    120,
                ),
                le(lambda x: 5 * x[0] ** 2 + 8 * x[1] + (x[2] - 6) ** 2 - 2 * x[3], 40),
                le(
                    lambda x: 0.5 * (x[0] - 8) ** 2 + 2 * (x[1] - 4) ** 2 + 3 * x[4] ** 2 - x[5], 30
                ),
                le(
                    lambda x: (
                        x[0] ** 2 + 2 * (x[1] - 2) ** 2 - 2 * x[0] * x[1] + 14 * x[4] - 6 * x[5]
                    )
                ),
                le(lambda x: -3 * x[0] + 6 * x[1] + 12 * (x[8] - 8) ** 2 - 7 * x[9]),
            ],
        ),
        (2, 3, 5, 5, 1, 2, 7, 3, 6, 10),
        24.3062091,
    )


HOCK = {number: (program, np.array(start, float), least) for number, program, start, least in _hs()}
