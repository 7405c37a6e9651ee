"""A rattleback: spun one way it goes on; the other way it rattles, stops, and turns back."""

import numpy as np

import arthron as ar

# a boat with the keel of an ellipsoid, and mass that lies a little askew (KL82)
hull, tilt = ar.Ellipsoid((0.2, 0.03, 0.02)), 0.0087
askew = [[2e-4, -2e-5, 0], [-2e-5, 16e-4, 0], [0, 0, 17e-4]]
mass = ar.Inertia.from_com(1.0, (0, 0, -0.01), askew)
boat = ar.Model([ar.Body("boat", ar.Free(), inertia=mass, shapes=[hull])], name="rattleback")
scene = ar.Scene(boat, [ar.contacts.Ground(friction=1.0)])
q = boat.integrate(boat.neutral(), [tilt, tilt, 0, 0, 0, 0])
q[2] = 0.0201
spin = np.array([5.0, -5.0])
qd = np.zeros((2, 6))
qd[:, 2] = spin
run = ar.simulate(scene, 6.0, 2e-4, q=q, qd=qd, keep_every=25)

rate = (run["boat"].rotation @ run.qd[..., :3, None])[..., 2, 0]
print("about the vertical, every half a second [rad/s]:", *rate[:, ::100].round(1), sep="\n")
assert rate[0].min() > 4.0  # goes on as it was spun
assert rate[1].max() > 1.5 and (np.diff(run.energy).max(-1) < 1e-5).all()
