"""Rows of constraints in the order of the tree: cheap where they are apart, and free to repeat."""

import functools
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from own_elements import Pin, Rod, Tray
from scene_cases import NATIVE, simulate

import arthron as ar
from arthron._scene import accelerations
from arthron._scene.accelerations import solve_rows
from arthron._scene.rows import Row
from arthron.constraints import Loop

MARK = (0.1, 0.3, 0.2)


class Brace(Rod):
    """A rod between two links of one figure."""

    relative = True


@dataclass(frozen=True)
class Hinges(ar.Element):
    """A door on two hinges: two points of a link stay where they are. Six rows, of rank five."""

    link: str
    points: tuple
    places: tuple

    @property
    def links(self):
        return (self.link,)

    def constraint(self, here):
        (frame,) = here.frames
        each = zip(self.points, self.places, strict=True)
        return tuple(a - b for point, place in each
                     for a, b in zip(frame.at(point), place, strict=True))  # fmt: skip


DOOR = [ar.Box((0.8, 0.04, 2.0), mass=20.0, placement=(0.4, 0.05, 1.0))]
KNOB = ar.Body("knob", ar.Revolute((1, 2, 0)), "door", (0.7, 0, 1),
               shapes=[ar.Capsule(0.02, 0.2, mass=1.0, placement=(0.1, 0.05, 0))])  # fmt: skip
AXIS = np.array([0.1, -0.2, 1.0]) / np.sqrt(1.05)


@functools.cache
def doors():
    """(built with a hinge, held at two points) and how each starts."""
    hinge = ar.Body("door", ar.Revolute(AXIS), shapes=DOOR)
    points = ((0.0, 0.0, 0.0), tuple(1.6 * AXIS))
    held = ar.Body("door", ar.Free(), shapes=DOOR)
    two = ar.Scene(ar.Model([held, KNOB]), [Hinges("door", points, points, name="hinges")])
    start = {"knob": 0.3, "qd": {"door": [*(1.5 * AXIS), 0, 0, 0], "knob": 2.0}}
    return (ar.Scene(ar.Model([hinge, KNOB])), {"knob": 0.3, "qd": {"door": 1.5, "knob": 2.0}},
            two, start)  # fmt: skip


@pytest.mark.parametrize("integrator", [*NATIVE, "leapfrog", "Runge-Kutta"])
def test_a_door_on_two_hinges_swings_as_on_one(integrator):
    built, first, held, second = doors()
    with pytest.warns(ar.SimulationWarning, match="1 of 6 rows .* the Hinges 'hinges'"):
        run = simulate(held, 0.5, 1e-3, integrator, start=second)
    exact = simulate(built, 0.5, 1e-3, "Runge-Kutta", start=first)
    poses = [m.frame_pose(q, "knob") for m, q in ((held.model, run.q), (built.model, exact.q))]
    error = np.abs(poses[0] - poses[1]).max()
    assert error < (1e-7 if integrator == "Runge-Kutta" else 0.03)
    assert np.ptp(exact.q[:, 0]) > 0.3 and np.isfinite(run.forces).all()


