"""Matrices and derivatives beside Pinocchio, in one run: `make bench`.

Both sides store all results of a batch of 256 states, one thread, least time over repeats; a plain
fill of the same arrays is the floor that memory sets. Then single calls, the time to compile, and
G13's own figures.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from spine import FIGURES, LARGE, SMALL, Figure, best, repeat

import arthron as ar

BARS = {
    "ID derivatives": (12, 8, 8),
    "FD derivatives": (10, 8, 8),
    "inverse mass matrix": (12, 8, 8),
    "Coriolis matrix": (12, 8, 8),
    "regressor": (10, 8, 8),
    "ID vector-Jacobian": (20, 20, 20),
}
SINGLE = 1.5


def pairs(f: Figure) -> dict[str, tuple[Callable, tuple, Callable, Callable]]:
    """Our method, its arguments, Pinocchio's call on one state, and where its results lie."""
    m, d = f.pin, f.data
    return {
        "ID derivatives": (
            f.ours.inverse_dynamics_derivatives,
            (f.q, f.v, f.a),
            lambda q, v, a: pin.computeRNEADerivatives(m, d, q, v, a),
            lambda: (d.dtau_dq, d.dtau_dv),
        ),
        "FD derivatives": (
            f.ours.forward_dynamics_derivatives,
            (f.q, f.v, f.a),
            lambda q, v, a: pin.computeABADerivatives(m, d, q, v, a),
            lambda: (d.ddq_dq, d.ddq_dv, d.Minv),
        ),
        "inverse mass matrix": (
            f.ours.inverse_mass_matrix,
            (f.q,),
            lambda q, v, a: pin.computeMinverse(m, d, q),
            lambda: (d.Minv,),
        ),
        "Coriolis matrix": (
            f.ours.coriolis_matrix,
            (f.q, f.v),
            lambda q, v, a: pin.computeCoriolisMatrix(m, d, q, v),
            lambda: (d.C,),
        ),
        "regressor": (
            f.ours.regressor,
            (f.q, f.v, f.a),
            lambda q, v, a: pin.computeJointTorqueRegressor(m, d, q, v, a),
            lambda: (d.jointTorqueRegressor,),
        ),
    }


def throughput(f: Figure) -> dict[str, dict[str, float]]:
    """Seconds a state in a batch: ours, Pinocchio's storing and not storing, a plain fill."""
    rows = {}
    states = list(zip(f.pin_q, f.pin_v, f.pin_a, strict=True))
    for label, (ours, arguments, theirs, results) in pairs(f).items():
        given = [x[:SMALL].copy() for x in arguments]
        out = ours(*given)
        arrays = out if isinstance(out, tuple) else (out,)
        theirs(*states[0])
        kept = [np.empty((SMALL, *r.shape)) for r in results()]

        def store(theirs: Callable = theirs, results: Callable = results, kept: list = kept):
            for k, s in enumerate(states):
                theirs(*s)
                for array, result in zip(kept, results(), strict=True):
                    array[k] = result

        rows[label] = {
            "ops": ours.op_count,  # type: ignore[attr-defined]
            "ours": best(lambda: ours(*given, out=out)) / SMALL,  # noqa: B023
            "pin": best(store) / SMALL,
            "pin, not stored": best(lambda: [theirs(*s) for s in states]) / SMALL,  # noqa: B023
            "fill": best(lambda: [a.fill(0.0) for a in arrays]) / SMALL,  # noqa: B023
        }
    w = np.random.default_rng(1).normal(size=f.v.shape)
    out = f.ours.inverse_dynamics_vjp(f.q, f.v, f.a, w)
    products = [np.empty((SMALL, f.pin.nv)) for _ in range(3)]

    def product() -> None:
        for k, s in enumerate(states):
            pin.computeRNEADerivatives(f.pin, f.data, *s)
            for array, matrix in zip(
                products, (f.data.dtau_dq, f.data.dtau_dv, f.data.M), strict=True
            ):
                np.matmul(w[k], matrix, out=array[k])

    rows["ID vector-Jacobian"] = {
        "ops": f.ours.inverse_dynamics_vjp.op_count,  # type: ignore[attr-defined]
        "ours": best(lambda: f.ours.inverse_dynamics_vjp(f.q, f.v, f.a, w, out=out)) / LARGE,
        "pin": best(product) / SMALL,
        "pin, not stored": best(
            lambda: [pin.computeRNEADerivatives(f.pin, f.data, *s) for s in states]
        )
        / SMALL,
        "fill": best(lambda: [a.fill(0.0) for a in out]) / LARGE,
    }
    return rows


