"""An arm lifts more than it knows of: three controllers follow a motion, one learns the load."""

import numpy as np

import arthron as ar

LINKS = (  # of a Panda: where a joint is in the link before, its roll; mass, centre of mass
    ((0, 0, 0.333), 0.0, 4.97, (0.004, 0.002, -0.048)),
    ((0, 0, 0), -np.pi / 2, 0.65, (-0.003, -0.029, 0.003)),
    ((0, -0.316, 0), np.pi / 2, 3.23, (0.028, 0.039, -0.067)),
    ((0.0825, 0, 0), np.pi / 2, 3.59, (-0.053, 0.104, 0.027)),
    ((-0.0825, 0.384, 0), -np.pi / 2, 1.23, (-0.012, 0.041, -0.038)),
    ((0, 0, 0), np.pi / 2, 1.67, (0.060, -0.014, -0.011)),
    ((0.088, 0, 0), np.pi / 2, 1.47, (0.005, -0.002, 0.100)),
)
READY = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
SWAY = 0.4 * np.array([1.0, 0.7, 1.0, 0.7, 1.0, 0.7, 1.0])
PACE = np.array([1.0, 1.3, 1.6, 1.9, 2.2, 2.5, 2.8])
DAMPING = [40.0] * 4 + [10.0] * 3


def arm(load: float) -> ar.Model:
    """Seven hinges, and a load in the hand."""
    bodies = [
        ar.Body(
            f"link{k}",
            ar.Revolute("z"),
            parent=f"link{k - 1}" if k > 1 else None,
            placement=ar.pose(place, (roll, 0, 0)),
            shapes=[ar.Sphere(0.08, mass=mass, placement=centre)],
        )
        for k, (place, roll, mass, centre) in enumerate(LINKS, 1)
    ]
    held = ar.Box((0.1, 0.1, 0.1), mass=load, placement=(0, 0, 0.05))
    return ar.Model([*bodies, ar.Body("hand", ar.Fixed(), "link7", (0, 0, 0.2), shapes=[held])])


def motion(t):
    """Where the joints should be."""
    each = zip(READY.tolist(), SWAY.tolist(), PACE.tolist(), strict=True)
    return [x + a * ar.sin(w * t) for x, a, w in each]


def off(run: ar.Trajectory) -> np.ndarray:
    """How far the joints are from there, the worst of them [rad]."""
    return np.abs(run.q - READY - SWAY * np.sin(PACE * run.t[:, None])).max(-1)


loaded, believed = arm(3.0), arm(0.3)
control = ar.controllers
controllers = {
    "computed torque": control.computed_torque(motion, 100.0, 20.0, model=believed),
    "passivity-based": control.passivity_based(motion, 10.0, DAMPING, model=believed),
    "adaptive": control.adaptive(
        motion, 10.0, DAMPING, 10.0, learns=["hand"], natural=True, model=believed
    ),
}
runs = {
    name: ar.simulate(
        ar.Scene(loaded, controller=controller), 20.0, 2e-3,
        q=READY, qd=SWAY * PACE, keep_every=10, progress=False,
    )
    for name, controller in controllers.items()
}  # fmt: skip
for name, run in runs.items():
    first, last = off(run)[run.t < 1.0].max(), off(run)[run.t > 19.0].max()
    print(f"{name:15} at most {first:.4f} rad off in the first second, {last:.5f} in the last")

# ten numbers a link: mass, mass times its centre, moments and products of inertia
learned, true = runs["adaptive"]["controller.inertia"], loaded.inertial_parameters()[-10:]
print("mass of the last link and what it holds:", learned[[0, 50, 200, -1], 0].round(3), "kg")
print(
    "the true one:", true[0].round(3), "kg; centres:", (learned[-1, 1:4] / learned[-1, 0]).round(3)
)
assert abs(learned[-1, 0] - true[0]) < 0.05
