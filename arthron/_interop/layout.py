"""Coordinates of a figure in the layout of another library, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._compile.arguments import Arguments
from .._figure.figure import Array
from .._model.model import Model
from .bridges import Bridge, apply


def swap_halves(six: ArrayLike, axis: int = -1) -> Array:
    """Six-vectors [angular; linear] as [linear; angular], and back."""
    return np.roll(np.asarray(six, dtype=float), 3, axis)


@dataclass(frozen=True, repr=False)
class Layout:
    """Where each of our numbers is in another library, and what becomes of it there.

    Their positions x are a function of q, their velocities v = P(q) qd with an orthogonal matrix P,
    and so are their forces P(q) tau. Our `q` says where the figure is, in both directions. Matrices
    convert by rows: `tau_from(q, J)` for a Jacobian J of theirs, and for a mass matrix first by
    rows, then by columns.
    """

    model: Model
    name: str
    nx: int
    pieces: Sequence[Piece]

    def __repr__(self) -> str:
        return f"<layout of {self.name} for {self.model.name}>"

    def q_to(self, q: ArrayLike) -> Array:
        """Their positions at our `q`; quaternions get unit length."""
        (rows,) = self._arrays(q=q)
        x = np.empty((*rows.shape[:-1], self.nx))
        for piece in self.pieces:
            x[..., piece.x] = piece.bridge.q_to(rows[..., piece.q])
        return x

    def q_from(self, x: ArrayLike) -> Array:
        """Our `q` at their positions `x`; angles that they have as (cos, sin) are within pi."""
        (rows,) = self._arrays(x=x)
        q = np.empty((*rows.shape[:-1], self.model.nq))
        for piece in self.pieces:
            q[..., piece.q] = piece.bridge.q_from(rows[..., piece.x])
        return q

    def qd_to(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Their velocities at our `q` and `qd`."""
        q, qd = self._arrays(q=q, qd=qd)
        return self._velocity_to(q, qd)

    def qd_from(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Our `qd` at our `q` and their velocities `v`."""
        q, v = self._arrays(q=q, v=v)
        return self._velocity_from(q, v)

    def qdd_to(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Their accelerations at our `q`, `qd` and `qdd`: P qdd + dP/dt qd."""
        q, qd, qdd = self._arrays(q=q, qd=qd, qdd=qdd)
        return self._velocity_to(q, qdd) + self._drift(q, qd)

    def qdd_from(self, q: ArrayLike, qd: ArrayLike, a: ArrayLike) -> Array:
        """Our `qdd` at our `q` and `qd` and their accelerations `a`."""
        q, qd, a = self._arrays(q=q, qd=qd, a=a)
        return self._velocity_from(q, a - self._drift(q, qd))

    def tau_to(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Their joint forces at our `q` and `tau`."""
        q, tau = self._arrays(q=q, tau=tau)
        return self._velocity_to(q, tau)

    def tau_from(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Our joint forces at our `q` and their `tau`."""
        q, tau = self._arrays(q=q, tau=tau)
        return self._velocity_from(q, tau)

    def _velocity_to(self, q: Array, qd: Array) -> Array:
        v = np.empty_like(qd)
        for piece, P in self._matrices(q):
            v[..., piece.v] = apply(P, qd[..., piece.qd])
        return v

    def _velocity_from(self, q: Array, v: Array) -> Array:
        qd = np.empty_like(v)
        for piece, P in self._matrices(q):
            qd[..., piece.qd] = apply(np.swapaxes(P, -1, -2), v[..., piece.v])
        return qd

    def _drift(self, q: Array, qd: Array) -> Array:
        a = np.empty_like(qd)
        for piece in self.pieces:
            a[..., piece.v] = piece.bridge.drift(q[..., piece.q], qd[..., piece.qd])
        return a

    def _matrices(self, q: Array) -> Iterator[tuple[Piece, Array]]:
        return ((piece, piece.bridge.P(q[..., piece.q])) for piece in self.pieces)

    def _arrays(self, **given: ArrayLike) -> list[Array]:
        """The arrays over one batch; or what is wrong with them."""
        sizes = {"q": self.model.nq, "x": self.nx}
        inputs = {name: (sizes.get(name, self.model.nv),) for name in given}
        owner = self.name if "x" in given else self.model.name
        arguments = Arguments("layout", owner, inputs)
        arrays = arguments.bind((), given)
        batch = arguments.batch(arrays)
        return [np.broadcast_to(a, (*batch, a.shape[-1])).astype(float) for a in arrays.values()]


class Piece(NamedTuple):
    """A bridge, and where its numbers are in q, qd and in their positions and velocities."""

    bridge: Bridge
    q: slice
    qd: slice
    x: slice
    v: slice


def pieces(model: Model, i: int, x: int, v: int, bridges: Sequence[Bridge]) -> Iterator[Piece]:
    """The bridges of our body i's joint in a row; their numbers start at x and v."""
    q, qd = model.tree.q_start[i], model.tree.v_start[i]
    for bridge in bridges:
        nq, nx, nv = bridge.nq, bridge.nx, bridge.nv
        places = (slice(q, q + nq), slice(qd, qd + nv), slice(x, x + nx), slice(v, v + nv))
        yield Piece(bridge, *places)
        q, qd, x, v = (place.stop for place in places)
