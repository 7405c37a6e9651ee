"""Programs written as plain functions of unknowns, with derivatives of a tiny algebra of jets."""

import math

import numpy as np

INF = np.inf


class Jet:
    """A number with its gradient and Hessian."""

    def __init__(self, v, g, H):
        self.v, self.g, self.H = float(v), g, H

    def chain(self, v, d, dd):
        return Jet(v, d * self.g, d * self.H + dd * np.outer(self.g, self.g))

    def __add__(self, o):
        if not isinstance(o, Jet):
            return Jet(self.v + o, self.g, self.H)
        return Jet(self.v + o.v, self.g + o.g, self.H + o.H)

    def __mul__(self, o):
        if not isinstance(o, Jet):
            return Jet(self.v * o, self.g * o, self.H * o)
        cross = np.outer(self.g, o.g)
        return Jet(self.v * o.v, self.v * o.g + o.v * self.g,
                   self.v * o.H + o.v * self.H + cross + cross.T)  # fmt: skip

    def __pow__(self, k):
        v = self.v
        return self.chain(v**k, k * v ** (k - 1) if k else 0.0, k * (k - 1) * v ** (k - 2))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, o):
        return self + (-o)

    def __rsub__(self, o):
        return -self + o

    def __truediv__(self, o):
        return self * o**-1 if isinstance(o, Jet) else self * (1.0 / o)

    def __rtruediv__(self, o):
        return self**-1 * o

    __radd__, __rmul__ = __add__, __mul__


def _known(f, d, dd):
    return lambda x: x.chain(f(x.v), d(x.v), dd(x.v)) if isinstance(x, Jet) else f(x)


exp = _known(math.exp, math.exp, math.exp)
log = _known(lambda v: math.log(v) if v > 0 else math.nan, lambda v: 1 / v, lambda v: -1 / v**2)
sin = _known(math.sin, math.cos, lambda v: -math.sin(v))
cos = _known(math.cos, lambda v: -math.sin(v), lambda v: -math.cos(v))
sqrt = _known(lambda v: math.sqrt(v) if v >= 0 else math.nan, lambda v: 0.5 / math.sqrt(v),
              lambda v: -0.25 * v**-1.5)  # fmt: skip


class Written:
    """min f(x), rows = [(least, c, most), ...]."""

    def __init__(self, n, f, rows=(), lower=-INF, upper=INF, names=None):
        self.n, self.f, self.c = n, f, [c for _, c, _ in rows]
        self.lower, self.upper = (np.broadcast_to(np.array(x, float), n) for x in (lower, upper))
        self.least = np.array([low for low, _, _ in rows], float)
        self.most = np.array([high for _, _, high in rows], float)
        if names:
            self.names = lambda k: names[k]
        self.tri = np.tril_indices(n)

    def jets(self, x):
        n = self.n
        return [Jet(x[i], np.eye(n)[i], np.zeros((n, n))) for i in range(n)]

    def jet(self, f, x):
        found = f(self.jets(x))
        zero = Jet(0.0, np.zeros(self.n), np.zeros((self.n, self.n)))
        return found if isinstance(found, Jet) else zero + found

    def objective(self, x):
        return float(self.f(list(x)))

    def gradient(self, x):
        return self.jet(self.f, x).g

    def constraints(self, x):
        return np.array([c(list(x)) for c in self.c], float)

    def jacobianstructure(self):
        m = len(self.c)
        return np.repeat(np.arange(m), self.n), np.tile(np.arange(self.n), m)

    def jacobian(self, x):
        return np.concatenate([self.jet(c, x).g for c in self.c] or [np.zeros(0)])

    def hessianstructure(self):
        return self.tri

    def hessian(self, x, multipliers, factor):
        H = factor * self.jet(self.f, x).H
        for y, c in zip(multipliers, self.c, strict=True):
            H = H + y * self.jet(c, x).H
        return H[self.tri]


def eq(c, value=0.0):
    return (value, c, value)


def ge(c, value=0.0):
    return (value, c, INF)


def le(c, value=0.0):
    return (-INF, c, value)


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
