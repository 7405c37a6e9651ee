"""Joints that cannot be: each message says what came, what was expected, what to do."""

import math

import numpy as np
import pytest

import arthron as ar
from arthron.spatial import Mat3, Transform, Vec3, rotation

ONE = Mat3.identity()
POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
SHEET = np.random.default_rng(0).normal(size=(4, 5, 6))
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])


def body(joint, name="a", **more):
    return ar.Body(name, joint, shapes=[ar.Box((1, 2, 3), placement=(0.1, 0.2, 0.3))], **more)


def model(joint):
    return ar.Model([body(joint)])


def custom(function, *rest):
    """A figure with a custom joint: its function is run when the figure is made."""
    return model(ar.Custom(function, *rest))


def slide(q):
    return ONE, Vec3(q[0])


def branch(q):
    return ONE, Vec3(q[0] if q[0] > 0 else 0.0)


def by_math(q):
    return ONE, Vec3(math.sin(q[0]))


def bezier(n, cyclic=False):
    return ar.SplineCurve((POINTS * 2)[:n], cyclic, "bezier")


def knotted(knots, cyclic=False, n=4):
    return ar.SplineCurve((POINTS * 2)[:n], cyclic, knots=knots)


DESCRIPTIONS = {
    # axes
    "revolute letter": (lambda: ar.Revolute("w"), ["axis 'w'", '"x", "y", "z"']),
    "prismatic nothing": (lambda: ar.Prismatic(None), ["axis is None", "three numbers"]),
    "helical axis": (lambda: ar.Helical((0, 0, 0), 0.1), ["(0, 0, 0)", "no direction", "not all"]),
    "universal first": (lambda: ar.Universal("a", "x"), ["axis 'a'", '"x", "y", "z"']),
    "universal second": (lambda: ar.Universal("x", (1, 2)), ["axis is (1, 2)", "three numbers"]),
    "sheet normal": (lambda: ar.PlanarTranslation("n"), ["axis 'n'", '"x", "y", "z"']),
    "planar NaN": (lambda: ar.Planar((math.nan, 0, 1)), ["nan", "no direction", "finite"]),
    "helical NaN": (lambda: ar.Helical("x", math.nan), ["pitch", "nan", "finite number [m/rad]"]),
    "helical infinite": (lambda: ar.Helical("x", math.inf), ["pitch", "inf", "finite"]),
    "helical text": (lambda: ar.Helical("x", "fast"), ["pitch", "'fast'", "[m/rad]"]),
    "helical nothing": (lambda: ar.Helical("x", None), ["pitch", "None"]),
    # coordinates
    "spherical": (lambda: ar.Spherical("quat"), ["spherical", "'quat'", "quaternion", "exponent"]),
    "spherical euler": (lambda: ar.Spherical("euler"), ["'euler'", 'Use "quaternion" or']),
    "free": (lambda: ar.Free("xyz"), ["free joint", "'xyz'", '"quaternion" or "exponential"']),
    "free nothing": (lambda: ar.Free(None), ["free joint", "None"]),
    "sequence repeats": (lambda: ar.Euler("xxy"), ["'xxy'", "neighbours", '"zxz"']),
    "sequence short": (lambda: ar.Euler("xy"), ["'xy'", "three letters"]),
    "sequence capitals": (lambda: ar.Euler("XYZ"), ["'XYZ'", "three letters of x, y, z"]),
    "sequence number": (lambda: ar.Euler(123), ["123", "three letters"]),
    "charts": (lambda: ar.Euler("zxz", charts=True), ["charts", "three different", "'zxz'"]),
    # rows of joints
    "row of nothing": (lambda: ar.Composite([]), ["composite of ()", "list of joints"]),
    "row of letters": (lambda: ar.Composite("xyz"), ["'x', 'y', 'z'", "ar.Revolute"]),
    "row with a number": (lambda: ar.Composite([ar.Revolute(), 3]), ["3", "list of joints"]),
    # custom
    "not a function": (lambda: ar.Custom(3), ["custom joint of 3", "function of q"]),
    "no coordinates": (lambda: ar.Custom(slide, 0), ["0 coordinates", "how many"]),
    "start too long": (lambda: ar.Custom(slide, 1, (0, 0)), ["`start` is (0", "has 1"]),
    "start too short": (lambda: ar.Custom(slide, 2, (0,)), ["`start` is (0", "has 2"]),
    "number returned": (lambda: custom(lambda q: q[0]), ["custom joint is", "`Mat3`", "`Vec3`"]),
    "nothing returned": (lambda: custom(lambda q: None), ["is None", "Return", "`Transform`"]),
    "three returned": (lambda: custom(lambda q: (ONE, Vec3(), 1)), ["custom joint", "Return"]),
    "swapped": (lambda: custom(lambda q: (Vec3(q[0]), ONE)), ["rotation `Mat3`", "position"]),
    "arrays": (lambda: custom(lambda q: (np.eye(3), np.zeros(3))), ["array", "`Mat3`"]),
    "math": (lambda: custom(by_math), ["test_joint_errors.py:", "arthron's `sin`", "not `math`"]),
    "branch": (lambda: custom(branch), ["`if` or `while` on", "test_joint_errors.py:", "ar.where"]),
    "text inside": (lambda: custom(lambda q: (ONE, Vec3("a"))), ["'a'", "str", "numbers"]),
    "constant pose": (lambda: custom(lambda q: (ONE, Vec3(1.0))), ["joint 'a'", "no inertia"]),
    # splines
    "three frames": (lambda: ar.SplineCurve(POINTS[:3]), ["curve has 3", "at least four"]),
    "no frames": (lambda: ar.SplineCurve([]), ["curve has 0", "at least four"]),
    "cyclic of three": (lambda: ar.SplineCurve(POINTS[:3], cyclic=True), ["has 3", "four"]),
    "frames in a plane": (lambda: ar.SplineCurve(np.zeros((5, 2))), ["array([0., 0.])", "three"]),
    "frames of text": (lambda: ar.SplineCurve("abcd"), ["'a'", "ar.pose"]),
    "numbers for frames": (lambda: ar.SplineCurve([1.0, 2.0, 3.0, 4.0]), ["1.0", "4 x 4"]),
    "NaN frame": (lambda: ar.SplineCurve([*POINTS, (math.nan, 0, 0)]), ["nan", "finite"]),
    "NaN pose": (lambda: ar.SplineCurve([np.full((4, 4), np.nan)] * 4), ["rotation", "finite"]),
    "mirrored frame": (lambda: ar.SplineCurve([MIRROR] * 4), ["mirrors", "right-handed"]),
    "curve stands still": (lambda: model(ar.SplineCurve(np.zeros((4, 3)))), ["'a'", "no inertia"]),
    "flat values": (lambda: ar.SplineSurface(SHEET[0]), ["(5, 6)", "(n1, n2, 6)"]),
    "five per point": (lambda: ar.SplineSurface(SHEET[..., :5]), ["(4, 5, 5)", "three angles"]),
    "three rows": (lambda: ar.SplineSurface(SHEET[:3]), ["surface has 3", "at least four"]),
    "three columns": (lambda: ar.SplineSurface(SHEET[:, :3]), ["surface has 3", "at least four"]),
    "NaN values": (lambda: ar.SplineSurface(SHEET * np.nan), ["(4, 5, 6)", "finite numbers"]),
    "ragged values": (lambda: ar.SplineSurface([[1], [2, 3]]), ["spline surface", "(n1, n2, 6)"]),
    "values of text": (lambda: ar.SplineSurface("sheet"), ["spline surface", "(n1, n2, 6)"]),
    # bases of splines
    "basis": (lambda: ar.SplineCurve(POINTS, basis="catmul"), ["'catmul'", "Nearest: 'catmull-r"]),
    "basis of nothing": (lambda: ar.SplineCurve(POINTS, basis=None), ["is None", '"b-spline", "c']),
    "six for bezier": (lambda: bezier(6), ["has 6", "4, 7, 10", "a closed one 3, 6, 9"]),
    "seven round": (lambda: bezier(7, True), ["has 7", "a closed one 3, 6, 9"]),
    "one for bezier": (lambda: bezier(1), ["has 1", "4, 7, 10"]),
    "knots of bezier": (
        lambda: ar.SplineCurve(POINTS, basis="bezier", knots=range(8)),
        ["has knots", '"bezier"', 'Knots go with "b-spline"'],
    ),
    "seven knots": (lambda: knotted(range(7)), ["4 control frames and 7 knots", "Give 8"]),
    "eight round": (lambda: knotted(range(8), True), ["and 8 knots", "Give 5", "round again"]),
    "knots of text": (lambda: knotted("abcdefgh"), ["'abcdefgh'", "finite numbers"]),
    "a number of knots": (lambda: knotted(8), ["are 8", "finite numbers"]),
    "NaN knot": (lambda: knotted([0, 1, 2, math.nan, 4, 5, 6, 7]), ["nan", "finite numbers"]),
    "knots fall": (
        lambda: knotted((0, 1, 2, 3, 2.5, 6, 7, 8)),
        ["fall from 3 to 2.5", "(numbers 3 and 4)", "increasing"],
    ),
    "knots stand": (lambda: knotted((0, 1, 2, 3, 3, 4, 5, 6)), ["start and end at 3", "length"]),
    "five at the start": (
        lambda: knotted((0, 0, 0, 0, 0, 1, 1, 1, 1), n=5), ["knot 0", "too often", "four times"],
    ),
    "four inside": (
        lambda: knotted((0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2), n=8), ["knot 1", "tear"],
    ),
    "four at the seam": (
        lambda: knotted((0, 0, 0, 1, 2, 2), True, n=5), ["knot 0", "too often", "three times"],
    ),
    "one set of knots": (
        lambda: ar.SplineSurface(SHEET, knots=range(8)), ["`knots` is range(0, 8)", "one a dir"],
    ),
    "three bases": (
        lambda: ar.SplineSurface(SHEET, basis=("bezier",) * 3), ["`basis` is", "Give two"],
    ),
    "second basis": (
        lambda: ar.SplineSurface(SHEET, basis=("bezier", "spline")), ["surface is 'spline'"],
    ),
    "second knots": (
        lambda: ar.SplineSurface(SHEET, knots=(None, range(8))), ["surface has 5", "Give 9"],
    ),
    # bodies
    "class": (lambda: body(ar.Spherical), ["joint of body 'a'", "class", "with brackets"]),
    "limits of a ball": (lambda: body(ar.Spherical(), lower=(0, 0, 0)), ["lower", "4 coord"]),
    "effort of a ball": (lambda: body(ar.Spherical(), effort=(1,) * 4), ["effort", "3 coord"]),
    "limits of charts": (lambda: body(ar.Euler(charts=True), upper=(1,) * 3), ["upper", "4 coord"]),
    "armature": (lambda: body(ar.Universal(), armature=(1, 2, 3)), ["armature", "2 coord", "or 2"]),
    "damping of a row": (
        lambda: body(ar.Composite([ar.Free(), ar.Revolute()]), damping=(1, 2)),
        ["damping", "7 coord"],
    ),
    "axes in line": (lambda: model(ar.Universal("x", "x")), ["joint 'a'", "singular"]),
    "mimic": (
        lambda: ar.Model([body(ar.Revolute()), body(ar.Universal(), "b", mimic=ar.Mimic("a"))],
                         mimic=True),
        ["joint 'b'", "exactly one coordinate"],
    ),
}  # fmt: skip
"""Bad descriptions, and fragments of what is said about them."""

