"""What holds links and joints besides the tree: loops, rods, ropes, gears, given motion."""

from ._scene.constraint_file import load as load
from ._scene.constraint_file import save as save
from ._scene.couplings import Constraint as Constraint
from ._scene.couplings import Coupling as Coupling
from ._scene.couplings import Distance as Distance
from ._scene.couplings import Rope as Rope
from ._scene.loop import Loop as Loop
from ._scene.prescribed_motion import PrescribedMotion as PrescribedMotion
