"""Sums of coordinates that are listed by body."""

from __future__ import annotations

from .._spatial.scalar import Scalar
from .tree import BodyList


def scale_list(x: BodyList, k: Scalar) -> BodyList:
    """k x"""
    return BodyList([(), *(tuple(a * k for a in entry) for entry in x[1:])])


def step_list(x: BodyList, rate: BodyList, h: Scalar) -> BodyList:
    """x + h rate"""
    pairs = zip(x[1:], rate[1:], strict=True)
    return BodyList([(), *(tuple(a + b * h for a, b in zip(*p, strict=True)) for p in pairs)])


def add_lists(x: BodyList, y: BodyList) -> BodyList:
    """x + y"""
    return step_list(x, y, 1.0)