def single(f: Figure) -> dict[str, tuple[float, float]]:
    """Seconds of one call from Python, ours and Pinocchio's."""
    s = f.pin_q[0], f.pin_v[0], f.pin_a[0]
    rows = {}
    for label, (ours, arguments, theirs, _) in pairs(f).items():
        given = [x[0].copy() for x in arguments]
        times = (best(repeat(lambda: ours(*given))), best(repeat(lambda: theirs(*s))))  # noqa: B023
        rows[label] = tuple(t / 500 for t in times)
    q, v, a, w = (x[0].copy() for x in (f.q, f.v, f.a, f.v))
    ours = best(repeat(lambda: f.ours.inverse_dynamics_vjp(q, v, a, w))) / 500

    def product() -> tuple:
        pin.computeRNEADerivatives(f.pin, f.data, *s)
        return w @ f.data.dtau_dq, w @ f.data.dtau_dv, w @ f.data.M

    rows["ID vector-Jacobian"] = ours, best(repeat(product)) / 500
    return rows


COLD = """
import json, sys, time
import numpy as np, arthron as ar
model = ar.load(sys.argv[1])
q, v = model.neutral(), np.zeros(model.nv)
times = {}
for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
    for kind, lead in (("one state", ()), ("batch", (8,))):
        given = [np.broadcast_to(x, (*lead, len(x))).copy() for x in (q, v, v)]
        start = time.perf_counter()
        getattr(model, name)(*given)
        times[f"{name}, {kind}"] = time.perf_counter() - start
print(json.dumps(times))
"""


def cold(path: str) -> dict[str, float]:
    """Seconds until a first result, in a process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        run = subprocess.run(
            [sys.executable, "-c", COLD, path], env=environment, capture_output=True, check=True
        )
    return json.loads(run.stdout)


def garofalo(root: ar.Fixed | ar.Free) -> dict[str, float]:
    """G13's figures for its 25 hinges: M, C, g, also with their rates, and their derivatives."""
    whole = ar.load(ar.figures / "humanoid.urdf", root=root)
    model = whole.lock(["waist_pitch", "waist_roll"], whole.neutral())
    rng = np.random.default_rng(0)
    q, (v, a) = model.random(rng), rng.normal(size=(2, model.nv))
    many = model.random(rng, SMALL), rng.normal(size=(SMALL, model.nv))
    printed = ar.compile(sums_over_bodies, model)
    three = ar.compile(ar.algorithms.closed_form, model)
    six = ar.compile(ar.algorithms.closed_form_and_dot, model)
    by_q = ar.compile(ar.algorithms.closed_form_dq, model)
    by_qd = ar.compile(ar.algorithms.closed_form_dqd, model)
    out = three(*many)
    return {
        "hinges": sum(isinstance(b.joint, ar.Revolute) for b in model.bodies),
        "coordinates": model.nv,
        "ops of M, C, g, sums over bodies": printed.op_count,
        "ops of M, C, g, composite inertias": three.op_count,
        "ops of all six": six.op_count,
        "ops of derivatives by q": by_q.op_count,
        "ops of derivatives by qd": by_qd.op_count,
        "us of M, C, g, sums over bodies": best(repeat(lambda: printed(q, v), 100)) * 1e4,
        "us of M, C, g, composite inertias": best(repeat(lambda: three(q, v), 100)) * 1e4,
        "us of M, C, g, a state of a batch": best(lambda: three(*many, out=out)) / SMALL * 1e6,
        "us of all six": best(repeat(lambda: six(q, v, a), 100)) * 1e4,
        "us of derivatives by q": best(repeat(lambda: by_q(q, v), 100)) * 1e4,
        "us of derivatives by qd": best(repeat(lambda: by_qd(q, v), 100)) * 1e4,
    }


