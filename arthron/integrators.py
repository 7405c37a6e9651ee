"""Integrators: ways to go on in time. A scene is simulated with one, given as an object or by name.

An integrator is a dataclass of options with a page over a system, `step(system, state, h)`. Yours
derives from `Integrator`.
"""

from ._integrators.bdf import BDF as BDF
from ._integrators.euler import ExplicitEuler as ExplicitEuler
from ._integrators.euler import ImplicitEuler as ImplicitEuler
from ._integrators.euler import SemiImplicitEuler as SemiImplicitEuler
from ._integrators.integrator import Integrator as Integrator
from ._integrators.integrator import advanced as advanced
from ._integrators.leapfrog import Leapfrog as Leapfrog
from ._integrators.maximal import Maximal as Maximal
from ._integrators.named import NAMED as NAMED
from ._integrators.runge_kutta import RungeKutta as RungeKutta
from ._integrators.variational import Variational as Variational
from ._maximal.maximal_acceleration import maximal_acceleration as maximal_acceleration
from ._reference_contact.methods import (
    BilateralStaggeredProjections as BilateralStaggeredProjections,
)
from ._reference_contact.methods import FrictionlessQP as FrictionlessQP
from ._reference_contact.methods import ProjectedGaussSeidel as ProjectedGaussSeidel
from ._reference_contact.methods import SingleQP as SingleQP
from ._reference_contact.methods import StaggeredProjections as StaggeredProjections
from ._scene.system import State as State
from ._scene.system import System as System
