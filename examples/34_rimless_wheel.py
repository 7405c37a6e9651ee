"""The simplest walker: a wheel of spokes and no rim, which comes to a steady speed on a ramp."""

import numpy as np

import arthron as ar

n, length, tilt = 8, 0.5, 0.15  # spokes, how long they are [m], and the slope [rad]
angles = 2 * np.pi * np.arange(n) / n
places = [(-length / 2 * np.sin(a), 0, -length / 2 * np.cos(a)) for a in angles]
turns = [ar.pose(place, (0, a, 0)) for place, a in zip(places, angles, strict=True)]
spokes = [ar.Capsule(0.01, length, mass=0.05, placement=turn) for turn in turns]
hub = ar.Sphere(0.08, mass=5.0)
wheel = ar.Model([ar.Body("wheel", ar.Planar("y"), shapes=[hub, *spokes])], name="wheel")
ramp = ar.contacts.Ground(normal=(np.sin(tilt), 0, np.cos(tilt)), friction=1.0)
scene = ar.Scene(wheel, [ramp])
q = [(length + 0.02) / np.cos(tilt), 0.0, tilt]  # z, x and the angle
run = ar.simulate(scene, 8.0, 1e-3, q=q, qd=[0.0, 1.0, 2.0])

# each spoke that lands takes the same part of the speed, which the slope gives back
rate = np.diff(run.q[4000::1000, 2])
print("turns by", rate.round(2), "rad in each second")
assert rate.min() > 1.0 and np.ptp(rate) < 0.15 * rate.mean()
