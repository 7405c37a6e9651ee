"""A program of a million steps: every walk is a loop, none a recursion."""

import time

import numpy as np
import pytest

import arthron as ar
from arthron._compile.lowering.lower import lower
from arthron._compile.lowering.schedule import CHUNK, op_count, schedule
from arthron._graph.autodiff import forward, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.scalar import c


def chain(n):
    """y <- 0.5 (y + x), n operations of each kind, from y = 0."""
    graph = Graph()
    x = graph.input()
    y = x * 0.25
    for _ in range(n // 2):
        y = (y + x) * 0.5
    return graph, x, y


def test_a_million_nodes():
    graph, _, y = chain(1_000_000)
    order = graph.needed([y.position])
    assert len(order) > 1_000_000
    assert order == sorted(order)
    assert op_count(graph, [y.position]) == 1_000_001


@pytest.fixture(scope="module")
def deep():
    return chain(100_000)


def test_evaluates(deep):
    graph, _, y = deep
    assert evaluate(graph, [y.position], [3.0]) == [3.0]


def test_differentiates_in_both_modes():
    graph, x, y = chain(100_000)
    (by_forward,) = forward(graph, [y.position], {x.position: 1.0})
    (by_reverse,) = reverse(graph, [y.position], [1.0], [x.position])
    values = evaluate(graph, [graph.lift(by_forward), graph.lift(by_reverse)], [3.0])
    assert values == pytest.approx([1.0, 1.0], rel=1e-12)


def test_has_a_digest(deep):
    def digest(n):
        graph, _, y = chain(n)
        return graph.digest([y.position])

    graph, _, y = deep
    assert graph.digest([y.position]) == digest(100_000) != digest(100_002)


def test_is_lowered_and_scheduled():
    graph, _, y = chain(100_000)
    y = c(2, y)  # so that there is something to lower
    plain, (result,) = lower(graph, [y.position])
    assert evaluate(plain, [result], [3.0])[0] == pytest.approx(c(2, 3.0), rel=1e-15)
    plan = schedule(graph, [[y.position]], [(-1, 0)], 8)
    nodes = [node for chunk in plan.chunks for node in chunk.nodes]
    assert len(nodes) == op_count(plan.graph, nodes) > 100_000
    assert max(len(chunk.nodes) for chunk in plan.chunks) <= CHUNK
    assert plan.scratch < 100  # slots are used again


def test_a_long_page_compiles_and_runs():
    def page(tree, q):
        y = q[1][0]
        for _ in range(3000):
            y = 0.5 * (ar.sin(y) + y)
        return [y]

    model = ar.random_tree(1)
    f = ar.compile(page, model)
    q = np.array([[2.0], [-1.0], [0.0]])
    start = time.perf_counter()
    np.testing.assert_allclose(f(q), ar.evaluate(page, model, q), rtol=1e-12)
    assert time.perf_counter() - start < 5.0
