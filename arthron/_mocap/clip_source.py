"""Where a clip was read from, as far as writing it again needs that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .file_axes import FileAxes
from .segment_names import BodyPart
from .skeleton import Skeleton


@dataclass(frozen=True)
class ClipSource:
    """A file's skeleton, its units and axes.

    Attributes:
        skeleton: as in the file.
        axes: how its lengths and directions become the world's.
        parts: which part of a body each joint moves, by its name.
    """

    skeleton: Skeleton
    axes: FileAxes
    parts: Mapping[str, BodyPart]
