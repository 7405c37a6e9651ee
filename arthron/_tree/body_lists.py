"""Sums of coordinates that are listed by body."""

from __future__ import annotations

from typing import TypeVar

from .._spatial.scalar import Scalar
from .tree import BodyList

AnyList = TypeVar("AnyList", bound=BodyList)


def scale_list(x: AnyList, k: Scalar) -> AnyList:
    """k x, which holds what x does: forces, or coordinates."""
    return type(x)(tuple(a * k for a in entry or ()) for entry in x)


def step_list(x: AnyList, rate: BodyList, h: Scalar) -> AnyList:
    """x + h rate, which holds what x does."""
    first = x[0] or (0.0,) * len(rate[0] or ()), rate[0] or (0.0,) * len(x[0] or ())
    pairs = [first, *zip(x[1:], rate[1:], strict=True)]
    return type(x)(tuple(a + b * h for a, b in zip(*pair, strict=True)) for pair in pairs)


def add_lists(x: AnyList, y: BodyList) -> AnyList:
    """x + y, which holds what x does."""
    return step_list(x, y, 1.0)
