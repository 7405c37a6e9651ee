"""A crane built in Python: mass from its shapes, a hook pulled by an external force."""

import numpy as np

import arthron as ar

crane = ar.Model(
    [
        ar.Body("tower", ar.Revolute("z"), shapes=[ar.Box((0.4, 0.4, 3.0), placement=(0, 0, 1.5))]),
        ar.Body(
            "boom",
            ar.Revolute("y"),
            parent="tower",
            placement=(0, 0, 3.0),
            shapes=[ar.Box((4.0, 0.2, 0.2), density=500.0, placement=(2, 0, 0))],
        ),
        ar.Body(
            "trolley",
            ar.Prismatic("x"),
            parent="boom",
            placement=(1.0, 0, -0.2),
            shapes=[ar.Sphere(0.2)],
            lower=0.0,
            upper=2.5,
        ),
        ar.Body("hook", ar.Fixed(), parent="trolley", placement=(0, 0, -1.0)),
    ],
    name="crane",
)
print(crane)

q = [0.3, 0.1, 1.0]
holding = crane.gravity_forces(q)
J = crane.jacobian(q, "hook", axes="world_aligned")
load = np.array([0, 0, 0, 0, 0, -9.81 * 100.0])  # 100 kg on the hook, [torque; force] in the world
print("holding alone     ", np.round(holding, 1))
print("holding the load  ", np.round(holding - J.T @ load, 1))
