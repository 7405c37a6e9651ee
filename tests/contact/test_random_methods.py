"""S19's methods in random configurations: they end, in numbers, and what fails says so.

Run as a program, ten thousand of them through each method: two steps from each of 5,000 states,
the second of which starts with the friction of the first.
"""

import sys
import time
import warnings

import numpy as np
import pytest

import arthron as ar
from arthron.integrators import (
    BilateralStaggeredProjections,
    FrictionlessQP,
    SingleQP,
    StaggeredProjections,
)

pytest.importorskip("daqp")

METHODS = {
    "frictionless": FrictionlessQP(),
    "frictionless dual": FrictionlessQP(True),
    "frictionless maximal": FrictionlessQP(False, "maximal"),
    "frictionless dual maximal": FrictionlessQP(True, "maximal"),
    "single": SingleQP(5),
    **{f"staggered {c}": StaggeredProjections(c) for c in ("box", 6, "exact")},
    **{f"bilateral {c}": BilateralStaggeredProjections(c) for c in ("box", 6, "exact")},
}
JOINTS = (ar.Revolute("y"), ar.Spherical(), ar.Prismatic("x"), ar.Universal("z", "y"))


def figure(rng: np.random.Generator, inside: bool) -> tuple[ar.Scene, float]:
    """Two boxes on a joint, with masses up to 1:1000, and how high the first one is to lie."""
    size, joint = tuple(rng.uniform(0.05, 0.5, 3)), JOINTS[rng.integers(len(JOINTS))]
    masses, at = 10.0 ** rng.uniform(-1.5, 1.5, 2), (0.0, 0.6, rng.uniform(-0.02, 0.3))
    model = ar.Model([
        ar.Body("a", ar.Free(), shapes=[ar.Box(size, mass=masses[0])]),
        ar.Body("b", joint, "a", at, shapes=[ar.Box(size, mass=masses[1])]),
    ])  # fmt: skip
    more = [ar.contacts.JointFriction("b", rng.uniform(0.0, 1.0))] if inside else []
    scene = ar.Scene(model, [ar.contacts.Ground(friction=0.5, name="ground"), *more])
    return scene, 0.5 * size[2]


def states(scene: ar.Scene, height: float, many: int, rng: np.random.Generator) -> dict:
    """States anywhere about the ground, and others that lie on it flat, at rest or nearly."""
    model = scene.model
    q = np.array([model.random(rng) for _ in range(many)])
    q[:, :3] = rng.uniform(-0.2, 0.2, (many, 3))
    qd = rng.normal(size=(many, model.nv)) * 10.0 ** rng.uniform(-3.0, 1.5, (many, 1))
    lies = rng.random(many) < 0.5
    q[lies], qd[lies & (rng.random(many) < 0.3)] = model.neutral(), 0.0
    q[lies, 2] = height + rng.choice([0.0, 1e-12, -1e-4, -1e-2], lies.sum())
    friction = rng.choice([0.0, 1.0], many, p=[0.1, 0.9]) * 10.0 ** rng.uniform(-3.0, 1.0, many)
    return {"q": q, "qd": qd, "parameters": {"ground.friction": friction}}


def ended(name: str, figures: int, many: int, seed: int) -> tuple[int, int]:
    """How many of so many runs of each figure, two steps long, touched, and how many failed."""
    rng, touched, failed = np.random.default_rng(seed), 0, 0
    for _ in range(figures):
        scene, height = figure(rng, name.startswith("bilateral"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ar.errors.SimulationWarning)
            run = ar.simulate(scene, 2e-3, 1e-3, integrator=METHODS[name], progress=False,
                              **states(scene, height, many, rng))  # fmt: skip
        whole = run.status == "whole"
        assert np.isfinite(run.q[whole]).all() and np.isfinite(run.qd[whole]).all()
        assert all("no good state" in str(x) for x in run.failures)
        normal = run.contacts.force[whole, ..., 2]
        assert normal.min() >= 0.0
        touched, failed = touched + (normal.max((1, 2)) > 0.0).sum(), failed + len(run.failures)
    return touched, failed


@pytest.mark.parametrize("name", METHODS)
def test_random_configurations_end(name):
    touched, failed = ended(name, 1, 50, list(METHODS).index(name))
    assert touched > 25 and failed == 0


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    for name in METHODS:
        start = time.perf_counter()
        touched, failed = ended(name, 20, many, 1)
        print(f"{name}: {40 * many} configurations, {touched} of {20 * many} touch, {failed} "
              f"failed, {time.perf_counter() - start:.0f} s", flush=True)  # fmt: skip
        assert failed <= 1e-3 * 20 * many
