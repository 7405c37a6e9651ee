"""Pictures as PNG files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from ..errors import FileError

UP = 2
"""The filter of rows: each as what it differs by from the one above."""


def write_png(image: np.ndarray, path: Path) -> Path:
    """Write red, green and blue to 255, (height, width, 3)."""
    height, width, _ = image.shape
    rows = image.reshape(height, -1)
    rows = np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))  # bytes wrap around
    rows = np.pad(rows, ((0, 0), (1, 0)), constant_values=UP)
    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    try:
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"the picture cannot be written: {why}.", str(path)) from error
    return path


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
