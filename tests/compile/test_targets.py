"""Other processors, other chunk sizes, other memory, and interpreters nobody foresaw."""

import ctypes
import warnings
from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np
import pytest
from compile_cases import FIGURES, assert_close, random_inputs

import arthron as ar
from arthron._compile.lowering import schedule
from arthron._compile.render import module as kernel
from arthron._compile.render.machine import Machine
from arthron._compile.render.module import modules
from arthron._compile.run import cpu, native
from arthron._compile.run.cpu import CPU
from arthron._compile.run.native import Loaded, assemble, host
from arthron._compile.signature import Signature
from arthron._graph.program import pack
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()

MODEL = FIGURES["tree of all joints"]
MACHINES = {
    "AVX2": Machine("x86_64-unknown-linux-gnu", "haswell", "", 256),
    "x86-64 without vectors": Machine("x86_64-unknown-linux-gnu", "x86-64", "", 0, fma=False),
    "NEON": Machine("aarch64-unknown-linux-gnu", "generic", "+neon", 128),
    "AVX-512": Machine("x86_64-unknown-linux-gnu", "skylake-avx512", "-prefer-256-bit", 512),
    "macOS": Machine("arm64-apple-darwin22.0.0", "apple-m1", "", 128),
}
WIDE = MACHINES["AVX-512"]
PAGES = [ar.algorithms.aba, ar.algorithms.difference]
MAGIC = {"x86_64": b"\x7fELF", "aarch64": b"\x7fELF", "arm64": b"\xcf\xfa\xed\xfe"}


def text(page, machine, bits=64, wide=True):
    """Program and LLVM text of a page."""
    program = trace(page, MODEL.tree, page_inputs(page, MODEL.tree))
    outputs = [positions for _, positions in program.outputs]
    signature = Signature(
        tuple(program.inputs.values()),
        tuple(shape for shape, _ in program.outputs),
        program.structure,
        ops=1000,
        work=1000,
        loops=False,
    )
    lanes = machine.lanes(bits, wide)
    (source,) = modules(program.graph, outputs, signature, machine, lanes)
    return program, source


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", MACHINES)
def test_code_for_other_processors_is_made(name, page, bits):
    machine = MACHINES[name]
    code = assemble([text(page, machine, bits)[1]], machine)
    assert code[8:].startswith(MAGIC[machine.triple.split("-")[0]])
    counts = {0: 1, 128: 128 // bits, 256: 256 // bits, 512: 512 // bits}
    assert machine.lanes(bits, wide=True).count == counts[machine.vector_bits]
    assert machine.lanes(bits).count == 1


def run(loaded, arrays, rows):
    pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    strides = [a[0].nbytes for a in arrays]
    loaded.run(pointers, (ctypes.c_int64 * len(arrays))(*strides), 0, rows)


@pytest.mark.skipif(not host().triple.startswith("x86_64"), reason="runs x86-64 code")
@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["AVX2", "x86-64 without vectors", "AVX-512"])
def test_narrower_vectors_give_the_same_numbers(name, page, bits):
    machine = MACHINES[name]
    if machine.vector_bits > host().vector_bits:
        pytest.skip("this machine has no such vectors")
    assert_gives_the_numbers(page, machine, bits)


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("changes", [{"direct_calls": True}, {"fma": False}], ids=str)
def test_other_code_for_this_machine_gives_the_same_numbers(changes, page, wide, bits):
    machine = replace(host(), **changes)
    source = text(page, machine, bits, wide)[1]
    assert source != text(page, host(), bits, wide)[1]
    assert ("@steps" not in source) == machine.direct_calls
    assert (" contract " in source) == machine.fma
    assert_gives_the_numbers(page, machine, bits, wide)


class Other(CPU):
    """This processor, with code of another make."""

    machine = replace(host(), direct_calls=True, fma=False)


@pytest.mark.parametrize("batch", [(), (11,)], ids=str)
def test_a_page_asks_its_runner_for_code(batch, tmp_path, fresh):
    """Another runner serves the same calls, and what it made is not mistaken for other code."""
    for page in PAGES:
        given = random_inputs(MODEL, page_inputs(page, MODEL.tree), batch).values()
        function, other = ar.compile(page, MODEL), ar.compile(page, MODEL)
        other._runner = Other()
        assert "@steps" in function.ir and " contract " in function.ir
        assert "@steps" not in other.ir and " contract " not in other.ir
        expected = function(*given)
        files = len(list(tmp_path.rglob("*")))
        assert_close(other(*given), expected, expected.ndim - len(batch))
        assert len(list(tmp_path.rglob("*"))) == files + 1


