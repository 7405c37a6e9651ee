"""Squash and stretch (R19): a ball that bends, simulated, and a rigid one that is drawn so."""

import tempfile
from pathlib import Path

import numpy as np

import arthron as ar

folder = Path(tempfile.mkdtemp())

# Simulated: an ellipsoid with one coordinate more than a rigid ball, u = log s, and a spring on it.
ball = ar.squash.squashy_ball(radius=0.1, mass=0.5, root=ar.Translational())
scene = ar.Scene(ball, [ar.squash.Squashy(stiffness=8.0, damping=0.02)])
start, speed = {"ball": [0.0, 0.0, 1.0]}, [0.0, 1.0, 0.0, 0.0]  # the stretch, then x, y, z
run = ar.simulate(scene, 2.0, 5e-4, start=start, qd=speed)
s = np.exp(run["stretch"].q[:, 0])
tips = [run[f"ball +{axis}"].position - run["ball"].position for axis in "xyz"]
volume = np.prod([np.linalg.norm(x, axis=-1) for x in tips], axis=0)
print(f"squashed to {s.min():.2f} of its height, stretched to {s.max():.2f}")
print(f"its volume is the same to {np.ptp(volume) / volume[0]:.0e}")
top = run["ball"].position[run.t > 0.7, 2].max()
print(f"dropped from 1 m, it comes back to {top:.2f} m: the rest is in how it wobbles, and heat")
run.save_png(folder / "simulated.png", scene, t=np.arange(0, 0.9, 0.06), size=(640, 320))

# Drawn: rigid in the simulation, as long as its way from frame to frame in the picture.
rigid = ar.Model([ar.Body("ball", ar.Translational(), shapes=[ar.Sphere(0.1, mass=0.5)])])
ground = ar.contacts.Ground(restitution=0.9, friction=0.0)
run = ar.simulate(ar.Scene(rigid, [ground]), 2.0, 1e-3, start=start, qd=speed[1:])
style = ar.squash.SquashStretch("ball", frame=0.06)
run.save_png(folder / "drawn.png", t=np.arange(0, 0.9, 0.06), size=(640, 320), stretch=style)
print(f"pictures of both are in {folder}")
