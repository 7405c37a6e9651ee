"""The model as an object: what it shows, what it keeps, and that it does not change."""

import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, state

import arthron as ar
from arthron._algorithms import kinematics
from arthron._model.model import ELSEWHERE
from arthron.algorithms import (
    center_of_mass,
    crba,
    gravity_forces,
    kinetic_energy,
    momentum,
    poses,
    rnea,
)

CART_POLE = ar.Model(
    [
        ar.Body("cart", ar.Prismatic("x"), lower=-2, upper=2, effort=10, velocity=3, damping=0.5,
                shapes=[ar.Box((1, 0.5, 0.2), mass=3)]),
        ar.Body("pole", ar.Revolute("y"), parent="cart", joint_name="hinge", armature=0.1,
                shapes=[ar.Capsule(0.05, 1.0, mass=0.5, placement=(0, 0, 0.5))]),
        ar.Body("tip", ar.Fixed(), parent="pole", placement=(0, 0, 1),
                shapes=[ar.Sphere(0.1, mass=0.25)]),
        ar.Body("ball", ar.Spherical(), parent="tip", friction=(0.1, 0.2, 0.3),
                shapes=[ar.Sphere(0.1, mass=1)]),
        ar.Body("flag", ar.Revolute((1, 1, 0)), parent="cart", lower=0,
                shapes=[ar.Sphere(0.1, mass=0.125)]),
    ],
    name="cart_pole",
)  # fmt: skip

DRAWN = """\
cart_pole: 4 bodies, nq 7, nv 6, 4.875 kg, 5 frames
base
└─ cart        prismatic x                 [-2, 2]       3 kg
   ├─ pole     revolute y  hinge                      0.75 kg
   │  └─ ball  spherical                                 1 kg
   └─ flag     revolute (0.707, 0.707, 0)  [0, inf]  0.125 kg"""

INF = np.inf


def test_drawn():
    assert repr(CART_POLE) == DRAWN


def test_a_long_figure_is_drawn_in_part():
    lines = repr(ar.random_tree(75)).splitlines()
    assert len(lines) == 63
    assert lines[-1] == "... and 15 more bodies"


def test_sizes_and_names():
    assert (CART_POLE.nb, CART_POLE.nq, CART_POLE.nv) == (4, 7, 6)
    assert CART_POLE.body_names == ("cart", "pole", "ball", "flag")
    assert CART_POLE.joint_names == ("cart", "hinge", "ball", "flag")
    assert CART_POLE.frame_names == ("cart", "pole", "tip", "ball", "flag")
    assert CART_POLE.mass == 4.875
    assert [b.name for b in CART_POLE.bodies] == list(CART_POLE.body_names)


def test_bodies_may_come_in_any_order():
    shuffled = [CART_POLE.links[k] for k in (3, 1, 4, 2, 0)]
    model = ar.Model(shuffled)
    assert set(model.body_names) == set(CART_POLE.body_names)
    for i in model.tree.bodies:
        assert model.tree.parent[i] < i
    q = CART_POLE.random(1)
    p = np.empty_like(q)
    for name in model.joint_names:
        p[model.slice_q(name)] = q[CART_POLE.slice_q(name)]
    ours, theirs = ar.evaluate(poses, model, p), ar.evaluate(poses, CART_POLE, q)
    for k, name in enumerate(model.body_names):
        assert np.array_equal(ours[k], theirs[CART_POLE.body_names.index(name)])


def test_slices():
    assert CART_POLE.slice_q("hinge") == slice(1, 2)
    assert CART_POLE.slice_q("ball") == slice(2, 6)
    assert CART_POLE.slice_q("flag") == slice(6, 7)
    assert CART_POLE.slice_qd("ball") == slice(2, 5)
    assert CART_POLE.slice_qd("flag") == slice(5, 6)
    with pytest.raises(ar.ModelError, match=r"no joint 'hing' in `cart_pole`\. Nearest: 'hinge'"):
        CART_POLE.slice_q("hing")


def test_data_of_joints():
    expected = {
        "q_lower": [-2, -INF, *[-INF] * 4, 0],
        "q_upper": [2, INF, *[INF] * 4, INF],
        "velocity_limit": [3, *[INF] * 5],
        "effort_limit": [10, *[INF] * 5],
        "damping": [0.5, 0, 0, 0, 0, 0],
        "friction": [0, 0, 0.1, 0.2, 0.3, 0],
        "armature": [0, 0.1, 0, 0, 0, 0],
    }
    for name, values in expected.items():
        assert getattr(CART_POLE, name).tolist() == values, name


def test_neutral_and_random():
    assert CART_POLE.neutral().tolist() == [0, 0, 1, 0, 0, 0, 0]
    q = np.stack([CART_POLE.random(seed) for seed in range(200)])
    assert np.all(np.abs(q[:, 0]) <= 2)
    assert np.abs(q[:, 0]).max() > 1.8
    assert np.all(np.abs(q[:, 1]) <= np.pi)
    assert np.ptp(q[:, 1]) > 6
    assert_close(np.linalg.norm(q[:, 2:6], axis=-1), np.ones(200), 1e-15)
    assert np.array_equal(CART_POLE.random(3), CART_POLE.random(np.random.default_rng(3)))
    assert not np.array_equal(CART_POLE.random(3), CART_POLE.random(4))


