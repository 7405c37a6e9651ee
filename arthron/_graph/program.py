"""A traced program with named arrays around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .graph import Graph

Shape = tuple[int, ...]
Structure = tuple[str, ...] | int | None
"""How results are handed back: the keys of a dict, the length of a tuple, or None for one array."""


@dataclass(frozen=True)
class Program:
    """A graph whose inputs and outputs are the entries of arrays, in order.

    Attributes:
        graph: the program.
        inputs: name and shape of each input array.
        structure: how results are handed back.
        outputs: shape and node positions of each result.
    """

    graph: Graph
    inputs: dict[str, Shape]
    structure: Structure
    outputs: tuple[tuple[Shape, tuple[int, ...]], ...]


def pack(structure: Structure, results: Sequence[Any]) -> Any:
    """Results in the structure the page returned them."""
    if structure is None:
        return results[0]
    if isinstance(structure, int):
        return tuple(results)
    return dict(zip(structure, results, strict=True))


def unpack(structure: Structure, given: Any) -> list[Any]:
    """The list of results behind `pack`; raises ValueError when the structure is another."""
    if structure is None:
        return [given]
    if isinstance(structure, int):
        if isinstance(given, tuple | list) and len(given) == structure:
            return list(given)
        raise ValueError(f"a tuple of {structure} arrays")
    if isinstance(given, dict) and set(given) == set(structure):
        return [given[name] for name in structure]
    raise ValueError(f"a dict of arrays with the keys {', '.join(structure)}")
