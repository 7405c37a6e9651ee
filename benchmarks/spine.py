"""Speed beside Pinocchio and latency, in one run: `make bench`.

Every ratio is of two timings taken one after the other in this process, each the least over several
repeats. One thread unless the row says otherwise.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
FIGURES = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", False),
    "g1 floating": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
}
BARS = {
    "inverse dynamics": (35, 18, 18),
    "forward dynamics": (30, 18, 18),
    "mass matrix": (15, 8, 8),
}
LARGE, SMALL = 4096, 256


def best(call: Callable, seconds: float = 0.4) -> float:
    """Least time of a call over repeats that fill `seconds`."""
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def repeat(call: Callable, n: int = 500) -> Callable:
    def loop() -> None:
        for _ in range(n):
            call()

    return loop


class Figure:
    """A robot in both libraries, with states for each."""

    def __init__(self, name: str) -> None:
        file, floating = FIGURES[name]
        path = str(ROBOTS / file)
        self.name = name
        self.ours = ar.load(path, root=ar.Free() if floating else None)
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        self.pin = pin.buildModelFromUrdf(path, *root)
        self.data = self.pin.createData()
        self.pool = pin.ModelPool(self.pin, 1)
        rng = np.random.default_rng(0)
        self.q = np.stack([self.ours.random(rng) for _ in range(LARGE)])
        self.v, self.a = rng.normal(size=(2, LARGE, self.ours.nv))
        low, high = -np.ones(self.pin.nq), np.ones(self.pin.nq)
        self.pin_q = [pin.randomConfiguration(self.pin, low, high) for _ in range(SMALL)]
        self.pin_v, self.pin_a = (list(x[:SMALL]) for x in (self.v, self.a))
        wide = np.stack([self.pin_q[i % SMALL] for i in range(LARGE)])
        columns = [np.asfortranarray(x.T) for x in (wide, self.v, self.a, self.v * 0.0)]
        self.columns = columns


def throughput(figure: Figure) -> dict[str, dict[str, float]]:
    """Microseconds a state in a batch, ours and the faster of Pinocchio's two ways."""
    f, rows = figure, {}
    for label, ours, loop, parallel in [
        ("inverse dynamics", f.ours.inverse_dynamics, pin.rnea, pin.rneaInParallel),
        ("forward dynamics", f.ours.forward_dynamics, pin.aba, pin.abaInParallel),
    ]:
        out = ours(f.q, f.v, f.a)
        states = list(zip(f.pin_q, f.pin_v, f.pin_a, strict=True))
        by_loop = best(lambda: [loop(f.pin, f.data, *s) for s in states]) / SMALL  # noqa: B023
        by_pool = best(lambda: parallel(1, f.pool, *f.columns)) / LARGE  # noqa: B023
        mine = best(lambda: ours(f.q, f.v, f.a, out=out)) / LARGE  # noqa: B023
        rows[label] = {"ops": ours.op_count, "ours": mine, "pin": min(by_loop, by_pool)}
    q = f.q[:SMALL].copy()
    out = f.ours.mass_matrix(q)
    rows["mass matrix"] = {
        "ops": f.ours.mass_matrix.op_count,
        "ours": best(lambda: f.ours.mass_matrix(q, out=out)) / SMALL,
        "pin": best(lambda: [pin.crba(f.pin, f.data, x) for x in f.pin_q]) / SMALL,
        "fill": best(lambda: out.fill(0.0)) / SMALL,
    }
    return rows


def single(figure: Figure) -> dict[str, tuple[float, float]]:
    """Microseconds of one call from Python, ours and Pinocchio's."""
    f = figure
    q, v, a = f.q[0].copy(), f.v[0].copy(), f.a[0].copy()
    s = (f.pin_q[0], f.pin_v[0], f.pin_a[0])
    model = f.ours
    calls = {
        "inverse dynamics": (
            lambda: model.inverse_dynamics(q, v, a),
            lambda: pin.rnea(f.pin, f.data, *s),
        ),
        "forward dynamics": (
            lambda: model.forward_dynamics(q, v, a),
            lambda: pin.aba(f.pin, f.data, *s),
        ),
        "mass matrix": (lambda: model.mass_matrix(q), lambda: pin.crba(f.pin, f.data, s[0])),
    }
    return {k: (best(repeat(x)) / 500, best(repeat(y)) / 500) for k, (x, y) in calls.items()}


