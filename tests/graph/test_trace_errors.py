"""What a page cannot do raises `TraceError`, with the page's line and the remedy."""

import math
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron._graph import expr as expr_module
from arthron._graph.graph import Graph
from arthron.spatial import Vec3

other = Graph().input()

CASES = {
    "if": (lambda x: 1.0 if x else 2.0, "`if` or `while` on a traced scalar", "ar.where"),
    "if compared": (
        lambda x: 1.0 if x < 2.0 else 2.0,
        "`if` or `while` on a traced scalar",
        "ar.where",
    ),
    "and": (lambda x: x and 1.0, "`if` or `while` on a traced scalar", "ar.where"),
    "not": (lambda x: not x, "`if` or `while` on a traced scalar", "ar.where"),
    "max": (lambda x: max(x, 1.0), "`if` or `while` on a traced scalar", "ar.where"),
    "in": (lambda x: x in (1.0, 2.0), "`if` or `while` on a traced scalar", "ar.where"),
    "chained": (lambda x: 0.0 < x < 1.0, "`if` or `while` on a traced scalar", "ar.where"),
    "float": (float, "asked for its number", "and not `math`"),
    "math": (lambda x: math.sin(x), "asked for its number", "and not `math`"),
    "int": (int, "asked for its number", "and not `math`"),
    "index": (lambda x: [1.0, 2.0][x], "used as an index", "`ar.array(xs)[i]`"),
    "range": (lambda x: list(range(x)), "index or a count", "`ar.iterate`"),
    "string": (lambda x: x + "3", "met '3' of type str", "component by component"),
    "none": (lambda x: x * None, "met None of type NoneType", "component by component"),
    "list": (lambda x: x * [1.0, 2.0], "of type list", "component by component"),
    "array": (lambda x: np.ones(2) * x, "of an array met a traced scalar", "one scalar at a time"),
    "complex": (lambda x: x + 1j, "of type complex", "component by component"),
    "where": (lambda x: ar.where(x, [1.0], 2.0), "of type list", "component by component"),
    "vector": (lambda x: Vec3(x) * "a", "met 'a' of type str", "component by component"),
    "string power": (lambda x: x**"2", "met '2' of type str", "component by component"),
    "power of text": (lambda x: ar.pow("2", x), "met '2' of type str", "component by component"),
    "other power": (lambda x: x**other, "different traces", "its own arguments"),
    "other +": (lambda x: x + other, "different traces", "its own arguments"),
    "other r+": (lambda x: other + x, "different traces", "its own arguments"),
    "other <": (lambda x: x < other, "different traces", "its own arguments"),
    "other ==": (lambda x: x == other, "different traces", "its own arguments"),
    "other atan2": (lambda x: ar.atan2(x, other), "different traces", "its own arguments"),
    "other where": (lambda x: ar.where(x, other, 1.0), "different traces", "its own arguments"),
    "other result": (lambda x: other, "different traces", "its own arguments"),
}  # fmt: skip
BUILTINS = (float, int)
WITHOUT_LINE = ("other result",)  # found when the page has returned


@pytest.mark.parametrize("name", CASES)
def test_message_says_what_came_where_and_what_to_do(name):
    function, what, remedy = CASES[name]

    def page(tree, q):
        return [function(q[1][0])]

    with pytest.raises(ar.TraceError) as caught:
        ar.compile(page, ar.random_tree(1))(np.zeros(1))
    message = str(caught.value)
    assert what in message
    assert remedy in message
    if name not in WITHOUT_LINE:
        code = (page if function in BUILTINS else function).__code__
        line = code.co_firstlineno + (1 if function in BUILTINS else 0)
        assert f" in {Path(__file__).name}:{line}" in message


def test_the_line_is_the_users_even_if_the_folder_is_called_alike():
    package = Path(expr_module.__file__).parents[1]
    names = {}
    exec(compile("def page(x):\n    return 1 if x else 2", f"{package}_cost.py", "exec"), names)
    with pytest.raises(ar.TraceError, match=r" in arthron_cost\.py:2"):
        names["page"](Graph().input())


def test_a_constant_has_its_number():
    graph = Graph()
    x = graph.input()
    zero = x - x
    assert float(zero) == 0.0
    assert math.cos(zero) == 1.0


RESULTS = {
    "nothing": lambda q: None,
    "a string": lambda q: "tau",
    "an object": lambda q: object(),
    "ragged": lambda q: [[q, 1.0], [q]],
    "ragged but of the right count": lambda q: [[q, 1.0], [q], [q, 1.0, 2.0]],
    "rows and scalars": lambda q: [[q], 2.0],
    "scalars and rows": lambda q: [2.0, [q]],
    "deep and shallow": lambda q: [[[q], [q]], [q, q]],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_that_are_not_arrays_are_refused(name):
    model = ar.random_tree(1)
    with pytest.raises(ar.TraceError):
        ar.compile(lambda tree, q: RESULTS[name](q[1][0]), model)(np.zeros(1))
    with pytest.raises(ar.TraceError):
        ar.evaluate(lambda tree, q: RESULTS[name](q[1][0]), model, np.zeros(1))


def test_an_input_of_unknown_shape_is_refused():
    with pytest.raises(ar.TraceError, match=r"input `k` of unknown shape.*shapes=\{'k': \(3,\)\}"):
        ar.compile(lambda tree, q, k: q, ar.random_tree(1))


def test_a_derivative_by_no_input_is_refused():
    with pytest.raises(ar.TraceError, match="no input 'qq' to differentiate by; it takes q, qd"):
        ar.jacobian(ar.algorithms.kinetic_energy, "qq")
