"""What there is to see of a motion: solids with colours, and where they are in each frame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._simulate.applied_forces import body_wrenches
from ..errors import ModelError, ShapeError, SimulationError
from .looks import ColouredSolid, coloured_solids
from .solids import axes, stick
from .squash_stretch import (
    BodyPaths,
    SquashStretch,
    check_style,
    own_stretches,
    squashed,
    stretched_by,
)

if TYPE_CHECKING:
    from .._model.model import Model
    from .._scene.scene import Scene
    from .._simulate.trajectory import Trajectory

RATE = 30.0
"""Frames per second of simulated time."""
POSES = 50_000
"""Of bodies in a file, at most, some 5 MB: long motions have fewer frames a second."""
LINE, LINE_COLOUR = 0.005, (70, 72, 80)
"""Radius of a line beside its length, and its colour."""
FOLLOWED, FOLLOWED_FREE = 3.0, 0.6
"""Of its own size: the camera goes along with a figure that goes farther. One that nothing holds
fills two thirds of a picture so."""
FARTHEST = 1e15
"""What is farther away is not drawn [m]."""
POINTS = 100
"""Of each solid, and of time, to know how much room a motion takes."""


class DrawnLine(NamedTuple):
    """A spring or cable, straight between points of two bodies, each by number and in its axes."""

    kind: str
    ends: tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]
    radius: float


@dataclass(frozen=True)
class Recording:
    """Frames of a motion.

    Attributes:
        model: the figure.
        caption: what to say of it besides its name, maybe nothing.
        t: times [s], (n,).
        parts: what moves.
        lines: springs and cables.
        poses: of what parts and lines ride on, (n, nb + 1, 4, 4): the world, then each body.
        energy: kinetic and potential [J], (n, 2), or nothing of it, (n, 0).
        wrenches: on each body of all that acts but gravity, in its axes, (n, nb, 6), or of none.
        up: against gravity.
        focus: what the camera goes along with, (n, 3); the origin unless the figure goes far.
        stretch: of bodies that are drawn stretched, by number, in their axes, (n, 4, 4) each.
    """

    model: Model
    caption: str
    t: np.ndarray
    parts: Sequence[ColouredSolid]
    lines: Sequence[DrawnLine]
    poses: np.ndarray
    energy: np.ndarray
    wrenches: np.ndarray
    up: np.ndarray
    focus: np.ndarray
    stretch: Mapping[int, np.ndarray]

    @property
    def name(self) -> str:
        """Of the figure."""
        return self.model.name

    @property
    def follows(self) -> bool:
        """Whether the camera goes along."""
        return bool(self.focus.any())

    @property
    def held(self) -> bool:
        """Whether something holds the figure: a joint to the world, or a spring or cable."""
        return _held(self.model, self.lines)

    @cached_property
    def drawn(self) -> np.ndarray:
        """Poses with their stretch, (n, nb + 1, 4, 4)."""
        return _stretched(self.poses, self.stretch)

    def points(self) -> np.ndarray:
        """Points from all over what is seen, (points, 3)."""
        return _points(self.parts, self.lines, self.drawn).reshape(-1, 3)

    def line_ends(self) -> np.ndarray:
        """Where lines start and end in each frame, (n, lines, 2, 3)."""
        return _line_ends(self.lines, self.drawn)

    def line_solids(self, k: int) -> list[ColouredSolid]:
        """Lines in frame k as sticks in the world, for views that draw nothing but solids."""
        found = []
        for line, (a, b) in zip(
            self.lines, _line_ends(self.lines, self.drawn[k][None])[0], strict=True
        ):
            if (length := float(np.linalg.norm(b - a))) > 0.0:
                pose = np.eye(4)
                pose[:3, :3], pose[:3, 3] = axes((b - a) / length), (a + b) / 2
                solid = stick(length, line.radius).moved(pose)
                found.append(ColouredSolid(0, solid, LINE_COLOUR))
        return found

    def framed(self) -> np.ndarray:
        """Points that the camera has before it, as seen from its focus, (points, 3)."""
        poses = self.drawn.copy()
        poses[..., :3, 3] -= self.focus[:, None]
        there = [part for part in self.parts if part.place] if self.follows else self.parts
        return _points(there, () if self.follows else self.lines, poses).reshape(-1, 3)


def _stretched(poses: np.ndarray, stretch: Mapping[int, np.ndarray]) -> np.ndarray:
    found = poses.copy()
    for i, matrix in stretch.items():
        found[:, i] = poses[:, i] @ matrix
    return found


def _points(
    parts: Sequence[ColouredSolid], lines: Sequence[DrawnLine], poses: np.ndarray
) -> np.ndarray:
    """Points from all over some parts and lines, at some of the times, (times, points, 3)."""
    poses = poses[:: len(poses) // POINTS + 1]
    found = [_line_ends(lines, poses).reshape(len(poses), -1, 3)]
    for i, part, *_ in parts:
        some = part.vertices[:: len(part.vertices) // POINTS + 1]
        R, p = poses[:, i, :3, :3], poses[:, i, None, :3, 3]
        found.append(some @ np.swapaxes(R, 1, 2) + p)
    return np.concatenate(found, 1)


def _line_ends(lines: Sequence[DrawnLine], poses: np.ndarray) -> np.ndarray:
    found = np.zeros((len(poses), len(lines), 2, 3))
    for k, line in enumerate(lines):
        for j, (i, point) in enumerate(line.ends):
            found[:, k, j] = poses[:, i, :3, :3] @ point + poses[:, i, :3, 3]
    return found


def record(
    trajectory: Trajectory,
    scene: Scene | None = None,
    times: np.ndarray | None = None,
    stretch: SquashStretch | None = None,
) -> Recording:
    """What there is to see of a trajectory, the first of a batch; at some times, or all along."""
    check_style(stretch)
    model = trajectory.model
    if model is None:
        raise ModelError(
            "this trajectory has no model, so there is nothing to draw. "
            "`ar.load_trajectory(path, model)` reads it with one."
        )
    if scene is not None and not hasattr(scene, "elements"):
        raise ModelError(
            f"`scene` is a {type(scene).__name__}. Give the `ar.Scene` that was simulated, or none."
        )
    there, t = _there(trajectory)
    q, kinetic, potential = (
        first_row(trajectory, x)[there]
        for x in (trajectory.q, trajectory.kinetic, trajectory.potential)
    )
    count = min(len(t), 1 + math.ceil(RATE * (t[-1] - t[0])), max(2, POSES // max(1, model.nb)))
    if times is None:
        rounding = 1e-9 * (t[-1] - t[0])
        chosen = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], count) - rounding))
    else:
        chosen = np.searchsorted((t[1:] + t[:-1]) / 2, times)  # the nearest
    energy = np.stack([kinetic, potential], 1)[chosen]
    frames = np.flatnonzero(there)[chosen]
    wrenches = _wrenches(scene, trajectory, frames) if scene else np.zeros((len(frames), 0, 6))
    found = _recording(model, scene, caption(trajectory), t[chosen], q[chosen], energy, wrenches)
    if stretch is None:
        return found
    matrices = squashed(stretch, BodyPaths(model, t, q), found.parts, found.t, found.poses)
    return replace(found, stretch=matrices | dict(found.stretch))


def times_of(trajectory: Trajectory) -> np.ndarray:
    """Times of the first of a batch, until its simulation ended."""
    return _there(trajectory)[1]


def _there(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Which states the first of a batch has, and their times."""
    there = np.asarray(~np.isnan(first_row(trajectory, trajectory.q)).any(-1))
    if not there.any():
        raise ShapeError("the first simulation has no states, so there is nothing to draw.")
    return there, trajectory.t[there]


