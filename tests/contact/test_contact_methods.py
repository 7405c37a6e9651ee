"""S19's methods of contact against each other, closed forms, and the default solver."""

import numpy as np
import pytest

import arthron as ar
from arthron._reference_contact.staggered import friction_impulses
from arthron.integrators import (
    BilateralStaggeredProjections,
    FrictionlessQP,
    ProjectedGaussSeidel,
    SingleQP,
    StaggeredProjections,
)

pytest.importorskip("daqp")

BOX = ar.Model([ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)])])
G = 9.81


def on_slope(method, angle: float, friction: float = 0.5, turned: float = 0.0, steps: int = 40):
    """A box that starts at rest on a slope, down which a direction of the plane leads."""
    scene = ar.Scene(BOX, [ar.contacts.Ground(friction=friction)])
    q = BOX.neutral()
    q[2] = 0.1
    down = np.sin(angle) * np.array([np.cos(turned), np.sin(turned)])
    gravity = G * np.array([*down, -np.cos(angle)])
    return ar.simulate(
        scene, steps * 1e-3, 1e-3, q=q, integrator=method, parameters={"gravity": gravity},
        progress=False,
    )  # fmt: skip


def acceleration(run) -> float:
    return float(np.linalg.norm(run.qd[-1, 3:5] - run.qd[-11, 3:5])) / 0.01


def arm_on_ground(method):
    """Three links on a base that falls, turning, onto the ground."""
    rod = [ar.Capsule(0.05, 0.4, placement=(0.0, 0.0, -0.2))]
    model = ar.Model([
        ar.Body("a", ar.Free(), shapes=[ar.Box((0.3, 0.3, 0.1), mass=1.0)]),
        ar.Body("b", ar.Universal("x", "y"), "a", (0.1, 0.0, 0.0), shapes=rod),
        ar.Body("c", ar.Revolute("y"), "b", (0.0, 0.0, -0.4), shapes=rod, damping=0.1),
    ])  # fmt: skip
    q, qd = model.neutral(), np.linspace(-0.5, 0.5, model.nv)
    q[2] = 0.855
    return ar.simulate(
        ar.Scene(model, [ar.contacts.Ground()]), 0.12, 1e-3, q=q, qd=qd, integrator=method,
        progress=False,
    )  # fmt: skip


def test_primal_dual_maximal_and_reduced_have_the_same_impulses():
    first = arm_on_ground(FrictionlessQP())
    assert first.contacts.touching.any()
    for dual, coordinates in ((True, "reduced"), (False, "maximal"), (True, "maximal")):
        other = arm_on_ground(FrictionlessQP(dual, coordinates))
        assert np.abs(other.qd - first.qd).max() < 1e-8
        force = other.contacts.force - first.contacts.force
        assert np.abs(force).max() < 1e-5 * np.abs(first.contacts.force).max()


EXACT = [StaggeredProjections(), BilateralStaggeredProjections()]


@pytest.mark.parametrize("method", [*EXACT, ProjectedGaussSeidel(), StaggeredProjections("box")])
def test_block_slides_with_the_closed_form(method):
    run = on_slope(method, 0.6)
    assert abs(acceleration(run) - G * (np.sin(0.6) - 0.5 * np.cos(0.6))) < 1e-6


@pytest.mark.parametrize("method", [*EXACT, ProjectedGaussSeidel(), SingleQP(4)])
def test_block_sticks_below_its_angle(method):
    run = on_slope(method, 0.99 * np.arctan(0.5))
    assert np.abs(run.qd[-1]).max() < 1e-8


@pytest.mark.parametrize(
    ("method", "factor"),
    [
        (StaggeredProjections("box"), np.sqrt(2.0)),
        (StaggeredProjections(4), np.sqrt(0.5)),
        (StaggeredProjections(8), 1.0),
        (StaggeredProjections("exact"), 1.0),
    ],
)
def test_known_errors_of_cones_between_tangents(method, factor):
    """Down the diagonal of both tangents a box has sqrt(2) times the friction, a diamond less."""
    run = on_slope(method, 0.9, 0.5, np.pi / 4)
    assert abs(acceleration(run) - G * (np.sin(0.9) - factor * 0.5 * np.cos(0.9))) < 1e-6


def test_single_program_lifts_what_slides():
    """Normal velocities are friction times the slip, less what gaps leave room for."""
    run = on_slope(SingleQP(16), 0.6, steps=10)
    room = run.contacts.gap[1:].min(-1) / 1e-3
    lifted = run.qd[1:, 5] + room
    assert np.abs(lifted - 0.5 * run.qd[1:, 3]).max() < 1e-9


def test_exact_cones_agree_with_the_default_solver():
    own = on_slope(StaggeredProjections(), 0.6, turned=0.3)
    default = on_slope("semi-implicit Euler", 0.6, turned=0.3)
    assert np.abs(own.qd - default.qd).max() < 1e-5


