"""What all tests share."""

import gc
import signal
from dataclasses import replace
from pathlib import Path

import pytest

HERE = Path(__file__).parent
AS_FOR_USERS = (
    HERE / "compile",
    HERE / "parity",
    HERE / "redmax",
    HERE / "test_documents.py",
)
"""Tests of code as users have it: all pages, robots, steps of integrators, documents, examples."""


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

    full = any(path in (item.path, *item.path.parents) for path in AS_FOR_USERS)
    HOST.machine = replace(host(), effort=1 if full else 0)
