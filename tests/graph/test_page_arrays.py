"""Arrays in pages: read and written at a scalar's index, in both modes of derivatives."""

import math

import numpy as np
import pytest

import arthron as ar
from arthron._graph.autodiff import forward, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._graph.ops import Op

INDICES = [0.0, 1.0, 2.0, 2.9, 3.0, -4.0, 99.0, math.nan, math.inf, -math.inf]
EXPECTED = [0, 1, 2, 2, 3, 0, 3, 0, 3, 0]


@pytest.mark.parametrize(("index", "place"), list(zip(INDICES, EXPECTED, strict=True)))
def test_indices_are_clamped(index, place):
    a = ar.array([10.0, 11.0, 12.0, 13.0])
    assert a[index] == 10.0 + place
    changed = a.set(index, 0.0)
    assert [k for k in range(4) if changed[k] == 0.0] == [place]
    assert list(a) == [10.0, 11.0, 12.0, 13.0]


def test_each_row_of_a_batch_has_its_own_index():
    i, x = np.array(INDICES), np.arange(10.0)
    a = ar.array([x, x + 100.0, 5.0, -x])
    np.testing.assert_array_equal(a[i], [np.broadcast_to(a[k], 10)[n] for n, k in
                                         enumerate(EXPECTED)])  # fmt: skip
    changed = np.stack([np.broadcast_to(y, 10) for y in a.set(i, x * 0.5)])
    before = np.stack([np.broadcast_to(y, 10) for y in a])
    before[EXPECTED, range(10)] = x * 0.5
    np.testing.assert_array_equal(changed, before)


def test_rows_and_columns():
    a = ar.array(np.arange(6.0).reshape(2, 3))
    assert a.shape == (2, 3) and len(a) == 2
    assert a[1, 2] == 5.0 and a[1.7, 0.2] == 3.0 and a[9.0, -9.0] == 3.0
    assert a[0] == (0.0, 1.0, 2.0)
    assert a.set((0, 1), 7.0)[0] == (0.0, 7.0, 2.0)
    with pytest.raises(ar.TraceError, match="2 x 3 entries met 3 indices"):
        a[0, 1, 2]
    with pytest.raises(ar.TraceError, match=r"index -1 of an array with 3 entries.*0 to 2"):
        a[0, -1]
    with pytest.raises(ar.TraceError, match="index 2 of an array with 2"):
        a.set((2, 0), 1.0)
    with pytest.raises(ar.TraceError, match=r"`a = a\.set"):
        a[0, 1] = 2.0
    with pytest.raises(ar.TraceError, match="sliced"):
        a[0, 1:]
    for bad in ([], [[1.0], [1.0, 2.0]], [[]], 3.0):
        with pytest.raises(ar.TraceError, match="array"):
            ar.array(bad)


def test_what_is_known_costs_nothing():
    with Graph() as graph:
        x, i = graph.inputs(2)
        a = ar.array([x, 2.0, 3.0])
        assert a[0] is x or a[0].position == x.position
        b = a.set(i, x * 2.0)
        assert b[i].position == (x * 2.0).position  # what was just written
        c = a.set(1, x).set(2, 5.0)
        assert (c[1].position, graph.constants[graph.lift(c[2])]) == (x.position, 5.0)
        d = b.set(0, 1.0).set(2, x)
        assert graph.lift(d[2]) == x.position
        assert graph.constants[graph.lift(d[0])] == 1.0
        table = ar.array([1.0, 2.0, 4.0])[i]
    assert graph.nodes[table.position][0] is Op.LOOKUP  # constants are a table


def page(x, y, i, j):
    """Reads and writes that depend on each other."""
    a = ar.array([x, x * y, ar.sin(y), 2.0])
    b = a.set(i, x * x * y)
    c = b.set(j, b[i] * a[j] + a[i])
    return [c[i] * c[j] + a[j] * x, c[0.0] * c[3.0] + b[j]]


POINTS = [(0.7, 1.3, i, j) for i in (0.0, 1.0, 3.0) for j in (0.0, 2.0, 3.0)]


def graph_of():
    with Graph() as graph:
        inputs = graph.inputs(4)
        results = page(*inputs)
    return graph, inputs, [r.position for r in results]


@pytest.mark.parametrize("point", POINTS)
def test_both_modes_against_the_complex_step(point):
    graph, inputs, results = graph_of()
    J = np.zeros((2, 2))
    for k in range(2):
        moved = list(point)
        moved[k] += 1e-30j
        J[:, k] = [z.imag / 1e-30 for z in evaluate(graph, results, moved)]
    wrt = [x.position for x in inputs[:2]]
    for k in range(2):
        rates = forward(graph, results, {wrt[k]: 1.0})
        np.testing.assert_allclose(evaluate(graph, [graph.lift(x) for x in rates], point), J[:, k],
                                   rtol=1e-14)  # fmt: skip
        weights = [float(k == 0), float(k == 1)]
        slopes = reverse(graph, results, weights, wrt)
        np.testing.assert_allclose(evaluate(graph, [graph.lift(x) for x in slopes], point), J[k],
                                   rtol=1e-14)  # fmt: skip


def test_loops_carry_arrays_with_their_rates():
    def smooth(x, y):
        def step(state):
            k, a = state
            return (k + 1.0, a.set(k, 0.5 * (a[k] * a[k + 1.0] + a[k - 1.0]))), k >= 3.0

        _, a = ar.iterate(step, (0.0, ar.array([x, y, x * y, 1.0])), 9).values
        return a[0] + 2.0 * a[1] + 3.0 * a[2] + 4.0 * a[3]

    with Graph() as graph:
        inputs = graph.inputs(2)
        result = smooth(*inputs)
    assert evaluate(graph, [result.position], [0.3, 0.9]) == [smooth(0.3, 0.9)]
    for k, x in enumerate(inputs):
        (rate,) = forward(graph, [result.position], {x.position: 1.0})
        moved = [0.3, 0.9]
        moved[k] += 1e-30j
        (exact,) = evaluate(graph, [result.position], moved)
        assert evaluate(graph, [rate.position], [0.3, 0.9])[0] == pytest.approx(
            exact.imag / 1e-30, rel=1e-14
        )
