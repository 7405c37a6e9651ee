"""Motion capture: figures and clips from BVH, ASF/AMC and C3D files, and what moved them."""

from ._mocap.clip import Clip as Clip
from ._mocap.clip_forces import ClipForces as ClipForces
from ._mocap.cycle import cycle as cycle
from ._mocap.load_motion import read_motion as read_motion
from ._mocap.made_clips import reach as reach
from ._mocap.made_clips import walk as walk
from ._mocap.markers import Markers as Markers
from ._mocap.markers import load_markers as load_markers
from ._mocap.segment_tables import BodySegment as BodySegment
from ._mocap.segment_tables import body_segments as body_segments
from ._mocap.side_by_side import side_by_side as side_by_side
from ._mocap.skeleton import MotionFile as MotionFile
from ._mocap.skeleton import Skeleton as Skeleton
from ._mocap.skeleton import SkeletonJoint as SkeletonJoint
from ._mocap.transition import Transition as Transition
from ._mocap.transition import transition as transition
from ._mocap.transition_graph import Join as Join
from ._mocap.transition_graph import frame_distances as frame_distances
from ._mocap.transition_graph import transition_graph as transition_graph
from ._mocap.write_bvh import write_bvh as write_bvh
