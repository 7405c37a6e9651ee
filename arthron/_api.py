"""The public model: a tree, the names around it, and a compiled method per page."""

from __future__ import annotations

from ._methods.derivatives import Derivatives
from ._methods.dynamics import Dynamics
from ._methods.kinematics import Kinematics
from ._methods.parameters import Parameters


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
