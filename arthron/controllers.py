"""Controllers for scenes: joint forces as a function of the state, traced into the step.

A controller is a function `(tree, t, q, qd)`, or derives from `Controller`. None pushes a floating
root, where no motor is, unless it is made with `root=True`.
"""

from ._scene.adaptive import adaptive as adaptive
from ._scene.adaptive import passivity_based as passivity_based
from ._scene.controller import Controller as Controller
from ._scene.controllers import computed_torque as computed_torque
from ._scene.controllers import custom as custom
from ._scene.controllers import gravity_compensation as gravity_compensation
from ._scene.controllers import pd as pd
