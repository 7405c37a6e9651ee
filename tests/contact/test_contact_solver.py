"""Coulomb's law, the convex one, and problems of contact, against what they must satisfy.

Run as a program, ten thousand random problems.
"""

import sys

import numpy as np
import pytest
from contact_cases import KINDS, error_bound, model, problems, slips_of, solved

import arthron as ar
from arthron._contact.contact_problem import BOLD, PATIENCE
from arthron._contact.friction_cone import FrictionCone
from arthron.spatial import Vec3

EXACT = 1e-6
"""How far velocities and net wrenches may be off, beside what contact changes."""
FEW = 1e-4
"""Part of random problems whose slips are not found in time, as contact.md says."""
SEARCHED = 2 * (BOLD - 1 + PATIENCE)
"""Passes before the law is given up, at the least, and only the convex problem is left."""


@pytest.fixture(scope="module")
def solver():
    figure = model()
    return figure, ar.compile(solved, figure)


def worst(figure, compiled, kind, many, seed):
    """How far solutions are off, how far impulses leave the cone, passes, which lift."""
    q, given, A, J = problems(figure, kind, many, np.random.default_rng(seed))
    v, impulses, _, passes = compiled(q, *given.values())
    assert np.isfinite(v).all()
    taken, slips, on_cone = slips_of(given, J, v, impulses)
    off, _ = error_bound(given, A, J, v, on_cone, taken)
    outside = np.abs(on_cone - impulses).max((-1, -2)) / np.abs(impulses).max(
        (-1, -2), initial=1e-9
    )
    lifts = (np.abs(taken - slips) > 1e-6).any(-1)
    return off, outside.max(), passes, lifts


@pytest.mark.parametrize("kind", KINDS)
def test_solutions_are_exact(solver, kind):
    """Velocities and impulses, by weak duality; masses 1:1000, redundant points among them."""
    off, outside, passes, lifts = worst(*solver, kind, 20, 7)
    assert off.max() < EXACT
    assert outside < EXACT
    assert (passes.max() == 0) == (kind == "off")
    assert not lifts[passes < SEARCHED].any()  # by Coulomb's law


def test_one_row_is_as_in_a_batch(solver):
    figure, compiled = solver
    q, given, _, _ = problems(figure, "any", 5, np.random.default_rng(1))
    many = compiled(q, *given.values())
    alone = compiled(q[3], *(x[3] for x in given.values()))
    np.testing.assert_allclose(alone[0], many[0][3], rtol=0.0, atol=1e-9)


def cones(many=2000):
    rng = np.random.default_rng(3)
    n = rng.normal(size=(3, many))
    n /= np.linalg.norm(n, axis=0)
    mu, Rt, Rn = 10.0 ** rng.uniform(-2, 1, (3, many))
    wanted, slip = rng.normal(size=(2, many))
    cone = FrictionCone(Vec3(*n), mu, Rt, Rn, wanted, Vec3(*rng.normal(size=(3, many))))
    return cone, Vec3(*rng.normal(size=(3, many))), slip


def test_impulses_are_nearest_in_the_cone():
    """Moreau's decomposition in the norm of R: what is left of y is polar to the cone."""
    cone, u, slip = cones()
    gamma, _ = cone.impulse(u, slip)
    n, mu = np.array(cone.n), np.array(cone.mu)
    f, rest = np.array(gamma), np.array(cone.surface) - np.array(u)
    fn, ft = (f * n).sum(0), f - n * (f * n).sum(0)
    tangential = rest - n * (rest * n).sum(0)
    target = tangential + n * (cone.wanted - mu * slip - (np.array(u) * n).sum(0))
    left = target - (ft * cone.Rt + n * (fn * cone.Rn))  # R (y - gamma)
    normal, side = (left * n).sum(0), np.linalg.norm(left - n * (left * n).sum(0), axis=0)
    assert (np.linalg.norm(ft, axis=0) <= mu * fn + 1e-12).all()
    assert (mu * side <= -normal + 1e-9).all()  # in the polar cone
    np.testing.assert_allclose((left * f).sum(0), 0.0, atol=1e-9)
    cases = [fn == 0.0, np.linalg.norm(ft, axis=0) < 0.999 * mu * fn]
    assert min(case.sum() for case in cases) > 100
    assert (~cases[0] & ~cases[1]).sum() > 100


def test_slopes_of_impulses():
    """G = -dgamma/du by differences; symmetric, and never negative."""
    cone, u, slip = cones()
    _, G = cone.impulse(u, slip)
    G, h = np.array(G), 1e-6
    for k in range(3):
        step = Vec3(*(h * (i == k) for i in range(3)))
        ends = [np.array(cone.impulse(u + x, slip)[0]) for x in (step, -step)]
        slope = (ends[1] - ends[0]) / (2.0 * h)
        fine = np.abs(slope - G[:, k]).max(0) < 1e-4 * (1.0 + np.abs(G).max((0, 1)))
        assert fine.mean() > 0.999  # but at edges
    np.testing.assert_allclose(G, G.swapaxes(0, 1), rtol=1e-12, atol=1e-12)
    assert np.linalg.eigvalsh(np.moveaxis(G, -1, 0)).min() > -1e-9


if __name__ == "__main__":
    figure = model()
    compiled, count = ar.compile(solved, figure), int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    wrong = 0
    for kind in KINDS:
        off, outside, passes, lifts = worst(figure, compiled, kind, count, 11)
        fine = off < EXACT
        wrong += (~fine).sum()
        print(
            f"{kind}: {count} problems, off {off[fine].max():.1e} but for {(~fine).sum()}, outside "
            f"{outside:.1e}, passes {passes.mean():.1f} on average, {passes.max():.0f} at most, "
            f"{lifts.mean():.1%} lift"
        )
        assert outside < EXACT, kind
    assert wrong <= FEW * len(KINDS) * count, wrong
