"""What people try in their first hour, and what they should meet."""

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import arthron as ar
from arthron._pages.compiled import _key
from arthron._tree.joints import Revolute
from arthron.spatial import Vec3


@pytest.fixture(scope="module")
def arm():
    return ar.random_tree(3, rng=1).replace(name="arm")


Q = np.array([0.1, 0.2, 0.3])


@pytest.mark.parametrize("error", [
    ar.FileError("no good", "a.urdf", 3), ar.ModelError("m"), ar.JointError("j"),
    ar.ShapeError("s"), ar.TraceError("t"), ar.CompileError("c"),
], ids=lambda e: type(e).__name__)  # fmt: skip
def test_errors_survive_a_trip_to_another_process(error):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error) and str(back) == str(error)
    assert vars(back) == vars(error)


def test_a_tuple_of_scalars_is_several_results(arm):
    def both(tree, q):
        return q[1][0], 2.0 * q[2][0]

    first, second = ar.compile(both, arm)(np.tile(Q, (5, 1)))
    assert first.shape == second.shape == (5,)
    np.testing.assert_allclose(second, 0.4)


def test_numpy_functions_of_a_traced_scalar(arm):
    def page(tree, q):
        x = q[1][0]
        y = np.sin(x) + np.sqrt(x) * np.float64(2.0) + np.maximum(0.05, x) + np.arctan2(1.0, x)
        return np.float64(3.0) * y - np.abs(-x) / np.float64(2.0) + np.power(x, 2)

    x = Q[0]
    expected = 3 * (np.sin(x) + 2 * np.sqrt(x) + x + np.arctan2(1, x)) - x / 2 + x**2
    assert ar.compile(page, arm)(Q) == pytest.approx(expected, rel=1e-14)


def test_an_array_of_traced_scalars_is_a_result(arm):
    page = lambda tree, q: np.array([q[1][0], 1.0, q[2][0]])  # noqa: E731
    np.testing.assert_allclose(ar.compile(page, arm)(Q), [0.1, 1.0, 0.2])


def test_frames_by_name_in_a_page():
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    palm = model.frame("left_palm")

    def height(tree, q):
        return (palm.X @ ar.algorithms.poses(tree, q)[palm.body]).r.z

    q = model.random(0)
    expected = model.frame_pose(q, "left_palm")[2, 3]
    assert ar.compile(height, model)(q) == pytest.approx(expected)


def test_single_precision_stays(arm):
    q = Q.astype(np.float32)
    for point in ((0, 0, 0), (0.1, 0.2, 0.3), np.float32([0.1, 0.2, 0.3])):
        assert arm.jacobian(q, "body3", point).dtype == np.float32
    assert arm.jacobian(Q, "body3").dtype == np.float64


def test_inertia_from_plain_numbers():
    expected = ar.Inertia.from_com(
        2.0, Vec3(0.1, 0.2, 0.3), ar.spatial.Mat3.diagonal(1.0, 2.0, 2.5)
    )
    assert ar.Inertia.from_com(2.0, (0.1, 0.2, 0.3), (1, 2, 2.5)) == expected
    assert ar.Inertia.from_com(2.0, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5])) == expected


def test_compiled_pages_pickle(arm):
    for function in (arm.mass_matrix, ar.compile(ar.algorithms.rnea, arm)):
        for other in (pickle.loads(pickle.dumps(function)), copy.deepcopy(function)):
            given = (Q,) * (1 if function.__name__ == "mass_matrix" else 3)
            np.testing.assert_array_equal(other(*given), function(*given))


