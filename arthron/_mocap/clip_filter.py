"""Low-pass filtering of coordinates in time, without delay."""

from __future__ import annotations

from .._figure.figure import Array
from ..errors import ModelError

TWO_PASSES = (2.0**0.5 - 1.0) ** 0.25
"""A filter of second order, used twice, has this part of its cutoff."""


def low_pass(q: Array, cutoff: float, rate: float) -> Array:
    """Columns through a Butterworth filter of second order, forth and back: fourth order."""
    try:
        from scipy.signal import butter, sosfiltfilt
    except ImportError:
        raise ModelError(
            'smoothing needs SciPy: `pip install "arthron[motion]"` brings it.'
        ) from None
    sections = butter(2, cutoff / TWO_PASSES, fs=rate, output="sos")
    around = min(len(q) - 1, round(3.0 * rate / cutoff))  # frames that the ends are mirrored by
    return sosfiltfilt(sections, q, axis=0, padlen=around)
