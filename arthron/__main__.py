"""`python -m arthron [FILE.urdf]`: show a figure and its dynamics, timed.

Without a file, the humanoid that ships with the package, floating.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import arthron as ar

BATCH = 4096


def main() -> int:
    """Print the figure, and a table of what can be computed of it."""
    parser = argparse.ArgumentParser(prog="arthron", description="Show a figure and its dynamics.")
    parser.add_argument("file", nargs="?", help="a URDF file; a humanoid when left out")
    file = parser.parse_args().file
    try:
        model = ar.load(file) if file else ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    except ar.ArthronError as error:
        print(error, file=sys.stderr)
        return 1
    print(model, end="\n\n")
    if not model.nv:
        print("Nothing in it moves.")
        return 0
    rng = np.random.default_rng(0)
    q = np.stack([model.random(rng) for _ in range(BATCH)])
    qd, u = rng.normal(size=(2, BATCH, model.nv))
    print(f"At one of {BATCH} random poses, with random velocities and accelerations:")
    tau = model.inverse_dynamics(q[0], qd[0], u[0])
    back = model.forward_dynamics(q[0], qd[0], tau)
    energy = model.kinetic_energy(q[0], qd[0]), model.potential_energy(q[0])
    print(f"  centre of mass      {np.round(model.center_of_mass(q[0]), 3)} m")
    print(f"  energy              {energy[0]:.2f} J of motion, {energy[1]:.2f} J of height")
    print(f"  strongest joint     {_strongest(model, tau)}")
    print(f"  forward of inverse  off by {np.abs(back - u[0]).max():.1e}", end="\n\n")
    _table(model, q, qd, u)
    print("\nNext: README.md shows how to use this from Python; `make bench` compares with others.")
    return 0


def _strongest(model: ar.Model, tau: np.ndarray) -> str:
    joints = [name for name in model.joint_names if name != "root_joint"]
    forces = {name: float(np.abs(tau[model.slice_qd(name)]).max()) for name in joints}
    name = max(forces, key=lambda joint: forces[joint])
    return f"{name}, {forces[name]:.1f} N m"


def _table(model: ar.Model, q: np.ndarray, qd: np.ndarray, u: np.ndarray) -> None:
    """Cost of each method: operations, compile time, one call, and a state of a batch."""
    methods: dict[str, tuple[Any, tuple[np.ndarray, ...]]] = {
        "inverse_dynamics": (model.inverse_dynamics, (q, qd, u)),
        "forward_dynamics": (model.forward_dynamics, (q, qd, u)),
        "mass_matrix": (model.mass_matrix, (q,)),
        "bias_forces": (model.bias_forces, (q, qd)),
        "body_poses": (model.body_poses, (q,)),
        "body_jacobians": (model.body_jacobians, (q,)),
        "com_jacobian": (model.com_jacobian, (q,)),
        "momentum": (model.momentum, (q, qd)),
    }
    print(f"{'method':<18}{'operations':>11}{'ready in':>11}{'one call':>11}{'per state':>12}")
    for name, (method, batch) in methods.items():
        start = time.perf_counter()
        single = [x[0].copy() for x in batch]
        method(*single)
        method(*(x[:16] for x in batch))
        ready = time.perf_counter() - start
        result = method(*batch)
        one = _best(lambda method=method, single=single: method(*single), 2000)
        many = _best(lambda method=method, batch=batch, out=result: method(*batch, out=out), 5)
        print(f"{name:<18}{method.op_count:>11}{ready * 1e3:>8.0f} ms{one * 1e6:>8.2f} us"
              f"{many / BATCH * 1e9:>9.0f} ns")  # fmt: skip
    machine = platform.processor() or platform.machine()
    print(f"batches of {BATCH} on all cores; {machine}, Python {platform.python_version()}")


def _best(call: Callable, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
