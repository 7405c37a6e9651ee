"""Code made by several processes: the same code, and no harm when one of them is gone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from compile_cases import FIGURES, random_inputs

import arthron as ar
from arthron._compile.run import assembler, children, cpu
from arthron._compile.run.children import Child, Children
from arthron._compile.run.native import host
from arthron._pages.inputs import page_inputs

ROOT = Path(ar.__file__).parents[1]
MODEL = FIGURES["tree of all joints"]
PAGE = ar.algorithms.forward_dynamics_derivatives
TEXTS = [f"define i64 @f{k}() {{ ret i64 {k} }}\n" for k in range(6)]


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """An empty cache, and several modules even for short programs on one core."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cpu, "cores", lambda: 3)
    monkeypatch.setattr(children, "cores", lambda: 3)
    monkeypatch.setattr(cpu, "SMALLEST", 300)
    return monkeypatch


@pytest.fixture
def team(monkeypatch):
    """Children of one's own, on three cores, with one of them started."""
    monkeypatch.setattr(children, "cores", lambda: 3)
    monkeypatch.setattr(children, "PATIENCE", 20.0)
    team = Children()
    team.prepare()
    yield team
    team._end_all()


def expected(texts=TEXTS):
    machine = host()
    given = machine.triple, machine.cpu, machine.features
    return [assembler.object_code(text, *given) for text in texts]


def one_of(team):
    (child,) = team._all
    return child


@pytest.mark.parametrize("batch", [(), (11,)], ids=str)
def test_a_program_in_several_modules_gives_the_same_numbers(batch, cold, monkeypatch):
    given = random_inputs(MODEL, page_inputs(PAGE, MODEL.tree), batch).values()
    made = []
    original = children.Children.assemble

    def watched(self, texts, machine):
        made.append(original(self, texts, machine))
        return made[-1]

    monkeypatch.setattr(children.Children, "assemble", watched)
    several = ar.compile(PAGE, MODEL)(*given)
    assert len(made[-1]) > 3
    found = ar.compile(PAGE, MODEL)(*given)  # from the cache, all of it
    assert len(made) == 1
    monkeypatch.setattr(cpu, "cores", lambda: 1)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    one = ar.compile(PAGE, MODEL)(*given)
    assert len(made[-1]) == 1
    for a, b, c in zip(several, found, one, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, c)


@pytest.mark.parametrize("batch", [(), (11,)], ids=str)
def test_a_loop_calls_what_is_in_other_modules(batch, cold):
    def page(tree, q):
        def step(x):
            y = x
            for k in range(700):
                y = 0.5 * y * (1.0 + 0.001 * k * q[1][0]) + ar.sin(q[2][0]) + 0.01 * x
            return y, y > 1e9

        return ar.iterate(step, q[3][0], 5).values

    model = ar.random_tree(3)
    cold.setattr(cpu, "SMALLEST", 100)
    function = ar.compile(page, model)
    q = np.random.default_rng(0).normal(size=(*batch, 3))
    found = function(q)
    signature = function._variant(("q",)).signature()
    texts = list(cpu.HOST._modules(function._variant(("q",)).program, signature, 64, True, 100))
    assert len(texts) > 3
    assert "call void @chunk." in texts[-1] and "declare hidden void @chunk." in texts[-1]
    np.testing.assert_allclose(found, ar.evaluate(page, model, q), rtol=1e-12)


def test_children_make_the_same_code(team):
    assert team.assemble(iter(TEXTS), host()) == expected()
    assert 1 <= len(team._all) <= 2  # of three cores this process has one
    assert sorted(map(id, team._idle)) == sorted(map(id, team._all))  # kept for the next time
    assert team.assemble(iter(TEXTS[::-1]), host()) == expected(TEXTS[::-1])


