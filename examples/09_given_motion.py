"""Part of the motion given: knees that bend as prescribed, feet that stay where they are."""

import numpy as np

import arthron as ar

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
q, qd, tau = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)

# hybrid dynamics: accelerations of the knees are given, torques of all other joints are (zero)
knees = [name for name in model.joint_names if "knee" in name]
wanted = np.zeros(model.nv)
for knee in knees:
    wanted[model.slice_qd(knee)] = 5.0
qdd, forces = model.hybrid_dynamics(q, qd, wanted, tau, prescribed=knees)
for knee in knees:
    print(f"{knee}: {forces[model.slice_qd(knee)][0]:8.3f} N m for 5 rad/s^2 in free fall")

# both feet held: G qdd = b, and the forces that it takes
feet = [name for name in model.body_names if "foot" in name or "ankle" in name][-2:]
G = np.concatenate([model.jacobian(q, foot, axes="world_aligned") for foot in feet])
standing, reactions = model.constrained_dynamics(q, qd, tau, G, np.zeros(len(G)))
lifted = reactions.reshape(-1, 6)[:, 5].sum()
weight = 9.81 * model.mass
print(f"limp, it sinks: held feet carry {lifted:.0f} N of its weight of {weight:.0f} N")
assert np.allclose(G @ standing, 0.0, atol=1e-8)

# and an impact: all at once those feet stop
falling = np.zeros(model.nv)
falling[5] = -1.0  # the base sinks at 1 m/s
after, impulses = model.constraint_impulse(q, falling, G)
before, left = model.kinetic_energy(q, falling), model.kinetic_energy(q, after)
print(f"the impact leaves {left:.1f} of {before:.1f} J, and {np.abs(G @ after).max():.0e} m/s")
assert left < before
