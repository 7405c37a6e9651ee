"""Inertias and joint friction from measured motion, such as real bodies could have."""

from ._identify.base_parameters import BaseParameters as BaseParameters
from ._identify.base_parameters import base_parameters as base_parameters
from ._identify.exciting_motion import exciting_motion as exciting_motion
from ._identify.identify import Identified as Identified
from ._identify.identify import identify as identify
from ._identify.identify import with_parameters as with_parameters
from ._identify.pseudo_inertia import from_pseudo_inertia as from_pseudo_inertia
from ._identify.pseudo_inertia import pseudo_inertia as pseudo_inertia
