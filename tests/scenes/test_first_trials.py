"""What a person who tries scenes for the first time met: each is a sentence, or works."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from scene_cases import NATIVE, figure, simulate, start

import arthron as ar
from arthron._simulate import diagnose
from arthron.spatial import Vec3

BAR = ar.Model(
    [ar.Body("bar", ar.Free(), shapes=[ar.Box((1, 0.1, 0.1), mass=2, placement=(0, 0, -0.2))])]
)


@dataclass(frozen=True)
class Pin(ar.Element):
    """A point of the bar stays where it is, along some axes."""

    point: tuple[float, float, float]
    axes: str = "xyz"
    links = ("bar",)

    def constraint(self, here):
        gap = here.frames[0].at(self.point) - Vec3(*self.point)
        return tuple(getattr(gap, axis) for axis in self.axes)


@pytest.mark.parametrize("integrator", [*NATIVE, "Runge-Kutta"])
def test_rows_that_depend_on_each_other_are_named(integrator):
    """Rounding alone decided whether they exploded."""
    tilted = {"bar": [0, 0, 0, np.cos(0.4), np.sin(0.4), 0, 0]}
    left, right = Pin((0.5, 0, 0), name="left"), Pin((-0.5, 0, 0), name="right")
    with pytest.warns(ar.SimulationWarning, match=r"1 of 6 rows .*'left' and the Pin 'right'"):
        twice = simulate(ar.Scene(BAR, [left, right]), 0.5, 1e-3, integrator, start=tilted)
    hinge = ar.Scene(BAR, [left, Pin((-0.5, 0, 0), "yz")])
    run = simulate(hinge, 0.5, 1e-3, integrator, start=tilted)
    assert np.ptp(run.energy) < 0.2 and np.abs(run.forces).max() < 100.0
    np.testing.assert_allclose(twice.q, run.q, atol=1e-9)


def test_a_constraint_and_a_prescribed_joint_that_say_the_same():
    model = figure()

    @dataclass(frozen=True)
    class Still(ar.Element):
        joints = ("leg",)

        def constraint(self, here):
            return here.q[0][0]

    with pytest.raises(ar.SimulationError, match="nothing that can move"):
        simulate(
            ar.Scene(model, [Still(), ar.Prescribed("leg", position=lambda t: 0.0 * t)]), 0.1, 0.1
        )


def test_elements_that_do_nothing_or_are_no_dataclass():
    class Misspelt(ar.Element):
        links = ("bar",)

        def force(self, here):
            return here.frames[0].wrench((0, 0, 0), (0, 0, 1))

    with pytest.raises(ar.ModelError, match=r"does nothing.*'forces'"):
        ar.Scene(BAR, [Misspelt()])

    class Plain(ar.Element):
        push: float = 3.0
        links = ("bar",)

        def forces(self, here):
            return here.frames[0].wrench((0, 0, 0), (0, 0, self.push))

    with pytest.raises(ar.ModelError, match="dataclass"):
        ar.Scene(BAR, [Plain()])


def test_effort_limits_of_zero_are_no_limits():
    idle = ar.Model([ar.Body("arm", ar.Revolute("y"), shapes=[ar.Sphere(0.1, mass=1)], effort=0.0)])
    with pytest.raises(ar.ModelError, match=r"'arm'.*zero"):
        ar.Scene(idle, controller=ar.controllers.pd([0.5], 5.0, 1.0, effort_limits=True))


def test_steps_of_steps():
    """What a step returns goes into the next, and the chain differentiates, floating roots too."""
    scene = ar.Scene(BAR, [ar.forces.Spring((None, (0, 0, 1)), ("bar", (0.3, 0, 0)), 50.0, 2.0, 0.8,
                                            name="band")])  # fmt: skip
    step = ar.step(scene, "implicit Euler")

    @ar.takes(parameters=(len(step.values),))
    def height(tree, q, qd, parameters):
        n = 0.0
        for _ in range(5):
            q, qd, n = step(tree, q, qd, n, 1e-2, parameters)
        return q[2]

    q, qd = start(BAR, 3)
    run = simulate(scene, 0.05, 1e-2, "implicit Euler", q=q, qd=qd)
    found = ar.compile(height, BAR)
    assert found(q, qd, step.values) == pytest.approx(run.q[-1, 2], rel=1e-12)
    by_hand = [
        (found(q, qd, step.values + e) - found(q, qd, step.values - e)) / 2e-4
        for e in 1e-4 * np.eye(len(step.values))
    ]
    slope = ar.compile(ar.jacobian(height, "parameters"), BAR)(q, qd, step.values)
    np.testing.assert_allclose(slope, by_hand, rtol=1e-6, atol=1e-9)
    with pytest.raises(ar.SimulationError, match=r"'band\.rate'.*'band\.rest'"):
        step.layout["band.rate"]


def test_one_row_of_a_batch():
    scene = ar.Scene(BAR, [ar.forces.Spring((None, (0, 0, 1)), ("bar", (0, 0, 0)), 50.0, name="s")])
    k = np.array([[5.0, 10.0, 20.0], [30.0, 40.0, 50.0]])
    run = simulate(scene, 0.05, 1e-2, parameters={"s.stiffness": k}, record={"z": height_of})
    alone = simulate(scene, 0.05, 1e-2, parameters={"s.stiffness": 40.0})
    row = run.row(1, 1)
    np.testing.assert_array_equal(row.q, run.q[1, 1])
    np.testing.assert_allclose(row.q, alone.q, rtol=1e-12)
    assert row.parameters["s.stiffness"] == 40.0 and row["z"].shape == (6,)
    np.testing.assert_array_equal(row["bar"].position, run["bar"].position[1, 1])
    for bad in (lambda: run.row(3), lambda: run.row(2, 0), lambda: run[0]):
        with pytest.raises(ar.SimulationError, match="row"):
            bad()


def height_of(tree, q):
    return q[1][2]


def test_a_run_that_ends_between_kept_states_ends_when_it_ended():
    run = simulate(ar.Scene(BAR), 1.0, 1e-3, keep_every=100, until=lambda tree, q: q[1][2] < -0.1)
    assert run.t[-1] == run.ended and len(run) == 3
    assert run.q[-1, 2] == pytest.approx(-0.5 * 9.81 * run.ended**2, rel=1e-2)


def test_messages_know_what_functions_are_given():
    joint = "bar"
    for bad, words in (
        (lambda: ar.Scene(BAR, controller=lambda tree, t, q: []), r"\(tree, t, q, qd\)"),
        (lambda: ar.Scene(BAR, controller=lambda tree, t, q, qd: q[joint]), r"tree\.vector"),
    ):
        with pytest.raises(ar.ArthronError, match=words):
            simulate(bad(), 0.01, 0.01)
    with pytest.raises(ar.SimulationError, match="taken"):
        simulate(ar.Scene(BAR), 0.01, 0.01, record={"bar": height_of})
    with pytest.raises(ar.SimulationError, match=r"'pad', which is a link.*'hand'"):
        simulate(ar.Scene(figure()), 0.01, 0.01, start={"pad": 0.1})


def test_a_stiff_controller_that_fails_says_what_to_do(monkeypatch):
    monkeypatch.setattr(diagnose, "PATIENCE", 30.0)  # it finds a step if time allows
    model = figure()
    hold = ar.controllers.pd(model.neutral(), 1e5, 1e4)
    scene, q = ar.Scene(model, controller=hold), model.random(0)
    said = r"those of the controller\. A step of (\S+) s (holds|gets past that)"
    with pytest.raises(ar.SimulationError, match=said) as info:
        simulate(scene, 1.0, 0.01, "explicit Euler", q=q)
    step = float(re.search(said, str(info.value))[1])
    simulate(scene, 128 * step, step, "explicit Euler", q=q)  # it does
    still = simulate(scene, 1.0, 0.01, "leapfrog", q=q)  # the default has no such trouble
    assert np.abs(model.difference(still.q[-1], model.neutral())).max() < 1e-3
