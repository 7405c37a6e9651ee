"""Methods about joints that follow others: hyper-reduced coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from .._algorithms.coordinate_rates import unreduced_coordinates as unreduced_page
from .._figure.figure import Array
from .._figure.reduction import reduction
from ..errors import ModelError
from .computed import computed_by

if TYPE_CHECKING:
    from .model import Model

AnyModel = TypeVar("AnyModel", bound="Model")


def reduced(
    self: AnyModel,
    function: Callable[[tuple], Mapping[str, Any]],
    size: int = 1,
    *,
    name: str = "y",
    neutral: float | Sequence[float] = 0.0,
    lower: float | Sequence[float] = -math.inf,
    upper: float | Sequence[float] = math.inf,
) -> AnyModel:
    """A model whose joints follow new coordinates y: q = f(y), hyper-reduced (S19 2.76).

    Joints that the function does not name keep coordinates of their own, behind y.

    Args:
        function: f; it takes y, a tuple of `size` scalars, and returns a dict with the
            coordinates of joints by name. It is traced once: slopes come from the graph.
        size: how many coordinates y has.
        name: what to call y among `joint_names`.
        neutral: where y starts, one number or one each; the map should not be singular there.
        lower: lower limits of y.
        upper: upper limits of y.
    """
    refuse_reduced(self, "Reduce `model.unreduced()`, by one map.")
    given = reduction(function, size, name, neutral, lower, upper)
    return self._with(reduction=given)


def unreduced(self: AnyModel) -> AnyModel:
    """A model in which every joint moves by itself, and none follows others."""
    return self._with(reduction=None, mimic=False)


@computed_by(unreduced_page)
def unreduced_coordinates(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Coordinates of all joints, those that follow others too: `q` of `unreduced()`."""
    ...


def refuse_reduced(model: Model, what: str) -> None:
    """Refuse a model that has a map already."""
    if model.figure.description.reduction is not None:
        raise ModelError(
            f"`{model.name}` is reduced: joints of it follow coordinates by a map. {what}"
        )
