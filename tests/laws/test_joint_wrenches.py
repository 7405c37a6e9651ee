"""Wrenches through joints are those of bodies kept apart, and pass through fixed links too."""

import dataclasses

import numpy as np
import pytest
from every_joint import FIGURES, UNTIED, case, each, times
from law_figures import PUPPET, assert_close, state

import arthron as ar


def cross_matrix(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def adjoint(T):
    """What takes twists from the world of a pose into its frame."""
    R, p = T[:3, :3], T[:3, 3]
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R.T
    X[3:, :3] = -R.T @ cross_matrix(p)
    return X


def maximal(model, q, qd, tau, f_ext):
    """(qdd, wrenches) of bodies that know nothing of each other but what their joints forbid.

    Unknown are all accelerations and all wrenches: Newton and Euler for each body, no acceleration
    where the joint allows none, and the joint force where it does. Gravity is a force.
    """
    tree, nb = model.tree, model.nb
    T, v = model.body_poses(q), model.body_velocities(q, qd)
    J, drift = model.body_jacobians(q), model.body_accelerations(q, qd, 0 * qd)
    A, b = np.zeros((12 * nb, 12 * nb)), np.zeros(12 * nb)
    X, S, c = [], [], []
    for i in range(nb):
        p, own = tree.parent[i + 1] - 1, slice(tree.v_start[i + 1], tree.v_start[i + 2])
        X.append(adjoint(np.linalg.inv(T[p]) @ T[i] if p >= 0 else T[i]))
        S.append(J[i][:, own])
        c.append(drift[i] - (X[i] @ drift[p] if p >= 0 else 0.0))
        acceleration, wrench = slice(6 * i, 6 * i + 6), slice(6 * (nb + i), 6 * (nb + i) + 6)
        above = slice(6 * p, 6 * p + 6)
        m, h, Io = tree.I[i + 1]
        I = np.block([[np.array(Io), cross_matrix(h)], [-cross_matrix(h), m * np.eye(3)]])
        w, u = cross_matrix(v[i, :3]), cross_matrix(v[i, 3:])
        momentum = np.block([[w, u], [np.zeros((3, 3)), w]]) @ I @ v[i]
        fall = np.concatenate([np.zeros(3), T[i, :3, :3].T @ model.gravity])
        A[acceleration, acceleration], A[acceleration, wrench] = I, -np.eye(6)
        b[acceleration] = f_ext[i] + I @ fall - momentum
        if p >= 0:  # what the parent gets back
            A[above, wrench] += X[i].T
        moves, inverse = S[i].shape[1], np.linalg.pinv(S[i])
        still = np.linalg.svd(S[i])[0][:, moves:].T  # motions that the joint forbids
        rotor = np.diag(tree.armature[i + 1]) @ inverse
        rows = np.concatenate([rotor, still])
        A[wrench, acceleration] = rows
        if p >= 0:
            A[wrench, above] = -rows @ X[i]
        A[wrench.start : wrench.start + moves, wrench] = S[i].T
        b[wrench] = np.concatenate([tau[own] + rotor @ c[i], still @ c[i]])
    a, f = np.linalg.solve(A, b).reshape(2, nb, 6)
    parents = [tree.parent[i + 1] - 1 for i in range(nb)]
    relative = [a[i] - (X[i] @ a[p] if p >= 0 else 0.0) - c[i] for i, p in enumerate(parents)]
    return np.concatenate([np.linalg.pinv(s) @ x for s, x in zip(S, relative, strict=True)]), f


@each(UNTIED)
def test_wrenches_of_bodies_kept_apart(name):
    """Minus G^T lambda of the maximal form, and the joint's own force."""
    model, given = UNTIED[name], case(name)
    arrays = [given[n] for n in ("q", "qd", "tau", "f_ext")]
    q, qd, tau, f_ext = arrays
    qdd = ar.evaluate(ar.algorithms.forward_dynamics, model, q, qd, tau, f_ext)
    local = ar.evaluate(WRENCHES["local"], model, q, qd, qdd, f_ext)
    for k in range(len(q)):
        theirs, wrenches = maximal(model, *(x[k] for x in arrays))
        assert_close(qdd[k], theirs, 1e-9)
        assert_close(local[k], wrenches, 1e-9)


def wrenches_in(axes):
    def page(tree, q, qd, qdd, f_ext):
        return ar.algorithms.joint_wrenches(tree, q, qd, qdd, f_ext, axes=axes)

    return page


WRENCHES = {axes: wrenches_in(axes) for axes in ("local", "world_aligned", "world")}


@each(FIGURES)
def test_axes_of_wrenches(name):
    """[R n; R f] at the body, [R n + p x R f; R f] at the world's origin."""
    model, given = FIGURES[name], [case(name)[n] for n in ("q", "qd", "qdd", "f_ext")]
    local, aligned, world = (ar.evaluate(page, model, *given) for page in WRENCHES.values())
    T = ar.evaluate(ar.algorithms.poses, model, given[0])
    R, p = T[..., :3, :3], T[..., :3, 3]
    n, f = times(R, local[..., :3]), times(R, local[..., 3:])
    assert_close(aligned, np.concatenate([n, f], -1), 1e-13)
    assert_close(world, np.concatenate([n + np.cross(p, f), f], -1), 1e-13)


def test_method_and_hybrid_dynamics_give_the_same():
    """Given qdd at some joints and tau at the others, as a third result (S19 Alg. 9)."""
    q, qd, qdd, tau, f_ext = state(PUPPET)
    for prescribed in ((), ("arm", "disc")):
        found, forces, wrenches = PUPPET.hybrid_dynamics(
            q, qd, qdd, tau, f_ext, prescribed=prescribed, wrenches="world"
        )
        assert_close(wrenches, PUPPET.joint_wrenches(q, qd, found, f_ext, axes="world"), 1e-12)
        assert_close(forces, PUPPET.inverse_dynamics(q, qd, found, f_ext), 1e-12)
    without = PUPPET.joint_wrenches(q, qd, qdd)
    assert_close(without, PUPPET.joint_wrenches(q, qd, qdd, 0 * f_ext), 1e-15)
    page = ar.algorithms.joint_wrenches  # in the axes of the method
    assert_close(without, ar.evaluate(page, PUPPET, q, qd, qdd, 0 * f_ext), 1e-12)


# Fixed links as bodies of their own

APART = PUPPET.unmerge(["post"])


def test_an_unmerged_link_changes_no_dynamics():
    q, qd, qdd, tau, _ = state(PUPPET)
    assert (APART.nb, APART.nq, APART.nv) == (PUPPET.nb + 1, PUPPET.nq, PUPPET.nv)
    assert APART.joint_names == PUPPET.joint_names
    given = {
        ("q",): ("crba", "momentum_matrix"),
        ("q", "qd"): ("coriolis_matrix", "closed_form_dq", "closed_form_dqd"),
        ("q", "qd", "qdd"): ("rnea", "closed_form_and_dot"),
        ("q", "qd", "tau"): ("aba",),
    }
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    for names, pages in given.items():
        for page in pages:
            each = [values[name] for name in names]
            ours, theirs = (
                ar.evaluate(getattr(ar.algorithms, page), model, *each) for model in (APART, PUPPET)
            )
            ours, theirs = (x if isinstance(x, dict) else {"": x} for x in (ours, theirs))
            for name, x in theirs.items():
                assert_close(ours[name], x, 1e-13)


def test_wrench_through_a_fixed_joint_is_that_of_one_which_moves_and_is_kept_still():
    hinge = [
        ar.Body("post", ar.Revolute("y"), b.parent, b.placement, shapes=b.shapes)
        if b.name == "post"
        else b
        for b in PUPPET.links
    ]
    hinged = ar.Model(hinge, gravity=PUPPET.gravity)
    q, qd, qdd, *_ = state(PUPPET)
    at = hinged.slice_q("post").start
    still = [np.insert(q, at, 0.0, -1), *(np.insert(x, at, 0.0, -1) for x in (qd, qdd))]
    f_ext = np.random.default_rng(1).normal(size=(len(q), APART.nb, 6))
    ours = ar.evaluate(WRENCHES["local"], APART, q, qd, qdd, f_ext)
    theirs = ar.evaluate(WRENCHES["local"], hinged, *still, f_ext)
    assert_close(ours, theirs, 1e-13)
    sensor = ar.evaluate(ar.sensors.joint_wrench(APART, "post"), APART, q, qd, qdd, f_ext)
    assert_close(sensor, theirs[:, APART.body_names.index("post")], 1e-13)


def test_what_holds_the_base_is_the_weight_of_all():
    """At rest, through the joint that fixes the base to the world."""
    stand = ar.Body("stand", ar.Fixed(), shapes=[ar.Box((1, 1, 1), mass=5)])
    roots = [dataclasses.replace(b, parent=b.parent or "stand") for b in PUPPET.links]
    model = ar.Model([stand, *roots]).unmerge("stand")
    q = model.random(0)
    rest = np.zeros(model.nv)
    f = ar.evaluate(WRENCHES["world"], model, q, rest, rest, np.zeros((model.nb, 6)))[0]
    center = ar.evaluate(ar.algorithms.center_of_mass, model, q)
    weight = -model.mass * np.array(model.gravity)
    assert model.mass == pytest.approx(PUPPET.mass + 5)
    assert_close(f, [*np.cross(center, weight), *weight], 1e-13)


HELD = ar.Model(
    [
        ar.Body("stand", ar.Fixed(), shapes=[ar.Sphere(0.1)], merged=False),
        ar.Body("arm", ar.Revolute("x"), "stand", shapes=[ar.Sphere(0.1)]),
    ]
)


def test_a_root_floats_on_a_stand_too():
    free = dataclasses.replace(HELD.links[1], joint=ar.Free())
    model = ar.Model([HELD.links[0], free])
    scene = ar.Scene(model, controller=ar.controllers.pd(model.neutral(), 1.0, 1.0, root=False))
    run = ar.simulate(scene, 0.01, 0.01, qd=np.ones(6), record={"tau": lambda tree, tau: tau})
    assert_close(run["tau"], np.zeros_like(run["tau"]), 0.0)


def test_shapes_of_a_figure_without_coordinates():
    model = ar.Model(HELD.links[:1])
    none = np.zeros(0)
    page = ar.algorithms.jacobians_dot_dq
    assert ar.evaluate(page, model, none, none).shape == (1, 6, 0, 0)
    assert ar.evaluate(WRENCHES["local"], model, none, none, none).shape == (1, 6)


# Along a run


def test_wrenches_along_a_run_are_those_that_are_recorded():
    """With a spring on a link that is fixed to another, of a batch, and tau from outside."""
    rod = ar.Capsule(0.05, 1.0, mass=1.0, placement=(0, 0.1, -0.5))
    hang = (0.0, 0.0, -1.0)
    model = ar.Model(
        [
            ar.Body("upper", ar.Revolute("y"), shapes=[rod]),
            ar.Body("lower", ar.Universal("y", "x"), parent="upper", placement=hang, shapes=[rod]),
            ar.Body(
                "hand", ar.Fixed(), parent="lower", placement=hang, shapes=[ar.Sphere(0.1, mass=1)]
            ),
        ]
    ).unmerge("hand")
    spring = ar.forces.Spring((None, (0.5, 0, 0)), ("hand", (0, 0, 0)), 30.0, rest=0.2)
    scene = ar.Scene(model, [spring])
    record = {name: ar.sensors.joint_wrench(model, name) for name in ("lower", "hand")}
    record = {f"at {name}": page for name, page in record.items()}
    tau = np.array([0.3, -0.2, 0.1])
    start = np.array([[0.3, 0.2, 0.1], [0.5, -0.4, 0.2]])
    run = ar.simulate(scene, 0.03, 0.01, start={"q": start}, tau=tau, record=record)
    found = run.joint_wrenches(scene, tau=tau)
    assert found.shape == (2, len(run), model.nb, 6)
    assert_close(found[..., 1, :], run["at lower"], 1e-12)
    assert_close(found[..., 2, :], run["at hand"], 1e-12)
    assert np.abs(found - run.joint_wrenches(scene)).max() > 0.01
    aligned = run.joint_wrenches(scene, tau=tau, axes="world_aligned")
    R = model.body_poses(run.q)[..., :3, :3]
    assert_close(aligned[..., 3:], times(R, found[..., 3:]), 1e-12)
    words = r"`tau` has shape \(3, 3\), and the trajectory 4 states. Give .*, \(..., 4, 3\)"
    with pytest.raises(ar.ShapeError, match=words):
        run.joint_wrenches(scene, tau=np.tile(tau, (3, 1)))
    for ask in (run.joint_wrenches, run.acted):
        with pytest.raises(ar.SimulationError, match=r"`scene` is a Model. Give the `ar.Scene`"):
            ask(model)  # type: ignore[arg-type]


# Bad input


def test_messages():
    with pytest.raises(ar.ModelError, match=r"'pst' of `puppet` is no link.*Nearest: 'post'"):
        PUPPET.unmerge(["pst"])
    with pytest.raises(ar.ModelError, match="'arm' of `puppet` moves, and is a body already"):
        PUPPET.unmerge("arm")
    with pytest.raises(ar.ModelError, match=r"`merged` of body 'a' is 'no'. Give True or False"):
        ar.Body("a", ar.Fixed(), merged="no")  # type: ignore[arg-type]
    twins = ar.Model([*PUPPET.links, ar.Body("pad", ar.Fixed(), "post", joint_name="arm")])
    with pytest.raises(ar.ModelError, match=r"has several joints called 'arm'. Names must differ"):
        twins.unmerge("pad")
    with pytest.raises(ar.ShapeError, match=r"needs \(..., 1\): 1 revolute joints"):
        HELD.gravity_forces(np.zeros(2))
    with pytest.raises(ar.ModelError, match=r"take `model.unmerge\('post'\)`"):
        ar.sensors.joint_wrench(PUPPET, "post")
    arm = [ar.Body("arm", ar.Revolute("y"), shapes=[ar.Sphere(0.1)]),
           ar.Body("hand", ar.Fixed(), "arm", joint_name="wrist")]  # fmt: skip
    with pytest.raises(ar.ModelError, match=r"take `model.unmerge\('hand'\)`"):
        ar.sensors.joint_wrench(ar.Model(arm), "hand")
    with pytest.raises(ar.ModelError, match=r"`wrenches` is True.*must be one of 'local'"):
        PUPPET.hybrid_dynamics(*state(PUPPET), prescribed=(), wrenches=True)  # type: ignore[arg-type]
    with pytest.raises(ar.ModelError, match=r"`axes` is 'body'.*must be one of 'local'"):
        PUPPET.joint_wrenches(*state(PUPPET)[:3], axes="body")
