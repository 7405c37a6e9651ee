"""A page with its first two derivatives, each one native call over all samples."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._pages.compiled import compile as compiled
from .._pages.differentiate import hessian, jacobian
from .._pages.takes import Page

VARIED = ("q", "qd", "qdd", "tau", "forces")
"""Inputs that the unknowns of a motion make, and controls."""
RATES = {"q": 0, "qd": 1, "qdd": 2}
"""Those that controls of splines make, and by which power of the duration each is divided."""


class SampledPage:
    """A page of q, qd, qdd, tau, forces and of data, as functions of arrays with a row a sample.

    Args:
        page: what it is.
        model: of which figure.
        shapes: those of `forces` and of data, of one sample.
        exact: whether it has second derivatives; else they count as nothing (Gauss-Newton).
    """

    def __init__(
        self, page: Page, model: Model, shapes: Mapping[str, tuple[int, ...]], exact: bool = True
    ) -> None:
        given = inspect.signature(page).parameters.values()
        self.inputs = [p.name for p in given if p.default is p.empty][1:]
        self.page, self.model, self.exact = page, model, exact
        self.shapes = {name: shape for name, shape in shapes.items() if name in self.inputs}
        points = self.shapes.get("forces", (0, 3))[0]
        varied = [name for name in VARIED if name != "forces" or points]
        self.names = [name for name in varied if name in self.inputs]
        sizes = [3 * points if name == "forces" else model.nv for name in self.names]
        ends = np.cumsum([0, *sizes])
        self.places = {n: slice(a, b) for n, a, b in zip(self.names, ends, ends[1:], strict=False)}
        self.width = int(ends[-1])

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self._value_shape))

    def values(self, given: Mapping[str, Array]) -> Array:
        """Its numbers, (samples, numbers)."""
        found = self._value(*self._arguments(given))
        return found.reshape(len(found), -1)

    def slopes(self, given: Mapping[str, Array]) -> Array:
        """Derivatives of all numbers by the varied inputs, (samples, numbers, inputs)."""
        found = self._slopes(*self._arguments(given))
        rows = len(found[0])
        return np.concatenate([
            x.reshape(rows, -1, p.stop - p.start)
            for x, p in zip(found, self.places.values(), strict=True)
        ], -1)  # fmt: skip

    @functools.cached_property
    def linear(self) -> bool:
        """Whether all its second derivatives are known to be nothing, whatever the inputs."""
        return not self.names or (self.exact and self._second.op_count == 0)

    def second(self, given: Mapping[str, Array], weights: Array) -> Array:
        """Second derivatives of the sum of weights times the numbers, (samples, inputs, inputs)."""
        if not self.exact:
            return np.zeros((len(weights), self.width, self.width))
        shape = (len(weights), *self._value_shape)
        found = self._second(*self._arguments(given), weights.reshape(shape))
        H = np.empty((len(weights), self.width, self.width))
        for (a, b), block in zip(self._pairs, found, strict=True):
            rows, columns = self.places[a], self.places[b]
            H[:, rows, columns] = block = block.reshape(H[:, rows, columns].shape)
            H[:, columns, rows] = block.swapaxes(1, 2)
        return H

    def _arguments(self, given: Mapping[str, Array]) -> list[Array]:
        return [np.ascontiguousarray(given[name]) for name in self.inputs]

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        return [(a, b) for k, a in enumerate(self.names) for b in self.names[k:]]

    @functools.cached_property
    def _value(self) -> Any:
        return compiled(self.page, self.model, shapes=self.shapes)

    @functools.cached_property
    def _value_shape(self) -> tuple[int, ...]:
        zeros = {"q": self.model.neutral(), "qd": np.zeros(self.model.nv)}
        zeros |= {"qdd": zeros["qd"], "tau": zeros["qd"]}
        zeros |= {name: np.zeros(shape) for name, shape in self.shapes.items()}
        zeros |= {"q0": zeros["q"], "q1": zeros["q"]}
        return np.shape(self._value(*(zeros[name] for name in self.inputs)))

    @functools.cached_property
    def _slopes(self) -> Any:
        page, names = self.page, self.names

        @functools.wraps(page)
        def by_all(tree: Any, *args: Any, **given: Any) -> tuple:
            return tuple(jacobian(page, name)(tree, *args, **given) for name in names)

        by_all.__name__ = "slopes_of_samples"
        return compiled(by_all, self.model, shapes=self.shapes)

    @functools.cached_property
    def _second(self) -> Any:
        page = hessian(self.page, *self._pairs)
        return compiled(page, self.model, shapes=self.shapes | {"weights": self._value_shape})
