"""Methods that make models with other joints or links: fixed, apart, or hung on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._figure.edit import attached, locked, unmerged
from .._figure.figure import Figure
from .._figure.user_input import as_numbers
from .._tree.placement import as_placement
from ..errors import ModelError, ShapeError
from .reduction_methods import refuse_reduced

if TYPE_CHECKING:
    from .model import Model

AnyModel = TypeVar("AnyModel", bound="Model")


def lock(self: AnyModel, joints: Sequence[str], q: ArrayLike) -> AnyModel:
    """A model in which some joints are fixed where the coordinates `q` of this one have them.

    Their bodies become part of what they hang on, and frames.
    """
    chosen = (joints,) if isinstance(joints, str) or not np.iterable(joints) else tuple(joints)
    for joint in chosen:
        self.joint_number(joint)
    values = as_numbers(q, "`q`")
    if values.shape != (self.nq,) or not np.all(np.isfinite(values)):
        raise ShapeError(
            f"`q` has shape {values.shape}; give the finite coordinates of one pose, "
            f"({self.nq},), such as `model.neutral()`."
        )
    return self._with(**locked(self.figure, chosen, values.tolist()))


def unmerge(self: AnyModel, links: Sequence[str]) -> AnyModel:
    """A model in which some fixed links are bodies of their own, with no coordinates.

    The wrench through their joints can be asked for then (`joint_wrenches`), as force sensors
    read it, and so can the one that holds up the figure's base. A link that is fixed to the
    world counts in mass, centre of mass and energy, then.
    """
    chosen = (links,) if isinstance(links, str) or not np.iterable(links) else tuple(links)
    return self._with(links=unmerged(self.figure, chosen))


def attach(
    self: AnyModel,
    other: Model,
    parent: str,
    *,
    placement: Any = (0.0, 0.0, 0.0),
    prefix: str = "",
    name: str | None = None,
) -> AnyModel:
    """A model with another one hung on a body or frame of this one.

    Args:
        other: the model to attach; its root joints stay what they are.
        parent: body or frame of this model that becomes its world; "hand.com" hangs it on the
            centre of mass of a link.
        placement: where its world is in the parent: a position, a 4 x 4 pose or `ar.pose(...)`.
        prefix: put before the names of its bodies and joints.
        name: name of the result; that of this model when left out.
    """
    if not isinstance(getattr(other, "figure", None), Figure):
        raise ModelError(f"`other` is {other!r}. Give the `ar.Model` to attach.")
    link, X = self.figure.link(parent)
    refuse_reduced(other, "Attach `model.unreduced()`, and reduce the result.")
    both = attached(self.links, other.links, link, as_placement(placement) @ X, prefix)
    strict = self.figure.description.strict and other.figure.description.strict
    return self._with(links=both, name=name or self.name, strict=strict)
