"""A person stands on stiff ankles, tips over on weak ones, and falls in a heap when limp."""

import numpy as np

import arthron as ar

person = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
q = person.neutral()
q[2] -= person.frame_pose(q, "left_sole")[2, 3]
scene = ar.Scene(person, [ar.contacts.Ground()], ar.controllers.pd(q, 1000.0, 100.0))
needed = person.mass * 9.81 * person.center_of_mass(q)[2] / 2  # m g h, by two ankles [N m/rad]
gains = {
    "controller.stiffness": [1000.0, 0.7 * needed, 0.0],
    "controller.damping": [100.0, 50.0, 1.0],
}
run = ar.simulate(scene, 10.0, 1e-3, q=q, keep_every=10, parameters=gains)
print(f"ankles need {needed:.0f} N m/rad; hips are at {run.q[:, -1, 2].round(3)} m")
stands, speed = run.q[0], np.abs(run.qd[0, -1]).max()
slid = np.ptp(run["left_foot"].position[0, :, :2], axis=0).max()
assert np.ptp(stands[:, 2]) < 1e-3 and slid < 1e-5 and speed < 1e-3
assert run.q[1:, -1, 2].max() < 0.5 and run.contacts.penetration.max() < 5e-3