TOLD = {
    "spherical list": (lambda: ar.Spherical(["quaternion"]), ["quaternion"]),
    "free set": (lambda: ar.Free({"exponential"}), ["exponential"]),
    "row of None": (lambda: ar.Composite(None), ["None"]),
    "row of a joint": (lambda: ar.Composite(ar.Revolute("x")), ["Revolute"]),
    "row of classes": (lambda: ar.Composite([ar.Revolute]), ["Revolute"]),
    "row with an unsure joint": (
        lambda: ar.Composite([ar.Custom(lambda q: 3), 4]), ["composite", "4"],
    ),
    "coordinates text": (lambda: ar.Custom(slide, "two"), ["'two'", "coordinates"]),
    "coordinates fraction": (lambda: ar.Custom(slide, 1.5), ["1.5", "coordinates"]),
    "start number": (lambda: ar.Custom(slide, 1, 5.0), ["start", "5.0"]),
    "start text": (lambda: ar.Custom(slide, 1, ("a",)), ["start", "'a'"]),
    "start NaN": (lambda: ar.Custom(slide, 1, (math.nan,)), ["start", "nan"]),
    "too few coordinates": (
        lambda: custom(lambda q: (ONE, Vec3(q[0], q[1]))), ["custom", "1 coordinate"],
    ),
    "no argument": (lambda: custom(lambda: (ONE, Vec3())), ["custom", "argument"]),
    "whole q": (lambda: custom(lambda q: (ONE, Vec3(ar.sin(q)))), ["traced scalar"]),
    "wrong attribute": (lambda: custom(lambda q: (ONE, Vec3(q.x))), ["custom", "'x'"]),
    "not a rotation": (lambda: custom(lambda q: (ONE * 2.0, Vec3(q[0]))), ["rotation"]),
    "mirror": (
        lambda: custom(lambda q: (Mat3.diagonal(1.0, 1.0, -1.0), Vec3(q[0]))), ["rotation"],
    ),
    "no rotation at its start": (
        lambda: custom(lambda q: (rotation(Vec3(1.0), ar.sqrt(q[0] - 1.0)), Vec3(q[0]))), ["joint"],
    ),
    "no place at its start": (
        lambda: custom(lambda q: (ONE, Vec3(q[0], ar.log(q[0] - 1.0)))), ["joint"],
    ),
    "no velocity at its start": (lambda: custom(lambda q: (ONE, Vec3(ar.sqrt(q[0])))), ["joint"]),
    "curve of None": (lambda: ar.SplineCurve(None), ["None"]),
    "curve of a number": (lambda: ar.SplineCurve(4), ["4"]),
    "curve closed by text": (lambda: ar.SplineCurve(POINTS, "no"), ["cyclic", "'no'"]),
    "closed, one word for two": (lambda: ar.SplineSurface(SHEET, True), ["cyclic", "True"]),
    "closed, one of two": (lambda: ar.SplineSurface(SHEET, (True,)), ["cyclic", "(True,)"]),
    "closed, three": (lambda: ar.SplineSurface(SHEET, (True, False, True)), ["cyclic"]),
    "closed, None": (lambda: ar.SplineSurface(SHEET, None), ["cyclic", "None"]),
    "closed by text": (lambda: ar.SplineSurface(SHEET, "no"), ["cyclic", "'no'"]),
}  # fmt: skip
"""Bad descriptions that must be told in our words, whatever those are, and not by Python's."""


