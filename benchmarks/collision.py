"""Microseconds a pair of shapes beside coal and MuJoCo, in one run: `make bench`.

Coal and ours are asked for the signed distance with its nearest points, coal from Python as it is
used; MuJoCo for contacts, by `mj_collision` of a model of the two. Poses are at rest (a face or a
side on another, a micrometre deep), touching anyhow (as deep), deep and apart. Ours are in a batch,
on one thread, and alone, a call each. Times are those of the processor.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import coal
import mujoco
import numpy as np

import arthron as ar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "collision"))
from collision_cases import coal_shape, compiled, mesh_file, poses, rotation

ROWS = 2048
DEPTH = 1e-6
KINDS = [
    "box box", "capsule box", "cylinder box", "cylinder cylinder", "ellipsoid box",
    "ellipsoid ellipsoid", "mesh box", "mesh cylinder", "mesh mesh",
]  # fmt: skip


def shapes(folder: Path) -> dict[str, ar.Shape]:
    """One of each kind."""
    return {
        "capsule": ar.Capsule(0.1, 0.4),
        "box": ar.Box((0.4, 0.3, 0.2)),
        "cylinder": ar.Cylinder(0.15, 0.3),
        "ellipsoid": ar.Ellipsoid((0.2, 0.15, 0.1)),
        "mesh": mesh_file(folder, 100, 0),
    }


def touching(function, x, y) -> tuple[np.ndarray, np.ndarray]:
    """The same poses, moved along their normals to overlap a little."""
    found = function(x, y)
    gap, way = found[:, :1], found[:, 1:4] - found[:, 4:]
    n = way / np.where(np.abs(gap) < 1e-12, 1.0, gap)
    x = x.copy()
    x[:, :3] -= n * (gap + DEPTH)
    found = function(x, y)[:, 0]
    good = np.abs(found + DEPTH) < 0.1 * DEPTH
    return x[good], y[good]


def level(a: ar.Shape, b: ar.Shape, function) -> tuple[np.ndarray, np.ndarray]:
    """The second level, the first on it: turned about z, and capsules lie."""
    rng = np.random.default_rng(0)
    x, y = np.zeros((2, ROWS, 7))
    x[:, 3], y[:, 3] = np.cos(t := rng.uniform(0.0, np.pi, ROWS)), 1.0
    x[:, 6] = np.sin(t)
    if isinstance(a, ar.Capsule):
        c = np.sqrt(0.5)
        x[:, 3:] = c * np.stack([np.cos(t), -np.sin(t), np.cos(t), np.sin(t)], axis=1)
    x[:, :2] = rng.uniform(-0.1, 0.1, (ROWS, 2))
    x[:, 2] = 1.0
    return touching(function, x, y)


def microseconds(call, rows: int) -> float:
    """The least of several runs, a row."""
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return 1e6 * best / rows


def ours(function, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """In a batch, and alone."""
    few = list(zip(x[:200], y[:200], strict=True))
    return (
        microseconds(lambda: function(x, y), len(x)),
        microseconds(lambda: [function(p, q) for p, q in few], len(few)),
    )


def beside_coal(a: ar.Shape, b: ar.Shape, x: np.ndarray, y: np.ndarray) -> float:
    """What coal takes, transforms made before."""
    own = coal_shape(a), coal_shape(b)
    distance, request = coal.ComputeDistance(*own), coal.DistanceRequest()
    result = coal.DistanceResult()
    places = [[coal.Transform3s(rotation(z), z[:3]) for z in each] for each in (x, y)]

    def run() -> None:
        for p, q in zip(*places, strict=True):
            result.clear()
            distance(p, q, request, result)

    return microseconds(run, len(x))


def geom(shape: ar.Shape) -> str:
    """As MuJoCo's XML has it."""

    def text(*sizes: float) -> str:
        return " ".join(map(repr, map(float, sizes)))

    match shape:
        case ar.Box(size):
            return f'type="box" size="{text(*(0.5 * s for s in size))}"'
        case ar.Capsule(r, length):
            return f'type="capsule" size="{text(r, 0.5 * length)}"'
        case ar.Cylinder(r, length):
            return f'type="cylinder" size="{text(r, 0.5 * length)}"'
        case ar.Ellipsoid(radii):
            return f'type="ellipsoid" size="{text(*radii)}"'
    return 'type="mesh" mesh="mesh"'


def beside_mujoco(a: ar.Shape, b: ar.Shape, x: np.ndarray, y: np.ndarray) -> float:
    """What MuJoCo takes for contacts; poses that are looked up in between are taken off."""
    path = next((s.path for s in (a, b) if isinstance(s, ar.Mesh)), None)
    bodies = "".join(f'<body><freejoint/><geom {geom(s)} mass="1"/></body>' for s in (a, b))
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option><flag midphase="disable"/></option>'
        + (f'<asset><mesh name="mesh" file="{path}"/></asset>' if path else "")
        + f"<worldbody>{bodies}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    rows = np.hstack([x, y])

    def each(call) -> float:
        def run() -> None:
            for row in rows:
                data.qpos[:] = row
                call()

        return microseconds(run, len(rows))

    def place() -> None:
        mujoco.mj_kinematics(model, data)

    def meet() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)

    return each(meet) - each(place)


def main() -> None:
    """A table."""
    heads = ("batch", "alone", "coal", "MuJoCo")
    print(f"{'pair':20} {'poses':9}", *(f"{head:>7}" for head in heads), " [us]")
    with tempfile.TemporaryDirectory() as folder:
        kinds = shapes(Path(folder))
        for pair in KINDS:
            a, b = (kinds[kind] for kind in pair.split())
            function = compiled(a, b)
            x, y = poses(a, b, ROWS, 1)
            gaps = function(x, y)[:, 0]
            cases = {
                "at rest": level(a, b, function),
                "touching": touching(function, x, y),
                "deep": (x[gaps < -0.02], y[gaps < -0.02]),
                "apart": (x[gaps > 0.0], y[gaps > 0.0]),
            }
            for name, (x, y) in cases.items():
                few = a, b, x[:200], y[:200]
                figures = *ours(function, x, y), beside_coal(*few), beside_mujoco(*few)
                print(f"{pair:20} {name:9}", *(f"{t:7.2f}" for t in figures), f"{len(x):6}")


if __name__ == "__main__":
    main()
