"""A toy that walks down a ramp by itself: two legs, a hinge, round feet, and it rocks sideways."""

import numpy as np

import arthron as ar

hip, radius, tilt = 0.4, 0.18, 0.056  # how high it is, of feet [m], and the slope [rad]
middle = (0.005, 0, radius - hip)  # of the balls that soles are part of


def leg(name, parent, joint, side):
    """A leg at the left or right side, 1 or -1."""
    mass = ar.Inertia.from_com(1.0, (0, 0.085 * side, -0.27), (0.009, 0.009, 0.009))
    looks = [
        ar.Capsule(0.02, 0.3, placement=(0, 0, -0.17)),
        ar.Capsule(0.02, 0.1, placement=ar.pose((0, -0.05 * side, 0), (np.pi / 2, 0, 0))),
        ar.Ellipsoid((0.09, 0.045, 0.05), placement=(0.005, 0, 0.05 - hip)),
        ar.Capsule(0.012, 0.1, placement=ar.pose((0, 0.05 * side, -0.25), (np.pi / 2, 0, 0))),
        ar.Sphere(0.045, placement=(0, 0.11 * side, -0.25)),  # weights at both sides
    ]
    place, soles = (0, -0.1, 0) if parent else (0, 0, 0), [ar.Sphere(radius, placement=middle)]
    return ar.Body(name, joint, parent, place, inertia=mass, shapes=looks, collision=soles)


legs = leg("left", None, ar.Free(), 1), leg("right", "left", ar.Revolute("y"), -1)
walker = ar.Model(legs, name="walker")
up = np.array([np.sin(tilt), 0, np.cos(tilt)])
scene = ar.Scene(walker, [ar.contacts.Ground(normal=up, friction=1.0)])
q = walker.neutral()
for turn in ([0, tilt, 0], [0.25, 0, 0]):  # upright on the ramp, and leaning to one side
    q = walker.integrate(q, [*turn, 0, 0, 0, 0])
low = min((walker.frame_pose(q, x) @ [*middle, 1])[:3] @ up for x in ("left", "right"))
q[:3] = (radius - low) * up
run = ar.simulate(scene, 10.0, 1e-3, q=q, keep_every=10)

on_left, on_right = (run.contacts.force[:, k] @ up for k in (0, 1))
steps = run.t[1:][np.diff(on_left > on_right)]
print(
    f"{len(steps)} steps in 10 s, and {run.q[-1, 0]:.2f} m; the last ones took", np.diff(steps)[-5:]
)
assert len(steps) > 25 and run.q[-1, 0] > 2.0
assert np.ptp(np.diff(steps)[-10:]) < 0.04  # as regular as a clock
