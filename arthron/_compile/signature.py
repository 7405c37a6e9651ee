"""What a kernel takes and gives: shared by all that make, keep and call one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._graph.program import Shape, Structure


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and gives.

    Attributes:
        inputs: shapes of the arrays it takes, without the batch.
        outputs: shapes of its results.
        structure: how they are handed back.
        ops: operations a row, bodies of loops counted once.
        work: the same with as many passes as loops are likely to make.
        loops: whether there are any.
        states: how many of its first inputs its first results are next values of.
    """

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    structure: Structure
    ops: int
    work: int
    loops: bool
    states: int = 0

    @property
    def arrays(self) -> tuple[Shape, ...]:
        """All array arguments, inputs first."""
        return self.inputs + self.outputs

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Signature:
        """The signature that `dataclasses.asdict` described, behind JSON, which has no tuples."""
        structure = kept["structure"]
        structure = tuple(structure) if isinstance(structure, list) else structure
        inputs, outputs = (tuple(map(tuple, kept[k])) for k in ("inputs", "outputs"))
        rest = (kept[name] for name in ("ops", "work", "loops", "states"))
        return cls(inputs, outputs, structure, *rest)
