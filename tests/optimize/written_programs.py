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
