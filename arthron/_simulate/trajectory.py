"""What a simulation leaves behind: states in time, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ShapeError, SimulationError, nearest
from .contacts import Contacts, some_contacts
from .parts import Part
from .plain_file import plain_path

if TYPE_CHECKING:
    from .._model.model import Model
    from .._scene.scene import Scene
    from .._view.squash_stretch import SquashStretch

Array = np.ndarray
SCALARS = ("kinetic", "potential", "residual")


class ByElement(dict):
    """What trajectories hold for elements, by their names."""

    def __missing__(self, name: Any) -> Array:
        there = f"There are {', '.join(map(repr, self))}" if self else "There is none"
        raise SimulationError(
            f"no constraint {name!r} in this trajectory.{nearest(str(name), self)} {there}; "
            "`scene.names` has the names of all elements."
        )


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States of a figure in time. Leading axes of all but `t` are a batch.

    `trajectory["hand"]` is a link or a joint along the way, `trajectory["grip"]` a state of an
    element or what was recorded, by name.

    Attributes:
        t: times [s], (n,).
        q: coordinates, (..., n, nq).
        qd: velocities, (..., n, nv).
        kinetic: kinetic energy [J], (..., n).
        potential: potential energy of gravity and of the scene's elements [J], (..., n).
        forces: joint forces of constraints, those that fix single coordinates too, zero at the
            start and where there are none: at that time for "BDF1", "BDF2" and "Runge-Kutta", over
            the last step for the others, NaN where that was not kept, (..., n, nv).
        multipliers: forces along rows of constraints (lambda), by element and as "forces" are, with
            joint forces G^T lambda: (..., n, rows); limits of joints are among those only.
        gaps: how far each element that keeps something at zero is off, by name [m or rad, turns as
            2 tan(angle / 2)], (..., n, rows).
        residual: largest joint force that solving the steps since the state before left over [N m
            or N], or how far joints are apart in maximal coordinates [m or rad]; zero of
            integrators that solve none, (..., n).
        touched: `contacts`, or None where nothing can touch.
        states: further states by name, (..., n), or (..., n, size) where they are several numbers.
        recorded: what was recorded, by name, (..., n, ...).
        ends: what is known of simulations that were over before the others: "row", "steps",
            "failed", and "message" and "element" of those that failed.
        parameters: numbers of the scene that were given, or that the start decided, by name.
        about: what made it: name of the model, integrator, step, ...
        model: the figure, unless it was read from a file without one.
        figure: what the file says of the figure: names, and digests of its parts.
    """

    t: Array
    q: Array
    qd: Array
    kinetic: Array
    potential: Array
    forces: Array
    residual: Array
    states: Mapping[str, Array] = field(default_factory=dict)
    multipliers: Mapping[str, Array] = field(default_factory=dict)
    gaps: Mapping[str, Array] = field(default_factory=dict)
    recorded: Mapping[str, Array] = field(default_factory=dict)
    ends: Sequence[Mapping[str, Any]] = ()
    parameters: Mapping[str, Array] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None
    touched: Contacts | None = None
    figure: Mapping[str, Any] | None = None

    @property
    def contacts(self) -> Contacts:
        """Which links touch when, where and with what force."""
        return some_contacts(self.touched)

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy [J], (..., n)."""
        return self.kinetic + self.potential

    @property
    def ended(self) -> Array:
        """When each simulation ended because of `until`, NaN of those that did not [s], (...)."""
        found = np.full(self.q.shape[:-2], np.nan)
        for end in self.ends:
            if not end["failed"]:
                found.flat[end["row"]] = end["steps"] * self.about["step"]
        return found

    @property
    def status(self) -> Array:
        """How each simulation came out: "whole", "ended" because of `until`, or "failed", (...)."""
        found = np.full(self.q.shape[:-2], "whole", dtype="<U6")
        for end in self.ends:
            found.flat[end["row"]] = "failed" if end["failed"] else "ended"
        return found

    @property
    def failures(self) -> list[SimulationError]:
        """Why simulations could not go on, one error each, with `row`, `t` and `element`."""
        batch, step, found = self.q.shape[:-2], self.about.get("step", np.nan), []
        for end in self.ends:
            if end["failed"]:
                index = (
                    tuple(int(k) for k in np.unravel_index(end["row"], batch)) if batch else None
                )
                where = (
                    "" if not index else f" in simulation {index[0] if len(index) == 1 else index}"
                )
                error = SimulationError(
                    f"`{self.about.get('model')}` could not go on{where}: there is no good state "
                    f"at t = {(end['steps'] + 1) * step:.6g} s. {end['message']}"
                )
                error.row, error.t, error.element = index, end["steps"] * step, end["element"]
                found.append(error)
        return found

    def __len__(self) -> int:
        """How many states there are."""
        return len(self.t)

    def __getitem__(self, name: str) -> Any:
        """What was recorded under a name, a state of an element, or a link or joint of the figure.

        A link has `position`, `rotation`, `velocity` and `angular_velocity` in the world, a joint
        `q` and `qd`; where both have the name, there is all of it.
        """
        if not isinstance(name, str):
            raise SimulationError(
                f"a trajectory is asked for {name!r}. Give the name of a link, joint, state or "
                "record; `run.row(k)` is one simulation of a batch."
            )
        for known in (self.recorded, self.states):
            if name in known:
                return known[name]
        if self.model is None:
            raise SimulationError(
                f"nothing was recorded as {name!r}, and the trajectory was read without its "
                "figure. Give that: `ar.load_trajectory(path, model)`."
            )
        part = Part.of(self.model, name, self.q, self.qd, self.parameters.get("placements"))
        if part is None:
            names = (*self.recorded, *self.states, *self.model.frame_names, *self.model.joint_names)
            raise SimulationError(
                f"no link, joint, state or record {name!r}.{nearest(str(name), names)}"
            )
        return part

    def row(self, *index: int) -> Trajectory:
        """One simulation of a batch: `run.row(3)`, or `run.row(3, 1)` of one with two axes."""
        batch = self.q.shape[:-2]
        whole = all(isinstance(k, int | np.integer) for k in index) and len(index) == len(batch)
        if not whole or not all(-n <= k < n for k, n in zip(index, batch, strict=True)):
            raise SimulationError(
                f"row {index} of a trajectory of {batch or 'no'} axes of simulations. Give a whole "
                "number for each axis."
            )

        scalars = ("kinetic", "potential", "residual")
        arrays = {name: getattr(self, name)[index] for name in (*scalars, "q", "qd", "forces")}
        parameters = {}
        for name, x in self.parameters.items():
            extra = x.ndim - len(batch)
            batched = extra >= 0 and x.shape[: len(batch)] == batch
            parameters[name] = x[index] if batched else x
        own = (
            int(np.ravel_multi_index([k % n for k, n in zip(index, batch, strict=True)], batch))
            if batch
            else 0
        )
        ends = [{**end, "row": 0} for end in self.ends if end["row"] == own]
        return replace(
            self, **arrays, parameters=parameters, ends=ends,
            states={name: x[index] for name, x in self.states.items()},
            multipliers=ByElement({name: x[index] for name, x in self.multipliers.items()}),
            gaps=ByElement({name: x[index] for name, x in self.gaps.items()}),
            touched=self.touched and self.touched.row(index),
            recorded={name: x[index] for name, x in self.recorded.items()},
        )  # fmt: skip

    def last(self) -> dict[str, Array]:
        """The last state of each simulation, by name: another can `start=run.last()` from it.

        With `parameters=run.parameters` it keeps the numbers that the start of this one decided,
        such as rest lengths of springs. States that are not saved start anew.
        """
        there: Array = np.isfinite(self.q).all(-1)  # type: ignore[assignment]
        k = len(self.t) - 1 - np.argmax(there[..., ::-1], -1)[..., None, None]
        states = {"q": self.q, "qd": self.qd, **self.states}
        each = {n: x if x.ndim == self.q.ndim else x[..., None] for n, x in states.items()}
        return {name: np.take_along_axis(x, k, -2)[..., 0, :] for name, x in each.items()}

    def __repr__(self) -> str:
        name, batch = self.about.get("model", "figure"), self.q.shape[:-2]
        many = f" of {batch}" if batch else ""
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no time"
        failed = sum(end["failed"] for end in self.ends)
        bad = f"; {failed if batch else 'it'} failed" if failed else ""
        return f"<Trajectory of {name}{many}: {len(self.t)} states from {span}{bad}>"

    def columns(self) -> dict[str, Array]:
        """All that a file holds, by name."""
        found = {name: getattr(self, name) for name in ("q", "qd", *SCALARS)}
        found |= {"forces": self.forces} if self.forces.any() else {}
        found |= {f"multipliers.{name}": x for name, x in self.multipliers.items()}
        found |= {f"gaps.{name}": x for name, x in self.gaps.items()}
        found |= dict(self.states) | dict(self.recorded)
        found |= {} if self.touched is None else self.touched.kept()
        return found

    def save(self, path: str | Path) -> Path:
        """Write all of it to a file, without loss; `ar.load_trajectory` reads it back."""
        from .trajectory_file import save

        place = plain_path(path)
        save(self, place)
        return place

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw energies and coordinates against time, of the first of a batch.

        With a path, the picture is written there and the path comes back; without, the figure of
        matplotlib does. Needs `pip install "arthron[view]"`.
        """
        from .._view.plot import plot

        self._check_drawn()
        return plot(self, None if path is None else plain_path(path))

    def acted(self, scene: Scene) -> dict[str, Array]:
        """What acted: joint forces of each element of the scene, of its controller, and of damping.

        By what they are, "the JointSpring at joint 'knee'" say, (..., n, nv) each; their sum is all
        that acted besides gravity, `tau` of the simulation, and `forces`.
        """
        from .applied_forces import applied_forces

        return applied_forces(scene, self)

    def joint_wrenches(
        self, scene: Scene, *, axes: str = "local", tau: ArrayLike | None = None
    ) -> Array:
        """What joints transmitted: [torque; force] on each body from its parent, (..., n, nb, 6).

        At the states of the trajectory and the accelerations there, with all that acts in the scene
        and its constraints. `axes` as in `Model.joint_wrenches`; `tau` are joint forces that the
        simulation was given, at each of these states, (..., n, nv), or for all, (nv,).
        """
        from .applied_forces import joint_wrenches

        return joint_wrenches(scene, self, axes, tau)

    def save_html(
        self,
        path: str | Path,
        scene: Scene | None = None,
        *,
        stretch: SquashStretch | None = None,
    ) -> Path:
        """Write a page that plays the motion in any browser, of the first of a batch.

        Bodies are drawn by their shapes, or as sticks where they have none; with the scene, its
        springs and cables too. One file, which needs nothing else and no network. Meshes of files
        need `pip install "arthron[view]"`. `stretch` as in `save_png`.
        """
        from .._view.page import write_page
        from .._view.recording import record

        self._check_drawn()
        return write_page(record(self, scene, stretch=stretch), path)

    def show(self, scene: Scene | None = None, *, stretch: SquashStretch | None = None) -> Path:
        """Open such a page in the browser, or print where it is when there is none."""
        from .._view.recording import record
        from .._view.show import show

        self._check_drawn()
        return show(record(self, scene, stretch=stretch))

    def _repr_html_(self) -> str | None:
        """The page, for notebooks."""
        from .._view.page import frame
        from .._view.recording import record

        drawable = self.model is not None and 0 not in self.q.shape[:-1]
        return frame(record(self)) if drawable else None

    def save_png(
        self,
        path: str | Path,
        scene: Scene | None = None,
        *,
        t: ArrayLike | None = None,
        size: tuple[int, int] = (640, 480),
        stretch: SquashStretch | None = None,
    ) -> Path:
        """Draw a state of the first of a batch into a PNG file, without a browser.

        Args:
            path: the file.
            scene: whose springs and cables are drawn too.
            t: when [s], or several times, drawn on top of each other, the early ones pale; the
                last state when left out.
            size: width and height in pixels.
            stretch: `ar.squash.SquashStretch`: shapes longer along their motion, flat in a bounce.
        """
        from .._view.pictures import draw_png

        self._check_drawn()
        return draw_png(self, plain_path(path), scene, t, size, stretch)

    def save_strip(
        self,
        path: str | Path,
        scene: Scene | None = None,
        *,
        t: ArrayLike | None = None,
        size: tuple[int, int] = (1280, 360),
        stretch: SquashStretch | None = None,
    ) -> Path:
        """Draw states side by side into a PNG file, as `save_png`; five when `t` is left out."""
        from .._view.pictures import draw_strip

        self._check_drawn()
        return draw_strip(self, plain_path(path), scene, t, size, stretch)

    def save_film(
        self,
        path: str | Path,
        scene: Scene | None = None,
        *,
        fps: float = 30.0,
        size: tuple[int, int] = (640, 480),
        stretch: SquashStretch | None = None,
    ) -> Path:
        """Draw the motion into a file, by how its name ends: `.gif` or `.mp4`.

        GIF needs `pip install "arthron[view]"`, MP4 `pip install "arthron[film]"`.

        Args:
            path: the file.
            scene: whose springs and cables are drawn too.
            fps: frames a second; the film takes as long as the motion.
            size: width and height in pixels.
            stretch: as in `save_png`.
        """
        from .._view.film import draw_film

        self._check_drawn()
        return draw_film(self, plain_path(path), scene, fps, size, stretch)

    def _check_drawn(self) -> None:
        if 0 in self.q.shape[:-1]:
            raise ShapeError(
                f"this trajectory of shape {self.q.shape[:-1]} holds no states, so there is "
                "nothing to draw."
            )
