"""Friction inside joints: bilateral staggered projections beside plain ones (S19 §2.11).

Chains of links whose pins have friction, at the same sixteen points each. Plain staggered
projections (S19 Alg. 7) know no joints: bodies in maximal coordinates are held together by the
points' normals, rows of a quadratic program. Bilateral ones (Alg. 8) step in reduced coordinates
and share each joint's reaction among its points. Friction is the same program in both, and so are
the ends of turns.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

import arthron as ar
from arthron._reference_contact.joint_friction import bearings
from arthron._reference_contact.methods import BilateralStaggeredProjections
from arthron._reference_contact.quadratic_program import minimum
from arthron._reference_contact.staggered import friction_impulses
from arthron._reference_contact.velocity_program import ProgramSolution, problem

STEPS, REPEATS, LIMIT = 20, 3, 100


@dataclass(frozen=True)
class Timed(BilateralStaggeredProjections):
    """Bilateral staggered projections, with the time that solutions take."""

    def solve(self, *given):
        """A step, and how long it took."""
        start = time.perf_counter()
        found = self.solution(*given)
        spent.append((time.perf_counter() - start, found[0].iterations))
        return found

    def solution(self, *given):
        """A step, as the method has it."""
        return BilateralStaggeredProjections.solve(self, *given)


@dataclass(frozen=True)
class Plain(Timed):
    """Staggered projections over bodies that points of joints hold together."""

    def solution(self, data, pages, system, contacts, friction, memo):
        """A step: twists of bodies, less h dJ/dt qd, such that no point of a joint overlaps."""
        own = problem(data, pages, contacts, "maximal")
        joints, nb = bearings(system, data, pages), len(data.J)
        N, T = (np.concatenate([rows @ x.L for x, rows in zip(joints, each, strict=True)])
                for each in ([x.points.normals[0] for x in joints],
                             [x.points.tangents for x in joints]))  # fmt: skip
        loads = np.zeros((len(T), len(N)))
        i = j = 0
        for x in joints:
            k, m = x.points.loads.shape
            loads[i : i + k, j : j + m] = x.friction * x.points.loads
            i, j = i + k, j + m
        A = np.zeros((nb, 6, nb, 6))
        A[np.arange(nb), :, np.arange(nb)] = data.inertia
        A = A.reshape(6 * nb, 6 * nb)
        moved = np.einsum("bij,bj->bi", data.inertia, data.J @ data.qd - data.h * data.c)
        b = (moved + data.h * data.f).ravel()
        inverse = np.linalg.inv(A)
        Q = T @ np.linalg.cholesky(inverse)
        drift = T @ (data.h * data.c).ravel()  # twists are v and this
        push, beta, before, turn = friction.ravel(), np.zeros(len(T)), np.zeros(6 * nb), 0
        while True:
            turn += 1
            found = minimum(A, b + push, N, np.zeros(len(N)))
            contact = N.T @ found.forces
            size, change = (x @ inverse @ x for x in (contact, contact - before))
            residual = change / size if size > 0.0 else 0.0
            if not found.solved or residual < self.tolerance or turn >= self.turns:
                break
            before = contact
            slip = T @ (inverse @ (b + contact)) + drift
            radius = loads @ found.forces
            beta, solved = friction_impulses(Q, slip, radius, self.cones, beta, len(T))
            push = -T.T @ beta
            if not solved:
                break
        nothing = np.zeros(0)
        result = ProgramSolution(
            found.x, nothing, nothing, np.zeros(len(own.G)), nothing, turn, residual, found.solved
        )
        return result, push.reshape(nb, 6), replace(own, b=b)


spent: list[tuple[float, int]] = []
"""Seconds and turns of each solution."""


def chain(n: int) -> ar.Scene:
    """A chain of n rods on pins across each other, all with friction inside."""
    rod = [ar.Capsule(0.03, 0.3, mass=1.0, placement=(0.0, 0.0, -0.15))]
    bodies, inside = [], []
    for k in range(n):
        joint = ar.Revolute("xy"[k % 2])
        above = (f"rod {k - 1}", (0.0, 0.0, -0.3)) if k else (None, (0.0, 0.0, 0.0))
        bodies.append(ar.Body(f"rod {k}", joint, *above, shapes=rod))
        inside.append(ar.contacts.JointFriction(f"rod {k}", 0.2, 0.02, 0.06))
    return ar.Scene(ar.Model(bodies, name=f"{n} rods"), inside)


def measured(scene: ar.Scene, method) -> tuple[np.ndarray, float, float]:
    """Velocities at the end, seconds a step, and turns a step."""
    q, qd = np.full(scene.model.nq, 0.3), np.resize([1.0, -0.5, 0.7], scene.model.nv)
    best, turns, run = np.inf, 0.0, None
    for _ in range(REPEATS):
        spent.clear()
        run = ar.simulate(scene, STEPS * 1e-3, 1e-3, q=q, qd=qd, integrator=method,
                          progress=False)  # fmt: skip
        seconds, many = np.array(spent).T
        best, turns = min(best, seconds.mean()), many.mean()
    return run.qd[-1], best, turns


if __name__ == "__main__":
    print(f"friction inside the joints of a chain: ms a step (turns, at most {LIMIT})")
    print(f"{'tolerance':>9} {'links':>6} {'plain':>16} {'bilateral':>16} {'ratio':>7} "
          "  velocities differ by")  # fmt: skip
    for tolerance in (1e-3, 1e-6):  # the first is RedMax's
        for n in (5, 10, 20):
            scene = chain(n)
            (a, plain, t), (b, bilateral, u) = (
                measured(scene, how("box", tolerance, LIMIT)) for how in (Plain, Timed)
            )
            off = np.abs(a - b).max() / np.abs(b).max()
            times = f"{1e3 * plain:9.2f} ({t:4.1f}) {1e3 * bilateral:9.2f} ({u:4.1f})"
            print(f"{tolerance:9.0e} {n:6d} {times} {plain / bilateral:7.1f}   {off:.1e}")
