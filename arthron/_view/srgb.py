"""Colours as screens have them, and the light that they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

STEPS = 4095
_light = np.arange(STEPS + 1) / STEPS
_CODES = np.rint(
    255.0 * np.where(_light < 0.0031308, 12.92 * _light, 1.055 * _light ** (1 / 2.4) - 0.055)
).astype(np.uint8)


def light_of(colour: ArrayLike) -> np.ndarray:
    """Light from 0 to 1 of red, green or blue to 255: light adds up, colours do not."""
    c = np.asarray(colour, float) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


def colour_of(light: np.ndarray) -> np.ndarray:
    """Red, green or blue to 255 of light; what is brighter than white is white."""
    return _CODES[np.rint(STEPS * np.clip(light, 0.0, 1.0)).astype(np.intp)]
