"""Near a posture without leaving the targets: steps in what the targets leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .step import Limit, dot, step, total
from .targets import Placed, Rows

PULL = 1.0
"""Part of the way to the posture that a step tries to go, at most."""
SHORTER, LONGER, LEAST = 0.5, 1.2, 1e-3
"""What that is multiplied by after a step back and after others, and the least of it."""
STRIDE, NEAR = 0.5, 0.1
"""The longest step towards the posture, and the error up to which steps go there."""


class Slide(NamedTuple):
    """What is carried from pass to pass.

    Attributes:
        pull: part of the way to the posture that a step tries to go.
        moved: the displacement of the pass before.
        push: where coordinates with limits would have gone in the pass before, without them.
    """

    pull: Scalar
    moved: list[Scalar]
    push: list[Scalar]

    @staticmethod
    def begin(nv: int, limits: int) -> Slide:
        """Before the first step."""
        return Slide(PULL, [0.0] * nv, [0.0] * limits)


def restarted(s: Slide, when: Scalar) -> Slide:
    """A slide that begins anew where `when`."""
    moved, push = ([where(when, 0.0, x) for x in xs] for xs in (s.moved, s.push))
    return Slide(where(when, PULL, s.pull), moved, push)


def slide(
    s: Slide,
    placed: Placed,
    rows: Rows,
    q: Sequence[Scalar],
    posture: Any,
    within: Sequence[Limit],
    damping: Scalar,
    when: Scalar,
) -> tuple[list[Scalar], Slide, Scalar]:
    """A step towards the targets and, where `when`, towards the posture in their null space.

    Returns the displacement, what is carried on, and how far from done the posture is: its
    gradient in the null space. Where a step goes back on the one before, that went too far, and the
    next ones are shorter.
    """
    tree = placed.tree
    way = [x for i in tree.bodies if not tree.follow[i]
           for x in tree.joint[i].difference(placed.q[i], posture[i])]  # fmt: skip
    dq, push = step(rows, q, [where(when, s.pull * x, 0.0) for x in way], s.push, within, damping)
    far = sqrt(total(x * x for x in dq))
    slow = where(when, STRIDE / maximum(far, STRIDE), 1.0)
    moved = [x * slow for x in dq]
    back = dot(moved, s.moved) < 0.0
    pull = where(back, maximum(s.pull * SHORTER, LEAST), minimum(s.pull * LONGER, PULL))
    return moved, Slide(pull, moved, push), far * (PULL / s.pull)
