"""Random problems of contact, and a bound of how far off a solution is that needs no other one.

A figure of two free bodies, of which one has two arms and is up to a thousand times as heavy as
what hangs on it, with four points in one plane on a body, others on the arms, and one between two
bodies. With the slip of each point given the problem is convex: the difference between what is
minimised and its dual is at least half the square of what velocities are off, in the norm of A, and
of what impulses are off, in that of J A^-1 J^T + R (weak duality). By Coulomb's law slips are those
of the solution.
"""

import itertools

import numpy as np

import arthron as ar
from arthron._algorithms.crba import crba
from arthron._contact.contact_problem import ContactProblem
from arthron._contact.friction_cone import FrictionCone
from arthron._contact.pair import Pair
from arthron._contact.step_solvers import MatrixSolver
from arthron._contact.world_columns import WorldColumns
from arthron._scene.contact_points import RIGID, STICKING
from arthron._spatial.linear_algebra import Ldl, add_diagonal, eliminated
from arthron.spatial import Vec3

BODIES = ("trunk", "upper", "lower", "side", "ball")
PAIRS = ((1, 0), (1, 0), (1, 0), (1, 0), (3, 0), (4, 0), (5, 0), (5, 3))
"""Bodies of each point, by number; 0 is the world."""
M = len(PAIRS)
KINDS = ("any", "off", "stick", "slide", "heavy")


def model():
    """The figure, of which inertias are inputs."""
    shapes = {"trunk": ar.Box((0.4, 0.3, 0.2), mass=5.0)}
    shapes |= {name: ar.Capsule(0.05, 0.3, mass=1.0) for name in BODIES[1:4]}
    free = {"trunk": ar.Free(), "ball": ar.Free()}
    shapes["ball"] = ar.Sphere(0.1, mass=0.5)
    parents = {"upper": "trunk", "lower": "upper", "side": "trunk"}
    joints = {
        "upper": ar.Revolute("x"),
        "lower": ar.Spherical(),
        "side": ar.Revolute((1.0, 2.0, 3.0)),
    }
    return ar.Model([
        ar.Body(name, {**free, **joints}[name], parent=parents.get(name),
                placement=(0.1, 0.2, 0.1) if name in parents else (0.0, 0.0, 0.0),
                shapes=[shapes[name]])
        for name in BODIES
    ])  # fmt: skip


@ar.takes(
    free=("nv",), guess=("nv",), r=(M, 3), n=(M, 3), mu=(M,), Rt=(M,), Rn=(M,), wanted=(M,),
    surface=(M, 3), added=("nv",),
)  # fmt: skip
def solved(tree, q, free, guess, r, n, mu, Rt, Rn, wanted, surface, added):
    """Velocities, impulses, what is left over, and passes."""
    columns = WorldColumns(tree, q)
    pairs = []
    for (a, b), own in itertools.groupby(range(M), lambda k: PAIRS[k]):
        at = [*own]
        cones = [
            FrictionCone(Vec3(*n[k]), mu[k], Rt[k], Rn[k], wanted[k], Vec3(*surface[k])) for k in at
        ]
        pairs.append(Pair(a, b, [Vec3(*r[k]) - columns.origin for k in at], cones))
    A = add_diagonal(tree.matrix(crba(tree, q)), added)
    solvers = [
        MatrixSolver(A, columns, lambda H, b: (Ldl(H).solve(b), [0.0] * tree.nv, [])),
        MatrixSolver(A, columns, lambda H, b: (eliminated(H, b), [0.0] * tree.nv, [])),
    ]
    problem = ContactProblem(list(free), columns, pairs, [], solvers[1], solvers[0])
    found = problem.solution(list(guess), [pair.nothing() for pair in pairs])
    impulses = [list(x) for pair in found.points for x in pair]
    return found.v, impulses, found.residual, found.iterations


