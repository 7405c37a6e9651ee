"""Figures and motions that are looked for in several tests."""

import numpy as np

import arthron as ar
from arthron.spacetime import (
    Foothold,
    Keyframe,
    MotionProblem,
    Phase,
    Smoothness,
    TorqueEnergy,
    TorqueLimits,
)

BLOCK = ar.Model([ar.Body("block", ar.Prismatic("x"), shapes=[ar.Box((0.1,) * 3, mass=2.0)])])
ROD = ar.Capsule(0.012, 0.3, mass=0.2, placement=(0, 0, 0.15))


def off_axis(m):
    return ar.Inertia.from_com(m, (0.1, 0.05 * m, 0.1), np.diag([0.1, 0.2, 0.25]))


def branching(root):
    """A root with an arm that turns in a ball, a hand on it, and another arm."""
    return ar.Model(
        [
            ar.Body("trunk", root, inertia=off_axis(1.0)),
            ar.Body("arm", ar.Spherical(), parent="trunk", placement=(0, 0, -0.5),
                    inertia=off_axis(1.3)),
            ar.Body("hand", ar.Revolute("x"), parent="arm", placement=(0, 0.1, -0.5),
                    inertia=off_axis(1.2)),
            ar.Body("tail", ar.Universal(), parent="trunk", placement=(0.2, 0.1, -0.5),
                    inertia=off_axis(1.5)),
        ],
        name="branching",
    )  # fmt: skip


def cart_pole():
    cart = ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((0.4, 0.2, 0.2), mass=1.0)],
                   lower=-2.0, upper=2.0, effort=20.0)  # fmt: skip
    rod = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
    pole = ar.Body("pole", ar.Revolute("y"), parent="cart", shapes=[rod])
    return ar.Model([cart, pole], name="cart-pole")


def swing_up(spans, limit=20.0):
    return MotionProblem(
        cart_pole(),
        Phase(2.0, spans=spans),
        TorqueEnergy(),
        [Keyframe(0, [0.0, 0.0]), Keyframe(1, [0.0, np.pi]), TorqueLimits({"cart": limit})],
        passive=["pole"],
    )


def lamp():
    hinge = ar.Revolute("y")
    head = ar.Cylinder(0.06, 0.1, mass=0.35, placement=(0, 0, 0.05))
    return ar.Model(
        [
            ar.Body("base", ar.Planar("y"), shapes=[ar.Cylinder(0.1, 0.03, mass=0.25)]),
            ar.Body("leg", hinge, parent="base", shapes=[ROD], lower=-2.0, upper=2.0),
            ar.Body("arm", hinge, parent="leg", placement=(0, 0, 0.3), shapes=[ROD],
                    lower=-2.8, upper=2.8),
            ar.Body("head", hinge, parent="arm", placement=(0, 0, 0.3), shapes=[head],
                    lower=-2.5, upper=2.5),
        ],
        name="lamp",
    )  # fmt: skip


HERE = np.array([0.015, 0.0, 0.0, -0.5, 1.2, 0.6])


def hop(spans=(8, 6, 8), far=0.4, friction=0.8, up=0.0, costs=None, conditions=()):
    """A lamp that hops, and a guess."""
    points = [(-0.1, 0, -0.015), (0.1, 0, -0.015)]
    base = Foothold("base", points, friction=friction)
    land = Foothold("base", points, friction=friction, height=up)
    there = np.add(HERE, [up, far, 0, 0, 0, 0])
    problem = MotionProblem(
        lamp(),
        [
            Phase((0.3, 0.8), spans[0], footholds=[base]),
            Phase((0.15, 0.5), spans[1]),
            Phase((0.3, 0.8), spans[2], footholds=[land]),
        ],
        costs or [TorqueEnergy(), Smoothness(1e-3)],
        [Keyframe(0, HERE), Keyframe(3, there), *conditions],
    )
    return problem, [(1, HERE), (2, there)]
