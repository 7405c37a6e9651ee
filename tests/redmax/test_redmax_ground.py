"""RedMax's box on a ground of springs (matlab-diff 11), with friction that opposes the motion.

Its force jumps where a corner begins to touch, and the step equation need not have a solution: with
BDF2 the target found none at step 638 either, and took the nearest there is.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scenes import Case, Link, case

import arthron as ar
from arthron.spatial import Force, Vec3

SIZE = (3.0, 1.0, 1.0)


@dataclass(frozen=True)
class Springs(ar.Element):
    """Springs below the eight corners of a box: kn d + kd d', and friction kt |v| up to mu kn d."""

    kn: float = 1e5
    kt: float = 100.0
    mu: float = 0.5
    kd: float = 30.0

    links = ("link 0",)

    def forces(self, here):
        frame, total = here.frames[0], Force()
        for p in self.corners():
            depth, v = -frame.at(p).y, frame.velocity(p)
            speed = ar.sqrt(v.x * v.x + v.z * v.z + 1e-300)
            brake = ar.minimum(self.kt, self.mu * self.kn * depth / speed)
            push = self.kn * depth - self.kd * v.y
            on = ar.where(depth >= 0.0, 1.0, 0.0)
            total = total + frame.wrench(p, Vec3(-brake * v.x, push, -brake * v.z) * on)
        return (total,)

    def energy(self, here):
        depths = [ar.maximum(-here.frames[0].at(p).y, 0.0) for p in self.corners()]
        return sum(0.5 * self.kn * d * d for d in depths)

    def corners(self):
        return [Vec3(*(s * x for s, x in zip(signs, SIZE, strict=True)))
                for signs in product((-0.5, 0.5), repeat=3)]  # fmt: skip


def thrown() -> Case:
    box = Link(ar.Planar("z"), (-1.0, 2.0, 0.0), (5.0, 70.0, 2.0), size=SIZE, centre=(0, 0, 0))
    return case("Free2D with ground", [box], 5e-4, 0.6, [Springs()], (0.0, -980.0, 0.0))


def further(one: Case, q, qd, many: int, step: float) -> ar.Trajectory:
    """So many steps of the scene in steps of a length, or as far as there is a solution."""
    try:
        return ar.simulate(one.scene, many * one.step, step, integrator="BDF2", q=q, qd=qd,
                           progress=False)  # fmt: skip
    except ar.SimulationError as error:
        return error.trajectory


def test_comes_to_rest_where_the_target_does():
    run = thrown().run("BDF1")
    assert abs(run.energy[-1] - run.potential[0] + 4420.8045) < 1e-8 * 4420.8
    assert np.abs(run.q[-1] - (0.22132696896436033, 0.492650000501858, 0.0)).max() < 1e-4


def test_a_step_without_a_solution_is_told():
    """With two half steps wherever that is so the energy at the end is the target's to 1e-3."""
    one = thrown()
    with pytest.raises(ar.SimulationError, match=r"0\.319 s.* found no end of the step"):
        one.run("BDF2")
    q, qd, done, total = one.q, one.qd, 0, round(one.duration / one.step)
    while done < total:
        run = further(one, q, qd, total - done, one.step)
        q, qd, done = run.q[-1], run.qd[-1], done + len(run) - 1
        if done < total:
            run = further(one, q, qd, 1, one.step / 2)
            q, qd, done = run.q[-1], run.qd[-1], done + 1
    assert abs(run.energy[-1] - 5880.0 + 4415.5229490914435) < 1e-3 * 4420.0
