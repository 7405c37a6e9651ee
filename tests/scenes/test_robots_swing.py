"""Robots that swing freely from their neutral pose stay within their limits.

As a script, `make soak`: every robot of example-robot-data.
"""

import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
SOME = ("panda_description/urdf/panda.urdf", "so_arm_description/urdf/so101.urdf")
REFUSED = {"falcon.urdf", "ur3.urdf"}
"""Files that are no robots: a joint whose link is missing, and nothing at all."""


def swing(path):
    """Five seconds with default settings; warnings that are not true are errors."""
    model = ar.load(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = ar.simulate(ar.Scene(model), 5.0, 1e-3, progress=False)
    beyond = np.maximum(model.q_lower - run.q, run.q - model.q_upper).max(1, initial=0.0)
    messages = [str(warning.message) for warning in told]
    if beyond[0] > 1e-9:
        (message,) = messages
        assert "beyond its limits" in message and f"{beyond[0]:.3g}" in message
    else:
        assert not messages
    assert np.isfinite(run.q).all() and np.isfinite(run.forces).all()
    outside = beyond > 1e-3
    back = len(outside) if outside.all() else int(np.argmin(outside))
    assert back < 1000 and not outside[back:].any()  # it comes back, and stays
    assert (np.diff(beyond[: back + 1]) <= 1e-12).all()
    assert beyond[-1] < 1e-9
    return run, back


@pytest.mark.parametrize("name", SOME)
def test_a_robot_swings_within_its_limits(name):
    run, back = swing(ROBOTS / name)
    energy = run.energy[back:]
    assert np.diff(energy).max() < 1e-3 * np.ptp(energy)  # stops take energy, and give none


def test_a_panda_starts_outside_and_comes_back_without_a_jump():
    run, back = swing(ROBOTS / SOME[0])
    fourth = run.model.q_upper[3]
    assert run.q[0, 3] - fourth > 0.06 and back > 100
    assert np.abs(run.qd[:back, 3]).max() < 1.0 and (run.q[back:, 3] < fourth + 1e-3).all()


if __name__ == "__main__":  # `make soak`
    for file in sorted(path for path in ROBOTS.rglob("*.urdf") if path.name not in REFUSED):
        run, back = swing(file)
        print(f"{file.stem}: within its limits after {run.t[back]:.2f} s", flush=True)
