"""Pictures as PNG files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from ..errors import FileError


def write_png(image: np.ndarray, path: Path) -> Path:
    """Write red, green and blue to 255, (height, width, 3)."""
    height, width, _ = image.shape
    rows = np.pad(image.reshape(height, -1), ((0, 0), (1, 0)))  # each as it is: lines repeat
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
