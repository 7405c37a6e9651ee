"""Mistakes in constraints are sentences that name them."""

import pytest
from scene_cases import figure

import arthron as ar
from arthron.constraints import Constraint, Coupling, Distance, Loop, PrescribedMotion, Rope
from arthron.spatial import Mat3, Vec3

HAND, LEG = ("hand", (0, 0, 0)), ("leg", (0, 0, -0.3))


def still(t):
    return Mat3.identity(), Vec3()


ALONE = {
    "the joint of a Loop is 'hinge'": lambda: Loop(HAND, LEG, "hinge"),
    r"the joint of a Loop is <class": lambda: Loop(HAND, LEG, ar.Revolute),
    "Free, which forbids nothing": lambda: Loop(HAND, LEG, ar.Free()),
    "an end of a Loop is 3": lambda: Loop(3, LEG, ar.Fixed()),
    "an end of a Loop is": lambda: Loop((HAND, LEG), LEG, ar.Fixed()),
    "a placement is": lambda: Loop(("hand", (0, 0)), LEG, ar.Fixed()),
    "a place of a Distance is": lambda: Distance(3, LEG),
    r"is 0\.0\. Give one above zero": lambda: Distance(HAND, LEG, 0.0),
    r"length of the Rope on 'hand', 'leg' is -1\. Give one above": lambda: Rope(HAND, LEG, -1),
    "a place of a Rope is 3": lambda: Rope(HAND, 3),
    r"`length` of .* is nan": lambda: Distance(HAND, LEG, float("nan")),
    r"a Coupling of joints \('a',\) has factors": lambda: Coupling(("a",), (1, 2)),
    r"a Coupling of joints 'leg'": lambda: Coupling("leg", (1,)),
    r"has the function 3": lambda: Constraint(3, joints=("leg",)),
    r"Give one of them, a function of time": lambda: PrescribedMotion("hand"),
    r"pose .* and twist": lambda: PrescribedMotion("hand", still, still),
    r"`rows` of .* \(0, 6\)": lambda: PrescribedMotion("hand", twist=still, rows=(0, 6)),
    r"`axes` of .* 'world'": lambda: PrescribedMotion("hand", twist=still, axes="world"),
    r"kind whose rows have a closed form": lambda: PrescribedMotion(
        "hand", still, joint=ar.Composite([ar.Revolute("x"), ar.Revolute("z")])
    ),
}


@pytest.mark.parametrize("message", ALONE)
def test_made_wrongly(message):
    with pytest.raises(ar.ModelError, match=message):
        ALONE[message]()


IN_A_SCENE = {
    r"link 'hnd', which .* Nearest: 'hand'": Loop(("hnd", (0, 0, 0)), LEG, ar.Fixed()),
    r"couples joint 'trunk', which has 4 coordinates": Coupling(("trunk", "leg"), (1, 1)),
    r"acts on joint 'knee'": Coupling(("knee", "leg"), (1, 1)),
    r"function .* failed with IndexError": Constraint(lambda here: here.q[3], joints=("leg",)),
    r"the pose of .* is 3\.0\. Return a `Transform`": PrescribedMotion("hand", lambda t: 3.0),
    r"the twist of .* is 2 numbers": PrescribedMotion("hand", twist=lambda t: (t, t), rows=(0,)),
}


@pytest.mark.parametrize("message", IN_A_SCENE)
def test_that_does_not_fit_the_figure(message):
    with pytest.raises(ar.ModelError, match=message):
        ar.Scene(figure(), [IN_A_SCENE[message]]).parameters()


def test_velocities_enter_constraints_of_velocity_as_they_are():
    class Fast(ar.Element):
        joints = ("leg",)

        def velocity_constraint(self, here):
            return here.qd[0][0] * here.qd[0][0]

    with pytest.raises(ar.ModelError, match="is not linear in velocities"):
        ar.Scene(figure(), [Fast()]).parameters()
