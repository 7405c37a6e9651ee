"""What joint forces tell of inertias and friction, and that it is found again."""

import dataclasses
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron import identify
from arthron._figure.random import KINDS
from arthron._identify import identify as identifying
from arthron._model.model import model_of
from arthron.identify import base_parameters, exciting_motion, pseudo_inertia, with_parameters

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")


@pytest.fixture(scope="module")
def panda():
    return ar.load(ROBOTS / "panda_description/urdf/panda.urdf")


@pytest.fixture(scope="module")
def arm():
    """Three hinges and a slide, with armature and friction in the prior of some."""
    tree = ar.random_tree(4, 1.5, rng=5)
    data = [{"armature": 0.3, "damping": 0.2}, {}, {"friction": 0.5}, {"joint": ar.Prismatic("x")}]
    pairs = zip(tree.bodies, data, strict=True)
    return ar.Model([dataclasses.replace(body, **change) for body, change in pairs], name="arm")


@pytest.fixture(scope="module")
def floating():
    """A floating base with a ball, a planar joint, a screw and a universal joint on it."""
    return let_float(ar.random_tree(5, 2.0, joints=list(KINDS)[2:8], rng=7))


def let_float(model):
    """The figure with its first body free."""
    first, *others = model.bodies
    return ar.Model([ar.Body(first.name, ar.Free(), inertia=first.inertia), *others])


def altered(model, amount=0.2, rng=0):
    """Inertial parameters of the bodies stretched this way and that, and some joint parameters."""
    rng = np.random.default_rng(rng)
    J = pseudo_inertia(model.inertial_parameters().reshape(-1, 10))
    stretch = np.eye(4) + 0.5 * amount * rng.normal(size=(model.nb, 4, 4))
    stretch[:, 3, :3] = 0.0
    inertial = identify.from_pseudo_inertia(stretch @ J @ stretch.swapaxes(-1, -2)).ravel()
    motors = [not isinstance(b.joint, ar.Free) for b in model.bodies for _ in range(b.joint.nv)]
    return inertial, rng.uniform(0.1, 1.0, 3 * model.nv) * np.repeat(motors, 3)


def measured(model, parameters, samples, noise=0.0, seed=0):
    """A motion at random, and its joint forces by another way than regressors."""
    rng = np.random.default_rng(seed)
    real = with_parameters(model, *parameters)
    q = model.random(rng, samples)
    qd, qdd = rng.normal(size=(2, samples, model.nv))
    tau = real.inverse_dynamics(q, qd, qdd) + real.damping * qd + real.friction * np.sign(qd)
    return q, qd, qdd, tau + noise * rng.normal(size=tau.shape)


def solid(found):
    """Whether all bodies with mass can exist."""
    p = found.inertial_parameters.reshape(-1, 10)
    return np.linalg.eigvalsh(pseudo_inertia(p[p[:, 0] > 0.0])).min() > 0.0


def z_scores(found, parameters):
    return (found.values - found.base.combine @ np.concatenate(parameters)) / found.deviation


# --- base parameters -----------------------------------------------------------------------------


def test_pseudo_inertia_is_the_sum_over_particles():
    rng = np.random.default_rng(0)
    m, x = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))
    I = sum((ar.Inertia.from_com(a, b, (0, 0, 0)) for a, b in zip(m, x, strict=True)), ar.Inertia())
    ones = np.column_stack([x, np.ones(6)])
    J = pseudo_inertia(np.array(I.parameters()))
    np.testing.assert_allclose(J, ones.T @ (m[:, None] * ones), atol=1e-14)
    np.testing.assert_allclose(identify.from_pseudo_inertia(J), I.parameters(), atol=1e-14)


def test_count_of_arms(panda):
    """7 n - 4 for n hinges, 7 n - 6 on a vertical axis; 4 more for a slide (GK90)."""
    seven = panda.lock(["panda_finger_joint1", "panda_finger_joint2"], panda.neutral())
    assert base_parameters(seven).count == 43
    assert base_parameters(panda).count == 51
    assert base_parameters(ar.random_tree(7, rng=7)).count == 45
    assert base_parameters(ar.random_tree(7, rng=7), joint=True).count == 45 + 21 - 1


