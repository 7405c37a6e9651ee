"""An umbrella that is opened by its runner: thirteen bodies, one coordinate, energy kept."""

import math
from dataclasses import dataclass

import numpy as np

import arthron as ar

RIBS, RIB, A, B = 6, 0.6, 0.3, 0.28  # ribs, their length; along them, and of stretchers [m]
TOP = 0.7  # where ribs hang on the shaft [m]

around = [ar.pose(rpy=(0, 0, 2 * math.pi * k / RIBS)) for k in range(RIBS)]
slide = ar.Body("runner", ar.Prismatic("z"), shapes=[ar.Cylinder(0.02, 0.05)])
rib = ar.Capsule(0.004, RIB, placement=(0, 0, RIB / 2), density=2000.0)
stretcher = ar.Capsule(0.004, B, placement=(0, 0, B / 2), density=2000.0)
bodies = [slide]
for k, turn in enumerate(around):
    high = ar.pose((0, 0, TOP), (0, 0, 2 * math.pi * k / RIBS))
    bodies.append(ar.Body(f"rib{k}", ar.Revolute("y"), None, high, shapes=[rib]))
    bodies.append(ar.Body(f"stretcher{k}", ar.Revolute("y"), "runner", turn, shapes=[stretcher]))
free = ar.Model(bodies, name="umbrella")


def opened(y):
    """Joints where the runner is y below the top: a triangle of rib, stretcher and shaft."""
    d = y[0]
    rib = ar.acos((A * A + d * d - B * B) / (2.0 * A * d))  # from the shaft, pointing down
    stretcher = ar.acos((B * B + d * d - A * A) / (2.0 * B * d))  # from the shaft, pointing up
    each = range(RIBS)
    found = {f"rib{k}": math.pi - rib for k in each} | {f"stretcher{k}": stretcher for k in each}
    return found | {"runner": TOP - d}


umbrella = free.reduced(opened, name="closed", neutral=0.4, lower=0.1, upper=A + B - 0.01)
print(f"{free.nb} bodies, {free.nv} joints, {umbrella.nv} coordinate: {umbrella.joint_names}")

# ends of stretchers are on the ribs, wherever it is
y = np.linspace(0.15, 0.55, 9)[:, None]
on_rib = umbrella.frame_pose(y, "rib3") @ (0, 0, A, 1)
end = umbrella.frame_pose(y, "stretcher3") @ (0, 0, B, 1)
assert np.allclose(on_rib, end, atol=1e-12)


@dataclass(frozen=True)
class Meets(ar.Element):
    """A stretcher's end stays on its rib: two rows, in the plane in which both turn."""

    number: int

    @property
    def links(self):
        """What it touches."""
        return f"rib{self.number}", f"stretcher{self.number}"

    def constraint(self, here):
        """What is kept at zero."""
        rib, stretcher = here.frames
        gap = rib.X.E @ (stretcher.at((0, 0, B)) - rib.at((0, 0, A)))
        return gap.x, gap.z


# held upright and let go, it closes, opens again by a spring, and goes on so: energy is kept
spring = ar.forces.JointSpring("closed", stiffness=120.0, rest=0.3)
run = ar.simulate(ar.Scene(umbrella, [spring]), 20.0, 1e-3, start={"closed": 0.25}, progress=False)
print(f"energy {run.energy[0]:.4f} J, within {np.ptp(run.energy):.0e} J for 20 s")
assert np.ptp(run.energy) < 1e-4 * run.kinetic.max()

# the same with all joints and the rows of six loops
more = {"integrator": "Runge-Kutta", "progress": False}
one = ar.simulate(ar.Scene(umbrella), 0.1, 0.01, start={"closed": 0.25}, **more)
start = umbrella.unreduced_coordinates(np.array([0.25]))
loops = [Meets(k) for k in range(RIBS)]
many = ar.simulate(ar.Scene(free, loops), 0.1, 0.01, q=start, **more)
apart = np.abs(umbrella.unreduced_coordinates(one.q) - many.q).max()
print(f"with {free.nv} joints and {2 * RIBS} rows: {apart:.0e} apart")
assert apart < 1e-6
