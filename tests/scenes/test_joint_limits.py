"""Joints stop at their limits in every scene, with every integrator, and do not bounce."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from scene_cases import ALL, TURNED, figure, simulate

import arthron as ar
from arthron import forces
from arthron._scene import accelerations
from arthron._scene.joint_limits import limits_of

LINK = [ar.Capsule(0.05, 0.5, mass=1.0, placement=(0.05, 0.02, -0.25))]
ARM = ar.Model([
    ar.Body("upper", ar.Revolute((0, 3, 1)), placement=TURNED, lower=-0.5, upper=0.4, shapes=LINK),
    ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.5), lower=-0.2, upper=1.4, shapes=LINK),
    ar.Body("hand", ar.Universal("x", "y"), "lower", (0, 0, -0.5), lower=-0.3, upper=(0.3, np.inf),
            shapes=LINK),
], name="arm")  # fmt: skip
BUSY = {"q": [0.3, 1.0, 0.1, -0.2], "qd": [3.0, -4.0, 2.0, 5.0]}
FREE = ar.Scene(ARM, limits=False)


def beyond(model, q):
    """How far coordinates are outside, at most."""
    return np.maximum(model.q_lower - q, q - model.q_upper).max()


@pytest.mark.parametrize(
    "integrator", ["leapfrog", "semi-implicit Euler", "BDF2", "Runge-Kutta", "maximal"]
)
def test_joints_stop_at_their_limits_and_do_not_bounce(integrator):
    run = simulate(ar.Scene(ARM), 1.0, 1e-3, integrator, start=BUSY)
    assert beyond(ARM, run.q) < (1e-6 if integrator == "maximal" else 1e-9)
    assert (np.diff(run.energy) < 0.02).all() and run.energy[-1] < run.energy[0] - 1.0
    held = np.isclose(run.q[:, 0], 0.4, atol=1e-6)
    assert held.any()
    k = int(np.argmax(held)) + (20 if integrator == "Runge-Kutta" else 3)
    assert np.abs(run.qd[k : k + 20, 0]).max() < 0.02  # plastic
    assert run.residual.max() < (1e-4 if integrator == "maximal" else 1e-6)


DOOR = ar.Model([ar.Body("door", ar.Revolute("y"), lower=-0.5, upper=0.4, armature=0.01,
                         shapes=LINK)], gravity=(-9.81, 0.0, 0.0))  # fmt: skip


@pytest.mark.parametrize("integrator", [*ALL, "maximal"])
def test_a_limit_pushes_as_much_as_it_has_to(integrator):
    run = simulate(ar.Scene(DOOR), 0.6, 1e-3, integrator, q=[0.35])
    np.testing.assert_allclose(run.q[-1], 0.4, atol=1e-6)
    np.testing.assert_allclose(run.forces[-1], DOOR.gravity_forces(run.q[-1]), rtol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ar.SimulationWarning)
        back = simulate(ar.Scene(DOOR), 1.3, 1e-3, integrator, q=[0.6])
    assert back.q[-1, 0] < 0.4 + 1e-4 and np.abs(back.qd).max() < 0.6
    assert (np.diff(back.q[back.q[:, 0] > 0.4, 0]) < 1e-9).all()  # it does not go to and fro


def test_rows_of_a_batch_have_limits_of_their_own():
    rng = np.random.default_rng(3)
    q = np.stack([ARM.random(rng) for _ in range(6)])
    q = np.clip(q, ARM.q_lower, np.minimum(ARM.q_upper, 1.0))
    qd = rng.normal(scale=3.0, size=(6, ARM.nv))
    scene = ar.Scene(ARM)
    many = simulate(scene, 0.3, 1e-3, "leapfrog", q=q, qd=qd)
    assert beyond(ARM, many.q) < 1e-9
    for k in (0, 5):
        one = simulate(scene, 0.3, 1e-3, "leapfrog", q=q[k], qd=qd[k])
        np.testing.assert_allclose(many.q[k], one.q, atol=1e-10)
    wide = {"limits.upper": np.array([0.4, 1.4, 0.3, np.inf]) + 0.2}
    other = simulate(scene, 0.3, 1e-3, "leapfrog", q=q, qd=qd, parameters=wide)
    assert 0.05 < beyond(ARM, other.q) <= 0.2 + 1e-9


@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit Euler"])
def test_a_step_at_a_limit_has_derivatives(integrator):
    scene = ar.Scene(ARM)
    page = ar.step(scene, integrator)
    step = ar.compile(page, ARM)
    q, qd = np.array([0.4, 0.5, 0.3, 0.1]), np.array([2.0, -1.0, 9.0, 0.3])
    given = [np.zeros(()), np.array(1e-2), page.values]
    assert np.abs(step(q, qd, *given)[3][[0, 2]]).min() > 1e-3  # limits act

    def ends(v):
        return np.concatenate(step(q, v, *given)[:2])

    along = np.stack([(ends(qd + e) - ends(qd - e)) / 2e-6 for e in 1e-6 * np.eye(ARM.nv)], -1)
    found = np.concatenate(ar.compile(ar.jacobian(page, "qd"), ARM)(q, qd, *given)[:2])
    np.testing.assert_allclose(found, along, atol=1e-6)
    assert np.abs(along[[4, 6]]).max() < 0.11  # what is held moves no more
    back = ar.compile(ar.vjp(page, "qd"), ARM)
    weights = np.concatenate([np.zeros(4), np.arange(4.0), np.zeros(5)])
    (found,) = back(q, qd, *given, weights)
    np.testing.assert_allclose(found, np.arange(4.0) @ along[4:], atol=1e-5)


def test_followers_keep_within_their_limits_too():
    jaw = [ar.Box((0.1, 0.02, 0.02), mass=0.2, placement=(0.05, 0, 0))]
    bodies = [
        ar.Body("first", ar.Revolute("y"), lower=-2.0, upper=1.0, shapes=jaw),
        ar.Body("second", ar.Revolute("y"), placement=(0, 0.1, 0), shapes=jaw, lower=-0.5,
                upper=3.0, mimic=ar.Mimic("first", -2.0, 0.1)),
    ]  # fmt: skip
    model = ar.Model(bodies, mimic=True)
    assert limits_of(model) == {"first": ((-1.45,), (0.3,))}
    run = simulate(ar.Scene(model), 0.5, 1e-3, q=[0.0], qd=[9.0])
    assert run.q.max() < 0.3 + 1e-12 and run.q.max() > 0.299
    odd = [bodies[0], dataclasses.replace(bodies[1], lower=-9.0, upper=-8.0)]
    with pytest.raises(ar.ModelError, match=r"'second' .* follows 'first'.* `limits=False`"):
        ar.Scene(ar.Model(odd, mimic=True))


def test_what_is_prescribed_or_has_springs_at_its_limits_is_left_to_them():
    turn = ar.Prescribed("door", position=lambda t: 0.3 + t)
    for integrator in ("leapfrog", "semi-implicit Euler", "BDF2", "Runge-Kutta"):
        run = simulate(ar.Scene(DOOR, [turn]), 0.4, 1e-2, integrator)
        np.testing.assert_allclose(run.q[:, 0], 0.3 + run.t, atol=1e-9)
    spring = ar.Scene(ARM, [forces.JointLimit("upper", 1e3, 10.0)])
    run = simulate(spring, 1.0, 1e-3, start=BUSY)
    assert 1e-3 < run.q[:, 0].max() - 0.4 < 0.2 and run.q[:, 1].max() < 1.4 + 1e-9
    assert "limits.lower" in spring.parameters()
    assert "limits.lower" not in FREE.parameters()
    assert not pickle.loads(pickle.dumps(FREE)).limits


def test_a_start_outside_is_told():
    with pytest.warns(ar.SimulationWarning, match=r"'hand' starts 0\.2 beyond .*1 more joint"):
        simulate(ar.Scene(ARM), 0.01, 1e-3, q=[0.5, 1.0, 0.5, -0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(ar.Scene(ARM), 0.01, 1e-3, start=BUSY)


def test_limits_of_ones_own():
    own = ar.JointLimits(("lower",), ((0.5,),), ((0.9,),))
    run = simulate(ar.Scene(ARM, [own], limits=False), 0.5, 1e-3, q=[0.3, 0.7, 0.1, -0.2])
    assert 0.5 - 1e-9 < run.q[:, 1].min() and run.q[:, 1].max() < 0.9 + 1e-9
    assert ar.JointLimits("lower", 0.5, 0.9).fitted(ARM) == own.fitted(ARM)
    for bad, match in (
        (ar.JointLimits(("lower",), ((0.5,),), ((0.4,),)), r"'lower' between \(0\.5,\) and"),
        (ar.JointLimits(("lower",), ((0.5, 0.1),)), "a tuple for each of its 1 joints"),
        (ar.JointLimits(("lower",), ((-np.inf,),), ((np.inf,),)), "finds no limit"),
    ):
        with pytest.raises(ar.ModelError, match=match):
            ar.Scene(ARM, [bad])
    with pytest.raises(ar.ModelError, match="'trunk', whose 4 coordinates"):
        ar.Scene(figure(), [ar.JointLimits(("trunk",), ((0.5,),), ((0.9,),))])


def test_limits_given_as_numbers_may_not_cross():
    lower = ar.Scene(ARM).parameters()["limits.lower"]
    with pytest.raises(ar.SimulationError, match=r"joint '\w+' has a lower limit that is .* above"):
        simulate(ar.Scene(ARM), 0.01, 1e-3, parameters={"limits.lower": np.add(lower, 5.0)})


def test_a_controlled_figure_leans_on_its_limits():
    """A target beyond them: the joints stay there, and limits take what the controller pushes."""
    hold = ar.controllers.pd([0.7, 1.0, 0.9, 0.2], 300.0, 20.0)
    scene = ar.Scene(ARM, controller=hold)
    run = simulate(scene, 1.0, 1e-3, q=BUSY["q"])
    assert beyond(ARM, run.q) < 1e-9 and np.abs(run.qd[-1]).max() < 1e-3
    np.testing.assert_allclose(run.q[-1, [0, 2]], [0.4, 0.3], atol=1e-9)
    push = 300.0 * (np.array([0.7, 0.9]) - [0.4, 0.3])
    takes = ARM.gravity_forces(run.q[-1])[[0, 2]] - push
    np.testing.assert_allclose(run.forces[-1, [0, 2]], takes, rtol=1e-2)
    assert np.abs(run.forces[-1, [1, 3]]).max() == 0.0


def test_limits_push_inwards_and_only_where_joints_rest():
    run = simulate(ar.Scene(ARM), 1.0, 1e-3, start=BUSY)
    low, high = run.q[1:] - ARM.q_lower, ARM.q_upper - run.q[1:]
    push = run.forces[1:]
    room = np.where(push > 0.0, low, np.where(push < 0.0, high, 0.0))
    assert (push > 1.0).any() and (push < -1.0).any() and np.abs(push * room).max() < 1e-10


@pytest.mark.parametrize("integrator", ["leapfrog", "implicit Euler"])
def test_motion_between_limits_is_as_without(integrator):
    start = {"q": [-0.1, 0.5, 0.0, 0.3], "qd": [0.5, 0.1, -0.2, 0.3]}
    one, two = (simulate(scene, 0.1, 1e-3, integrator, start=start)
                for scene in (FREE, ar.Scene(ARM)))  # fmt: skip
    assert np.abs(two.forces).max() == 0.0
    np.testing.assert_allclose(two.q, one.q, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("integrator", ["leapfrog", "implicit Euler"])
def test_limits_by_recursion_and_by_factors(integrator, monkeypatch):
    """A branching figure with joints of several coordinates, some of which are at limits."""
    kinds = [ar.Free(), ar.Universal("x", "y"), ar.Revolute((1, 2, 0)), ar.Prismatic("z"),
             ar.Universal((0, 1, 1), "x")]  # fmt: skip
    bodies = [ar.Body(f"b{k}", kind, f"b{(k - 1) // 2}" if k else None, (0.1, 0.05, 0.3),
                      shapes=LINK, **({"lower": -0.4, "upper": 0.2} if k else {}))
              for k, kind in enumerate(kinds)]  # fmt: skip
    model = ar.Model(bodies)
    page = ar.step(ar.Scene(model), integrator)
    q = np.concatenate([model.neutral()[:7], [0.2, -0.1, -0.4, 0.1, 0.2, 0.15]])
    qd = np.concatenate([np.ones(6), [1.0, 5.0, -1.0, 0.5, -2.0, 7.0]])
    ends = []
    for deep in (False, True):
        monkeypatch.setattr(accelerations, "deep", lambda *_, deep=deep: deep)
        ends.append(ar.evaluate(page, model, q, qd, 0.0, 1e-2, page.values))
    for a, b in zip(*ends, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    assert (np.abs(ends[0][3][6:]) > 1.0).sum() > 1  # limits that act
