"""What acts on a figure: wrenches, energies and slopes against formulas of their own.

Those are in maximal coordinates (S19 1.31 to 1.68, corrected): a link is a
rotation R, a position p and a twist (w; v) in its own axes, and moves as E exp([d]).
"""

import numpy as np
import pytest
from scene_cases import (
    by_motion,
    close,
    expm,
    figure,
    follower,
    hat,
    potential,
    pulls,
    pushes,
    simulate,
    slopes,
    start,
    system,
)

import arthron as ar
from arthron import forces
from arthron._integrators.euler import exact_slopes
from arthron._scene.element import Here
from arthron._scene.loads import implicit_matrix
from arthron._scene.ports import Port, linearised
from arthron._scene.system import State
from arthron.spatial import Force, Mat3, Motion, Transform, Vec3

K, D, L = 30.0, 4.0, 0.7
A, B, C = (0.1, -0.2, 0.3), (-0.3, 0.2, 0.4), (0.2, 0.5, -0.1)


# Links as matrices


class Link:
    """A link in motion, as numbers."""

    def __init__(self, R, p, twist):
        self.R, self.p, self.twist = R, p, twist

    def gamma(self, x):
        """Takes the twist to the velocity of a point in the link's axes (1.12)."""
        return np.hstack([-hat(np.asarray(x, float)), np.eye(3)])

    def at(self, x):
        return self.p + self.R @ x

    def velocity(self, x):
        return self.R @ self.gamma(x) @ self.twist

    def pushed(self, x, force):
        """Wrench of a force in world axes at a point."""
        return self.gamma(x).T @ self.R.T @ force

    def moved(self, d):
        T = expm(hat(np.asarray(d)))
        return Link(self.R @ T[:3, :3], self.p + self.R @ T[:3, 3], self.twist)

    def frame(self):
        X = Transform(Mat3.from_rows(self.R.T), Vec3(*self.p))
        return forces.MovingFrame(X, Motion(Vec3(*self.twist[:3]), Vec3(*self.twist[3:])))


WORLD = Link(np.eye(3), np.zeros(3), np.zeros(6))


def links(element, seed=0, speed=1.0):
    """A random state of the links of an element, the world where it stands."""
    rng = np.random.default_rng(seed)
    states = []
    for name in element.links:
        R, _ = np.linalg.qr(expm(hat(rng.normal(size=3))))
        R = R * np.linalg.det(R)
        p, twist = rng.normal(size=3), speed * rng.normal(size=6)
        states.append(Link(R, p, twist) if name is not None else WORLD)
    return states


def wrenches(element, states, t=0.0, slopes=False):
    """Wrenches on all links end to end, and their slopes if wanted."""
    ports = [Port(k + 1, Transform(), 6) if name is not None else Port(0, Transform(), 0)
             for k, name in enumerate(element.links)]  # fmt: skip
    found, *blocks = linearised(element, ports, seen(states, t), slopes)
    flat = np.array([x for w in found for x in (*w.ang, *w.lin)], float)
    if not slopes:
        return flat
    moving = np.flatnonzero(np.repeat([name is not None for name in element.links], 6))
    whole = np.zeros((2, len(flat), len(flat)))
    for k, block in enumerate(blocks):
        whole[k][np.ix_(moving, moving)] = block
    return (flat, *whole)


def seen(states, t=0.0):
    """What an element on links sees."""
    return Here(t, [state.frame() for state in states], (), (), (), {}, None)


def each_way(element, states, function, h=1e-3):
    """Derivative of function(states) by motions of the links; nothing moves the world."""
    columns = []
    for k, name in enumerate(element.links):
        for d in np.eye(6):

            def there(s, k=k, d=d):
                moved = [x.moved(s * h * d) if i == k else x for i, x in enumerate(states)]
                return function(moved)

            column = 45 * (there(1) - there(-1)) - 9 * (there(2) - there(-2)) + there(3) - there(-3)
            columns.append((name is not None) * np.asarray(column) / (60 * h))
    return np.stack(columns, -1)


