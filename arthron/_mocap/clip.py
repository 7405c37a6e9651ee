"""A motion of a figure that was measured: a pose at each of many frames."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._simulate.trajectory import Trajectory
from ..errors import ModelError, ShapeError
from .clip_filter import low_pass
from .clip_forces import ClipForces, clip_forces
from .clip_rates import rates
from .clip_source import ClipSource
from .clip_supports import feet_of
from .clip_times import quaternion_slices, resampled
from .foot_contact import LOW, SLOW, Flags
from .rotations import continuous


@dataclass(frozen=True, eq=False)
class Clip:
    """Poses of a figure at even times, from motion capture or of your own.

    `clip[10:50]` are some of its frames. Quaternions are made of unit length, and each on the side
    of the one before.

    Attributes:
        model: the figure.
        q: coordinates, (frames, nq).
        rate: frames a second [Hz].
        name: what to call it in messages.
        about: what is known of where it comes from: "units", "up", "height", "mass".
        source: the skeleton of the file that it was read from, which `save_bvh` keeps.
    """

    model: Model
    q: Array
    rate: float
    name: str = "clip"
    about: Mapping[str, str] = field(default_factory=dict)
    source: ClipSource | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            swapped = isinstance(self.q, Model)
            raise ModelError(
                f"the model of a clip is {_short(self.model)}. "
                + ("Model and poses are swapped: " if swapped else "Give an `ar.Model`: ")
                + "`Clip(model, q, rate)`."
            )
        if not isinstance(self.rate, Real) or not 0.0 < float(self.rate) < np.inf:
            raise ShapeError(
                f"`rate` is {_short(self.rate)}. Give frames a second, more than zero [Hz]."
            )
        if self.source and not set(self.model.body_names) <= set(self.source.parts):
            raise ModelError(
                f"the bodies of `{self.model.name}` are not those of the file that the clip comes "
                "from. Make a clip of its own: `Clip(model, q, rate)`."
            )
        try:
            q = np.array(self.q, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(
                f"`q` of a clip is no array of numbers. Give (frames, {self.model.nq})."
            ) from None
        if q.ndim != 2 or not len(q) or q.shape[1] != self.model.nq:
            raise ShapeError(
                f"`q` of a clip has shape {q.shape}. Give (frames, {self.model.nq}), a pose of "
                f"`{self.model.name}` for each of one frame or more."
            )
        if not np.isfinite(q).all():
            frame = int(np.argmin(np.isfinite(q).all(-1)))
            raise ShapeError(
                f"frame {frame} of `q` is not finite. Leave such frames out, or fill them."
            )
        for place in quaternion_slices(self.model):
            lengths = np.linalg.norm(q[:, place], axis=-1, keepdims=True)
            if not (lengths > 1e-6).all():
                raise ShapeError(
                    f"frame {int(np.argmin(lengths))} of `q` has a quaternion of length "
                    f"{lengths.min():g} at {place.start} to {place.stop}. Give (1, 0, 0, 0) for "
                    "no turn."
                )
            q[:, place] = continuous(q[:, place] / lengths)
        q.flags.writeable = False
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "rate", float(self.rate))

    def __repr__(self) -> str:
        return (
            f"<Clip {self.name!r} of `{self.model.name}`: {len(self)} frames at {self.rate:.6g} "
            f"Hz, {self.duration:.4g} s>"
        )

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self.q)

    def __getitem__(self, frames: slice) -> Clip:
        """Some of the frames, one after the other."""
        if not isinstance(frames, slice) or frames.step not in (None, 1):
            raise ShapeError(
                f"a clip is asked for {_short(frames)}. `clip[10:50]` are frames 10 to 49, "
                "`clip.q[10]` is the pose in frame 10, and `clip.resampled(clip.rate / 4)` has a "
                "fourth of the frames."
            )
        return self.with_poses(self.q[frames])

    def with_poses(self, q: Array) -> Clip:
        """Other poses at the same rate, which come from the same file."""
        return replace(self, q=q)

    @property
    def times(self) -> Array:
        """When each frame is, from zero [s]."""
        return np.arange(len(self)) / self.rate

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return (len(self) - 1) / self.rate

    @cached_property
    def qd(self) -> Array:
        """Velocities, (frames, nv): differences of fourth order on the manifold."""
        return self._rates(1)

    @cached_property
    def qdd(self) -> Array:
        """Accelerations, (frames, nv): differences of fourth order on the manifold."""
        return self._rates(2)

    def _rates(self, derivative: int) -> Array:
        if len(self) <= derivative:
            raise ShapeError(
                f"{self!r} is too short: {derivative + 1} frames are the least for "
                f"{'velocities' if derivative == 1 else 'accelerations'}."
            )
        found = rates(self.model, self.q, self.rate, derivative)
        found.flags.writeable = False
        return found

    def between(self, t0: float, t1: float) -> Clip:
        """The frames from one time to another [s], both included."""
        frames = np.flatnonzero((self.times >= t0 - 1e-9) & (self.times <= t1 + 1e-9))
        if not len(frames):
            raise ShapeError(
                f"{self!r} has no frame from {t0:g} to {t1:g} s. Its frames are from 0 to "
                f"{self.duration:g} s."
            )
        return self[int(frames[0]) : int(frames[-1]) + 1]

    def resampled(self, rate: float) -> Clip:
        """The same motion at another number of frames a second [Hz].

        Between frames by polynomials through six of them, seen from the one before. Before a lower
        rate, `smoothed` takes away what that cannot hold.
        """
        if not isinstance(rate, Real) or not 0.0 < float(rate) < np.inf:
            raise ShapeError(f"`rate` is {rate!r}. Give frames a second, more than zero [Hz].")
        count = int(np.floor(self.duration * rate + 1e-9)) + 1
        q = resampled(self.model, self.q, np.arange(count) * (self.rate / rate))
        return replace(self, q=q, rate=rate)

    def smoothed(self, cutoff: float) -> Clip:
        """Without what is faster than a frequency [Hz]: a Butterworth filter without delay.

        Of fourth order: one of second order, forth and back, with half the power left at `cutoff`.
        Quaternions are filtered as four numbers and made of unit length again, which does not
        depend on the choice of axes. Needs `pip install "arthron[motion]"`.
        """
        if not isinstance(cutoff, Real) or not 0.0 < cutoff < 0.4 * self.rate:
            raise ShapeError(
                f"`cutoff` is {cutoff!r} Hz. Give more than zero, and less than 0.4 times the "
                f"rate, {0.4 * self.rate:g}."
            )
        return self.with_poses(low_pass(self.q, float(cutoff), self.rate))

    def trajectory(self) -> Trajectory:
        """The motion as simulations leave it: to show, plot, film and save."""
        m, zeros = self.model, np.zeros((len(self), self.model.nv))
        qd = self.qd if len(self) > 1 else zeros
        about = {"model": m.name, "integrator": "motion capture", "step": 1.0 / self.rate}
        energies = m.kinetic_energy(self.q, qd), m.potential_energy(self.q)
        return Trajectory(
            self.times, self.q, qd, *energies, zeros, np.zeros(len(self)), about=about, model=m
        )

    def save_bvh(self, path: str | Path) -> Path:
        """Write it as a BVH file.

        Of a clip that was read from a file, with its names, channels and units. Of others, with
        y up and in centimetres: one rotation for hinges about an axis of their body, three for
        other joints.
        """
        from .clip_bvh import save_bvh

        return save_bvh(self, path)

    def retargeted(self, model: Model) -> Clip:
        """The motion by a figure of other proportions: limbs point where they do here.

        Hips go as far as its legs are longer. Which body is which segment is known by name.
        """
        from .retarget import retargeted

        return retargeted(self, model)

    def cleaned(self, *, calm: float = 1.0, progress: bool | None = None) -> Clip:
        """The motion near this one of least torque, on feet that stay where they stand.

        Needs `pip install "arthron[motion]"`.

        Args:
            calm: more for a smoother motion, less for one nearer to this.
            progress: a line on a terminal after two seconds; False for none.
        """
        from .clean_motion import cleaned

        return cleaned(self, calm=calm, progress=progress)

    def supports(self, *, height: float = LOW, speed: float = SLOW) -> dict[str, Flags]:
        """Whether each foot stands, by the name of its link, (frames,).

        A foot stands while some end of its solids is low and slow, and before and after that as
        long as this point is as low and not yet as fast as in its swing. Feet are known by the
        names of their links. The ground may tilt, but has no steps; nothing but feet stands, and no
        foot that is above the centre of mass.

        Args:
            height: how far above the lowest that it gets about that time a point is low [m].
            speed: below which it is slow [m/s].
        """
        return {foot.link: foot.stands(self.rate, height, speed) for foot in feet_of(self)}

    def inverse_dynamics(self) -> ClipForces:
        """Joint forces and torques of all frames, and what the ground did.

        What the root lacks is given to the feet that stand (`supports`). Accelerations are second
        differences, which noise of measurements is large in: `clip.smoothed(6)` first.
        """
        return clip_forces(self)


def _short(x: object) -> str:
    """What came, in a few words: of arrays their shape."""
    return f"an array of shape {x.shape}" if isinstance(x, np.ndarray) else reprlib.repr(x)