def assert_gives_the_numbers(page, machine, bits, wide=True):
    """Code for a machine that this one can run agrees with the page on numbers."""
    dtype = np.dtype(f"f{bits // 8}")
    program, source = text(page, machine, bits, wide)
    loaded = Loaded(assemble([source], machine), dtype)
    for rows in (1, 3, 4, 5, 19):
        given = random_inputs(MODEL, program.inputs, (rows,), dtype)
        results = [np.full((rows + 1, *shape), 7.0, dtype) for shape, _ in program.outputs]
        run(loaded, [*given.values(), *results], rows)
        assert all(np.all(r[rows] == 7.0) for r in results)  # nothing behind the last row
        exact = ar.evaluate(page, MODEL, **{n: x.astype(float) for n, x in given.items()})
        got = pack(program.structure, [r[:rows] for r in results])
        assert_close(got, exact, exact.ndim - 1)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """No code of before: what is changed here is not part of the cache's keys."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return monkeypatch


def all_results(batch, pages=PAGES):
    """Results of several pages, compiled anew."""
    results = {}
    for page in pages:
        given = random_inputs(MODEL, page_inputs(page, MODEL.tree), batch)
        results[page.__name__] = ar.compile(page, MODEL)(*given.values())
    return results


def assert_same_results(got, expected, batch):
    for name, result in expected.items():
        assert_close(got[name], result, result.ndim - len(batch))


@pytest.mark.parametrize("batch", [(), (11,)], ids=str)
@pytest.mark.parametrize(("chunk", "calls", "pages"), [(7, 3, PAGES), (1, 1, PAGES[1:])])
def test_where_a_program_is_cut_does_not_matter(chunk, calls, pages, batch, tmp_path, fresh):
    expected = all_results(batch, pages)
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    fresh.setattr(schedule, "CHUNK", chunk)
    fresh.setattr(schedule, "CALLS", calls)
    source = text(ar.algorithms.difference, WIDE)[1]
    assert source.count("define internal void @chunk.") > 300 // chunk
    assert_same_results(all_results(batch, pages), expected, batch)


@pytest.mark.parametrize("batch", [(), (11,)], ids=str)
def test_scratch_memory_on_the_heap(batch, tmp_path, fresh):
    expected = all_results(batch)
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    fresh.setattr(kernel, "STACK", 0)
    assert "@aligned_alloc" in text(PAGES[0], WIDE)[1]
    assert_same_results(all_results(batch), expected, batch)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_scratch_slots_are_used_by_one_value_at_a_time(lanes):
    """What a chunk reads was stored there by the chunk that computed it, and not by another."""
    for page in (ar.algorithms.aba, ar.jacobian(ar.algorithms.poses)):
        program = trace(page, MODEL.tree, page_inputs(page, MODEL.tree))
        outputs, count = [list(p) for _, p in program.outputs], program.graph.input_count
        sources = [(schedule.SCRATCH if lanes > 1 else 0, k) for k in range(count)]
        plan = schedule.schedule(program.graph, outputs, sources, lanes)
        holder, reads = {}, 0
        for chunk in plan.chunks:
            inside = set(chunk.nodes)
            for node in chunk.nodes:
                for a in schedule.arguments(plan.graph.nodes[node]):
                    if a in plan.slots and a not in inside:
                        assert holder[plan.slots[a]] == a
                        reads += 1
                if node in plan.slots:
                    holder[plan.slots[node]] = node
        assert reads > 100
        assert max(plan.slots.values()) < plan.scratch
        assert min(plan.slots.values()) >= (count if lanes > 1 else 0)  # inputs stay


@pytest.fixture
def forget():
    """Afterwards, what was found out about the interpreter is found out again."""
    yield
    native.fast_calls.cache_clear()


def test_an_unforeseen_interpreter_is_served_with_a_warning(forget, monkeypatch):
    q, qd = random_inputs(MODEL, {"q": (MODEL.nq,), "qd": (MODEL.nv,)}, (9,)).values()
    expected = MODEL.kinetic_energy(q, qd)
    monkeypatch.setattr(native, "layout_is_known", lambda: False)
    native.fast_calls.cache_clear()
    function = ar.compile(ar.algorithms.kinetic_energy, MODEL)
    with pytest.warns(RuntimeWarning, match="report your Python and NumPy versions"):
        got = function(q, qd)
    np.testing.assert_array_equal(got, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it says so once
        for k in range(9):
            assert function(q[k], qd[k]) == pytest.approx(expected[k], rel=1e-12)
        out = np.empty(9)
        assert function(q, qd, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_this_interpreter_is_foreseen():
    assert native.layout_is_known()
    assert native.fast_calls()
    function = FIGURES["chain"].gravity_forces
    function(np.zeros(3))
    assert type(function._call) is type(len)  # a builtin takes the call


def test_code_for_another_layout_of_tuples_is_kept_apart(monkeypatch):
    """Items of tuples lie elsewhere from Python 3.14 on, and several Pythons share a cache."""
    key = cpu.HOST.key(64, True)
    monkeypatch.setattr(cpu, "TUPLE_ITEMS", tuple.__basicsize__ + 8)
    assert cpu.HOST.key(64, True) != key


def test_wrong_text_is_reported_as_a_bug():
    with pytest.raises(ar.CompileError, match="This is a bug in arthron"):
        assemble(["define void @run() { ret i32 0 }"], host())
