"""Adaptive Runge-Kutta on many double pendulums at once, against SciPy's on one after the other."""

from __future__ import annotations

import time

import numpy as np
from scipy.integrate import solve_ivp

import arthron as ar

ROWS, SAMPLE, DURATION, STEP = 1000, 20, 10.0, 0.01
LINK = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]
PENDULUM = ar.Model(
    [
        ar.Body("upper", ar.Revolute("y"), shapes=LINK),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0.02, 0, -0.6), shapes=LINK),
    ],
    name="double pendulum in space",
)


def by_scipy(q: np.ndarray, qd: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
    """States at all kept times, and how often rates were asked for."""
    zero = np.zeros(2)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], PENDULUM.forward_dynamics(y[:2], y[2:], zero)])

    times = np.linspace(0.0, DURATION, round(DURATION / STEP) + 1)
    found = solve_ivp(
        rates, (0.0, DURATION), np.concatenate([q, qd]), method="DOP853", rtol=tolerance,
        atol=tolerance, t_eval=times,
    )  # fmt: skip
    return found.y.T, found.nfev


def main() -> None:
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-2.0, 2.0, (ROWS, 2)), rng.normal(size=(ROWS, 2))
    truth = np.array([by_scipy(q[k], qd[k], 1e-13)[0] for k in range(SAMPLE)])
    scene = ar.Scene(PENDULUM)
    for tolerance in (1e-6, 1e-9):
        integrator = ar.integrators.RungeKutta(tolerance)

        def run(rows: int, integrator: ar.integrators.Integrator = integrator) -> tuple:
            began = time.perf_counter()
            found = ar.simulate(
                scene, DURATION, STEP, integrator=integrator, q=q[:rows], qd=qd[:rows],
                progress=False,
            )  # fmt: skip
            return time.perf_counter() - began, np.concatenate([found.q, found.qd], -1)

        run(SAMPLE), run(1)
        many, states = min((run(ROWS) for _ in range(5)), key=lambda x: x[0])
        one = min(run(1)[0] for _ in range(5))
        began = time.perf_counter()
        theirs, asked = zip(*(by_scipy(q[k], qd[k], tolerance) for k in range(SAMPLE)), strict=True)
        scipy = (time.perf_counter() - began) / SAMPLE
        ours, other = (
            np.median(np.abs(x - truth).max((1, 2))) for x in (states[:SAMPLE], np.array(theirs))
        )
        print(f"tolerance {tolerance:g}: {many / ROWS * 1e3:.2f} ms a trajectory of {ROWS}, "
              f"{one * 1e3:.1f} alone, error {ours:.1e}; SciPy {scipy * 1e3:.0f} ms "
              f"({np.mean(asked):.0f} rates), error {other:.1e}: {scipy / many * ROWS:.0f} times "
              f"faster, alone {scipy / one:.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
