"""A page at some times of a phase, as a function of the unknowns, with two derivatives.

Coordinates at a time depend on a few controls, forces on a few others, and both on the duration T:
a rate over a unit of time is divided by T, and that of the rate by its square. What is linear is
put in as a matrix A by which derivatives of the page are multiplied; what bends, turns and T, is
added.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._algorithms.spline_motion import law_of, spline_bending, spline_slopes
from .._figure.figure import Array
from .._model.model import Model
from .._pages.compiled import compile as compiled
from .bsplines import Indices
from .sampled_page import RATES, SampledPage
from .splined_motion import splines
from .unknowns import Unknowns


class SampledPoint(NamedTuple):
    """Where the unknowns are, seen from samples.

    Attributes:
        controls: those that each sample depends on, (samples, n, nq); of results that are linear in
            the unknowns all that it depends on, (samples, unknowns), and nothing is given.
        given: inputs of the page.
        duration: of the phase [s].
        known: what was computed there already.
    """

    controls: Array
    given: dict[str, Array]
    duration: float
    known: dict[str, Array]


class Samples:
    """A page at times of a phase.

    Attributes:
        view: equal for samples that see the same page at the same times.

    Args:
        layout: the unknowns.
        phase: number of the phase.
        times: parts of it, from 0 to 1.
        page: what is computed there.
        combine: rows by which its numbers are multiplied, (results, numbers).
        data: further inputs of the page, for each of the times.
    """

    def __init__(
        self, layout: Unknowns, phase: int, times: Array, page: SampledPage,
        combine: Array | None = None, data: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        self.layout, self.phase, self.page = layout, phase, page
        self.times, self.combine, self.data = np.atleast_1d(times), combine, dict(data or {})
        self.own, self.model = layout.phases[phase], layout.model
        self.first, self.B = self.own.knots.local(self.times)
        self.force_first, self.force_B = self.own.force_knots.local(self.times)
        self.view = (phase, id(page), self.times.tobytes()) if not self.data else id(self)
        self.columns = self._columns()
        self._slow, self._pairs = (
            functools.lru_cache(maxsize=1)(f) for f in (self._slowed, self._products)
        )

    @functools.cached_property
    def linear(self) -> bool:
        """Whether results are linear in the unknowns."""
        return self.page.linear and self.own.duration is None and not turning(self.model)

    @property
    def bends(self) -> bool:
        """Whether second derivatives of results count."""
        return self.page.exact and not self.linear

    def _columns(self) -> Indices:
        """Numbers of the unknowns that each sample depends on."""
        own, rows, nv = self.own, len(self.times), self.model.nv
        controls = own.first + self.first[:, None] + np.arange(self.B.shape[-1])
        found = [(controls[..., None] * nv + np.arange(nv)).reshape(rows, -1)]
        if "forces" in self.page.names:
            width = 3 * len(own.points)
            each = self.force_first[:, None] + np.arange(self.force_B.shape[-1])
            each = own.forces + each[..., None] * width + np.arange(width)
            found.append(each.reshape(rows, -1))
        if own.duration is not None:
            found.append(np.full((rows, 1), own.duration))
        return np.concatenate(found, 1)

    def at(self, x: Array) -> SampledPoint:
        """Where the unknowns are."""
        if self.linear:
            return SampledPoint(x[self.columns], {}, self.own.given, {})
        return self._sampled(x)

    def _sampled(self, x: Array) -> SampledPoint:
        """The same with inputs of the page."""
        layout, own = self.layout, self.own
        T = layout.duration(x, self.phase)
        local = layout.split(x)[0][own.first + self.first[:, None] + np.arange(self.B.shape[-1])]
        given = dict(self.data)
        for (name, power), rate in zip(
            RATES.items(), splines(self.model, local, self.B), strict=True
        ):
            given[name] = rate / T**power
        if "forces" in self.page.inputs:
            given["forces"] = np.zeros((len(self.times), *self.page.shapes["forces"]))
            each = self.force_first[:, None] + np.arange(self.force_B.shape[-1])
            pushed = np.einsum(
                "sk,skpc->spc", self.force_B[:, 0], layout.world_forces(x, self.phase)[each]
            )
            given["forces"][:, list(own.points)] = pushed
        return SampledPoint(local, given, T, {})

    def values(self, point: SampledPoint) -> Array:
        """Results at all samples, (samples, results)."""
        if self.linear:
            offsets, slopes = self._line
            return offsets + (slopes @ point.controls[..., None])[..., 0]
        return self._combined(self._page_values(point))

    def slopes(self, point: SampledPoint) -> Array:
        """Their derivatives by the unknowns of each sample, (samples, results, unknowns)."""
        return self._line[1] if self.linear else self._slopes(point)

    @functools.cached_property
    def _line(self) -> tuple[Array, Array]:
        """Results where all unknowns are nothing, and slopes, of those that are linear."""
        return self._combined(self._page_values(self.origin)), self._slopes(self.origin)

    @functools.cached_property
    def origin(self) -> SampledPoint:
        """Where all unknowns are nothing, with inputs of the page also if results are linear."""
        return self._sampled(np.zeros(self.layout.size))

    def _slopes(self, point: SampledPoint) -> Array:
        by_inputs = self._page_slopes(point)
        by_inputs = by_inputs if self.combine is None else self.combine @ by_inputs
        return self._by_unknowns(point, by_inputs)

    def _combined(self, found: Array) -> Array:
        return found if self.combine is None else found @ self.combine.T

    def bending(
        self, point: SampledPoint, weights: Array, squares: Array | None = None, group: int = 1
    ) -> Array:
        """Second derivatives of the sum of weights times results, and of squares of them.

        Args:
            point: where the unknowns are.
            weights: of the results.
            squares: of squares of their slopes, which are added.
            group: how many samples behind each other depend on the same unknowns; they are summed.
        """
        weights = weights if self.combine is None else weights @ self.combine
        by_inputs = self._page_slopes(point)
        g = (weights[:, None] @ by_inputs)[:, 0]
        H = self.page.second(point.given, weights)
        if squares is not None:
            H += by_inputs.swapaxes(1, 2) @ (squares[..., None] * by_inputs)
        found = self._by_plain_controls(point, H, group)
        for place, rows in self._by_others(point, H, group):
            found[:, place] = rows
            found[:, :, place] = rows.swapaxes(1, 2)
        if self.page.exact:
            self._bend_turns(found, point, g, group)
            if self.own.duration is not None:
                self._bend_time(found, point, g, group)
        return found

    def _rates(self) -> list[tuple[int, slice]]:
        """Powers of the duration, and places, of the page's inputs that controls make."""
        places = self.page.places
        return [(power, places[name]) for name, power in RATES.items() if name in places]

    def _by_plain_controls(self, point: SampledPoint, H: Array, group: int) -> Array:
        """Second derivatives by controls, as if all joints had plain coordinates."""
        samples, n, nv = len(H), self.B.shape[-1], self.model.nv
        rates, width = len(self._rates()), self.columns.shape[1]
        found = np.zeros((samples // group, width, width))
        if rates:
            blocks = H[:, : rates * nv, : rates * nv].reshape(samples, rates, nv, rates, nv)
            blocks = blocks.swapaxes(2, 3).reshape(samples // group, -1, nv * nv)
            summed = (self._pairs(point.duration, group) @ blocks).reshape(-1, n, n, nv, nv)
            by_controls = summed.swapaxes(2, 3).reshape(-1, n * nv, n * nv)
            found[:, : n * nv, : n * nv] = by_controls
        return found

    def _slowed(self, T: float) -> Array:
        """Basis functions, and the rates of them that the page takes, (samples, n, rates)."""
        return np.stack([self.B[:, power] / T**power for power, _ in self._rates()], -1)

    def _products(self, T: float, group: int) -> Array:
        """Products of these by pairs, (groups, n n, samples of a group and pairs of rates)."""
        samples, n, rates = (b := self._slowed(T)).shape
        pairs = b[:, :, None, :, None] * b[:, None, :, None, :]
        pairs = pairs.reshape(samples // group, group, n * n, rates * rates)
        return pairs.swapaxes(1, 2).reshape(samples // group, n * n, -1)

    def _by_others(self, point: SampledPoint, H: Array, group: int) -> Iterator[tuple]:
        """Second derivatives by all and by those that turn, push or last, and their places."""
        samples, n, nv, T = len(H), self.B.shape[-1], self.model.nv, point.duration
        for joint, q, v in turning(self.model):
            slopes = self._turn_slopes(point, joint, q).reshape(samples, 3, v.stop - v.start, -1)
            rows = np.zeros((samples, slopes.shape[-1], H.shape[-1]))
            for power, place in self._rates():
                rows += slopes[:, power].swapaxes(1, 2) @ H[:, place][:, v] / T**power
            at = (np.arange(n)[:, None] * nv + np.arange(v.start, v.stop)).ravel()
            yield at, self._summed(self._by_unknowns(point, rows), group)
        start = n * nv
        if "forces" in self.page.places and self.own.points:
            pushed = H[:, self.page.places["forces"]].reshape(samples, -1, 3, H.shape[-1])
            along = np.einsum("spcw,pac->spaw", pushed[:, list(self.own.points)], self.own.axes)
            rows = self._by_unknowns(point, along.reshape(samples, -1, H.shape[-1]))
            count, each = self.force_B.shape[-1], rows.shape[1]
            B = self.force_B[:, 0].reshape(samples // group, group, count).swapaxes(1, 2)
            rows = B @ rows.reshape(samples // group, group, -1)
            rows = rows.reshape(samples // group, count * each, -1)
            yield slice(start, start + count * each), rows
        if self.own.duration is not None:
            rows = self._slower(point, H)
            yield slice(-1, None), self._summed(self._by_unknowns(point, rows[:, None]), group)

    def _slower(self, point: SampledPoint, by_inputs: Array) -> Array:
        """By the duration of what is a function of the page's inputs, in the second axis."""
        found = np.zeros((len(by_inputs), by_inputs.shape[-1]))
        for name, place in self.page.places.items():
            if power := RATES.get(name, 0):
                by = point.given[name] * (-power / point.duration)
                found += (by[:, None] @ by_inputs[:, place])[:, 0]
        return found

    def _summed(self, found: Array, group: int) -> Array:
        return found.reshape(-1, group, *found.shape[1:]).sum(1)

    def _once(self, point: SampledPoint, name: str, compute: Callable[[], Array]) -> Array:
        if name not in point.known:
            point.known[name] = compute()
        return point.known[name]

    def _page_values(self, point: SampledPoint) -> Array:
        return self._once(point, "values", lambda: self.page.values(point.given))

    def _page_slopes(self, point: SampledPoint) -> Array:
        return self._once(point, "by inputs", lambda: self.page.slopes(point.given))

    def _by_unknowns(self, point: SampledPoint, by_inputs: Array) -> Array:
        """Derivatives by the unknowns of those by the page's inputs, (samples, any, inputs)."""
        samples, rows, _ = by_inputs.shape
        places = self.page.places
        found = [self._by_controls(point, by_inputs).reshape(samples, rows, -1)]
        if "forces" in places:
            pushed = by_inputs[..., places["forces"]].reshape(samples, rows, -1, 3)
            along = np.einsum("srpc,pac->srpa", pushed[:, :, list(self.own.points)], self.own.axes)
            each = along[:, :, None] * self.force_B[:, None, 0, :, None, None]
            found.append(each.reshape(samples, rows, -1))
        if self.own.duration is not None:
            found.append(self._slower(point, by_inputs.swapaxes(1, 2))[..., None])
        return np.concatenate(found, -1) if len(found) > 1 else found[0]

    def _by_controls(self, point: SampledPoint, by_inputs: Array) -> Array:
        """Derivatives by controls, (samples, any, n, nv)."""
        rates = self._rates()
        if not rates:
            nv, (samples, _, n) = self.model.nv, self.B.shape
            return np.zeros((samples, by_inputs.shape[1], n, nv))
        each = by_inputs[..., : len(rates) * self.model.nv]
        each = each.reshape(*each.shape[:2], len(rates), -1)
        found = self._slow(point.duration)[:, None] @ each
        for joint, q, v in turning(self.model):
            slopes = self._turn_slopes(point, joint, q)
            found[..., v] = 0.0
            for power, place in rates:
                by = slopes[:, power] / point.duration**power
                found[..., v] += np.einsum("sri,sikj->srkj", by_inputs[..., place][..., v], by)
        return found

    def _turn_slopes(self, point: SampledPoint, joint: Any, q: slice) -> Array:
        """Derivatives of a turning joint's q, qd and qdd, (samples, 3, nv, n, nv) of that joint."""
        kernel = turn_kernel(self.model, spline_slopes, joint, self.B.shape[-1])
        controls = np.ascontiguousarray(point.controls[..., q])
        return self._once(point, f"turns {q.start}", lambda: kernel(controls, self.B))

    def _bend_turns(self, found: Array, point: SampledPoint, g: Array, group: int) -> None:
        """Add what turns add: coordinates of theirs are no sums of their controls."""
        nv, (rows, _, n) = self.model.nv, self.B.shape
        for joint, q, v in turning(self.model):
            weights = np.zeros((rows, 3, v.stop - v.start))
            for power, place in self._rates():
                weights[:, power] = g[:, place][:, v] / point.duration**power
            kernel = turn_kernel(self.model, spline_bending, joint, n, weights=weights.shape[1:])
            (H,) = kernel(np.ascontiguousarray(point.controls[..., q]), self.B, weights)
            at = (np.arange(n)[:, None] * nv + np.arange(v.start, v.stop)).ravel()
            found[:, at[:, None], at] += self._summed(H, group)

    def _bend_time(self, found: Array, point: SampledPoint, g: Array, group: int) -> None:
        """Add what a duration adds, the last of the unknowns."""
        T, slower, twice = point.duration, np.zeros_like(g), np.zeros(len(g))
        for name, place in self.page.places.items():
            if power := RATES.get(name, 0):
                slower[:, place] = g[:, place] * (-power / T)
                twice += (g[:, place] * point.given[name]).sum(-1) * (power * (power + 1) / T**2)
        mixed = self._by_controls(point, slower[:, None]).reshape(len(g), -1)
        mixed, width = self._summed(mixed, group), mixed.shape[1]
        found[:, -1, :width] += mixed
        found[:, :width, -1] += mixed
        found[:, -1, -1] += self._summed(twice, group)


def turning(model: Model) -> list[tuple[Any, slice, slice]]:
    """Joints that turn freely, and where their coordinates and velocities are."""
    return model.memo("turning joints", lambda: _turning(model))


def _turning(model: Model) -> list[tuple[Any, slice, slice]]:
    tree, found = model.tree, []
    for i, joint in enumerate(tree.joint):
        if joint.nq != joint.nv and i not in tree.followers:
            places = (slice(s[i], s[i + 1]) for s in (tree.q_start, tree.v_start))
            found.append((law_of(joint), *places))
    return found


def plain_coordinates(model: Model) -> tuple[Indices, Indices]:
    """Which positions, and which velocities, are coordinates that bounds can be put on."""
    q, v = np.ones(model.nq, bool), np.ones(model.nv, bool)
    for _, own_q, own_v in turning(model):
        q[own_q], v[own_v] = False, False
    return np.flatnonzero(q), np.flatnonzero(v)


def turn_kernel(model: Model, page: Any, joint: Any, n: int, **shapes: tuple) -> Any:
    """A page of one joint that turns freely, compiled once for a model."""
    shapes = {"controls": (n, joint.nq), "basis": (3, n)} | shapes
    whole = functools.partial(page, joint=joint)
    key = ("turns", page, joint, *shapes.items())
    return model.memo(key, lambda: compiled(whole, model, shapes=shapes))
