"""Spacetime optimisation beside CasADi with Ipopt, and energy of motions beside Pinocchio.

CasADi gets the very same nonlinear program: the same splines, samples and pages, run on its
symbols, its derivatives by its own means, compiled by a C compiler where there is one and that
takes less than minutes (`pip install casadi`). What is timed is the search alone, after everything
is compiled, to the same tolerance from the same start. Pinocchio's derivatives of inverse dynamics
are called from Python, sample by sample, as there is no batch of them. For one thread, `taskset -c
0` it.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import arthron as ar
from arthron._spacetime.weak_balance import WeakBalance
from arthron._spatial.vectors import Vec3
from arthron._tree.tree import BodyList
from arthron.spacetime import (
    Keyframe,
    MotionProblem,
    Phase,
    Smoothness,
    TorqueEnergy,
    TorqueLimits,
    Waypoint,
)

REPEATS, TOLERANCE = 5, 1e-8
SPANS = (8, 20, 50, 100, 200)


def best(run: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The shortest time of several [s]."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def cart_pole() -> ar.Model:
    cart = ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((0.4, 0.2, 0.2), mass=1.0)],
                   lower=-2.0, upper=2.0, effort=20.0)  # fmt: skip
    rod = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
    return ar.Model([cart, ar.Body("pole", ar.Revolute("y"), parent="cart", shapes=[rod])])


def swing_up(spans: int) -> MotionProblem:
    ends = [Keyframe(0, [0.0, 0.0]), Keyframe(1, [0.0, np.pi])]
    conditions = [*ends, TorqueLimits()]
    return MotionProblem(
        cart_pole(), Phase(2.0, spans), TorqueEnergy(), conditions, passive=["pole"]
    )


def arm(joints: int) -> ar.Model:
    """Links of 0.3 m that turn about other axes, one after the other."""
    link = ar.Capsule(0.04, 0.25, placement=(0, 0, 0.15))
    return ar.Model(
        [
            ar.Body(f"link{k}", ar.Revolute("zyx"[k % 3]), parent=f"link{k - 1}" if k else None,
                    placement=(0, 0, 0.3) if k else (0, 0, 0), shapes=[link], lower=-2.9, upper=2.9)
            for k in range(joints)
        ]
    )  # fmt: skip


def reach(joints: int, spans: int = 12) -> MotionProblem:
    """From one pose to where the hand is in another."""
    model, k = arm(joints), np.arange(joints)
    start, end = 0.4 * np.sin(k + 1.0), 0.8 * np.cos(k)
    last = f"link{joints - 1}"
    tip = model.frame_pose(end, last) @ [0.0, 0.0, 0.3, 1.0]
    there = Waypoint(last, 1, position=tip[:3], velocity=(0, 0, 0), point=(0, 0, 0.3))
    return MotionProblem(model, Phase(1.0, spans), TorqueEnergy(), [Keyframe(0, start), there])


def moved_tree(joints: int, spans: int = 12) -> MotionProblem:
    """A branching figure goes from pose to pose, and calm counts as much as torque."""
    model = ar.random_tree(joints, 2.0, joints=("revolute",), rng=1)
    start, end = 0.5 * np.random.default_rng(3).standard_normal((2, joints))
    costs = [TorqueEnergy(), Smoothness(1.0)]
    return MotionProblem(
        model, Phase(1.0, spans), costs, [Keyframe(0, start), Keyframe(1, end)], limits=False
    )


def casadi_solver(problem: MotionProblem, compiled: bool) -> Any:
    """The same program in CasADi: a function that solves it, or None where CasADi is not."""
    try:
        import casadi as ca
    except ImportError:
        return None
    built = problem.built()
    program, tree, nv = built.program, problem.model.tree, problem.model.nv
    x = ca.MX.sym("x", len(program.lower))

    def numbers(samples: Any) -> Any:
        """A page at all samples, a column each: one function of controls and basis values."""
        n = samples.B.shape[-1]
        c, b = ca.SX.sym("c", n * nv), ca.SX.sym("b", 3 * n)
        data = {name: ca.SX.sym(name, x.shape[1]) for name, x in samples.data.items()}
        given = {}
        for k, name in enumerate(("q", "qd", "qdd")):
            row = [sum(b[k * n + i] * c[i * nv + j] for i in range(n)) for j in range(nv)]
            given[name] = tree.positions(row) if name == "q" else tree.rates(row)
        for name, symbol in data.items():
            own = [symbol[i] for i in range(symbol.shape[0])]
            given[name] = tree.positions(own) if name == "q0" else own
        given["forces"] = []
        found = samples.page.page(tree, *(given[name] for name in samples.page.inputs))
        if isinstance(found, BodyList):
            flat = tree.vector(found)
        else:
            flat = [x for v in found for x in (v if isinstance(v, Vec3) else [v])]
        one = ca.Function("one", [c, b, *data.values()], [ca.vertcat(*flat)])
        T = samples.own.given
        scale = np.array([1.0, 1.0 / T, 1.0 / T**2])[:, None]
        count = len(samples.B)
        local = ca.reshape(x[samples.columns.ravel().tolist()], n * nv, count)
        basis = (samples.B * scale).reshape(count, -1).T
        return one.map(count)(local, basis, *(d.T for d in samples.data.values()))

    objective = 0.0
    for cost in program.costs:
        objective += cost.samples.own.given * ca.dot(cost.weights.T, numbers(cost.samples) ** 2)
    rows = []
    for block in program.rows:
        weak = isinstance(block, WeakBalance)
        samples = block.samples if weak else block.terms[0][1]
        each = numbers(samples)
        each = each if samples.combine is None else samples.combine @ each
        rows.append(ca.vec(each @ block.averaging.T if weak else each))
    options: dict[str, Any] = {"print_time": False, "ipopt": {"print_level": 0, "tol": TOLERANCE}}
    if compiled and shutil.which("gcc"):
        options |= {"jit": True, "jit_options": {"flags": ["-O1"], "verbose": False}}
    nlp = {"x": x, "f": objective, "g": ca.vertcat(*rows)}
    solver = ca.nlpsol("solver", "ipopt", nlp, options)
    bounds = {"lbx": program.lower, "ubx": program.upper, "lbg": program.least, "ubg": program.most}

    def solve() -> tuple[float, int]:
        found = solver(x0=built.start, **bounds)
        stats = solver.stats()
        return float(found["f"]), int(stats["iter_count"])

    return solve


def beside_casadi(name: str, problem: MotionProblem, compiled: bool = True) -> None:
    motion = problem.solve(progress=False, tolerance=TOLERANCE)
    built = problem.built()  # as CasADi's solver is, before the clock starts

    def search() -> Any:
        return ar.optimize.minimize(built.program, built.start, progress=False, tolerance=TOLERANCE)

    ours = best(search)
    solver = casadi_solver(problem, compiled)
    text = f"{name:28} arthron {1e3 * ours:8.1f} ms {motion.optimum.iterations:4d} it"
    if solver is None:
        print(text, " (casadi is not installed)")
        return
    cost, iterations = solver()
    theirs = best(solver)
    off = abs(cost - motion.cost) / abs(cost)
    print(
        f"{text}   CasADi + Ipopt {1e3 * theirs:8.1f} ms {iterations:4d} it   "
        f"{theirs / ours:5.1f} times   costs differ by {off:.1e}"
    )


def energy_beside_pinocchio(joints: int = 44, samples: int = 120) -> None:
    """Energy of a motion and its gradient by all coefficients, of a branching figure."""
    import pinocchio as pin

    model = ar.random_tree(joints, 2.0, joints=("revolute",), rng=1)
    theirs = pin_model(model)
    problem = MotionProblem(model, Phase(1.0, samples // 4), TorqueEnergy())
    program = problem.built().program
    x = 0.3 * np.random.default_rng(2).standard_normal(len(program.lower))
    cost = program.costs[0]
    point = cost.samples.at(x)
    q, qd, qdd = (point.given[name] for name in ("q", "qd", "qdd"))
    data = theirs.createData()
    turned = np.stack([np.cos(q), np.sin(q)], -1).reshape(len(q), -1)  # as joints without limits

    def by_pinocchio() -> tuple[float, np.ndarray]:
        P, gradient = 0.0, np.zeros(len(x))
        for k in range(len(q)):
            pin.computeRNEADerivatives(theirs, data, turned[k], qd[k], qdd[k])
            M = np.triu(data.M) + np.triu(data.M, 1).T
            y = 2.0 * cost.weights[k] * data.tau
            P += 0.5 * float(y @ data.tau)
            by = np.stack([y @ data.dtau_dq, y @ data.dtau_dv, y @ M])
            gradient[cost.samples.columns[k]] += (cost.samples.B[k].T @ by).ravel()
        return P, gradient

    def by_arthron(x: np.ndarray) -> tuple[float, np.ndarray]:
        return program.objective(x), program.gradient(x)

    P, gradient = by_pinocchio()
    ours = by_arthron(x)
    off = abs(P - ours[0]) / P, np.abs(gradient - ours[1]).max() / np.abs(gradient).max()
    program.objective(x + 1.0)
    shift = iter(range(1, 1000))
    often = 100
    fast = best(lambda: by_arthron(x + 1e-9 * next(shift)), often)  # nothing is known from before
    slow = best(by_pinocchio, often)
    print(
        f"energy and gradient, {joints} DoF, {len(q)} samples: arthron {1e3 * fast:.2f} ms, "
        f"Pinocchio {1e3 * slow:.1f} ms, {slow / fast:.0f} times; off by {off[0]:.0e}, {off[1]:.0e}"
    )


def pin_model(model: ar.Model) -> Any:
    """The same figure in Pinocchio, through a URDF file."""
    from pathlib import Path

    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.urdf"
        model.save_urdf(path)
        theirs = pin.buildModelFromUrdf(str(path))
    assert [n for n in theirs.names[1:]] == list(model.joint_names)
    return theirs


def tables() -> None:
    print("\nswing-up against knots")
    for spans in SPANS:
        problem = swing_up(spans)
        motion = problem.solve(progress=False)
        ours = best(lambda p=problem: p.solve(progress=False))
        print(f"  {spans:4d} spans {motion.optimum.iterations:4d} it {1e3 * ours:8.1f} ms")
    for text, make in (("reach of an arm", reach), ("from pose to pose", moved_tree)):
        print(f"{text} against degrees of freedom, 12 spans")
        for joints in (2, 4, 7, 14, 28, 44):
            problem = make(joints)
            motion = problem.solve(progress=False)
            start = time.perf_counter()
            problem.solve(progress=False)
            took = time.perf_counter() - start
            text = f"  {joints:4d} DoF {motion.optimum.iterations:4d} it {1e3 * took:8.1f} ms"
            print(text, motion.status)


def main() -> None:
    words = sys.argv[1:]
    if not words or "energy" in words:
        energy_beside_pinocchio()
    if not words or "casadi" in words:
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
        ):  # of CasADi's C code
            beside_casadi("swing-up, 20 spans", swing_up(20))
            beside_casadi("swing-up, 100 spans", swing_up(100))
            beside_casadi("reach of 7 joints, 12 spans", reach(7), compiled=False)
    if not words or "tables" in words:
        tables()


if __name__ == "__main__":
    main()