def test_a_joint_that_moves_nothing_is_pointed_out(tmp_path):
    file = tmp_path / "ghost.urdf"
    file.write_text(
        '<robot name="ghost"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    (warning,) = ar.load(file).warnings
    assert "'j'" in warning and "no inertia" in warning


@dataclass(frozen=True)
class Mine(Revolute):
    """A user's own joint."""


def test_code_of_a_users_joint_is_not_kept_by_name():
    def key(joint):
        model = ar.Model([ar.Body("a", joint, shapes=ar.Sphere(0.1))])
        return _key(ar.algorithms.rnea, model.tree, {})

    assert key(ar.Revolute("z")) is not None
    assert key(ar.Composite([ar.Prismatic("x"), ar.Revolute("z")])) is not None
    assert key(Mine()) is None
    assert key(ar.Composite([ar.Prismatic("x"), Mine()])) is None


def test_names_given_as_out_none_are_as_fast_and_the_same(arm):
    np.testing.assert_array_equal(arm.mass_matrix(Q, out=None), arm.mass_matrix(Q))


def page_without_tree(q):
    return q


def page_with_anything(*args):
    return args


MISTAKES = {
    "arithmetic on coordinates": (
        lambda m: ar.compile(lambda tree, q: q[1] * 2, m)(Q), ["`q[i][0]`"]),
    "sum of coordinates": (
        lambda m: ar.compile(lambda tree, q: q[1] + q[2], m)(Q), ["`q[i][0]`"]),
    "forgotten return": (
        lambda m: ar.compile(lambda tree, q: None, m)(Q), ["returned None", "forget `return`"]),
    "no tree": (lambda m: ar.compile(page_without_tree, m), ["takes (q)", "page(tree, q, ...)"]),
    "any arguments": (lambda m: ar.compile(page_with_anything, m), ["page(tree, q, ...)"]),
    "not a page": (lambda m: ar.compile(3, m), ["a page is 3"]),
    "shape of a known input": (
        lambda m: ar.compile(lambda tree, tau: tau[1][0], m, shapes={"tau": (2,)}),
        ["'tau'", "which the model does"]),
    "shape that is a number": (
        lambda m: ar.compile(lambda tree, t: t, m, shapes={"t": 3}), ["shape of `t` is 3", "(3,)"]),
    "derivative of compiled code": (
        lambda m: ar.jacobian(m.inverse_dynamics, "q"), ["compiled already", "ar.algorithms"]),
    "unknown function of NumPy": (
        lambda m: ar.compile(lambda tree, q: np.tan(q[1][0]), m)(Q), ["`np.tan`", "ar.sin"]),
    "tuple for a vector": (
        lambda m: ar.compile(lambda tree, q, t: Vec3(q[1][0]) - t, m, shapes={"t": (3,)})(Q, Q),
        ["of type tuple", "Vec3(*b)"]),
    "class for a joint": (lambda m: ar.Body("a", ar.Revolute), ["with brackets"]),
    "class for a root": (
        lambda m: ar.load(ar.figures / "humanoid.urdf", root=ar.Free), ["Write `ar.Free()`"]),
    "file for bodies": (lambda m: ar.Model("robot.urdf"), ["ar.load(path)"]),
    "one body": (lambda m: ar.Model(ar.Body("a", shapes=ar.Sphere(1.0))), ["Give a list"]),
    "body for a parent": (lambda m: ar.Body("b", parent=3), ["parent of body 'b' is 3"]),
    "text for mimic": (lambda m: ar.Body("b", mimic="a"), ["ar.Mimic"]),
    "number for a path": (lambda m: ar.load(3), ["is no path"]),
    "content for a path": (lambda m: ar.load("<robot name='a'/>"), ["Give its path"]),
    "list for a frame": (lambda m: m.jacobian(Q, ["body3"]), ["no body or frame"]),
    "floating state": (lambda m: m.mass_matrix(np.zeros(10)), ["root=ar.Free()"]),
    "setting mass": (lambda m: setattr(m, "mass", 3), ["do not change", "ar.Model(...)"]),
    "followers in aba": (
        lambda m: ar.evaluate(ar.algorithms.aba, tied(), [0.1], [0.0], [0.0]),
        ["needs a tree", "ar.algorithms.forward_dynamics"]),
}  # fmt: skip


def tied():
    ball = ar.Sphere(0.1, placement=(1, 0, 0))
    bodies = [ar.Body("a", shapes=ball), ar.Body("b", parent="a", shapes=ball, mimic=ar.Mimic("a"))]
    return ar.Model(bodies, mimic=True)


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_meets_a_sentence(case, arm):
    make, fragments = MISTAKES[case]
    with pytest.raises(ar.ArthronError) as caught:
        make(arm)
    for fragment in fragments:
        assert fragment in str(caught.value)
