"""Inner steps of Runge-Kutta of order eight: stages, errors, lengths, and their curve.

Stages of an inner step are passes of one loop, so that the rates of the system are in its code
once. A row of a batch goes on until its inner steps cover the end of a step of the simulation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .._graph.graph import Graph
from .._graph.iterate import iterate
from .._pages.differentiate import jacobian
from .._scene.system import State, System
from .._spatial.array import Array, array
from .._spatial.scalar import (
    Scalar,
    absolute,
    epsilon,
    exp,
    floor,
    log,
    lookup,
    maximum,
    minimum,
    sqrt,
    where,
)
from .._spatial.sums import dot, select
from .._tree.configuration import integrate, normalize
from .dormand_prince import ALL, E3, E5, END, STAGES, A, C, D
from .equations import largest_at
from .projection import projected

LEAST, MOST, SAFETY = 0.2, 6.0, 0.9
"""How much shorter or longer an inner step is than the one before, and what is aimed at."""
LONG = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Steps of the simulation in inner steps that are read off."""
TRIES = 100_000
"""Inner steps that are tried in one step of the simulation."""
FINE = 16.0
"""Steps between a length and one that is e times longer: whole ones, which have no derivatives."""
FEWEST = 10.0
"""Roundings of time in the shortest inner step."""


class Inner(NamedTuple):
    """An inner step.

    Attributes:
        t: when it starts.
        y: all states there, one behind the other.
        length: how long it is, or error control wants it while it has no end.
        end: all states at its end, tidied up, if it has been made.
        following: length of the one after it that error control wants; zero where this one is not
            read off.
    """

    t: Scalar
    y: list[Scalar]
    length: Scalar
    end: list[Scalar]
    following: Scalar