@pytest.mark.parametrize("kind", KINDS)
def test_count_is_what_joints_do_not_carry(kind):
    """On a floating base, each body has what is left when its joint passes on what it can."""
    model = let_float(ar.random_tree(3, 1.5, joints=(kind,), rng=3))
    rng, count = np.random.default_rng(0), 0
    for joint in model.tree.joint[1:]:
        units = [ar.Inertia.from_parameters(p) for p in rng.normal(size=(20, 10)).tolist()]
        kept = np.array([(I - joint.regrouped_inertia(I)).parameters() for I in units])
        count += np.linalg.matrix_rank(kept, tol=1e-9)
    assert base_parameters(model).count == count


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("name", ["arm", "floating", "panda", "mimic"])
def test_forces_depend_on_the_combinations(name, joint, request):
    """Y p = Y_B K p for new states and any p; and the columns of Y_B are independent."""
    if name == "mimic":
        model = ar.load(ROBOTS / "panda_description/urdf/panda.urdf", mimic=True)
        assert model.nb > model.nv
    else:
        model = request.getfixturevalue(name)
    base = base_parameters(model, joint=joint)
    rng = np.random.default_rng(1)
    q, (qd, qdd) = model.random(rng, 200), 2.0 * rng.normal(size=(2, 200, model.nv))
    Y = model.regressor(q, qd, qdd)
    if joint:
        Y = np.concatenate([Y, model.joint_regressor(qd, qdd)], axis=-1)
    assert base.combine.shape == (base.count, Y.shape[-1]) and len(base.names) == Y.shape[-1]
    p = rng.normal(size=Y.shape[-1])
    tau = Y @ p
    off = np.abs(Y[..., base.columns] @ (base.combine @ p) - tau)
    assert off.max() < 1e-9 * np.abs(tau).max()
    stacked = Y.reshape(-1, Y.shape[-1])
    length = np.linalg.norm(stacked, axis=0)
    stacked = stacked / np.where(length > 1e-9 * length.max(), length, np.inf)
    assert np.linalg.matrix_rank(stacked, tol=1e-7) == base.count
    assert np.linalg.matrix_rank(stacked[:, base.columns], tol=1e-7) == base.count


def test_combinations_in_words():
    """Two hinges about x, one after the other, on a vertical plane: known by hand."""
    bodies = [
        ar.Body("upper", ar.Revolute("x"), joint_name="a", shapes=[ar.Sphere(0.1)]),
        ar.Body("lower", ar.Revolute("x"), "upper", (0, 0, -0.5), shapes=[ar.Sphere(0.1)]),
    ]
    base = base_parameters(ar.Model(bodies), joint=True)
    lines = set(base.describe())
    assert "upper.mcz - 0.5 * lower.m" in lines
    assert "upper.Ixx + 0.25 * lower.m + a.armature" in lines
    assert {"upper.mcy", "lower.mcy", "lower.mcz", "lower.Ixx", "lower.friction"} <= lines
    assert base.count == 11 and repr(base).startswith("11 combinations of 26 parameters")


def test_base_parameters_do_not_depend_on_inertias_or_seed(arm):
    other = with_parameters(arm, altered(arm)[0])
    first, second = base_parameters(arm, rng=1), base_parameters(other, rng=2)
    np.testing.assert_array_equal(first.columns, second.columns)
    np.testing.assert_allclose(first.combine, second.combine, atol=1e-9)


# --- identification ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arm", "floating"])
def test_recovery_without_noise(name, request):
    model = request.getfixturevalue(name)
    truth = altered(model, 0.5)
    found = identify.identify(model, *measured(model, truth, 200))
    right = found.base.combine @ np.concatenate(truth)
    assert np.abs(found.values - right).max() < 1e-6 * np.abs(right).max()
    assert np.abs(found.residual).max() < 1e-5 and found.iterations < 100 and solid(found)
    again = measured(found.model, (found.inertial_parameters, found.joint_parameters), 50, seed=9)
    np.testing.assert_allclose(again[3], measured(model, truth, 50, seed=9)[3], atol=1e-4)


def test_noise_is_never_taken_for_nothing(arm):
    motion = measured(arm, altered(arm), 40)
    found = identify.identify(arm, *motion, noise=1e-30)
    size = np.sqrt(np.mean(motion[3] ** 2, axis=0)).max()
    np.testing.assert_allclose(found.noise, 1e-6 * size)
    assert found.residual.max() < 1e-4 * size