# Elements and what they should give


def line(points, states):
    """Length of a line through points, its rate, and its direction from point to point."""
    at = [s.at(x) for s, x in zip(states, points, strict=True)]
    rates = [s.velocity(x) for s, x in zip(states, points, strict=True)]
    gaps = np.diff(at, axis=0)
    parts = np.linalg.norm(gaps, axis=1)
    along = gaps / parts[:, None]
    return parts.sum(), (along * np.diff(rates, axis=0)).sum(), along


def drag(c, point=(0.0, 0.0, 0.0)):
    def expected(states):
        (s,) = states
        turn = np.concatenate([-c * s.twist[:3], np.zeros(3)])
        return turn + s.pushed(point, -c * s.velocity(point))

    return expected, lambda states: 0.0


def thrust(force, point):
    return (
        lambda states: states[0].pushed(point, np.array(force)),
        lambda states: -states[0].at(point) @ force,
    )


def zero_length(a, b, k):
    def expected(states):
        one, two = states
        f = k * (two.at(b) - one.at(a))
        return np.concatenate([one.pushed(a, f), two.pushed(b, -f)])

    return expected, lambda s: 0.5 * k * np.sum((s[1].at(b) - s[0].at(a)) ** 2)


def tension(points, k, rest, d, pushes):
    def expected(states):
        length, rate, along = line(points, states)
        taut = pushes or length > rest
        f = (k * (length - rest) + d * rate) / rest * taut
        pull = np.zeros((len(points), 3))
        pull[:-1] += f * along
        pull[1:] -= f * along
        return np.concatenate(
            [s.pushed(x, y) for s, x, y in zip(states, points, pull, strict=True)]
        )

    def energy(states):
        longer = line(points, states)[0] - rest
        return 0.5 * k / rest * longer**2 * (pushes or longer > 0.0)

    return expected, energy


THREE = (("hand", A), ("arm", B), ("leg", C))
BESIDE = (("hand", A), (None, B), ("arm", C), ("arm", A))
ELEMENTS = {
    "damping": (forces.BodyDamping("arm", D), drag(D)),
    "damping at a point": (forces.BodyDamping("arm", D, A), drag(D, A)),
    "point force": (forces.PointForce("arm", C, B), thrust(C, B)),
    "point force at the origin": (forces.PointForce("arm", C), thrust(C, (0.0, 0.0, 0.0))),
    "point to point": (
        forces.PointToPoint(("arm", A), ("leg", B), K), zero_length(A, B, K)),
    "point to the world": (
        forces.PointToPoint(("arm", A), (None, B), K), zero_length(A, B, K)),
    "world to a point": (
        forces.PointToPoint((None, A), ("arm", B), K), zero_length(A, B, K)),
    "spring": (
        forces.Spring.per_strain(("arm", A), ("leg", B), K, L, D), tension((A, B), K, L, D, True)),
    "short spring": (
        forces.Spring.per_strain(("arm", A), ("leg", B), K, 9.0, D),
        tension((A, B), K, 9.0, D, True)),
    "spring to the world": (
        forces.Spring.per_strain((None, A), ("leg", B), K, L, D), tension((A, B), K, L, D, True)),
    "cable": (forces.Cable.per_strain(THREE, K, L, D), tension((A, B, C), K, L, D, False)),
    "slack cable": (
        forces.Cable.per_strain(THREE, K, 99.0, D), tension((A, B, C), K, 99.0, D, False)),
    "cable over the world": (
        forces.Cable.per_strain(BESIDE, K, L, D), tension((A, B, C, A), K, L, D, False)),
}  # fmt: skip
"""Elements, their wrenches by hand, and their energy."""


def load_of(element):
    """A spring with a damper as a force of the user's own, by its wrench."""

    def wrench(frames, t):
        one, two = frames
        gap = two.at(B) - one.at(A)
        length = gap.norm()
        rate = gap.dot(two.velocity(B) - one.velocity(A)) / length
        f = gap * ((K * (length - L) + D * rate) / (L * length))
        return [one.wrench(A, f), two.wrench(B, -f)]

    return forces.LinkLoad(element.links, wrench=wrench)


