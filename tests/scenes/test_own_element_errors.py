"""A mistake in an element of a user's own is a sentence that names the element."""

import re

import pytest
from scene_cases import NEWTON, figure, simulate

import arthron as ar
from arthron.spatial import Vec3

MODEL = figure()
STATE = {"a": ar.Variable(0.0)}
PAIR = {"a": ar.Variable((0.0, 1.0))}
MINE = "Mine 'my own'"


def push(self, here):
    return here.frames[0].wrench((0, 0, 0), (1.0, 0.0, 0.0))


def broken(self, here):
    return 1.0 / 0.0


def gives(x):
    """A method that returns the same whatever it sees."""
    return lambda self, here: x


def mine(name="my own", base=ar.Element, **what):
    """An element whose class is called Mine."""
    return type("Mine", (base,), what)(name=name)


def refuses(element, *words, **more):
    with pytest.raises(ar.ArthronError) as info:
        simulate(ar.Scene(MODEL, [element], **more), 0.02, 0.01)
    for word in words:
        assert re.search(word, str(info.value)), f"no {word!r} in: {info.value}"


MISTAKES = {
    "two forces on one link": (dict(links=("hand",), forces=gives((ar.spatial.Force(),) * 2)),
                               "`forces` of the", MINE, "for each link", "1 in all"),
    "one force on two links": (dict(links=("hand", None), forces=push), MINE, "2 in all"),
    "forgotten return": (dict(links=("hand",), forces=gives(None)), MINE, "returned None",
                         "forget `return`"),
    "a vector": (dict(links=("hand",), forces=gives(Vec3(1.0, 0.0, 0.0))), MINE, "Vec3",
                 "frame.wrench"),
    "three numbers for two": (dict(joints=("hand",), forces=gives(((1.0, 2.0, 3.0),))), MINE,
                              r"\(1.0, 2.0, 3.0\)", "2 numbers"),
    "forces by name": (dict(joints=("hand",), forces=gives({"hand": 1.0})), MINE, "'hand'",
                       "2 numbers"),
    "no links": (dict(forces=gives(1.0)), MINE, "acts on nothing", "`links` or `joints`"),
    "an error in forces": (dict(links=("hand",), forces=broken), "`forces` of the", MINE,
                           "ZeroDivisionError", r"test_own_element_errors.py:\d+"),
    "an error at a joint": (dict(joints=("leg",), forces=broken), MINE, "ZeroDivisionError"),
    "an error in energy": (dict(links=("hand",), conservative=True, energy=broken),
                           "`energy` of the", MINE, "ZeroDivisionError"),
    "an error in rates": (dict(variables=STATE, rates=broken), "`rates` of the", MINE,
                          "ZeroDivisionError"),
    "an error in a constraint": (dict(links=("hand",), constraint=broken), "`constraint` of the",
                                 MINE, "ZeroDivisionError"),
    "a state it has not": (dict(joints=("leg",), forces=lambda self, here: here.states["b"]), MINE,
                           "KeyError: 'b'"),
    "no energy": (dict(links=("hand",), conservative=True, energy=gives(None)), MINE,
                  "returned None", "one number"),
    "no energy beside forces": (dict(links=("hand",), forces=push, energy=gives(None)), MINE,
                                "returned None", "one number"),
    "energy of velocities": (dict(joints=("leg",), conservative=True,
                                  energy=lambda self, here: here.qd[0][0] ** 2), MINE,
                             "depends on velocities"),
    "energy that does not act": (dict(joints=("leg",), energy=gives(1.0)), MINE,
                                 "no forces", "conservative = True"),
    "no rates": (dict(variables=STATE), MINE, "returned {}", "'a'"),
    "other rates": (dict(variables=STATE, rates=gives({"b": 1.0})), MINE, "'b'", "each of", "'a'"),
    "rates without return": (dict(variables=STATE, rates=gives(None)), MINE, "returned None"),
    "too many rates": (dict(variables=PAIR, rates=gives({"a": (1.0, 2.0, 3.0)})), "'a'", MINE,
                       "as many numbers as the state has: 2"),
    "one rate for two": (dict(variables=PAIR, rates=gives({"a": 1.0})), "'a'", MINE, "has: 2"),
    "a rate that is none": (dict(variables=STATE, rates=gives({"a": None})), "'a'", MINE, "has: 1"),
    "a rate in words": (dict(variables=STATE, rates=gives({"a": "fast"})), "'fast'", MINE),
    "unknown link": (dict(links=("hnd",), forces=push), "Mine", "'hnd'", "Nearest: 'hand'"),
    "unknown joint": (dict(joints=("legg",), forces=gives(1.0)), "Mine", "'legg'", "'leg'"),
    "a link without a tuple": (dict(links="hand", forces=push), "Mine", "'hand'", "tuple of names"),
    "all joints": (dict(joints=..., forces=gives([0.0] * 7)), "Mine", "for controllers"),
    "no variable": (dict(variables={"a": 0.0}, rates=gives({"a": 0.0})), "'a'", MINE,
                    "`ar.Variable"),
    "variables by no name": (dict(variables=["a"], rates=gives({"a": 0.0})), MINE, "a dict"),
    "a start that is none": (dict(variables={"a": ar.Variable("x")}, rates=gives({"a": 0.0})), MINE,
                             "'x'", "finite"),
    "a constraint without return": (dict(links=("hand",), constraint=gives(None)), MINE,
                                    "returned None", "forget `return`"),
    "a constraint of nothing": (dict(links=("hand",), constraint=gives(())), MINE, r"\(\)"),
    "a constraint on velocity": (dict(links=("hand",), constraint=lambda self, here:
                                      here.frames[0].velocity((0, 0, 0)).x), MINE,
                                 "depends on velocities"),
    "a constraint on rates": (dict(joints=("leg",), constraint=lambda self, here: here.qd[0][0]),
                              MINE, "depends on velocities"),
    "a constraint on the world": (dict(links=(None,), constraint=lambda self, here:
                                       here.frames[0].at((0, 0, 0)).x), MINE, "nothing that can"),
    "a constraint on time": (dict(links=("hand",), constraint=lambda self, here: here.t), MINE,
                             "nothing that can move"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_a_sentence_that_names_the_element(mistake):
    what, *words = MISTAKES[mistake]
    refuses(mine(**what), *words)


def test_an_element_without_a_name_is_named_by_what_it_touches():
    refuses(mine("", links=("hand", None), forces=gives(None)), "the Mine on 'hand', the world")


def test_a_constraint_on_what_is_prescribed_has_nothing_to_move():
    still = ar.Prescribed("leg", position=lambda t: 0.0)
    keeps = mine(joints=("leg",), constraint=lambda self, here: here.q[0][0])
    with pytest.raises(ar.SimulationError, match=f"{MINE} depends on nothing that can move"):
        simulate(ar.Scene(MODEL, [still, keeps]), 0.02, 0.01)


def test_what_is_no_element_is_refused():
    refuses(ar.Element, "derived from `ar.Element`")
    refuses(type("Mine", (), {"forces": push})(), "Mine", "derived from `ar.Element`")


@pytest.mark.parametrize(
    ("forces", "words"),
    [(gives(None), ("returned None", "7 joint forces")), (gives([1.0, 2.0]), ("7 joint forces",)),
     (broken, ("ZeroDivisionError", r"test_own_element_errors.py:\d+")),
     (lambda self, here: [here.states["memory"]] * 7, ("KeyError: 'memory'",))],
)  # fmt: skip
def test_a_controller_that_is_not_what_it_should_be(forces, words):
    own = mine("", ar.controllers.Controller, forces=forces)
    with pytest.raises(ar.ArthronError) as info:
        simulate(ar.Scene(MODEL, controller=own), 0.02, 0.01)
    for word in ("the controller", *words):
        assert re.search(word, str(info.value))


@pytest.mark.parametrize("integrator", NEWTON)
def test_integrators_say_what_they_do_not_take(integrator):
    remembers = mine(variables=STATE, rates=gives({"a": 1.0}))
    keeps = mine(joints=("leg",), constraint=lambda self, here: here.q[0][0])
    with pytest.raises(ar.SimulationError, match=rf"'{integrator}' .*'my own.a'.*'Runge-Kutta'"):
        simulate(ar.Scene(MODEL, [remembers]), 0.02, 0.01, integrator)
    with pytest.raises(ar.SimulationError, match=rf"'{integrator}' .*{MINE}.*'Runge-Kutta'"):
        simulate(ar.Scene(MODEL, [keeps]), 0.02, 0.01, integrator)


def test_what_acted_needs_the_states():
    silent = mine(joints=("leg",), variables={"a": ar.Variable(1.0, saved=False)},
                  rates=gives({"a": 1.0}),
                  forces=lambda self, here: here.states["a"])  # fmt: skip
    scene = ar.Scene(MODEL, [silent])
    run = simulate(scene, 0.02, 0.01)
    assert not run.states
    with pytest.raises(ar.SimulationError, match=r"'my own.a' is not in the trajectory.*`saved`"):
        run.acted(scene)


@pytest.mark.parametrize("state", [STATE, PAIR])
def test_a_constraint_on_states_is_refused(state):
    """It would lag behind: how fast they change is in no row."""

    def behind(self, here):
        a = here.states["a"]
        return here.q[0][0] - (a[1] - 1.0 if isinstance(a, tuple) else a)

    jack = mine(joints=("leg",), variables=state, constraint=behind,
                rates=gives({"a": (1.0, 1.0) if state is PAIR else 1.0}))  # fmt: skip
    refuses(jack, rf"`constraint` of the {MINE} depends on states", "and of time")