def problems(figure, kind, many, rng):
    """Inputs of `solved`, and the matrices A and J of each problem."""
    q = np.tile(figure.neutral(), (many, 1))
    for k in range(many):
        q[k] = figure.integrate(q[k], rng.normal(size=figure.nv))
    added = np.zeros((many, figure.nv))
    if kind == "heavy":
        added[:, figure.slice_qd("trunk")] = 10.0 ** rng.uniform(0.0, 3.0, (many, 1))
    A = figure.mass_matrix(q) + added[:, :, None] * np.eye(figure.nv)
    n = rng.normal(size=(many, M, 3))
    n[:, :4] = n[:, :1]
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    r, J = np.zeros((many, M, 3)), np.zeros((many, M, 3, figure.nv))
    corners = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    for k, (a, b) in enumerate(PAIRS):
        name = BODIES[a - 1]
        p = corners[k] if k < 4 else rng.uniform(-0.1, 0.1, 3)
        pose = figure.frame_pose(q, name)
        r[:, k] = pose[:, :3, 3] + pose[:, :3, :3] @ np.array(p)
        J[:, k] = at_point(figure, q, name, r[:, k])
        if b:
            J[:, k] -= at_point(figure, q, BODIES[b - 1], r[:, k])
    W = np.einsum("...kij,...jl,...kml->...kim", J, np.linalg.inv(A), J)
    w = np.trace(W, axis1=-2, axis2=-1) / 3.0
    mu = rng.uniform(0.2, 1.0, (many, M))
    wanted = 0.1 * rng.normal(size=(many, M))
    if kind == "off":
        wanted -= 1e3
    elif kind == "stick":
        mu += 3.0
    elif kind == "slide":
        mu *= 1e-3
    free, guess = rng.normal(size=(2, many, figure.nv))
    surface = 0.1 * rng.normal(size=(many, M, 3))
    given = dict(free=free, guess=guess, r=r, n=n, mu=mu, Rt=STICKING * w, Rn=RIGID * w,
                 wanted=wanted, surface=surface, added=added)  # fmt: skip
    return q, given, A, J


def at_point(figure, q, name, r):
    """Jacobian of the velocity of a link's point at r in the world, (..., 3, nv)."""
    J = figure.jacobian(q, name, axes="world_aligned")
    arm = r - figure.frame_pose(q, name)[:, :3, 3]
    turn = np.cross(J[:, :3].swapaxes(1, 2), arm[:, None]).swapaxes(1, 2)
    return J[:, 3:] + turn


def slips_of(given, J, v, impulses):
    """Slips that the convex law has impulses with, those of the solution, and impulses.

    Impulses of what slides are put on the cone: what they are off counts by its square then.
    """
    n, mu, Rt, Rn, wanted = (given[k] for k in ("n", "mu", "Rt", "Rn", "wanted"))
    u = np.einsum("...kij,...j->...ki", J, v) - given["surface"]
    un, fn = (u * n).sum(-1), (impulses * n).sum(-1)
    ut, ft = u - n * un[..., None], impulses - n * fn[..., None]
    fast = np.linalg.norm(ut, axis=-1)
    own = np.linalg.norm(ut + Rt[..., None] * ft, axis=-1)
    un = un + (given["surface"] * n).sum(-1)
    slides = own > 1e-9
    part = 1.0 / (1.0 + mu * mu * Rt / Rn)
    sliding = (wanted - un + mu * fast - Rn * fn / part) / mu
    taken = np.where(fn > 0.0, np.where(slides, sliding, (wanted - un - Rn * fn) / mu), own)
    on_cone = n * fn[..., None] - ut * (mu * fn / np.maximum(fast, 1e-300))[..., None]
    return taken, own, np.where(slides[..., None], on_cone, impulses)


def error_bound(given, A, J, v, impulses, slips):
    """At most how far velocities and impulses are off, beside what contact changes; feasibility."""
    n, mu, Rt, Rn = (given[k] for k in ("n", "mu", "Rt", "Rn"))
    away = v - given["free"]
    u = np.einsum("...kij,...j->...ki", J, v)

    def split(x):
        along = (x * n).sum(-1)
        return x - n * along[..., None], along

    surface, _ = split(given["surface"])
    wanted = surface + n * (given["wanted"] - mu * slips)[..., None]
    yt, yn = split(wanted - u)
    size = np.linalg.norm(yt, axis=-1) / np.sqrt(Rt)  # in coordinates where R is one
    height, m = yn / np.sqrt(Rn), mu * np.sqrt(Rt / Rn)
    inside, below = size <= m * height, m * size <= -height
    on_edge = np.maximum(m * size + height, 0.0) ** 2 / (1.0 + m * m)
    stored = np.where(inside, size**2 + height**2, np.where(below, 0.0, on_edge))
    primal = 0.5 * (np.einsum("...i,...ij,...j", away, A, away) + stored.sum(-1))
    ft, fn = split(impulses)
    force = np.einsum("...kij,...ki->...j", J, impulses)
    u_free = np.einsum("...kij,...j->...ki", J, given["free"])
    gives_way = (ft**2).sum(-1) * Rt + fn**2 * Rn
    dual = ((wanted - u_free) * impulses).sum((-1, -2))
    dual -= 0.5 * np.einsum("...i,...i", force, np.linalg.solve(A, force[..., None])[..., 0])
    dual -= 0.5 * gives_way.sum(-1)
    outside = np.linalg.norm(ft, axis=-1) - mu * fn
    rounding = 2e-16 * np.abs(wanted * impulses).sum((-1, -2))
    gap = np.maximum(primal - dual - rounding, 0.0)
    off = np.sqrt(2.0 * gap / np.maximum(primal, 1e-12))
    return off, (outside / (1e-9 + np.abs(fn))).max(-1)
