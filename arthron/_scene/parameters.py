"""The numbers of a scene: which of them are inputs of what is compiled, and which are folded.

Every float of an element, of a controller, of gravity and of the damping of joints is an input, so
that another value compiles nothing. Zeros, ones and infinities are folded into the program, which
is shorter for it, unless they are named; so are inertias and placements.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._spatial.scalar import Scalar
from ..errors import ModelError, nearest
from .element import Element
from .ranges import Range

Array = np.ndarray
FOLDED = (0.0, 1.0, -1.0, math.inf, -math.inf)
"""Values that are part of the program unless they are named."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A number of a scene, or several under one name.

    Attributes:
        name: "element.field", or that of `ar.parameter`.
        owner: number of the element it belongs to; None of the figure and of `ar.parameter`.
        field: which of the element's.
        value: what it is unless something else is given; NaN where that is known at the start only.
        free: which entries are inputs.
        allowed: what it may be, if not all is meant.
    """

    name: str
    owner: int | None
    field: str
    value: Array
    free: Array
    allowed: Range | None = None

    @property
    def opens_at_start(self) -> bool:
        """Whether its value is that of the state a simulation starts from."""
        return bool(np.isnan(self.value).all()) and self.value.size > 0


def of_element(element: Element, k: int, name: str) -> Iterator[Parameter]:
    """The parameters of an element, the k-th of its scene."""
    open_fields = element.open_at_start
    for field in dataclasses.fields(element):
        value = getattr(element, field.name)
        given = numbers_in(value)
        if field.name in open_fields and given is None:
            given = math.nan
        if given is None and "float" in str(field.type) and isinstance(value, int):
            given = float(value)
        if field.name != "name" and given is not None:
            array = _array(given)
            array = array.reshape(()) if array.size == 1 else array
            own = element.ranges.get(field.name)
            yield Parameter(f"{name}.{field.name}", k, field.name, array, ~folded(array), own)


def _array(given: Any) -> Array:
    """Nested lists as an array, flat where they have unequal lengths."""
    try:
        return np.array(given, float)
    except ValueError:
        return np.concatenate([np.ravel(_array(x)) for x in given])


def folded(array: Array) -> Array:
    """Which numbers are part of the program unless they are named."""
    return np.isin(array, FOLDED)


def numbers_in(value: Any) -> Any:
    """The floats of a field as nested lists, without the names between them; None if it has none.

    >>> numbers_in(("hand", (0.0, 0.0, 0.1)))
    [0.0, 0.0, 0.1]
    """
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.tolist()
    if isinstance(value, float | np.floating):
        return float(value)
    if not isinstance(value, tuple | list):
        return None
    found = [x for x in map(numbers_in, value) if x is not None]
    if not found:
        return None
    return found[0] if len(found) == 1 and len(value) > 1 else found


def put_numbers(value: Any, scalars: Iterator[Scalar]) -> Any:
    """A field with other scalars in place of its floats, in the order of `numbers_in`."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.tolist()
    if isinstance(value, tuple | list):
        return tuple(put_numbers(x, scalars) for x in value)
    return next(scalars) if isinstance(value, float | np.floating) else value