def potential_load(element):
    """The same force as one of the user's own, by its potential alone."""

    def potential(frames, t):
        return element.energy(Here(t, frames, (), (), (), {}, None))

    return forces.LinkLoad(element.links, potential=potential)


CONSERVATIVE = {
    "point force": ELEMENTS["point force"][0],
    "point to point": forces.PointToPoint(("arm", A), ("leg", B), K),
    "point to the world": forces.PointToPoint(("arm", A), (None, B), K),
    "spring": forces.Spring.per_strain(("arm", A), ("leg", B), K, L),
    "spring to the world": forces.Spring.per_strain((None, A), ("leg", B), K, L),
    "cable": forces.Cable.per_strain(THREE, K, L),
    "slack cable": forces.Cable.per_strain(THREE, K, 99.0),
    "cable over the world": forces.Cable.per_strain(BESIDE, K, L),
}


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_wrenches_and_energies_are_those_of_the_formulas(name, seed):
    element, (expected, energy) = ELEMENTS[name]
    states = links(element, seed)
    close(wrenches(element, states), expected(states), 1e-13, scale=1e-10)
    found = element.energy(seen(states))
    assert found == pytest.approx(energy(states), rel=1e-13)


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_wrenches_are_minus_the_slope_of_the_energy(name):
    element = CONSERVATIVE[name]
    states = links(element, 3)

    def energy(there):
        return np.array(element.energy(seen(there)))

    moving = np.repeat([link is not None for link in element.links], 6)
    close(wrenches(element, states) * moving, -each_way(element, states, energy), 1e-9, 1e-3)


@pytest.mark.parametrize("name", [n for n, (e, _) in ELEMENTS.items() if len(e.links) > 1])
def test_forces_between_links_change_no_momentum(name):
    element, _ = ELEMENTS[name]
    states = links(element, 4)
    total = np.zeros(6)
    for s, f in zip(states, wrenches(element, states).reshape(-1, 6), strict=True):
        push, turn = s.R @ f[3:], s.R @ f[:3]
        total += np.concatenate([turn + np.cross(s.p, push), push])
    assert np.abs(total).max() < 1e-11


@pytest.mark.parametrize("name", [n for n, (e, _) in ELEMENTS.items() if getattr(e, "damping", 0)])
def test_dampers_take_energy_away(name):
    element, _ = ELEMENTS[name]
    states, still = links(element, 5, speed=3.0), links(element, 5, speed=0.0)
    damping = wrenches(element, states) - wrenches(element, still)
    power = damping @ np.concatenate([s.twist for s in states])
    assert power == 0.0 if "slack" in name else power < -1e-3


DAMPER = forces.PointToPoint(("arm", A), ("leg", B), 0.0, D)


def test_a_damper_between_points_changes_no_momentum():
    states = links(DAMPER, 4)
    total = np.zeros(6)
    for s, f in zip(states, wrenches(DAMPER, states).reshape(2, 6), strict=True):
        push, turn = s.R @ f[3:], s.R @ f[:3]
        total += np.concatenate([turn + np.cross(s.p, push), push])
    assert np.abs(total).max() < 1e-11


def test_a_damper_between_points_does_not_feel_links_that_move_as_one():
    one, two = links(DAMPER, 5)
    w, v = one.R @ one.twist[:3], one.R @ one.twist[3:]
    there = v + np.cross(w, two.p - one.p)
    two.twist = np.concatenate([two.R.T @ w, two.R.T @ there])
    assert np.abs(wrenches(DAMPER, [one, two])).max() < 1e-12


def test_a_damper_between_points_slows_one_seen_from_the_other():
    one, two = links(DAMPER, 6)
    power = wrenches(DAMPER, [one, two]) @ np.concatenate([one.twist, two.twist])
    assert power < -1e-3
    two.p = one.at(A) - two.R @ B  # the points meet
    f = D * (two.velocity(B) - one.velocity(A))
    expected = np.concatenate([one.pushed(A, f), two.pushed(B, -f)])
    close(wrenches(DAMPER, [one, two]), expected, 1e-12)


