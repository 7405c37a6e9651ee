"""A recording as one HTML page that plays it, through viser."""

from __future__ import annotations

import contextlib
import html
import io
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArthronError, FileError
from .recording import Recording

FIELD = 0.6
"""Angle that the camera sees from top to bottom [rad]."""
ASPECT = 1.3
"""Width of a window beside its height, at least."""
ASIDE, ABOVE = 0.45, 0.2
"""How far aside the camera stands [rad], and how high beside how far."""


def write_html(recording: Recording, path: str | Path) -> Path:
    """Write a page that needs nothing but a browser."""
    try:
        import viser
        from viser.transforms import SO3
    except ImportError:
        raise ArthronError('`save_html` needs viser: `pip install "arthron[view]"`.') from None
    with _quiet():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        ground, spots = _stage(server, recording, lambda R: SO3.from_matrix(R).wxyz)
        t, poses, focus = recording.t, recording.poses, recording.focus
        at, turns = poses[..., :3, 3] - focus[:, None], SO3.from_matrix(poses[..., :3, :3]).wxyz
        nodes = [
            server.scene.add_frame(f"/{i}", show_axes=False, position=at[0, i], wxyz=turns[0, i])
            for i in range(poses.shape[1])
        ]
        for k, (i, part, colour, opacity) in enumerate(recording.parts):
            server.scene.add_mesh_simple(
                f"/{i}/{k}",
                part.vertices,
                part.faces,
                color=colour,
                opacity=opacity if opacity < 1.0 else None,
                flat_shading=part.flat,
            )
        film = server.get_scene_serializer()
        for k in range(len(t)):
            for i, node in enumerate(nodes):
                node.position, node.wxyz = at[k, i], turns[k, i]
            if recording.follows:  # the camera stays, and the world goes by
                ground.position = spots[k]
            film.insert_sleep(float(t[min(k + 1, len(t) - 1)] - t[k]))
        text = film.as_html()
    finally:
        with _quiet():
            server.stop()
    title = f"<title>{html.escape(recording.name)} · arthron</title>"
    text = re.sub("<title>.*?</title>", lambda _: title, text, count=1)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"the page cannot be written: {why}.", str(path)) from error
    return Path(path)


def _quiet() -> contextlib.AbstractContextManager:
    """A server says where it listens and when it stops, which is no matter to a file."""
    return contextlib.redirect_stdout(io.StringIO())


def _stage(
    server: Any, recording: Recording, turn: Callable[[np.ndarray], np.ndarray]
) -> tuple[Any, np.ndarray]:
    """Camera and ground, by the room that the motion takes.

    The ground comes back, and where it is in each frame: before the camera, by whole squares.
    """
    up, points = recording.up, recording.points()
    heights = points @ up
    low = float(heights.min())
    ground = 0.0 if 0.0 <= low < _size(points) else low
    shadows = points - np.outer(heights - ground, up)
    points = recording.framed()
    size = _size(points)
    if not recording.follows:
        points = np.concatenate([points, shadows])
    middle = (points.min(0) + points.max(0)) / 2
    side = np.eye(3)[np.argmin(np.abs(up))]
    side -= (side @ up) * up
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(up, side), up])
    section = 10.0 ** round(math.log10(size / 3))
    along = recording.focus @ axes[:2].T
    moved = recording.focus - section * np.round(along / section) @ axes[:2]
    spots = middle + (ground - middle @ up) * up - moved
    server.scene.set_up_direction(up)
    grid = server.scene.add_grid(
        "/ground",
        infinite_grid=True,
        cell_size=section / 5,
        section_size=section,
        cell_color=(225, 226, 230),
        section_color=(190, 192, 200),
        fade_distance=8 * size,
        shadow_opacity=0.25,
        wxyz=turn(axes.T),
        position=spots[0],
    )
    camera = server.initial_camera
    camera.fov, camera.near, camera.far = FIELD, 0.01 * size, 100.0 * size
    camera.look_at, camera.up = middle, up
    camera.position = middle + _eye(points - middle, axes)
    return grid, spots


def _size(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _eye(points: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Where to stand, seen from the middle of points, to see their motion best, and all of them."""
    level = points @ axes[:2].T
    thin = np.linalg.eigh(level.T @ level)[1][:, 0]  # across the plane in which most of it moves
    angle = math.atan2(thin[1], thin[0])
    angle += ASIDE + (
        math.pi if thin @ (1.0, -0.1) < 0 else 0.0
    )  # from the front, where it has one
    back = np.array([math.cos(angle), math.sin(angle), ABOVE]) @ axes
    back /= np.linalg.norm(back)
    right = np.cross(axes[2], back)
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(back, right), back]) @ points.T
    away = z + np.maximum(np.abs(x) / ASPECT, np.abs(y)) / math.tan(FIELD / 2)
    return 1.1 * float(away.max()) * back
