"""The public model: a tree, the names around it, and a compiled method per page."""

from __future__ import annotations

from .derivative_methods import Derivatives
from .dynamic_methods import Dynamics
from .kinematic_methods import Kinematics
from .parameter_methods import Parameters


class Model(Kinematics, Dynamics, Derivatives, Parameters):
    """A figure ready to be computed with.

    Methods broadcast over leading axes, take `out=`, and compile on first use. Models do not
    change: `replace` makes a new one.

    Args:
        bodies: links and the joints that move them, in any order.
        gravity: acceleration of free fall in the world [m/s^2].
        name: what to call the figure in messages.
        mimic: whether bodies with `mimic` follow another joint, without coordinates of their own.
    """
