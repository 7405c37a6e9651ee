"""The default solver in random configurations: it ends, in numbers, and what fails says so.

Run as a program, a million of them: two steps from each of 500,000 states of twenty figures, the
second of which starts from what the first one left.
"""

import sys
import time
import warnings

import numpy as np
import pytest
from test_random_methods import figure, states

import arthron as ar

INTEGRATORS = ("leapfrog", "semi-implicit Euler", "implicit Euler")


def jointed(rng: np.random.Generator, bounce: float) -> tuple[ar.Scene, float]:
    """Two boxes on a joint, with masses up to 1:1000, that touch the ground."""
    scene, height = figure(rng, False)
    ground = ar.contacts.Ground(friction=0.5, restitution=bounce, name="ground")
    return ar.Scene(scene.model, [ground]), height


def loose(rng: np.random.Generator, bounce: float) -> tuple[ar.Scene, float]:
    """Three bodies of different shapes and masses that touch each other and the ground."""
    a, b, c = rng.uniform(0.1, 0.3, 3)
    shapes = [
        ar.Box((a, b, c), mass=1.0),
        ar.Capsule(0.5 * a, b, mass=10.0 ** rng.uniform(-1.5, 1.5)),
        ar.Cylinder(0.5 * b, c, mass=10.0 ** rng.uniform(-1.5, 1.5)),
    ]
    bodies = [ar.Body(f"b{k}", ar.Free(), shapes=[shape]) for k, shape in enumerate(shapes)]
    surface = {"friction": 0.5, "restitution": bounce}
    touch = [ar.contacts.Ground(**surface, name="ground"), ar.contacts.Links(**surface)]
    return ar.Scene(ar.Model(bodies), touch), 0.5 * c


def scattered(scene: ar.Scene, height: float, many: int, rng: np.random.Generator) -> dict:
    """As for two boxes; loose bodies are about each other."""
    start = states(scene, height, many, rng)
    if scene.model.nb == 3:
        for k in range(3):
            start["q"][:, 7 * k : 7 * k + 3] = rng.uniform(-0.2, 0.2, (many, 3))
    return start


def ended(make, figures: int, many: int, seed: int) -> tuple[int, int, float]:
    """How many of so many runs of each figure touched, how many failed, and the most passes."""
    rng, touched, failed, passes = np.random.default_rng(seed), 0, 0, 0.0
    for k in range(figures):
        scene, height = make(rng, float(rng.choice([0.0, 0.5, 1.0])))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ar.errors.SimulationWarning)
            run = ar.simulate(scene, 2e-3, 1e-3, integrator=INTEGRATORS[k % 3], progress=False,
                              **scattered(scene, height, many, rng))  # fmt: skip
        whole = run.status == "whole"
        assert np.isfinite(run.q[whole]).all() and np.isfinite(run.qd[whole]).all()
        assert (~whole).sum() == len(run.failures)
        force = run.contacts.force[whole]
        assert np.isfinite(force).all()
        touched += (np.abs(force).max((1, 2, 3)) > 0.0).sum()
        failed, passes = failed + len(run.failures), max(passes, run.contacts.iterations.max())
    return touched, failed, passes


@pytest.mark.parametrize("make", [jointed, loose])
def test_random_configurations_end(make):
    touched, failed, _ = ended(make, 1, 2500, 7)
    assert touched > 1000 and failed == 0


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 25_000
    for make in (jointed, loose):
        start = time.perf_counter()
        touched, failed, passes = ended(make, 10, many, 1)
        print(f"{make.__name__}: {20 * many} configurations, {touched} of {10 * many} touch, "
              f"{failed} failed, {passes:.0f} passes at most, {time.perf_counter() - start:.0f} s",
              flush=True)  # fmt: skip
        assert failed <= 1e-4 * 10 * many
