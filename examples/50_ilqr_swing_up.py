"""Optimal control: a cart swings its pole up by iLQR, and its gains hold that when it is pushed."""

import numpy as np

import arthron as ar
from arthron.spacetime import ControlProblem, QuadraticCost

cart = ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((0.4, 0.2, 0.2), mass=1.0)], effort=12.0)
rod = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
pole = ar.Body("pole", ar.Revolute("y"), parent="cart", shapes=[rod])
model = ar.Model([cart, pole], name="cart-pole")

upright = QuadraticCost(q={"pole": np.pi}, pose=100.0, velocity=10.0)
problem = ControlProblem(
    model, 2.0, 0.02, running=QuadraticCost(torque=0.01), final=upright, passive=["pole"]
)
found = problem.solve()
print(found)

scene = ar.Scene(model, controller=found.controller())
run = ar.simulate(scene, duration=2.0, step=1e-3, q=[0.02, 0.05])
print("from elsewhere the pole ends", abs(run.q[-1, 1] - np.pi).round(4), "rad from upright")
assert abs(run.q[-1, 1] - np.pi) < 0.15
