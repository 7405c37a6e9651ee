"""The picture of docs/view.md: a ball that bounces, rigid, drawn stretched, and simulated squashy.

`python docs/pictures/squash.py` draws `squash.png`, as R19 has it in figures 2 and 4.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from matplotlib.image import imread, imsave

import arthron as ar

RADIUS, MASS, COLOUR = 0.1, 0.5, (0.82, 0.35, 0.16)
FRAME, SHOWN = 0.06, 0.93
"""Time of a frame, and how long it is shown [s]."""
FIRST, FIRST_SOFT = 0.054, 0.03
"""First frame of both kinds, so that one shows the bounce; the soft one takes longer [s]."""
SIZE = (316, 306)
"""Of each of the three, in pixels."""
START, SPEED = {"ball": [0.0, 0.0, 1.2]}, 0.9


def main(folder: Path) -> None:
    """Draw the three side by side into a folder."""
    t = np.arange(FIRST, SHOWN, FRAME)
    shape = ar.Sphere(RADIUS, mass=MASS, color=COLOUR)
    ball = ar.Model([ar.Body("ball", ar.Translational(), shapes=[shape])])
    ground = ar.contacts.Ground(restitution=0.9, friction=0.0)
    rigid = ar.simulate(ar.Scene(ball, [ground]), SHOWN, 1e-3, start=START, qd=[SPEED, 0, 0])
    squashy = ar.squash.squashy_ball(RADIUS, MASS, root=ar.Translational())
    scene = ar.Scene(squashy, [ar.squash.Squashy(stiffness=14.0, damping=0.01)])
    soft = ar.simulate(scene, SHOWN, 5e-4, start=START, qd=[0, SPEED, 0, 0])
    style = ar.squash.SquashStretch(frame=FRAME)
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{k}.png" for k in range(3)]
        rigid.save_png(files[0], t=t, size=SIZE)
        rigid.save_png(files[1], t=t, size=SIZE, stretch=style)
        soft.save_png(files[2], scene, t=t - FIRST + FIRST_SOFT, size=SIZE)
        imsave(folder / "squash.png", np.concatenate([imread(x)[..., :3] for x in files], axis=1))


if __name__ == "__main__":
    main(Path(__file__).parent)
