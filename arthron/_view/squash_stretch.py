"""Shapes that are longer along their motion, and flatter where they are pushed (R19 Fig. 2, 4c)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError, ShapeError

if TYPE_CHECKING:
    from .._model.model import Model
    from .._scene.scene import Scene
    from .looks import ColouredSolid

USUAL = 1.0 / 30.0
"""Time of a frame unless it is given or a film has one [s]."""
POINTS = 1000
"""Of what is drawn of a body, to know how long it is some way."""
FAINT = 1e-3
"""A push that moves a body by so much of its length, or more, leaves its foot where it is."""


@dataclass(frozen=True)
class SquashStretch:
    """How links are drawn: longer along their motion, flatter where they are pushed, never larger.

    With c(t) the middle of what is drawn of a link, and h half the time of a frame, it goes

        d = c(t + h) - c(t - h),    and is pushed    e = c(t + h) - 2 c(t) + c(t - h) - g h²

    in a frame: e is what gravity alone does not explain, in a bounce as much as d before it. Where
    its length that way is l, it is s = sqrt(1 + (stretch |d| / l)²) times as long along d, and then
    1 / sqrt(1 + (squash |e| / l)²) times as long along e, thinner or wider across. Where it is
    pushed it stays, so what bounces touches the ground and does not reach into it.

    Attributes:
        links: which are drawn so, one name or several; all when left out.
        stretch: how much; with 1 successive frames overlap, as far as `most` allows.
        squash: how much.
        most: s at most, and at least one part in so many.
        frame: time of a frame [s]; that of a film, or else 1/30 s, when left out.
    """

    links: str | Sequence[str] | None = None
    stretch: float = 1.0
    squash: float = 1.0
    most: float = 4.0
    frame: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("stretch", 0.0), ("squash", 0.0), ("most", 1.0)):
            x = getattr(self, name)
            number = isinstance(x, int | float | np.number) and x >= least
            if not number or (x == np.inf and name != "most"):
                raise ShapeError(f"`{name}` is {x!r}. Give a finite number of {least:g} or more.")
        x = self.frame
        if x is not None and not (isinstance(x, int | float | np.number) and 0.0 < x < np.inf):
            raise ShapeError(f"`frame` is {x!r}. Give seconds, more than zero, or None.")

    def bodies(self, model: Model) -> list[int]:
        """Numbers of the bodies that links are on."""
        if self.links is None:
            return list(model.tree.bodies)
        names: Any = self.links if isinstance(self.links, tuple | list) else [self.links]
        return sorted({model.frame(name).body for name in names} - {0})


@dataclass(frozen=True)
class BodyPaths:
    """Where bodies are at any time: straight from each state of a motion to the next.

    Attributes:
        model: the figure.
        t: times of all states [s], (n,).
        q: their coordinates, (n, nq).
    """

    model: Model
    t: np.ndarray
    q: np.ndarray

    def middles(self, body: int, middle: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Where a point of a body is at some times, (m, 3); beyond both ends it flies freely."""
        within = np.clip(at, self.t[0], self.t[-1])
        beyond = at - within
        mirrored = self._places(body, middle, np.clip(within - beyond, self.t[0], self.t[-1]))
        fallen = np.outer(beyond**2, self.model.gravity)
        return 2.0 * self._places(body, middle, within) - mirrored + fallen

    def _places(self, body: int, middle: np.ndarray, at: np.ndarray) -> np.ndarray:
        k = np.clip(np.searchsorted(self.t, at), 1, len(self.t) - 1)
        share = ((at - self.t[k - 1]) / (self.t[k] - self.t[k - 1]))[:, None]
        X, Y = (self.model.body_poses(self.q[j])[:, body - 1] for j in (k - 1, k))
        a, b = (P[:, :3, :3] @ middle + P[:, :3, 3] for P in (X, Y))
        return a + share * (b - a)


def squashed(
    style: SquashStretch,
    way: BodyPaths,
    parts: Sequence[ColouredSolid],
    t: np.ndarray,
    poses: np.ndarray,
) -> dict[int, np.ndarray]:
    """How bodies are drawn at some times, in their own axes: a matrix of (n, 4, 4) for each."""
    found = {}
    for i in style.bodies(way.model) if len(way.t) > 1 else ():
        drawn = [part.solid.vertices for part in parts if part.place == i]
        if drawn:
            found[i] = _squashed_body(style, way, i, np.concatenate(drawn), t, poses[:, i])
    return found


