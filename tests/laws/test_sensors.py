"""Sensors read what motion of points, momentum and inverse dynamics say they must."""

import inspect
import pickle

import numpy as np
import pytest
from every_joint import FIGURES, TIED, case, each, in_time, times, transposed, wide
from law_figures import PUPPET, assert_close, state

import arthron as ar
from arthron._tree.tree import JointForces
from arthron.algorithms import integrate, inverse_dynamics, poses, velocities
from arthron.spatial import Force

POINT = (0.3, -0.2, 0.5)


def turned(x, R):
    """World vectors in the axes of frames, R^T x."""
    return times(transposed(R), x)


def arrays(name):
    given = case(name)
    return tuple(given[n] for n in ("q", "qd", "qdd", "f_ext"))


def read(page, model, q, qd=None, qdd=None, f_ext=None):
    """What a page reads, given those arrays that it takes."""
    given = {"q": q, "qd": qd, "qdd": qdd, "f_ext": f_ext}
    return ar.evaluate(page, model, **{n: given[n] for n in inputs(page)})


def inputs(page):
    """What must be given, behind the tree."""
    parameters = list(inspect.signature(page).parameters.values())[1:]
    return [p.name for p in parameters if p.default is p.empty]


# Points and frames


@each(FIGURES)
def test_position_and_velocity_of_points(name):
    model, (q, qd, *_) = FIGURES[name], arrays(name)
    for body in model.body_names:
        place, speed = (
            make(model, body, POINT) for make in (ar.sensors.position, ar.sensors.velocity)
        )
        T = model.frame_pose(q, body)
        assert_close(read(place, model, q), times(T, np.array([*POINT, 1.0]))[..., :3], 1e-13)
        expected = in_time(lambda q, _, p=place: read(p, model, q), model, q, qd)
        assert_close(read(speed, model, q, qd), expected, 1e-9, scale=1.0)


@each(FIGURES)
def test_gyroscope_reads_how_axes_turn(name):
    model, (q, qd, *_) = FIGURES[name], arrays(name)
    for i, body in enumerate(model.body_names):
        R = ar.evaluate(poses, model, q)[:, i, :3, :3]
        R_rate = in_time(lambda q, _, i=i: ar.evaluate(poses, model, q)[:, i, :3, :3], model, q, qd)
        spin = transposed(R) @ R_rate
        w = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
        assert_close(read(ar.sensors.gyroscope(model, body), model, q, qd), w, 1e-9, scale=1.0)


def second_difference(place, model, q, qd, qdd, h=3e-5):
    """Acceleration of a point from where it is at three times."""
    q, qd, qdd = wide(q, qd, qdd)
    after, here, before = (
        read(place, model, ar.evaluate(integrate, model, q, t * qd + t * t * qdd / 2))
        for t in (h, 0.0, -h)
    )
    return ((after - 2 * here + before) / h**2).astype(float)


@each(FIGURES)
def test_accelerometer_reads_how_points_move_and_gravity(name):
    model, (q, qd, qdd, _) = FIGURES[name], arrays(name)
    for body in model.body_names:
        place = ar.sensors.position(model, body, POINT)
        acceleration = second_difference(place, model, q, qd, qdd)
        R = model.frame_pose(q, body)[:, :3, :3]
        got = read(ar.sensors.accelerometer(model, body, POINT), model, q, qd, qdd)
        assert_close(got, turned(acceleration - model.gravity, R), 1e-7)


@pytest.mark.parametrize("frame", ["post", "post.com", "bird", "bird.com"])
def test_merged_links_and_centers_of_mass_have_sensors(frame):
    """Behind a turned fixed joint, against the model's own methods."""
    q, qd, qdd, *_ = state(PUPPET)
    T = PUPPET.frame_pose(q, frame)
    R, p = T[:, :3, :3], T[:, :3, 3]
    local = PUPPET.frame_velocity(q, qd, frame)
    aligned = PUPPET.frame_velocity(q, qd, frame, axes="world_aligned")
    a = PUPPET.frame_acceleration(q, qd, qdd, frame, classical=True)[:, 3:]
    expected = {
        "position": p,
        "velocity": aligned[:, 3:],
        "gyroscope": local[:, :3],
        "accelerometer": a - turned(PUPPET.gravity, R),
    }
    for kind, value in expected.items():
        page = getattr(ar.sensors, kind)(PUPPET, frame)
        assert_close(read(page, PUPPET, q, qd, qdd), value, 1e-13)