def sums_over_bodies(tree, q, qd) -> dict:
    """M, C and g as G13 prints them in (6), with every body's whole Jacobian."""
    pages = ar.algorithms
    J, Jd, X0 = pages.jacobians(tree, q), pages.jacobians_dot(tree, q, qd), pages.poses(tree, q)
    v, n = pages.velocities(tree, q, qd), tree.nv
    M, C, g = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)], [0.0] * n
    at = tree.v_start
    for k in tree.bodies:
        columns = [
            (at[j] + c, s, d)
            for j in J[k]
            for c, (s, d) in enumerate(zip(J[k][j], Jd[k][j], strict=True))
        ]
        for b, s, d in columns:
            F = tree.I[k] @ s
            G = tree.I[k] @ (v[k].cross(s) + d) + v[k].cross(F)
            g[b] = g[b] + (X0[k] @ -tree.gravity).dot(F)
            for a, r, _ in columns:
                C[a][b] = C[a][b] + r.dot(G)
                if a <= b:
                    M[a][b] = M[b][a] = M[a][b] + r.dot(F)
    return {"M": M, "C": C, "g": g}


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{platform.processor() or platform.machine()}, Pinocchio {pin.__version__}")
    figures = {name: Figure(name) for name in FIGURES}
    print(f"\nbatch of {SMALL}, into out=, one thread [us a state]")
    print(
        f"{'':22}{'':15}{'ops':>7}{'ours':>9}{'pin':>9}{'ratio':>7}{'bar':>5}{'fill':>8}  of fill"
    )
    for column, (name, figure) in enumerate(figures.items()):
        for label, r in throughput(figure).items():
            ours, theirs, fill = (1e6 * r[k] for k in ("ours", "pin", "fill"))
            bar = BARS[label][column]
            met = "" if theirs / ours >= bar or fill / ours >= 0.7 else "  MISSED"
            bare = 1e6 * r["pin, not stored"] / ours
            print(
                f"{label:22}{name:15}{r['ops']:7}{ours:9.3f}{theirs:9.2f}{theirs / ours:7.1f}"
                f"{bar:5}{fill:8.3f}{100 * fill / ours:6.0f} %  ({bare:.1f} not storing){met}"
            )
    print("\nsingle calls from Python [us]")
    for name, figure in figures.items():
        for label, (ours, theirs) in single(figure).items():
            met = "" if theirs / ours >= SINGLE else "  MISSED"
            print(
                f"{label:22}{name:15}{1e6 * ours:9.2f}{1e6 * theirs:9.2f}{theirs / ours:7.1f}{met}"
            )
    print("\nfirst call with an empty cache, talos_reduced [s]; bars 4 and 6")
    from spine import ROBOTS

    for label, seconds in cold(str(ROBOTS / FIGURES["talos_reduced"][0])).items():
        print(f"{label:45}{seconds:6.2f}")
    for root in (ar.Fixed(), ar.Free()):
        print(f"\nM, C, g in closed form, {root!r} (G13: 244 us; all six 0.71 of the three twice)")
        g = garofalo(root)
        for label, value in g.items():
            print(f"{label:55}{value:9.1f}")
        for kind in ("sums over bodies", "composite inertias"):
            ratio = g["us of all six"] / g[f"us of M, C, g, {kind}"] / 2
            print(f"{f'all six / the three twice, {kind}':55}{ratio:9.2f}")
        for unit in ("ops", "us"):
            each = 2 * g["coordinates"] * g[f"{unit} of M, C, g, composite inertias"]
            ratio = g[f"{unit} of derivatives by q"] / each
            print(f"{f'derivatives by q / the three twice a coordinate, {unit}':55}{ratio:9.2f}")


if __name__ == "__main__":
    Path("out").mkdir(exist_ok=True)
    main()
