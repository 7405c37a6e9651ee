"""Spacetime constraints: a pendulum with a weak motor, and a cart with its pole, swing up."""

import numpy as np

import arthron as ar
from arthron.spacetime import Keyframe, MotionProblem, Phase, TorqueEnergy, TorqueLimits

rod = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
pendulum = ar.Model([ar.Body("rod", ar.Revolute("y"), shapes=[rod], effort=0.8)], name="pendulum")
ends = [Keyframe(0, [0.0]), Keyframe(1, [np.pi])]
motion = MotionProblem(pendulum, Phase(4.0, 40), TorqueEnergy(), [*ends, TorqueLimits()]).solve()
print(motion)
swings = int((np.diff(np.sign(motion.motion(motion.times())[1][1:-1, 0])) != 0).sum())
print(f"the motor holds it up to {np.degrees(np.arcsin(0.8 / (0.3 * 9.81 * 0.5))):.0f} degrees, so "
      f"it swings to and fro: {swings} times back")  # fmt: skip

cart = ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((0.4, 0.2, 0.2), mass=1.0)],
               lower=-2.0, upper=2.0, effort=20.0)  # fmt: skip
pole = ar.Body("pole", ar.Revolute("y"), parent="cart", shapes=[rod])
model = ar.Model([cart, pole], name="cart-pole")

down, up = Keyframe(0, {"cart": 0.0, "pole": 0.0}), Keyframe(1, {"cart": 0.0, "pole": np.pi})
problem = MotionProblem(
    model, Phase(2.0, spans=40), TorqueEnergy(), [down, up, TorqueLimits()], passive=["pole"]
)
motion = problem.solve()
print(motion)

scene = ar.Scene(model, controller=motion.controller(stiffness=[200, 0], damping=[20, 0]))
run = ar.simulate(scene, duration=2.0, step=1e-3)
print("the pole ends", abs(run.q[-1, 1] - np.pi).round(4), "rad from upright")
assert abs(run.q[-1, 1] - np.pi) < 0.1