def test_errors_are_as_large_as_said_and_fall_with_samples(floating):
    truth = altered(floating)
    scores, errors = [], []
    for samples in (150, 2400):
        runs = [
            identify.identify(floating, *measured(floating, truth, samples, 0.5, seed))
            for seed in range(4)
        ]
        assert all(solid(found) for found in runs)
        z = np.array([z_scores(found, truth) for found in runs])
        scores.append(z)
        errors.append(np.mean([np.abs(s) * found.deviation
                               for s, found in zip(z, runs, strict=True)], axis=0))  # fmt: skip
        np.testing.assert_allclose([found.noise for found in runs], 0.5, rtol=0.25)
        np.testing.assert_allclose(runs[0].residual, runs[0].noise, rtol=0.3)
    assert np.abs(scores).max() < 5.0
    moving = scores[1][np.isfinite(scores[1]) & (scores[1] != 0.0)]
    assert 0.8 < np.sqrt(np.mean(moving**2)) < 1.2  # a standard deviation, not a bound
    ratio = np.median(errors[0][errors[0] > 0.0] / errors[1][errors[0] > 0.0])
    assert 2.5 < ratio < 6.0  # sixteen times the samples, a quarter of the error


def objective(model, p, q, qd, qdd, tau, sigma, pull=1.0):
    """What `identify` says it minimises, from the samples, for figures without joint parameters."""
    left = tau - model.regressor(q, qd, qdd) @ p
    J, J0 = (pseudo_inertia(x.reshape(-1, 10)) for x in (p, model.inertial_parameters()))
    ratio = np.linalg.solve(J0, J)
    if np.linalg.eigvalsh(J).min() <= 0.0:
        return np.inf
    away = np.trace(ratio, axis1=1, axis2=2) - np.log(np.linalg.det(ratio)) - 4.0
    return 0.5 * np.sum((left / sigma) ** 2) + pull * np.sum(away)


@pytest.mark.parametrize("samples, noise, pull", [(3, 5.0, 1.0), (30, 50.0, 0.1), (40, 0.5, 30.0)])
def test_result_is_the_minimum(samples, noise, pull):
    """No step away from it, small or large, makes it better: the problem is convex."""
    model = ar.random_tree(3, rng=5)
    motion = measured(model, altered(model, 0.5), samples, noise)
    motion[3][:] -= with_parameters(model, *altered(model, 0.5)).friction * np.sign(motion[1])
    found = identify.identify(model, *motion, joint=False, noise=noise, pull=pull)
    p = found.inertial_parameters
    least = objective(model, p, *motion, noise, pull)
    rng = np.random.default_rng(0)
    size = np.abs(p) + 1e-3
    for scale in (1e-5, 1e-3, 1e-1):
        for _ in range(50):
            near = objective(
                model, p + scale * size * rng.normal(size=p.size), *motion, noise, pull
            )
            assert near >= least - 1e-9 * abs(least)
    direction = rng.normal(size=(20, p.size)) * size  # and the slope is zero, to rounding
    for d in direction:
        h = 1e-6
        up, down = (objective(model, p + s * h * d, *motion, noise, pull) for s in (1.0, -1.0))
        assert abs(up - down) <= 1e-4 * (up + down - 2.0 * least) + 1e-9 * abs(least)


def test_few_and_bad_data_give_bodies(floating):
    rng = np.random.default_rng(3)
    truth = altered(floating)
    for samples in (1, 5):
        q, qd, qdd, tau = measured(floating, truth, samples)
        found = identify.identify(floating, q, qd, qdd, tau + 100.0 * rng.normal(size=tau.shape),
                                  noise=0.1)  # fmt: skip
        assert solid(found) and np.all(found.joint_parameters >= 0.0)
        assert np.any(np.isinf(found.deviation))
        assert np.all(np.isfinite(found.inertial_parameters)) and not found.model.warnings