def test_at_rest_and_in_free_fall():
    """By hand: at rest minus g in the frame's axes, also on the world; falling nothing at all."""
    stone = ar.Body("stone", ar.Free(), shapes=[ar.Box((0.1, 0.2, 0.3), placement=POINT)])
    model = ar.Model([stone, ar.Body("wall", ar.Fixed(), placement=ar.pose(rpy=(np.pi / 2, 0, 0)))])
    q, qd, *_ = state(model)
    rest = np.zeros(6)
    R = model.frame_pose(q, "stone")[:, :3, :3]
    on_stone = ar.sensors.accelerometer(model, "stone", (1, 2, 3))
    assert_close(read(on_stone, model, q, rest, rest), turned(np.array([0, 0, 9.81]), R), 1e-14)
    on_wall = ar.sensors.accelerometer(model, "wall")
    assert_close(read(on_wall, model, q[0], rest, rest), [0, 9.81, 0], 1e-15)
    falling = model.forward_dynamics(q, qd, 0 * qd)
    at_center = read(ar.sensors.accelerometer(model, "stone.com"), model, q, qd, falling)
    assert_close(at_center, 0 * at_center, 1e-12, scale=9.81)
    still = model.forward_dynamics(q, 0 * qd, 0 * qd)  # without spin, so anywhere on the stone
    assert_close(read(on_stone, model, q, 0 * qd, still), 0 * at_center, 1e-12, scale=9.81)
    nothing = read(ar.sensors.joint_wrench(model, "stone"), model, q, qd, falling, np.zeros((1, 6)))
    assert_close(nothing, 0 * nothing, 1e-11, scale=9.81)


# Wrenches through joints


@each(FIGURES)
def test_joint_forces_are_what_joints_feel_of_the_wrench(name):
    """S^T of every wrench, and armature times qdd, is inverse dynamics: followers included."""
    model, given = FIGURES[name], arrays(name)
    wrenches = [ar.sensors.joint_wrench(model, str(b.joint_name)) for b in model.bodies]

    def felt(tree, q, qd, qdd, f_ext):
        (tau,) = tree.lists(1)
        for i, page in enumerate(wrenches, start=1):
            S, rotor = tree.joint[i](q[i], qd[i])[1], zip(tree.armature[i], qdd[i], strict=True)
            shares = S.dot(page(tree, q, qd, qdd, f_ext))
            tau[i] = tuple(x + k * a for x, (k, a) in zip(shares, rotor, strict=True))
        return JointForces(tau)

    ours, theirs = (ar.evaluate(page, model, *given) for page in (felt, inverse_dynamics))
    assert_close(ours, theirs, 1e-12)


@each(FIGURES)
def test_wrench_is_what_changes_momentum(name):
    """Wrench, gravity and forces from outside change the momentum of all that is behind a joint."""
    model, (q, qd, qdd, f_ext) = FIGURES[name], arrays(name)
    for i, body in enumerate(model.bodies, start=1):

        def behind(tree, i=i):
            return [k for k in tree.bodies if i in tree.ancestors(k)]

        def momentum(tree, q, qd, behind=behind):
            X0, v = poses(tree, q), velocities(tree, q, qd)
            each = (X0[k].T @ (tree.I[k] @ v[k]) for k in behind(tree))
            return sum(each, start=Force())

        def acting(tree, q, qd, qdd, f_ext, i=i, behind=behind, joint=str(body.joint_name)):
            """At the world's origin; weight hangs on the centre of mass."""
            X0 = poses(tree, q)
            total = X0[i].T @ ar.sensors.joint_wrench(model, joint)(tree, q, qd, qdd, f_ext)
            for k in behind(tree):
                weight = tree.gravity.lin * tree.I[k].m
                center = X0[k].r + X0[k].R @ tree.I[k].com()
                total = total + X0[k].T @ f_ext[k] + Force(center.cross(weight), weight)
            return total

        rate = in_time(lambda q, qd, m=momentum: ar.evaluate(m, model, q, qd), model, q, qd, qdd)
        assert_close(ar.evaluate(acting, model, q, qd, qdd, f_ext), rate, 1e-8)


@each(TIED)
def test_wrenches_are_those_of_the_figure_moved_joint_by_joint(name):
    """Joints that follow others have a wrench, and no coordinates: as if each were on its own."""
    tied, (q, qd, qdd, f_ext) = FIGURES[name], arrays(name)
    loose = ar.Model(tied.bodies, gravity=tied.gravity)
    assert loose.nv > tied.nv

    mimics = {str(body.joint_name): body.mimic for body in loose.bodies}

    def spread(x, where, offset):
        def of(joint):
            m = mimics[joint]
            return m.multiplier * of(m.joint) + offset * m.offset if m else x[:, where(joint)]

        return np.concatenate([of(joint) for joint in loose.joint_names], axis=1)

    apart = (
        spread(q, tied.slice_q, 1.0), spread(qd, tied.slice_qd, 0.0),
        spread(qdd, tied.slice_qd, 0.0), f_ext,
    )  # fmt: skip
    for joint in loose.joint_names:
        ours = read(ar.sensors.joint_wrench(tied, joint), tied, q, qd, qdd, f_ext)
        assert_close(ours, read(ar.sensors.joint_wrench(loose, joint), loose, *apart), 1e-13)


