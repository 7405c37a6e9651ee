"""Spacetime constraints (WK88): a desk lamp hops. All that it does on the way is the optimum's."""

import numpy as np

import arthron as ar
from arthron.spacetime import (
    Foothold,
    Keyframe,
    MotionProblem,
    Phase,
    Smoothness,
    TorqueEnergy,
    Waypoint,
)  # fmt: skip

ROD = ar.Capsule(0.012, 0.3, mass=0.2, placement=(0, 0, 0.15))
lamp = ar.Model(
    [
        ar.Body("base", ar.Planar("y"), shapes=[ar.Cylinder(0.1, 0.03, mass=0.25)]),
        ar.Body("leg", ar.Revolute("y"), parent="base", shapes=[ROD], lower=-2.0, upper=2.0),
        ar.Body("arm", ar.Revolute("y"), parent="leg", placement=(0, 0, 0.3), shapes=[ROD],
                lower=-2.8, upper=2.8),
        ar.Body("head", ar.Revolute("y"), parent="arm", placement=(0, 0, 0.3), lower=-2.5,
                upper=2.5, shapes=[ar.Cylinder(0.06, 0.1, mass=0.35, placement=(0, 0, 0.05))]),
    ],
    name="lamp",
)  # fmt: skip

base = Foothold("base", points=[(-0.1, 0, -0.015), (0.1, 0, -0.015)], friction=0.8)
here = np.array([0.015, 0.0, 0.0, -0.5, 1.2, 0.6])  # z, x and turn of the base, then hinges
knee = Waypoint("arm", (0, 3), position=([None, None, 0.04], [None, None, None]))  # above ground
there = np.array([0.015, 0.4, 0.0, -0.5, 1.2, 0.6])
hop = MotionProblem(
    lamp,
    [
        Phase((0.3, 0.8), spans=16, footholds=[base]),
        Phase((0.15, 0.5), spans=8),
        Phase((0.3, 0.8), spans=16, footholds=[base]),
    ],
    [TorqueEnergy(), Smoothness(1e-3)],
    [Keyframe(0, here), Keyframe(3, there), knee],
)
motion = hop.solve(guess=[(1, here), (2, there)])
print(motion)
print("stands, flies, lands for", motion.durations.round(2), "s")
