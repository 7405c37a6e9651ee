"""Programs that searches fail on: dependent, infeasible, unbounded, badly started, interrupted."""

import io
import re
import sys

import numpy as np
import pytest
from chain_program import ChainProgram
from written_programs import INF, Written, cos, eq, ge, le, log, sin

from arthron._optimize import iteration_line
from arthron.errors import ModelError, ShapeError
from arthron.optimize import minimize


def circle(x):
    return x[0] ** 2 + x[1] ** 2


def test_equations_that_are_there_twice():
    rows = [eq(lambda x: x[0] + x[1], 1), eq(lambda x: 2 * x[0] + 2 * x[1], 2),
            eq(lambda x: x[0] ** 2 + x[2], 1), eq(lambda x: x[0] ** 2 + x[2], 1),
            eq(lambda x: x[0] + x[1] + x[2] + x[0] ** 2, 2)]  # fmt: skip
    p = Written(4, lambda x: sum((a**2 for a in x[1:]), (x[0] - 3) ** 2), rows)
    found = minimize(p, [0.3, 2, -1, 4])
    apart = minimize(Written(4, p.f, [rows[0], rows[2]]), [0.3, 2, -1, 4])
    assert found.solved and found.violation < 1e-8 and found.iterations < 15
    assert np.allclose(found.x, apart.x, atol=1e-7)


def test_inequalities_that_others_imply():
    rows = [le(lambda x: x[0] + x[1], 1), le(lambda x: 2 * x[0] + 2 * x[1], 2),
            le(lambda x: x[0] + x[1], 5), (-INF, circle, INF)]  # fmt: skip
    found = minimize(Written(2, lambda x: (x[0] - 3) ** 2 + (x[1] - 1) ** 2, rows), [5, 5])
    assert found.solved and np.allclose(found.x, [1.5, -0.5], atol=1e-6)
    assert found.multipliers[3] == 0.0


@pytest.mark.parametrize("rows, name, by", [
    ([eq(lambda x: x[0] + x[1], 1), eq(lambda x: x[0] + x[1], 2)], "(first|second)", 0.5),
    ([eq(circle, -1), eq(lambda x: x[0] - x[1])], "first", 1.0),
    ([ge(lambda x: x[0] - circle(x), 1.0), le(lambda x: x[1], 3.0)], "first", 0.75),
    ([le(circle, 1), ge(lambda x: x[0] + x[1], 4)], "(first|second)", None),
])  # fmt: skip
def test_what_nothing_satisfies(rows, name, by):
    p = Written(2, lambda x: (x[0] - 3) ** 2 + x[1] ** 2, rows, names=["first", "second"])
    found = minimize(p, [1.0, 2.0])
    assert found.status == "infeasible" and found.iterations < 100
    pattern = rf"where they are violated least, {name} is violated by \d"
    assert re.search(pattern, found.message)
    assert by is None or found.violation == pytest.approx(by, abs=1e-3)


def test_bounds_that_contradict_a_row():
    p = Written(2, lambda x: circle(x), [ge(lambda x: x[0] + x[1], 5)], -1.0, 1.0)
    found = minimize(p, [0, 0])
    assert found.status == "infeasible" and "constraint 0 is violated by 3" in found.message


@pytest.mark.parametrize("rows", [(), [le(lambda x: x[1], 3.0)], [eq(lambda x: x[0] - x[1])]])
def test_what_has_no_least_value(rows):
    found = minimize(Written(2, lambda x: x[0] + x[1], rows), [1, 1])
    assert found.status == "unbounded" and "no least value" in found.message


def test_a_start_outside_the_bounds():
    p = Written(2, lambda x: (x[0] - 3) ** 2 + (x[1] + 4) ** 2, (), (0, -1), (2, 1))
    found = minimize(p, [40, -70])
    assert found.solved and np.allclose(found.x, [2, -1], atol=1e-7)
    assert np.allclose(found.upper_multipliers, [2, 0], atol=1e-6)
    assert np.allclose(found.lower_multipliers, [0, 6], atol=1e-6)


