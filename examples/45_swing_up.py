"""Spacetime constraints: a cart swings its pole up, and then does so in a simulation."""

import numpy as np

import arthron as ar
from arthron.spacetime import Keyframe, MotionProblem, Phase, TorqueEnergy, TorqueLimits

cart = ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((0.4, 0.2, 0.2), mass=1.0)],
               lower=-2.0, upper=2.0, effort=20.0)  # fmt: skip
rod = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
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
