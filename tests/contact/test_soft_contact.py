"""Contact with a stiffness: forces are those of a spring and a damper, where things overlap."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import arthron as ar

G, K, SPEED, STEP = 9.81, 1e4, 2.0, 1e-4
DURATION = 0.06
SPHERE = ar.Sphere(0.1, mass=1.0)


def scenes():
    """A ball on ground, found and not, and on a floor that is a link; where it lies."""
    soft = {"stiffness": K, "dissipation": 0.01}
    ball = ar.Body("ball", ar.Free(), shapes=[SPHERE])
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    alone = ar.Model([ball])
    return {
        "Ground": ar.Scene(alone, [ar.contacts.Ground(**soft)]),
        "places": ar.Scene(alone, [ar.contacts.Ground(max_contacts=1, **soft, name="places")]),
        "Links": ar.Scene(ar.Model([floor, ball]), [ar.contacts.Links(**soft, name="Links")]),
    }


@pytest.fixture(scope="module", params=["Ground", "places", "Links"])
def scene(request):
    return scenes()[request.param]


def by_hand(dissipation):
    """(z, speed) of a ball that comes down at z = 0: f = max(k (x + d x'), 0) while it overlaps."""

    def rates(t, y):
        push = max(K * (-y[0] - dissipation * y[1]), 0.0) if y[0] < 0.0 else 0.0
        return y[1], push - G

    t = np.linspace(0.0, DURATION, 601)
    return solve_ivp(rates, (0.0, DURATION), (0.0, -SPEED), t_eval=t, rtol=1e-8, max_step=1e-4).y


@pytest.mark.parametrize("dissipation", [0.0, 0.002, 0.01, 0.05])
def test_forces_are_of_a_spring_and_a_damper(scene, dissipation):
    q, qd = scene.model.neutral(), np.zeros(6)
    q[2], qd[5] = 0.1, -SPEED
    name = scene.names[0]
    run = ar.simulate(
        scene, DURATION, STEP, q=q, qd=qd, parameters={f"{name}.dissipation": dissipation}
    )
    z, speed = by_hand(dissipation)
    np.testing.assert_allclose(run.q[:, 2] - 0.1, z, atol=0.03 * np.abs(z).max())
    np.testing.assert_allclose(run.qd[1:, 5], speed[1:], atol=0.03 * SPEED)


def test_springs_have_no_restitution_besides(scene):
    given = {f"{scene.names[0]}.restitution": 0.5}
    with pytest.raises(ar.ModelError, match="`stiffness` and a `restitution`"):
        ar.simulate(scene, 0.01, 1e-3, parameters=given)


@pytest.mark.parametrize("dissipation", [0.0, 0.1])
def test_nothing_pushes_before_it_touches(scene, dissipation):
    """Falls freely to within the step in which it lands, however fast and damped."""
    q, qd, h = scene.model.neutral(), np.zeros(6), 1e-3
    q[2], qd[5] = 0.3, -3.0
    name = scene.names[0]
    run = ar.simulate(scene, 0.1, h, q=q, qd=qd, parameters={f"{name}.dissipation": dissipation})
    force = run.contacts.on("ball")[1:, 2]
    first = int(np.argmax(force > 0.0))
    assert force[first] > 0.0
    assert run.q[first, 2] - 0.1 < 1.01 * h * -run.qd[first, 5]
