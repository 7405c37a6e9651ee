"""Branching figures that together have every kind of joint, and differences in long double.

Masses are off their axes, gravity comes from an odd direction, some joints have armature, and in
one figure joints follow others.
"""

import dataclasses
import functools

import numpy as np
import pytest

import arthron as ar
from arthron._figure.random import KINDS
from arthron._pages.inputs import page_inputs
from arthron.algorithms import integrate
from arthron.spatial import Vec3, rotation

AXES = np.random.default_rng(3).normal(size=(len(KINDS), 3))
KIND = {kind: make(axis) for (kind, make), axis in zip(KINDS.items(), AXES, strict=True)}


def knee(q):
    """A hinge that rolls and slides as it bends."""
    R = rotation(Vec3(0.0, 1.0, 0.0), q[0] + 0.1 * q[0] * q[0])
    return R, Vec3(0.06 * q[0] - 0.2 * ar.sin(1.5 * q[0]), 0.1 * q[0], -0.2 * ar.cos(q[0]))


def saddle(q):
    """Two coordinates that turn and shift together."""
    a, b = q
    R = rotation(Vec3(1.0, 0.0, 0.0), a) @ rotation(Vec3(0.0, 0.6, 0.8), b + 0.3 * a * b)
    return R, Vec3(0.1 * ar.cos(a + b), 0.2 * a * b, 0.3 * ar.sin(a) + 0.1 * b)


def curve():
    """A bent track that also turns what runs on it."""
    rng = np.random.default_rng(5)
    places = np.cumsum(rng.uniform(0.2, 1.0, size=(6, 3)), axis=0)
    return ar.SplineCurve([ar.pose(p, 0.5 * rng.normal(size=3)) for p in places])


def sheet():
    """A bumpy surface."""
    return ar.SplineSurface(0.4 * np.random.default_rng(6).normal(size=(4, 4, 6)))


def of_kinds(*names):
    return [KIND[name] for name in names]


def figure(joints, branching, seed, mimic=None):
    """A random tree with the given joints, as described above; `mimic` by number of the joint."""
    rng = np.random.default_rng(seed)
    bare = ar.random_tree(len(joints), branching, taper=0.97, rng=seed)
    mimic = mimic or {}
    bodies = [
        dataclasses.replace(
            body, joint=joint, mimic=mimic.get(k),
            armature=0.1 * np.arange(1, joint.nv + 1) if k % 3 else 0.0,
        )
        for k, (body, joint) in enumerate(zip(bare.bodies, joints, strict=True), 1)
    ]  # fmt: skip
    gravity = 5.0 * rng.normal(size=3)
    return ar.Model(bodies, gravity=gravity, name=f"figure {seed}", mimic=bool(mimic))


STRAIGHT = {
    "hinges": figure(of_kinds("prismatic", "revolute", "helical", "revolute"), 2.0, 11),
    "slides": figure(of_kinds("universal", "planar translation", "translational"), 1.6, 12),
    "euler": figure([*of_kinds("euler", "revolute", "planar"), ar.Euler("xzx")], 1.7, 13),
    "vectors": figure(of_kinds("revolute", "exponential", "exponential", "prismatic"), 1.7, 14),
    "splines": figure([curve(), ar.Revolute("y"), sheet()], 2.0, 15),
    "customs": figure(
        [ar.Custom(knee), ar.Custom(saddle, 2, start=(0.2, -0.1)), KIND["revolute"],
         ar.Composite([ar.Universal("y", "z"), ar.Helical("x", 0.2)])],
        1.7, 16,
    ),
}  # fmt: skip
"""Figures whose velocity is the rate of change of their coordinates."""

TURNING = {
    "balls": figure(of_kinds("spherical", "revolute", "charts", "composite"), 1.6, 21),
    "bird": figure(of_kinds("free", "revolute", "spherical", "planar"), 2.0, 22),
    "kite": figure([KIND["free exponential"], KIND["revolute"],
                    ar.Composite([ar.Custom(knee), ar.Spherical()])], 2.0, 23),
}  # fmt: skip
"""Figures with joints whose velocity is not: quaternions, alone and behind other motions."""

