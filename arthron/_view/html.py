"""A recording as one HTML page that plays it, through viser."""

from __future__ import annotations

import contextlib
import html
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArthronError, FileError
from .camera import FIELD, stage
from .recording import Recording


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
    seen = stage(recording)
    server.scene.set_up_direction(recording.up)
    grid = server.scene.add_grid(
        "/ground",
        infinite_grid=True,
        cell_size=seen.section / 5,
        section_size=seen.section,
        cell_color=(225, 226, 230),
        section_color=(190, 192, 200),
        fade_distance=8 * seen.size,
        shadow_opacity=0.25,
        wxyz=turn(seen.axes.T),
        position=seen.spots[0],
    )
    camera = server.initial_camera
    camera.fov, camera.near, camera.far = FIELD, 0.01 * seen.size, 100.0 * seen.size
    camera.look_at, camera.up = seen.middle, recording.up
    camera.position = seen.eye
    return grid, seen.spots
