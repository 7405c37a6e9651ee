"""Dynamics with motion given, at joints or by constraints, against systems solved by NumPy."""

import functools

import numpy as np
import pytest
from every_joint import FIGURES, UNTIED, case, each, times, transposed, value
from law_figures import assert_close

import arthron as ar
from arthron._algorithms.constrained import constrained_dynamics, constraint_impulse
from arthron._algorithms.hybrid import hybrid_dynamics
from arthron.algorithms import (
    aba,
    bias_forces,
    crba,
    forward_dynamics,
    inverse_dynamics,
    kinetic_energy,
    rnea,
)

SOLVED = 1e-10


def solve(A, b):
    return np.linalg.solve(A, b[..., None])[..., 0]


def saddle(M, G, damping=0.0):
    """The matrix (M -G^T; G damping) for each state."""
    n, m = len(M), G.shape[-2]
    soft = np.broadcast_to(damping * np.eye(m), (n, m, m))
    return np.block([[M, -transposed(G)], [G, soft]])


# Some joints prescribed


def hybrid(name, joints, **changed):
    """Hybrid dynamics of a figure's states with the joints of these numbers prescribed."""
    page = functools.partial(hybrid_dynamics, prescribed=tuple(joints))
    given = {n: case(name)[n] for n in ("q", "qd", "qdd", "tau", "f_ext")}
    return ar.evaluate(page, FIGURES[name], **{**given, **changed})


def coordinates(model, joints):
    """Which velocity coordinates some joints have."""
    starts = model.tree.v_start
    return [k for i in joints for k in range(starts[i], starts[i + 1])]


def subsets(model):
    """Of joints: one, two that are not neighbours, all but one, random ones."""
    rng, nb = np.random.default_rng(2), model.nb
    yield from ([1], [nb], [1, nb], list(range(2, nb + 1)))
    yield from (np.flatnonzero(rng.random(nb) < 0.5) + 1 for _ in range(2))


@each(UNTIED)
def test_prescribed_joints(name):
    """tau reproduces qdd, and what was given is kept; the same from M qdd = ... - G^T f, G qdd = b.

    S19 2.102 has the multipliers with the other sign.
    """
    model, given = FIGURES[name], case(name)
    M = value(crba, name)
    bias = ar.evaluate(bias_forces, model, given["q"], given["qd"], given["f_ext"])
    for joints in subsets(model):
        held = coordinates(model, joints)
        free = [k for k in range(model.nv) if k not in held]
        qdd, tau = hybrid(name, joints)
        assert np.array_equal(qdd[:, held], given["qdd"][:, held])
        assert np.array_equal(tau[:, free], given["tau"][:, free])
        needed = ar.evaluate(rnea, model, given["q"], given["qd"], qdd, given["f_ext"])
        assert_close(tau, needed, SOLVED)
        G = np.broadcast_to(np.eye(model.nv)[held], (3, len(held), model.nv))
        pushed = given["tau"].copy()
        pushed[:, held] = 0.0
        right = np.concatenate([pushed - bias, given["qdd"][:, held]], axis=-1)
        both = solve(saddle(M, G), right)
        assert_close(qdd, both[:, : model.nv], SOLVED)
        assert_close(tau[:, held], both[:, model.nv :], SOLVED)


@each(UNTIED)
def test_extremes(name):
    qdd, tau = hybrid(name, [])
    assert_close(qdd, value(aba, name), 1e-13)
    assert np.array_equal(tau, case(name)["tau"])
    qdd, tau = hybrid(name, FIGURES[name].tree.bodies)
    assert_close(tau, value(inverse_dynamics, name), 1e-12)
    assert np.array_equal(qdd, case(name)["qdd"])


def test_what_is_to_be_found_is_not_read():
    model, given = FIGURES["balls"], case("balls")
    expected = hybrid("balls", [1, 3])
    held = coordinates(model, [1, 3])
    free = [k for k in range(model.nv) if k not in held]
    qdd, tau = given["qdd"].copy(), given["tau"].copy()
    qdd[:, free], tau[:, held] = np.nan, np.nan
    found = hybrid("balls", [1, 3], qdd=qdd, tau=tau)
    native = model.hybrid_dynamics(
        given["q"],
        given["qd"],
        qdd,
        tau,
        given["f_ext"],
        prescribed=[model.joint_names[0], model.joint_names[2]],
    )
    for one, other, compiled in zip(found, expected, native, strict=True):
        assert np.array_equal(one, other)
        assert_close(compiled, other, SOLVED)


