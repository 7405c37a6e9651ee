"""Methods that show a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .model import Model


def show(self: Model, q: ArrayLike | None = None) -> Path:
    """Open a page of the figure, at rest in the neutral pose unless at `q`.

    It simulates the figure under gravity when it is told to play; joints can be moved before. Where
    there is no browser, this prints where the page is.
    """
    from .._view.show import model_view, show

    return show(*model_view(self, q))


def save_html(self: Model, path: str | Path, q: ArrayLike | None = None) -> Path:
    """Write such a page: one file, which needs nothing else and no network."""
    from .._view.page import page_path, write_page
    from .._view.show import model_view

    place = page_path(path)
    recording, live = model_view(self, q)
    return write_page(recording, place, live)


def repr_html(self: Model) -> str | None:
    """The page, for notebooks."""
    from .._view.page import frame
    from .._view.show import drawable, model_view

    return frame(*model_view(self)) if drawable(self) else None


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
