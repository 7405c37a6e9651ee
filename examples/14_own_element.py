"""An element of your own with a state of its own: a leaky integrator that pulls."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

import arthron as ar
from arthron.spatial import Vec3


@dataclass(frozen=True)
class Puller(ar.Element):
    """A string that pulls a link late: da/dt = (drive - a) / delay, tension = force a."""

    link: str
    anchor: tuple[float, float, float]
    force: float
    delay: float
    drive: float = 0.8
    variables: ClassVar = {"activation": ar.Variable(0.0)}

    @property
    def links(self):
        """What it touches."""
        return (self.link,)

    def forces(self, here):
        """What it exerts, a wrench on each link."""
        (frame,) = here.frames
        gap = Vec3(*self.anchor) - frame.at((0, 0, 0))
        tension = self.force * here.states["activation"]
        return frame.wrench((0, 0, 0), gap * (tension / ar.sqrt(gap.dot(gap))))

    def rates(self, here):
        """How fast its states change."""
        return {"activation": (self.drive - here.states["activation"]) / self.delay}


rod = [ar.Capsule(0.04, 0.3, placement=(0.02, 0, -0.15))]
arm = ar.Model(
    [
        ar.Body("upper", ar.Spherical(), shapes=rod, damping=0.05),
        ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.3), shapes=rod, damping=0.05),
        ar.Body("hand", ar.Fixed(), "lower", (0, 0, -0.3), shapes=[ar.Sphere(0.05)]),
    ],
    name="arm",
)
scene = ar.Scene(arm, [Puller("hand", (0.6, 0.2, 0.3), force=40.0, delay=0.05, name="biceps")])
print("its numbers:", {n: x.tolist() for n, x in scene.parameters().items() if "biceps" in n})

# many at once: each simulation has a delay of its own, in one native call
delays = np.array([0.02, 0.05, 0.1, 0.2])
more = {"parameters": {"biceps.delay": delays}, "progress": False}
runs = ar.simulate(scene, 0.4, 1e-3, **more)
for delay, a, z in zip(
    delays, runs["biceps.activation"], runs["hand"].position[..., 2], strict=True
):
    print(f"delay {delay:.2f} s: activation {a[-1]:.3f} after 0.4 s, hand at {z[-1]:.3f} m")
exact = 0.8 - 0.8 * np.exp(-runs.t / delays[:, None])
assert np.allclose(runs["biceps.activation"], exact, atol=0.01)

# a file that lost its end goes on where it stops, and ends with the same bits
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "run"
    ar.simulate(scene, 0.4, 1e-3, file=path, **more)
    path.write_bytes(path.read_bytes()[:-10_000])
    resumed = ar.simulate(scene, 0.4, 1e-3, file=path, **more)
assert np.array_equal(resumed.q, runs.q)
assert np.array_equal(resumed["biceps.activation"], runs["biceps.activation"])

# a step is a page: its slope by the activation, beside a difference
step = ar.step(scene)
after = ar.compile(step, arm)
slope = ar.compile(ar.jacobian(step, "biceps_activation"), arm)
q, qd, rest = arm.neutral(), np.zeros(arm.nv), (0.0, 1e-3, step.values)  # steps before, h, numbers
_, by_activation, *_ = slope(q, qd, [0.4], *rest)
difference = (after(q, qd, [0.41], *rest)[1] - after(q, qd, [0.39], *rest)[1]) / 0.02
print("next velocity by activation:", by_activation[:, 0].round(4))
assert np.allclose(by_activation[:, 0], difference, atol=1e-9)