def test_a_short_program_stays_in_this_process(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(Child, "ask", None)
    MODEL.kinetic_energy(*random_inputs(MODEL, {"q": (MODEL.nq,), "qd": (MODEL.nv,)}, ()).values())
    function = ar.compile(ar.algorithms.gravity_forces, MODEL)
    function(MODEL.neutral())


def test_one_core_starts_no_child(monkeypatch):
    monkeypatch.setattr(children, "cores", lambda: 1)
    team = Children()
    team.prepare(5)
    assert not team._all
    assert team.assemble(TEXTS, host()) == expected()


@pytest.mark.parametrize("name", [None, "", "/opt/blender/blender", "/usr/bin/python3-config"])
def test_another_application_starts_no_child(name, monkeypatch):
    monkeypatch.setattr(sys, "executable", name)
    monkeypatch.setattr(children, "cores", lambda: 3)
    team = Children()
    team.prepare()
    assert not team._all
    assert team.assemble(TEXTS, host()) == expected()


def test_an_interpreter_that_is_not_there(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    monkeypatch.setattr(children, "cores", lambda: 3)
    team = Children()
    assert team.assemble(TEXTS, host()) == expected()
    assert not team._all


def test_a_child_without_llvmlite(monkeypatch):
    monkeypatch.setattr(children, "cores", lambda: 2)
    found = sys.path
    monkeypatch.setattr(sys, "path", [])
    team = Children()
    team.prepare()
    monkeypatch.setattr(sys, "path", found)
    monkeypatch.setattr(sys, "executable", None)  # and no other one
    child = one_of(team)
    assert team.assemble(TEXTS, host()) == expected()
    assert child not in team._all
    assert child.process.returncode == 1


@pytest.mark.parametrize("when", ["before", "later"])
def test_a_killed_child(team, when):
    child = one_of(team)
    if when == "before":
        child.process.kill()
        child.process.wait()
        assert team.assemble(TEXTS, host()) == expected()
    else:

        def texts():
            yield from TEXTS[:3]
            child.process.kill()
            yield from TEXTS[3:]

        assert team.assemble(texts(), host()) == expected()
    assert child not in team._all
    assert team.assemble(TEXTS, host()) == expected()  # by others


def test_a_child_that_does_not_answer(team, monkeypatch):
    monkeypatch.setattr(children, "PATIENCE", 0.3)
    child = one_of(team)
    child.process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(sys, "executable", None)  # nobody else comes to help
    assert team.assemble(TEXTS, host()) == expected()
    assert child.process.returncode == -signal.SIGKILL


GARBAGE = {
    "text": b"Welcome to this machine! " * 100,
    "too long": assembler.HEAD.pack(assembler.MAGIC, 1 << 60, 0),
    "damaged": assembler.message(b"\x7fELF" + bytes(100))[:-1] + b"!",
    "half of it": assembler.message(bytes(1000))[:500],
    "nothing": assembler.message(b""),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_a_child_that_answers_garbage(name, monkeypatch):
    code = f"import sys; sys.stdin.buffer.read(20); sys.stdout.buffer.write({GARBAGE[name]!r})"
    child = Child(sys.executable)
    child.end()
    child.process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    monkeypatch.setattr(sys, "executable", None)
    team = Children()
    team._all.add(child)
    team._idle.append(child)
    assert team.assemble(TEXTS, host()) == expected()
    assert not team._all


def test_text_that_llvm_refuses_has_one_message(team, monkeypatch):
    from arthron._compile.run import native

    bad = "define void @run() { ret i32 0 }"
    monkeypatch.setattr(native, "CHILDREN", team)
    messages = set()
    for texts in ([bad], [TEXTS[0], bad, TEXTS[1]], [bad, *TEXTS], [*TEXTS, bad]):
        with pytest.raises(
            ar.CompileError, match=r"LLVM does not accept.*a bug in arthron"
        ) as info:
            native.assemble(texts, host())
        messages.add(str(info.value))
    assert len(messages) == 1


def test_an_exception_leaves_no_thread_and_no_old_answer(team):
    def texts():
        yield from TEXTS[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.assemble(texts(), host())
    assert not team._idle
    assert team.assemble(TEXTS[3:], host()) == expected(TEXTS[3:])


SCRIPT = """
import os, signal, sys, time
import numpy as np, arthron as ar
from arthron._compile.run import children, cpu
children.cores = cpu.cores = lambda: 3
m = ar.random_tree(12)
q = np.zeros(12)
def call(page=ar.algorithms.forward_dynamics_derivatives):
    return ar.compile(page, m)(q, q, q)
call()
team = children.CHILDREN
print(*(child.process.pid for child in team._all), flush=True)
"""


def start(rest, tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT + rest], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_gone(pids):
    end = time.monotonic() + 10.0
    while any(map(alive, pids)):
        assert time.monotonic() < end, f"{pids} live on"
        time.sleep(0.02)


ENDS = {
    "the end of the script": ("", 0),
    "an exception": ("raise SystemExit(3)", 3),
    "os._exit": ("os._exit(4)", 4),
    "a kill": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
}


@pytest.mark.parametrize("name", ENDS)
def test_children_end_with_their_parent(name, tmp_path):
    rest, code = ENDS[name]
    process = start(rest, tmp_path)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert not errors
    pids = list(map(int, output.split()))
    assert len(pids) >= 1
    assert_gone(pids)


def test_a_child_at_work_ends_with_its_parent(tmp_path):
    """It notices in the middle of a module that takes minutes."""
    rest = """
from arthron._compile.run import assembler
from arthron._compile.run.native import host
h = host()
lines = "\\n".join(f"  %x{k+1} = fmul double %x{k}, %x{k // 2}" for k in range(300_000))
text = "define double @f(double %x0) {\\n" + lines + "\\n  ret double %x300000\\n}"
child = team._idle[-1]
assert child.ask(assembler.task(text, h.triple, h.cpu, h.features))
time.sleep(1.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    output, _ = start(rest, tmp_path).communicate(timeout=60)
    assert_gone(map(int, output.split()))


def test_ctrl_c_in_a_terminal_is_not_for_children(tmp_path):
    rest = """
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    pass
assert all(child.process.poll() is None for child in team._all)
call(ar.algorithms.inverse_dynamics_derivatives)
print("done", len(team._all))
"""
    process = start(rest, tmp_path)
    pids = list(map(int, process.stdout.readline().split()))
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    for pid in pids:
        os.kill(pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (output.split()[0], errors) == ("done", "")
    assert_gone(pids)


def test_a_fork_has_children_of_its_own(tmp_path):
    """And does not keep those of its parent alive by holding on to their pipes."""
    rest = """
pid = os.fork()
if pid == 0:
    assert not team._all
    call(ar.algorithms.inverse_dynamics_derivatives)
    print("own", os.getpid(), *(child.process.pid for child in team._all), flush=True)
    os.close(1), os.close(2)
    time.sleep(60)
time.sleep(3)
call(ar.algorithms.forward_dynamics)  # with those of before
os._exit(0)
"""
    process = start(rest, tmp_path)
    output, errors = process.communicate(timeout=60)
    assert not errors
    first, second = output.splitlines()
    word, *numbers = second.split()
    before, (fork, *own) = list(map(int, first.split())), map(int, numbers)
    assert word == "own" and own
    assert not set(before) & set(own)
    assert_gone(before)
    assert alive(fork)
    os.kill(fork, signal.SIGKILL)
    assert_gone([fork, *own])
