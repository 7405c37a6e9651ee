"""Bodies brought back to where joints and constraints hold, by the shortest way for their masses.

minimise x^T M x / 2 with G x = -g      (post-stabilisation; Gauss's and Newton's method)
"""

from __future__ import annotations

from functools import reduce

from .._graph.iterate import iterate
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum
from .._tree.tree import BodyList
from .free_bodies import Bodies
from .joints_as_rows import found_coordinates, gaps
from .newton_euler import Equations
from .port_rows import velocity_rows

CLOSE = 1e-6
"""What is off by this is off by its square after one more step."""
LIMIT = 8
"""Steps at most."""


def projected(system: System, state: State, bodies: Bodies) -> Bodies:
    """Bodies at the time of a state, moved until rows hold; coordinates are looked for near it."""
    tree, twists = system.tree, bodies.numbers()[1]

    def step(values: tuple) -> tuple[tuple, Scalar]:
        (numbers,) = values
        there = Bodies.of_numbers(numbers, twists)
        q = found_coordinates(tree, there.X, state.q)
        now = State(state.t, q, state.qd, state.more, bodies=(there.X, there.v))
        equations = Equations(tree, q, state.qd, there.X, there.v)
        joints = equations.joints
        rows = [row._replace(b=0.0) if row.fixes else row
                for row in velocity_rows(system, now, joints, state.t, 1.0, 1.0)
                if row.gap is None]  # fmt: skip
        held = BodyList([-x for x in own][: len(each.C)]
                        for own, each in zip(gaps(tree, joints), joints, strict=True))  # fmt: skip
        moved = there.moved(equations.displacement(rows, held), 1.0)
        errors = [*(row.b for row in rows), *(x for own in held for x in own)]
        off = reduce(maximum, map(absolute, errors), 0.0)
        return (moved.numbers()[0],), off < CLOSE

    (numbers,) = iterate(step, (bodies.numbers()[0],), LIMIT, name="projection").values
    return Bodies.of_numbers(numbers, twists)
