"""Smooth ground: derivatives of its steps against differences, and a batch against its rows."""

import numpy as np
import pytest

import arthron as ar

NUMBERS = ("SmoothGround.friction", "SmoothGround.stiffness", "SmoothGround.dissipation")
HOW = ("leapfrog", "semi-implicit Euler")


@pytest.fixture(scope="module")
def scene():
    """A box with an arm, on ground that it sinks into by millimetres."""
    arm = ar.Capsule(0.05, 0.3, mass=0.5, placement=(0.0, 0.0, -0.15))
    model = ar.Model([
        ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)]),
        ar.Body("arm", ar.Universal("x", "y"), "box", (0.25, 0.0, 0.0), shapes=[arm]),
    ])  # fmt: skip
    ground = ar.contacts.SmoothGround(friction=0.5, stiffness=2e4, dissipation=0.7, slow=0.05)
    return ar.Scene(model, [ground])


def starts(model, many):
    """Tilted, some corners in the ground, sliding and sinking in."""
    rng = np.random.default_rng(0)
    q, qd = np.tile(model.neutral(), (many, 1)), 0.3 * rng.normal(size=(many, model.nv))
    for row in q:
        row[:] = model.integrate(row, [*rng.uniform(-0.1, 0.1, 3), 0, 0, 0, 1.2, 0.3])
    q[:, 2] = 0.1 + rng.uniform(-0.01, 0.01, many)
    return q, qd


def differences(function, sizes, h=1e-6):
    """Slopes of a function at zero, by central differences of a size in each direction."""
    steps = h * np.diag(sizes)
    columns = [
        (function(d) - function(-d)) / (2.0 * h * s) for d, s in zip(steps, sizes, strict=True)
    ]
    return np.stack(columns, -1)


@pytest.mark.parametrize("how", HOW)
def test_steps_have_derivatives(scene, how):
    """By velocities, by where it is, and by the numbers of the ground; forwards and backwards."""
    model, h = scene.model, 1e-3
    page = ar.step(scene, how, parameters=NUMBERS)
    q, qd = (x[3] for x in starts(model, 8))
    step, rest = ar.compile(page, model), (0.0, h)

    def ends(q, qd, numbers):
        return np.concatenate([np.ravel(x) for x in step(q, qd, *rest, numbers)[:2]])

    def by(name):
        found = ar.evaluate(ar.jacobian(page, name), model, q, qd, *rest, page.values)
        return np.concatenate([np.asarray(x) for x in found[:2]])

    sizes = np.abs(page.values)
    slopes = {
        "qd": differences(lambda d: ends(q, qd + d, page.values), np.ones(model.nv)),
        "q": differences(lambda d: ends(model.integrate(q, d), qd, page.values), np.ones(model.nv)),
        "parameters": differences(lambda d: ends(q, qd, page.values + d), sizes),
    }
    far = ends(q, qd, page.values) - ends(q + 10.0 * (np.arange(len(q)) == 2), qd, page.values)
    assert np.abs(far[model.nq :]).max() > 0.1  # the ground does push
    for name, slope in slopes.items():
        scale = np.abs(slope).max(0) + 1e-12
        np.testing.assert_allclose(by(name) / scale, slope / scale, atol=1e-6, err_msg=name)
        assert (np.abs(slope).max(0) > 0.0).all(), name
    weights = np.random.default_rng(1).normal(size=model.nq + model.nv + 1)  # and of time
    back = ar.compile(ar.vjp(page, *slopes), model)(q, qd, *rest, page.values, weights)
    for found, name in zip(back, slopes, strict=True):
        np.testing.assert_allclose(
            found, weights[:-1] @ by(name), rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_a_batch_and_its_rows_agree(scene):
    q, qd = starts(scene.model, 64)
    friction = np.linspace(0.1, 1.0, 64)
    many = ar.simulate(scene, 0.2, 1e-3, q=q, qd=qd, parameters={NUMBERS[0]: friction})
    assert many.q[:, -1, 2].min() > 0.07  # in flight it would be 0.2 m lower
    for k in range(64):
        one = ar.simulate(scene, 0.2, 1e-3, q=q[k], qd=qd[k], parameters={NUMBERS[0]: friction[k]})
        np.testing.assert_allclose(one.q, many.q[k], atol=1e-12)
