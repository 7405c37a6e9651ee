"""Near a posture without leaving the targets: steps in what the targets leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._tree.configuration import difference
from .step import Limit, dot, step, total
from .targets import Placed, Rows

PULL = 1.0
"""Part of the way to the posture that a step tries to go, at most."""
SHORTER, LONGER, LEAST = 0.5, 1.2, 1e-3
"""What that is multiplied by after a step back and after others, and the least of it."""
STRIDE, NEAR = 0.5, 0.1
"""The longest step towards the posture, and the error up to which steps go there."""


class PostureState(NamedTuple):
    """How the posture is approached, from pass to pass.

    Attributes:
        gain: part of the way to the posture that a step tries to go.
        displacement: the displacement of the pass before.
        limit_gradient: where coordinates with limits would have gone in the pass before.
    """

    gain: Scalar
    displacement: list[Scalar]
    limit_gradient: list[Scalar]

    @staticmethod
    def begin(nv: int, limits: int) -> PostureState:
        """Before the first step."""
        return PostureState(PULL, [0.0] * nv, [0.0] * limits)


def restarted(s: PostureState, when: Scalar) -> PostureState:
    """A state that begins anew where `when`."""
    displacement, limit_gradient = (
        [where(when, 0.0, x) for x in xs] for xs in (s.displacement, s.limit_gradient)
    )
    return PostureState(where(when, PULL, s.gain), displacement, limit_gradient)


def posture_step(
    s: PostureState,
    placed: Placed,
    rows: Rows,
    q: Sequence[Scalar],
    posture: Any,
    within: Sequence[Limit],
    damping: Scalar,
    when: Scalar,
) -> tuple[list[Scalar], PostureState, Scalar]:
    """A step towards the targets and, where `when`, towards the posture in their null space.

    Returns the displacement, what is carried on, and how far from done the posture is: its
    gradient in the null space. Where a step goes back on the one before, that went too far, and the
    next ones are shorter.
    """
    tree = placed.tree
    to_posture = tree.vector(difference(tree, placed.q, posture))
    dq0 = [where(when, s.gain * x, 0.0) for x in to_posture]
    dq, limit_gradient = step(rows, q, dq0, s.limit_gradient, within, damping)
    far = sqrt(total(x * x for x in dq))
    slow = where(when, STRIDE / maximum(far, STRIDE), 1.0)
    displacement = [x * slow for x in dq]
    back = dot(displacement, s.displacement) < 0.0
    gain = where(back, maximum(s.gain * SHORTER, LEAST), minimum(s.gain * LONGER, PULL))
    return displacement, PostureState(gain, displacement, limit_gradient), far * (PULL / s.gain)