def test_prior_decides_what_data_do_not(arm):
    """What acts on no joint stays; a heavy prior stays altogether."""
    truth = altered(arm)
    motion = measured(arm, truth, 300, 0.1)
    far = identify.identify(arm, *motion, pull=1e9, joint=False)
    np.testing.assert_allclose(far.inertial_parameters, arm.inertial_parameters(), rtol=1e-2)
    own = arm.inertial_parameters(), arm.joint_parameters()
    same = identify.identify(arm, *measured(arm, own, 300))
    np.testing.assert_allclose(same.inertial_parameters, own[0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(same.joint_parameters, own[1], atol=1e-4)
    small = with_parameters(arm, own[0], np.full(3 * arm.nv, 1e-3))
    kept = identify.identify(small, *measured(small, (own[0], small.joint_parameters()), 300))
    np.testing.assert_allclose(kept.joint_parameters, 1e-3, rtol=0.02)


def test_joint_parameters(arm):
    """They are found; joints that stand still keep what they had; without `joint`, all do."""
    inertial, joint = altered(arm)
    q, qd, qdd, tau = measured(arm, (inertial, joint), 2000, 0.05)
    found = identify.identify(arm, q, qd, qdd, tau)
    np.testing.assert_allclose(found.joint_parameters[3:], joint[3:], atol=0.02)
    np.testing.assert_allclose(found.joint_parameters[1:3], joint[1:3], atol=0.02)
    assert found.model.joint_parameters() is not None
    held = identify.identify(arm, q, qd, qdd, tau, joint=False)
    np.testing.assert_array_equal(held.joint_parameters, arm.joint_parameters())
    assert held.residual.max() > 2.0 * found.residual.max()
    still = [x.copy() for x in (qd, qdd)]
    for x in still:
        x[:, 2] = 0.0
    real = with_parameters(arm, inertial, joint)
    tau = real.inverse_dynamics(q, *still) + real.damping * still[0]
    tau += real.friction * np.sign(still[0])
    part = identify.identify(arm, q, *still, tau)
    np.testing.assert_array_equal(part.joint_parameters[6:9], arm.joint_parameters()[6:9])
    assert np.all(np.isinf(part.deviation[[part.base.names[k].startswith("joint3.")
                                           for k in part.base.columns]]))  # fmt: skip


def test_known_joint_parameters_are_taken_away(arm):
    inertial, joint = altered(arm)[0], arm.joint_parameters()
    found = identify.identify(arm, *measured(arm, (inertial, joint), 200), joint=False)
    right = found.base.combine @ inertial
    assert np.abs(found.values - right).max() < 1e-6 * np.abs(right).max()


def test_joint_parameters_of_a_floating_base_stay(floating):
    found = identify.identify(floating, *measured(floating, altered(floating), 300, 0.5))
    np.testing.assert_array_equal(found.joint_parameters[:18], 0.0)
    assert np.all(found.joint_parameters[18:] > 0.0)


def test_followers_count_at_their_leaders():
    def body(name, parent, **options):
        shape = ar.Box((0.1, 0.2, 0.4), mass=1.0, placement=(0.1, 0.05, 0.2))
        return ar.Body(name, ar.Revolute("y"), parent, (0, 0, 0.4), shapes=[shape], **options)

    bodies = [
        body("first", None, damping=0.1),
        body("second", "first", armature=0.5, friction=0.3, mimic=ar.Mimic("first", -2.0)),
    ]
    model = ar.Model(bodies, mimic=True)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 400, 1))
    tau = model.inverse_dynamics(q, qd, qdd) + 0.1 * qd + 2.0 * 0.3 * np.sign(qd)
    for joint in (False, True):
        found = identify.identify(model, q, qd, qdd, tau, joint=joint)
        assert found.residual.max() < 1e-5
        again = found.model.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(again, model.inverse_dynamics(q, qd, qdd), atol=1e-4)


def test_bodies_without_mass_stay_so():
    """A ball made of three hinges, two of them without mass; and a rotor without mass."""
    rotor = ar.Inertia.from_com(0.0, (0, 0, 0), (0.1, 0.1, 0.2))
    bodies = [
        ar.Body("a", ar.Revolute("x"), inertia=ar.Inertia()),
        ar.Body("b", ar.Revolute("y"), "a", inertia=rotor),
        ar.Body("c", ar.Revolute("z"), "b", shapes=[ar.Box((1, 2, 3), placement=(1, 0, 2))]),
    ]
    model = ar.Model(bodies)
    p = model.inertial_parameters()
    p[20:] *= 1.5
    found = identify.identify(model, *measured(model, (p, np.zeros(9)), 100, 1.0))
    np.testing.assert_array_equal(found.inertial_parameters[:20], p[:20])
    assert solid(found) and np.abs(z_scores(found, (p, np.zeros(9)))).max() < 5.0


