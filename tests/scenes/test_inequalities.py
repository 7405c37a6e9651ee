"""Inequalities: what is optimal is, whatever the set of active ones, and ropes and stops hold."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scene_cases import NATIVE, simulate

import arthron as ar
from arthron._scene.accelerations import solve_matrix
from arthron._scene.active_set import Inequalities
from arthron._scene.rows import Row


def rows_of(G, b, equations, low, high, fixed):
    """Rows of a problem with general inequalities, bounds and coordinates that are fixed."""
    rows = [Row(dict(enumerate(g.tolist())), x, gap=None if k < equations else 0.0)
            for k, (g, x) in enumerate(zip(G, b.tolist(), strict=True))]  # fmt: skip
    for j, (lo, hi) in enumerate(zip(low, high, strict=True)):
        if j in fixed:
            rows.append(Row({j: 1.0}, 0.0, fixes=True))
        if np.isfinite(lo):
            rows += [Row({j: 1.0}, float(lo), gap=0.0), Row({j: -1.0}, float(-hi), gap=0.0)]
    return rows


def best(A, x0, C, d, equations):
    """The QP by trying every active set: min (x - x0)^T A (x - x0) / 2, C x >= d, first equal."""
    found = []
    n, rest = len(x0), range(equations, len(C))
    for m in range(min(n, len(C)) + 1 - equations):
        for active in itertools.combinations(rest, m):
            on = [*range(equations), *active]
            K = np.block([[A, -C[on].T], [C[on], np.zeros((len(on),) * 2)]])
            if np.linalg.matrix_rank(K) < len(K):
                continue
            x, y = np.split(np.linalg.solve(K, np.concatenate([A @ x0, d[on]])), [n])
            if (C @ x >= d - 1e-9).all() and (y[equations:] >= -1e-9).all():
                found.append((0.5 * (x - x0) @ A @ (x - x0), x))
    return min(found, key=lambda pair: pair[0])[1]


@pytest.mark.parametrize("seed", range(6))
def test_the_solution_is_that_of_the_quadratic_program(seed):
    rng = np.random.default_rng(seed)
    n, m, equations = 5, 3, seed % 2
    B = rng.normal(size=(n, n))
    A, x0, G = B @ B.T + 0.1 * np.eye(n), rng.normal(size=n), rng.normal(size=(m, n))
    low, high = -rng.uniform(0, 0.6, n), rng.uniform(0, 0.6, n)
    fixed = {3} if seed % 3 == 0 else set()
    low[[*fixed, 2]], high[[*fixed, 2]] = -np.inf, np.inf
    b = G @ (rng.uniform(-0.1, 0.1, n) * ~np.isin(np.arange(n), [*fixed]))  # something obeys all
    b[equations:] -= rng.uniform(0, 0.3, m - equations)
    x0[[*fixed]] = 0.0
    if equations:  # the start obeys those
        free = np.setdiff1d(np.arange(n), [*fixed])
        W = np.linalg.inv(A[np.ix_(free, free)])
        g = G[:1, free]
        x0[free] += (W @ g.T @ np.linalg.solve(g @ W @ g.T, b[:1] - g @ x0[free])).ravel()
    rows = rows_of(G, b, equations, low, high, fixed)
    limits, b = Inequalities(rows), A @ x0
    found = limits.settled(lambda chosen: solve_matrix(A.tolist(), b.tolist(), rows, chosen), n)
    x, r, y = (np.array(each) for each in (found.x, limits.forces(found), limits.by_row(found)))
    kept = [row for row in rows if not row.fixes]
    C = np.array([[row.G.get(j, 0.0) for j in range(n)] for row in kept])
    d = np.array([row.b for row in kept])
    pinned = np.eye(n)[[*fixed]]
    expected = best(A, x0, np.vstack([pinned, C]), np.concatenate([x0[[*fixed]], d]),
                    len(pinned) + equations)  # fmt: skip
    np.testing.assert_allclose(x, expected, atol=1e-9)
    np.testing.assert_allclose(A @ (x - x0), r, atol=1e-9)
    above = slice(equations, None)
    assert (C @ x >= d - 1e-9)[above].all() and (y[above] >= 0.0).all()
    assert np.abs(y[above] * (C @ x - d)[above]).max() < 1e-9  # complementarity
    assert (y[above] > 0.0).any()


@dataclass(frozen=True)
class Rope(ar.Element):
    """Two points are no farther apart than a rope is long."""

    a: tuple
    b: tuple
    length: float

    @property
    def links(self):
        return (self.a[0], self.b[0])

    def inequality(self, here):
        gap = here.frames[0].at(self.a[1]) - here.frames[1].at(self.b[1])
        return (self.length - gap.dot(gap) / self.length) * 0.5


TIED = ("crate", (0.1, 0.05, 0.1)), (None, (0.0, 0.0, 2.0))
CRATE = ar.Model([
    ar.Body("crate", ar.Free(), shapes=[ar.Box((0.2, 0.1, 0.2), mass=2.0)]),
    ar.Body("lid", ar.Revolute((1, 1, 0)), "crate", (0, 0, 0.1), damping=0.05,
            shapes=[ar.Box((0.2, 0.1, 0.02), mass=0.5, placement=(0.1, 0, 0))]),
], name="crate")  # fmt: skip
ROPE = ar.Scene(CRATE, [Rope(*TIED, 0.8)])
THROWN = {"crate": [0.3, 0.1, 2.0, 1, 0, 0, 0], "qd": {"crate": [1.0, 0, 2.0, 0.5, 0, 0]}}


def distance(q):
    point = CRATE.frame_pose(q, "crate") @ [*TIED[0][1], 1.0]
    return np.linalg.norm(point[..., :3] - TIED[1][1], axis=-1)


@pytest.mark.parametrize("integrator", [*NATIVE[:2], "leapfrog", "Runge-Kutta", "maximal"])
def test_a_rope_is_slack_then_taut_and_pulls_only_then(integrator):
    run = simulate(ROPE, 1.0, 1e-3, integrator, start=THROWN)
    far, pull = distance(run.q), np.abs(run.forces).max(-1)
    assert far.max() < 0.8 + (2e-3 if integrator == "explicit Euler" else 3e-4)
    slack = far < (0.7 if integrator == "Runge-Kutta" else 0.78)
    assert slack[:100].all() and pull[slack].max() < 1e-12 and pull[~slack].max() > 20.0
    lost = run.energy[0] - run.energy[-1]
    assert far.max() > 0.799 and (lost > 0.5 or integrator == "explicit Euler")  # plastic


def test_several_ropes_and_rows_of_a_batch_each_with_its_own():
    """Three ropes on one crate, of which none to all are taut: as one by one."""
    points = [(0.1, 0.05, 0.1), (-0.1, 0.05, 0.1), (0.0, -0.05, 0.1)]
    ropes = [Rope(("crate", p), (None, (p[0], p[1], 2.0)), 0.5, name=f"rope {k}")
             for k, p in enumerate(points)]  # fmt: skip
    scene = ar.Scene(CRATE, ropes)
    starts = np.tile(CRATE.neutral(), (9, 1))
    starts[:, 2], starts[:, 0] = 1.7, np.linspace(-0.4, 0.4, 9)
    many = simulate(scene, 0.5, 1e-3, "leapfrog", q=starts)
    assert len(np.unique(np.abs(many.forces[:, 300:]).max(-1).max(-1) > 1.0)) in (1, 2)
    for k in (0, 4, 8):
        np.testing.assert_allclose(
            many.q[k], simulate(scene, 0.5, 1e-3, "leapfrog", q=starts[k]).q, atol=1e-9
        )
    ends = np.stack([many.row(k)["crate"].position[-1] for k in range(9)])
    assert np.isfinite(many.q).all() and (ends[:, 2] > 1.2).all()  # they hang


def test_inequalities_that_an_integrator_does_not_take_are_named():
    with pytest.raises(ar.SimulationError, match="there is the Rope on 'crate', the world"):
        simulate(ROPE, 0.1, 1e-3, "BDF2")
    bad = replace(ROPE.elements[0], length=0.3)
    with pytest.warns(ar.SimulationWarning, match=r"`inequality` of the Rope .* is -0\.\d+ at the"):
        run = simulate(ar.Scene(CRATE, [bad]), 1.0, 1e-3, start={**THROWN, "qd": {}})
    speed = np.abs(np.diff(distance(run.q))).max() / 1e-3
    assert distance(run.q)[-1] < 0.301 and speed < 5.0


def test_what_an_inequality_returns_is_checked():
    @dataclass(frozen=True)
    class Nothing(Rope):
        def inequality(self, here):
            pass

    with pytest.raises(ar.ModelError, match=r"zero or above.* Did you forget"):
        simulate(ar.Scene(CRATE, [Nothing(*TIED, 0.8)]), 0.1, 1e-3)
