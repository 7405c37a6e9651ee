"""What is compiled and dropped is freed, native code and all."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron._compile.run.assembler import object_code
from arthron._compile.run.native import host

STATM = Path("/proc/self/statm")
pytestmark = pytest.mark.skipif(not STATM.exists(), reason="nothing tells this process's memory")


def resident():
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(job, warm_up, times):
    """Bytes that stay of each `job`, on average."""
    for k in range(warm_up):
        job(k)
    before = resident()
    for k in range(warm_up, warm_up + times):
        job(k)
    return (resident() - before) / times


def test_dropped_functions_leave_next_to_nothing(tmp_path, monkeypatch):
    """11 kB stayed of each when all were linked by one linker."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = ar.Model([ar.Body("arm", ar.Revolute("x"), shapes=[ar.Box((0.1, 0.1, 1.0), mass=1.0)])])

    def job(k):
        ar.compile(ar.algorithms.potential_energy, model)([0.3])
        if k % 20 == 0:
            gc.collect()  # or the most that is waiting for it counts

    assert growth(job, 60, 300) < 2500


def test_constants_of_compiled_programs_are_freed():
    """LLVM keeps constants for as long as the context that they were read in is there."""
    machine = host()
    given = machine.triple, machine.cpu, machine.features

    def job(k):
        numbers = ", ".join(f"i64 {n}" for n in np.arange(10_000) * 1000 + k)
        object_code(f"@table = constant [10000 x i64] [{numbers}]", *given)

    assert growth(job, 20, 30) < 20_000


def test_a_kernel_outlives_the_linker_of_its_group():
    model = ar.Model([ar.Body("arm", ar.Revolute("x"), shapes=[ar.Box((0.1, 0.1, 1.0), mass=1.0)])])
    first = ar.compile(ar.algorithms.potential_energy, model)
    expected = first([0.3])
    for _ in range(40):
        assert ar.compile(ar.algorithms.potential_energy, model)([0.3]) == expected
    gc.collect()
    assert first([0.3]) == expected
