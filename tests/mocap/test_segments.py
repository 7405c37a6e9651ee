"""Mass of people: whose joint is whose segment, and what segments weigh."""

import numpy as np
import pytest
from mocap_files import bvh_text, write_bvh

import arthron as ar
from arthron._mocap.segment_names import body_parts, split_name

SIDES = ("left", "right")
CONVENTIONS = {
    "CMU in BVH": {
        "trunk_lower": "Hips LHipJoint RHipJoint", "trunk_middle": "LowerBack Spine",
        "trunk_upper": "Spine1 LeftShoulder RightShoulder", "head": "Neck Neck1 Head",
        "upper_arm": "LeftArm RightArm", "forearm": "LeftForeArm RightForeArm",
        "hand": "LeftHand LeftFingerBase LeftHandIndex1 LThumb RThumb RightHand",
        "thigh": "LeftUpLeg RightUpLeg", "shank": "LeftLeg RightLeg",
        "foot": "LeftFoot LeftToeBase RightFoot RightToeBase",
    },
    "CMU in ASF": {
        "trunk_lower": "root lhipjoint rhipjoint", "trunk_middle": "lowerback",
        "trunk_upper": "upperback thorax lclavicle rclavicle", "head": "lowerneck upperneck head",
        "upper_arm": "lhumerus rhumerus", "forearm": "lradius rradius",
        "hand": "lwrist lhand lfingers lthumb rwrist rhand rfingers rthumb",
        "thigh": "lfemur rfemur", "shank": "ltibia rtibia", "foot": "lfoot ltoes rfoot rtoes",
    },
    "Mixamo": {
        "trunk_lower": "mixamorig:Hips", "trunk_middle": "mixamorig:Spine",
        "trunk_upper": "mixamorig:Spine1 mixamorig:Spine2 mixamorig:LeftShoulder",
        "head": "mixamorig:Neck mixamorig:Head mixamorig:HeadTop_End mixamorig:LeftEye",
        "upper_arm": "mixamorig:LeftArm", "forearm": "mixamorig:LeftForeArm",
        "hand": "mixamorig:LeftHand mixamorig:LeftHandThumb1 mixamorig:LeftHandPinky4",
        "thigh": "mixamorig:LeftUpLeg", "shank": "mixamorig:LeftLeg",
        "foot": "mixamorig:LeftFoot mixamorig:LeftToeBase mixamorig:LeftToe_End",
    },
    "HumanIK": {
        "trunk_lower": "Reference Hips", "trunk_middle": "Spine", "trunk_upper": "Spine1 Spine9",
        "head": "Neck Head", "upper_arm": "LeftArm LeftArmRoll", "forearm": "LeftForeArmRoll",
        "hand": "LeftHand LeftInHandIndex LeftHandMiddle2", "thigh": "LeftUpLegRoll LeftUpLeg",
        "shank": "LeftLegRoll LeftLeg", "foot": "LeftFoot LeftFootMiddle1",
    },
    "Biped": {
        "trunk_lower": "Bip01 Bip01_Pelvis", "trunk_middle": "Bip01_Spine",
        "trunk_upper": "Bip01_Spine1 Bip01_L_Clavicle", "head": "Bip01_Neck Bip01_Head",
        "upper_arm": "Bip01_L_UpperArm", "forearm": "Bip01_L_Forearm",
        "hand": "Bip01_L_Hand Bip01_L_Finger0", "thigh": "Bip01_R_Thigh",
        "shank": "Bip01_R_Calf", "foot": "Bip01_R_Foot Bip01_R_Toe0",
    },
    "Biped with blanks": {
        "trunk_lower": "Bip01 Pelvis", "thigh": "Bip01 L Thigh", "shank": "Bip01 L Calf",
        "foot": "Bip01 L Foot",
    },
    "Poser": {
        "trunk_lower": "hip lButtock", "trunk_middle": "abdomen", "trunk_upper": "chest lCollar",
        "head": "neck head lEye", "upper_arm": "lShldr rShldr", "forearm": "lForeArm",
        "hand": "lHand lThumb1 lIndex1 lMid1 lRing1 lPinky1", "thigh": "lThigh rThigh",
        "shank": "lShin", "foot": "lFoot lToe",
    },
    "Biovision": {
        "trunk_lower": "Hips", "trunk_upper": "Chest Chest2 LeftCollar RightCollar",
        "head": "Neck Head", "upper_arm": "LeftShoulder RightShoulder", "forearm": "LeftElbow",
        "hand": "LeftWrist", "thigh": "LeftHip RightHip", "shank": "LeftKnee", "foot": "LeftAnkle",
    },
    "SMPL": {
        "trunk_lower": "pelvis", "trunk_middle": "spine1", "trunk_upper": "spine2 left_collar",
        "thigh": "left_hip", "shank": "left_knee", "foot": "left_ankle left_foot",
        "upper_arm": "left_shoulder", "forearm": "left_elbow", "hand": "left_wrist left_hand",
    },
    "Xsens": {
        "trunk_lower": "Pelvis", "trunk_middle": "L5 L3", "trunk_upper": "T12 T8 LeftShoulder",
        "upper_arm": "LeftUpperArm", "thigh": "LeftUpperLeg", "shank": "LeftLowerLeg",
        "foot": "LeftFoot LeftToe",
    },
    "Blender": {
        "thigh": "thigh.L thigh.R", "shank": "shin.L", "foot": "foot.L toe.L",
        "upper_arm": "upper_arm.L", "forearm": "forearm.R", "hand": "hand.R",
    },
    "Unity and VRM": {
        "trunk_lower": "Hips J_Bip_C_Hips", "trunk_upper": "UpperChest Chest", "head": "Jaw Head",
        "thigh": "LeftUpperLeg J_Bip_L_UpperLeg", "shank": "RightLowerLeg", "foot": "LeftToes",
        "forearm": "LeftLowerArm", 
        "hand": "LeftThumbProximal RightLittleDistal LeftRingIntermediate",
    },
    "Unreal": {
        "trunk_lower": "pelvis root", "trunk_middle": "spine_01",
        "trunk_upper": "spine_02 clavicle_l",
        "upper_arm": "upperarm_l upperarm_twist_01_l", "forearm": "lowerarm_r", "head": "neck_01",
        "hand": "hand_l thumb_01_l pinky_03_r", "thigh": "thigh_l thigh_twist_01_l",
        "shank": "calf_r", "foot": "foot_l ball_l",
    },
    "Kinect": {
        "trunk_lower": "SpineBase", "trunk_middle": "SpineMid", "head": "Neck Head",
        "trunk_upper": "SpineShoulder", "upper_arm": "ShoulderLeft", "forearm": "ElbowLeft",
        "hand": "WristLeft HandLeft HandTipLeft ThumbLeft", "thigh": "HipLeft",
        "shank": "KneeLeft", "foot": "AnkleLeft FootLeft",
    },
    "person.urdf": {
        "trunk_lower": "pelvis", "trunk_middle": "waist_a waist_b waist", "head": "neck head",
        "trunk_upper": "chest_a torso left_clavicle", "upper_arm": "left_upper_arm",
        "forearm": "left_forearm", "thigh": "left_thigh", "shank": "left_shin",
        "foot": "left_ankle left_foot left_toes",
    },
}  # fmt: skip


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_of_many_programs_are_known(convention):
    expected = {name: segment for segment, names in CONVENTIONS[convention].items()
                for name in (names.split() if "blanks" not in convention else [names])}  # fmt: skip
    found = {n: p.segment for n, p in zip(expected, body_parts(list(expected)), strict=True)}
    assert found == expected