def test_native_hybrid_dynamics():
    model, given = FIGURES["bird"], case("bird")
    state = [given[n] for n in ("q", "qd", "qdd", "tau")]
    a, b = model.joint_names[1], model.joint_names[3]
    first = model.hybrid_dynamics(*state, prescribed=[a, b])
    page = functools.partial(hybrid_dynamics, prescribed=(2, 4))
    for one, other in zip(first, ar.evaluate(page, model, *state), strict=True):
        assert_close(one, other, SOLVED)
    for names in ((b, a), {a, b}, iter([a, b]), [a, b, a]):
        again = model.hybrid_dynamics(*state, prescribed=names)
        assert same(first, again)
    one, alone = (model.hybrid_dynamics(*state, prescribed=names) for names in (a, [a]))
    assert same(one, alone)
    out = tuple(np.full_like(x, np.nan) for x in first)
    filled = model.hybrid_dynamics(*state, prescribed=[a, b], out=out)
    assert all(one is other for one, other in zip(filled, out, strict=True))
    assert same(first, out)


def same(found, expected):
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


def test_prescribed_joints_on_native_batches_and_single_states():
    model, given = FIGURES["hinges"], case("hinges")
    state = [given[n] for n in ("q", "qd", "qdd", "tau", "f_ext")]
    batch = model.hybrid_dynamics(*state, prescribed=["joint3"])
    single = model.hybrid_dynamics(*(x[1] for x in state), prescribed=["joint3"])
    for one, other in zip(single, batch, strict=True):
        assert_close(one, other[1], 1e-12)


# Constraints


def random_constraints(model, rows, seed=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, rows, model.nv)), rng.normal(size=(3, rows))


def constrained(name, G, b, damping=0.0):
    page = functools.partial(constrained_dynamics, damping=damping)
    given = {n: case(name)[n] for n in ("q", "qd", "tau", "f_ext")}
    shapes = {"G": G.shape[1:], "b": b.shape[1:]}
    return ar.evaluate(page, FIGURES[name], **given, G=G, b=b, shapes=shapes)


def expected_of(name, G, b, damping=0.0):
    model, given = FIGURES[name], case(name)
    bias = ar.evaluate(bias_forces, model, given["q"], given["qd"], given["f_ext"])
    right = np.concatenate([given["tau"] - bias, b], axis=-1)
    both = solve(saddle(value(crba, name), G, damping), right)
    return both[:, : model.nv], both[:, model.nv :]


@each(FIGURES)
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_constrained_dynamics(name, damping):
    model = FIGURES[name]
    for rows in (1, 3):
        G, b = random_constraints(model, rows)
        qdd, forces = constrained(name, G, b, damping)
        for one, other in zip((qdd, forces), expected_of(name, G, b, damping), strict=True):
            assert_close(one, other, SOLVED)
        assert_close(times(G, qdd) + damping * forces, b, SOLVED, scale=np.abs(qdd).max())


def test_as_many_constraints_as_coordinates():
    """Then the constraints alone say how it moves."""
    model = FIGURES["customs"]
    G, b = random_constraints(model, model.nv)
    qdd, forces = constrained("customs", G, b)
    assert_close(qdd, solve(G, b), 1e-9)
    assert_close(forces, expected_of("customs", G, b)[1], 1e-9)


def test_no_constraints():
    model, given = FIGURES["balls"], case("balls")
    state = [given[n] for n in ("q", "qd", "tau")]
    G, b = np.zeros((3, 0, model.nv)), np.zeros((3, 0))
    free = ar.evaluate(forward_dynamics, model, *state)
    qdd, forces = model.constrained_dynamics(*state, G, b)
    assert forces.shape == (3, 0)
    assert_close(qdd, free, SOLVED)


def test_constraints_that_say_the_same_twice():
    """Without damping there is no answer; with a little, nearly the one of each row once."""
    model = FIGURES["euler"]
    G, b = random_constraints(model, 2)
    once, forces = expected_of("euler", G, b)
    twice_G, twice_b = np.concatenate([G, G[:, :1]], 1), np.concatenate([b, b[:, :1]], 1)
    qdd, shared = constrained("euler", twice_G, twice_b, 1e-8)
    assert_close(qdd, once, 1e-6)
    assert_close(shared[:, 0] + shared[:, 2], forces[:, 0], 1e-6)
    assert_close(shared[:, 0], shared[:, 2], 1e-6)
    for one, other in zip((qdd, shared), expected_of("euler", twice_G, twice_b, 1e-8), strict=True):
        assert_close(one, other, 1e-6)


