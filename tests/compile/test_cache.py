"""Compiled code on disk: found again, never mistaken, and no harm when it is broken."""

import functools
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron._compile import cache
from arthron._compile.run import cpu

Q = np.array([0.1, -0.4, 0.7])
ROOT = Path(ar.__file__).parents[1]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "arthron" / "v1"


@pytest.fixture
def compilations(monkeypatch):
    """How many kernels have been compiled."""
    made = []
    original = cpu.assemble
    monkeypatch.setattr(cpu, "assemble", lambda *args: made.append(1) or original(*args))
    return made


def model(**changes):
    return ar.random_tree(3, **changes)


def user_page(tree, q):
    return [ar.sin(q[1][0]) + q[2][0], q[3][0]]


PAGES = {
    "method": lambda: model().gravity_forces,
    "method with a frame": lambda: functools.partial(model().frame_pose, frame="body2"),
    "page": lambda: ar.compile(ar.algorithms.crba, model()),
    "derivative": lambda: ar.compile(ar.jacobian(ar.algorithms.potential_energy), model()),
    "user page": lambda: ar.compile(user_page, model()),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_second_time_nothing_is_compiled(name, folder, compilations):
    first = PAGES[name]()(Q)
    assert len(compilations) == 1
    assert len(list(folder.iterdir())) == 1
    second = PAGES[name]()(Q)
    assert len(compilations) == 1
    np.testing.assert_array_equal(second, first)


def test_built_in_pages_are_not_even_traced(monkeypatch):
    first = model().inverse_dynamics(Q, Q, Q)
    monkeypatch.setattr("arthron._pages.compiled.trace", None)
    np.testing.assert_array_equal(model().inverse_dynamics(Q, Q, Q), first)


SCRIPT = """
import sys, numpy as np, arthron as ar
from arthron._compile.run import cpu
if sys.argv[1] == "warm":
    cpu.assemble = ar._pages.compiled.trace = None
q = np.array([0.1, -0.4, 0.7])
model = ar.random_tree(3)
results = [model.inverse_dynamics(q, q, q), model.mass_matrix(q[None]), model.kinetic_energy(q, q)]
print([float(x) for r in results for x in np.ravel(r)])
"""


def start(mode):
    command = [sys.executable, "-c", SCRIPT, mode]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_processes_share_it_even_when_they_start_at_once(folder):
    cold = [start("cold"), start("cold")]
    texts = {process.communicate(timeout=60)[0] for process in cold}
    assert [process.returncode for process in cold] == [0, 0]
    assert len(list(folder.iterdir())) == 3  # and nothing half-written is left
    warm = start("warm")
    texts.add(warm.communicate(timeout=60)[0])
    assert warm.returncode == 0
    assert len(texts) == 1
    assert len(json.loads(texts.pop())) == 3 + 9 + 1


def other_inertia():
    bodies = list(model().bodies)
    I = bodies[1].inertia
    bodies[1] = replace(bodies[1], inertia=I._replace(m=np.nextafter(I.m, 2.0)))
    return ar.Model(bodies)


OTHERS = {
    "seed": lambda: model(rng=1),
    "one inertia digit": other_inertia,
    "gravity": lambda: model().replace(gravity=(0.0, 0.0, np.nextafter(-9.81, 0.0))),
    "joint kind": lambda: model(joints=("prismatic",)),
    "branching": lambda: model(branching=2.0),
    "armature": lambda: ar.Model([replace(b, armature=1e-9) for b in model().bodies]),
    "axis": lambda: model(joints=(ar.Revolute("x"),)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_different_models_do_not_share(name, compilations):
    model().inverse_dynamics(Q, Q, Q)
    OTHERS[name]().inverse_dynamics(Q, Q, Q)
    assert len(compilations) == 2


def test_a_different_name_shares(compilations):
    model().gravity_forces(Q)
    model().replace(name="other").gravity_forces(Q)
    assert len(compilations) == 1


def test_a_page_its_derivatives_and_other_inputs_do_not_share(compilations):
    page = ar.algorithms.bias_forces
    results = [
        ar.compile(page, model())(Q, Q),
        ar.compile(ar.jacobian(page, "q"), model())(Q, Q),
        ar.compile(ar.jacobian(page, "qd"), model())(Q, Q),
        ar.compile(ar.jacobian(ar.jacobian(page, "q"), "qd"), model())(Q, Q),
        ar.compile(page, model())(Q, Q, np.ones((3, 6))),
        ar.compile(page, model())(Q[None], Q[None]),
        ar.compile(page, model())(Q.astype("f4"), Q.astype("f4")),
    ]
    assert [r.shape for r in results] == [(3,), (3, 3), (3, 3), (3, 3, 3), (3,), (1, 3), (3,)]
    assert len(compilations) == 7
    assert not np.allclose(results[1], results[2])


def test_frames_and_axes_do_not_share():
    m = model()
    poses = [m.frame_pose(Q, name) for name in m.body_names]
    jacobians = [m.jacobian(Q, "body3", axes=f) for f in ("local", "world_aligned", "world")]
    for some in (poses, jacobians):
        assert all(not np.allclose(a, b) for k, a in enumerate(some) for b in some[:k])


STRUCTURES = {
    "dict": lambda tree, q: {"a": [q[1][0]], "b": [q[2][0]]},
    "other names": lambda tree, q: {"c": [q[1][0]], "d": [q[2][0]]},
    "tuple": lambda tree, q: ([q[1][0]], [q[2][0]]),
}


@pytest.mark.parametrize("first", STRUCTURES)
@pytest.mark.parametrize("second", STRUCTURES)
def test_programs_that_are_alike_keep_their_own_structure(first, second):
    for name in (first, second):
        got = ar.compile(STRUCTURES[name], model())(Q)
        expected = ar.evaluate(STRUCTURES[name], model(), Q)
        assert type(got) is type(expected)
        if isinstance(expected, dict):
            assert list(got) == list(expected)


def test_results_of_other_shapes_do_not_share():
    row = ar.compile(lambda tree, q: [q[1][0], q[2][0], q[3][0], 1.0], model())(Q)
    table = ar.compile(lambda tree, q: [[q[1][0], q[2][0]], [q[3][0], 1.0]], model())(Q)
    assert (row.shape, table.shape) == ((4,), (2, 2))


def test_a_page_that_is_edited_is_compiled_anew():
    def page_of(k):
        def page(tree, q):
            return [k * q[1][0]]

        return page

    for k in (2.0, 3.0):
        assert ar.compile(page_of(k), model())(Q) == pytest.approx([k * Q[0]])


class Screw:
    """A user's own joint; `pitch` is the class's, so instances look alike."""

    nq = nv = 1
    label = "screw"
    pitch = 0.1

    def __call__(self, q, qd):
        motion = ar.spatial.Motion(ar.spatial.Vec3(0.0, 0.0, 1.0),
                                   ar.spatial.Vec3(0.0, 0.0, self.pitch))  # fmt: skip
        S = ar.spatial.Subspace((motion,))
        X = ar.spatial.exp_se3(motion * q[0])
        return X, S, S * qd, ar.spatial.Motion()

    def __repr__(self):
        return "Screw()"

    def regrouped_inertia(self, I):
        return ar.Inertia()

    def neutral(self):
        return (0.0,)

    def integrate(self, q, dq):
        return (q[0] + dq[0],)


def test_a_joint_whose_law_is_edited_is_compiled_anew(monkeypatch):
    def height():
        body = ar.Body("nut", Screw(), inertia=ar.Inertia(1.0, I=ar.spatial.Mat3.identity()))
        return ar.Model([body]).body_poses([1.0])[0, 2, 3]

    assert height() == pytest.approx(0.1)
    monkeypatch.setattr(Screw, "pitch", 0.2)
    assert height() == pytest.approx(0.2)


DAMAGE = {
    "empty": lambda code: b"",
    "short": lambda code: code[:10],
    "truncated": lambda code: code[:-1],
    "cut in half": lambda code: code[: len(code) // 2],
    "longer": lambda code: code + b"\0",
    "flipped bit at the start": lambda code: bytes([code[0] ^ 1]) + code[1:],
    "flipped bit in the code": lambda code: code[:2000] + bytes([code[2000] ^ 64]) + code[2001:],
    "flipped bit at the end": lambda code: code[:-1] + bytes([code[-1] ^ 128]),
    "another file": lambda code: b"not for you" * 100,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_written_anew(name, folder, compilations):
    first = model().mass_matrix(Q)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(DAMAGE[name](whole))
    np.testing.assert_array_equal(model().mass_matrix(Q), first)
    assert len(compilations) == 2
    assert file.read_bytes() == whole
    np.testing.assert_array_equal(model().mass_matrix(Q), first)
    assert len(compilations) == 2


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path, monkeypatch, compilations):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    results = [model().mass_matrix(Q) for _ in range(2)]
    np.testing.assert_array_equal(*results)
    assert len(compilations) == 2


def test_a_full_disk_leaves_no_half_written_file(folder, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    model().mass_matrix(Q)
    assert list(folder.iterdir()) == []


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.folder() == Path("/somewhere/arthron/v1")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "arthron" / "v1"
