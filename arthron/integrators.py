"""Integrators: ways to go on in time. A scene is simulated with one, given as an object or by name.

An integrator is a dataclass of options with a page over a system, `step(system, state, h)`. Yours
derives from `Integrator`.
"""

from __future__ import annotations

from ._integrators.bdf import BDF as BDF
from ._integrators.euler import ExplicitEuler as ExplicitEuler
from ._integrators.euler import ImplicitEuler as ImplicitEuler
from ._integrators.euler import SemiImplicitEuler as SemiImplicitEuler
from ._integrators.integrator import Integrator as Integrator
from ._integrators.integrator import advanced as advanced
from ._integrators.leapfrog import Leapfrog as Leapfrog
from ._integrators.runge_kutta import RungeKutta as RungeKutta
from ._integrators.variational import Variational as Variational
from ._scene.system import State as State
from ._scene.system import System as System

__all__ = (
    "BDF", "NAMED", "ExplicitEuler", "ImplicitEuler", "Integrator", "Leapfrog", "RungeKutta",
    "SemiImplicitEuler", "State", "System", "Variational", "advanced",
)  # fmt: skip


def name_of(integrator: Integrator) -> str:
    """What an integrator is called: by its name, if it has one with these options."""
    return next((repr(name) for name, x in NAMED.items() if x == integrator), str(integrator))


NAMED: dict[str, Integrator] = {
    "leapfrog": Leapfrog(),
    "semi-implicit Euler": SemiImplicitEuler(),
    "explicit Euler": ExplicitEuler(),
    "implicit Euler": ImplicitEuler(),
    "BDF1": BDF(1),
    "BDF2": BDF(2),
    "variational": Variational(),
    "Runge-Kutta": RungeKutta(),
}
"""What each name stands for."""
