"""The text of a module for WebAssembly: one state at a time, in memory that the host lays out.

The module defines `run(scratch, rows)`. `rows` is a table of addresses, those of the inputs and
behind them those of the results; `scratch` is memory for what is between. It allocates nothing,
calls nobody, and nobody can interrupt it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._graph.graph import Graph
from ..signature import Signature
from .lanes import Lanes
from .work import Work, steps_in_line


def wasm_module(
    graph: Graph, outputs: Sequence[Sequence[int]], signature: Signature, t: Lanes
) -> tuple[str, int]:
    """LLVM text of the module that computes `outputs` of a graph, and the bytes of its scratch."""
    work = Work(graph, outputs, signature, t)
    steps = [step for _, each in work.steps() for step in each]
    run = f"""define void @run(ptr %scratch, ptr %rows) nounwind {{
{steps_in_line(steps)}
  ret void
}}
"""
    return "\n".join([*work.text(), run]), work.plan.scratch * t.bytes
