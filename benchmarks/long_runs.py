"""What each integrator keeps: order, energy, momentum, a period. `make bench` prints the tables.

The figures are in docs/scenes.md.
"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np

import arthron as ar

LINK = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]
PENDULUM = ar.Model(
    [
        ar.Body("upper", ar.Revolute("y"), shapes=LINK),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0.02, 0, -0.6), shapes=LINK),
    ],
    name="double pendulum in space",
)
HANDLE = ar.Model(
    [ar.Body("handle", ar.Free(), shapes=[ar.Box((0.4, 0.2, 0.05), mass=1)])], gravity=(0, 0, 0)
)


def run(model: ar.Model, duration: float, step: float, integrator: str, **more) -> ar.Trajectory:
    how = ar.integrators.RungeKutta(1e-12) if integrator == "Runge-Kutta" else integrator
    return ar.simulate(ar.Scene(model), duration, step, integrator=how, **more)


def order(integrator: str) -> str:
    """Of the error at the end of half a second, as the step is halved."""
    if integrator == "Runge-Kutta":
        return "8"
    ends = [run(PENDULUM, 0.5, h, integrator, q=[1.2, 0.8]).q[-1] for h in (2e-3, 1e-3, 5e-4)]
    apart = [np.abs(a - b).max() for a, b in itertools.pairwise(ends)]
    return f"{math.log2(apart[0] / apart[1]):.2f}"


def drift(integrator: str) -> tuple[str, float]:
    """Energy gained or lost in 10^5 steps of 1 ms, and microseconds a step."""
    run(PENDULUM, 0.01, 1e-3, integrator, q=[1.2, 0.8])
    began = time.perf_counter()
    try:
        found = run(PENDULUM, 100.0, 1e-3, integrator, q=[1.2, 0.8], keep_every=10)
    except ar.SimulationError as error:
        return f"blows up after {error.trajectory.t[-1]:.0f} s", math.nan
    seconds = time.perf_counter() - began
    swing = np.ptp(found.potential[:100])  # of the first second
    off = (found.energy - found.energy[0]) / swing
    return f"{off[-1]:+.1e}, at most {np.abs(off).max():.1e}", 1e6 * seconds / 1e5


def momentum(integrator: str) -> str:
    """Largest change of angular momentum about the origin while a handle turns over, in 10 s."""
    found = run(HANDLE, 10.0, 0.01, integrator, qd=[0.01, 3.0, 0.01, 0.2, -0.1, 0.3])
    h = HANDLE.momentum(found.q, found.qd)
    h[:, :3] += np.cross(HANDLE.center_of_mass(found.q), h[:, 3:])
    return f"{(np.abs(h - h[0]).max(0) / np.abs(h[0]).max()).max():.1e}"


def period(integrator: str) -> str:
    """How late a pendulum that swings by 2 rad is after one period, in 400 steps."""
    arm, mass, angle = 0.55, 1.3, 2.0
    shape = ar.Box((0.2, 0.3, 0.7), mass=mass, placement=(0, 0, -arm))
    model = ar.Model([ar.Body("bob", ar.Revolute("x"), shapes=[shape])])
    pull = 9.81 * arm / ((0.3**2 + 0.7**2) / 12.0 + arm**2)
    a, b = 1.0, math.cos(0.5 * angle)
    for _ in range(6):  # arithmetic-geometric mean
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    exact = 2.0 * math.pi / math.sqrt(pull) / a
    found = run(model, exact, exact / 400, integrator, q=[angle])
    return f"{abs(found.qd[-1, 0] / (pull * math.sin(angle))) / exact:.1e}"


def main() -> None:
    print("| integrator | order | energy after 10⁵ steps | momentum | period | µs a step |")
    print("|---|---|---|---|---|---|")
    for name in ar.integrators.NAMED:
        energy, cost = drift(name)
        rest = f"{momentum(name)} | {period(name)} | {cost:.2g}"
        print(f"| {name} | {order(name)} | {energy} | {rest} |", flush=True)


if __name__ == "__main__":
    main()
