"""Numbers that functions ask for by `ar.parameter`, and what is said about bad ones."""

import dataclasses
import functools

import numpy as np
import pytest
from scene_cases import ALL, close, figure, hinges, simulate, sprung, start
from state_cases import compiled as compiled
from state_cases import leaky

import arthron as ar
from arthron import forces

MODEL = figure()

# functions of the user's


def _asking():
    """A scene all of whose functions ask for numbers."""

    def torque(q, qd, t):
        return -ar.parameter("k", 3.0) * q[0] - ar.parameter("d", 0.0) * qd[0]

    def wind(frames, t):
        x, y = ar.parameter("wind", (1.5, 0.0))
        return frames[0].wrench((0, 0, 0), (x, y, ar.sin(t)))

    def well(frames, t):
        return ar.parameter("well", 2.0) * frames[0].at((0, 0, 0)).dot(frames[0].at((0, 0, 0)))

    def turn(t):
        return ar.parameter("swing", 0.2) * ar.sin(ar.parameter("speed", 3.0) * t)

    def control(tree, t, q, qd):
        return [
            -ar.parameter("d", 0.0) * x - ar.parameter("calm", 0.3) * x for x in tree.vector(qd)
        ]

    elements = [
        forces.JointTorque("leg", torque),
        forces.LinkLoad(("hand",), wrench=wind),
        forces.LinkLoad(("arm",), potential=well),
        ar.Prescribed("shoulder", position=turn),
    ]
    return ar.Scene(hinges(), elements, control)


ASKED = {
    "k": 5.0,
    "d": 0.4,
    "wind": (0.7, -0.3),
    "well": 1.3,
    "swing": 0.5,
    "speed": 2.0,
    "calm": 0.1,
}


@pytest.mark.parametrize("integrator", ALL)
def test_functions_ask_for_parameters(integrator, monkeypatch):
    scene = _asking()
    assert {n: x.tolist() for n, x in scene.parameters().items() if n in ASKED} == {
        "k": 3.0, "d": 0.0, "wind": [1.5, 0.0], "well": 2.0, "swing": 0.2, "speed": 3.0, "calm": 0.3
    }  # fmt: skip
    q, qd = start(hinges(), 6)
    q[hinges().slice_q("shoulder")] = 0.0
    a = simulate(scene, 0.04, 0.01, integrator, q=q, qd=qd, parameters=ASKED)
    with monkeypatch.context() as patch:
        patch.setattr(ar, "parameter", lambda name, value: ASKED[name])
        b = simulate(_asking(), 0.04, 0.01, integrator, q=q, qd=qd)
    plain = simulate(_asking(), 0.04, 0.01, integrator, q=q, qd=qd)
    for column in ("q", "qd", "potential", "forces"):
        close(getattr(a, column), getattr(b, column), 1e-9)
        assert np.abs(getattr(a, column) - getattr(plain, column)).max() > 1e-4


def test_another_number_of_a_function_compiles_nothing(compiled):
    simulate(_asking(), 0.02, 0.01, parameters={"k": 2.0})
    many = len(compiled)
    simulate(_asking(), 0.02, 0.01, parameters={"k": 4.0})
    assert len(compiled) == many


def _torque(function):
    return ar.Scene(MODEL, [forces.JointTorque("leg", function)])


def _now_and_then():
    calls = []

    def torque(q, qd, t):
        calls.append(t)
        return ar.parameter("late", 2.0) if len(calls) > 2 else 1.0

    return _torque(torque)


def _two_values():
    return _torque(lambda q, qd, t: ar.parameter("a", 1.0) + ar.parameter("a", 2.0))


