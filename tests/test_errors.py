"""Messages at the model and at calls: what came, what was expected, what to do."""

import math

import numpy as np
import pytest

import arthron as ar
from arthron.errors import nearest
from arthron.spatial import Mat3, Vec3

BALL = (ar.Sphere(0.1),)


def body(name="a", joint=None, **more):
    return ar.Body(name, joint or ar.Revolute("z"), **{"shapes": BALL, **more})


def inertia(m=1.0, c=(0.0, 0.0, 0.0), moments=(1.0, 1.0, 1.0)):
    return ar.Inertia.from_com(m, Vec3(*c), Mat3.diagonal(*moments))


Z = np.zeros(4)
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])
SKEWED = np.eye(4) + 0.1

DESCRIPTIONS = {
    "axis letter": (lambda: ar.Revolute("w"), ["axis 'w'", '"x", "y", "z"']),
    "axis zero": (lambda: ar.Prismatic((0, 0, 0)), ["has no direction", "not all zero"]),
    "axis NaN": (lambda: ar.Revolute((math.nan, 0, 1)), ["has no direction", "finite"]),
    "axis length": (lambda: ar.Planar((0, 1)), ["axis is (0, 1)", "three numbers"]),
    "axis kind": (lambda: ar.Revolute(3), ["axis is 3", "three numbers"]),
    "name empty": (lambda: body(""), ["name is ''", "not empty"]),
    "name number": (lambda: body(7), ["name is 7", "string"]),
    "joint kind": (lambda: body(joint="revolute"), ["joint of body 'a'", "ar.Revolute"]),
    "placement text": (lambda: body(placement="here"), ["placement is 'here'", "ar.pose"]),
    "placement short": (lambda: body(placement=(1, 2)), ["placement is (1, 2)", "4 x 4"]),
    "placement NaN": (lambda: body(placement=(math.nan, 0, 0)), ["xyz", "finite"]),
    "placement mirror": (lambda: body(placement=MIRROR), ["mirrors space", "right-handed"]),
    "placement skewed": (lambda: body(placement=SKEWED), ["not a rotation", "ar.pose"]),
    "pose angles": (lambda: ar.pose((0, 0, 0), (1, 2)), ["`rpy` is (1, 2)", "three numbers"]),
    "inertia kind": (lambda: body(inertia=2.0), ["inertia of body 'a' is 2.0", "from_com"]),
    "lower above upper": (lambda: body(lower=1, upper=-1), ["lower limit 1 above", "Swap"]),
    "limits count": (lambda: body(lower=(1, 2)), ["lower of body 'a'", "1 coordinates"]),
    "limit NaN": (lambda: body(upper=math.nan), ["upper of body 'a' is nan", "numbers"]),
    "effort negative": (lambda: body(effort=-1), ["effort of body 'a' is -1", "zero or more"]),
    "armature text": (lambda: body(armature="big"), ["armature of body 'a' is 'big'"]),
    "armature negative": (lambda: body(armature=-0.1), ["armature", "zero or more"]),
    "box sizes": (lambda: ar.Box((1, 2)), ["Box has size = (1, 2)", "three numbers"]),
    "box zero": (lambda: ar.Box((1, 0, 1)), ["Box has size", "more than zero"]),
    "sphere negative": (lambda: ar.Sphere(-1.0), ["Sphere has radius = -1.0", "more than zero"]),
    "sphere text": (lambda: ar.Sphere("big"), ["Sphere has radius = 'big'", "Give a number"]),
    "cylinder NaN": (lambda: ar.Cylinder(1, math.nan), ["Cylinder has length", "finite"]),
    "capsule mass": (lambda: ar.Capsule(1, 1, mass=-2), ["Capsule has mass = -2", "zero or more"]),
    "ellipsoid radii": (lambda: ar.Ellipsoid(3.0), ["Ellipsoid has radii = 3.0", "three"]),
    "density": (lambda: ar.Sphere(1.0, density=math.inf), ["density = inf", "finite"]),
    "color of two": (lambda: ar.Sphere(1.0, color=(1, 1)), ["Sphere has color = (1, 1)", "0 to 1"]),
    "color to 255": (lambda: ar.Box((1, 1, 1), color=(255, 0, 0)), ["Box has color = (255"]),
    "color by name": (lambda: ar.Sphere(1.0, color="red"), ["color = 'red'", "red, green"]),
    "mesh scale": (lambda: ar.Mesh("a.stl", scale=(1, 1)), ["Mesh has scale"]),
    "mesh flattened": (lambda: ar.Mesh("a.stl", (1, 0, 1)), ["Mesh has scale", "not zero"]),
    "mesh path": (lambda: ar.Mesh(3), ["Mesh has path = 3", "name of a file"]),
    "mesh mass": (lambda: ar.Mesh("a.stl", mass=-3.0), ["Mesh has mass = -3.0", "zero or more"]),
    "com of two": (lambda: ar.Inertia.from_com(1, (0, 0), (1, 1, 1)), ["(0, 0)", "three numbers"]),
    "com text": (lambda: ar.Inertia.from_com(1, "123", (1, 1, 1)), ["'123'", "three numbers"]),
    "com None": (lambda: ar.Inertia.from_com(1, None, (1, 1, 1)), ["None", "three numbers"]),
    "mass text": (lambda: inertia("1"), ["mass is '1'", "Give a number"]),
    "mass None": (lambda: inertia(None), ["mass is None", "Give a number"]),
    "moments 2 x 2": (lambda: ar.Inertia.from_com(1, Vec3(), np.eye(2)), ["three moments"]),
    "moments text": (lambda: ar.Inertia.from_com(1, Vec3(), "abc"), ["'abc'", "3 x 3"]),
    "moment one": (lambda: ar.Inertia.from_com(1, Vec3(), 2.0), ["is 2.0", "three moments"]),
    "inertia of a number": (lambda: ar.inertia_of(5), ["shapes are 5", "ar.Box"]),
    "inertia of numbers": (lambda: ar.inertia_of([5]), ["shapes are [5]", "ar.Box"]),
    "shapes number": (lambda: body(shapes=5), ["shapes are 5", "ar.Box"]),
    "axes of a number": (lambda: ar.principal_axes(5), ["inertia is 5", "ar.Inertia"]),
    "mimic NaN": (lambda: ar.Mimic("a", math.nan), ["`multiplier` is nan", "finite number"]),
    "mimic text": (lambda: ar.Mimic("a", "2"), ["`multiplier` is '2'", "finite number"]),
    "mimic None": (lambda: ar.Mimic("a", 1.0, None), ["`offset` is None", "finite number"]),
    "mimic infinite": (lambda: ar.Mimic("a", 1.0, math.inf), ["`offset` is inf"]),
    "mimic joint": (lambda: ar.Mimic(5), ["mimics joint 5", "name"]),
    "not bodies": (lambda: ar.Model(["a"]), ["`bodies` holds 'a'", "ar.Body"]),
    "two of a name": (lambda: ar.Model([body(), body()]), ["several bodies called 'a'", "rename"]),
    "joints of a name": (
        lambda: ar.Model([body("a", joint_name="j"), body("b", joint_name="j")]),
        ["several joints called 'j'"],
    ),
    "no such parent": (
        lambda: ar.Model([body("arm"), body("hand", parent="amr")]),
        ["'hand'", "hangs on 'amr'", "Nearest: 'arm'"],
    ),
    "cycle": (
        lambda: ar.Model([body("a", parent="b"), body("b", parent="a")]),
        ["'a'", "cycle", "open the loop"],
    ),
    "mass negative": (lambda: ar.Model([body(inertia=inertia(-1.0))]), ["mass is -1", "[kg]"]),
    "inertia NaN": (lambda: ar.Model([body(inertia=inertia(math.nan))]), ["not finite", "NaN"]),
    "moment negative": (
        lambda: ar.Model([body(inertia=inertia(moments=(-1.0, 1.0, 1.0)))]),
        ["principal moment -1", "zero or more"],
    ),
    "triangle rule": (
        lambda: ar.Model([body(inertia=inertia(moments=(1.0, 1.0, 3.0)))]),
        ["1, 1, 3", "triangle rule"],
    ),
    "not symmetric": (
        lambda: ar.Model(
            [body(inertia=ar.Inertia(1.0, I=Mat3.identity() + Vec3(0.0, 1.0).outer(Vec3(1.0))))]
        ),
        ["not symmetric", "Ixy = Iyx"],
    ),
    "mass huge": (
        lambda: ar.Model([body(joint=ar.Free(), inertia=inertia(1e308))]),
        ["body 'a'", "beyond 1e+100", "units"],
    ),
    "armature huge": (
        lambda: ar.Model([body(joint=ar.Free(), armature=1e308)]),
        ["armature of body 'a'", "1e+100"],
    ),
    "no inertia": (lambda: ar.Model([body(shapes=())]), ["joint 'a'", "no inertia", "armature"]),
    "gravity count": (lambda: ar.Model([body()], gravity=(0, -9.81)), ["gravity is (0, -9.81)"]),
    "gravity NaN": (lambda: ar.Model([body()], gravity=(0, 0, math.nan)), ["gravity", "finite"]),
    "random tree": (lambda: ar.random_tree(0), ["nb=0", "at least one body"]),
    "random text": (lambda: ar.random_tree("x"), ["nb='x'", "whole number"]),
    "random half": (lambda: ar.random_tree(1.5), ["nb=1.5", "whole number"]),
    "random branching": (lambda: ar.random_tree(3, math.nan), ["branching=nan", "finite numbers"]),
    "random skew": (lambda: ar.random_tree(3, skew="x"), ["skew='x'", "numbers"]),
    "random taper": (lambda: ar.random_tree(3, taper=math.inf), ["taper=inf", "numbers"]),
    "random of none": (lambda: ar.random_tree(3, joints=()), ["`joints` is ()", "kinds"]),
    "random of a number": (lambda: ar.random_tree(3, joints=5), ["`joints` is 5", "kinds"]),
    "random seed": (lambda: ar.random_tree(3, rng="x"), ["`rng` is 'x'", "generator"]),
    "bodies None": (lambda: ar.Model(None), ["`bodies` holds None", "ar.Body"]),
    "random joints": (lambda: ar.random_tree(3, joints=["knee"]), ["'knee'", "revolute"]),
    "file kind": (lambda: ar.load("robot.sdf"), ["robot.sdf", "'.sdf'", ".urdf", "export"]),
    "xacro": (lambda: ar.load("a.urdf.xacro"), ["'.xacro'", "`xacro robot.xacro > robot.urdf`"]),
    "mjcf": (lambda: ar.load("a.mjcf"), ["'.mjcf'", "an MJCF file", "mjcf-urdf-simple-converter"]),
    "bvh": (lambda: ar.load("a.BVH"), ["'.BVH'", "motion capture: `ar.load_motion` reads it"]),
    "usd": (lambda: ar.load("a.usda"), ["'.usda'", "USD", "Export it as URDF"]),
    "a mesh": (lambda: ar.load("a.stl"), ["a mesh", "ar.Mesh(path)"]),
    "other": (lambda: ar.load("a.txt"), ["it ends in '.txt'", "rename the file if it is URDF"]),
    "no ending": (lambda: ar.load("robot"), ["it has no ending", ".urdf files"]),
}  # fmt: skip