def still(model: Model, q: ArrayLike | None = None, scene: Scene | None = None) -> Recording:
    """What there is to see of a figure in one pose, the neutral one unless given."""
    pose = np.asarray(model.neutral() if q is None else q, float)
    if pose.shape != (model.nq,) or not np.isfinite(pose).all():
        raise ShapeError(
            f"`q` has shape {pose.shape}; give the finite coordinates of one pose, ({model.nq},), "
            "such as `model.neutral()`."
        )
    return _recording(
        model, scene, "", np.zeros(1), pose[None], np.zeros((1, 0)), np.zeros((1, 0, 6))
    )


def _wrenches(scene: Scene, trajectory: Trajectory, frames: np.ndarray) -> np.ndarray:
    """What acted on bodies in some frames, or nothing where that is not known any more."""
    run = trajectory.row(*(0,) * (trajectory.q.ndim - 2))
    states = {name: x[frames] for name, x in run.states.items()}
    some = replace(
        run, t=run.t[frames], q=run.q[frames], qd=run.qd[frames], states=states,
        touched=run.touched and run.touched.row(frames),
    )  # fmt: skip
    try:
        return body_wrenches(scene, some)
    except SimulationError:  # a state that was not kept
        return np.zeros((len(frames), 0, 6))


def _recording(
    model: Model, scene: Scene | None, said: str, t: np.ndarray, q: np.ndarray, energy: np.ndarray,
    wrenches: np.ndarray,
) -> Recording:  # fmt: skip
    poses = np.tile(np.eye(4), (len(t), model.nb + 1, 1, 1))
    poses[:, 1:] = model.body_poses(q)
    weight = np.linalg.norm(model.gravity)
    up = -model.gravity / weight if weight else np.array([0.0, 0.0, 1.0])
    parts = coloured_solids(model)
    if not parts:
        raise ModelError(
            f"`{model.name}` has no joints and no shapes, so there is nothing to draw. Give its "
            "bodies shapes."
        )
    lines = list(_lines(scene, model, poses))
    _require_drawable(model, _points(parts, lines, poses))
    focus = _focus(model, parts, lines, poses)
    stretch = stretched_by(own_stretches(scene, model), q)
    return Recording(model, said, t, parts, lines, poses, energy, wrenches, up, focus, stretch)


