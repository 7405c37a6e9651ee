"""What there is to see of a trajectory: solids with colours, and where they are in each frame."""

from __future__ import annotations

import colorsys
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import ModelError, ShapeError
from .solids import Solid, axes, ball, solids, stick

if TYPE_CHECKING:
    from .._model.model import Model
    from .._scene.scene import Scene
    from .._simulate.trajectory import Trajectory

RATE = 30.0
"""Frames per second of simulated time."""
POSES = 50_000
"""Of bodies in a file, at most, some 5 MB: long motions have fewer frames a second."""
HUES = (0.58, 0.08, 0.45, 0.95, 0.13, 0.75)
"""Colours of limbs, in turn."""
STICKS, LINE = 12, 0.005
"""Sticks in a line at most, and their radius beside its length."""
FOLLOWED = 3.0
"""Of its own size: the camera goes along with a figure that goes farther."""
FARTHEST = 1e15
"""What is farther away is not drawn [m]."""
POINTS = 100
"""Of each solid, and of time, to know how much room a motion takes."""


Colour = tuple[int, int, int]
"""Red, green and blue, to 255."""


class ColouredSolid(NamedTuple):
    """A solid, the number of the pose that it rides on, and its colour and opacity."""

    place: int
    solid: Solid
    colour: Colour
    opacity: float = 1.0


@dataclass(frozen=True)
class Recording:
    """Frames of a motion.

    Attributes:
        name: of the figure.
        t: times [s], (n,).
        parts: what moves.
        poses: of what parts ride on, (n, count, 4, 4): the world, each body, then lines.
        up: against gravity.
        focus: what the camera goes along with, (n, 3); the origin unless the figure goes far.
    """

    name: str
    t: np.ndarray
    parts: Sequence[ColouredSolid]
    poses: np.ndarray
    up: np.ndarray
    focus: np.ndarray

    @property
    def follows(self) -> bool:
        """Whether the camera goes along."""
        return bool(self.focus.any())

    def points(self) -> np.ndarray:
        """Points from all over what is seen, (points, 3)."""
        return _points(self.parts, self.poses).reshape(-1, 3)

    def framed(self) -> np.ndarray:
        """Points that the camera has before it, as seen from its focus, (points, 3)."""
        poses = self.poses.copy()
        poses[..., :3, 3] -= self.focus[:, None]
        there = [part for part in self.parts if part.place] if self.follows else self.parts
        return _points(there, poses).reshape(-1, 3)


