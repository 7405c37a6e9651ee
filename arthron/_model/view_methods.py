"""Methods that show a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .model import Model


def show(self: Model, q: ArrayLike | None = None) -> Path:
    """Open a page of the figure, neutral unless at `q`, or print where it is if nothing can."""
    from .._view.recording import still
    from .._view.show import show

    return show(still(self, q))


def save_png(
    self: Model,
    path: str | Path,
    q: ArrayLike | None = None,
    *,
    size: tuple[int, int] = (640, 480),
) -> Path:
    """Draw the figure into a PNG file, at the coordinates of a pose, or with all joints at zero.

    Args:
        path: the file.
        q: coordinates of one pose, (nq,).
        size: width and height in pixels.
    """
    from .._view.pictures import draw_pose

    return draw_pose(self, path, q, size)
