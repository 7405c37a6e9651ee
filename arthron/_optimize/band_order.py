"""An order of unknowns in which matrices of normal equations are banded, but for a few."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

Array = np.ndarray

SMALL = 48
"""So many unknowns are not worth an order."""
TRIED = (0, 1, 2, 4, 8, 16, 32)
"""How many of the busiest unknowns and of the fullest rows may be set apart."""
BUSY = 4
"""Those are busy that have so many times as many entries as is usual."""


class BandOrder(NamedTuple):
    """Unknowns in order, the last of which are a border.

    Attributes:
        places: the place of each unknown.
        inner: how many are in the band.
        width: how far from the diagonal the band goes.
        wide: rows that touch unknowns all over, which are kept out of the band.
    """

    places: Array
    inner: int
    width: int
    wide: Array


class Sparsity(NamedTuple):
    """What touches what: entries of rows, and pairs of unknowns."""

    row: Array
    col: Array
    one: Array
    other: Array
    rows: int
    unknowns: int


def band_order(graph: Sparsity, times: Array | None) -> BandOrder:
    """The cheapest order found, or all in the border where a dense matrix is cheaper.

    Args:
        graph: entries of the constraints' rows, and pairs of the Hessian.
        times: where unknowns belong; NaN of those that belong everywhere.
    """
    n = graph.unknowns
    dense = BandOrder(np.arange(n), 0, 0, np.zeros(graph.rows, bool))
    if n <= SMALL:
        return dense
    always = np.zeros(n, bool) if times is None else np.isnan(times)
    full = np.bincount(graph.row, minlength=graph.rows)
    busy = np.bincount(np.concatenate([graph.col, graph.one, graph.other]), minlength=n)
    fullest, busiest = (_outstanding(x) for x in (full, np.where(always, 0, busy)))
    best, price = dense, n**3 / 3.0
    for many, apart in product(TRIED, TRIED):
        if many > len(busiest) or apart > len(fullest):
            continue
        border, wide = always.copy(), np.zeros(graph.rows, bool)
        border[busiest[:many]], wide[fullest[:apart]] = True, True
        found = _ordered(graph, border, wide, times)
        cost = _price(found, n)
        if cost < price:
            best, price = found, cost
    return best


def _outstanding(counts: Array) -> Array:
    """Those with far more entries than usual, the fullest first."""
    usual = np.median(counts[counts > 0]) if counts.any() else 0.0
    order = np.argsort(-counts, kind="stable")
    return order[counts[order] > max(8.0, BUSY * usual)]


def _ordered(graph: Sparsity, border: Array, wide: Array, times: Array | None) -> BandOrder:
    """The order of those that are not in the border, by time or as the graph has it."""
    inside, outside = np.flatnonzero(~border), np.flatnonzero(border)
    if times is not None:
        order = inside[np.argsort(times[inside], kind="stable")]
    else:
        order = inside[_cuthill_mckee(graph, inside, wide)] if len(inside) else inside
    places = np.empty(graph.unknowns, int)
    places[np.concatenate([order, outside])] = np.arange(graph.unknowns)
    return BandOrder(places, len(inside), _width(graph, places, len(inside), wide), wide)


def _cuthill_mckee(graph: Sparsity, inside: Array, wide: Array) -> Array:
    """The order for a narrow band by the graph of the normal equations."""
    n, kept = graph.unknowns, ~wide[graph.row]
    rows = csr_array((np.ones(kept.sum()), (graph.row[kept], graph.col[kept])), (graph.rows, n))
    pairs = csr_array((np.ones(len(graph.one)), (graph.one, graph.other)), (n, n))
    both = (rows.T @ rows + pairs + pairs.T).tocsr()
    return reverse_cuthill_mckee(both[inside][:, inside].tocsr(), symmetric_mode=True)


def _width(graph: Sparsity, places: Array, inner: int, wide: Array) -> int:
    """How far from the diagonal entries of the band get."""
    one, other = places[graph.one], places[graph.other]
    width = np.max(np.abs(one - other)[(one < inner) & (other < inner)], initial=0)
    place = places[graph.col]
    counted = (place < inner) & ~wide[graph.row]
    low, high = np.full(graph.rows, inner), np.full(graph.rows, -1)
    np.minimum.at(low, graph.row[counted], place[counted])
    np.maximum.at(high, graph.row[counted], place[counted])
    return int(max(width, np.max(high - low, initial=0)))


def _price(order: BandOrder, n: int) -> float:
    """About how many operations a factorisation takes."""
    inner, apart = order.inner, n - order.inner
    several = apart + int(order.wide.sum())
    return (
        inner * order.width**2 + 4.0 * inner * order.width * several + inner * several**2
        + apart**3 / 3.0 + 2e4 * bool(several)
    )  # fmt: skip