def test_rows_that_say_the_same_share_and_hold():
    """Against least squares in NumPy: A x = b + G^T y, G x = g, with rows twice and in sums."""
    rng = np.random.default_rng(4)
    n, m = 7, 5
    B = rng.normal(size=(n, n))
    A, b, G = B @ B.T + n * np.eye(n), rng.normal(size=n), rng.normal(size=(m, n))
    G[1, :3] = 0.0
    G[3], G[4] = 2.0 * G[0] - G[1], G[2]  # the fourth follows from the first two
    x0 = rng.normal(size=n)
    rows = [Row(dict(enumerate(line)), float(line @ x0)) for line in G]
    rows[1] = rows[1]._replace(G={k: x for k, x in rows[1].G.items() if k > 2})
    K = np.block([[A, -G.T], [G, np.zeros((m, m))]])
    expected = np.linalg.lstsq(K, np.concatenate([b, G @ x0]), rcond=1e-12)[0]
    for symmetric in (True, False):
        x, r, y = solve_rows(A.tolist(), b.tolist(), rows, symmetric=symmetric)
        np.testing.assert_allclose(x, expected[:n], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(r, G.T @ expected[n:], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(G.T @ y, r, rtol=1e-9, atol=1e-9)
        assert y[3] == 0.0 and y[4] == 0.0  # those that come second carry nothing


def ladder(n, element=Brace):
    """A chain with a side branch at every second link, tied to the next one by a rod."""
    shape = [ar.Capsule(0.03, 0.3, mass=1.0, placement=(0.02, 0.01, -0.15))]
    bodies, rods, parent = [], [], None
    for k in range(n):
        for name in "ab":
            bodies.append(ar.Body(f"{name}{k}", ar.Revolute("y"), parent, (0.02, 0, -0.3),
                                  shapes=shape))  # fmt: skip
            parent = f"{name}{k}"
        bodies.append(ar.Body(f"s{k}", ar.Revolute("x"), f"a{k}", (0.2, 0, 0), shapes=shape))
        rods.append(element((f"s{k}", (0, 0, -0.3)), (f"b{k}", (0, 0, -0.3)), 0.3))
    return ar.Scene(ar.Model(bodies), rods)


def test_joints_that_move_both_links_are_no_part_of_what_is_between_them():
    scene, whole = ladder(3), ladder(3, Rod)
    q = np.random.default_rng(3).normal(scale=0.2, size=scene.model.nv)
    state = scene.setup().start(q)
    matrices = []
    for each in (scene, whole):
        setup = each.setup()
        system = setup.system(each.model.tree, setup.parameters.pack({}).tolist())
        rows = system.velocity_rows(state, 0.0, 1.0)
        matrices.append([[float(row.G.get(j, 0.0)) for j in range(len(q))] for row in rows])
    np.testing.assert_allclose(*matrices, atol=1e-14)
    assert max(len(r.G) for r in rows) > 6  # it does not know
    rows = replace(system, elements=scene.all_elements).velocity_rows(state, 0.0, 1.0)
    assert [len(r.G) for r in rows] == [2, 2, 2]


def solved(scene, q, qd):
    """(qdd, joint forces, multipliers) at a state, on numbers."""
    setup, tree = scene.setup(), scene.model.tree
    system = setup.system(tree, setup.parameters.pack({}).tolist())
    state = replace(setup.start(q), qd=tree.rates(list(qd)))
    now, rows = system.loads(state), system.acceleration_rows(state)
    qdd, *rest = system.solve(state, now.f_ext, now.tau, rows)
    return [tree.vector(qdd), *rest]


@pytest.mark.parametrize("element", [Brace, Rod])
def test_recursion_with_loops_and_factors_agree(element, monkeypatch):
    scene = ladder(5, element)
    twice = [replace(x, name=f"again {k}") for k, x in enumerate(scene.elements[1:3])]
    scene = ar.Scene(scene.model, [*scene.elements, *twice])  # some rows are there twice
    rng = np.random.default_rng(1)
    given = scene, rng.normal(scale=0.3, size=scene.model.nv), rng.normal(size=scene.model.nv)
    calls = []
    plain = accelerations.loop_recursion
    monkeypatch.setattr(accelerations, "loop_recursion", lambda *x: calls.append(1) or plain(*x))
    by_recursion = solved(*given)
    monkeypatch.setattr(accelerations, "LOOPED", 1e9)
    by_factors = solved(*given)
    assert calls == [1]
    for one, two in zip(by_recursion[:2], by_factors, strict=False):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(by_recursion[2][0], by_factors[2][0], rtol=1e-9)


@pytest.mark.parametrize("least", [1e9, 0], ids=["factors", "recursion"])
def test_rows_that_are_roundings_say_nothing(least, monkeypatch):
    """A universal joint across a ball where that is: three rows move nothing, but for rounding."""
    monkeypatch.setattr(accelerations, "LOOPED", least)
    shape = [ar.Box((0.3, 0.2, 0.1), mass=1.0, placement=(0.1, 0.2, 0.3))]
    arm = ar.Body("arm", ar.Universal("x", "y"), shapes=shape)
    at = ar.pose((0.31, -0.17, 0.23), (0.1, 0.2, 0.3))
    model = ar.Model([arm, ar.Body("ball", ar.Spherical(), "arm", at, shapes=shape)])
    q = np.array([0.7, -0.4, 0.9, 0.3, -0.2, 0.24])
    T = [model.frame_pose(q, name) for name in ("arm", "ball")]
    cross = Loop("ball", ("arm", np.linalg.inv(T[0]) @ T[1]), ar.Universal("x", "y"))
    scene, qd = ar.Scene(model, [cross]), np.array([1.0, 2.0, -1.0, 0.5, 1.5])
    setup = scene.setup()
    system = setup.system(model.tree, setup.parameters.pack({}).tolist())
    state = replace(setup.start(q), qd=model.tree.rates(list(qd)))
    every = system.acceleration_rows(state)
    rows = [row for row in every if max(map(abs, row.G.values()), default=0.0) > 1e-9]
    assert len(rows) == 1 and sum(bool(row.G) for row in every) > 1
    G = np.array([[rows[0].G.get(j, 0.0) for j in range(5)]])
    K = np.block([[model.mass_matrix(q), -G.T], [G, np.zeros((1, 1))]])
    expected = np.linalg.solve(K, [*-model.bias_forces(q, qd), rows[0].b])
    qdd, forces, _ = solved(scene, q, qd)
    np.testing.assert_allclose(qdd, expected[:5], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(forces, G[0] * expected[5], rtol=1e-10, atol=1e-10)


def test_loops_on_a_chain_cost_as_much_each():
    counts = []
    for n in (6, 8, 10):
        scene = ladder(n)
        counts.append(ar.compile(ar.step(scene, "semi-implicit Euler"), scene.model).op_count)
    first, second = np.diff(counts)
    assert abs(second - first) < 0.02 * first, counts


def test_what_cannot_hold_together_is_refused():
    box = ar.Body("box", ar.Free(), shapes=[ar.Box((0.1, 0.2, 0.3), mass=1)])
    point = (0.1, 0.0, 0.0)
    still = Tray("box", point, (0.0, 0.0, 1.0), 0.0, name="still")

    @dataclass(frozen=True)
    class Rising(Tray):
        def constraint(self, here):
            return here.frames[0].at(self.point)[2] - 0.2 * here.t

    scene = ar.Scene(ar.Model([box]), [still, Rising("box", point, (0, 0, 1), 0.0, name="up")])
    with pytest.raises(ar.SimulationError, match=r"'still' and .*'up' cannot hold .* 0\.141"):
        simulate(scene, 0.01, 1e-3)
    twice = ar.Scene(ar.Model([box]), [Pin("box", point, point, name="a"), still])
    with pytest.warns(ar.SimulationWarning, match="1 of 4 rows .* 'a' and .* 'still'"):
        run = simulate(twice, 0.1, 1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = simulate(ar.Scene(ar.Model([box]), twice.elements[:1]), 0.1, 1e-3)
    np.testing.assert_allclose(run.q, alone.q, atol=1e-12)
