"""Two fingers hold a box by friction: what they press with decides whether it slips."""

import numpy as np

import arthron as ar

finger = [ar.Box((0.06, 0.02, 0.1))]
gripper = ar.Model([
    ar.Body("left", ar.Prismatic("y"), placement=(0, -0.06, 0), shapes=finger),
    ar.Body("right", ar.Prismatic("y"), placement=(0, 0.06, 0), shapes=finger),
    ar.Body("box", ar.Free(), shapes=[ar.Box((0.05, 0.098, 0.05), mass=0.5)]),
])  # fmt: skip
press = [
    ar.forces.JointTorque("left", lambda q, qd, t: ar.parameter("press", 10.0) - 20.0 * qd[0]),
    ar.forces.JointTorque("right", lambda q, qd, t: -ar.parameter("press", 10.0) - 20.0 * qd[0]),
]
friction = 0.5
scene = ar.Scene(gripper, [ar.contacts.Links(friction=friction), *press])
needed = 0.5 * 9.81 / (2 * friction)
run = ar.simulate(scene, 0.3, 1e-3, parameters={"press": needed * np.array([0.8, 1.2, 3.0])})
fell = run.q[:, 0, 4] - run.q[:, -1, 4]
print(f"{needed:.2f} N hold it; with 0.8, 1.2 and 3 times that it falls by", fell.round(4), "m")
assert fell[0] > 0.05 and np.abs(fell[1:]).max() < 0.01
