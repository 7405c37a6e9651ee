"""Instruments on a figure: each function takes names and returns a page of what is read.

Compile pages with `ar.compile(page, model)`, differentiate them with `ar.jacobian`, run them on
numbers with `ar.evaluate`. Frames are links by name, "hand", or their centres of mass, "hand.com".
"""

from ._model.sensor_pages import accelerometer as accelerometer
from ._model.sensor_pages import gyroscope as gyroscope
from ._model.sensor_pages import joint_wrench as joint_wrench
from ._model.sensor_pages import position as position
from ._model.sensor_pages import velocity as velocity