def threads(figure: Figure, cores: set[int]) -> tuple[int, float]:
    """How much faster all cores are than one, on inverse dynamics of a large batch."""
    f, n = figure, 16 * LARGE
    q, v, a = (np.tile(x, (16, 1)) for x in (f.q, f.v, f.a))
    out = np.empty((n, f.ours.nv))
    one = best(lambda: f.ours.inverse_dynamics(q, v, a, out=out), 1.0)
    os.sched_setaffinity(0, cores)
    many = best(lambda: f.ours.inverse_dynamics(q, v, a, out=out), 1.0)
    os.sched_setaffinity(0, {min(cores)})
    return len(cores), one / many


PROBE = """
import sys, time, json
start = time.perf_counter(); import numpy as np; numpy_s = time.perf_counter() - start
start = time.perf_counter(); import arthron as ar; arthron_s = time.perf_counter() - start
model = ar.load(sys.argv[1])
rng = np.random.default_rng(0)
q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
Q, V, A = (np.stack([x] * 16) for x in (q, v, a))
times = {"import": arthron_s}
for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
    rest, many = ((), ()) if name == "mass_matrix" else ((v, a), (V, A))
    start = time.perf_counter(); getattr(model, name)(q, *rest)
    times[name + ", one state"] = time.perf_counter() - start
    start = time.perf_counter(); getattr(model, name)(Q, *many)
    times[name + ", batch"] = time.perf_counter() - start
print(json.dumps(times))
"""


def latency(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds to the first result of a page in a new process: empty cache, then warm."""

    def probe(cache: str) -> dict[str, float]:
        command = [sys.executable, "-c", PROBE, str(ROBOTS / FIGURES[name][0])]
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
        return json.loads(done.stdout)

    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(probe(cache))
            warm += [probe(cache) for _ in range(3)]
    least = lambda runs: {k: min(run[k] for run in runs) for k in runs[0]}  # noqa: E731
    return least(cold), least(warm)


def main() -> None:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    figures = [Figure(name) for name in FIGURES]
    print(f"arthron {ar.__version__}, Pinocchio {pin.__version__}, NumPy {np.__version__}, "
          f"Python {platform.python_version()}, {_processor()}\n")  # fmt: skip

    print(f"One thread, us a state (batch {LARGE}; mass matrix {SMALL}, into out=)")
    print("| | figure | operations | Pinocchio | arthron | ratio | bar |")
    print("|---|---|---|---|---|---|---|")
    results = [throughput(figure) for figure in figures]
    for label, bars in BARS.items():
        for figure, rows, bar in zip(figures, results, bars, strict=True):
            row = rows[label]
            fill = f" ({row['fill'] / row['ours']:.0%} of a fill)" if "fill" in row else ""
            print(f"| {label} | {figure.name} | {row['ops']} | {row['pin'] * 1e6:.3f} | "
                  f"{row['ours'] * 1e6:.4f} | **{row['pin'] / row['ours']:.1f}**{fill} | "
                  f"{bar} |")  # fmt: skip

    print("\nOne call from Python, us")
    print("| | figure | Pinocchio | arthron | ratio | bar |\n|---|---|---|---|---|---|")
    for figure in figures:
        for label, (ours, theirs) in single(figure).items():
            print(f"| {label} | {figure.name} | {theirs * 1e6:.2f} | {ours * 1e6:.2f} | "
                  f"**{theirs / ours:.1f}** | 2 |")  # fmt: skip

    print("\nThreads, inverse dynamics, batch 65536 (bar: 1.7 with two)")
    for figure in figures:
        n, gain = threads(figure, cores)
        print(f"  {figure.name}: {n} threads {gain:.2f}x one")

    print("\nLatency, ms to the first result in a new process")
    print("| figure | page | empty cache | warm cache |\n|---|---|---|---|")
    os.sched_setaffinity(0, cores)
    for name in list(FIGURES)[:2]:
        cold, warm = latency(name)
        for key in cold:
            print(f"| {name} | {key} | {cold[key] * 1e3:.0f} | {warm[key] * 1e3:.1f} |")
    print(
        "import: seconds more than `import numpy`; bars: import 250, panda 500, talos 2000, warm 20"
    )


def _processor() -> str:
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{statistics.mode(names)} x {len(names)}" if names else platform.processor()


if __name__ == "__main__":
    main()
