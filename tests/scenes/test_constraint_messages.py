"""What is wrong about constraints, limits and maps is said, and what to do about it."""

import functools
import math

import pytest
from test_assembly import bar

import arthron as ar
from arthron.constraints import Constraint, Coupling, Distance, Loop, PrescribedMotion


@functools.cache
def arm():
    return ar.Model([bar("arm", None, (0, 0, 0), 0.5), bar("hand", "arm", (0.5, 0, 0), 0.5)])


@pytest.mark.parametrize(("make", "words"), [
    (lambda: ar.Scene(arm(), [ar.JointLimits("arm", "low", 0.1)]), "`lower` .* is .*'low'.* -inf"),
    (lambda: ar.Scene(arm(), [ar.JointLimits("arm", math.nan, 0.1)]), "is .nan,.. Give numbers"),
    (lambda: ar.JointLimits(3, 0.0, 0.1), "JointLimits are of 3. Give names"),
    (lambda: ar.Scene(arm(), limits=[1, 2]), r"`limits` of a scene is \[1, 2\]. Give True"),
    (lambda: ar.Scene(arm(), limits=None), "`limits` of a scene is None"),
    (lambda: arm().reduced(lambda y: {"arm": y[1]}), r"is 1. Give `size=2`"),
])  # fmt: skip
def test_raw_errors_are_sentences(make, words):
    with pytest.raises(ar.ModelError, match=words):
        make()


def near(*elements, model=None, **start):
    return lambda: ar.Scene(model or arm(), elements).assemble(**start)


def reduced():
    return arm().reduced(lambda y: {"arm": y[0], "hand": 2.0 * y[0]})


ROD = Distance(("hand", (0.5, 0, 0)), (None, (0, 0, 0)), 1.0, name="rod")
TIP, ACROSS = ("hand", (0.5, 0, 0)), ar.pose((0.6, 0, 0.1), (0, 0, 0.4))


@pytest.mark.parametrize(("make", "words"), [
    (near(ROD), "no small motion changes .* 'rod' .*straight chain"),
    (near(Coupling(("arm", "arm"), (1.0, -1.0))), "nothing that can move: .*zero or cancel"),
    (near(Loop(("arm", (0.5, 0, 0)), "hand", ar.Revolute("y"))), "joints of the figure hold"),
    (near(Loop(TIP, (None, ACROSS), ar.Revolute("y"), name="a")), r"rad open .*axis of its joint"),
    (near(Distance(("arm", (0.5, 0, 0)), "hand", 0.1), q=[[0.0, 0.0]] * 3),
     "stays 0.1 m open at the start in 3 of 3 simulations, 0 the first of them"),
    (near(Coupling(("arm",), (1.0,), name="c"), ar.Prescribed("arm", position=lambda t: 0.5)),
     "'c' stays 0.5 .*, with the Prescribed at joint 'arm' kept"),
    (lambda: Constraint(3), "the Constraint has the function 3"),
    (near(PrescribedMotion("hand", twist=lambda t: (1.0, 2.0), rows=(0,))), "of one number"),
    (lambda: arm().reduced(lambda y: {"arm": y[0]}, size=2), r"no joint .* follows y\[1\]"),
    (lambda: ar.simulate(ar.Scene(reduced()), 0.1, 0.1, start={"arm": 0.3}), "leads. Name 'y'"),
])  # fmt: skip
def test_messages_say_what_is_true(make, words):
    with pytest.raises(ar.ArthronError, match=words):
        make()


def test_a_joint_that_is_text_in_a_file_is_shown_as_it_should_be(tmp_path):
    path = tmp_path / "loops.json"
    path.write_text('{"constraints": [{"type": "loop", "joint": "revolute", "a": "x", "b": "y"}]}')
    with pytest.raises(ar.FileError, match=r'{"type": "revolute", "axis": "y"}'):
        ar.constraints.load(path)