@pytest.mark.parametrize("case", DESCRIPTIONS)
def test_descriptions(case):
    make, fragments = DESCRIPTIONS[case]
    with pytest.raises(ar.ArthronError) as caught:
        make()
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_the_nearest_name_is_another():
    ball, knee = body("hip", ar.Spherical()), body("knee", mimic=ar.Mimic("hip"))
    with pytest.raises(ar.ModelError, match="mimics 'hip'") as caught:
        ar.Model([ball, knee], mimic=True)
    assert "Nearest: 'hip'" not in str(caught.value)
    assert nearest("a", ["a", "ab"]) == " Nearest: 'ab'."
    assert nearest("a", {"a": 1}) == ""


@pytest.fixture(scope="module")
def model():
    return ar.random_tree(4, joints=["revolute", "prismatic"], rng=2).replace(name="crab")


def assign(model):
    model.gravity = (0, 0, 0)


def page_with_unknown_input(tree, q, target):
    return q[1][0]


def page_that_branches(tree, q):
    return 1.0 if q[1][0] > 0 else 2.0


def page_that_returns_text(tree, q):
    return "text"


def entry_past_the_last(tree, q):
    return q[99][0]


def coordinate_past_the_last(tree, q):
    return q[1][5]


def joint_by_name(tree, q):
    return q["joint1"][0]


