"""A delta robot: three arms on a base, forearms on universal joints, balls at the platform."""

import numpy as np

import arthron as ar
from arthron.constraints import Loop

BASE, ARM, FOREARM, TOP = 0.2, 0.3, 0.7, 0.06


def rod(length, mass):
    """Along x, from the joint on."""
    return [
        ar.Capsule(0.01, length, mass=mass, placement=ar.pose((length / 2, 0, 0), (0, 1.57, 0)))
    ]


# a pair of parallel rods keeps the platform level, so that it shifts and does not turn
bodies = [ar.Body("platform", ar.Translational(), shapes=[ar.Cylinder(TOP, 0.02, mass=0.3)])]
loops, arms = [], [f"arm {k}" for k in range(3)]
for k, turn in enumerate(2 * np.pi * np.arange(3) / 3):
    out = np.array([np.cos(turn), np.sin(turn), 0.0])
    foot = ar.pose(BASE * out, (0, 0, turn))
    bodies += [
        ar.Body(arms[k], ar.Revolute("y"), None, foot, shapes=rod(ARM, 0.2)),
        ar.Body(
            f"forearm {k}", ar.Universal("y", "z"), arms[k], (ARM, 0, 0), shapes=rod(FOREARM, 0.1)
        ),
    ]
    loops.append(Loop((f"forearm {k}", (FOREARM, 0, 0)), ("platform", TOP * out), ar.Spherical()))
scene = ar.Scene(ar.Model(bodies, name="delta"), loops)

# where the arms have to be for places of the platform, all at once: what is not named follows
places = np.array([[0.0, 0.0, -0.55], [0.1, 0.0, -0.6], [0.05, -0.1, -0.65]])
near = scene.model.neutral()
for k in range(3):  # elbows point out: of two ways to stand, the one that is near is found
    near[scene.model.slice_q(f"forearm {k}")] = 1.5, 0.0
poses = scene.assemble({"platform": places}, near=near)
angles = np.stack([poses["q"][:, scene.model.slice_q(name)][:, 0] for name in arms], -1)
for k, turn in enumerate(2 * np.pi * np.arange(3) / 3):  # elbows are a rod's length away
    x, y = places[:, 0] * np.cos(turn) + places[:, 1] * np.sin(turn) + TOP - BASE, places[:, 2]
    across = -places[:, 0] * np.sin(turn) + places[:, 1] * np.cos(turn)
    far = np.hypot(x - ARM * np.cos(angles[:, k]), y + ARM * np.sin(angles[:, k]))
    assert np.allclose(np.hypot(far, across), FOREARM, atol=1e-10)
print("angles of the arms [deg]\n", np.round(np.degrees(angles), 2))

# which torques hold it there, with motors at the arms alone
tau = scene.inverse_dynamics(np.zeros(scene.model.nv), q=poses["q"], motors=arms)
qdd, _ = scene.forward_dynamics(q=poses["q"], tau=tau)
assert np.abs(qdd).max() < 1e-8
print("that hold it [N m]\n", np.round(tau[:, [scene.model.slice_qd(a).start for a in arms]], 3))
