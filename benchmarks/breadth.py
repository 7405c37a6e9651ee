"""Long figures beside Pinocchio, and inverse kinematics beside a Pinocchio loop: `make bench`.

Writes the growth of cost with bodies to `out/long_figures.png`.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pinocchio as pin
from spine import ROBOTS, best

import arthron as ar

SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
METHODS = ("inverse_dynamics", "forward_dynamics")
BATCH = 64
MOST_PINOCCHIO = 500
"""Its workspace grows with the cube of bodies: 4 GB at 500, some 30 GB at 1000."""


def pinocchio_model(model: ar.Model) -> pin.Model:
    """The same figure of hinges in Pinocchio."""
    theirs = pin.Model()
    tree = model.tree
    numbers = {0: 0}
    for i, body in enumerate(model.bodies, start=1):
        X, I = tree.Xtree[i], tree.I[i]
        place = pin.SE3(np.array(X.R), np.array(X.r))
        joint = pin.JointModelRevoluteUnaligned(np.array(body.joint.axis))
        numbers[i] = theirs.addJoint(numbers[tree.parent[i]], joint, place, body.name)
        inertia = pin.Inertia(I.m, np.array(I.com()), np.array(I.about_com()))
        theirs.appendBodyToJoint(numbers[i], inertia, pin.SE3.Identity())
    return theirs


def growth(branching: float) -> list[dict[str, float]]:
    """Seconds to be ready from nothing, and microseconds a state, by number of bodies."""
    rows = []
    for nb in SIZES:
        model = ar.random_tree(nb, branching, taper=1.0, rng=1)
        theirs = pinocchio_model(model)
        data = theirs.createData() if nb <= MOST_PINOCCHIO else None
        rng = np.random.default_rng(0)
        q, qd, u = rng.normal(size=(3, BATCH, nb))
        row: dict[str, float] = {"nb": nb}
        for name, peer in zip(METHODS, (pin.rnea, pin.aba), strict=True):
            method = getattr(model, name)
            start = time.perf_counter()
            method(q[0], qd[0], u[0])
            row[f"{name} ready"] = time.perf_counter() - start
            out = method(q, qd, u)
            row[name] = best(lambda: method(q, qd, u, out=out)) / BATCH  # noqa: B023
            row[f"{name} pin"] = np.nan
            if data is not None:
                state = (q[0], qd[0], u[0])
                row[f"{name} pin"] = best(lambda: peer(theirs, data, *state))  # noqa: B023
        rows.append(row)
    return rows


def plot(chain: list[dict[str, float]], tree: list[dict[str, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for axis, name in zip(axes, METHODS, strict=True):
        for label, rows, style in (("chain", chain, "-"), ("tree", tree, "--")):
            sizes = [row["nb"] for row in rows]
            axis.loglog(sizes, [row[f"{name} pin"] * 1e6 for row in rows], style, color="tab:gray",
                        marker="o", ms=3, label=f"Pinocchio, {label}")  # fmt: skip
            axis.loglog(sizes, [row[name] * 1e6 for row in rows], style, color="tab:blue",
                        marker="o", ms=3, label=f"arthron, {label}")  # fmt: skip
        axis.set(title=name.replace("_", " "), xlabel="bodies")
        axis.grid(True, which="both", alpha=0.25)
    axes[0].set_ylabel("µs a state, one thread")
    axes[0].legend(frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def pinocchio_ik(model: pin.Model, goals: list[pin.SE3], frame: int) -> tuple[int, float]:
    """How many goals a damped Gauss-Newton loop in Python reaches, and seconds for all.

    Clamped to the limits, with random restarts, from the neutral pose: the loop of Pinocchio's own
    example with limits and restarts added.
    """
    data, reached = model.createData(), 0
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for goal in goals:
        for attempt in range(31):
            q = np.clip(pin.neutral(model), low, high) if attempt == 0 else rng.uniform(low, high)
            for _ in range(100):
                pin.framesForwardKinematics(model, data, q)
                off = data.oMf[frame].actInv(goal)
                error = pin.log6(off).vector
                if np.linalg.norm(error) < 1e-6:
                    break
                J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
                J = -pin.Jlog6(off.inverse()) @ J
                step = -J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
                q = np.clip(pin.integrate(model, q, step), low, high)
            else:
                continue
            reached += 1
            break
    return reached, time.perf_counter() - start


def inverse_kinematics() -> None:
    path = ROBOTS / "panda_description/urdf/panda.urdf"
    model, theirs = ar.load(path), pin.buildModelFromUrdf(str(path))
    goals = model.frame_pose(model.random(0, 1000), "panda_hand")
    targets = [ar.ik.Pose("panda_hand", goals)]
    ar.ik.solve(model, targets)
    start = time.perf_counter()
    found = ar.ik.solve(model, targets)
    ours = time.perf_counter() - start
    few = [pin.SE3(goal) for goal in goals[:100]]
    reached, seconds = pinocchio_ik(theirs, few, theirs.getFrameId("panda_hand"))
    print(
        "\nInverse kinematics, panda, 1000 random reachable poses to 1e-6 within limits, one thread"
    )
    print(f"  arthron:   {found.solved.mean():.1%} reached, {1000 / ours:,.0f} a second")
    print(
        f"  Pinocchio: {reached / len(few):.1%} of {len(few)}, {len(few) / seconds:,.0f} a second"
    )
    print(f"  ratio {1000 / ours / (len(few) / seconds):.0f} (bar: 10; reached, bar: 99 %)")


def main() -> None:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty
        chain, tree = growth(1.0), growth(1.7)
    print("Long figures of hinges, one thread, us a state (batch 64), from an empty cache")
    print("| bodies | | ID | Pinocchio | ready | FD | Pinocchio | ready |\n" + "|---" * 8 + "|")
    for label, rows in (("chain", chain), ("tree", tree)):
        for row in rows:
            cells = [f"{row[n] * 1e6:.2f} | {row[f'{n} pin'] * 1e6:.1f} | {row[f'{n} ready']:.2f} s"
                     for n in METHODS]  # fmt: skip
            print(f"| {row['nb']} | {label} | {' | '.join(cells)} |")
        at = {row["nb"]: row for row in rows}
        for n in METHODS:
            ratio = at[1000][n] / 1000 / (at[50][n] / 50)
            print(f"  {label}, {n}: cost a body at 1000 is {ratio:.2f} of that at 50 (bar: 2)")
    path = Path("out/long_figures.png")
    plot(chain, tree, path)
    print(f"  plotted in {path}")
    inverse_kinematics()


if __name__ == "__main__":
    main()
