"""What controllers may push: no floating root unless told to, and no more than motors can."""

import numpy as np
import pytest
from scene_cases import NATIVE, close, simulate

import arthron as ar

ROD = [ar.Capsule(0.05, 0.3, mass=0.5, placement=(0.02, 0, -0.2))]
ASKED = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, -5.0, 1.5, 4.0)


def floating(root):
    """A floating trunk with an arm of two coordinates, and an elbow without limits."""
    return ar.Model(
        [
            ar.Body("trunk", root, shapes=[ar.Box((0.3, 0.2, 0.5), mass=2)]),
            ar.Body("arm", ar.Universal("x", "y"), "trunk", shapes=ROD, effort=(1.0, 2.0)),
            ar.Body("elbow", ar.Revolute((1, 2, -2)), "arm", (0, 0, -0.4), shapes=ROD),
        ]
    )


def asking(tree, t, q, qd):
    return list(ASKED)


def pushed(model, controller):
    scene = ar.Scene(model, controller=controller)
    return next(iter(simulate(scene, 0.01, 0.01).acted(scene).values()))[0]


@pytest.mark.parametrize(
    "root", [ar.Free(), ar.Composite([ar.PlanarTranslation(), ar.Prismatic("z"), ar.Spherical()])]
)
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("limited", [False, True])
def test_roots_and_efforts(root, may, limited):
    found = pushed(floating(root), ar.controllers.custom(asking, root=may, effort_limits=limited))
    arm = (-1.0, 1.5) if limited else ASKED[6:8]
    assert found.tolist() == [*(ASKED[:6] if may else [0.0] * 6), *arm, ASKED[8]]


def test_a_function_is_a_controller_without_options():
    assert pushed(floating(ar.Free()), asking).tolist() == [*[0.0] * 6, *ASKED[6:]]


def test_a_root_that_is_tied_to_the_world_is_pushed():
    model = ar.Model([ar.Body("arm", ar.Universal("x", "y"), shapes=ROD)])
    assert pushed(model, lambda tree, t, q, qd: [3.0, 4.0]).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("integrator", NATIVE)
def test_controllers_keep_the_momentum_of_what_floats(integrator):
    """Whatever they push with, the figure's centre of mass stays where it is in free space."""
    model = ar.Model(floating(ar.Free()).bodies, gravity=(0, 0, 0))
    run = simulate(ar.Scene(model, controller=asking), 0.05, 1e-4, integrator, keep_every=100)
    assert np.abs(run.qd[-1, 6:]).max() > 1.0
    close(model.center_of_mass(run.q), np.zeros((len(run), 3)) + model.center_of_mass(run.q[0]),
          2e-3, scale=0.1)  # fmt: skip


def test_efforts_of_followers_are_those_of_their_leaders():
    """Also of a controller that returns what a page does, with forces at each joint."""
    bodies = [
        ar.Body("arm", ar.Revolute("y"), shapes=ROD, effort=1.0),
        ar.Body("tip", ar.Revolute("y"), "arm", (0, 0, -0.4), shapes=ROD, effort=0.5,
                mimic=ar.Mimic("arm", 0.5, 0.3)),
    ]  # fmt: skip
    model = ar.Model(bodies, mimic=True)

    def hold(tree, t, q, qd):
        return ar.algorithms.gravity_forces(tree, q)

    needed = model.gravity_forces(model.neutral())
    bodies[0] = ar.Body("arm", ar.Revolute("y"), shapes=ROD, effort=0.5 * abs(float(needed[0])))
    weak = ar.Model(bodies, mimic=True)
    close(pushed(model, ar.controllers.custom(hold)), needed, 1e-12)
    found = pushed(weak, ar.controllers.custom(hold, effort_limits=True))
    assert found.tolist() == [np.sign(needed[0]) * weak.effort_limit[0]]