def test_a_loop_is_kept_closed():
    """G from the Jacobian of a point held in the world, b = -G' qd: it does not accelerate."""
    model, given = FIGURES["bird"], case("bird")
    body = model.body_names[1]
    q, qd, tau = given["q"], given["qd"], given["tau"]
    G = model.jacobian(q, body, (0.1, 0.2, 0.3), axes="world_aligned")[:, 3:]
    still = model.frame_acceleration(q, qd, 0.0 * qd, body, axes="world_aligned", classical=True)
    pose, twist = model.frame_pose(q, body), model.frame_velocity(q, qd, body, axes="world_aligned")
    arm = times(pose[:, :3, :3], np.array([0.1, 0.2, 0.3]))
    spin = twist[:, :3]
    drift = still[:, 3:] + np.cross(still[:, :3], arm) + np.cross(spin, np.cross(spin, arm))
    qdd, forces = model.constrained_dynamics(q, qd, tau, G, -drift)
    moved = model.frame_acceleration(q, qd, qdd, body, axes="world_aligned", classical=True)
    point = moved[:, 3:] + np.cross(moved[:, :3], arm) + np.cross(spin, np.cross(spin, arm))
    assert_close(point, 0.0 * point, 1e-10, scale=np.abs(qdd).max())
    # the same motion when the force acts from outside at the point
    f = np.zeros((3, model.nb, 6))
    local = times(transposed(pose[:, :3, :3]), forces)
    f[:, 1, :3], f[:, 1, 3:] = np.cross(np.array([0.1, 0.2, 0.3]), local), local
    assert_close(ar.evaluate(aba, model, q, qd, tau, f), qdd, 1e-9)


@pytest.mark.parametrize("rows", [1, 4])
def test_native_constrained_dynamics(rows):
    model, given = FIGURES["tied"], case("tied")
    state = [given[n] for n in ("q", "qd", "tau")]
    G, b = random_constraints(model, rows)
    page = functools.partial(constrained_dynamics, damping=0.25)
    shapes = {"G": (rows, model.nv), "b": (rows,)}
    for f_ext in (None, given["f_ext"]):
        expected = ar.evaluate(page, model, *state, G, b, f_ext=f_ext, shapes=shapes)
        found = model.constrained_dynamics(*state, G, b, f_ext, damping=0.25)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, SOLVED)
    # one constraint for all states, and one state
    shared = model.constrained_dynamics(*state, G[0], b[0], damping=0.25)
    single = model.constrained_dynamics(*(x[1] for x in state), G[0], b[0], damping=0.25)
    for one, other in zip(single, shared, strict=True):
        assert_close(one, other[1], 1e-11)


# Impacts


def impulse(name, G, restitution, damping=0.0):
    page = functools.partial(constraint_impulse, restitution=restitution, damping=damping)
    given = {n: case(name)[n] for n in ("q", "qd")}
    return ar.evaluate(page, FIGURES[name], **given, G=G, shapes={"G": G.shape[1:]})


@each(FIGURES)
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_impulses(name, restitution):
    model, given = FIGURES[name], case(name)
    M, before = value(crba, name), given["qd"]
    G, _ = random_constraints(model, 3)
    after, impulses = impulse(name, G, restitution)
    right = np.concatenate([times(M, before), -restitution * times(G, before)], axis=-1)
    both = solve(saddle(M, G), right)
    assert_close(after, both[:, : model.nv], SOLVED)
    assert_close(impulses, both[:, model.nv :], SOLVED)
    start, end = (ar.evaluate(kinetic_energy, model, given["q"], qd) for qd in (before, after))
    if restitution == 1.0:
        assert_close(end, start, SOLVED)
    else:  # energy of the motion along G is lost, up to the square of what comes back
        lost = (
            0.5
            * (1.0 - restitution**2)
            * (
                times(G, before) * solve(G @ np.linalg.solve(M, transposed(G)), times(G, before))
            ).sum(-1)
        )
        assert np.all(lost > 0.0)
        assert_close(start - end, lost, SOLVED, scale=start)


def test_native_impulses_and_repeated_rows():
    model, given = FIGURES["balls"], case("balls")
    G, _ = random_constraints(model, 2)
    twice = np.concatenate([G, G], axis=1)
    after, impulses = model.constraint_impulse(given["q"], given["qd"], twice, damping=1e-9)
    once, single = impulse("balls", G, 0.0)
    assert_close(after, once, 1e-7)
    assert_close(impulses[:, :2] + impulses[:, 2:], single, 1e-6)
    found = model.constraint_impulse(given["q"], given["qd"], G, restitution=0.5)
    for one, other in zip(found, impulse("balls", G, 0.5), strict=True):
        assert_close(one, other, SOLVED)


def test_one_bad_row_spoils_itself_alone():
    model, given = FIGURES["hinges"], case("hinges")
    state = [given[n] for n in ("q", "qd", "tau")]
    G, b = random_constraints(model, 2)
    expected = model.constrained_dynamics(*state, G, b)
    broken = G.copy()
    broken[1, 0, 0] = np.nan
    for one, other in zip(model.constrained_dynamics(*state, broken, b), expected, strict=True):
        assert np.isnan(one[1]).any()
        assert np.array_equal(one[[0, 2]], other[[0, 2]])
