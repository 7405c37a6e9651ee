"""Integrators that have a name."""

from __future__ import annotations

from .bdf import BDF
from .euler import ExplicitEuler, ImplicitEuler, SemiImplicitEuler
from .integrator import Integrator
from .leapfrog import Leapfrog
from .maximal import Maximal
from .runge_kutta import RungeKutta
from .variational import Variational

NAMED: dict[str, Integrator] = {
    "leapfrog": Leapfrog(),
    "semi-implicit Euler": SemiImplicitEuler(),
    "explicit Euler": ExplicitEuler(),
    "implicit Euler": ImplicitEuler(),
    "BDF1": BDF(1),
    "BDF2": BDF(2),
    "variational": Variational(),
    "Runge-Kutta": RungeKutta(),
    "maximal": Maximal(),
}
"""What each name stands for."""
ELSEWHERE = {
    "rk4": ("Runge-Kutta",),
    "rk45": ("Runge-Kutta",),
    "verlet": ("leapfrog",),
    "euler": ("semi-implicit Euler", "explicit Euler", "implicit Euler"),
}
"""Names that are none here, and those of ours that are nearest to what they mean."""


def name_of(integrator: Integrator) -> str:
    """What an integrator is called: by its name, if it has one with these options."""
    return next((repr(name) for name, x in NAMED.items() if x == integrator), str(integrator))
