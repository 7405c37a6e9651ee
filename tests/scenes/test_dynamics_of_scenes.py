"""Dynamics of a scene with loops at a state: accelerations by name, open poses, wrong input."""

import numpy as np
import pytest
from test_assembly import four_bar

import arthron as ar


def test_accelerations_that_cannot_be_come_near_with_a_word():
    """One way to move has one acceleration: the least squares of two that were asked for."""
    scene = four_bar()
    state = scene.assemble({"crank": -1.0, "qd": {"crank": 1.0}}, near=[0.0, 0.5, -1.6])
    with pytest.warns(ar.SimulationWarning, match="do not allow `qdd` of 'crank', 'rocker'"):
        tau = scene.inverse_dynamics({"crank": 1.0, "rocker": -1.0}, state, motors=["crank"])
    found, _ = scene.forward_dynamics(state, tau=tau)
    other, _ = scene.forward_dynamics(state, tau=tau + np.eye(3)[0])
    way, off = (other - found)[[0, 2]], found[[0, 2]] - [1.0, -1.0]
    np.testing.assert_allclose(way @ off, 0.0, atol=1e-9)
    with pytest.warns(ar.SimulationWarning, match="`qdd` of 'rocker' is ignored: .* name joints"):
        scene.inverse_dynamics([1.0, 0.0, -1.0], state, motors=["crank"])


@pytest.mark.parametrize(("more", "words"), [
    ({"qdd": None}, "`qdd` is None. Give an array"),
    ({"qdd": np.full(3, np.nan)}, "`qdd` has NaN"),
    ({"qdd": "a"}, "`qdd` is 'a'"),
    ({"qdd": {"crnk": 1.0}}, "Nearest: 'crank'"),
    ({"qdd": {"crank": None}}, "`qdd` of joint 'crank' is None"),
    ({"motors": 3}, "`motors` is 3. Give a list"),
    ({"motors": []}, "no motors leave joint forces"),
    ({"q": [0.0, 0.0, 0.0]}, r"the Loop 'pin' is 0.4 m open: .*scene.assemble"),
    ({"q": np.zeros((2, 3))}, r"0.4 m open in 2 of 2 states, 0 the first"),
])  # fmt: skip
def test_what_cannot_be_asked_is_a_sentence(more, words):
    scene = four_bar()
    q = scene.assemble({"crank": -1.0}, near=[0.0, 0.5, -1.6])["q"]
    given = {"qdd": np.zeros(3), "q": q, "motors": ["crank"]} | more
    with pytest.raises(ar.ArthronError, match=words):
        scene.inverse_dynamics(given.pop("qdd"), **given)


def test_forward_dynamics_refuse_what_is_no_force():
    with pytest.raises(ar.ArthronError, match="`tau` is 'a'"):
        four_bar().forward_dynamics(q=four_bar().assemble()["q"], tau="a")