class Pace(NamedTuple):
    """How inner steps go on to the end of a step of the simulation.

    Attributes:
        tolerance: for their errors.
        system: what moves.
        state: where the step starts.
        h: how long it is.
        timed: whether an inner step has to end where it does: nothing is read off then.
    """

    tolerance: float
    system: System
    state: State
    h: Scalar
    timed: bool

    @property
    def stages(self) -> int:
        """Stages of an inner step, those of its curve included if it may have one."""
        return STAGES if self.timed else ALL

    @property
    def end(self) -> Scalar:
        """When the step ends."""
        return self.state.t + self.h

    def length(self, t: Scalar, wanted: Scalar) -> Scalar:
        """How long an inner step from t is: a power of two of steps, or an equal part of one.

        Long ones start at multiples of their length.
        """
        left, now = self.end - t, self.state.t
        part = left / maximum(1.0, -floor(-left / wanted))
        if self.timed:
            return part
        steps, long = floor(now / self.h + 0.5), self.h
        for size in LONG:
            fits = where(floor(steps / size) * size == steps, wanted, 0.0)
            long = where(fits >= size * self.h, size * self.h, long)
        return where(t == now, where(long > self.h, long, part), part)

    def covers(self, inner: Inner) -> Scalar:
        """Whether an inner step goes as far as the end."""
        margin = 0.5 * minimum(inner.length, self.h)
        return where(self.end - inner.t < inner.length + margin, 1.0, 0.0)

    def gone_on(self, inner: Inner) -> tuple[Inner, list[Scalar], Scalar]:
        """The inner step that covers the end, its curve, and where that got stuck, if it did.

        Where one ends there, it is the one that starts there, not made yet.
        """
        made, now, n = inner.following > 0.0, self.state.t, len(inner.y)
        again = where(made, 0.0, where(inner.t < now - 0.5 * self.h, 1.0, 0.0))
        length = self.length(now, where(made, inner.following, inner.length))
        inner = inner._replace(
            t=where(again, inner.t, now),
            y=select(made, inner.end, inner.y),
            length=where(again, inner.length, length),
            following=0.0,
        )
        start = Attempt(0.0, inner, array([[0.0] * n] * self.stages), 0.0)
        (_, inner, slopes, stuck), _, found = iterate(
            self.stage, start, TRIES * STAGES, name="stages"
        )
        stuck = where(found > 0.5, stuck, maximum(stuck, 1.0))
        return inner, [0.0] * (7 * n) if self.timed else self.curve(inner, slopes), stuck

    def stage(self, attempt: Attempt) -> tuple[Attempt, Scalar]:
        """The slope at a stage; with the last one of an inner step, whether that will do."""
        s, inner, slopes, _ = attempt
        length, system = inner.length, self.system
        a = [lookup(tuple(r[j] if j < k else 0.0 for k, r in enumerate(A)), s)
             for j in range(self.stages - 1)]  # fmt: skip
        x = [y + length * dot(a, column(slopes, i, len(a))) for i, y in enumerate(inner.y)]
        rates = slope(system, like(system, self.state, x, inner.t + lookup(C, s) * length))
        finite = where(dot([1.0] * len(x), [absolute(x) for x in rates]) < math.inf, 1.0, 0.0)
        for i, rate in enumerate(rates):
            slopes = slopes.set((s, i), where(finite, rate, 0.0))
        ahead = Attempt(s + 1.0, inner, slopes, 0.0)
        (s, inner, stuck, done), _, _ = iterate(
            lambda _: (self.judged(ahead, finite), 1.0),
            (ahead.s, inner, 0.0, where(s == ALL - 1.0, 1.0, 0.0)),
            1,
            where(s == STAGES - 1.0, 1.0, 1.0 - finite),
            name="error",
        )
        return Attempt(s, inner, slopes, stuck), done

    def judged(self, attempt: Attempt, finite: Scalar) -> tuple[Scalar, Inner, Scalar, Scalar]:
        """The stage and inner step to go on with, whether that got stuck, and whether it is all."""
        s, inner, slopes, _ = attempt
        accepted, following, worst, end = self.outcome(inner, slopes, finite)
        covers, long = self.covers(inner), where(inner.length > 1.5 * self.h, 1.0, 0.0)
        read, ends = accepted * covers * long, accepted * covers * (1.0 - long)
        left = accepted - read  # its end is where the next one starts
        t = where(left, self.reached(inner, covers, long), inner.t)
        shortest = FEWEST * epsilon(s) * (absolute(inner.t) + self.h)
        stuck = where(following < shortest, 1.0 - accepted, 0.0)
        after = Inner(
            t,
            select(left, end, inner.y),
            where(read, inner.length, where(ends, following, self.length(t, following))),
            end,
            read * following,
        )
        return read * s, after, stuck * (1.0 + worst), maximum(ends, stuck)

    def reached(self, inner: Inner, covers: Scalar, long: Scalar) -> Scalar:
        """When an inner step ends that is not read off: with a step, or before."""
        end, now = inner.t + inner.length, self.state.t
        long = where(absolute(end - now) < 0.5 * self.h, long, 0.0)
        return where(long, now, where(covers, self.end, end))

    def outcome(self, inner: Inner, slopes: Array, finite: Scalar) -> Outcome:
        """What comes of an inner step (HNW93 II.5, with the error of DOP853)."""
        n, length = len(inner.y), inner.length
        K = [column(slopes, i, STAGES) for i in range(n)]
        y = [x + length * dot(A[END], k) for x, k in zip(inner.y, K, strict=True)]
        size = [
            self.tolerance * (scale + maximum(absolute(a), absolute(b)))
            for scale, a, b in zip(scales(self.system), inner.y, y, strict=True)
        ]
        fifth, third = ([dot(e, k) / x for k, x in zip(K, size, strict=True)] for e in (E5, E3))
        five, three = dot(fifth, fifth), dot(third, third)
        norm = sqrt(n * (five + 0.01 * three))
        error = length * five / where(norm > 0.0, norm, 1.0)
        accepted = where(error < 1.0, finite, 0.0)
        known = where(where(error < 1e30, finite, 0.0), maximum(error, 1e-30), 1e30)
        factor = SAFETY * exp(floor(-log(known) * (FINE / 8.0)) / FINE)
        factor = minimum(maximum(factor, LEAST), MOST)
        at = self.system.tree.nq
        worst = largest_at(fifth[at : at + self.system.tree.nv] or [0.0])
        good = tidied(self.system, like(self.system, self.state, y, inner.t + length))
        end = select(accepted, flat(self.system, good), inner.end)
        return Outcome(accepted, factor * length, worst, end)

    def curve(self, inner: Inner, slopes: Array) -> list[Scalar]:
        """The curve of an inner step: seven terms of each state (HNW93 II.6)."""
        length = inner.length
        K = [[length * x for x in column(slopes, i, ALL)] for i in range(len(inner.y))]
        gone = [dot(A[END], k[:END]) for k in K]
        terms = [
            gone,
            [k[0] - x for k, x in zip(K, gone, strict=True)],
            [2.0 * x - k[0] - k[END] for k, x in zip(K, gone, strict=True)],
            *([dot(d, k) for k in K] for d in D),
        ]
        return [x for term in terms for x in term]

    def on_curve(self, inner: Inner, curve: Sequence[Scalar]) -> list[Scalar]:
        """All states at the end."""
        n = len(inner.y)
        x = (self.end - inner.t) / inner.length
        y = [0.0] * n
        for k in reversed(range(7)):
            by = x if k % 2 == 0 else 1.0 - x
            y = [by * (a + b) for a, b in zip(y, curve[k * n : (k + 1) * n], strict=True)]
        return [a + b for a, b in zip(inner.y, y, strict=True)]


