"""Figures and scenes that simulations are tried on, and what to hold their motion against."""

import functools

import numpy as np

import arthron as ar
from arthron import forces
from arthron._figure.random import KINDS
from arthron._scene.system import State
from arthron.spatial import Vec3, rotation

NATIVE = ("explicit Euler", "semi-implicit Euler", "implicit Euler")
NEWTON = ("BDF1", "BDF2", "variational")
ORDERS = {name: 1 for name in (*NATIVE, "BDF1")} | {"BDF2": 2, "leapfrog": 2, "variational": 2}
ALL = (*ORDERS, "Runge-Kutta")
AXIS = np.array([0.48, -0.6, 0.64])
TURNED = ar.pose((0.3, -0.1, 0.2), (0.4, -0.3, 1.1))


def rolling(q):
    """A shin that rolls on the round end of the thigh."""
    R = rotation(Vec3(0.0, 1.0, 0.0), q[0] + 0.1 * q[0] * q[0])
    return R, Vec3(0.06 * q[0], 0.01 * q[0], -0.05 * ar.cos(q[0])) + R @ Vec3(0.0, 0.0, -0.4)


POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 2)]
JOINTS = {kind: make(AXIS) for kind, make in KINDS.items()} | {
    "euler xzx": ar.Euler("xzx"),
    "charts zyx": ar.Euler("zyx", charts=True),
    "curve": ar.SplineCurve(POINTS),
    "cyclic curve": ar.SplineCurve(POINTS, cyclic=True),
    "custom": ar.Custom(rolling, start=(0.2,)),
}
"""Every kind of joint, by what to call it."""


def one_body(joint):
    """A body off its axes behind a joint, in a frame turned from the world."""
    box = ar.Box((0.3, 0.2, 0.5), mass=1.5, placement=ar.pose((0.1, -0.05, 0.2), (0.3, 0.2, 1)))
    return ar.Model([ar.Body("body", joint, placement=TURNED, shapes=[box])])


def simulate(scene, duration, step, integrator="semi-implicit Euler", *, tolerance=None,
             slopes=None, **more):  # fmt: skip
    """`ar.simulate` without a bar, with options of the integrators that have them."""
    if tolerance is not None and integrator == "Runge-Kutta":
        integrator = ar.integrators.RungeKutta(tolerance)
    if slopes is not None:
        integrator = ar.integrators.ImplicitEuler(slopes)
    return ar.simulate(scene, duration, step, integrator=integrator, progress=False, **more)


@functools.cache
def figure():
    """Two branches in space: ball, oblique hinge, universal joint, hinge, and a link fixed on."""
    return ar.Model(
        [
            ar.Body("trunk", ar.Spherical(), placement=ar.pose((0, 0, 2), (0.2, 0.1, -0.4)),
                    shapes=[ar.Box((0.3, 0.2, 0.6), mass=3, placement=(0.1, 0.05, -0.3))],
                    damping=(0.3, 0.2, 0.1)),
            ar.Body("arm", ar.Revolute((1, 2, -2)), parent="trunk", placement=TURNED,
                    shapes=[ar.Capsule(0.1, 0.6, mass=1, placement=(0, 0.1, -0.4))],
                    joint_name="shoulder", armature=0.05),
            ar.Body("hand", ar.Universal("x", "z"), parent="arm", placement=(0, 0.1, -0.7),
                    shapes=[ar.Box((0.1, 0.2, 0.3), mass=0.7, placement=(0.05, 0.1, -0.2))]),
            ar.Body("pad", ar.Fixed(), parent="hand", placement=ar.pose((0.1, 0, -0.3), (1, 0, 2)),
                    shapes=[ar.Sphere(0.1, mass=0.2)]),
            ar.Body("leg", ar.Revolute("y"), parent="trunk", placement=(0.1, -0.2, -0.6),
                    shapes=[ar.Capsule(0.1, 0.8, mass=1.5, placement=(0.1, 0, -0.4))],
                    lower=-0.4, upper=0.7),
        ],
        name="puppet",
    )  # fmt: skip


@functools.cache
def hinges():
    """Three hinges that branch, one of them oblique: for what does not depend on the figure."""
    return ar.Model(
        [
            ar.Body("arm", ar.Revolute((1, 2, -2)), placement=TURNED, joint_name="shoulder",
                    shapes=[ar.Capsule(0.1, 0.6, mass=1, placement=(0, 0.1, -0.4))]),
            ar.Body("hand", ar.Revolute("x"), parent="arm", placement=(0, 0.1, -0.7),
                    shapes=[ar.Box((0.1, 0.2, 0.3), mass=0.7, placement=(0.05, 0.1, -0.2))]),
            ar.Body("pad", ar.Fixed(), parent="hand", placement=ar.pose((0.1, 0, -0.3), (1, 0, 2)),
                    shapes=[ar.Sphere(0.1, mass=0.2)]),
            ar.Body("leg", ar.Revolute("y"), parent="arm", placement=(0.1, -0.2, -0.6),
                    shapes=[ar.Capsule(0.1, 0.8, mass=1.5, placement=(0.1, 0, -0.4))]),
        ],
        name="hinges",
    )  # fmt: skip