def test_neutral_is_where_frames_agree():
    T = ar.evaluate(poses, PUPPET, PUPPET.neutral())
    for i in PUPPET.tree.bodies:
        p = PUPPET.tree.parent[i]
        T_parent = T[p - 1] if p else np.eye(4)
        assert_close(T[i - 1], T_parent @ np.array(PUPPET.tree.Xtree[i].matrix()), 1e-14)


def test_replace():
    moon = CART_POLE.replace(gravity=(0, 0, -1.62))
    assert moon.gravity.tolist() == [0, 0, -1.62]
    assert (moon.name, moon.joint_names) == ("cart_pole", CART_POLE.joint_names)
    assert CART_POLE.gravity.tolist() == [0, 0, -9.81]
    q = CART_POLE.random(1)[None]
    g, g_moon = (ar.evaluate(gravity_forces, m, q) for m in (CART_POLE, moon))
    assert np.abs(g).max() > 1
    assert_close(g_moon, g * 1.62 / 9.81, 1e-14)
    native = [m.gravity_forces(q) for m in (CART_POLE, moon)]
    assert_close(native[1], native[0] * 1.62 / 9.81, 1e-14)
    named = moon.replace(name="lander")
    assert (named.name, named.gravity.tolist()) == ("lander", [0, 0, -1.62])
    assert repr(named).startswith("lander: 4 bodies")


def test_pickled():
    CART_POLE.mass_matrix(CART_POLE.neutral())  # compiled code does not travel
    again = pickle.loads(pickle.dumps(CART_POLE))
    assert again.tree == CART_POLE.tree
    assert again.tree.digest() == CART_POLE.tree.digest()
    assert repr(again) == DRAWN
    q = CART_POLE.random(2)
    assert np.array_equal(again.mass_matrix(q), CART_POLE.mass_matrix(q))
    warned = ar.random_tree(3, rng=2).replace(gravity=(1, 2, 3))
    assert pickle.loads(pickle.dumps(warned)).gravity.tolist() == [1, 2, 3]


def test_frozen():
    with pytest.raises(ar.ModelError, match=r"do not change; `model.replace\(gravity=\.\.\.\)`"):
        CART_POLE.gravity = (0, 0, 0)
    with pytest.raises(ar.ModelError):
        CART_POLE.anything = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        CART_POLE.tree.parent = ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        CART_POLE.bodies[0].name = "other"


NUMBERS = ("gravity", "q_lower", "q_upper", "velocity_limit", "effort_limit", "damping", "friction",
           "armature")  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_a_model_are_read_only(name):
    """What is written to them would be lost: each call gives them anew."""
    with pytest.raises(ValueError, match="read-only"):
        getattr(CART_POLE, name)[:] = 7.0


def test_a_misspelt_method_gets_the_nearest_name():
    with pytest.raises(AttributeError, match=r"has no 'invers_dynamics'. Nearest: 'inverse_dyn"):
        CART_POLE.invers_dynamics  # noqa: B018
    with pytest.raises(AttributeError, match=r"no 'rnea'. Here it is 'inverse_dynamics'"):
        CART_POLE.rnea  # noqa: B018
    assert not hasattr(CART_POLE, "_repr_pdf_")


def test_names_from_elsewhere_lead_to_what_there_is():
    assert set(ELSEWHERE.values()) <= set(dir(ar.Model))


def test_inputs_are_copied():
    gravity, lower = [0.0, 0.0, -1.0], np.array([-1.0])
    model = ar.Model([ar.Body("a", lower=lower, shapes=[ar.Sphere(1.0)])], gravity=gravity)
    gravity[2] = lower[0] = 5.0
    assert model.gravity.tolist() == [0, 0, -1]
    assert model.replace(name="b").gravity.tolist() == [0, 0, -1]
    assert model.q_lower.tolist() == [-1]


def test_methods_say_what_they_take():
    for method in ("inverse_dynamics", "mass_matrix", "body_poses", "integrate"):
        function = getattr(CART_POLE, method)
        assert function.__name__ == method
        assert function.__doc__ == getattr(ar.Model, method).__doc__
        declared = list(inspect.signature(getattr(ar.Model, method)).parameters)[1:]
        assert list(inspect.signature(function).parameters) == declared


def test_evaluate_one_state_or_many():
    q, qd, qdd, *_ = state(CART_POLE)
    for page, given in [(crba, (q,)), (rnea, (q, qd, qdd)), (kinetic_energy, (q, qd))]:
        many = ar.evaluate(page, CART_POLE, *given)
        for k in range(len(q)):
            one = ar.evaluate(page, CART_POLE, *(x[k] for x in given))
            assert one.shape == many.shape[1:]
            assert_close(one, many[k], 1e-14)
        grid = ar.evaluate(page, CART_POLE, *(x.reshape(2, 2, -1) for x in given))
        assert np.array_equal(grid.reshape(many.shape), many)


