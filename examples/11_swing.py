"""A scene: a rope of ten links held by a spring, with wind on its end, three ways to step it."""

import numpy as np

import arthron as ar
from arthron.spatial import Vec3

links = 10
rope = ar.Model(
    [
        ar.Body(
            f"link{i}",
            ar.Universal(),
            parent=f"link{i - 1}" if i else None,
            placement=(0, 0, -0.2) if i else (0, 0, 0),
            shapes=[ar.Capsule(0.02, 0.16, placement=(0, 0, -0.1))],
            damping=0.002,
        )
        for i in range(links)
    ],
    name="rope",
)


def wind(frames, t):
    """Drag towards a wind that comes in gusts."""
    (end,) = frames
    gust = Vec3(3.0 + 2.0 * ar.sin(2.0 * t), 0.0, 0.0)
    return end.wrench((0, 0, -0.2), (gust - end.velocity((0, 0, -0.2))) * 0.3)


anchor = ar.forces.Spring.per_strain(
    ("link9", (0, 0, -0.2)), (None, (0.8, 0.4, -1.5)), 5.0, 0.5, 1.0
)
scene = ar.Scene(rope, [ar.forces.LinkLoad(("link9",), wrench=wind), anchor])

exact = ar.simulate(scene, 1.0, 5e-3, integrator="variational", keep_every=200).q[-1]
for integrator, step in (
    ("semi-implicit Euler", 1e-3),
    ("implicit Euler", 5e-3),
    ("implicit Euler", 2e-2),
):
    run = ar.simulate(scene, 1.0, step, integrator=integrator, keep_every=round(0.02 / step))
    off = np.abs(run.q[-1] - exact).max()
    print(f"{integrator:20} step {1e3 * step:4.0f} ms: {run}, {off:.3f} rad from the midpoint rule")
    assert off < 0.5