BAD_FUNCTIONS = {
    "two values": (_two_values, "is 1.0 in one place and 2.0 in another"),
    "a known name": (lambda: _torque(lambda q, qd, t: ar.parameter("gravity", 3.0)), "Call"),
    "no name": (lambda: _torque(lambda q, qd, t: ar.parameter("", 3.0)), "Give it a name"),
    "no text": (lambda: _torque(lambda q, qd, t: ar.parameter(3, 3.0)), "Give it a name"),
    "NaN": (lambda: _torque(lambda q, qd, t: ar.parameter("a", np.nan)), "finite number"),
    "text": (lambda: _torque(lambda q, qd, t: ar.parameter("a", "x")), "finite number"),
    "a matrix": (lambda: _torque(lambda q, qd, t: ar.parameter("a", [[1.0]])), "finite number"),
    "now and then": (_now_and_then, "Ask for it always"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FUNCTIONS)
def test_bad_parameters_of_functions_are_named(name):
    make, words = BAD_FUNCTIONS[name]
    with pytest.raises(ar.ArthronError, match=words):
        simulate(make(), 0.02, 0.01)


BAD_PARAMETERS = {
    "no dict": (["gravity"], "Give a dict by name"),
    "misspelt": ({"leaky.gian": 3.0}, r"Nearest: 'leaky\.gain'"),
    "misspelt gravity": ({"gravty": (0, 0, 1)}, "Nearest: 'gravity'"),
    "no name": ({3: 4.0, "gravity": (0, 0, 1)}, "no parameter 3"),
    "one number for gravity": ({"gravity": -9.81}, r"shape \(\)\. Give \(\.\.\., 3\)"),
    "one number for inertia": ({"inertia": 2.0}, r"Give \(\.\.\., 40\)"),
    "shape": ({"gravity": (1.0, 2.0)}, r"shape \(2,\)\. Give \(\.\.\., 3\)"),
    "of a field": ({"JointSpring(hand).rest": (1.0, 2.0, 3.0)}, r"one number, or \(\.\.\., 2\)"),
    "ragged": ({"gravity": [(1, 2, 3), (4, 5)]}, "Give an array of real numbers"),
    "NaN": ({"leaky.gain": np.nan}, "NaN"),
    "infinity": ({"leaky.gain": np.inf}, "infinity"),
    "text": ({"leaky.gain": "3"}, "Give an array of real numbers"),
    "nothing": ({"leaky.gain": None}, "Give an array of real numbers"),
    "complex": ({"leaky.gain": 1j}, "Give an array of real numbers"),
    "axes": ({"leaky.gain": np.ones(3), "leaky.leak": np.ones(4)}, "do not go together"),
    "a mass below zero": ({"inertia": -MODEL.inertial_parameters().ravel()}, "below zero"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters_are_named(name):
    given, words = BAD_PARAMETERS[name]
    with pytest.raises(ar.ArthronError, match=words):
        simulate(leaky(), 0.02, 0.01, parameters=given)


def test_a_step_names_its_parameters_by_a_tuple():
    with pytest.raises(ar.ModelError, match=r"Give a tuple: `\('gravity',\)`"):
        ar.step(sprung(), parameters="gravity")


def test_pages_that_are_watched_know_parameters():
    scene = _torque(lambda q, qd, t: ar.parameter("k", 3.0))
    record = {"k": lambda tree, q: ar.parameter("k", 3.0)}
    run = simulate(scene, 0.02, 0.01, parameters={"k": (5.0, 6.0)}, record=record)
    assert run["k"].tolist() == [[5.0] * 3, [6.0] * 3]
    until = simulate(scene, 0.1, 0.01, parameters={"k": (0.05, 0.07)},
                     until=lambda tree, t: t > ar.parameter("k", 3.0) - 1e-9)  # fmt: skip
    close(until.ended, [0.05, 0.07], 1e-12)
    with pytest.raises(ar.ModelError, match="Ask for it always"):
        simulate(scene, 0.02, 0.01, record={"k": lambda tree, q: ar.parameter("other", 3.0)})


@dataclasses.dataclass(frozen=True)
class Twice(ar.Element):
    """An element that keeps what it made of its numbers."""

    joint: str
    k: float = 2.0

    @functools.cached_property
    def stiffness(self):
        return 2.0 * self.k

    @property
    def joints(self):
        return (self.joint,)

    def forces(self, here):
        return (-self.stiffness * here.q[0][0],)


def test_what_an_element_keeps_is_made_of_its_parameters():
    element = Twice("leg")
    assert element.stiffness == 4.0
    at = {"start": {"leg": 0.5}}
    a = simulate(ar.Scene(MODEL, [element]), 0.1, 0.01, parameters={"Twice(leg).k": 20.0}, **at)
    assert np.array_equal(a.q, simulate(ar.Scene(MODEL, [Twice("leg", 20.0)]), 0.1, 0.01, **at).q)


def test_each_element_has_a_name_of_its_own():
    spring = functools.partial(forces.JointSpring, "leg")
    scene = ar.Scene(
        MODEL, [spring(2.5), spring(3.5, name="JointSpring(leg) #3"), spring(4.5), spring(5.5)]
    )
    found = {n: float(x) for n, x in scene.parameters().items() if n.endswith("stiffness")}
    assert sorted(found.values()) == [2.5, 3.5, 4.5, 5.5]
    assert found["JointSpring(leg) #3.stiffness"] == 3.5
    with pytest.raises(ar.ModelError, match="two elements of the scene are called 'a'"):
        ar.Scene(MODEL, [spring(2.5, name="a"), spring(3.5, name="a")])


def _tidy(top):
    """A state that grows until it is tidied away."""

    class Bounded(ar.Element):
        joints = ("leg",)
        variables = {"x": ar.Variable(0.0, tidy=lambda x: ar.minimum(x, top()))}  # noqa: RUF012

        def forces(self, here):
            return here.states["x"]

        def rates(self, here):
            return {"x": 10.0}

    return ar.Scene(MODEL, [Bounded(name="mine")])


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "Runge-Kutta"])
def test_what_tidies_a_state_may_ask(integrator):
    scene = _tidy(lambda: ar.parameter("top", 0.25))
    assert scene.parameters()["top"] == 0.25
    run = simulate(scene, 0.1, 0.01, integrator, parameters={"top": [0.25, 0.5]})
    assert run["mine.x"][:, -1].tolist() == [0.25, 0.5]


def test_a_file_knows_how_states_were_tidied(tmp_path):
    simulate(_tidy(lambda: 0.25), 0.05, 0.01, file=tmp_path / "run")
    simulate(_tidy(lambda: 0.25), 0.06, 0.01, file=tmp_path / "run")
    with pytest.raises(ar.SimulationError, match="holds another simulation"):
        simulate(_tidy(lambda: 0.5), 0.1, 0.01, file=tmp_path / "run")
