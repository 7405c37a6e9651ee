"""What figures stand on, and what they run into."""

from ._scene.contact_ground import Ground as Ground
from ._scene.contact_ground import SmoothGround as SmoothGround
from ._scene.contact_points import ContactPoint as ContactPoint
