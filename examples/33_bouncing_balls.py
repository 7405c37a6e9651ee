"""Balls that bounce: one for each coefficient of restitution e."""

import numpy as np

import arthron as ar

ball = ar.Model([ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=0.5)])])
scene = ar.Scene(ball, [ar.contacts.Ground(name="ground")])
q = ball.neutral()
q[2] = 1.1
e = np.linspace(0.0, 1.0, 6)
run = ar.simulate(scene, 1.5, 1e-3, q=q, parameters={"ground.restitution": e})

height = run.q[..., 2] - 0.1
for k, z in zip(e, height, strict=True):
    down = np.argmax(z < 2e-3)
    top = z[down : down + int(2000 * k * np.sqrt(2 / 9.81)) + 1].max()  # until it is down again
    print(f"e = {k:.1f}: back to {top:.3f} m of 1 m, e² is {k * k:.3f}")
    assert abs(top - k * k) < 0.02