def message(make):
    with pytest.raises(ar.ArthronError) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize("case", DESCRIPTIONS)
def test_descriptions(case):
    make, fragments = DESCRIPTIONS[case]
    said = message(make)
    for fragment in fragments:
        assert fragment in said


@pytest.mark.parametrize("case", TOLD)
def test_told_in_our_words(case):
    make, fragments = TOLD[case]
    said = message(make)
    for fragment in fragments:
        assert fragment in said


def test_errors_of_joints_are_joint_errors():
    for make in (
        lambda: ar.Revolute("w"),
        lambda: ar.Euler("q"),
        lambda: ar.Composite([]),
        lambda: ar.Custom(3),
        lambda: ar.SplineCurve(POINTS[:3]),
        lambda: ar.SplineSurface(SHEET[0]),
    ):
        with pytest.raises(ar.JointError):
            make()


@pytest.mark.parametrize("case", ["text inside", "whole q"])
def test_messages_point_at_the_users_file(case):
    make, _ = (DESCRIPTIONS | TOLD)[case]
    said = message(make)
    assert "functools" not in said
    assert "joint" in said or "test_joint_errors.py" in said


def test_a_bad_function_can_still_be_shown():
    """Descriptions are for debuggers and messages: they do not raise."""
    assert "Custom" in repr(ar.Custom(lambda q: 3))
    assert "Custom" in repr(ar.Composite([ar.Custom(branch)]))