def test_unknowns_that_are_fixed():
    p = Written(3, lambda x: (x[0] - 3) ** 2 + x[1] ** 2 * x[2],
                [eq(lambda x: x[0] + x[1] + x[2], 4)], (-INF, -INF, 2), (INF, INF, 2))  # fmt: skip
    found = minimize(p, [0, 0, 9])
    assert found.solved and found.x[2] == 2.0 and np.allclose(found.x[:2], [7 / 3, -1 / 3])
    every = minimize(Written(2, circle, [le(lambda x: x[0], 3)], (1, 2), (1, 2)), [0, 0])
    assert every.solved and every.objective == 5.0


def test_more_equations_than_unknowns():
    rows = [eq(lambda x: x[0] - 1), eq(lambda x: x[1] - 2), eq(lambda x: x[0] * x[1] - 2)]
    found = minimize(Written(2, circle, rows), [3, 3])
    assert found.solved and np.allclose(found.x, [1, 2])


def test_without_constraints():
    p = Written(2, lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)
    found = minimize(p, [-1.2, 1])
    assert found.solved and np.allclose(found.x, 1) and found.iterations < 25


def test_negative_curvature_at_the_start():
    found = minimize(Written(2, lambda x: cos(x[0]) + sin(x[1]) ** 2), [0.01, 1.4])
    assert found.solved and found.objective == pytest.approx(-1)
    saddle = minimize(Written(2, lambda x: x[0] * x[1], [le(circle, 2)]), [0.1, 0.2])
    assert saddle.solved and saddle.objective == pytest.approx(-1, abs=1e-7)


def test_where_functions_have_no_value():
    p = Written(2, lambda x: x[0] - log(x[0]) + (x[1] - x[0]) ** 2, [ge(lambda x: log(x[1]), -3)])
    found = minimize(p, [0.01, 50])
    assert found.solved and np.allclose(found.x, 1, atol=1e-5)
    with pytest.raises(ModelError, match="`objective` is nan at number 0 where the search starts"):
        minimize(p, [-1.0, 1.0])
    with pytest.raises(ModelError, match="`constraints` is nan"):
        minimize(p, [1.0, -1.0])


@pytest.mark.parametrize("start", [(-2, 1, 1), (-4, 1, 1)])
def test_line_searches_that_cannot_reach_feasible_points(start):
    """Wächter and Biegler's example of 2000."""
    p = Written(3, lambda x: x[0] + 0 * x[1],
                [eq(lambda x: x[0] ** 2 - x[1], 1), eq(lambda x: x[0] - x[2], 0.5)],
                (-INF, 0, 0))  # fmt: skip
    found = minimize(p, start)
    assert found.solved and found.objective == pytest.approx(1, abs=1e-7)


def test_steps_that_make_both_worse():
    """Maratos: full steps near the circle raise objective and violation."""
    p = Written(2, lambda x: 2 * (circle(x) - 1) - x[0], [eq(circle, 1)])
    for angle in (0.1, 0.8, 2.0):
        found = minimize(p, [np.cos(angle), np.sin(angle)])
        assert found.solved and np.allclose(found.x, [1, 0], atol=1e-7) and found.iterations < 15


def test_interrupted():
    p, seen = ChainProgram(20), []
    plain = p.objective

    def interrupting(x):
        seen.append(plain(x))
        if len(seen) == 30:
            raise KeyboardInterrupt
        return seen[-1]

    p.objective = interrupting
    found = minimize(p, p.start())
    assert found.status == "interrupted" and found.message.startswith("interrupted after")
    assert found.objective in seen and 0 < found.iterations < 30


def test_warm_starts():
    p = ChainProgram(30)
    cold = minimize(p, p.start())
    warm = minimize(p, p.start(), warm=cold)
    assert warm.solved and warm.iterations <= 5 < cold.iterations
    assert np.allclose(warm.x, cold.x, atol=1e-5)
    p.most[-1] = 1.9
    near = minimize(p, p.start(), warm=cold)
    assert near.solved and near.iterations < cold.iterations
    with pytest.raises(
        ShapeError, match="91 constraints and 94 unknowns but the program has 61 and 64"
    ):
        minimize(ChainProgram(20), ChainProgram(20).start(), warm=cold)


