"""Links without mass that touch: grippers of files without inertia."""

import numpy as np

import arthron as ar

URDF = """<robot name="massless">
<link name="palm"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="finger"><collision><origin xyz="0 0 -0.1"/>
<geometry><sphere radius="0.02"/></geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="palm"/><child link="finger"/>
<axis xyz="0 1 0"/></joint></robot>"""


def test_a_finger_without_mass_does_not_spoil_contact(tmp_path):
    path = tmp_path / "massless.urdf"
    path.write_text(URDF)
    model = ar.load(path, root=ar.Free())
    q = model.neutral()
    q[2] = 0.3
    hold = ar.controllers.pd(q, 8.0, 0.8)
    scene = ar.Scene(model, [ar.contacts.Ground()], controller=hold)
    run = ar.simulate(scene, 0.5, 1e-3, q=q)
    assert np.isfinite(run.contacts.force).all()
    assert run.q[-1, 2] > 0.049