class Attempt(NamedTuple):
    """An inner step that is being made: the next stage, and slopes at those before."""

    s: Scalar
    inner: Inner
    slopes: Array
    stuck: Scalar


class Outcome(NamedTuple):
    """What comes of an inner step.

    Attributes:
        accepted: whether it will do.
        following: length of the next one, or of the next attempt.
        worst: the velocity with the largest error.
        end: all states at its end, if it will do.
    """

    accepted: Scalar
    following: Scalar
    worst: Scalar
    end: list[Scalar]


def column(slopes: Array, i: int, stages: int) -> list[Scalar]:
    """Slopes of one state at the first stages."""
    return [slopes[j, i] for j in range(stages)]


def slope(system: System, state: State) -> list[Scalar]:
    """Rates of all states."""
    tree = system.tree.at(state.q, state.qd)
    zero = tree.at_rest()
    along = tree.vector(state.qd)
    moving = [dot(row, along) for row in jacobian(integrate, "dq")(tree, state.q, zero)]
    more = system.rates(state)
    qdd = tree.vector(system.acceleration(state)[0])
    return [*moving, *qdd, *(x for name in state.more for x in more[name])]


def tidied(system: System, state: State) -> State:
    """Good coordinates, with those that are fixed where they should be."""
    q, qd = normalize(system.tree, state.q, state.qd)
    state = projected(system, system.consistent(replace(state, q=q, qd=qd)))
    return replace(state, more=system.tidied(state.more))


def flat(system: System, state: State) -> list[Scalar]:
    """All states, one behind the other."""
    more = (x for each in state.more.values() for x in each)
    return [*system.tree.vector(state.q), *system.tree.vector(state.qd), *more]


def like(system: System, state: State, y: Sequence[Scalar], t: Scalar) -> State:
    """The state of such a list, with those that another one has."""
    rest = iter(y)
    q, qd = ([next(rest) for _ in range(n)] for n in (system.tree.nq, system.tree.nv))
    more = {name: [next(rest) for _ in x] for name, x in state.more.items()}
    return system.state(t, q, qd, more)


def scales(system: System) -> list[float]:
    """Sizes of errors in all states that matter alike."""
    each = (v for element in system.elements for v in element.variables.values())
    return [1.0] * (system.tree.nq + system.tree.nv) + [
        v.scale for v in each for _ in range(v.size)
    ]


def depends_on_time(system: System, state: State) -> bool:
    """Whether what acts does so by time, or comes from outside step by step."""
    if system.tau is not None:
        return True
    with Graph.inside() as graph:
        t = graph.input()
        now = state.at(t)
        loads, rates, rows = system.loads(now), system.rates(now), system.acceleration_rows(now)
        forces = [x for f in loads.f_ext for x in (*f.ang, *f.lin)]
        found = [*forces, *(x for joint in loads.tau for x in joint)]
        found += [x for each in rates.values() for x in each]
        found += [x for row in rows for x in (row.b, *row.G.values())]
        needed = graph.needed([graph.lift(x) for x in found])
    return t.position in needed
