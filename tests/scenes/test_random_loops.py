"""Random loops on random figures, from rough starts: closed and finite, or a sentence.

As a script, `make soak`: a hundred figures with a hundred rows of parameters and starts each.
"""

import sys
import warnings

import numpy as np
import pytest

import arthron as ar
from arthron.constraints import Distance, Loop

ROWS = 100
JOINTS = ("revolute", "prismatic", "universal", "spherical")
KINDS = (
    ar.Revolute("y"), ar.Spherical(), ar.Prismatic((1, 2, 2)), ar.Universal("x", "y"), ar.Fixed(),
    ar.Planar("z"), ar.Helical("x", 0.1), ar.Translational(),
    ar.Composite([ar.Revolute("z"), ar.Prismatic("z")]),
)  # fmt: skip


def system(seed):
    """A scene with a loop, or two, that is closed at some pose, and rough starts about that."""
    rng = np.random.default_rng(seed)
    model = ar.random_tree(
        int(rng.integers(3, 8)), float(rng.uniform(1, 2)), joints=JOINTS, rng=rng
    )
    q = model.random(rng)
    elements = []
    for k in range(int(rng.integers(1, 3))):
        a, b = rng.choice([None, *model.body_names], 2, replace=False)
        place = np.linalg.inv(pose(model, q, b)) @ pose(model, q, a)
        joint = KINDS[rng.integers(len(KINDS))]
        if rng.uniform() < 0.3:
            elements.append(Distance((a, rng.normal(size=3)), (b, rng.normal(size=3))))
        else:
            elements.append(Loop((a, (0, 0, 0)), (b, place), joint, name=f"loop {k}"))
    start = model.integrate(q, 0.2 * rng.normal(size=(ROWS, model.nv)))
    masses = model.inertial_parameters() * rng.uniform(0.5, 2.0, (ROWS, 1, 1))
    more = {"q": start, "qd": rng.normal(size=(ROWS, model.nv))}
    return ar.Scene(model, elements), more, {"inertia": masses.reshape(ROWS, -1)}


def pose(model, q, link):
    return np.eye(4) if link is None else model.frame_pose(q, link)


def outcome(seed):
    """What becomes of one: whether all its rows ran with loops closed, or why it was refused."""
    scene, start, numbers = system(seed)
    try:
        run = ar.simulate(scene, 0.05, 1e-3, parameters=numbers, progress=False, **start)
    except ar.ArthronError as error:
        assert "could not go on" not in str(error), error
        return f"refused: {error}"
    assert (run.status == "whole").all(), f"{(run.status != 'whole').sum()} of {ROWS} broke off"
    assert np.isfinite(run.q).all() and np.isfinite(run.forces).all()
    last = run.q[:, -1]
    off = scene.model.difference(scene.assemble(q=last, parameters=run.parameters)["q"], last)
    assert np.abs(off).max() < 1e-2, f"loops are open by {np.abs(off).max()}"
    return "whole"


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_random_loops_run_or_say_why_not():
    assert outcome(61) == "whole"  # a rod, and a cylinder of whose rows some move nothing


if __name__ == "__main__":  # `make soak`
    first, last = (int(x) for x in sys.argv[1:3]) if len(sys.argv) > 2 else (0, 100)
    warnings.simplefilter("ignore", ar.SimulationWarning)
    for seed in range(first, last):
        print(seed, outcome(seed), flush=True)
