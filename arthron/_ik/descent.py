"""The page of inverse kinematics: damped least squares on target after target, with restarts.

A row of a batch owns a chunk of targets. When one of them is reached, or a descent is given up, the
row takes its next target or start in the same pass, so that lanes beside each other never wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._graph.program import Shape
from .._model.model import Model
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, floor, is_zero, maximum, minimum, sqrt, where
from .._spatial.sums import total
from .._tree.configuration import integrate
from .._tree.tree import Tree
from .posture import NEAR, PostureState, posture_step, restarted
from .step import DAMPING, Limit, limits, step
from .targets import Placed, Rows, Target

SHRINKING, PATIENCE = 0.6, 4.0
"""What the error must shrink to within so many passes; every tenth restart has one more."""
STARTS = 32
"""Coordinates that restarts are made of."""
FAR = 10.0
"""The error from which on turning gets nowhere [m]."""
HUGE = 1e100
"""An error that anything is better than."""
PASSES = 1 << 40
"""More than a chunk of targets can need: rows end by themselves."""


class DescentSettings(NamedTuple):
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


class DescentState(NamedTuple):
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
        approach: how the posture is approached.
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
    approach: PostureState
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
        starts: 1 where all targets of a row begin from the same coordinates, else `chunk`.
        postures: the same for coordinates that solutions should be near; 0 where there are none.
    """

    model: Model
    targets: Sequence[Target]
    chunk: int
    starts: int = 1
    postures: int = 0
    __name__ = "inverse_kinematics"

    @property
    def width(self) -> int:
        """Numbers of a target."""
        return sum(target.numbers for target in self.targets)

    def shapes(self) -> dict[str, Shape]:
        """Shapes of the inputs."""
        nq = self.model.nq
        return {
            "goals": (self.chunk * self.width,),
            "count": (),
            "start": (self.starts * nq,),
            "posture": (self.postures * nq,),
            "restarts": (STARTS * nq,),
            "settings": (len(DescentSettings._fields),),
        }

    def __call__(
        self, tree: Tree, goals: Any, count: Any, start: Any, posture: Any, restarts: Any,
        settings: Any,
    ) -> list[Scalar]:  # fmt: skip
        """Rows of (q, error, attempts, passes), one a target."""
        nq, use = tree.nq, DescentSettings(*settings)
        within = limits(self.model)

        def goal_of(k: Scalar) -> list[Scalar]:
            """The numbers of a target, and the posture behind them where each has its own."""
            own = _entries(posture, k, nq) if self.postures > 1 else []
            return [*_entries(goals, k, self.width), *own]

        def one_pass(s: DescentState) -> tuple[DescentState, Scalar]:
            placed = Placed(tree.at(s.q), self.model, tree.positions(s.q))
            rows = self._rows(placed, s.goal)
            error = sqrt(total(r * r for r, _ in rows))
            error = where(error < HUGE, error, HUGE)  # NaN, too
            damping = DAMPING * s.caution * (0.5 * error * error)
            ease = _ease(placed, rows, error)
            rows = [(r, [x * e for x, e in zip(J, ease, strict=True)]) for r, J in rows]
            near = error <= use.tolerance
            better = (error < s.least) & (near | (s.attempt < 0.5) | (use.continuous < 0.5))
            if self.postures:
                there = tree.positions(s.goal[self.width :] or posture)
                sliding = (s.least <= use.tolerance) & (error < NEAR)
                dq, approach, off = posture_step(
                    s.approach, placed, rows, s.q, there, within, damping, sliding
                )
                better, reached = better | near, near & sliding & (off <= use.tolerance)
            else:
                dq, _ = step(rows, s.q, [0.0] * tree.nv, None, within, damping)
                approach, reached = s.approach, near
            sound = total(x * x for x in dq) < HUGE  # NaN in one target would end the whole row
            dq = [where(sound, x * e, 0.0) for x, e in zip(dq, ease, strict=True)]
            best = [where(better, x, y) for x, y in zip(s.q, s.best, strict=True)]
            least = where(better, error, s.least)
            shrunk = error < SHRINKING * s.mark
            since = where(shrunk, 0.0, s.since + 1.0)
            patience = where(s.attempt < 0.5, use.patience, PATIENCE + 0.1 * s.attempt)
            stuck = (since > patience) & (s.attempt < use.last) & (least > use.tolerance)
            over = reached | stuck | (s.passes >= use.iterations - 1.0) | (error >= HUGE)
            finished = over & ((least <= use.tolerance) | (s.attempt >= use.last))
            again = over & (finished < 0.5)
            anew = over | ((least <= use.tolerance) & (s.least > use.tolerance))
            attempt = where(again, s.attempt + 1.0, s.attempt)
            caution = where(error > s.before, minimum(s.caution * 4.0, 1e9), s.caution * 0.5)

            def next_target(here: tuple) -> tuple[tuple, Scalar]:
                k, _, _, found = here
                starts = minimum(attempt, maximum(use.last - 1.0, 0.0)) + 1.0
                result = *best, least, starts, s.in_all + 1.0
                for j, x in enumerate(result):
                    found = found.set(k * float(len(result)) + float(j), x)
                begin = zip(best, _entries(start, k + 1.0, nq), strict=True)
                q = [where(use.continuous, x, y) for x, y in begin]
                return (k + 1.0, q, goal_of(k + 1.0), found), 1.0

            def next_start(q: list[Scalar]) -> tuple[list[Scalar], Scalar]:
                pairs = zip(best, self._restart(tree, restarts, attempt - 1.0), strict=True)
                return [where(attempt >= use.last, x, y) for x, y in pairs], 1.0

            here = s.k, self._integrated(placed, dq, within), s.goal, s.found
            k, q, goal, found = iterate(next_target, here, 1, finished).values
            q = iterate(next_start, q, 1, again).values
            return DescentState(
                k=k,
                attempt=where(finished, 0.0, attempt),
                passes=where(anew, 0.0, s.passes + 1.0),
                in_all=where(finished, 0.0, s.in_all + 1.0),
                caution=where(over | (least <= use.tolerance), 1.0, maximum(caution, 1.0)),
                before=where(over, HUGE, error),
                mark=where(over, HUGE, where(shrunk, error, s.mark)),
                since=where(over, 0.0, since),
                q=q,
                approach=restarted(approach, over),
                best=best,
                least=where(finished, HUGE, least),
                goal=goal,
                found=found,
            ), k >= count

        q, sizes = list(start[:nq]), (tree.nv, len(within)) if self.postures else (0, 0)
        begin = DescentState(
            k=0.0, attempt=0.0, passes=0.0, in_all=0.0, caution=1.0, before=HUGE, mark=HUGE,
            since=0.0, q=q, approach=PostureState.begin(*sizes), best=q, least=HUGE,
            goal=goal_of(0.0), found=array([*[0.0] * nq, HUGE, 0.0, 0.0] * self.chunk),
        )  # fmt: skip
        return list(iterate(one_pass, begin, PASSES, count > 0.5).values.found)

    def _restart(self, tree: Tree, restarts: Sequence[Scalar], k: Scalar) -> list[Scalar]:
        """Start k: one of those given, or behind the last the joints of several, put together."""
        table, again = array(restarts), floor(k * (1.0 / STARTS))
        q = []
        for i in tree.own:
            which = k + again * float(i)
            which = which - floor(which * (1.0 / STARTS)) * float(STARTS)
            entries = range(tree.q_start[i], tree.q_start[i + 1])
            q += [table[which * float(tree.nq) + float(j)] for j in entries]
        return q

    def _rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        rows, at = [], 0
        for target in self.targets:
            rows += target.rows(placed, goal[at : at + target.numbers])
            at += target.numbers
        return rows

    def _integrated(
        self, placed: Placed, dq: Sequence[Scalar], within: list[Limit]
    ) -> list[Scalar]:
        """Coordinates after a displacement, within their limits."""
        tree = placed.tree
        q = tree.vector(integrate(tree, placed.q, tree.rates(dq)))
        for limit in within:
            q[limit.q] = minimum(maximum(q[limit.q], limit.low), limit.high)
        return q


def _entries(inputs: Sequence[Scalar], k: Scalar, size: int) -> list[Scalar]:
    """Entry k of inputs that have `size` numbers each, or their only one."""
    if len(inputs) == size:
        return list(inputs)
    table = array(inputs)
    return [table[k * float(size) + float(j)] for j in range(size)]


def _ease(placed: Placed, rows: Rows, error: Scalar) -> list[Scalar]:
    """How readily each coordinate moves: far away, those that turn do less where others slide."""
    tree = placed.tree
    slides = {k for i in tree.own if i
              for k, m in enumerate(placed.S[i], tree.v_start[i])
              if all(is_zero(x) for x in m.ang)}  # fmt: skip
    if all(is_zero(J[k]) for _, J in rows for k in slides):
        return [1.0] * tree.nv
    less = 1.0 / sqrt(1.0 + (error / FAR) * (error / FAR))
    return [1.0 if k in slides else less for k in range(tree.nv)]
