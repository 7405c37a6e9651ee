"""A scissor lift with one coordinate, its height: beside the same linkage with its loops closed."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import arthron as ar

STAGES, L = 2, 1.2  # how many pairs of bars, an even number, and how long these are [m]
NAMES = [(f"out{k}", f"in{k}") for k in range(1, STAGES + 1)]

# bars called "out" form a zigzag upwards from the pin; those called "in" cross them half way
bodies, below = [], None
for out, crossing in NAMES:
    place = (L, 0, 0) if below else (0, 0, 0)
    long = ar.Box((L, 0.03, 0.05), placement=(L / 2, 0, 0))
    bodies.append(ar.Body(out, ar.Revolute("y"), below, place, shapes=[long]))
    short = ar.Box((L, 0.03, 0.05))
    bodies.append(ar.Body(crossing, ar.Revolute("y"), out, (L / 2, 0, 0), shapes=[short]))
    below = out
top = ar.Box((L, 0.4, 0.02), placement=(L / 2, 0, 0))
bodies.append(ar.Body("table", ar.Revolute("y"), below, (L, 0, 0), shapes=[top]))
free = ar.Model(bodies, name="scissor lift")


def raised(y):
    """Angles of all joints at a height: q = f(y)."""
    angle = ar.asin(y[0] / (STAGES * L))  # of every bar above the ground
    bend, found, side = math.pi - 2.0 * angle, {}, 1.0
    for out, crossing in NAMES:
        found |= {out: side * bend, crossing: -side * bend}
        side = -side
    return found | {"out1": -angle, "table": math.pi - angle}


lift = free.reduced(raised, name="height", neutral=0.8, lower=0.2, upper=0.95 * STAGES * L)
print(lift)

# what holds it up is a force at its height: that of the table, and parts of the weights of bars
y = np.array([0.9])
mass = {body.name: body.inertia.m for body in free.bodies}
parts = sum(mass[name] * (2 * k - 1) for k, pair in enumerate(NAMES, 1) for name in pair)
force = 9.81 * (mass["table"] + parts / (2 * STAGES))
assert np.allclose(lift.gravity_forces(y), force)
print(f"{force:.1f} N hold it up")


@dataclass(frozen=True)
class Jack(ar.Element):
    """Pushes the table up, to a height."""

    stiffness: float
    height: float
    links = ("table",)

    def forces(self, here):
        """A spring that stays upright."""
        (table,) = here.frames
        off = self.height - table.at((0, 0, 0)).z
        return table.wrench((0, 0, 0), (0, 0, self.stiffness * off))


@dataclass(frozen=True)
class Pins(ar.Element):
    """The loops: a foot on the ground, ends of bars that meet, and the last one at the table."""

    links = (*(crossing for _, crossing in NAMES), "table")

    def constraint(self, here):
        """What is kept at zero."""
        *crossing, table = here.frames
        rows = [crossing[0].at((-L / 2, 0, 0)).z]
        for lower, upper in pairwise(crossing):
            gap = lower.at((L / 2, 0, 0)) - upper.at((-L / 2, 0, 0))
            rows += [gap.x, gap.z]
        end = crossing[-1].at((L / 2, 0, 0)) - table.at((0, 0, 0))
        return [*rows, table.X.E.z.dot(end)]


# let go at rest, both ways: by one coordinate, and by all joints with rows of constraints
jack, more = Jack(2000.0, 1.4), {"integrator": "Runge-Kutta", "progress": False}
one = ar.simulate(ar.Scene(lift, [jack]), 1.0, 0.01, q=y, **more)
start = lift.unreduced_coordinates(y)
five = ar.simulate(ar.Scene(free, [jack, Pins()]), 1.0, 0.01, q=start, **more)
apart = np.abs(lift.unreduced_coordinates(one.q) - five.q).max()
print(f"{lift.nv} coordinate or {free.nv} with {2 * STAGES} rows: {apart:.0e} rad apart after 1 s")
assert apart < 1e-6
