"""What all tests share."""

import gc
import signal
from dataclasses import replace
from pathlib import Path

import pytest

HERE = Path(__file__).parent
HURRIED = (
    HERE / "joints",
    HERE / "laws",
    HERE / "scenes",
    HERE / "test_inverse_kinematics.py",
    HERE / "test_simulation.py",
)
"""Tests whose code is made in a hurry; all others have it as users do."""
TO_THE_LAST_BITS = {
    f"test_{name}.py"
    for name in ("own_elements", "parameters", "redundant_rows", "trajectory", "trajectory_files")
}
"""Among them those of numbers that are the same in batches, alone, and in another process.

They are only if products in sums are fused alike, and in a hurry LLVM fuses those of vectors alone.
"""


def pytest_configure():
    """Processes that tests start can be interrupted, in a background job, too.

    A shell starts those with SIGINT ignored, and so would be what they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """What is there before the first test stays: do not look for garbage in it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Most tests have their code made in a hurry: LLVM would take a third of the time of all."""
    from arthron._compile.run.cpu import HOST
    from arthron._compile.run.native import host

    hurried = any(path in (item.path, *item.path.parents) for path in HURRIED)
    hurried = hurried and item.path.name not in TO_THE_LAST_BITS
    HOST.machine = replace(host(), effort=0 if hurried else 1)