def remainder(tree, q):
    return 2.0 % q[1][0]


def whole_part(tree, q):
    return q[1][0] // 2


def both_parts(tree, q):
    return divmod(q[1][0], 2.0)


def rounded(tree, q):
    return round(q[1][0])


def call_page(page):
    return lambda model: ar.compile(page, model)(np.zeros(4))


def identified(q=Z, tau=Z, **more):
    return lambda m: ar.identify.identify(m, q, Z, Z, tau, **more)


CALLS = {
    "wrong size": (
        lambda m: m.mass_matrix(np.zeros((64, 3))),
        ["`q` has shape (64, 3)", "`crab` needs (..., 4): 4 prismatic joints. `model.joint_names`"],
    ),
    "no axes": (lambda m: m.mass_matrix(3.0), ["`q` has shape ()", "(..., 4)"]),
    "text": (lambda m: m.mass_matrix("abc"), ["`q` holds", "real numbers"]),
    "complex": (lambda m: m.mass_matrix(np.zeros(4) * 1j), ["`q` holds complex128"]),
    "objects": (lambda m: m.mass_matrix([None] * 4), ["`q` holds object"]),
    "ragged": (lambda m: m.mass_matrix([[1, 2], [3]]), ["`q` has rows of unequal length"]),
    "missing": (lambda m: m.inverse_dynamics(np.zeros(4)), ["without `qd`", "inverse_dynamics("]),
    "too many": (lambda m: m.mass_matrix(*[np.zeros(4)] * 3), ["3 arrays", "takes 1"]),
    "unknown": (lambda m: m.mass_matrix(np.zeros(4), f_exy=0), ["no input 'f_exy'"]),
    "twice": (lambda m: m.mass_matrix(np.zeros(4), q=np.zeros(4)), ["`q` twice"]),
    "broadcast": (
        lambda m: m.bias_forces(np.zeros((3, 4)), np.zeros((2, 4))),
        ["do not broadcast", "`q` (3,)", "`qd` (2,)"],
    ),
    "forces": (
        lambda m: m.bias_forces(np.zeros(4), np.zeros(4), np.zeros(6)),
        ["`f_ext` has shape (6,)", "(..., 4, 6)", "[torque; force]"],
    ),
    "out shape": (
        lambda m: m.mass_matrix(np.zeros(4), out=np.zeros(4)),
        ["`out` has shape (4,)", "(4, 4)", "np.empty"],
    ),
    "out dtype": (
        lambda m: m.mass_matrix(np.zeros(4), out=np.zeros((4, 4), np.float32)),
        ["float32", "of float64"],
    ),
    "out list": (lambda m: m.mass_matrix(np.zeros(4), out=[0]), ["`out` is a list"]),
    "no body": (
        lambda m: m.jacobian(np.zeros(4), "body_3"),
        ["no body or frame 'body_3' in `crab`", "Nearest: 'body3'", "model.frame_names"],
    ),
    "no frame": (lambda m: m.frame_pose(np.zeros(4), "hand"), ["no body or frame 'hand'"]),
    "axes": (
        lambda m: m.jacobian(np.zeros(4), "body3", axes="body"),
        ["`axes` is 'body'", "'world_aligned'"],
    ),
    "no joint": (lambda m: m.slice_q("joint9"), ["no joint 'joint9'", "model.joint_names"]),
    "frozen": (assign, ["do not change", "model.replace(gravity=...)"]),
    "page input": (
        lambda m: ar.compile(page_with_unknown_input, m),
        ["`target` of unknown shape", "shapes="],
    ),
    "page branch": (
        lambda m: ar.compile(page_that_branches, m)(np.zeros(4)),
        ["`if` or `while` on a traced scalar in test_errors.py:", "ar.where"],
    ),
    "page result": (
        lambda m: ar.compile(page_that_returns_text, m)(np.zeros(4)),
        ["returned 'text'", "scalars, vectors"],
    ),
    "past the last body": (
        call_page(entry_past_the_last),
        ["number 99 in test_errors.py:", "0 (the base) to 4", "tree.bodies"],
    ),
    "past the last body, evaluated": (
        lambda m: ar.evaluate(entry_past_the_last, m, np.zeros(4)),
        ["number 99 in test_errors.py:"],
    ),
    "past the last coordinate": (
        call_page(coordinate_past_the_last),
        ["number 5 in test_errors.py:", "has 1"],
    ),
    "a joint by name": (call_page(joint_by_name), ["'joint1'", "model.joint_number"]),
    "remainder": (call_page(remainder), ["`%` on a traced scalar in test_errors.py:", "ar.floor"]),
    "whole part": (call_page(whole_part), ["`//` on a traced scalar in", "ar.floor(x / y)"]),
    "both parts": (call_page(both_parts), ["`divmod` on a traced scalar in", "ar.floor"]),
    "rounded": (call_page(rounded), ["`round` on a traced scalar in", "ar.floor(x + 0.5)"]),
    "random shape": (lambda m: m.random(0, (3, 2)), ["`size` is (3, 2)", "whole number"]),
    "random less than none": (lambda m: m.random(0, -1), ["`size` is -1", "zero or more"]),
    "random yes": (lambda m: m.random(0, True), ["`size` is True", "whole number"]),
    "random seed": (lambda m: m.random("x"), ["`rng` is 'x'", "seed"]),
    "lock a number": (lambda m: m.lock(5, Z), ["no joint 5", "model.joint_names"]),
    "lock at text": (lambda m: m.lock("joint1", "text"), ["`q` is 'text'", "array of numbers"]),
    "lock ragged": (lambda m: m.lock("joint1", [[1], [1, 2]]), ["`q` is [[1], [1, 2]]"]),
    "attach a number": (lambda m: m.attach(5, "body1"), ["`other` is 5", "ar.Model"]),
    "attach to a number": (lambda m: m.attach(m, 5), ["no body or frame 5"]),
    "no targets": (lambda m: ar.ik.solve(m, 5), ["`targets` is a int", "ar.ik.Pose"]),
    "a number as target": (lambda m: ar.ik.solve(m, [1]), ["a target is 1", "ar.ik.Pose"]),
    "huge forces": (identified(tau=np.full(4, 1e200)), ["`tau` reaches 1e+200", "units"]),
    "huge positions": (identified(q=np.full(4, -1e200)), ["`q` reaches 1e+200", "units"]),
    "forces text": (identified(tau="text"), ["`tau` is 'text'", "array of numbers"]),
    "noise text": (identified(noise="text"), ["`noise` is 'text'", "array of numbers"]),
    "pull text": (identified(pull="text"), ["`pull` is 'text'", "above zero"]),
    "not a model": (lambda m: ar.compile(page_that_branches, 3), ["model is a int", "ar.load"]),
    "derivative": (
        lambda m: ar.jacobian(ar.algorithms.crba, "qd"),
        ["no input 'qd'", "it takes q"],
    ),
    "evaluate": (lambda m: ar.evaluate(ar.algorithms.rnea, m, [0] * 4), ["without `qd`"]),
    "evaluate shape": (lambda m: ar.evaluate(ar.algorithms.crba, m, [0] * 5), ["shape (5,)"]),
    "gravity text": (lambda m: m.replace(gravity="down"), ["gravity is 'down'"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_calls(case, model):
    call, fragments = CALLS[case]
    with pytest.raises(ar.ArthronError) as caught:
        call(model)
    for fragment in fragments:
        assert fragment in str(caught.value)