def test_priors_that_no_body_could_have(arm):
    """A point, and moments that break the triangle rule, as files have them."""
    odd = {
        "body2": ar.Inertia.from_com(1.0, (0.2, 0.1, 0.0), (0.0, 0.0, 0.0)),
        "body3": ar.Inertia.from_com(0.6, (0.1, 0.0, 0.1), (0.01, 0.01, 0.1)),
    }
    described = arm.figure.description
    links = tuple(dataclasses.replace(b, inertia=odd.get(b.name, b.inertia)) for b in arm.links)
    model = model_of(dataclasses.replace(described, links=links, strict=False))
    assert model.warnings
    truth = altered(arm)
    found = identify.identify(model, *measured(arm, truth, 600, 0.01))
    assert solid(found) and found.iterations < 100 and not found.model.warnings
    assert np.abs(z_scores(found, truth)).max() < 5.0


def test_merged_links():
    """What is fixed to a body is part of it, and stays a frame; the world's stays as it was."""
    model = ar.load(ar.figures / "humanoid.urdf")
    p = altered(model)[0]
    other = with_parameters(model, p)
    np.testing.assert_allclose(other.inertial_parameters(), p, rtol=1e-15)
    assert other.frame_names == model.frame_names
    np.testing.assert_array_equal(other.joint_parameters(), model.joint_parameters())
    rng = np.random.default_rng(0)
    q, (qd, qdd) = model.random(rng), rng.normal(size=(2, model.nv))
    forces = model.regressor(q, qd, qdd) @ p + model.armature * qdd
    np.testing.assert_allclose(other.inverse_dynamics(q, qd, qdd), forces, atol=1e-9)


def test_fixed_links_that_are_bodies_have_their_own():
    box = [ar.Box((0.1, 0.2, 0.3), mass=1.0)]
    tool = ar.Body("tool", ar.Fixed(), "arm", (0, 0, 1), shapes=box, merged=False)
    model = ar.Model([ar.Body("arm", shapes=box), tool])
    p = np.concatenate([2.0 * model.inertial_parameters()[:10], model.inertial_parameters()[10:]])
    joint = model.joint_parameters() + 0.1
    other = with_parameters(model, p, joint)
    np.testing.assert_allclose(other.inertial_parameters(), p, rtol=1e-15)
    np.testing.assert_allclose(other.joint_parameters(), joint, rtol=1e-15)


# --- what is given -------------------------------------------------------------------------------


def test_leading_axes_are_samples(arm):
    motion = measured(arm, altered(arm), 60, 0.1)
    flat = identify.identify(arm, *motion)
    shaped = identify.identify(arm, *(x.reshape(3, 4, 5, -1).tolist() for x in motion))
    np.testing.assert_array_equal(flat.values, shaped.values)
    single = identify.identify(arm, *(x[0] for x in motion), noise=0.1)
    assert solid(single)
    q = motion[0][:1]  # one pose for all
    held = identify.identify(arm, q, *motion[1:], noise=np.full(arm.nv, 0.1))
    spread = identify.identify(arm, np.tile(q, (60, 1)), *motion[1:], noise=0.1)
    np.testing.assert_array_equal(held.values, spread.values)


def test_many_samples_are_read_in_parts(arm, monkeypatch):
    motion = measured(arm, altered(arm), 1000, 0.1)
    whole = identify.identify(arm, *motion)
    monkeypatch.setattr(identifying, "TOGETHER", 1)
    parts = identify.identify(arm, *motion)
    np.testing.assert_allclose(whole.values, parts.values, rtol=1e-7, atol=1e-7)
    left = motion[3] - np.concatenate(
        [arm.regressor(*motion[:3]), arm.joint_regressor(*motion[1:3])], axis=-1
    ) @ np.append(whole.inertial_parameters, whole.joint_parameters)
    np.testing.assert_allclose(whole.residual, np.sqrt(np.mean(left**2, axis=0)), rtol=1e-9)


