"""Where a clip was read from, as far as writing it again needs that."""

from __future__ import annotations

from dataclasses import dataclass

from .file_axes import FileAxes
from .skeleton import Skeleton


@dataclass(frozen=True)
class ClipSource:
    """A file's skeleton, its units and axes.

    Attributes:
        skeleton: as in the file.
        axes: how its lengths and directions become the world's.
    """

    skeleton: Skeleton
    axes: FileAxes
