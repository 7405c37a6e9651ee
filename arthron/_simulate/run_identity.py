"""What tells one run from another, so that a file is resumed only by the run that wrote it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._pages.inputs import page_inputs
from .._pages.takes import Page
from .._pages.trace import trace
from .._scene.setup import Setup
from .._scene.system import System
from .native_steps import NativeSteps
from .observe import observer
from .segment import Array, RunSettings
from .start import Start
from .system_pages import state_inputs, state_of, system_page


def run_identity(
    setup: Setup,
    steps: NativeSteps,
    settings: RunSettings,
    start: Start,
    watched: Mapping[str, Page],
) -> dict[str, str]:
    """Digests of all that decides a run, by what that is called in messages: the nearest first.

    Forces for each step are not among them: of those a file has checksums, state by state.
    """
    scene = setup.key() or setup.scene.memo(("digest", setup.named), lambda: _traced(setup))
    pages = observer(setup, watched, tau=False).digest() if watched else ""
    found = {f"start (`{name}`)": _numbers(x) for name, x in start.states.items()}
    for name, where in setup.parameters.layout.items():
        if where.start < where.stop:
            found[f"parameter {name!r}"] = _numbers(settings.parameters[:, where])
    found["integrator"] = _digest(steps.digest().encode())
    found["scene (what acts in it)"] = _digest(scene.encode())
    found["`record` or `until`"] = _digest(pages.encode())
    tau = settings.tau
    found["`tau`"] = "of each step" if tau is not None and tau.ndim == 3 else _numbers(tau)
    return found


def force_checksums(tau: Array, every: int, first: int, n: int) -> Array:
    """Checksums of the forces that led to n kept states from `first` on, (1 or rows, n, 1).

    Whole numbers below 2^53, zero at the start; `tau` are the forces of each step, (1 or rows,
    steps, nv), and between two kept states are `every` steps.
    """
    steps = np.ascontiguousarray(tau[:, max(0, first - 1) * every : (first + n - 1) * every])
    bits = steps.view(np.uint64).reshape(len(tau), n - (first == 0), every * tau.shape[2])
    bits = bits + np.arange(bits.shape[2], dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # SplitMix64
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    sums = (bits ^ (bits >> np.uint64(31))).sum(-1, dtype=np.uint64) >> np.uint64(11)
    found = np.zeros((len(tau), n, 1))
    found[:, int(first == 0) :, 0] = sums
    return found


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _numbers(array: Array | None) -> str:
    return "none" if array is None else _digest(np.ascontiguousarray(array).tobytes())


def _traced(setup: Setup) -> str:
    """A digest of what a scene does, by its graph."""

    def everything(system: System, values: Mapping[str, Any]) -> list:
        state = state_of(setup, values, values["t"])
        now = system.loads(state)
        rows = [*system.velocity_rows(state, values["t"], values["h"]),
                *system.acceleration_rows(state)]  # fmt: skip
        flat = [*system.tree.vector(system.joint_forces(state)), *system.energy(state), now.energy]
        flat += [x for row in rows for x in (row.b, *row.G.values())]
        columns.extend(tuple(row.G) for row in rows)
        more = (*system.rates(state).values(), *system.tidied(state.more).values())
        return flat + [x for each in more for x in each]

    columns: list[tuple[int, ...]] = []
    page = system_page(setup, everything, **state_inputs(setup), t=(), h=())
    tree = setup.scene.model.tree
    program = trace(page, tree, page_inputs(page, tree))
    nodes = [x for _, scalars in program.outputs for x in scalars]
    kinds = [(type(x).__name__, x.name) for x in setup.scene.all_elements]
    how = setup.scene.stabilisation
    return program.graph.digest(nodes) + repr((kinds, columns, how))
