"""Chains in joint coordinates and in maximal ones: unknowns, time a step, and how joints drift.

Prints the table of `docs/maximal.md`. Links of 0.1 m hang on hinges about x and y in turn, each
bent a little at the start, by 2 rad all together, and swing for a second in steps of 1 ms, damped
by 1e-3 N m s/rad.
"""

import time

import numpy as np

import arthron as ar

LINKS = (1, 2, 5, 10, 20, 50, 100)
STEP, DURATION = 1e-3, 1.0
STABLE, LOOSE, HELD = ar.Baumgarte(), ar.Baumgarte(gamma=0.0), ar.Projection()


def chain(n):
    """Hinges about two axes in turn."""
    rod = ar.Capsule(0.01, 0.08, mass=0.1, placement=(0.0, 0.0, -0.05))
    return ar.Model(
        [
            ar.Body(
                f"link{k}", ar.Revolute("xy"[k % 2]), parent=f"link{k - 1}" if k else None,
                placement=(0.0, 0.0, -0.1) if k else (0.0, 0.0, 0.0), shapes=[rod],
                damping=1e-3,
            )
            for k in range(n)
        ],
        name=f"chain of {n}",
    )  # fmt: skip


def run(scene, integrator, duration=DURATION):
    """A trajectory of a chain, of which the last state is kept, and the time it took."""
    q, many = np.full(scene.model.nq, 2.0 / scene.model.nq), round(duration / STEP)
    began = time.process_time()
    found = ar.simulate(
        scene, duration, STEP, integrator=integrator, q=q, keep_every=many, progress=False
    )
    return found, time.process_time() - began


def microseconds(scene, integrator):
    """Time of a step, the best of five seconds simulated, without what a run costs besides."""
    run(scene, integrator)
    best = min(run(scene, integrator, 5 * DURATION)[1] for _ in range(3))
    least = min(run(scene, integrator, DURATION)[1] for _ in range(3))
    return 1e6 * (best - least) * STEP / (4 * DURATION)


def drift(scene, integrator):
    """How far joints are apart at the end, in metres or radians."""
    off = run(scene, integrator)[0].residual[-1]
    return f"{off:.1e}" if off > 1e-12 else "≤ 1e-12"


def main():
    """Print the table."""
    print("| links | unknowns, reduced | maximal | µs a step, reduced | maximal | with projection "
          "| drift, gamma 0 | gamma 1/h | projection |\n|" + "---|" * 9)  # fmt: skip
    for n in LINKS:
        stable, loose, held = (ar.Scene(chain(n), stabilisation=x) for x in (STABLE, LOOSE, HELD))
        pairs = (stable, "implicit Euler"), (stable, "maximal"), (held, "maximal")
        took = " | ".join(f"{microseconds(*x):.3g}" for x in pairs)
        off = " | ".join(drift(x, "maximal") for x in (loose, stable, held))
        print(f"| {n} | {n} | {6 * n} + {5 * n} | {took} | {off} |", flush=True)


if __name__ == "__main__":
    main()