def test_slopes_of_a_damper_between_points():
    states = links(DAMPER, 7)
    _, stiff, damp = wrenches(DAMPER, states, slopes=True)
    by_place = each_way(DAMPER, states, lambda there: wrenches(DAMPER, there))
    close(stiff, 0.5 * (by_place + by_place.T), 1e-9)
    twist = np.concatenate([s.twist for s in states])
    close(damp @ twist, -wrenches(DAMPER, states), 1e-12)
    close(damp, damp.T, 1e-13)
    assert np.linalg.eigvalsh(damp).min() > -1e-12


# Slopes


@pytest.mark.parametrize("name", ELEMENTS)
def test_slopes_are_those_of_the_wrenches(name):
    element, (expected, _) = ELEMENTS[name]
    states = links(element, 6)
    _, stiff, damp = wrenches(element, states, slopes=True)
    by_place = each_way(element, states, expected)
    moving = np.ix_(*2 * [np.repeat([link is not None for link in element.links], 6)])
    close(stiff[moving], 0.5 * (by_place + by_place.T)[moving], 1e-9, scale=1e-3)
    by_twist = []
    for k in range(len(element.links)):
        for d in np.eye(6):
            ahead, behind = (
                expected([Link(x.R, x.p, x.twist + sign * d * (i == k))
                          for i, x in enumerate(states)])
                for sign in (0.5, -0.5)
            )  # fmt: skip
            by_twist.append(ahead - behind)  # exact: forces are linear in twists
    close(damp[moving], -np.stack(by_twist, -1)[moving], 1e-12, scale=1e-3)


def closed_form(states, a, b, tension, by_length, by_rate):
    """K = +df/dq and D = -df/dphi of any two-point force."""
    one, two = states
    gap = two.at(b) - one.at(a)
    l, rate, _ = line((a, b), states)
    u = gap / l
    F, Fl, Fv = tension(l, rate), by_length, by_rate
    g = np.concatenate([one.pushed(a, gap), -two.pushed(b, gap)])
    e = (np.eye(3) - np.outer(u, u)) @ (two.velocity(b) - one.velocity(a)) / l
    S1, S2 = (hat(np.asarray(x, float)) for x in (a, b))
    R12, R21 = one.R.T @ two.R, two.R.T @ one.R
    P1, P2 = hat(one.R.T @ (one.p - two.at(b))), hat(two.R.T @ (two.p - one.at(a)))
    I = np.eye(3)
    bracket = np.block([
        [S1 @ P1, S1, S1 @ R12 @ S2, -S1 @ R12],
        [P1, I, R12 @ S2, -R12],
        [S2 @ R21 @ S1, -S2 @ R21, S2 @ P2, S2],
        [R21 @ S1, -R21, P2, I],
    ])  # fmt: skip
    turning = [u @ s.R @ hat(s.gamma(x) @ s.twist) for s, x in ((one, a), (two, b))]
    w = np.concatenate([-e @ one.R @ one.gamma(a), e @ two.R @ two.gamma(b)])
    w += np.concatenate([turning[0], np.zeros(3), -turning[1], np.zeros(3)])
    stiff = (F / l**3 - Fl / l**2) * np.outer(g, g) - F / l * bracket + Fv / l * np.outer(g, w)
    return stiff, Fv / l**2 * np.outer(g, g)


@pytest.mark.parametrize("seed", range(3))
def test_slopes_of_a_spring_have_the_closed_form(seed):
    element = forces.Spring.per_strain(("arm", A), ("leg", B), K, L, D)
    states = links(element, seed)
    _, stiff, damp = wrenches(element, states, slopes=True)
    exact, viscous = closed_form(
        states, A, B, lambda l, rate: (K * (l - L) + D * rate) / L, K / L, D / L
    )
    close(stiff, 0.5 * (exact + exact.T), 1e-13)
    close(damp, viscous, 1e-13)
    assert np.abs(exact - exact.T).max() > 1e-2 * np.abs(exact).max()


