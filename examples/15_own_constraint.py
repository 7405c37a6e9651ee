"""A constraint of your own: a hand that stays on a tray, which goes up and down."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import arthron as ar
from arthron.spatial import Vec3


@dataclass(frozen=True)
class OnTray(ar.Element):
    """A point of a link stays in a plane whose height is a function of time."""

    link: str
    normal: tuple[float, float, float]
    height: float
    swing: float
    rate: float = 6.0

    @property
    def links(self):
        """What it touches."""
        return (self.link,)

    def constraint(self, here):
        """What is kept at zero."""
        (frame,) = here.frames
        height = self.height + self.swing * (1.0 - ar.cos(self.rate * here.t))
        return Vec3(*self.normal).dot(frame.at((0, 0, 0))) - height


rod = [ar.Capsule(0.04, 0.3, placement=(0.02, 0, -0.15))]
arm = ar.Model(
    [
        ar.Body("upper", ar.Spherical(), shapes=rod, damping=0.1),
        ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.3), shapes=rod, damping=0.1),
        ar.Body("hand", ar.Fixed(), "lower", (0, 0, -0.3), shapes=[ar.Sphere(0.05)]),
    ],
    name="arm",
)
normal = np.array([0.1, 0.0, 1.0]) / np.sqrt(1.01)
start = {"lower": -1.2}
q = arm.neutral()
q[arm.slice_q("lower")] = -1.2
height = float(normal @ arm.frame_pose(q, "hand")[:3, 3])
scene = ar.Scene(arm, [OnTray("hand", tuple(normal), height, swing=0.05, name="tray")])

# many at once: trays that swing by more and more, in one native call
swings = np.array([0.0, 0.02, 0.05, 0.08])
more = {"start": start, "parameters": {"tray.swing": swings}, "progress": False}
runs = ar.simulate(scene, 1.0, 1e-3, **more)
wanted = height + swings[:, None] * (1.0 - np.cos(6.0 * runs.t))
off = np.abs(runs["hand"].position @ normal - wanted).max(axis=1)
for swing, far, force in zip(swings, off, runs.forces, strict=True):
    print(f"swing {swing:.2f} m: off by {far:.0e} m at most, up to {np.abs(force).max():5.2f} N m")
assert off.max() < 1e-3

# a file that lost its end goes on where it stops, and ends with the same bits
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "run"
    ar.simulate(scene, 1.0, 1e-3, file=path, **more)
    path.write_bytes(path.read_bytes()[:-10_000])
    resumed = ar.simulate(scene, 1.0, 1e-3, file=path, **more)
assert np.array_equal(resumed.q, runs.q) and np.array_equal(resumed.forces, runs.forces)

# a step is a page: what gravity adds to the next velocity, beside a difference
step = ar.step(scene, parameters=("gravity",))  # named, so that its zeros are inputs too
after = ar.compile(step, arm)
slope = ar.compile(ar.jacobian(step, "parameters"), arm)
state, gravity = (q, np.zeros(arm.nv), 0.0, 1e-3), step.layout["gravity"]
by_gravity = slope(*state, step.values)[1][:, gravity]
e = np.zeros((3, len(step.values)))
e[:, gravity] = np.eye(3)
difference = (after(*state, step.values + e)[1] - after(*state, step.values - e)[1]).T / 2.0
assert np.allclose(by_gravity, difference, atol=1e-9)
moved = arm.jacobian(q, "hand", axes="world_aligned")[3:] @ by_gravity
print(
    f"gravity moves the hand by {np.abs(moved).max():.0e} m/s a step, "
    f"off the tray by {np.abs(normal @ moved).max():.0e}"
)
assert np.allclose(normal @ moved, 0.0, atol=1e-8)