def test_forces_that_were_not_measured(arm):
    """Of infinite noise, they say nothing; noise of its own for each coordinate is found."""
    truth = altered(arm)
    q, qd, qdd, tau = measured(arm, truth, 1000)
    tau = tau + [0.01, 0.1, 1.0, 0.5] * np.random.default_rng(2).normal(size=tau.shape)
    np.testing.assert_allclose(identify.identify(arm, q, qd, qdd, tau).noise,
                               [0.01, 0.1, 1.0, 0.5], rtol=0.1)  # fmt: skip
    few = [identify.identify(arm, *measured(arm, truth, 40, 0.2, seed)).noise for seed in range(9)]
    assert abs(np.sqrt(np.mean(np.square(few))) / 0.2 - 1.0) < 0.05  # what is fitted is counted
    noise = np.array([0.01, 0.1, np.inf, 0.5])
    one = identify.identify(arm, q, qd, qdd, tau, noise=noise)
    tau[:, 2] = 77.0
    two = identify.identify(arm, q, qd, qdd, tau, noise=noise)
    np.testing.assert_allclose(one.values, two.values, atol=1e-3)
    known = np.isfinite(one.deviation)
    assert np.abs(z_scores(one, truth))[known].max() < 5.0 and not np.all(known)


def test_bad_input_meets_a_sentence(arm):
    q, qd, qdd, tau = measured(arm, altered(arm), 40, 0.1)

    def complaint(*motion, error=ar.ShapeError, **options):
        with pytest.raises(error) as caught:
            identify.identify(arm, *motion, **options)
        return str(caught.value)

    assert "`qd` has shape (40, 3) but `arm` needs (..., 4)" in complaint(q, qd[:, :3], qdd, tau)
    assert "(40, 4), (39, 4)" in complaint(q, qd[:39], qdd, tau)
    assert "`tau` holds NaN" in complaint(q, qd, qdd, np.where(tau > 0, np.nan, tau))
    assert "at least one" in complaint(q[:0], qd[:0], qdd[:0], tau[:0])
    assert "Give more samples, or `noise=`" in complaint(q[:5], qd[:5], qdd[:5], tau[:5])
    assert "all of `tau` is zero" in complaint(q, qd, qdd, 0.0 * tau)
    for noise in (0.0, -1.0, [0.1, 0.1], np.inf, np.nan):
        assert "`noise` is" in complaint(q, qd, qdd, tau, noise=noise)
    for pull in (0.0, -1.0, np.nan):
        assert "`pull` is" in complaint(q, qd, qdd, tau, pull=pull, error=ar.ModelError)
    with pytest.raises(ar.ShapeError, match=r"needs \(40,\) and \(12,\)"):
        with_parameters(arm, np.zeros(39))
    with pytest.raises(ar.ModelError, match="no joint that moves"):
        base_parameters(ar.Model([]))


def test_progress_is_shown_when_reading_takes_long(arm, capsys, monkeypatch):
    clock = iter(range(0, 10000, 3))
    monkeypatch.setattr(identifying.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(identifying, "TOGETHER", 1)
    identify.identify(arm, *measured(arm, altered(arm), 1000, 0.1))
    said = capsys.readouterr()
    assert said.err.endswith("100% of the samples read\n") and not said.out


def test_exciting_motion(panda):
    q, qd, qdd = exciting_motion(panda, 10.0, 1000, rng=3)
    assert q.shape == qd.shape == qdd.shape == (1000, panda.nv)
    assert np.all(q > panda.q_lower) and np.all(q < panda.q_upper)
    assert np.all(np.abs(qd) < panda.velocity_limit)
    full = (
        (np.ptp(q, axis=0) / (panda.q_upper - panda.q_lower)).max(),
        np.abs(qd / panda.velocity_limit).max(),
    )
    assert max(full) > 0.8
    h = 10.0 / 1000
    for x, rate in ((q, qd), (qd, qdd)):
        slope = (np.roll(x, -1, axis=0) - np.roll(x, 1, axis=0)) / (2 * h)
        np.testing.assert_allclose(slope, rate, atol=2e-3 * np.abs(rate).max())
    free = ar.Model([ar.Body("a", ar.Revolute("x"), lower=5.0, shapes=[ar.Sphere(0.1)])])
    assert np.all(exciting_motion(free, 2.0, 20)[0] > 5.0)
    with pytest.raises(ar.ModelError, match="plain coordinates"):
        exciting_motion(ar.random_tree(2, joints=("spherical",)), 1.0, 10)
    with pytest.raises(ar.ModelError, match="above zero"):
        exciting_motion(panda, 0.0, 10)
