"""Seconds to the first call in a fresh process: `make bench`, or with the names of some entries.

Cold with an empty cache, warm with that of the run before; the least of three runs, on two cores.
An entry that is given a bar says when it misses it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import arthron as ar


def humanoid() -> ar.Model:
    return ar.load(ar.figures / "humanoid.urdf", root=ar.Free())


def robot(name: str) -> ar.Model:
    from spine import FIGURES, ROBOTS

    return ar.load(ROBOTS / FIGURES[name][0])


def method(model: ar.Model, name: str, inputs: int) -> float:
    """A first call of one of the model's methods, of q and more."""
    rng = np.random.default_rng(0)
    given = model.random(rng), *rng.normal(size=(inputs - 1, model.nv))
    began = time.perf_counter()
    getattr(model, name)(*given)
    return time.perf_counter() - began


def simulation(integrator: str) -> float:
    """A first call of `ar.simulate`, whatever it needs."""
    scene = ar.Scene(humanoid())
    began = time.perf_counter()
    ar.simulate(scene, 0.01, 0.01, integrator=integrator, progress=False)
    return time.perf_counter() - began


class Entry(NamedTuple):
    """What is called, and how many seconds it may take cold."""

    seconds: Callable[[], float]
    bar: float | None = None


DERIVATIVES = "forward_dynamics_derivatives"
ENTRIES = {
    "panda, inverse dynamics": Entry(lambda: method(robot("panda"), "inverse_dynamics", 3)),
    "talos, derivatives": Entry(lambda: method(robot("talos_reduced"), DERIVATIVES, 3), 1.2),
    "80 joints, derivatives": Entry(
        lambda: method(ar.random_tree(80, rng=0), DERIVATIVES, 3), 10.0
    ),
    "400 joints, adjoints": Entry(
        lambda: method(ar.random_tree(400, rng=0), "inverse_dynamics_vjp", 4)
    ),
    **{
        f"humanoid, {name}": Entry(lambda name=name: simulation(name))
        for name in ("leapfrog", "BDF2", "variational", "Runge-Kutta")
    },
}


def measured(entry: str, cache: str) -> float:
    """Seconds an entry takes in a process of its own."""
    root = str(Path(__file__).resolve().parents[1])
    environment = os.environ | {"XDG_CACHE_HOME": cache, "PYTHONPATH": root, "ENTRY": entry}
    done = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, check=True, text=True
    )
    return float(done.stdout)


def main(names: list[str]) -> None:
    print("| first call | cold [s] | warm [s] |\n|---|---|---|")
    for name in names or ENTRIES:
        cold, warm = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(measured(name, cache))
                warm.append(measured(name, cache))
        bar = ENTRIES[name].bar
        met = "" if bar is None else f"  bar {bar}{'' if min(cold) <= bar else '  MISSED'}"
        print(f"| {name} | {min(cold):.2f} | {min(warm):.2f} |{met}", flush=True)


if __name__ == "__main__":
    if "ENTRY" in os.environ:
        print(ENTRIES[os.environ["ENTRY"]].seconds())
    else:
        main(sys.argv[1:])