def test_too_few_iterations():
    p = ChainProgram(20)
    found = minimize(p, p.start(), most=3)
    assert found.status == "too many iterations" and found.iterations == 3
    assert found.message.startswith("no point that holds all constraints was found in 3 iteration")
    assert "allow more with `most`" in found.message and " is violated by " in found.message
    assert found.worst[0][1] == found.violation


def test_optimality_that_is_missing_alone():
    """What holds to the tolerance is not called violated, and more iterations are of use."""
    p = Written(2, lambda x: (x[0] - 3) ** 4 + (x[1] + 4) ** 4, [eq(lambda x: x[0] + x[1], 1.0)])
    found = minimize(p, [1.0, 0.0], most=4)
    assert found.status == "too many iterations" and found.worst == ()
    assert "Allow more with `most`" in found.message and "violated" not in found.message


def test_progress_is_told():
    told = []
    p = ChainProgram(20)
    found = minimize(p, p.start(), progress=lambda *x: told.append(x))
    assert told[-1] == (found.iterations, *told[-1][1:]) and len(told) > found.iterations
    assert told[-1][1] == pytest.approx(found.objective)


@pytest.mark.parametrize("change, message", [
    ({"lower": [1, 0], "upper": [0, 1]}, "unknown 0 should be at least 1 and at most 0"),
    ({"least": [3.0], "most": [2.0]}, "constraint 0 should be at least 3"),
    ({"lower": [0, 0, 0]}, "`lower` has 3 values and `upper` 2"),
    ({"lower": [np.nan, 0]}, "NaN in it"),
    ({"gradient": lambda x: np.zeros(3)}, "`gradient` returned 3 values but there are 2"),
    ({"constraints": lambda x: np.zeros(3)}, "`constraints` returned 3 values but `least` has 1"),
    ({"jacobian": lambda x: np.zeros(3)}, "`jacobian` returned an array of shape"),
    ({"jacobianstructure": lambda: ([0], [2])}, "has column 2, but they go from 0 to 1"),
])  # fmt: skip
def test_what_is_wrong_with_a_program(change, message):
    p = Written(2, circle, [eq(lambda x: x[0] + x[1], 1)])
    for name, x in change.items():
        setattr(p, name, x)
    with pytest.raises((ModelError, ShapeError), match=message):
        minimize(p, [1.0, 2.0])


def test_a_start_of_another_size():
    with pytest.raises(ShapeError, match="a point has 3 coordinates but `lower` has 2 bounds"):
        minimize(Written(2, circle), [1.0, 2.0, 3.0])


def test_bounds_hold_exactly():
    found = minimize(Written(2, lambda x: x[0] - sin(x[1]), (), (0.1, -1), (3, 0.7)), [1, 0])
    assert found.solved and found.violation == 0.0 and np.allclose(found.x, [0.1, 0.7])


def test_unknowns_that_equations_keep_at_their_bounds():
    """There is no inside: x_1 = 0, and it may not be less."""
    p = Written(2, lambda x: (x[0] - 1) ** 2 - x[1], [eq(lambda x: 0.4 * x[1])], 0.0)
    found = minimize(p, [3, 3])
    assert found.solved and np.allclose(found.x, [1, 0], atol=1e-6)


def test_directions_that_cost_nothing():
    found = minimize(Written(3, lambda x: (x[0] - 1) ** 2 + 0 * x[2], (), 0.0), [3, 3, 3])
    assert found.solved and np.all(np.abs(found.x) < 1e6)


def test_scipy_is_asked_for(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("arthron._optimize.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(
        ModelError, match=r"needs SciPy and threadpoolctl: pip install 'arthron\[motion\]'"
    ):
        minimize(Written(2, circle), [1.0, 1.0])


def test_a_terminal_sees_one_line(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(iteration_line, "WAIT", 0.0)
    monkeypatch.setattr(iteration_line, "OFTEN", 0.0)
    minimize(ChainProgram(20), ChainProgram(20).start())
    shown = sys.stderr.getvalue()
    assert shown.startswith("\riteration    0  objective ") and "\n" not in shown
    assert shown.endswith(" " * 80 + "\r")
    monkeypatch.setattr(sys, "stderr", Terminal())
    minimize(ChainProgram(20), ChainProgram(20).start(), progress=False)
    assert sys.stderr.getvalue() == ""
