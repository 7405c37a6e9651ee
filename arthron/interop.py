"""Coordinates in the layouts of Pinocchio and MuJoCo, or body by body, and back.

layout = interop.pinocchio(model, theirs)  # or interop.mujoco(model, theirs)
x, v = layout.q_to(q), layout.qd_to(q, qd)
bodies = interop.to_bodies(model, q, qd)  # as ODE, PhysX and Bullet keep them
"""

from ._interop.bodies import BodyStates as BodyStates
from ._interop.bodies import from_bodies as from_bodies
from ._interop.bodies import to_bodies as to_bodies
from ._interop.layout import Layout as Layout
from ._interop.layout import swap_halves as swap_halves
from ._interop.libraries import mujoco as mujoco
from ._interop.libraries import pinocchio as pinocchio