@pytest.mark.parametrize("cones", ["exact", "box", 8])
def test_turns_begin_with_the_friction_of_the_step_before(cones):
    """The same motion in less than half of the turns: what stands on a slope needs two a step."""
    warm, cold = (on_slope(StaggeredProjections(cones, warm=x), 0.4, turned=0.3) for x in (1, 0))
    assert np.abs(warm.qd - cold.qd).max() < 1e-6
    turns = warm.contacts.iterations[1:], cold.contacts.iterations[1:]
    assert 2.5 * turns[0].sum() < turns[1].sum()
    assert turns[0][5:].max() <= 3 and turns[0][0] == turns[1][0]


def test_other_integrators_refuse_friction_inside_joints():
    wheel = ar.Model([ar.Body("wheel", ar.Revolute("y"), shapes=[ar.Sphere(0.2)])])
    scene = ar.Scene(wheel, [ar.contacts.JointFriction("wheel")])
    with pytest.raises(ar.errors.SimulationError, match="BilateralStaggeredProjections"):
        ar.simulate(scene, 0.01, 1e-3)


@pytest.mark.parametrize("cones", ["exact", "box", 6])
@pytest.mark.parametrize("strength", [1e-6, 1.0, 1e6])
def test_friction_is_the_least_within_its_cones(cones, strength):
    """No point of the cones leads further down the slope that is left, tangents said twice too."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        Q = rng.normal(size=(11, 6)) * 10.0 ** rng.uniform(-1.0, 1.0, (11, 1))
        Q[2:4] = Q[:2]
        slip, radius = Q @ rng.normal(size=6), strength * 10.0 ** rng.uniform(-2.0, 0.0, 6)
        beta, solved = friction_impulses(Q, slip, radius, cones, np.zeros(11), 1)
        left = slip - Q @ (Q.T @ beta)
        corner = (2.0 * np.arange(6)) * np.pi / 6
        two = left[:10].reshape(5, 2)
        most = {
            "exact": np.hypot(*two.T),
            "box": np.abs(two).sum(1),
            6: (two @ [np.cos(corner), np.sin(corner)]).max(1),
        }[cones]
        further = radius[:5] @ most + radius[5] * abs(left[10]) - left @ beta
        assert solved and -1e-12 < further / (abs(slip @ beta) + 1e-300) < 1e-8


def test_contacts_that_are_looked_for_are_refused():
    bodies = [ar.Body(n, ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)]) for n in ("a", "b")]
    scene = ar.Scene(ar.Model(bodies), [ar.contacts.Links()])
    with pytest.raises(ar.SimulationError, match="looked for"):
        ar.simulate(scene, 0.01, 1e-3, integrator=ar.integrators.FrictionlessQP())


ARM = ar.Model([
    ar.Body("arm", ar.Revolute("y"), shapes=[ar.Capsule(0.03, 0.4, mass=1.0)]),
    ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)]),
])  # fmt: skip
UNKNOWN = [
    (ar.contacts.DryFriction("arm", 0.5), {}, "no dry friction.*DryFriction on 'arm'"),
    (ar.contacts.Ground(stiffness=1e4), {}, "'Ground' has `stiffness`"),
    (ar.contacts.Ground(rolling_friction=0.01), {}, "'Ground' has `rolling_friction`"),
    (ar.contacts.Ground(torsional_friction=1.0), {}, "or `torsional_friction`"),
    (ar.contacts.Ground(), {"Ground.rolling_friction": 0.1}, "'Ground' has `rolling_friction`"),
    (ar.contacts.Links(), {}, r"Links are looked for.*`ar\.contacts\.Ground`"),
    (ar.contacts.Ground(max_contacts=1), {}, "are looked for.*without `max_contacts`"),
]


@pytest.mark.parametrize("kind, name", [
    (ProjectedGaussSeidel, "sweeps"), (StaggeredProjections, "turns"),
    (BilateralStaggeredProjections, "turns"),
])  # fmt: skip
def test_methods_that_never_end_or_begin_are_refused(kind, name):
    for bad in (0, 1.5, True):
        with pytest.raises(ar.SimulationError, match=f"`{name}` is .*1 or more"):
            kind(**{name: bad})
    for bad in (-1.0, np.nan, "fine"):
        with pytest.raises(ar.SimulationError, match="`tolerance` is"):
            kind(tolerance=bad)


@pytest.mark.parametrize(("element", "parameters", "told"), UNKNOWN)
def test_what_methods_do_not_know_is_refused(element, parameters, told):
    scene = ar.Scene(ARM, [element])
    for method in (ProjectedGaussSeidel(), SingleQP()):
        with pytest.raises(ar.SimulationError, match=told):
            ar.simulate(scene, 0.01, 1e-3, integrator=method, parameters=parameters)