@functools.cache
def follower():
    """A hand whose third finger does twice what the first does, the other way round."""
    finger = [ar.Capsule(0.05, 0.4, mass=0.3, placement=(0.02, 0.05, -0.2))]
    return ar.Model(
        [
            ar.Body("palm", ar.Universal("x", "y"), shapes=[ar.Box((0.3, 0.3, 0.1), mass=1)]),
            ar.Body("one", ar.Revolute("x"), "palm", (0.1, 0, -0.1), shapes=finger),
            ar.Body("two", ar.Prismatic("z"), "one", (0, 0, -0.4), shapes=finger),
            ar.Body("three", ar.Revolute((0, 1, 1)), "palm", (-0.1, 0.05, -0.1), shapes=finger,
                    mimic=ar.Mimic("one", -2.0, 0.1), damping=0.04),
        ],
        name="claw",
        mimic=True,
    )  # fmt: skip


def pulls():
    """Springs and dampers of every sort between links of the figure, none of them slack."""
    return [
        forces.Spring.per_strain(("pad", (0, 0.1, -0.1)), (None, (0.5, 0.3, 1.0)), 30.0, 0.4, 3.0),
        forces.PointToPoint(("arm", (0, 0.1, -0.3)), ("leg", (0.1, 0, -0.3)), 20.0, 1.0),
        forces.JointSpring("trunk", 5.0, 0.5, (0.9, 0.1, -0.3, 0.2)),
        forces.JointSpring("hand", (3.0, 2.0), (0.2, 0.1), (0.2, -0.3)),
        forces.BodyDamping("leg", 0.2),
        forces.PointForce("hand", (1.0, -2.0, 0.5), (0.1, 0.0, -0.3)),
    ]


@functools.cache
def sprung():
    """The figure with all of them."""
    return ar.Scene(figure(), pulls(), limits=False)


def start(model, seed=0, batch=(), speed=1.0):
    """(q, qd) at random, with axes of a batch."""
    rng = np.random.default_rng(seed)
    q = np.stack([model.random(rng) for _ in range(int(np.prod(batch)))])
    return q.reshape(*batch, model.nq), speed * rng.normal(size=(*batch, model.nv))


def exact(scene, duration, q, qd, pieces=4):
    """The motion at the end and at `pieces` - 1 times before, by Runge-Kutta."""
    return simulate(scene, duration, duration / pieces, "Runge-Kutta", q=q, qd=qd, tolerance=1e-12)


def apart(model, q0, q1):
    """How far two poses are from each other: largest entry of the bodies' matrices."""
    return np.abs(model.body_poses(q0) - model.body_poses(q1)).max()


def system(scene, tree):
    """What integrators know of a scene, with its numbers as they are."""
    setup = scene.setup()
    return setup.system(tree, setup.parameters.pack({}).tolist())


def pushes(scene, q, qd, t=0.0):
    """Joint forces that all of a scene's forces and its controller come to, (..., nv)."""

    @ar.takes(t=())
    def page(tree, q, qd, t):
        return system(scene, tree).loads(State(t, q, qd, {}))[:2]

    f_ext, tau = ar.evaluate(page, scene.model, q, qd, t)
    J = scene.model.body_jacobians(q)
    return tau + np.einsum("...bk,...bkv->...v", f_ext, J)


def potential(scene, q, t=0.0):
    """Energy of a scene's forces, without gravity."""
    qd = np.zeros((*q.shape[:-1], scene.model.nv))

    @ar.takes(t=())
    def page(tree, q, qd, t):
        return system(scene, tree).energy(State(t, q, qd, {}))

    return ar.evaluate(page, scene.model, q, qd, t)[1] - scene.model.potential_energy(q)


def by_motion(function, model, q, h=1e-4):
    """Derivative of function(q) by displacements of the joints, by differences of sixth order."""
    steps = h * np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
    weights = np.array([45.0, -9.0, 1.0, -45.0, 9.0, -1.0]) / (60.0 * h)
    e = np.einsum("k,ij->kij", steps, np.eye(model.nv))
    e = e.reshape(6, model.nv, *[1] * (q.ndim - 1), model.nv)
    values = function(model.integrate(np.broadcast_to(q, (6, model.nv, *q.shape)), e))
    return np.moveaxis(np.tensordot(weights, values, 1), 0, -1)


def slopes(scene, q, qd, t, read):
    """Numbers that `read(tree, q, slopes)` finds in the slopes of a scene's forces."""

    @ar.takes(t=())
    def page(tree, q, qd, t):
        now = system(scene, tree).loads(State(t, q, qd, {}), slopes="all")
        return read(tree, q, now.slopes)

    return ar.evaluate(page, scene.model, q, qd, t)


def hat(m):
    """The matrix of a rotation vector, 3 x 3, or of a twist, 4 x 4."""
    W = np.array([[0.0, -m[2], m[1]], [m[2], 0.0, -m[0]], [-m[1], m[0], 0.0]])
    return W if len(m) == 3 else np.vstack([np.column_stack([W, m[3:]]), np.zeros(4)])


def expm(A):
    """Matrix exponential, by its series on a small multiple and squaring."""
    total = term = np.eye(len(A))
    for k in range(1, 14):
        term = term @ A / (256.0 * k)
        total = total + term
    return np.linalg.matrix_power(total, 256)


def close(found, expected, tolerance, scale=0.0):
    """Differences are small beside the largest number, or `scale` where that is larger."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    size = max(np.abs(expected).max(initial=0.0), scale, 1e-300)
    error = np.abs(found - expected).max(initial=0.0) / size
    assert error <= tolerance, f"relative error {error:.2e} of numbers up to {size:.3g}"
