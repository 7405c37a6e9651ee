"""Distances between links of a figure: which are looked at, what they are, how they change."""

import numpy as np
import pytest
from collision_cases import coal_distances

import arthron as ar
from arthron.errors import ModelError, ShapeError

CAPSULE = ar.Capsule(0.05, 0.4, placement=(0.0, 0.0, 0.2))
BALL = [ar.Sphere(0.1)]


def arm(**more):
    """A floor, a wall, and an arm with a hand and a finger that is fixed to it."""
    return ar.Model(
        [
            ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()]),
            ar.Body("wall", ar.Fixed(), placement=(0.9, 0.0, 1.0), shapes=[ar.Box((0.1, 2, 2))]),
            ar.Body("upper", ar.Spherical(), placement=(0, 0, 1.0), shapes=[CAPSULE]),
            ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, 0.4), shapes=[CAPSULE]),
            ar.Body("hand", ar.Universal(), "lower", (0, 0, 0.45), shapes=BALL),
            ar.Body(
                "finger", ar.Fixed(), "hand", (0.05, 0, 0.15), inertia=ar.Inertia(),
                collision=[ar.Cylinder(0.02, 0.1), ar.Sphere(0.03, placement=(0, 0, 0.05))],
            ),
        ],
        **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return arm()


PAIRS = [
    ("floor", "upper"), ("floor", "lower"), ("floor", "hand"), ("floor", "finger"),
    ("wall", "upper"), ("wall", "lower"), ("wall", "hand"), ("wall", "finger"),
    ("upper", "hand"), ("upper", "finger"),
]  # fmt: skip


def test_neighbours_do_not_meet_nor_what_is_fixed_to_them(model):
    assert list(model.collision_pairs()) == PAIRS
    still = ar.Model([
        ar.Body("base", ar.Fixed(), shapes=BALL),
        ar.Body("plate", ar.Fixed(), "base", shapes=BALL),
        ar.Body("arm", ar.Revolute("z"), "plate", shapes=BALL),
        ar.Body("table", ar.Fixed(), shapes=BALL),
        ar.Body("free", ar.Free(), shapes=BALL, collision=[]),
    ])  # fmt: skip
    assert still.collision_pairs() == (("arm", "table"),)


def test_distances_are_those_of_shapes(model):
    q = model.random(1, 40)
    found = model.distances(q)
    assert found.pairs == tuple(PAIRS)
    ends = found.points[..., 0, :] - found.points[..., 1, :]
    np.testing.assert_allclose(ends, found.gap[..., None] * found.normal, atol=1e-12)
    hand, finger = model.frame_pose(q, "hand"), model.frame_pose(q, "finger")
    np.testing.assert_allclose(found.gap[:, 2], hand[:, 2, 3] - 0.1, atol=1e-12)
    upper = model.frame_pose(q, "upper")

    def numbers(poses, offset):
        from_matrix = ar.spatial.quaternion_from_matrix
        rows = [from_matrix(ar.spatial.Mat3.from_rows(p[:3, :3])) for p in poses]
        return np.hstack([(poses @ [*offset, 1.0])[:, :3], rows])

    x = numbers(upper, (0, 0, 0.2))
    others = [
        coal_distances(CAPSULE, ar.Cylinder(0.02, 0.1), x, numbers(finger, (0, 0, 0)))[0],
        coal_distances(CAPSULE, ar.Sphere(0.03), x, numbers(finger, (0, 0, 0.05)))[0],
    ]
    np.testing.assert_allclose(found.gap[:, 9], np.minimum(*others), atol=1e-6)
    one = model.distances(q[3], pairs=[("hand", "upper")])
    np.testing.assert_allclose(one.gap, found.gap[3, 8:9], atol=1e-12)
    np.testing.assert_allclose(one.normal, -found.normal[3, 8:9], atol=1e-12)


def test_jacobians_are_slopes_of_gaps(model):
    q, e = model.random(2, 12), 1e-4
    J = model.distance_jacobian(q)
    ways = e * np.eye(model.nv)
    ahead, behind = (
        model.distances(model.integrate(q[:, None], s * ways)).gap for s in (1.0, -1.0)
    )
    slopes = np.swapaxes(ahead - behind, 1, 2) / (2.0 * e)
    twice = np.swapaxes(ahead + behind, 1, 2) - 2.0 * model.distances(q).gap[..., None]
    smooth = np.abs(twice) < 1e-5 * e * 100  # other pairs of points are not nearest on one side
    assert smooth.mean() > 0.9
    np.testing.assert_allclose(J[smooth], slopes[smooth], atol=2e-4)


