"""Coordinates in the layouts of Pinocchio and MuJoCo, and back, over leading batch axes.

layout = interop.pinocchio(model, theirs)  # or interop.mujoco(model, theirs)
x, v = layout.q_to(q), layout.qd_to(q, qd)
"""

from ._interop.interop import Layout as Layout
from ._interop.interop import mujoco as mujoco
from ._interop.interop import pinocchio as pinocchio
from ._interop.interop import swap_halves as swap_halves