TIED = {
    "tied": figure(
        [ar.Custom(knee), *of_kinds("revolute", "universal"), ar.Custom(knee),
         *of_kinds("prismatic", "helical")],
        2.0, 31,
        {2: ar.Mimic("joint1", -1.5, 0.3), 4: ar.Mimic("joint1", 0.7), 6: ar.Mimic("joint5", 2.0)},
    ),
    "hand": figure(
        of_kinds("free", "revolute", "spherical", "revolute"), 2.0, 32,
        {4: ar.Mimic("joint2", 0.8, -0.2)},
    ),
}  # fmt: skip
"""Figures in which joints follow others, on their own branch and across."""


def bent(y):
    """Joints of several kinds that follow two coordinates."""
    a, b = y
    return {
        "joint2": 0.4 * ar.sin(a) + b * b,
        "joint5": (a * b, 0.3 * ar.cos(b) - a),
        "joint3": (0.5 * a, ar.exp(0.3 * b), a * a * b),
    }


BENT = {
    "bent": figure(
        of_kinds("spherical", "helical", "revolute", "universal", "euler", "prismatic"), 2.0, 41,
        {6: ar.Mimic("joint2", -0.7, 0.1)},
    ).reduced(bent, 2, neutral=(0.3, -0.4)),
}  # fmt: skip
"""A figure in which joints follow coordinates that belong to none, by curved functions."""

FIGURES = {**STRAIGHT, **TURNING, **TIED, **BENT}
UNTIED = {**STRAIGHT, **TURNING}


def each(figures):
    """Try a law on each of some figures; it takes the figure's name."""
    return pytest.mark.parametrize("name", figures)


@functools.cache
def case(name):
    """Arrays by name of input, three random states of a figure, the same for all laws."""
    model, rng = FIGURES[name], np.random.default_rng(len(name))
    vectors = ("qd", "qdd", "tau", "weights", "dq", "dqd", "dqdd", "qd_ref", "qdd_ref", "x")
    return {
        "q": model.random(rng, size=3),
        **{each: rng.normal(size=(3, model.nv)) for each in vectors},
        "f_ext": rng.normal(size=(3, model.nb, 6)),
    }


def inputs_of(page, name):
    """The arrays of `case` that a page takes."""
    given = case(name)
    return {n: given[n] for n in page_inputs(page, FIGURES[name].tree)}


@functools.cache
def value(page, name):
    """What a page gives for a figure's states."""
    return ar.evaluate(page, FIGURES[name], **inputs_of(page, name))


@functools.cache
def slope(page, wrt, name):
    """The derivative of a page for a figure's states, from the graph."""
    return value(ar.jacobian(page, wrt), name)


def wide(*arrays):
    """In long double, where differences keep eleven digits and more."""
    return tuple(np.asarray(x, np.longdouble) for x in arrays)


def difference(function, model, q, *rest, wrt=0, h=5e-7):
    """Derivative of function(q, *rest) by one of its arrays, as a last axis, by differences.

    By q means by displacements of `integrate`. The function takes batches in long double.
    """
    given = list(wide(q, *rest))
    step = h * np.eye(model.nv if wrt == 0 else given[wrt].shape[-1], dtype=np.longdouble)
    ways = np.stack([step, -step])[:, :, None]  # both ends of each direction, all at once
    given[wrt] = given[wrt] + ways if wrt else ar.evaluate(integrate, model, given[0], ways)
    after, before = function(*given)
    return np.moveaxis((after - before) / (2 * h), 0, -1).astype(float)


def in_time(function, model, q, qd, qdd=None, h=5e-7):
    """Derivative of function(q, qd) by time, as q moves with qd and qd with qdd."""
    q, qd = wide(q, qd)
    (qdd,) = wide(np.zeros_like(qd) if qdd is None else qdd)
    later, sooner = (
        function(ar.evaluate(integrate, model, q, k * qd + k * k * qdd / 2), qd + k * qdd)
        for k in (h, -h)
    )
    return ((later - sooner) / (2 * h)).astype(float)


def times(A, x):
    """A x for batches of both."""
    return np.einsum("...ij,...j->...i", A, x)


def transposed(A):
    return np.swapaxes(A, -1, -2)


def identity_like(A):
    return np.broadcast_to(np.eye(A.shape[-1]), A.shape)
