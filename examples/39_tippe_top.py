"""A tippe top: a ball that is heavier below, spun fast, turns upside down."""

import numpy as np

import arthron as ar

radius, mass, low = 0.02, 0.02, 0.006  # and how far below the middle its centre of mass is [m]
turned = mass * radius**2 * np.array([0.374, 0.374, 0.4])  # moments of inertia
inertia = ar.Inertia.from_com(mass, (0, 0, -low), turned)
ball = [ar.Sphere(radius)]
looks = [*ball, ar.Sphere(0.0193, placement=(0, 0, 0.001), color=(0.85, 0.25, 0.15))]  # a red cap
body = ar.Body("top", ar.Free(), inertia=inertia, shapes=looks, collision=ball)
top = ar.Model([body], name="tippe top")
scene = ar.Scene(top, [ar.contacts.Ground(friction=0.2)])
q = top.integrate(top.neutral(), [0.1, 0, 0, 0, 0, 0])
q[2] = radius
qd = [0, -250 * np.sin(0.1), 250 * np.cos(0.1), 0, 0, 0]
run = ar.simulate(scene, 6.0, 1e-3, q=q, qd=qd, keep_every=5)

axis = run["top"].rotation[:, :, 2]
angle = np.degrees(np.arccos(axis[:, 2]))
print("from upright, every half a second [degrees]:", angle[::100].round())
assert angle[0] < 6 and angle[-200:].min() > 170
# whatever friction does, angular momentum along the line from where it touches stays (Jellett)
momentum = (run["top"].rotation @ (run.qd[:, :3] * turned)[..., None])[..., 0]
jellett = (momentum * ([0, 0, radius] - low * axis)).sum(-1)
assert np.ptp(jellett) < 1e-3 * jellett[0]
