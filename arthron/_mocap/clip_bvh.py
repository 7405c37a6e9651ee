"""Clips as BVH files: the skeleton that they came with, or one made of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from .._figure.body import Body
from .._figure.figure import Array
from .._model.model import Model
from .._spatial.vectors import Mat3
from .._tree.joints import Revolute
from ..errors import ModelError
from .clip import Clip
from .clip_source import ClipSource
from .clip_times import has_free_root
from .file_axes import FileAxes
from .rotations import angles_of
from .skeleton import POSITIONS, MotionFile, Offset, Skeleton, SkeletonJoint
from .write_bvh import write_bvh

ORDER = "zxy"
"""Of the rotations of joints whose file does not say."""
CENTIMETRES_Y_UP = FileAxes(0.01, "y", {}, 0.0)
STILL = 1e-7
"""How far a joint may slide in its parent [m]."""


def save_bvh(clip: Clip, path: str | Path) -> Path:
    """Write a clip with the skeleton of its source, or with one made of its model."""
    source = clip.source or _of_model(clip)
    joints = tuple(_turning_about_own_axes(joint) for joint in source.skeleton.joints)
    source = replace(source, skeleton=replace(source.skeleton, joints=joints))
    values = _channels(clip, source)
    return write_bvh(MotionFile(source.skeleton, values, 1.0 / clip.rate, str(path)), path)


def _turning_about_own_axes(joint: SkeletonJoint) -> SkeletonJoint:
    """A joint of a BVH file, whose channels are in the order of its product.

    The root gets positions and three rotations, and so do joints that turn about other axes.
    """
    order, positions = joint.rotation_order, joint.positions
    free = joint.parent < 0 or (joint.axis is not None and order)
    if free and len(order) < 3:
        order = ORDER
    if joint.parent < 0 and len(positions) < 3:
        positions = POSITIONS
    rotations = tuple(f"{axis.upper()}rotation" for axis in order)
    if sorted(joint.channels) == sorted((*positions, *rotations)) and joint.axis is None:
        given = "".join(name[0].lower() for name in joint.channels if name not in POSITIONS)
        if given == order:
            return joint
    return replace(joint, channels=(*positions, *rotations), rotation_order=order, axis=None)


def _channels(clip: Clip, source: ClipSource) -> Array:
    """Numbers of all channels, (frames, channels)."""
    skeleton, axes, model = source.skeleton, source.axes, clip.model
    values = np.zeros((len(clip), skeleton.starts[-1]))
    poses = model.body_poses(clip.q)
    place = {name: k for k, name in enumerate(model.body_names)}
    for number, joint in enumerate(skeleton.joints):
        if not joint.channels:
            continue
        start, order = skeleton.starts[number], joint.rotation_order
        position = axes.to_file(poses[:, place[joint.name], :3, 3]) / axes.scale
        body = model.bodies[place[joint.name]]
        if joint.parent >= 0 and len(order) < 3:
            angles = _own_angles(clip, body, order)
        else:
            R = poses[:, place[joint.name], :3, :3]
            if joint.parent >= 0:
                above = poses[:, place[_moving_above(skeleton, joint, place)], :3, :3]
                R = np.swapaxes(above, -1, -2) @ R
            angles = angles_of(_in_file(R, axes), order)
        for k, channel in enumerate(joint.channels):
            if channel in POSITIONS:
                values[:, start + k] = position[:, POSITIONS.index(channel)]
            else:
                values[:, start + k] = np.degrees(angles[:, order.index(channel[0].lower())])
    return values


def _moving_above(skeleton: Skeleton, joint: SkeletonJoint, bodies: Mapping[str, int]) -> str:
    """The name of the next joint above that is a body: fixed ones are parallel to it."""
    above = skeleton.joints[joint.parent]
    while above.name not in bodies:
        above = skeleton.joints[above.parent]
    return above.name


def _in_file(R: Array, axes: FileAxes) -> Array:
    """Rotations of the world in the file's axes."""
    P = axes.to_world(np.eye(3)).T  # its columns are the file's axes in the world
    return P.T @ R @ P


def _own_angles(clip: Clip, body: Body, order: str) -> Array:
    """Angles of a joint that turns about one axis or two of its own."""
    q = clip.q[:, clip.model.slice_q(str(body.joint_name))]
    if isinstance(body.joint, Revolute):
        axis = CENTIMETRES_Y_UP.to_file(np.array(body.joint.axis, dtype=float))
        return q * (1.0 if clip.source else axis.sum())
    return q


def _of_model(clip: Clip) -> ClipSource:
    """A skeleton of a model: a joint for each body that moves, with an end where none hangs."""
    model = clip.model
    if not has_free_root(model):
        raise ModelError(
            f"`{model.name}` has no free root, which the figures of BVH files have. Load it with "
            "`root=ar.Free()`."
        )
    axes, joints = CENTIMETRES_Y_UP, []
    poses = model.body_poses(clip.q)
    for number, body in enumerate(model.bodies):
        parent = model.tree.parent[number + 1] - 1
        offset = np.zeros(3)
        if parent >= 0:
            above, own = poses[:, parent], poses[:, number, :3, 3]
            way = np.einsum("nij,ni->nj", above[:, :3, :3], own - above[:, :3, 3])
            if np.ptp(way, axis=0).max() > STILL:
                raise ModelError(
                    f"joint {body.joint_name!r} slides in its parent, and joints of BVH files only "
                    "turn. Lock it: `model.lock`."
                )
            offset = way[0]
        order = _hinge_axis(body) or ORDER
        channels = tuple(f"{axis.upper()}rotation" for axis in order)
        ends = _ends(model, number) if number + 1 not in model.tree.parent else ()
        joints.append(
            SkeletonJoint(
                body.name, parent, _in_centimetres(offset),
                (*POSITIONS, *channels) if parent < 0 else channels, order, ends=ends,
            )
        )  # fmt: skip
    return ClipSource(Skeleton(tuple(joints), model.name), axes, {})


def _hinge_axis(body: Body) -> str:
    """The axis of the file that a hinge turns about, if it is one of its body at rest."""
    if not isinstance(body.joint, Revolute) or body.placement.E != Mat3.identity():
        return ""
    axis = CENTIMETRES_Y_UP.to_file(np.array(body.joint.axis, dtype=float))
    return "xyz"[int(np.argmax(np.abs(axis)))] if np.abs(axis).max() == 1.0 else ""


def _ends(model: Model, number: int) -> tuple[Offset, ...]:
    """Where the last body of a limb ends: at its farthest frame, or as far beyond its centre."""
    frames = [model.frame(name) for name in model.frame_names]
    points = [np.array(f.X.r, dtype=float) for f in frames if f.body == number + 1]
    farthest = max(points, key=np.linalg.norm)
    if not farthest.any():
        farthest = 2.0 * np.array(model.bodies[number].inertia.com(), dtype=float)  # type: ignore[union-attr]
    return (_in_centimetres(farthest),)


def _in_centimetres(v: Array) -> Offset:
    x, y, z = (CENTIMETRES_Y_UP.to_file(v) / CENTIMETRES_Y_UP.scale).tolist()
    return x, y, z
