"""The arguments of a call on arrays: bound to names, checked, or refused with what to do."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._graph.program import Shape
from ..errors import ShapeError, nearest


@dataclass(frozen=True)
class Arguments:
    """What a page takes, and how to say that something else came.

    Attributes:
        call: name of what is called.
        owner: name of the model.
        inputs: name and shape of each array, without the batch.
        optional: inputs that may be left out.
        hints: what to add when an input has the wrong shape.
    """

    call: str
    owner: str
    inputs: Mapping[str, Shape]
    optional: frozenset[str] = frozenset()
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def required(self) -> tuple[str, ...]:
        """Inputs that must be given."""
        return tuple(n for n in self.inputs if n not in self.optional)

    @property
    def _optional(self) -> tuple[str, ...]:
        return tuple(n for n in self.inputs if n in self.optional)

    def signature(self) -> inspect.Signature:
        """The signature of the call, with `out`."""
        both, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter(n, both) for n in self.required]
        parameters += [inspect.Parameter(n, both, default=None) for n in self._optional]
        return inspect.Signature([*parameters, inspect.Parameter("out", keyword, default=None)])

    def bind(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Arrays by name, in the order of the kernel; optional ones left out when None."""
        names = (*self.required, *self._optional)
        call = f"`{self.call}({', '.join(names)})`"
        if len(args) > len(names):
            raise ShapeError(f"{call} was given {len(args)} arrays, and takes {len(names)}.")
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names:
                raise ShapeError(f"{call} has no input {name!r}.{nearest(name, names)}")
            if name in given:
                raise ShapeError(f"{call} was given `{name}` twice, by position and by name.")
            given[name] = value
        missing = [n for n in self.required if given.get(n) is None]
        if missing:
            raise ShapeError(f"{call} was called without `{missing[0]}`.")
        return {n: self._array(n, given[n]) for n in self.inputs if given.get(n) is not None}

    def batch(self, arrays: Mapping[str, np.ndarray]) -> Shape:
        """The leading axes of all arrays, broadcast."""
        return broadcast_leads(
            {f"`{n}`": a.shape[: a.ndim - len(self.inputs[n])] for n, a in arrays.items()}
        )

    def _array(self, name: str, value: Any) -> np.ndarray:
        shape = self.inputs[name]
        needed = f"(..., {', '.join(map(str, shape))})" if shape else "(...)"
        try:
            array = np.asarray(value)
        except ValueError:
            raise ShapeError(
                f"`{name}` has rows of unequal length. Give an array of shape {needed}."
            ) from None
        if array.dtype.kind not in "fiub":
            raise ShapeError(
                f"`{name}` holds {array.dtype} values. Give real numbers (float64 or float32)."
            )
        if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
            extra = {"q": 7, "qd": 6, "qdd": 6, "tau": 6}.get(name, 0)
            free = extra and array.shape[-1:] == (shape[-1] + extra,)
            root = " The base is fixed; `ar.load(file, root=ar.Free())` frees it." if free else ""
            raise ShapeError(
                f"`{name}` has shape {array.shape} but `{self.owner}` needs {needed}"
                f"{self.hints.get(name, '.')}{root}"
            )
        return array


def broadcast_leads(leads: Mapping[str, Shape]) -> Shape:
    """The leading axes of everything that is given, together."""
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        listed = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ShapeError(
            f"leading axes do not broadcast: {listed}. They must be equal, or 1, or absent, as in "
            "NumPy."
        ) from None
