"""How a joint's motions change as the joint moves: derivatives of S, from the graph.

They are zero where S is fixed in the moving body, as for hinges, slides, balls and free bodies, and
fold away there. "By coordinate k" is along the k-th displacement of `integrate`, as everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._graph.autodiff import jvp
from .._spatial.motions import Motion, Subspace
from .._spatial.vectors import Vec3
from .joints import Coordinates, Joint


def subspace_dq(joint: Joint, q: Coordinates) -> list[Subspace]:
    """dS/dq_k for each velocity coordinate k (S19 Alg. 4)."""
    still = (0.0,) * joint.nv
    return _slopes(joint, lambda moved: joint(moved, still)[1], q)


def subspace_dot(joint: Joint, q: Coordinates, qd: Coordinates) -> Subspace:
    """Rate of change of S in the moving body, as the joint moves with `qd` (S19 §2.4.12)."""
    return _along(subspace_dq(joint, q), qd, joint)


def subspace_ddot(joint: Joint, q: Coordinates, qd: Coordinates, qdd: Coordinates) -> Subspace:
    """Second rate of change of S, as the joint moves with `qd` and `qdd`."""
    curved, pushed = _along(subspace_dot_dq(joint, q, qd), qd, joint), subspace_dot(joint, q, qdd)
    return Subspace(a + b for a, b in zip(curved, pushed, strict=True))


def subspace_dot_dq(joint: Joint, q: Coordinates, qd: Coordinates) -> list[Subspace]:
    """Derivative of `subspace_dot` by each velocity coordinate."""
    return _slopes(joint, lambda moved, rate: subspace_dot(joint, moved, rate), q, qd)


def drift_dq(joint: Joint, q: Coordinates, qd: Coordinates) -> list[Motion]:
    """dcJ/dq_k for each velocity coordinate k, with cJ the joint's acceleration at qdd = 0."""
    columns = _slopes(joint, lambda moved, rate: [joint(moved, rate)[3]], q, qd)
    return [column for (column,) in columns]


def _slopes(
    joint: Joint, function: Callable[..., Iterable[Motion]], q: Coordinates, *rates: Coordinates
) -> list[Subspace]:
    """Derivatives of some motions by each displacement e_k, at e = 0 of integrate(q, e)."""
    nq, nv = joint.nq, joint.nv
    sizes = [nq, *(len(rate) for rate in rates), nv]
    ends = list(itertools.accumulate(sizes))

    def numbers(x: Sequence[Any]) -> list[Any]:
        at, *along, e = (x[end - size : end] for size, end in zip(sizes, ends, strict=True))
        motions = function(joint.integrate(at, e), *along)
        return [y for m in motions for y in (*m.ang, *m.lin)]

    state = [*q, *(x for rate in rates for x in rate), *[0.0] * nv]
    n = len(state)
    units = ([float(k == n - nv + a) for k in range(n)] for a in range(nv))
    return [_motions(column) for column in jvp(numbers, state, *units)[1:]]


def _motions(numbers: Sequence[Any]) -> Subspace:
    halves = [Vec3(*numbers[k : k + 3]) for k in range(0, len(numbers), 3)]
    return Subspace(Motion(a, b) for a, b in zip(halves[::2], halves[1::2], strict=True))


def _along(slopes: Sequence[Subspace], rate: Coordinates, joint: Joint) -> Subspace:
    """Sum of slopes_k rate_k."""
    columns = zip(*slopes, strict=True) if joint.nv else ()
    return Subspace(Subspace(column) * rate for column in columns)