@pytest.mark.parametrize("name, side", [
    ("LeftUpLeg", "left"), ("rThigh", "right"), ("Bip01_L_Calf", "left"), ("RThumb", "right"),
    ("lradius", "left"), ("right_hip", "right"), ("thigh.L", "left"), ("Hips", ""), ("Ring", ""),
    ("lowerback", ""), ("root", ""), ("LHipJoint", "left"), ("mixamorig:RightHandRing2", "right"),
])  # fmt: skip
def test_sides_are_told(name, side):
    assert split_name(name).side == side


def test_the_example_for_a_name_that_is_not_known_is_plausible(tmp_path):
    """BVH files of humanoid.urdf have waists of two hinges, which are no thighs."""
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    clip = ar.mocap.Clip(humanoid, np.tile(humanoid.neutral(), (4, 1)), 60.0)
    with pytest.raises(ar.FileError, match="Say it") as caught:
        ar.load_motion(clip.save_bvh(tmp_path / "a.bvh"))
    assert "`segments={'waist_yaw': \"trunk_middle\"}`" in str(caught.value)


def test_names_that_are_not_known_meet_a_sentence(tmp_path):
    path = write_bvh(tmp_path)
    path.write_text(path.read_text().replace("Chest", "Bone_7").replace("LeftHand", "Sword"))
    with pytest.raises(ar.FileError) as caught:
        ar.load_motion(path)
    assert "which part of a body 'Bone_7', 'Sword' move. Say it: " in str(caught.value)
    assert "`segments={'Bone_7': ...}`; segments are head, trunk_upper" in str(caught.value)
    given = {"Bone_7": "trunk_upper", "Sword": "hand"}
    named, plain = (
        ar.load_motion(path, segments=given),
        ar.load_motion(write_bvh(tmp_path, "b.bvh")),
    )
    assert named.model.inertial_parameters() == pytest.approx(plain.model.inertial_parameters())


