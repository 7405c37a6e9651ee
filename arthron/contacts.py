"""What figures stand on, and what they run into."""

from ._scene.contact_points import ContactPoint as ContactPoint
from ._scene.ground import Ground as Ground
from ._scene.ground import SmoothGround as SmoothGround
