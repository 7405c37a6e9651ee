"""Ways to the same step: by articulated bodies, by matrices, in places of arrays; and the law.

A branching figure with masses 1:1000 that lands on a floor, limbs on each other, too.
"""

import numpy as np
import pytest
from contact_cases import at_point, error_bound, slips_of

import arthron as ar
from arthron._contact.softness import mobilities
from arthron._scene import contact_step
from arthron._scene.contact_points import RECOVERY, RIGID, STICKING
from arthron._scene.setup import Setup

STEP, MU, ROWS = 5e-3, 0.6, 40
FLOOR = ("floor", ["trunk", "upper", "side", "tip"])
AMONG = [("upper", "side"), ("upper", "tip")]
EXACT = 1e-6
"""How far solutions may be off, beside what contact changes, by weak duality."""
SAME, ALIKE = 1e-8, 1e-6
"""How far velocities of two ways may differ [m/s, rad/s], and wrenches, beside the largest."""


@pytest.fixture(scope="module")
def model():
    """A trunk of 40 kg, two arms side by side, and 40 g at the end of one of them."""
    along = ar.pose((0.15, 0, 0), (0, np.pi / 2, 0))
    arm, hand = (ar.Capsule(0.04, 0.3, mass=m, placement=along) for m in (2.0, 0.04))
    return ar.Model([
        ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()]),
        ar.Body("trunk", ar.Free(), shapes=[ar.Box((0.5, 0.4, 0.1), mass=40.0)]),
        ar.Body("upper", ar.Revolute("z"), "trunk", (0.25, 0.05, -0.01), shapes=[arm]),
        ar.Body("side", ar.Revolute("y"), "trunk", (0.25, -0.05, -0.01), shapes=[arm]),
        ar.Body("tip", ar.Revolute((0, 1, 1)), "side", (0.3, 0, 0), shapes=[hand]),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def start(model):
    """A few millimetres above the floor or in it, flat or tilted, arms apart or nearly touching."""
    rng = np.random.default_rng(5)
    q, qd = np.tile(model.neutral(), (ROWS, 1)), rng.normal(size=(ROWS, model.nv))
    for k, row in enumerate(q):
        turn = 0.03 * rng.normal(size=model.nv)
        turn[:3] *= k % 2
        row[:] = model.integrate(row, turn)
    q[:, model.slice_q("upper")] = np.where(np.arange(ROWS) % 4 < 2, 0.0, -0.066)[:, None]
    q[:, 2] += rng.uniform(-1e-3, 5e-3, ROWS) - model.distances(q, pairs=[FLOOR]).gap.min(-1)
    qd[:, 5] -= 1.0
    return {"q": q, "qd": qd}


def landed(model, start, element):
    how = "semi-implicit Euler"  # contact at the pose before a step
    return ar.simulate(ar.Scene(model, [element]), STEP, STEP, integrator=how, **start)


@pytest.fixture(scope="module")
def by_bodies(model, start):
    """Points of a ground, with equations solved by articulated bodies."""
    return landed(model, start, ar.contacts.Ground(MU))


@pytest.fixture(scope="module")
def in_places(model, start):
    """Places of arrays: with matrices in loops, with matrices entry by entry."""
    found = []
    for many in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Setup, "key", lambda self: None)  # no program of before is looked for
            patch.setattr(contact_step, "MANY", many)
            if many:
                patch.setattr(contact_step, "_articulated", lambda *_: None)
            links = ar.contacts.Links([FLOOR, *AMONG], MU, name=f"links{many}")
            found.append(landed(model, start, links))
    return found


def wrenches(run, others):
    """Of all contacts with some links, on each first link, [moment; force] about the origin."""
    force, point = run.contacts.force[:, 1], run.contacts.point[:, 1]
    each = np.concatenate([np.cross(point, force), force], -1)
    pairs = [*zip(run.contacts.links, run.contacts.others, strict=True)]
    return {
        both: sum(each[:, k] for k, own in enumerate(pairs) if own == both)
        for both in sorted({own for own in pairs if own[1] in others}, key=str)
    }


def alike(one, other):
    """Whether wrenches are the same beside how large each is; small ones beside the largest."""
    size = max(np.abs(x).max() for x in one.values())
    for a, b in zip(one.values(), other.values(), strict=True):
        largest = np.maximum(np.abs(a).max(-1), 1e-3 * size)[:, None]
        assert (np.abs(a - b) < ALIKE * largest).all()
    return True


def test_a_step_obeys_the_law(model, start, by_bodies):
    """Velocities and impulses of what lands, by a bound that knows no solver."""
    q, qd = start["q"], start["qd"]
    contacts, links = by_bodies.contacts, by_bodies.contacts.links
    tree = model.tree
    moves = mobilities(tree, [model.frame(name).body for name in links])
    each = np.array([float(moves[model.frame(name).body].moves) for name in links])
    many = len(links)
    point, gap = contacts.point[:, 1], contacts.gap[:, 1]
    wanted = [[float(RECOVERY.least_rate(x, STEP)) for x in row] for row in gap]
    given = {
        "free": qd + STEP * model.forward_dynamics(q, qd, np.zeros(model.nv)),
        "n": np.tile([0.0, 0.0, 1.0], (ROWS, many, 1)), "mu": np.full((ROWS, many), MU),
        "Rt": np.tile(STICKING * each, (ROWS, 1)), "Rn": np.tile(RIGID * each, (ROWS, 1)),
        "wanted": np.array(wanted), "surface": np.zeros((ROWS, many, 3)),
    }  # fmt: skip
    J = np.stack([at_point(model, q, name, point[:, k]) for k, name in enumerate(links)], 1)
    v, impulses, A = by_bodies.qd[:, 1], STEP * contacts.force[:, 1], model.mass_matrix(q)
    taken, slips, on_cone = slips_of(given, J, v, impulses)
    off, _ = error_bound(given, A, J, v, on_cone, taken)
    pushed = contacts.touching[:, 1].any(-1)
    assert 20 < pushed.sum() < ROWS
    assert off.max() < EXACT
    assert np.abs(on_cone - impulses).max() < EXACT * np.abs(impulses).max()
    assert np.abs(taken - slips).max() < 1e-6  # Coulomb's law: nothing that slides is lifted


def test_all_ways_lead_to_the_same_step(by_bodies, in_places):
    """Among them those in which links touch each other, which the ground alone knows nothing of."""
    loops, entries = in_places
    np.testing.assert_allclose(loops.qd, entries.qd, rtol=0.0, atol=SAME)
    assert alike(wrenches(loops, ["floor"]), wrenches(entries, ["floor"]))
    assert alike(wrenches(loops, ["side", "tip"]), wrenches(entries, ["side", "tip"]))
    met = np.any([np.abs(x).max(-1) > 0.0 for x in wrenches(loops, ["side", "tip"]).values()], 0)
    assert 5 < met.sum() < 25
    np.testing.assert_allclose(loops.qd[~met], by_bodies.qd[~met], rtol=0.0, atol=SAME)
    assert np.abs(loops.qd - by_bodies.qd)[met].max() > 0.01
    ground, floor = wrenches(by_bodies, [None]), wrenches(loops, ["floor"])
    for name in FLOOR[1]:
        both = ground[name, None][~met], floor[name, "floor"][~met]
        assert alike(*({name: x} for x in both))