class Parameters:
    """The parameters of a scene, some of them named, packed into one array of inputs.

    Attributes:
        each: all of them, by name.
        layout: where the inputs of each are.
        size: how many inputs there are.
        opened: names of those that the start of a simulation decides.
    """

    def __init__(self, each: Iterable[Parameter], named: Iterable[str] = ()) -> None:
        self.each = {p.name: p for p in each}
        for name in named:
            free = np.ones_like(self.each[name].free)
            self.each[name] = dataclasses.replace(self.each[name], free=free)
        self.layout: dict[str, slice] = {}
        self.size = 0
        for p in self.each.values():
            first, self.size = self.size, self.size + int(p.free.sum())
            self.layout[p.name] = slice(first, self.size)
        values = [p.value[p.free] for p in self.each.values()]
        self._values = np.concatenate(values) if values else np.zeros(0)
        self.opened = [p.name for p in self.each.values() if p.opens_at_start]

    def folded(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of some parameters that are not all inputs."""
        for name in names:
            if name not in self.each:
                raise ModelError(
                    f"no parameter {name!r}.{nearest(str(name), self.each)} `scene.parameters()` "
                    f"lists all {len(self.each)}."
                )
        return tuple(sorted(n for n in set(names) if not self.each[n].free.all()))

    def pack(self, values: Mapping[str, Array]) -> Array:
        """Inputs, (..., size), from values by name with the axes of a batch, (..., *shape).

        Those that are not given are what they are.
        """
        lead = np.broadcast_shapes(*(v.shape[: v.ndim - self.each[n].value.ndim]
                                     for n, v in values.items()))  # fmt: skip
        packed = np.empty((*lead, self.size))
        packed[:] = self._values
        for name, value in values.items():
            _check_range(self.each[name], value)
            packed[..., self.layout[name]] = value[..., self.each[name].free]
        return packed

    def bound(self, inputs: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        """The numbers of each parameter, flat: inputs where they are free."""
        found, rest = {}, iter(inputs)
        for name, p in self.each.items():
            pairs = zip(p.value.ravel().tolist(), p.free.ravel().tolist(), strict=True)
            found[name] = [next(rest) if free else x for x, free in pairs]
        return found

    def structure(self) -> list:
        """What the program depends on: which numbers are inputs, and what the others are."""
        return [
            (p.name, np.where(p.free, np.nan, p.value).ravel().tolist()) for p in self.each.values()
        ]


def _check_range(parameter: Parameter, values: Array) -> None:
    """Refuse values, with the axes of a batch, that an element would not be made with."""
    if parameter.allowed is None or (k := parameter.allowed.bad(values)) is None:
        return
    row = np.unravel_index(k, values.shape)[: values.ndim - parameter.value.ndim]
    at = values[row].tolist()
    which = f" in simulation {', '.join(map(str, row))}" if row else ""
    raise ModelError(
        f"parameter {parameter.name!r} is {at!r}{which}. Give {parameter.allowed.wanted}."
    )


def with_numbers(element: Element, fields: Mapping[str, Sequence[Scalar]]) -> Element:
    """An element with other scalars in some of its fields."""
    changed = copy.copy(element)
    for name in [n for n in vars(element) if _is_cached(type(element), n)]:
        del vars(changed)[name]  # it was made of the numbers as they were
    for name, scalars in fields.items():
        value = getattr(element, name)
        alone = value is None or isinstance(value, int)
        value = scalars[0] if alone else put_numbers(value, iter(scalars))
        object.__setattr__(changed, name, value)
    return changed


def _is_cached(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), functools.cached_property)


class _Asked(threading.local):
    answer: Callable[[str, Any], Any] | None = None


_ASKED = _Asked()


def parameter(name: str, value: Any) -> Any:
    """A number that can be changed without compiling, inside a function of yours.

    Functions of controllers, forces and motions are traced, and what they close over is constant.
    `ar.parameter("gain", 3.0)` in one of them is a parameter of the scene called "gain", which is
    3.0 unless `ar.simulate(..., parameters={"gain": ...})` says otherwise. A list or an array of
    numbers comes as a tuple.
    """
    if not isinstance(name, str) or not name:
        raise ModelError(
            f"a parameter is called {name!r}. Give it a name: `ar.parameter(name, x)`."
        )
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        array = np.asarray(math.nan)
    if not np.isfinite(array).all() or array.ndim > 1:
        raise ModelError(
            f"parameter {name!r} is {value!r}. Give a finite number, or a list of them."
        )
    scalars = array.ravel().tolist() if _ASKED.answer is None else _ASKED.answer(name, array)
    return tuple(scalars) if array.ndim else scalars[0]


class answering:
    """While it is entered, `ar.parameter` gives what a function says.

    Args:
        answer: called with the name and the value; returns the numbers, flat.
    """

    def __init__(self, answer: Callable[[str, Array], Sequence[Scalar]]) -> None:
        self._answer, self._before = answer, None

    def __enter__(self) -> None:
        self._before, _ASKED.answer = _ASKED.answer, self._answer

    def __exit__(self, *error: Any) -> None:
        _ASKED.answer = self._before


def answering_from(known: Mapping[str, Sequence[Scalar]] | None) -> AbstractContextManager:
    """While it is entered, `ar.parameter` gives known numbers, if there are any yet."""
    if known is None:
        return nullcontext()

    def answer(name: str, value: Any) -> Sequence[Scalar]:
        if name not in known:
            raise ModelError(
                f"`ar.parameter({name!r}, ...)` was not met when the scene was made: a function "
                "asks for it only now and then, or none but a page that is watched. Ask for it "
                "always."
            )
        return known[name]

    return answering(answer)
