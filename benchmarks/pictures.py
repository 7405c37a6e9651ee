"""Time of a picture: `python benchmarks/pictures.py` prints milliseconds of one core for each.

The robots of example-robot-data are drawn with their meshes, where that is installed.
"""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path

import numpy as np

import arthron as ar
from arthron._view.recording import still
from arthron._view.still import picture, studio

SIZES = ((320, 240), (640, 480), (1280, 960))
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
FILES = (
    "panda_description/urdf/panda.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
)
REPEATS = 5


def figures():
    yield ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    for file in FILES:
        if (ROBOTS / file).exists():
            yield ar.load(ROBOTS / file)


def main():
    sizes = "".join(f"{f'{w} x {h}':>13}" for w, h in SIZES)
    print(f"{'figure':16}{'triangles':>10}{sizes}   [ms of one core, the median of {REPEATS}]")
    for model in figures():
        recording, row = still(model), ""
        for size in SIZES:
            place, took = studio(recording, size), []
            for _ in range(REPEATS):
                start = time.process_time()
                picture(place, [0])
                took.append(time.process_time() - start)
            row += f"{1e3 * np.median(took):13.0f}"
        print(f"{model.name:16}{len(place.faces):10}{row}")


if __name__ == "__main__":
    main()