def test_collisions_are_gaps_below_a_margin(model):
    q = model.random(3, 50)
    gap = model.distances(q).gap
    np.testing.assert_array_equal(model.collisions(q), gap < 0.0)
    np.testing.assert_array_equal(model.collisions(q, margin=0.2), gap < 0.2)
    assert 0 < model.collisions(q).sum() < gap.size


def test_groups_are_lists_of_links(model):
    q = model.neutral()
    found = model.distances(q, pairs=[("floor", ["hand", "finger"]), ("hand", "floor")])
    assert found.pairs == (("floor", "hand"), ("floor", "finger"))


@pytest.mark.parametrize(
    "pairs, message",
    [
        ("hand", "`pairs` is 'hand'. Give a list of pairs"),
        ([("hand",)], "`pairs` has \\('hand',\\). Give a list of pairs"),
        ([(1, "hand")], "`pairs` has \\(1, 'hand'\\). Give a list of pairs"),
        ([], "`pairs` is \\[\\] and names no two links"),
        ([("hand", [])], "and names no two links. Give a list of pairs"),
        ([("hnd", "wall")], "no link 'hnd' in `model`. Nearest: 'hand'"),
        ([("hand", "finger")], "are parts of one body"),
    ],
)
def test_pairs_that_cannot_be(model, pairs, message):
    with pytest.raises(ModelError, match=message):
        model.distances(model.neutral(), pairs=pairs)
    alone = ar.Model([ar.Body("a", shapes=BALL), ar.Body("b", parent="a", armature=1.0)])
    with pytest.raises(ModelError, match="no two links of `model` may meet"):
        alone.distances(alone.neutral())
    with pytest.raises(ModelError, match="'b' of `model` has no shapes to meet"):
        alone.distances(alone.neutral(), pairs=[("a", "b")])


def test_numbers_that_are_none_are_told_of(model):
    """Nothing is near anything there: no gap, and no collision, would be the answer."""
    q = np.tile(model.neutral(), (3, 1))
    q[1, 2] = np.nan
    for ask in (model.distances, model.distance_jacobian, model.collisions):
        with pytest.raises(ShapeError, match=r"`q` has nan at \(1, 2\). Give finite numbers"):
            ask(q)
    with pytest.raises(ShapeError, match="`margin` has nan at"):
        model.collisions(q[0], margin=np.nan)


def test_inverse_kinematics_keeps_clear():
    model = arm()
    goal = ar.ik.Point("hand", [0.7, 0.1, 1.2])
    pairs = [("wall", ["upper", "lower", "hand"]), ("upper", "hand")]
    clear = ar.ik.solve(model, [goal, ar.ik.Clearance(0.05, pairs)])
    assert clear.solved and model.distances(clear.q, pairs=pairs).gap.min() > 0.05 - 1e-6
    near = ar.ik.solve(model, [ar.ik.Point("hand", [0.84, 0.1, 1.2]), ar.ik.Clearance(0.05, pairs)],
                       restarts=2)  # fmt: skip
    assert not near.solved


def test_collision_shapes_go_through_files(tmp_path):
    body = ar.Body("a", shapes=[ar.Box((1, 1, 1))], collision=[ar.Sphere(0.5, placement=(0, 0, 1))])
    other = ar.Body("b", shapes=[ar.Box((1, 1, 1))], parent="a")
    ar.Model([body, other]).save_urdf(tmp_path / "r.urdf")
    a, b = ar.load(tmp_path / "r.urdf").links[-2:]
    assert a.collision == (ar.Sphere(0.5, placement=(0, 0, 1), mass=0.0),)
    assert b.collision == b.shapes == (ar.Box((1, 1, 1), mass=0.0),)
    assert ar.Model([body, other]).lock(["a"], [0.0, 0.0]).links[0].collision == body.collision


def test_a_shape_of_ones_own_is_told_of():
    class Blob(ar.Sphere.__mro__[1]):
        sizes = ()

        def volume(self):
            return 1.0

        def own_inertia(self, m):
            return ar.Sphere(0.1).own_inertia(m)

    bodies = [ar.Body(n, ar.Free(), shapes=[x]) for n, x in (("a", ar.Sphere(0.1)), ("b", Blob()))]
    model = ar.Model(bodies)
    with pytest.raises(ar.ModelError, match=r"Blob is a kind .* `collision="):
        model.distances(model.neutral())
