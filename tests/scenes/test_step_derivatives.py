"""Derivatives of a step by numbers of its scene and by its state, against differences."""

import numpy as np
import pytest
from scene_cases import NATIVE, close, figure, start
from state_cases import Filter, Leaky

import arthron as ar
from arthron import forces
from arthron._simulate.native_steps import memory_of

MODEL = figure()


def _scene():
    elements = [
        forces.Spring(("pad", (0, 0.1, -0.1)), (None, (0.5, 0.3, 0.9)), 30.0, 2.0, 0.4),
        forces.JointSpring("trunk", 5.0, 0.5, (0.9, 0.1, -0.3, 0.2)),
        forces.PointForce("hand", (1.0, -2.0, 0.5), name="push"),
        Leaky("leg", name="leaky"),
        Filter("pad", name="filter"),
    ]
    return ar.Scene(MODEL, elements)


def _differences(function, x, h=1e-6):
    columns = [(function(x + h * e) - function(x - h * e)) / (2.0 * h) for e in np.eye(len(x))]
    return np.stack(columns, -1)


@pytest.mark.parametrize("integrator", NATIVE)
def test_a_step_is_differentiated_by_its_numbers_and_its_state(integrator):
    model = MODEL
    page = ar.step(_scene(), integrator, parameters=("gravity", "push.point"))
    step = ar.compile(page, model)
    q, qd = start(model, 8)
    x, v, h = np.array([0.2]), np.array([0.1, -0.3, 0.2]), 0.01
    rest = [x, v, np.array(0.0), np.array(h)]

    def ends(q, qd, numbers):
        return np.concatenate([np.ravel(a) for a in step(q, qd, *rest, numbers)[:4]])

    def by(name):
        found = ar.evaluate(ar.jacobian(page, name), model, q, qd, *rest, page.values)
        return np.concatenate([np.asarray(a) for a in found[:4]], 0)

    close(by("parameters"), _differences(lambda p: ends(q, qd, p), page.values), 1e-7)
    close(by("qd"), _differences(lambda u: ends(q, u, page.values), qd), 1e-7)
    along = _differences(lambda d: ends(model.integrate(q, d), qd, page.values), np.zeros(model.nv))
    found = by("q")
    assert found.shape == along.shape
    close(found, along, 1e-6)


@pytest.mark.parametrize("integrator", NATIVE)
def test_weights_go_back_through_a_step(integrator):
    page = ar.step(_scene(), integrator)
    q, qd = start(MODEL, 8, (3,))
    rest = [np.full((3, 1), 0.2), np.full((3, 3), 0.1), np.zeros(3), np.full(3, 0.01)]
    given = [q, qd, *rest, np.tile(page.values, (3, 1))]
    rng = np.random.default_rng(0)
    results = ar.compile(page, MODEL)(*given)
    weights = [rng.normal(size=x.shape) for x in results]
    packed = np.concatenate([w.reshape(3, -1) for w in weights], -1)
    names = "parameters", "qd", "q"
    every = ar.compile(ar.vjp(page, *names), MODEL)(*given, packed)
    for name, back in zip(names, every, strict=True):
        jacobian = ar.jacobian(page, name)
        one = name == "qd"
        slopes = (
            ar.compile(jacobian, MODEL)(*given) if one else ar.evaluate(jacobian, MODEL, *given)
        )
        total = sum(np.einsum("ri,ri...->r...", w.reshape(3, -1), J.reshape(3, w[0].size, -1))
                    for w, J in zip(weights, slopes, strict=True))  # fmt: skip
        close(back, total, 1e-10)


@pytest.mark.parametrize("integrator", ["leapfrog", "BDF1", "BDF2", "variational"])
def test_steps_of_all_others_are_differentiated(integrator):
    """In both modes, through Newton's method; the stages of BDF2 are a loop, forwards only."""
    model = MODEL
    scene = ar.Scene(model, [ar.forces.JointSpring("leg", 20.0, 0.5)])
    page = ar.step(scene, integrator)
    q, qd = start(model, 8)
    memory = memory_of(scene.setup(), ar.integrators.NAMED[integrator])
    more = [np.atleast_1d(np.asarray(v.start, float)) for v in memory.values()]
    rest = [*more, np.array(0.0), np.array(0.01)]
    step = ar.compile(page, model)

    def ends(q, qd):
        return np.concatenate([np.ravel(a) for a in step(q, qd, *rest, page.values)[:2]])

    given = q, qd, *rest, page.values
    jacobian, both = ar.jacobian(page, "qd"), integrator != "BDF2"
    found = ar.evaluate(jacobian, model, *given) if both else ar.compile(jacobian, model)(*given)
    slope = np.concatenate([np.asarray(a) for a in found[:2]])
    close(slope, _differences(lambda u: ends(q, u), qd), 1e-6)
    if both:
        sizes = [np.size(x) for x in step(*given)]
        weights = np.zeros(sum(sizes))
        weights[: len(slope)] = np.random.default_rng(0).normal(size=len(slope))
        (back,) = ar.compile(ar.vjp(page, "qd"), model)(*given, weights)
        close(back, weights[: len(slope)] @ slope, 1e-8)