@pytest.mark.parametrize("sex", [None, "female", "male"])
def test_the_whole_weighs_what_was_said(tmp_path, sex):
    clip = ar.load_motion(write_bvh(tmp_path), mass=83.7, sex=sex)
    assert clip.model.mass == pytest.approx(83.7, rel=1e-12)
    parts = ar.mocap.body_segments(sex)
    masses = clip.model.inertial_parameters()[::10]
    by_name = dict(zip(clip.model.body_names, masses, strict=True))
    whole = sum(s.mass * (1 if n in ("head",) or "trunk" in n else 2) for n, s in parts.items())
    for segment, names in {"thigh": ["RightUpLeg"], "shank": ["LeftLeg"], "foot": ["LeftFoot"],
                           "trunk_middle": ["Spine"], "head": ["Head"], "hand": ["RightHand"],
                           "upper_arm": ["LeftArm"], "forearm": ["LeftForeArm"],
                           "trunk_lower": ["Hips"], "trunk_upper": ["Chest"]}.items():  # fmt: skip
        expected = 83.7 * parts[segment].mass / whole
        assert sum(by_name[n] for n in names) == pytest.approx(expected, rel=1e-12)


def test_thighs_have_their_centre_and_radii(tmp_path):
    """A segment of one bone: numbers of the table along the bone and across it."""
    clip = ar.load_motion(write_bvh(tmp_path), mass=70.0, sex="male")
    model, table = clip.model, ar.mocap.body_segments("male")["thigh"]
    whole = sum(s.mass * (1 if n == "head" or "trunk" in n else 2)
                for n, s in ar.mocap.body_segments("male").items())  # fmt: skip
    m = 70.0 * table.mass / whole
    bone = np.array([1.0, 0.5, -42.0]) / 100.0  # in the world's axes
    I = ar.Inertia.from_parameters(
        model.inertial_parameters().reshape(-1, 10)[model.body_names.index("LeftUpLeg")]
    )
    length = np.linalg.norm(bone)
    assert np.array(I.com(), float) == pytest.approx(table.com * bone, rel=1e-12)
    moments = np.linalg.eigvalsh(np.array(I.about_com(), float))
    radii = np.array([table.longitudinal, table.sagittal, table.transverse]) * length
    assert moments == pytest.approx(np.sort(m * radii**2), rel=1e-12)


def test_tables_are_those_of_the_person_that_ships():
    """Masses and radii of gyration of person.urdf were taken from the same table on their own."""
    person = ar.load(ar.figures / "person.urdf")
    table = ar.mocap.body_segments("male")
    links = {link.name: link.inertia for link in person.links}
    for segment, name in {"head": "head", "trunk_middle": "waist", "trunk_lower": "pelvis",
                          "upper_arm": "left_upper_arm",
                          "thigh": "left_thigh", "trunk_upper": "torso"}.items():  # fmt: skip
        I, s = links[name], table[segment]
        assert I.m == pytest.approx(73.0 * s.mass, rel=1e-4)
        moments = np.diag(np.array(I.about_com(), float))
        radii = np.array([s.sagittal, s.transverse, s.longitudinal]) * s.length * 0.978
        assert moments == pytest.approx(I.m * radii**2, rel=0.01)


def test_tables_add_up():
    for sex in (None, "female", "male"):
        table = ar.mocap.body_segments(sex)
        whole = sum(s.mass * (1 if n == "head" or "trunk" in n else 2) for n, s in table.items())
        assert whole == pytest.approx(1.0, abs=2e-4)
        for s in table.values():
            assert 0.0 < s.com < 1.0 and s.longitudinal < s.sagittal + s.transverse