def _points(parts: Sequence[ColouredSolid], poses: np.ndarray) -> np.ndarray:
    """Points from all over some parts, at some of the times, (times, points, 3)."""
    poses = poses[:: len(poses) // POINTS + 1]
    found = []
    for i, part, *_ in parts:
        some = part.vertices[:: len(part.vertices) // POINTS + 1]
        R, p = poses[:, i, :3, :3], poses[:, i, None, :3, 3]
        found.append(some @ np.swapaxes(R, 1, 2) + p)
    return np.concatenate(found, 1)


def record(
    trajectory: Trajectory, scene: Scene | None = None, times: np.ndarray | None = None
) -> Recording:
    """What there is to see of a trajectory, the first of a batch; at some times, or all along."""
    model = trajectory.model
    if model is None:
        raise ModelError(
            "this trajectory has no model, so there is nothing to draw. "
            "`ar.load_trajectory(path, model)` reads it with one."
        )
    if scene is not None and not hasattr(scene, "elements"):
        raise ModelError(f"`scene` is {scene!r}. Give the `ar.Scene` that was simulated, or none.")
    t, q = states(trajectory)
    count = min(len(t), 1 + math.ceil(RATE * (t[-1] - t[0])), max(2, POSES // max(1, model.nb)))
    wanted = np.linspace(t[0], t[-1], count) if times is None else times
    chosen = np.searchsorted((t[1:] + t[:-1]) / 2, wanted)  # the nearest
    if times is None:
        chosen = np.unique(chosen)
    q = q[chosen]
    poses = np.tile(np.eye(4), (len(chosen), model.nb + 1, 1, 1))
    poses[:, 1:] = model.body_poses(q)
    weight = np.linalg.norm(model.gravity)
    up = -model.gravity / weight if weight else np.array([0.0, 0.0, 1.0])
    colours = _colours(model)
    parts = [_part(i, s, colours[i]) for i, some in _solids(model).items() for s in some]
    if not parts:
        raise ModelError(
            f"`{model.name}` has no joints and no shapes, so there is nothing to draw. Give its "
            "bodies shapes."
        )
    for a, b in _lines(scene, model, poses):
        for line, pose in _telescope(a, b):
            parts.append(ColouredSolid(poses.shape[1], line, (70, 72, 80)))
            poses = np.concatenate([poses, pose[:, None]], 1)
    _require_drawable(model, _points(parts, poses))
    return Recording(model.name, t[chosen], parts, poses, up, _focus(parts, poses, model.nb))


def states(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Times and coordinates of the first of a batch, until its simulation ended."""
    q = first_row(trajectory, trajectory.q)
    there = ~np.isnan(q).any(-1)
    if not there.any():
        raise ShapeError("the first simulation has no states, so there is nothing to draw.")
    return trajectory.t[there], q[there]


def first_row(trajectory: Trajectory, values: np.ndarray) -> np.ndarray:
    """What is kept of the first simulation of a batch."""
    return values[(0,) * (trajectory.q.ndim - 2)]


def _part(place: int, solid: Solid, colour: Colour) -> ColouredSolid:
    if solid.color is None:
        return ColouredSolid(place, solid, colour)
    r, g, b, opacity = solid.color
    return ColouredSolid(place, solid, (round(255 * r), round(255 * g), round(255 * b)), opacity)


def _require_drawable(model: Model, seen: np.ndarray) -> None:
    """Browsers compute in single precision."""
    far = np.abs(seen).max()
    if not far < FARTHEST:
        raise ModelError(
            f"`{model.name}` reaches {far:.3g} m, and views draw what is within {FARTHEST:g} m. "
            "Check its sizes and the motion."
        )


def _focus(parts: Sequence[ColouredSolid], poses: np.ndarray, nb: int) -> np.ndarray:
    """The middle of the bodies in each frame if it goes far beside their size, else the origin."""
    middle = poses[:, 1 : nb + 1, :3, 3].mean(1) if nb else np.zeros((len(poses), 3))
    moving = [part for part in parts if 0 < part.place <= nb]
    if not moving:
        return 0.0 * middle
    seen = _points(moving, poses)
    size = np.linalg.norm(np.ptp(seen, axis=1), axis=-1).max()
    far = np.linalg.norm(np.ptp(middle, axis=0)) > FOLLOWED * size
    return middle if far else 0.0 * middle


def _solids(model: Model) -> dict[int, list[Solid]]:
    """What each body looks like: its shapes and those of links merged into it, or else sticks."""
    found: dict[int, list[Solid]] = {i: [] for i in range(model.nb + 1)}
    lost = []
    for body in model.links:
        frame = model.frame(body.name)
        pose = np.array(frame.X.matrix(), float)
        for shape in body.shapes:
            try:
                found[frame.body] += [part.moved(pose) for part in solids(shape)]
            except Exception as error:  # readers of meshes raise what they like
                lost.append(f"{getattr(shape, 'path', shape)} of link {body.name!r}: {error}")
    if lost:
        warnings.warn(
            f"shapes of `{model.name}` that cannot be drawn: {len(lost)}. The first is {lost[0]}. "
            "Links without shapes are drawn as sticks.",
            stacklevel=4,
        )
    ends = _ends(model)
    lengths = [np.linalg.norm(p) for some in ends.values() for p in some]
    r = 0.07 * float(np.median([l for l in lengths if l > 1e-9] or [1.0]))
    for i in model.tree.bodies:
        if not found[i]:
            sticks = (_stick_to(p, r) for p in ends[i] if np.linalg.norm(p) > 1e-9)
            found[i] = [ball(1.8 * r), *sticks]
    return found


def _stick_to(p: np.ndarray, r: float) -> Solid:
    """A stick from the origin to a point."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes(p / np.linalg.norm(p)), p / 2
    return stick(float(np.linalg.norm(p)), r).moved(pose)


def _ends(model: Model) -> dict[int, list[np.ndarray]]:
    """For each body, where the joints behind it are, or else its centre of mass, in its axes."""
    tree = model.tree
    ends: dict[int, list[np.ndarray]] = {i: [] for i in tree.bodies}
    for i in tree.bodies:
        if tree.parent[i]:
            ends[tree.parent[i]].append(np.array(tree.Xtree[i].r, float))
    for i in tree.bodies:
        if not ends[i] and tree.I[i].m > 0:
            ends[i].append(np.array(tree.I[i].com(), float))
    return ends


def limbs(model: Model) -> list[int]:
    """Which limb each body is part of: a limb is from one branching of the tree to the next."""
    parent = model.tree.parent
    found, count = [-1], 0
    for i in model.tree.bodies:
        starts = parent[i] == 0 or parent.count(parent[i]) > 1
        found.append(count if starts else found[parent[i]])
        count += starts
    return found


def _colours(model: Model) -> list[Colour]:
    """For what has none: one colour a limb, lighter and darker by turns."""
    limb, parent = limbs(model), model.tree.parent
    colours, dark = [(150, 150, 155)], [False]
    for i in model.tree.bodies:
        dark.append(limb[i] == limb[parent[i]] and not dark[parent[i]])
        rgb = colorsys.hls_to_rgb(HUES[limb[i] % len(HUES)], 0.52 if dark[i] else 0.62, 0.55)
        r, g, b = (round(255 * x) for x in rgb)
        colours.append((r, g, b))
    return colours


def _lines(
    scene: Scene | None, model: Model, poses: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Ends of the springs and cables of a scene in each frame, (n, 3) each."""
    for element in scene.elements if scene else ():
        places = getattr(element, "points", ())
        yield from pairwise(_place(model, poses, link, point) for link, point in places)


def _telescope(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[Solid, np.ndarray]]:
    """A line that changes its length as sticks that do not, and their poses.

    Views move things in step with each other, but change what they look like when they find time.
    """
    gap = b - a
    length = np.linalg.norm(gap, axis=1, keepdims=True)
    longest = float(length.max())
    if longest == 0.0:
        return
    piece = max(float(length.min()), longest / STICKS)
    along = gap / np.maximum(length, 1e-12)
    pose = np.tile(np.eye(4), (len(a), 1, 1))
    pose[:, :3, :3] = axes(along)
    for part in np.linspace(0.0, 1.0, math.ceil(longest / piece)):
        pose[:, :3, 3] = a + along * (piece / 2 + part * (length - piece))
        yield stick(piece, LINE * longest), pose.copy()


def _place(model: Model, poses: np.ndarray, link: str | None, point: Sequence[float]) -> np.ndarray:
    """A point of a link in the world, (n, 3)."""
    if link is None:
        return np.tile(np.array(point, float), (len(poses), 1))
    frame = model.frame(link)
    at = np.array(frame.X.matrix(), float) @ (*point, 1.0)
    return (poses[:, frame.body] @ at)[:, :3]
