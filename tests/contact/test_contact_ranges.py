"""Numbers of contact are refused the same way where they are made and as `parameters=`."""

import numpy as np
import pytest

import arthron as ar
from arthron.errors import ModelError

BOX = ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)])
ARM = ar.Body("arm", ar.Revolute("y"), shapes=[ar.Capsule(0.03, 0.4, mass=1.0)])
ALONE = ar.Model([BOX])
BOTH = ar.Model([BOX, ARM])
C = ar.contacts
REFUSED = [
    (C.Ground, "friction", -0.1, "zero or more"),
    (C.Ground, "restitution", 1.5, "from 0 to 1"),
    (C.Ground, "restitution", -0.5, "from 0 to 1"),
    (C.Ground, "rolling_friction", -1.0, "zero or more"),
    (C.Ground, "torsional_friction", -1.0, "zero or more"),
    (C.Ground, "stiffness", -1.0, "more than zero"),
    (C.Ground, "stiffness", 0.0, "more than zero"),
    (C.Ground, "dissipation", -1.0, "zero or more"),
    (C.Ground, "normal", (0.0, 0.0, 0.0), "not all zero"),
    (C.SmoothGround, "friction", -0.1, "zero or more"),
    (C.SmoothGround, "stiffness", -1.0, "more than zero"),
    (C.SmoothGround, "slow", 0.0, "more than zero"),
    (C.Links, "friction", -0.1, "zero or more"),
    (C.Links, "restitution", 1.5, "from 0 to 1"),
    (C.Links, "stiffness", -1.0, "more than zero"),
    (C.DryFriction, "force", -1.0, "zero or more"),
]
START = {"stiffness": 1e4, "force": 0.5}


@pytest.mark.parametrize(("kind", "field", "value", "wanted"), REFUSED)
def test_ranges(kind, field, value, wanted):
    own = {field: value} | ({"of": "arm"} if kind is C.DryFriction else {})
    model = BOTH if kind in (C.Links, C.DryFriction) else ALONE
    with pytest.raises(ModelError, match=wanted):
        ar.Scene(model, [kind(**own)])
    kept = {k: v for k, v in own.items() if k != field}
    kept |= {field: START[field]} if field in START else {}
    scene = ar.Scene(model, [kind(**kept, name="own")])
    q = model.neutral()
    with pytest.raises(ModelError, match=f"parameter 'own.{field}' is .*{wanted}"):
        ar.simulate(scene, 0.01, 1e-3, q=q, parameters={f"own.{field}": value})


def test_the_bad_row_is_named():
    scene = ar.Scene(ALONE, [C.Ground()])
    given = {"Ground.friction": [[0.1, 0.2], [0.3, -0.4]]}
    with pytest.raises(ModelError, match=r"'Ground.friction' is -0\.4 in simulation 1, 1\. Give a"):
        ar.simulate(scene, 0.01, 1e-3, parameters=given)


def test_normals_of_any_length():
    """The same as a unit vector: a box on a slope stands, as deep."""
    scene = ar.Scene(ALONE, [C.Ground(friction=0.9)])
    n = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    q = ALONE.neutral()
    q[:3], q[3:7] = 0.1 * n, (np.cos(0.5 * np.arctan(0.3)), 0, np.sin(0.5 * np.arctan(0.3)), 0)
    run = ar.simulate(scene, 0.1, 1e-3, q=q, parameters={"Ground.normal": [n, 3.0 * n, 0.01 * n]})
    np.testing.assert_allclose(run.q, run.q[:1].repeat(3, 0), atol=1e-12)
    assert run.contacts.touching[:, -1].all()
