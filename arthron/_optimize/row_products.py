"""Products J^T D J of sparse rows, added where a banded matrix keeps them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bordered_band import Places

Array = np.ndarray

CALL, FLOP, ADD = 1.5e-5, 1.5e-10, 4e-9
"""Seconds that a window, an operation of it, and an entry of its product take."""


class Window(NamedTuple):
    """Rows that have most of their columns in common, as one dense block.

    Attributes:
        entries: which values of J belong to it.
        inside: where in the block they are.
        rows: their rows in J.
        shape: of the block.
        lower: which entries of the product are kept, its lower triangle.
        targets: where those go.
    """

    entries: Array
    inside: Array
    rows: Array
    shape: tuple[int, int]
    lower: Array
    targets: Array


def windows(row: Array, place: Array, used: Array, places: Places) -> list[Window]:
    """Windows of rows, the first column first.

    Args:
        row: rows of the values of J.
        place: their columns, as places in the order of the matrix.
        used: which values count.
        places: where the matrix keeps them.
    """
    entries = np.flatnonzero(used)
    entries = entries[np.lexsort((place[entries], row[entries]))]
    by_row = np.split(entries, np.flatnonzero(np.diff(row[entries])) + 1) if len(entries) else []
    found, group, columns, price = [], [], set(), 0.0
    for ks in sorted(by_row, key=lambda ks: place[ks[0]]):
        own = set(place[ks].tolist())
        both = columns | own
        alone, together = _price(1, len(ks)), _price(len(group) + 1, len(both))
        if group and together > price + alone:
            found.append(_window(group, row, place, places))
            group, both, together = [], own, alone
        group, columns, price = [*group, ks], both, together
    return [*found, _window(group, row, place, places)] if group else found


def _price(rows: int, columns: int) -> float:
    """Seconds of a window."""
    return CALL + FLOP * rows * columns**2 + ADD * columns * (columns + 1) / 2


def _window(group: list[Array], row: Array, place: Array, places: Places) -> Window:
    entries = np.concatenate(group)
    columns, inside = np.unique(place[entries], return_inverse=True)
    lines = np.repeat(np.arange(len(group)), [len(ks) for ks in group])
    p, q = np.tril_indices(len(columns))
    kept = places.holds(columns[p], columns[q])
    p, q = p[kept], q[kept]
    return Window(
        entries, lines * len(columns) + inside, row[entries], (len(group), len(columns)),
        p * len(columns) + q, places.at(columns[p], columns[q]),
    )  # fmt: skip


def add_products(store: Array, ranges: list[Window], values: Array, roots: Array) -> None:
    """Add J^T D J.

    Args:
        store: the matrix, changed in place.
        ranges: of its rows.
        values: of J.
        roots: square roots of D, of each row.
    """
    for w in ranges:
        block = np.zeros(w.shape[0] * w.shape[1])
        block[w.inside] = values[w.entries] * roots[w.rows]
        block = block.reshape(w.shape)
        store[w.targets] += (block.T @ block).ravel()[w.lower]
