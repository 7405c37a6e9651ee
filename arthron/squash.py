"""Squash and stretch (R19): volume stays, shapes show how something moves."""

from ._scene.squashy_ball import Squashy as Squashy
from ._scene.squashy_ball import squashy_ball as squashy_ball
from ._view.squash_stretch import SquashStretch as SquashStretch
