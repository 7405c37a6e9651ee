"""These tests were written for the issue on scenes, which is open: some show what is still wrong.

They all run, and none of them fails the suite. Take this file away when the last of them passes.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in Path(item.path).parents:
            item.add_marker(pytest.mark.xfail(reason="scenes: an open issue", strict=False))