def _squashed_body(
    style: SquashStretch,
    way: BodyPaths,
    body: int,
    points: np.ndarray,
    t: np.ndarray,
    X: np.ndarray,
) -> np.ndarray:
    h, g = 0.5 * (style.frame or USUAL), way.model.gravity
    middle = 0.5 * (points.min(0) + points.max(0))
    before, here, behind = (way.middles(body, middle, t + x) for x in (-h, 0.0, h))
    d, e = behind - before, behind - 2.0 * here + before - g * h**2
    E, around = np.swapaxes(X[:, :3, :3], 1, 2), (points - middle)[:: len(points) // POINTS + 1]
    d, e = (np.einsum("nij,nj->ni", E, x) for x in (d, e))  # in the body's axes
    to, push = _unit(d), _unit(e)
    longer, flatter = (
        np.minimum(np.sqrt(1.0 + (amount * np.linalg.norm(x, axis=1) / _extent(around, n)) ** 2),
                   style.most)
        for amount, x, n in ((style.stretch, d, to), (style.squash, e, push))
    )  # fmt: skip
    U = stretching(np.log(longer), to, -np.log(flatter), push)
    strong = np.einsum("ni,ni->n", e, e)
    along = np.einsum("ni,ni->n", d, push) ** 2 + (FAINT * _extent(around, push)) ** 2
    foot = np.min(push @ around.T, 1) - np.min(np.einsum("ni,nij,pj->np", push, U, around), 1)
    found = np.tile(np.eye(4), (len(t), 1, 1))
    found[:, :3, :3] = U
    found[:, :3, 3] = middle - U @ middle + push * (foot * strong / (strong + along))[:, None]
    return found


def stretching(
    stretch: np.ndarray, to: np.ndarray, squash: np.ndarray, push: np.ndarray
) -> np.ndarray:
    """exp(3/2 (λ (n nᵀ - 1/3) + λ' (n' n'ᵀ - 1/3))), (m, 3, 3).

    Of one λ = log s that is s along n and 1 / sqrt(s) across. Volume stays, as the trace is zero,
    and nothing jumps where n turns round or λ is zero.
    """
    L = sum(
        1.5 * x[:, None, None] * (n[:, :, None] * n[:, None, :] - np.eye(3) / 3.0)
        for x, n in ((stretch, to), (squash, push))
    )
    each, axes = np.linalg.eigh(L)
    return (axes * np.exp(each)[:, None, :]) @ np.swapaxes(axes, 1, 2)


class OwnStretch(NamedTuple):
    """A body that has a stretch of its own: exp(share u) along its axes, u a coordinate."""

    body: int
    coordinate: int
    shares: tuple[float, float, float]


def own_stretches(scene: Scene | None, model: Model) -> list[OwnStretch]:
    """Bodies that a scene's elements say are stretched."""
    return [
        OwnStretch(model.frame(x.link).body, model.slice_q(x.joint).start, x.stretch_shares)
        for x in (scene.elements if scene else ())
        if hasattr(x, "stretch_shares")
    ]


def stretched_by(own: Sequence[OwnStretch], q: np.ndarray) -> dict[int, np.ndarray]:
    """How these are drawn at some coordinates, as `squashed` has it."""
    return {
        body: np.exp(q[:, k, None, None] * np.array([*shares, 0.0])) * np.eye(4)
        for body, k, shares in own
    }


def check_style(style: Any) -> None:
    """Refuse what is no way to draw."""
    if style is not None and not isinstance(style, SquashStretch):
        raise ModelError(
            f"`stretch` is {style!r}. Give `ar.squash.SquashStretch(...)`, or leave it out."
        )


def _extent(points: np.ndarray, n: np.ndarray) -> np.ndarray:
    """How long points are along unit vectors, (m,)."""
    return np.maximum(np.ptp(n @ points.T, axis=1), 1e-12)


def _unit(x: np.ndarray) -> np.ndarray:
    """Unit vectors; along z where there is no length."""
    size = np.linalg.norm(x, axis=1, keepdims=True)
    return np.where(size > 0.0, x / np.maximum(size, 1e-300), [0.0, 0.0, 1.0])
