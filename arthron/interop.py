"""Coordinates in the layouts of Pinocchio and MuJoCo, and back, over leading batch axes.

layout = interop.pinocchio(model, theirs)  # or interop.mujoco(model, theirs)
x, v = layout.q_to(q), layout.qd_to(q, qd)
"""

from ._interop.layout import Layout as Layout
from ._interop.layout import swap_halves as swap_halves
from ._interop.libraries import mujoco as mujoco
from ._interop.libraries import pinocchio as pinocchio