def caption(trajectory: Trajectory) -> str:
    """How a trajectory was made."""
    about, many = trajectory.about, int(np.prod(trajectory.q.shape[:-2]))
    parts = []
    if "integrator" in about:
        parts.append(f"{about['integrator']}, step {about['step']:g} s")
    if trajectory.q.ndim > 2:
        parts.append(f"the first of {many}")
    return "   ·   ".join(parts)


def first_row(trajectory: Trajectory, values: np.ndarray) -> np.ndarray:
    """What is kept of the first simulation of a batch."""
    return values[(0,) * (trajectory.q.ndim - 2)]


def _require_drawable(model: Model, seen: np.ndarray) -> None:
    """Browsers compute in single precision."""
    far = np.abs(seen).max()
    if not far < FARTHEST:
        raise ModelError(
            f"`{model.name}` reaches {far:.3g} m, and views draw what is within {FARTHEST:g} m. "
            "Check its sizes and the motion."
        )


def _focus(
    model: Model, parts: Sequence[ColouredSolid], lines: Sequence[DrawnLine], poses: np.ndarray
) -> np.ndarray:
    """The middle of the bodies in each frame if it goes far beside their size, else the origin."""
    middle = poses[:, 1:, :3, 3].mean(1) if model.nb else np.zeros((len(poses), 3))
    moving = [part for part in parts if part.place]
    if not moving:
        return 0.0 * middle
    seen = _points(moving, (), poses)
    size = np.linalg.norm(np.ptp(seen, axis=1), axis=-1).max()
    times = FOLLOWED if _held(model, lines) else FOLLOWED_FREE
    far = np.linalg.norm(np.ptp(middle, axis=0)) > times * size
    return middle if far else 0.0 * middle


def _held(model: Model, lines: Sequence[DrawnLine]) -> bool:
    tree = model.tree
    roots = (tree.joint[i] for i in tree.bodies if tree.parent[i] == 0)
    return any(joint.nv < 6 for joint in roots) or any(
        i == 0 for line in lines for i, _ in line.ends
    )


def _lines(scene: Scene | None, model: Model, poses: np.ndarray) -> Iterator[DrawnLine]:
    """Springs and cables of a scene, a line from each of their points to the next."""
    for element in scene.elements if scene else ():
        kind = "spring" if type(element).__name__ == "Spring" else "cable"
        places = (_place(model, link, point) for link, point in getattr(element, "points", ()))
        for ends in pairwise(places):
            a, b = _line_ends([DrawnLine(kind, ends, 0.0)], poses)[:, 0].swapaxes(0, 1)
            longest = float(np.linalg.norm(b - a, axis=1).max())
            if longest > 0.0:
                yield DrawnLine(kind, ends, LINE * longest)


def _place(model: Model, link: str | None, point: Sequence[float]) -> tuple[int, np.ndarray]:
    """The body that a point of a link is on, and where."""
    if link is None:
        return 0, np.array(point, float)
    frame = model.frame(link)
    return frame.body, (np.array(frame.X.matrix(), float) @ (*point, 1.0))[:3]