@pytest.mark.parametrize("seed", range(3))
def test_slopes_of_a_point_to_point_spring_have_the_closed_form(seed):
    element = forces.PointToPoint(("arm", A), ("leg", B), K)
    states = links(element, seed)
    _, stiff, _ = wrenches(element, states, slopes=True)
    exact, _ = closed_form(states, A, B, lambda l, rate: K * l, K, 0.0)
    close(stiff, 0.5 * (exact + exact.T), 1e-13)


def test_the_slope_of_a_point_force_has_the_closed_form():
    element = forces.PointForce("arm", C, B)
    states = links(element, 7)
    _, stiff, damp = wrenches(element, states, slopes=True)
    own = hat(states[0].R.T @ C)
    exact = np.block([[hat(np.array(B)) @ own, np.zeros((3, 3))], [own, np.zeros((3, 3))]])
    close(stiff, 0.5 * (exact + exact.T), 1e-14)
    assert not damp.any()


# Forces of the user's own


def test_a_load_by_its_wrench_is_the_same_force():
    element, _ = ELEMENTS["spring"]
    states = links(element, 8)
    for found, expected in zip(
        wrenches(load_of(element), states, slopes=True),
        wrenches(element, states, slopes=True),
        strict=True,
    ):
        close(found, expected, 1e-13)


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_a_load_by_its_potential_is_the_same_force(name):
    element = CONSERVATIVE[name]
    states, load = links(element, 9), potential_load(element)
    found, stiff, damp = wrenches(load, states, slopes=True)
    expected, slope, _ = wrenches(element, states, slopes=True)
    moving = np.repeat([link is not None for link in element.links], 6)
    close(found[moving], expected[moving], 1e-12, 1e-3)
    both = np.ix_(moving, moving)
    close(stiff[both], slope[both], 1e-11, 1e-3)
    assert not damp.any()
    assert load.energy(seen(states)) > -np.inf


def test_a_load_may_depend_on_time_and_give_one_wrench():
    load = forces.LinkLoad(
        ("arm",), lambda frames, t: frames[0].wrench(A, Vec3(ar.sin(t), 0.0, t * t))
    )
    states = links(load, 1)
    close(wrenches(load, states, 0.8), states[0].pushed(A, [np.sin(0.8), 0.0, 0.64]), 1e-14)


# In a figure


def conservative():
    """Springs of every sort at the figure, between links, to the world, on a link that is fixed."""
    return [
        forces.Spring.per_strain(("pad", A), (None, B), K, L),
        forces.PointToPoint(("hand", A), ("pad", B), K),
        forces.PointToPoint(("leg", A), ("arm", B), K),
        forces.Cable.per_strain((("pad", A), ("trunk", B), (None, C), ("leg", A)), K, L),
        forces.PointForce("pad", C, A),
        forces.JointSpring("trunk", 5.0, 0.0, (0.9, 0.1, -0.3, 0.2)),
        forces.JointSpring("hand", (3.0, 2.0), 0.0, (0.2, -0.3)),
        forces.JointLimit("leg", 70.0),
    ]


def at_claw():
    """The same at the figure with a finger that follows another."""
    return [
        forces.Spring.per_strain(("three", A), (None, B), K, L),
        forces.PointToPoint(("two", A), ("three", B), K),
        forces.JointSpring("one", 2.0, 0.0, -0.2),
        forces.JointLimit("one", 70.0, 0.0, -0.3, 0.2),
        forces.JointLimit("palm", 20.0, 0.0, (-0.3, -0.1), 0.2),
    ]


SCENES = {"puppet": (figure, conservative), "claw": (follower, at_claw)}


