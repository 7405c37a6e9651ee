"""The pictures of README and docs/scenes.md: a humanoid swings on threads.

`python docs/pictures/swing.py` draws `strobe.png`, five looks at one swing, and `energy.png`.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.collections import TriMesh
from matplotlib.figure import Figure
from matplotlib.tri import Triangulation
from PIL import Image

import arthron as ar
from arthron.__main__ import HOOK, puppet
from arthron._view.recording import record
from arthron._view.solids import Solid

STEP, TILT, REACH = 1e-3, 1.1, 1.5
"""Step [s], how far the puppet is pulled back [rad], and how far from the hook it is held [m]."""
LOOKS, APART = 5, 0.32
"""How often it is seen, and the time from one look to the next [s]."""
SHOWN = 3.45
"""Duration of which energies are drawn [s]."""
ASIDE, ABOVE = 0.3, 0.08
"""Where the camera stands: angle from the side, and from the horizon [rad]."""
LIGHT = np.array([-0.35, -0.75, 0.6])
WIDTH, DPI = 8.0, 100
"""Of the picture: inches, and pixels per inch."""


def main(folder: Path) -> None:
    """Simulate the swing and draw both pictures into a folder."""
    strobe(folder / "strobe.png")
    energy(folder / "energy.png")


def swing(duration: float, every: float) -> tuple[ar.Trajectory, ar.Scene]:
    """The puppet of `make run`, pulled farther back and let go; states are kept `every` seconds."""
    scene, q, qd = puppet()
    q[:3] = HOOK[0] - REACH * math.sin(TILT), HOOK[1], HOOK[2] - REACH * math.cos(TILT)
    q[3:7] = math.cos(TILT / 2), 0.0, math.sin(TILT / 2), 0.0
    keep, start = round(every / STEP), {"q": q, "qd": 0.0 * qd}
    motion = ar.simulate(
        scene, duration, STEP, integrator="implicit Euler", keep_every=keep, **start
    )
    return motion, scene


def energy(path: Path) -> None:
    """Kinetic and potential energy, and their sum, against time."""
    motion, _ = swing(SHOWN, 0.01)
    figure = Figure(figsize=(WIDTH, 2.6), layout="constrained", facecolor="white")
    axes = figure.add_subplot(xlabel="time [s]", ylabel="energy [J]", xlim=(0.0, SHOWN))
    for name, colour in (("kinetic", "#d1783c"), ("potential", "#3f7fbf"), ("energy", "#3a3d46")):
        axes.plot(motion.t, getattr(motion, name), color=colour, lw=1.6)
        label = "total" if name == "energy" else name
        axes.text(SHOWN + 0.03, getattr(motion, name)[-1], label, color=colour, va="center")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e6ea", lw=0.7)
    figure.savefig(path, dpi=DPI)


def strobe(path: Path) -> None:
    """Looks at one swing on top of each other."""
    seen = record(*swing(APART * (LOOKS - 1), APART))
    right, up, back = camera()
    points, colours = [], []
    for k, poses in enumerate(seen.poses):
        strength = 0.22 + 0.78 * (k / (LOOKS - 1)) ** 1.6  # early looks are pale
        parts = [*seen.parts, *seen.line_solids(k)]
        solids = [shaded(part.solid.moved(poses[part.place]), part.colour) for part in parts]
        corners = np.concatenate([corners for corners, _ in solids])
        colour = np.concatenate([colour for _, colour in solids])
        order = np.argsort(-(corners.mean(1) @ back))  # what is near is drawn last
        points.append(corners[order].reshape(-1, 3) @ np.stack([right, up], 1))
        colours.append(1.0 + strength * (colour[order].reshape(-1, 3) - 1.0))
    draw(np.concatenate(points), np.concatenate(colours), path)


def camera() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is right, up and away for whoever looks."""
    right = np.array([math.cos(ASIDE), math.sin(ASIDE), 0.0])
    level = np.array([-math.sin(ASIDE), math.cos(ASIDE), 0.0])
    back = math.cos(ABOVE) * level - np.array([0.0, 0.0, math.sin(ABOVE)])
    return right, np.cross(right, back), back


def shaded(solid: Solid, colour: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the triangles that face the camera, (n, 3, 3), and their colours, (n, 3, 3)."""
    corners = solid.vertices[solid.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.repeat(across[:, None], 3, 1)
    if not solid.flat:
        smooth = np.zeros_like(solid.vertices)
        np.add.at(smooth, solid.faces, normals)
        normals = smooth[solid.faces]
    normals = normals / np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-30)
    light = np.maximum(normals @ LIGHT / np.linalg.norm(LIGHT), 0.0)
    bright = 0.62 + 0.08 * normals[..., 2:] + 0.48 * light[..., None]
    facing = across @ camera()[2] < 0.0
    return corners[facing], np.clip(np.array(colour) / 255.0 * bright, 0.0, 1.0)[facing]


def draw(points: np.ndarray, colours: np.ndarray, path: Path) -> None:
    """Triangles in their order, three points each, with colours that blend between corners."""
    low, high = points.min(0) - 0.06, points.max(0) + 0.06
    wide, tall = high - low
    figure = Figure(figsize=(WIDTH, WIDTH * tall / wide), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.set_axis_off()
    x, y = points.T
    mesh = TriMesh(Triangulation(x, y, np.arange(len(points)).reshape(-1, 3)))
    mesh.set_facecolor(np.column_stack([colours, np.ones(len(colours))]))
    axes.add_collection(mesh)
    figure.savefig(path, dpi=2 * DPI)
    with Image.open(path) as image:  # twice the size, then halved: smooth edges
        image.convert("RGB").reduce(2).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(__file__).parent)
