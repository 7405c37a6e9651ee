"""The page of inverse kinematics: damped least squares on target after target, with restarts.

A row of a batch owns a chunk of targets. When one of them is reached, or a descent is given up, the
row takes its next target or start in the same pass, so that lanes beside each other never wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._api import Model
from .._graph.iterate import iterate
from .._graph.program import Shape
from .._model.tree import Tree
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .step import DAMPING, Limit, limits, step, total
from .targets import Placed, Rows, Target

SHRINKING, PATIENCE = 0.6, 4.0
"""What the error must shrink to within so many passes; every fourth restart has one more."""
PULL = 0.5
"""Part of the way to the posture that a step tries to go."""
HUGE = 1e100
"""An error that anything is better than."""
PASSES = 1 << 40
"""More than a chunk of targets can need: rows end by themselves."""


class Settings(NamedTuple):
    """Numbers that are the same for all targets.

    Attributes:
        tolerance: error that counts as reached.
        iterations: passes of an attempt, at most.
        last: number of the last attempt: the first is 0, restarts follow, and behind these comes
            one from the best that was found.
        patience: passes without progress that the first attempt may make.
        continuous: 1 where a target starts from the solution before, else 0.
    """

    tolerance: Scalar
    iterations: Scalar
    last: Scalar
    patience: Scalar
    continuous: Scalar


class State(NamedTuple):
    """What a row carries from pass to pass.

    Attributes:
        k: number of the target in the chunk.
        attempt: number of the start.
        passes: passes of this attempt.
        in_all: passes of this target.
        caution: factor of the damping, above 1 after the error has grown.
        before: the error of the pass before.
        mark: the error when it last shrank enough.
        since: passes since then.
        q: where the descent is.
        push: where coordinates with limits would have gone in the pass before, without them.
        best: the best coordinates of the target.
        least: the error there.
        goal: numbers of the target.
        found: what was found for all targets of the chunk.
    """

    k: Scalar
    attempt: Scalar
    passes: Scalar
    in_all: Scalar
    caution: Scalar
    before: Scalar
    mark: Scalar
    since: Scalar
    q: list[Scalar]
    push: list[Scalar]
    best: list[Scalar]
    least: Scalar
    goal: list[Scalar]
    found: Array


@dataclass(frozen=True)
class Descent:
    """The page, for a figure, kinds of targets and a length of chunks.

    Attributes:
        model: the figure.
        targets: what is to be reached; their values are inputs.
        chunk: targets of a row, at most.
        starts: restarts that there are coordinates for.
        posture: whether solutions near given coordinates are preferred.
    """

    model: Model
    targets: Sequence[Target]
    chunk: int
    starts: int
    posture: bool
    __name__ = "inverse_kinematics"

    @property
    def sizes(self) -> list[int]:
        """How many numbers each target has."""
        return [int(np.prod(target.shape)) for target in self.targets]

    @property
    def width(self) -> int:
        """Numbers of a target: start, goals and, if asked for, posture."""
        return self.model.nq * (2 if self.posture else 1) + sum(self.sizes)

    def shapes(self) -> dict[str, Shape]:
        """Shapes of the inputs."""
        return {
            "goals": (self.chunk * self.width,),
            "count": (),
            "restarts": (self.starts * self.model.nq,),
            "settings": (len(Settings._fields),),
        }

    def __call__(self, tree: Tree, goals: Any, count: Any, restarts: Any, settings: Any) -> Any:
        """Rows of (q, error, attempts, passes), one a target."""
        nq, use = tree.nq, Settings(*settings)
        table, others = array(goals), array(restarts)
        within = limits(self.model)

        def numbers(k: Scalar) -> tuple[list[Scalar], list[Scalar]]:
            """Start, and goals with the posture."""
            each = [table[k * float(self.width) + float(j)] for j in range(self.width)]
            return each[:nq], each[nq:]

        def one_pass(s: State) -> tuple[State, Scalar]:
            placed = Placed(tree, self.model, tree.positions(s.q))
            rows = self._rows(placed, s.goal)
            error = sqrt(total(r * r for r, _ in rows))
            error = where(error < HUGE, error, HUGE)  # NaN, too
            pull = self._pull(placed, s.goal)
            damping = DAMPING * s.caution * (0.5 * error * error)
            push = s.push if self.posture else None
            dq, push = step(rows, s.q, pull, push, within, damping)
            near = error <= use.tolerance
            better = (error < s.least) & (near | (s.attempt < 0.5) | (use.continuous < 0.5))
            reached = near
            if self.posture:
                better = better | near
                reached = near & (total(x * x for x in dq) <= use.tolerance * use.tolerance)
            best = [where(better, x, y) for x, y in zip(s.q, s.best, strict=True)]
            least = where(better, error, s.least)
            shrunk = error < SHRINKING * s.mark
            since = where(shrunk, 0.0, s.since + 1.0)
            patience = where(s.attempt < 0.5, use.patience, PATIENCE + 0.25 * s.attempt)
            stuck = (since > patience) & (s.attempt < use.last) & (least > use.tolerance)
            over = reached | stuck | (s.passes >= use.iterations - 1.0) | (error >= HUGE)
            finished = over & ((least <= use.tolerance) | (s.attempt >= use.last))
            again = over & (finished < 0.5)
            attempt = where(again, s.attempt + 1.0, s.attempt)
            caution = where(error > s.before, minimum(s.caution * 4.0, 1e9), s.caution * 0.5)

            def next_target(carried: tuple) -> tuple[tuple, Scalar]:
                k, _, _, found = carried
                starts = minimum(attempt, maximum(use.last - 1.0, 0.0)) + 1.0
                result = *best, least, starts, s.in_all + 1.0
                for j, x in enumerate(result):
                    found = found.set(k * float(len(result)) + float(j), x)
                start, goal = numbers(k + 1.0)
                pairs = zip(best, start, strict=True)
                q = [where(use.continuous, x, y) for x, y in pairs]
                return (k + 1.0, q, goal, found), 1.0

            def next_start(q: list[Scalar]) -> tuple[list[Scalar], Scalar]:
                at = (attempt - 1.0) * float(nq)
                polish = attempt >= use.last
                return [where(polish, x, others[at + float(j)]) for j, x in enumerate(best)], 1.0

            carried = s.k, self._moved(placed, dq, within), s.goal, s.found
            k, q, goal, found = iterate(next_target, carried, 1, finished).values
            q = iterate(next_start, q, 1, again).values
            return State(
                k=k,
                attempt=where(finished, 0.0, attempt),
                passes=where(over, 0.0, s.passes + 1.0),
                in_all=where(finished, 0.0, s.in_all + 1.0),
                caution=where(over, 1.0, maximum(caution, 1.0)),
                before=where(over, HUGE, error),
                mark=where(over, HUGE, where(shrunk, error, s.mark)),
                since=where(over, 0.0, since),
                q=q,
                push=[where(over, 0.0, x) for x in push] if self.posture else [],
                best=best,
                least=where(finished, HUGE, least),
                goal=goal,
                found=found,
            ), k >= count

        q, goal = numbers(0.0)
        begin = State(
            k=0.0, attempt=0.0, passes=0.0, in_all=0.0, caution=1.0, before=HUGE, mark=HUGE,
            since=0.0, q=q, push=[0.0] * (len(within) if self.posture else 0), best=q, least=HUGE,
            goal=goal, found=array([0.0] * (self.chunk * (nq + 3))),
        )  # fmt: skip
        return list(iterate(one_pass, begin, PASSES, count > 0.5).values.found)

    def _rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        rows, at = [], 0
        for target, size in zip(self.targets, self.sizes, strict=True):
            rows += target.rows(placed, goal[at : at + size])
            at += size
        return rows

    def _pull(self, placed: Placed, goal: Sequence[Scalar]) -> list[Scalar]:
        """Where coordinates should go that the targets leave open: towards the posture."""
        tree = placed.tree
        if not self.posture:
            return [0.0] * tree.nv
        there = tree.positions(goal[-tree.nq :])
        way = [x for i in tree.bodies if not tree.follow[i]
               for x in tree.joint[i].difference(placed.q[i], there[i])]  # fmt: skip
        return [PULL * x for x in way]

    def _moved(self, placed: Placed, dq: Sequence[Scalar], within: list[Limit]) -> list[Scalar]:
        """Coordinates after a displacement, within their limits."""
        tree, steps = placed.tree, placed.tree.rates(dq)
        q = [x for i in tree.bodies if not tree.follow[i]
             for x in tree.joint[i].integrate(placed.q[i], steps[i])]  # fmt: skip
        for limit in within:
            q[limit.q] = minimum(maximum(q[limit.q], limit.low), limit.high)
        return q