@pytest.mark.parametrize("pitch", [1, 0.5, np.float64(0.5), np.float32(0.5), np.int64(2)])
def test_numbers_of_any_kind_are_pitches(pitch):
    assert ar.Helical("z", pitch)([1.0], [1.0])[0].r.z == float(pitch)


def test_other_numbers_of_any_kind():
    assert model(ar.Custom(slide, np.int64(1))).nq == 1
    assert ar.SplineSurface(SHEET, (np.True_, np.False_)) == ar.SplineSurface(SHEET, (True, False))


def test_joints_at_the_edge_are_taken():
    """What looks odd and is not: no error."""
    assert ar.Composite([ar.Fixed(), ar.Revolute()]).nv == 1
    still = model(ar.Composite([ar.Fixed()]))
    assert np.array_equal(still.body_poses(np.zeros(0)), np.eye(4)[None])
    assert ar.SplineCurve(iter(POINTS)).nq == 1
    assert model(ar.Custom(lambda q: Transform(r=Vec3(q[0], 0.0, 1e9)))).nv == 1
    assert model(ar.Universal("x", (1, 1e-3, 0))).nv == 2


def test_singular_at_rest_is_told_to_rounding():
    """Three hinges of which two are in line at rest, in a frame that hides it behind rounding."""
    row = ar.Composite([ar.Revolute(letter) for letter in "xzx"])
    assert "singular" in message(lambda: model(row))


