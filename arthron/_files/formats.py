"""Formats that are not read, and what to do with a file in one of them."""

from __future__ import annotations

MJCF = (
    "an MJCF file, which is not read yet. Load the robot's URDF file where there is one, or "
    "convert it: `pip install mjcf-urdf-simple-converter`, then "
    '`mjcf_urdf_simple_converter.convert("robot.xml", "robot.urdf")`'
)
SDF = (
    "an SDF file, which is not read. Load the .urdf or .xacro file that most are made from, or "
    "export the model as URDF"
)
USD = "a USD file, which is not read. Export it as URDF, which Isaac Sim does"
MOTION = "a file of motion capture: `ar.load_motion` reads it, and makes a figure of its skeleton"
MARKERS = "a file of markers: `ar.mocap.load_markers` reads it"
MESH = "a mesh. A body has it among its shapes: `ar.Body(name, shapes=[ar.Mesh(path)])`"
XACRO = (
    "a xacro file, from which URDF is made: `pip install xacro`, `xacro robot.xacro > robot.urdf`"
)

BY_ENDING = {
    ".mjcf": MJCF,
    ".mjb": MJCF,
    ".sdf": SDF,
    ".world": SDF,
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), USD),
    **dict.fromkeys((".bvh", ".asf", ".amc"), MOTION),
    ".c3d": MARKERS,
    **dict.fromkeys((".obj", ".stl", ".dae", ".glb", ".gltf", ".ply"), MESH),
    ".xacro": XACRO,
}
BY_ROOT = {
    "sdf": SDF,
    "gazebo": SDF,
    "mujoco": MJCF,
    "html": "an HTML page; download the file that it shows",
    "COLLADA": MESH,
}
"""By the first element of an XML file."""
