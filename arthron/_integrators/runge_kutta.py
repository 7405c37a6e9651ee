"""Adaptive Runge-Kutta."""

from __future__ import annotations

from dataclasses import dataclass

from .integrator import Integrator


@dataclass(frozen=True)
class RungeKutta(Integrator):
    """The method of order eight of Dormand and Prince."""

    tolerance: float = 1e-9
