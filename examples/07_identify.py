"""Inertias and friction of an arm from noisy measurements of one motion."""

import sysconfig
from pathlib import Path

import numpy as np

import arthron as ar
from arthron import identify

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
if not PANDA.exists():
    raise SystemExit("this example moves a Panda: `pip install example-robot-data`")
panda = ar.load(PANDA)
arm = panda.lock(["panda_finger_joint1", "panda_finger_joint2"], panda.neutral())

# the arm as it is: every body stretched by some 20 %, with motors and friction
rng = np.random.default_rng(0)
J = identify.pseudo_inertia(arm.inertial_parameters().reshape(-1, 10))
stretch = np.eye(4) + [0.1, 0.1, 0.1, 0.02] * rng.normal(size=(arm.nb, 4, 4))
stretch[:, 3, :3] = 0.0
stretched = identify.from_pseudo_inertia(stretch @ J @ stretch.swapaxes(-1, -2)).ravel()
real = identify.with_parameters(arm, stretched, rng.uniform(0.1, 0.5, 3 * arm.nv))


def forces(robot, q, qd, qdd):
    """Joint forces with friction."""
    return robot.inverse_dynamics(q, qd, qdd) + robot.damping * qd + robot.friction * np.sign(qd)


q, qd, qdd = identify.exciting_motion(arm, 20.0, 4000, rng=1)
tau = forces(real, q, qd, qdd) + 0.1 * rng.normal(size=qd.shape)  # [N m]
qd_seen = qd + 1e-3 * rng.normal(size=qd.shape)  # [rad/s]
qdd_seen = qdd + 1e-2 * rng.normal(size=qd.shape)  # [rad/s^2]
found = identify.identify(arm, q, qd_seen, qdd_seen, tau)

p, p0 = (np.append(m.inertial_parameters(), m.joint_parameters()) for m in (real, arm))
right, prior = found.base.combine @ p, found.base.combine @ p0
print(f"{found.base.count} of {len(p)} can be identified; found in {found.iterations} steps")
print("  off before   after  deviation   parameter (leading a combination)")
for k in range(0, found.base.count, 5):
    errors = f"{abs(prior - right)[k]:12.4f} {abs(found.values - right)[k]:7.4f}"
    print(errors, f"{found.deviation[k]:10.4f}   {found.base.names[found.base.columns[k]]}")
print("left of the measured forces [N m]   ", np.round(found.residual, 3))
other = identify.exciting_motion(arm, 20.0, 1000, rng=2)
for when, robot in (("before", arm), ("after", found.model)):
    off = np.sqrt(np.mean((forces(robot, *other) - forces(real, *other)) ** 2, axis=0))
    print(f"off on another motion, {when:6} [N m] ", np.round(off, 3))
assert np.all(abs(found.values - right) < 5 * found.deviation) and off.max() < 0.02