def test_evaluate_broadcasts():
    q, qd, qdd, *_ = state(CART_POLE)
    one = ar.evaluate(rnea, CART_POLE, q[0], qd, qdd[:, None])
    full = ar.evaluate(rnea, CART_POLE, np.broadcast_to(q[0], (4, 4, 7)), *np.broadcast_arrays(
        qd, qdd[:, None]))  # fmt: skip
    assert one.shape == (4, 4, 6)
    assert np.array_equal(one, full)


def test_evaluate_refuses_other_shapes():
    q = CART_POLE.neutral()
    with pytest.raises(ar.ShapeError, match=r"`q` has shape \(6,\)"):
        ar.evaluate(crba, CART_POLE, q[:6])
    zero = np.zeros(6)
    with pytest.raises(ar.ShapeError, match=r"`f_ext` has shape \(6, 4\)"):
        ar.evaluate(rnea, CART_POLE, q, zero, zero, np.zeros((6, 4)))


def test_frames_by_name():
    q = CART_POLE.random(5)
    T = CART_POLE.body_poses(q)
    assert_close(CART_POLE.frame_pose(q, "pole"), T[1], 1e-15)
    tip = T[1] @ np.array(ar.pose((0, 0, 1)).matrix())
    assert_close(CART_POLE.frame_pose(q, "tip"), tip, 1e-14)
    J = CART_POLE.body_jacobians(q)
    assert_close(CART_POLE.jacobian(q, "pole"), J[1], 1e-14)
    with pytest.raises(ar.ModelError, match=r"no body or frame 'tipp' .* Nearest: 'tip'"):
        CART_POLE.frame_pose(q, "tipp")
    with pytest.raises(ar.ModelError, match="`axes` is 'word'"):
        CART_POLE.jacobian(q, "tip", axes="word")


def test_fixed_parts_are_one_body():
    """Parts on parts, each turned, against one body whose shapes stand where the parts are."""
    a, b, c = (ar.pose((0.1, 0.2 * k, 0.3), (0.5 * k, 0.4, -0.3)) for k in (1, 2, 3))
    bone, knob = ar.Capsule(0.05, 1.0, placement=a), ar.Box((0.1, 0.2, 0.3), placement=b)
    parts = ar.Model(
        [
            ar.Body("arm", ar.Revolute("x"), shapes=[bone]),
            ar.Body("hand", ar.Fixed(), parent="arm", placement=b, shapes=[bone]),
            ar.Body("thumb", ar.Fixed(), parent="hand", placement=c, shapes=[knob]),
            ar.Body("nail", ar.Prismatic("y"), parent="thumb", placement=a, shapes=[knob]),
        ]
    )
    on_hand, on_thumb = (
        dataclasses.replace(shape, placement=shape.placement @ X)
        for shape, X in ((bone, b), (knob, c @ b))
    )
    one = ar.Model(
        [
            ar.Body("arm", ar.Revolute("x"), shapes=[bone, on_hand, on_thumb]),
            ar.Body("nail", ar.Prismatic("y"), parent="arm", placement=a @ c @ b, shapes=[knob]),
        ]
    )
    q, qd, qdd, *_ = state(parts)
    for page, given in [(poses, (q,)), (crba, (q,)), (rnea, (q, qd, qdd))]:
        assert_close(ar.evaluate(page, parts, *given), ar.evaluate(page, one, *given), 1e-14)
    T = ar.evaluate(poses, parts, q)
    B, C, A = (np.array(X.matrix()) for X in (b, c, a))
    assert_close(T[2, 1], T[2, 0] @ B @ C @ A, 1e-14)  # where the nail's slider is at zero
    assert_close(parts.frame_pose(q, "thumb"), T[:, 0] @ B @ C, 1e-14)


def test_a_figure_that_cannot_move():
    """All fixed: no coordinates, and arrays that are empty but of the declared shapes."""
    model = ar.Model([ar.Body("rock", ar.Fixed(), shapes=[ar.Sphere(1.0)])])
    assert (model.nb, model.nq, model.nv, model.frame_names) == (0, 0, 0, ("rock",))
    assert repr(model) == "model: 0 bodies, nq 0, nv 0, 0 kg, 1 frames\nbase"
    nothing = np.zeros(0)
    assert model.neutral().shape == model.random(1).shape == (0,)
    for page, shape in [
        (kinematics.poses, (0, 4, 4)),
        (kinematics.jacobians, (0, 6, 0)),
        (crba, (0, 0)),
        (gravity_forces, (0,)),
    ]:
        assert ar.evaluate(page, model, nothing).shape == shape
    assert ar.evaluate(kinematics.velocities, model, nothing, nothing).shape == (0, 6)
    assert model.mass_matrix(np.zeros((5, 0))).shape == (5, 0, 0)
    assert model.body_jacobians(nothing).shape == (0, 6, 0)
    assert ar.evaluate(momentum, model, nothing, nothing).tolist() == [0.0] * 6
    assert ar.evaluate(center_of_mass, model, nothing).tolist() == [0, 0, 0]  # as Inertia().com()
    assert model.frame_pose(nothing, "rock").tolist() == np.eye(4).tolist()
