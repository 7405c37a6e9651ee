"""Integrators of the user's own: what they may return, remember and be told apart by."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scene_cases import figure

import arthron as ar
from arthron.integrators import Integrator, State, advanced

MODEL = figure()
Q, QD = np.array(MODEL.random(1)), 0.3 * np.ones(MODEL.nv)


@dataclass(frozen=True)
class Mine(Integrator):
    """Semi-implicit Euler at a pace, which counts its steps and remembers its velocity."""

    pace: float = 1.0
    wrong: str = ""

    def memory(self, start) -> Mapping[str, Any]:
        own = {"mine.qd": ar.Variable(tuple(start["qd"])), "mine.count": ar.Variable()}
        return {
            "a list": [1, 2],
            "numbers": {"x": [1.0]},
            "taken": {"kinetic": ar.Variable()},
        }.get(self.wrong, own)  # type: ignore[return-value]

    def step(self, system, state, h) -> State:
        tree = system.tree
        a, _ = system.acceleration(state)
        pairs = zip(tree.vector(state.qd), tree.vector(a), strict=True)
        qd = tree.rates([v + self.pace * h * x for v, x in pairs])
        (count,) = state.memory["mine.count"]
        memory = {"mine.count": [count + 1.0], "mine.qd": tree.vector(state.qd)}
        end = replace(advanced(system, state, qd, qd, h), memory=memory)
        changes = {
            "nothing": lambda: None,
            "a tuple": lambda: (end.q, end.qd),
            "short q": lambda: replace(end, q=type(end.q)(end.q[:-1])),
            "q as an array": lambda: replace(end, q=np.zeros(MODEL.nq)),
            "no memory": lambda: replace(end, memory={}),
            "memory misspelt": lambda: replace(end, memory={**memory, "mine.cont": [0.0]}),
            "memory too long": lambda: replace(end, memory={**memory, "mine.count": [0.0, 1.0]}),
            "memory a number": lambda: replace(end, memory={**memory, "mine.count": 1.0}),
            "forces too short": lambda: replace(end, forces=[0.0]),
        }
        return changes.get(self.wrong, lambda: end)()


def run(integrator, duration=0.2, **more):
    given = {"q": Q, "qd": QD} | more
    return ar.simulate(ar.Scene(MODEL), duration, 0.01, integrator=integrator, **given)


def test_memory_goes_by_name_and_options_tell_apart():
    """The step returns it in another order than it was declared in."""
    expected = run("semi-implicit Euler")
    np.testing.assert_allclose(run(Mine()).q, expected.q, rtol=0, atol=0.05)
    assert np.abs(run(Mine(pace=0.5)).q[-1] - run(Mine()).q[-1]).max() > 1e-3
    assert run(Mine()).about["integrator"] == "Mine(pace=1.0, wrong='')"
    rows = run(Mine(), q=np.tile(Q, (3, 1)))
    np.testing.assert_allclose(rows.q[1], run(Mine()).q, rtol=1e-12)


def test_a_file_is_resumed_with_the_same_steps_only(tmp_path):
    path = tmp_path / "run"
    whole = run(Mine(), file=path)
    os.truncate(path, path.stat().st_size // 2)
    assert np.array_equal(run(Mine(), file=path).q, whole.q)
    step = Mine.step
    try:
        Mine.step = lambda self, system, state, h: step(self, system, state, 0.5 * h)
        with pytest.raises(ar.SimulationError, match="another simulation"):
            run(Mine(), 0.4, file=path)
    finally:
        Mine.step = step


WRONG = {
    "nothing": r"returned a NoneType\. Return the state",
    "a tuple": r"returned a tuple\. Return the state",
    "short q": r"whose `q` is .* by joint",
    "q as an array": r"whose `q` is .* by joint",
    "no memory": r"`memory` has nothing, and it should have 'mine\.qd' of 7, 'mine\.count' of 1",
    "memory misspelt": r"`memory` has .*'mine\.cont'",
    "memory too long": r"'mine\.count' of 2",
    "memory a number": r"'mine\.count' of None",
    "forces too short": r"with 1 `forces`\. Return the 7",
    "a list": r"`memory` of Mine.* returned \[1, 2\]\. Return a dict of variables",
    "numbers": r"Return a dict of variables",
    "taken": r"'kinetic', which is taken",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_returned_is_checked(wrong):
    with pytest.raises(ar.SimulationError, match=WRONG[wrong]):
        run(Mine(wrong=wrong))


def test_options_are_fields():
    class Plain(Integrator):
        def __init__(self, k):
            self.__dict__["k"] = k

    with pytest.raises(ar.SimulationError, match=r"Plain has 'k'.*@dataclass\(frozen=True\)"):
        run(Plain(1.0))

    class Empty(Integrator):
        pass

    with pytest.raises(ar.SimulationError, match="Empty has no `step`"):
        run(Empty())


@pytest.mark.parametrize("integrator", ar.integrators.NAMED)
def test_a_figure_that_cannot_move(integrator):
    stone = ar.Model([ar.Body("stone", ar.Fixed(), shapes=[ar.Sphere(0.1, mass=1)])])
    found = ar.simulate(ar.Scene(stone), 0.1, 0.01, integrator=integrator)
    assert found.q.shape == (11, 0) and (found.status == "whole").all()
