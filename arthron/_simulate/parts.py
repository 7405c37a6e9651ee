"""Links and joints of a figure along a trajectory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._algorithms import kinematics
from .._pages.compiled import evaluate
from ..errors import ModelError

if TYPE_CHECKING:
    from .._model.model import Model

Array = np.ndarray


class Part:
    """A link along the way, the joint of that name, or both.

    Attributes:
        name: what it is called.
    """

    def __init__(
        self, model: Model, name: str, q: Array, qd: Array, placements: Array | None,
        link: bool, joint: bool,
    ) -> None:  # fmt: skip
        self.name, self._placements = name, placements
        self._model, self._q, self._qd, self._link, self._joint = model, q, qd, link, joint

    @staticmethod
    def of(
        model: Model, name: str, q: Array, qd: Array, placements: Array | None = None
    ) -> Part | None:
        """A link or a joint, or None where there is neither; with placements if not the model's."""
        try:
            model.frame(name)
            link = True
        except ModelError:
            if name.endswith(".com") and name.removesuffix(".com") in model.frame_names:
                raise  # it says why there is none
            link = False
        joint = name in model.joint_names
        return Part(model, name, q, qd, placements, link, joint) if link or joint else None

    def __repr__(self) -> str:
        kinds = " and ".join(["link"] * self._link + ["joint"] * self._joint)
        return f"<{kinds} {self.name!r} of {self._model.name}: {self._q.shape[-2]} states>"

    @property
    def pose(self) -> Array:
        """Pose of the link in the world, (..., n, 4, 4)."""
        self._need(self._link, "link")
        return self._seen(kinematics.frame_pose, self._q)

    @property
    def position(self) -> Array:
        """Where the link's origin is in the world [m], (..., n, 3)."""
        return self.pose[..., :3, 3]

    @property
    def rotation(self) -> Array:
        """How the link is turned in the world, (..., n, 3, 3)."""
        return self.pose[..., :3, :3]

    @property
    def velocity(self) -> Array:
        """Velocity of the link's origin, in world axes [m/s], (..., n, 3)."""
        return self._twist[..., 3:]

    @property
    def angular_velocity(self) -> Array:
        """How fast the link turns, in world axes [rad/s], (..., n, 3)."""
        return self._twist[..., :3]

    @property
    def q(self) -> Array:
        """Coordinates of the joint, (..., n, its number)."""
        self._need(self._joint, "joint")
        return self._q[..., self._model.slice_q(self.name)]

    @property
    def qd(self) -> Array:
        """Velocities of the joint, (..., n, their number)."""
        self._need(self._joint, "joint")
        return self._qd[..., self._model.slice_qd(self.name)]

    @property
    def _twist(self) -> Array:
        self._need(self._link, "link")
        return self._seen(kinematics.frame_velocity, self._q, self._qd, axes="world_aligned")

    def _seen(self, page: Any, *given: Array, **options: str) -> Array:
        """What a page of a frame gives of the link, on the figure as it was simulated."""
        if self._placements is None:
            return getattr(self._model, page.__name__)(*given, self.name, **options)
        home = self._model.frame(self.name)
        of_link = partial(page, body=home.body, X=home.X, **options)
        places = self._placements[..., None, :, :, :]  # the same at all times
        return evaluate(of_link, self._model, *given, places, free=("placements",))

    def _need(self, there: bool, kind: str) -> None:
        if not there:
            other = "joint: ask for its `q` and `qd`" if kind == "link" else (
                "link: ask for its `position`, `rotation`, `velocity` or `angular_velocity`"
            )  # fmt: skip
            raise ModelError(f"{self.name!r} of `{self._model.name}` is no {kind}, but a {other}.")
