"""First calls with an empty cache: trace, compile and run, each in a process of its own.

`python benchmarks/compile_time.py [words]` measures the entries whose names have the words. A bar
is in seconds on two cores of 2024; the fastest of three is compared with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 3
ROOT = Path(__file__).parents[1]

HEAD = """
import sys, time
import numpy as np
import arthron as ar
sys.path.insert(0, {folder!r})
from spine import FIGURES, ROBOTS

def robot(name):
    return ar.load(ROBOTS / FIGURES[name][0])

def state(model):
    rng = np.random.default_rng(0)
    return model.random(rng), *rng.normal(size=(3, model.nv))
"""
TAIL = """
begun = time.perf_counter()
call()
print(time.perf_counter() - begun)
"""

ENTRIES: list[tuple[str, str, float | None]] = [
    (
        "panda inverse_dynamics",
        """
model = robot("panda")
q, qd, qdd, _ = state(model)
call = lambda: model.inverse_dynamics(q, qd, qdd)""",
        None,
    ),
    (
        "talos forward_dynamics_derivatives",
        """
model = robot("talos_reduced")
q, qd, tau, _ = state(model)
call = lambda: model.forward_dynamics_derivatives(q, qd, tau)""",
        1.2,
    ),
    (
        "80 joints forward_dynamics_derivatives",
        """
model = ar.random_tree(80, rng=0)
q, qd, tau, _ = state(model)
call = lambda: model.forward_dynamics_derivatives(q, qd, tau)""",
        10.0,
    ),
    (
        "400 joints inverse_dynamics_vjp",
        """
model = ar.random_tree(400, rng=0)
q, qd, qdd, w = state(model)
call = lambda: model.inverse_dynamics_vjp(q, qd, qdd, w)""",
        None,
    ),
]
"""Name, code that defines `call`, and the bar in seconds."""


def seconds(code: str) -> float:
    """How long the first call takes in a fresh process with an empty cache."""
    head = HEAD.format(folder=str(ROOT / "benchmarks"))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        done = subprocess.run(
            [sys.executable, "-c", head + code + TAIL], env=environment, check=True,
            capture_output=True, text=True, cwd=ROOT,
        )  # fmt: skip
    return float(done.stdout)


def main() -> None:
    print(f"first call with an empty cache [s], fastest of {REPEATS}")
    for name, code, bar in ENTRIES:
        if all(word in name for word in sys.argv[1:]):
            best = min(seconds(code) for _ in range(REPEATS))
            met = "" if bar is None else f"  bar {bar}{'' if best <= bar else '  MISSED'}"
            print(f"{name:45}{best:7.2f}{met}", flush=True)


if __name__ == "__main__":
    main()
