"""Seconds to the first step of a free humanoid in a fresh process: `make bench`.

Cold with an empty cache, warm with that of the run before; the least of three runs. The bar is 2 s
for what a variational step needs of its own: its residual, the slope of that, and its finish.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import arthron as ar
from arthron._simulate.variational import Variational

STEP = 1e-2
BAR = 2.0


def humanoid() -> ar.Model:
    return ar.load(ar.figures / "humanoid.urdf", root=ar.Free())


def variational_step() -> float:
    """Residual, slope and finish of a variational step, traced, compiled and called."""
    model = humanoid()
    q, qd = model.random(0)[None], np.zeros((1, model.nv))
    model.integrate(q, qd)
    began = time.perf_counter()
    Variational(ar.Scene(model)).step(q, qd, np.empty((1, 0)), 0.0, STEP)
    return time.perf_counter() - began


def simulation(integrator: str) -> float:
    """A first call of `ar.simulate`, whatever it needs."""
    scene = ar.Scene(humanoid())
    began = time.perf_counter()
    ar.simulate(scene, STEP, STEP, integrator=integrator, progress=False)
    return time.perf_counter() - began


ENTRIES = {
    "variational step": variational_step,
    **{
        f"simulate, {name}": lambda name=name: simulation(name)
        for name in ("semi-implicit Euler", "BDF2", "variational")
    },
}


def measured(entry: str, cache: str) -> float:
    """Seconds an entry takes in a process of its own."""
    root = str(Path(__file__).resolve().parents[1])
    environment = os.environ | {"XDG_CACHE_HOME": cache, "PYTHONPATH": root}
    command = [sys.executable, __file__, entry]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    return float(done.stdout)


def main() -> None:
    print("| first step of a free humanoid | cold [s] | warm [s] |\n|---|---|---|")
    for entry in ENTRIES:
        cold, warm = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(measured(entry, cache))
                warm.append(measured(entry, cache))
        missed = "  MISSED" if entry == "variational step" and min(cold) > BAR else ""
        print(f"| {entry} | {min(cold):.2f} | {min(warm):.2f} |{missed}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(ENTRIES[sys.argv[1]]())
    else:
        main()
