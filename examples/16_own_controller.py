"""A controller of your own with memory: the integral of the error lifts what is not known of."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import arthron as ar


@dataclass(frozen=True)
class PID(ar.controllers.Controller):
    """tau = k e + i ∫e dt - d qd, with e from where joints are to where they should be."""

    target: tuple[float, ...]
    k: float
    i: float
    d: float

    @property
    def variables(self):
        """Its states: as many numbers as the arm has velocities."""
        return {"integral": ar.Variable((0.0,) * 4)}

    def error(self, here):
        """How far each joint is from its target."""
        tree = here.tree
        return tree.vector(ar.algorithms.difference(tree, here.q, tree.positions(self.target)))

    def forces(self, here):
        """Joint forces, one for each velocity coordinate."""
        error, memory, qd = self.error(here), here.states["integral"], here.tree.vector(here.qd)
        each = zip(error, memory, qd, strict=True)
        return [self.k * e + self.i * x - self.d * v for e, x, v in each]

    def rates(self, here):
        """What it remembers grows by the error."""
        return {"integral": self.error(here)}


rod = [ar.Capsule(0.04, 0.3, placement=(0.02, 0, -0.15))]
arm = ar.Model(
    [
        ar.Body("upper", ar.Spherical(), shapes=rod),
        ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.3), shapes=rod),
        ar.Body("hand", ar.Fixed(), "lower", (0, 0, -0.3), shapes=[ar.Sphere(0.05)]),
    ],
    name="arm",
)
target = arm.integrate(arm.neutral(), [0.3, -1.0, 0.2, -0.8])
scene = ar.Scene(arm, controller=PID(tuple(target), k=40.0, i=60.0, d=4.0))

# many at once: with more and more memory, in one native call; without, the arm sags for good
gains = np.array([0.0, 20.0, 60.0])
more = {"parameters": {"controller.i": gains}, "keep_every": 10, "progress": False}
runs = ar.simulate(scene, 6.0, 1e-3, **more)
off = np.abs(arm.difference(runs.q, target)).max(-1)
for gain, far in zip(gains, off, strict=True):
    print(f"i = {gain:4.0f}: {far[100]:.4f} rad off after 1 s, {far[-1]:.4f} after 6 s")
assert off[0, -1] > 0.05 and off[2, -1] < 1e-3
print("what it remembers:", runs["controller.integral"][2, -1].round(4))

# a file that lost its end goes on where it stops, and ends with the same bits
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "run"
    ar.simulate(scene, 6.0, 1e-3, file=path, **more)
    path.write_bytes(path.read_bytes()[:-10_000])
    resumed = ar.simulate(scene, 6.0, 1e-3, file=path, **more)
assert np.array_equal(resumed.q, runs.q)
assert np.array_equal(resumed["controller.integral"], runs["controller.integral"])

# a step is a page: the slope of one sum over its results by states and gains at once, in reverse
step = ar.step(scene)
after = ar.compile(step, arm)
slopes = ar.compile(ar.vjp(step, "controller_integral", "parameters"), arm)
q, qd, memory, rest = arm.neutral(), np.zeros(arm.nv), np.full(4, 0.1), (0.0, 1e-3)
weights = np.arange(1.0, arm.nq + 2 * arm.nv + 2)
by_memory, by_numbers = slopes(q, qd, memory, *rest, step.values, weights)


def total(memory, numbers):
    """One number of all results."""
    results = after(q, qd, memory, *rest, numbers)
    return weights @ np.concatenate([np.ravel(x) for x in results])


e = np.eye(4) * 1e-3
difference = [(total(memory + x, step.values) - total(memory - x, step.values)) / 2e-3 for x in e]
print("slope by memory:", by_memory.round(4), "and by k:", by_numbers[step.layout["controller.k"]])
assert np.allclose(by_memory, difference, rtol=1e-6)
