"""Pictures of a recording, drawn without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .camera import Stage, focal, stage
from .ground import ground
from .looks import ColouredSolid
from .normals import corner_normals
from .rasterize import in_front, rasterize
from .recording import LINE_COLOUR, Recording
from .shadow import Shadow, cast, on_surface
from .solids import axes, stick
from .srgb import colour_of, light_of

SAMPLES = 3
"""Across and down in each pixel of a figure."""
LIGHT = np.array([-0.4, 0.3, 1.0])
"""Where the light is: to the right, towards the camera, up."""
SKY, BOUNCE, SUN, GLINT = 0.7, 0.3, 0.62, 0.05
"""Light from above, from below and from the sun, and what of the sun is mirrored."""
SHOULDER = 0.5
"""Light above which it is pressed together, so that white does not burn out."""
SHINE = 40
"""How small what is mirrored is."""
NEAREST = 1e-3
"""What is nearer to the camera is not drawn, beside the size of what is seen."""
LIFT = 2.0
"""Texels by which points are lifted off their surface to see the light."""
PALEST, LATE = 0.22, 1.6
"""Opacity of the first of several looks, and how late the others become strong."""


@dataclass(frozen=True)
class Studio:
    """What all pictures of a recording have in common.

    Attributes:
        recording: what is seen.
        parts: what moves, springs and cables too.
        poses: of what parts ride on, (frames, count, 4, 4); those of lines stretch them, too.
        size: width and height in pixels.
        stage: where the camera and the ground are.
        camera: what is right, down and away, in rows, (3, 3).
        light: where the light is, a unit vector.
        faces: numbers of vertices, those of all parts one behind the other, (n, 3).
        normals: at corners, in the axes of what the part rides on, (n, 3, 3).
        part: that each triangle is of, (n,).
    """

    recording: Recording
    parts: Sequence[ColouredSolid]
    poses: np.ndarray
    size: tuple[int, int]
    stage: Stage
    camera: np.ndarray
    light: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    part: np.ndarray


def studio(recording: Recording, size: tuple[int, int]) -> Studio:
    """Make ready for pictures of some width and height in pixels."""
    seen, up = stage(recording, size[0] / size[1], shadows=True), recording.up
    away = _unit(seen.middle - seen.eye)
    right = _unit(np.cross(away, up))
    light = _unit(LIGHT @ np.stack([right, np.cross(right, up), up]))
    parts, poses = _with_lines(recording)
    solids = [part.solid for part in parts]
    start = np.cumsum([0, *(len(s.vertices) for s in solids[:-1])])
    return Studio(
        recording,
        parts,
        poses,
        size,
        seen,
        np.stack([right, np.cross(away, right), away]),
        light,
        np.concatenate([s.faces + k for s, k in zip(solids, start, strict=True)]),
        np.concatenate([corner_normals(s) for s in solids]).astype(np.float32),
        np.repeat(np.arange(len(solids)), [len(s.faces) for s in solids]),
    )


def _with_lines(recording: Recording) -> tuple[list[ColouredSolid], np.ndarray]:
    """Parts and poses with those of springs and cables: sticks that are stretched."""
    parts, poses = list(recording.parts), recording.drawn
    for k, line in enumerate(recording.lines):
        a, b = recording.line_ends()[:, k].swapaxes(0, 1)
        length = np.maximum(np.linalg.norm(b - a, axis=1, keepdims=True), 1e-12)
        pose = np.tile(np.eye(4), (len(poses), 1, 1))
        pose[:, :3, :3] = axes((b - a) / length)
        pose[:, :3, 2] *= length
        pose[:, :3, 3] = (a + b) / 2
        parts.append(ColouredSolid(poses.shape[1], stick(1.0, line.radius), LINE_COLOUR))
        poses = np.concatenate([poses, pose[:, None]], 1)
    return parts, poses


def picture(studio: Studio, looks: Sequence[int]) -> np.ndarray:
    """Frames of the recording in one picture, the last as it is and those before paler.

    Colours are red, green and blue, to 255, (height, width, 3).
    """
    up, spot = studio.recording.up, studio.stage.spots[looks[-1]]
    late = np.arange(1, len(looks) + 1) / len(looks)
    strength = PALEST + (1.0 - PALEST) * late**LATE if len(looks) > 1 else late
    opacity = np.array([part.opacity for part in studio.parts])[studio.part]
    opacity = np.outer(strength, opacity).ravel()
    corners = np.concatenate([_corners(studio, k) for k in looks])
    shadow = cast(corners, opacity, studio.light, up, float(spot @ up))
    image = ground(studio.stage, studio.camera, studio.size, spot, shadow)
    _put_figure(image, studio, looks, corners, opacity, shadow)
    return colour_of(image)


def _corners(studio: Studio, k: int) -> np.ndarray:
    """Of all triangles in a frame, as seen from its focus, (n, 3, 3)."""
    poses, found = studio.poses[k], []
    for place, solid, *_ in studio.parts:
        found.append(solid.vertices @ poses[place, :3, :3].T + poses[place, :3, 3])
    return (np.concatenate(found) - studio.recording.focus[k])[studio.faces]


def _put_figure(
    image: np.ndarray,
    studio: Studio,
    looks: Sequence[int],
    corners: np.ndarray,
    opacity: np.ndarray,
    shadow: Shadow,
) -> None:
    """Draw triangles over a picture: first what is solid, then each look, and opacity, over it."""
    eye, size = studio.stage.eye, np.array(studio.size)
    seen, which = in_front((corners - eye) @ studio.camera.T, NEAREST * studio.stage.size)
    near = 1.0 / seen[..., 2]
    flat = focal(size[1]) * seen[..., :2] * near[..., None] + size / 2
    low, far = (np.array([f(flat[..., k]) for k in (0, 1)]) for f in (np.min, np.max))
    low = np.clip(np.floor(low), 0, size).astype(int)
    wide, tall = (np.clip(np.ceil(far), low, size).astype(int) - low).tolist()
    flat = SAMPLES * (flat - low)
    (ax, ay), (bx, by), (cx, cy) = flat.transpose(1, 2, 0)
    away = (bx - ax) * (cy - ay) >= (cx - ax) * (by - ay)
    meshes = np.array([part.solid.kind == "mesh" for part in studio.parts])[studio.part]
    seen = np.flatnonzero(~away | meshes[which % len(meshes)])  # of meshes some are open
    flat, near, which = flat[seen], near[seen], which[seen]
    light = np.zeros((SAMPLES * tall * SAMPLES * wide, 4), np.float32)
    depth = np.zeros(len(light))
    look = np.arange(len(corners)) // len(studio.faces)
    layers = np.where(opacity < 1.0, look + 2.0 - opacity, 0.0)[which]  # by look, then opacity
    for layer in np.unique(layers):
        some = np.flatnonzero(layers == layer)
        shown, nearness = (
            x.ravel() for x in rasterize(flat[some], near[some], (SAMPLES * wide, SAMPLES * tall))
        )
        at = np.flatnonzero((shown >= 0) & (nearness > depth))
        face = which[some[shown[at]]]
        y, x = np.divmod(at, SAMPLES * wide)
        rays = np.stack([x + 0.5, y + 0.5], 1) / SAMPLES + low - size / 2
        rays = np.column_stack([rays / focal(size[1]), np.ones(len(at))]) @ studio.camera
        points = eye + rays / nearness[at, None]
        own = np.ones((len(at), 4), np.float32)
        own[:, :3] = _shaded(studio, looks, face, corners[face], points, shadow)
        much = opacity[face[:1]].astype(np.float32)
        light[at] = own if layer == 0.0 else light[at] + much * (own - light[at])
        if layer == 0.0:
            depth = np.where(shown >= 0, nearness, 0.0)
    light = light.reshape(tall, SAMPLES, wide, SAMPLES, 4)
    each = (light[:, i, :, j] for i in range(SAMPLES) for j in range(SAMPLES))
    light = sum(each, start=np.zeros(4, np.float32)) / SAMPLES**2
    behind = image[low[1] : low[1] + tall, low[0] : low[0] + wide]
    behind *= 1.0 - light[..., 3:]
    behind += light[..., :3]


def _shaded(
    studio: Studio,
    looks: Sequence[int],
    number: np.ndarray,
    corners: np.ndarray,
    points: np.ndarray,
    shadow: Shadow,
) -> np.ndarray:
    """Light from points of triangles, (n, 3), given their numbers and corners."""
    look, face = np.divmod(number, len(studio.faces))
    parts, part = studio.parts, studio.part[face]
    place = np.array([p.place for p in parts])[part]
    turns = np.swapaxes(np.linalg.inv(studio.poses[list(looks), :, :3, :3]), 2, 3)
    turn = turns.astype(np.float32)[look, place]  # of normals, where poses stretch
    normal = np.einsum("nk,nkj->nj", _weights(corners, points), studio.normals[face])
    normal = _unit(np.einsum("nij,nj->ni", turn, normal))
    to_eye = _unit((studio.stage.eye - points).astype(np.float32))
    normal *= np.where(_dot(normal, to_eye) < 0.0, -1.0, 1.0)[:, None]  # surfaces have two sides
    sun, up = studio.light.astype(np.float32), studio.recording.up.astype(np.float32)
    lit = 1.0 - on_surface(shadow, points + LIFT * shadow.texel * (normal + sun))
    sky = BOUNCE + (SKY - BOUNCE) * (0.5 + 0.5 * (normal @ up))
    glint = GLINT * np.maximum(_dot(normal, _unit(to_eye + sun)), 0.0) ** SHINE
    colour = light_of([p.colour for p in parts])[part]
    bright = sky + SUN * lit * np.maximum(normal @ sun, 0.0)
    light = colour * bright[:, None] + (lit * glint)[:, None]
    over = np.maximum(light - SHOULDER, 0.0)
    return light - over + (1.0 - SHOULDER) * (1.0 - np.exp(-over / (1.0 - SHOULDER)))


def _weights(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How much of each corner there is in points of triangles, (n, 3)."""
    a, b, c = corners.transpose(1, 2, 0)
    b, c, p = b - a, c - a, points.T - a
    bb, bc, cc = (np.einsum("in,in->n", *x) for x in ((b, b), (b, c), (c, c)))
    pb, pc = (np.einsum("in,in->n", p, x) for x in (b, c))
    area = np.maximum(bb * cc - bc * bc, 1e-300)
    v, w = (cc * pb - bc * pc) / area, (bb * pc - bc * pb) / area
    return np.stack([1.0 - v - w, v, w], 1).clip(0.0, 1.0).astype(np.float32)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-30)
