"""Matrices of RedMax at one state in the middle of a run: Jacobians, mass, forces, their slopes."""

import json
from pathlib import Path

import numpy as np
import pytest
import scenes

import arthron as ar
from arthron._scene.system import State
from arthron.algorithms import bias_forces, jacobians
from arthron.spatial import Force

PROBES = json.loads((Path(__file__).parent / "reference.json").read_text())["probes"]


def having(name: str) -> list[str]:
    return [key for key, probe in PROBES.items() if name in probe]


def state(key: str) -> tuple[scenes.Case, dict, np.ndarray, np.ndarray]:
    case, probe = scenes.found(key), {k: np.array(v) for k, v in PROBES[key].items()}
    return case, probe, probe["q"], probe["qd"]


def close(found, wanted, tolerance=1e-10) -> bool:
    """Equal beside the largest entry."""
    return abs(found - wanted).max() <= tolerance * max(1.0, abs(wanted).max())


def centre_jacobians(case: scenes.Case):
    """The page of Jacobians of the frames at the centres of the links."""
    frames = [case.scene.model.frame(name) for name in case.centres()]

    def page(tree, q):
        J = jacobians(tree, q)
        return [type(J[f.body])({j: f.X @ S for j, S in J[f.body].items()}) for f in frames]

    return page


def pull(scene: ar.Scene, *, motion: bool):
    """The page of all joint forces but M qdd; without `motion`, of those that the scene adds."""

    @ar.takes(t=())
    def page(tree, q, qd, t):
        setup = scene.setup()
        system = setup.system(tree, setup.parameters.pack({}).tolist())
        now = system.loads(State(t, q, qd, {}))
        bias = tree.vector(bias_forces(tree, q, qd, now.f_ext))
        own = tree.vector(bias_forces(tree, q, qd, [Force() for _ in tree.parent]))
        tau = tree.vector(now.tau)
        rest = [0.0] * tree.nv if motion else own
        return [a - b + c for a, b, c in zip(tau, bias, rest, strict=True)]

    return page


@pytest.mark.parametrize("key", PROBES)
def test_jacobians(key):
    case, probe, q, qd = state(key)
    page, model = centre_jacobians(case), case.scene.model
    assert close(ar.evaluate(page, model, q).reshape(-1, model.nv), probe["J"])
    assert close(ar.evaluate(ar.rate(page), model, q, qd).reshape(-1, model.nv), probe["Jdot"])


@pytest.mark.parametrize("key", PROBES)
def test_mass_matrix(key):
    case, probe, q, _ = state(key)
    assert close(ar.evaluate(ar.algorithms.mass_matrix, case.scene.model, q), probe["M"])


@pytest.mark.parametrize("key", having("dMdq"))
def test_mass_matrix_by_q(key):
    case, probe, q, _ = state(key)
    slope = ar.evaluate(ar.jacobian(ar.algorithms.mass_matrix), case.scene.model, q)
    assert close(slope, probe["dMdq"])


@pytest.mark.parametrize("key", having("f"))
def test_forces(key):
    """The suite matlab leaves damping out of its forces: it enters by its slope alone."""
    case, probe, q, qd = state(key)
    found = ar.evaluate(pull(case.scene, motion=True), case.scene.model, q, qd, 0.0)
    if not key.startswith("diff") and "D" in probe:
        found = found + probe["D"] @ qd
    assert close(found, probe["f"])


@pytest.mark.parametrize("key", having("K"))
def test_slopes_of_all_forces(key):
    case, probe, q, qd = state(key)
    page, model = pull(case.scene, motion=True), case.scene.model
    for wrt, name in (("q", "K"), ("qd", "D")):
        slope = ar.evaluate(ar.jacobian(page, wrt), model, q, qd, 0.0)
        assert close(slope, probe[name], 1e-9)


@pytest.mark.parametrize("key", [key for key in having("D") if not key.startswith("diff")])
def test_damping(key):
    case, probe, q, qd = state(key)
    page = ar.jacobian(pull(case.scene, motion=False), "qd")
    assert close(-ar.evaluate(page, case.scene.model, q, qd, 0.0), probe["D"])


@pytest.mark.parametrize("key", having("A"))
def test_linear_system_of_a_step(key):
    """A qd = b at the end of a linearly implicit step, with A = M + h D - h^2 K."""
    case, probe, q, qd = state(key)
    step = ar.simulate(case.scene, case.step, case.step, integrator="implicit Euler", q=q, qd=qd)
    assert close(probe["A"] @ step.qd[-1], probe["b"])


def test_every_feature_is_probed():
    """Springs, dampers, cables, limits, loads: each kind of force is in a probe."""
    kinds = {type(f).__name__ for key in PROBES for f in scenes.found(key).scene.elements}
    assert kinds == {
        "BodyDamping", "Cable", "JointLimit", "JointSpring", "PointForce", "PointToPoint",
        "Spring",
    }  # fmt: skip