def test_inertia_behind_a_joint_is_where_its_neutral_pose_puts_it():
    """A lever that ends in a mass point, whose length is the start of a custom joint."""
    point = ar.Inertia.from_com(1.0, Vec3(), Mat3.diagonal(0.0, 0.0, 0.0))
    arm = ar.Custom(lambda q: (ONE, Vec3(q[0])), 1, start=(1.0,))
    lever = ar.Model([ar.Body("hinge", ar.Revolute("z")),
                      ar.Body("end", arm, parent="hinge", inertia=point)])  # fmt: skip
    assert np.allclose(lever.mass_matrix(lever.neutral()), np.eye(2))


@pytest.mark.parametrize("joint", [ar.Spherical(), ar.Free(), ar.Composite([ar.Spherical()])])
def test_a_quaternion_of_zeros_is_no_number(joint):
    """As in compiled code: NaN, and not an exception."""
    figure = model(joint)
    q, qd = np.zeros(figure.nq), np.ones(figure.nv)
    assert np.isnan(ar.evaluate(ar.algorithms.poses, figure, q)).any()
    assert np.isnan(ar.evaluate(ar.algorithms.poses, figure, q[None])).any()
    assert np.isnan(figure.body_poses(q)).any()
    assert np.isnan(figure.normalize(q, qd)[0]).any()
    assert np.isnan(joint.normalize((0.0,) * joint.nq, (1.0,) * joint.nv)[0][-1])