# As pages


SENSORS = {
    "position": (lambda m: ar.sensors.position(m, "post", POINT), ["q"]),
    "velocity": (lambda m: ar.sensors.velocity(m, "post", POINT), ["q", "qd"]),
    "gyroscope": (lambda m: ar.sensors.gyroscope(m, "post"), ["q", "qd"]),
    "accelerometer": (lambda m: ar.sensors.accelerometer(m, "skate", POINT), ["q", "qd", "qdd"]),
    "joint_wrench": (lambda m: ar.sensors.joint_wrench(m, "arm"), ["q", "qd", "qdd", "f_ext"]),
}


@pytest.mark.parametrize("kind", SENSORS)
def test_sensors_compile_and_differentiate(kind):
    make, names = SENSORS[kind]
    page, (q, qd, qdd, _, f_ext) = make(PUPPET), state(PUPPET)
    assert inputs(page) == names
    given = dict(zip(("q", "qd", "qdd", "f_ext"), (q, qd, qdd, f_ext), strict=True))
    given = {n: given[n] for n in names}
    compiled = ar.compile(page, PUPPET)
    assert compiled.__name__ == kind and compiled.__doc__ == inspect.getdoc(page.func)
    assert_close(compiled(**given), ar.evaluate(page, PUPPET, **given), 1e-13)
    assert_close(pickle.loads(pickle.dumps(compiled))(**given), compiled(**given), 0.0)
    by_q = ar.jacobian(page, "q")
    slope = ar.compile(by_q, PUPPET)
    assert slope.__name__ == f"{kind}_by_q" and slope.__doc__ == compiled.__doc__
    h = 1e-6
    steps = np.eye(PUPPET.nv)[:, None] * h
    later, sooner = (compiled(**given | {"q": PUPPET.integrate(q, way)}) for way in (steps, -steps))
    numerical = np.moveaxis((later - sooner) / (2 * h), 0, -1)
    assert_close(slope(**given), numerical, 1e-7, scale=1.0)


@pytest.mark.parametrize("kind", SENSORS)
def test_a_warm_process_does_not_trace(kind, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    make, names = SENSORS[kind]
    model = lambda: ar.Model(PUPPET.links, name="puppet")  # noqa: E731
    q, qd, qdd, _, f_ext = (x[0] for x in state(PUPPET))
    given = [{"q": q, "qd": qd, "qdd": qdd, "f_ext": f_ext}[n] for n in names]
    first = ar.compile(make(model()), model())(*given)
    other = model()
    elsewhere = {  # the same page of another place is another program
        "position": lambda: ar.sensors.position(other, "post", (0.3, -0.2, 0.6)),
        "velocity": lambda: ar.sensors.velocity(other, "leg", POINT),
        "gyroscope": lambda: ar.sensors.gyroscope(other, "skate"),
        "accelerometer": lambda: ar.sensors.accelerometer(other, "skate.com", POINT),
        "joint_wrench": lambda: ar.sensors.joint_wrench(other, "leg"),
    }[kind]
    assert np.abs(ar.compile(elsewhere(), other)(*given) - first).max() > 1e-3
    monkeypatch.setattr("arthron._pages.compiled.trace", None)
    np.testing.assert_array_equal(ar.compile(make(model()), model())(*given), first)


MISTAKES = {
    "frame": (lambda: ar.sensors.gyroscope(PUPPET, "amr"), r"no body or frame 'amr'.*'arm'"),
    "no mass": (
        lambda: ar.sensors.position(PUPPET.attach(marked(), "arm"), "mark.com"),
        "link 'mark' of `puppet` has no mass",
    ),
    "point": (
        lambda: ar.sensors.accelerometer(PUPPET, "arm", (0, 1)),
        r"`point` is \(0, 1\)\. Give three numbers",
    ),
    "point NaN": (lambda: ar.sensors.velocity(PUPPET, "arm", (0, 0, np.nan)), "three finite"),
    "joint": (
        lambda: ar.sensors.joint_wrench(PUPPET, "ram"),
        r"no moving joint 'ram' in `puppet`\. Nearest: 'arm'.*`model.bodies` has its `joint_name`",
    ),
    "fixed joint": (
        lambda: ar.sensors.joint_wrench(PUPPET, "post"),
        r"no moving joint 'post'.*This one is fixed.*model.unmerge",
    ),
}


def marked():
    return ar.Model([ar.Body("mark", ar.Fixed())])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake):
    make, text = MISTAKES[mistake]
    with pytest.raises(ar.ModelError, match=text):
        make()