def test_every_body_has_an_inertia_that_can_be(tmp_path):
    """Fingers, joints without length and long spines: eigenvalues within the triangle."""
    text = bvh_text(frames=3).replace(
        "JOINT LeftHand\n          {\n            OFFSET 26.0 0.0 0.0",
        "JOINT LeftHand\n          {\n            OFFSET 26.0 0.0 0.0\n"
        + "".join(
            f"JOINT LeftHandIndex{k}\n{{\nOFFSET {x} 0 0\nCHANNELS 3 Zrotation Xrotation "
            "Yrotation\nEnd Site\n{\nOFFSET 2 0 0\n}\n}\n" for k, x in ((1, 0), (2, 9))
        ),
    )  # fmt: skip
    head, rows = text.split("Frame Time")
    lines = rows.splitlines()
    lines[1:] = [line + " 0" * 6 for line in lines[1:]]
    path = tmp_path / "a.bvh"
    path.write_text(head + "Frame Time" + "\n".join(lines))
    clip = ar.load_motion(path, mass=70)
    assert clip.model.mass == pytest.approx(70.0, rel=1e-12)
    for p in clip.model.inertial_parameters().reshape(-1, 10):
        I = ar.Inertia.from_parameters(p)
        a, b, c = np.linalg.eigvalsh(np.array(I.about_com(), float))
        assert p[0] > 1e-3 and a > 1e-7 and a + b >= c * (1 - 1e-12)
    assert np.linalg.cond(clip.model.mass_matrix(clip.q[0])) < 1e8
    assert not clip.model.warnings


@pytest.mark.parametrize("lost", ["Arm", "Head", "Foot", "Spine"])
def test_a_segment_that_is_not_there_is_borne_by_the_next(tmp_path, lost):
    """People without hands, feet or a head weigh as much."""
    text = bvh_text(frames=3)
    names = {"Arm": "trunk_upper", "Head": "trunk_upper", "Foot": "shank", "Spine": "trunk_middle"}
    path = tmp_path / "a.bvh"
    path.write_text(text)
    joints = [line.split()[1] for line in text.splitlines() if line.split()[:1] == ["JOINT"]]
    given = {n: names[lost] for n in joints if lost in n or (lost == "Foot" and "Toe" in n)}
    clip = ar.load_motion(path, mass=70.0, segments=given, up="y")
    assert clip.model.mass == pytest.approx(70.0, rel=1e-12)


def test_a_guess_of_the_mass_goes_with_the_square_of_height(tmp_path):
    path = write_bvh(tmp_path)
    small, tall = (ar.load_motion(path, height=h).model.mass for h in (1.5, 1.8))
    assert tall / small == pytest.approx((1.8 / 1.5) ** 2, rel=1e-9) and 60 < tall < 80


def test_hinges_of_one_joint_leave_the_mass_to_the_last(tmp_path):
    """An ankle of two hinges in one place: what bears the bone is the foot."""
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    path = ar.mocap.Clip(person, person.neutral()[None], 100.0).save_bvh(tmp_path / "p.bvh")
    model = ar.load_motion(path, mass=73.0, sex="male").model
    mass = dict(zip(model.body_names, model.inertial_parameters()[::10], strict=True))
    assert mass["left_ankle"] < 0.04 * mass["left_foot"] and mass["left_ankle"] > 1e-3
    assert mass["waist_a"] < 0.1 * mass["waist"]


def test_shoulders_that_are_upper_arms_weigh_as_such(tmp_path):
    """Biovision's names of the same skeleton."""
    path = write_bvh(tmp_path)
    plain = ar.load_motion(path, mass=70.0).model
    text = path.read_text().replace("ForeArm", "Elbow").replace("Arm", "Shoulder")
    path.write_text(text.replace("UpLeg", "Hip").replace("LeftLeg", "LeftKnee"))
    named = ar.load_motion(path, mass=70.0).model
    assert named.inertial_parameters() == pytest.approx(plain.inertial_parameters(), rel=1e-12)


def test_a_rest_pose_that_lies_has_the_same_masses(tmp_path):
    """All offsets turned about the way ahead, and the root turned back: the same person."""
    plain = write_bvh(tmp_path, "plain.bvh", size=0.0, frames=3)
    lines = plain.read_text().splitlines()
    for k, line in enumerate(lines):
        words = line.split()
        if words[:1] == ["OFFSET"]:
            x, y, z = map(float, words[1:])
            lines[k] = f"OFFSET {y} {-x} {z}"
        elif k >= len(lines) - 3:
            lines[k] = " ".join([*words[:3], "90", *words[4:]])
    path = tmp_path / "lying.bvh"
    path.write_text("\n".join(lines))
    a, b = (ar.load_motion(p, mass=70, units="cm") for p in (plain, path))
    assert b.about["up"].startswith("y")
    for clip in (a, b):
        assert clip.model.frame_pose(clip.q[0], "Head")[2, 3] > 1.4
    M, N = (c.model.mass_matrix(c.q[0])[:3, :3] for c in (a, b))
    assert np.linalg.eigvalsh(N) == pytest.approx(
        np.linalg.eigvalsh(M), rel=3e-3
    )  # its girth is by legs
    assert b.model.center_of_mass(b.q[0]) == pytest.approx(a.model.center_of_mass(a.q[0]), abs=1e-3)
