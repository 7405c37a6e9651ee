"""What figures stand on, and what they run into."""

from ._reference_contact.joint_friction import JointFriction as JointFriction
from ._scene.contact_ground import Ground as Ground
from ._scene.contact_ground import SmoothGround as SmoothGround
from ._scene.contact_links import Links as Links
from ._scene.contact_points import ContactPoint as ContactPoint
from ._scene.dry_friction import DryFriction as DryFriction