@pytest.mark.parametrize("name", SCENES)
def test_joint_forces_are_minus_the_slope_of_the_energy(name):
    model, elements = (make() for make in SCENES[name])
    for element in [*elements, None]:
        scene = ar.Scene(model, elements if element is None else [element])
        q, _ = start(model, 3, (3,), speed=0.0)
        expected = -by_motion(lambda q, s=scene: potential(s, q), model, q)
        close(pushes(scene, q, np.zeros((3, model.nv))), expected, 1e-8, scale=1.0)


def test_damping_of_joints_is_part_of_a_scene():
    model = figure()
    q, qd = start(model, 1)
    expected = -np.array([0.3, 0.2, 0.1, 0, 0, 0, 0]) * qd
    close(pushes(ar.Scene(model), q, qd), expected, 1e-15)


def test_damping_of_a_follower_acts_on_its_leader():
    model = follower()
    q, qd = start(model, 1)
    expected = np.zeros(model.nv)
    expected[model.slice_qd("one")] = -0.04 * 4.0 * qd[model.slice_qd("one")]
    close(pushes(ar.Scene(model), q, qd), expected, 1e-14)


def test_damping_of_a_file_is_part_of_a_scene(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("""<robot name="arm"><link name="base"/><link name="upper"><inertial>
        <mass value="2"/><origin xyz="0 0.1 0.3"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="elbow" type="continuous"><parent link="base"/><child link="upper"/>
        <axis xyz="0 1 0"/><dynamics damping="0.7" friction="0"/></joint></robot>""")
    scene = ar.Scene(ar.load(path))
    assert pushes(scene, np.array([0.3]), np.array([2.0])) == pytest.approx(-1.4)


def test_forces_at_one_joint_add_up():
    model = figure()
    q, qd = start(model, 2)
    one = forces.JointSpring("leg", 3.0, 1.0, 0.2)
    two = forces.JointTorque("leg", lambda q, qd, t: 2.0 * q[0] * qd[0] + t)
    together = pushes(ar.Scene(model, [one, two, one]), q, qd, 0.4)
    apart = [pushes(ar.Scene(model, [x]), q, qd, 0.4) for x in (one, two, one)]
    damping = pushes(ar.Scene(model), q, qd)
    close(together, sum(apart) - 2 * damping, 1e-14)


# Slopes of a whole scene


@pytest.mark.parametrize("make, elements", [(figure, pulls), (follower, at_claw)])
def test_exact_slopes_are_those_of_the_joint_forces(make, elements):
    model = make()
    scene = ar.Scene(model, [*elements(), forces.JointTorque(
        model.joint_names[1], lambda q, qd, t: -t * q[0] * qd[0])])  # fmt: skip
    q, qd = start(model, 8)

    @ar.takes(t=())
    def page(tree, q, qd, t):
        return exact_slopes(system(scene, tree), State(t, q, qd, {}))

    stiff, damp = ar.evaluate(page, model, q, qd, 0.6)
    close(stiff, by_motion(lambda q: pushes(scene, q, qd, 0.6), model, q), 1e-8)
    by_rate = [(pushes(scene, q, qd + 1e-4 * e, 0.6) - pushes(scene, q, qd - 1e-4 * e, 0.6)) / 2e-4
               for e in np.eye(model.nv)]  # fmt: skip
    close(damp, -np.stack(by_rate, -1), 1e-8)


@pytest.mark.parametrize("make, elements", [(figure, pulls), (follower, at_claw)])
def test_a_step_adds_slopes_projected_by_jacobians(make, elements):
    model, h = make(), 0.03
    scene = ar.Scene(model, elements())
    q, qd = start(model, 9)
    found = slopes(scene, q, qd, 0.0, lambda tree, q, now: implicit_matrix(tree, q, now, h))
    expected = np.zeros((model.nv, model.nv))
    for element in scene.elements:
        if not element.links:
            continue
        states, J = [], []
        for name in element.links:
            if name is None:
                states.append(WORLD)
                J.append(np.zeros((6, model.nv)))
                continue
            T = model.frame_pose(q, name)
            J.append(model.jacobian(q, name, axes="local"))
            states.append(Link(T[:3, :3], T[:3, 3], J[-1] @ qd))
        _, stiff, damp = wrenches(element, states, slopes=True)
        J = np.concatenate(J)
        expected += J.T @ (h * damp - h * h * stiff) @ J
    joints = ar.Scene(model, [f for f in scene.elements if not f.links])
    stiff = by_motion(lambda q: pushes(joints, q, qd), model, q)
    stiff = 0.5 * (stiff + stiff.T)
    by_rate = [pushes(joints, q, qd + 0.5 * e) - pushes(joints, q, qd - 0.5 * e)
               for e in np.eye(model.nv)]  # fmt: skip
    close(found, expected - h * np.stack(by_rate, -1) - h * h * stiff, 1e-8)


def test_a_wrench_may_be_given_as_arrays_of_a_batch():
    """The interpreter runs elements on arrays, one entry a state."""
    model = figure()
    q, qd = start(model, 10, (4,))
    scene = ar.Scene(model, pulls())
    together = pushes(scene, q, qd, np.linspace(0, 1, 4))
    for k in range(4):
        close(together[k], pushes(scene, q[k], qd[k], k / 3), 1e-13)


def test_frames_tell_where_points_are():
    states = links(forces.BodyDamping("arm", 1.0), 11)
    frame, s = states[0].frame(), states[0]
    np.testing.assert_allclose(np.array(frame.at(A)), s.at(A), rtol=1e-14)
    np.testing.assert_allclose(np.array(frame.velocity(A)), s.velocity(A), rtol=1e-13)
    wrench = frame.wrench(A, Vec3(*C))
    assert isinstance(wrench, Force)
    np.testing.assert_allclose([*wrench.ang, *wrench.lin], s.pushed(A, np.array(C)), rtol=1e-13)


# What was wrong once


def test_a_cable_that_shortens_fast_does_not_push():
    cable = forces.Cable.per_strain((("arm", (0, 0, 0)), (None, (0, 0, 0))), 100.0, 0.5, 50.0)
    link = Link(np.eye(3), np.array([0.0, 0.0, 0.6]), np.array([0, 0, 0, 0, 0, -10.0]))
    assert not wrenches(cable, [link, WORLD]).any()
    link.twist = np.zeros(6)
    assert wrenches(cable, [link, WORLD])[5] == pytest.approx(-20.0)


@pytest.mark.parametrize("integrator", ["implicit Euler", "BDF1", "variational", "Runge-Kutta"])
def test_lines_whose_points_meet(integrator):
    model = figure()
    meet = ("trunk", (0, 0, 0)), (None, (0, 0, 2))
    lines = [
        forces.Spring.per_strain(*meet, 5.0, 0.5, 1.0),
        forces.Cable.per_strain(meet, 5.0, 0.5, 1.0),
    ]
    lines.append(forces.Cable.per_strain((meet[0], *meet, ("leg", (0, 0, 0))), 5.0, 0.5, 1.0))
    found = simulate(ar.Scene(model, lines), 0.05, 0.01, integrator)
    assert np.isfinite(found.energy).all()


def test_a_wrench_and_a_potential_add_up():
    model = figure()
    q, qd = start(model, 3)

    def drag(frames, t):
        return frames[0].wrench((0, 0, 0), frames[0].velocity((0, 0, 0)) * -2.0)

    def well(frames, t):
        x = frames[0].at((0, 0, 0))
        return 3.0 * x.dot(x)

    both, one, two = (
        pushes(ar.Scene(model, [forces.LinkLoad(("hand",), *given)]), q, qd)
        for given in ((drag, well), (drag, None), (None, well))
    )
    close(both, one + two - pushes(ar.Scene(model), q, qd), 1e-12)
    assert potential(ar.Scene(model, [forces.LinkLoad(("hand",), drag, well)]), q) > 0.0


def test_a_potential_knows_no_velocity():
    load = forces.LinkLoad(("hand",), potential=lambda f, t: f[0].velocity((0, 0, 0)).x)
    with pytest.raises(ar.ModelError, match="depends on velocities"):
        simulate(ar.Scene(figure(), [load]), 0.1, 0.01)
