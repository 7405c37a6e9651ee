"""Trajectory files that were damaged, cut, swapped or are something else: never other numbers."""

import json
import os
import resource
import socket
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scene_cases import JOINTS, figure, one_body, simulate, start
from state_cases import Filter, Leaky, figure_of_all

import arthron as ar
from arthron import forces
from arthron._simulate.records import HEAD, walk
from arthron._simulate.trajectory_file import MAGIC, TrajectoryFile
from arthron._tree.joints import VectorSpace
from arthron.spatial import Inertia, Motion, Subspace, Transform, Vec3, rotation

HERE = Path(__file__).parent
ARRAYS = ("t", "q", "qd", "kinetic", "potential", "forces", "residual")


def everything(run):
    """All arrays of a trajectory by name."""
    return {n: getattr(run, n) for n in ARRAYS} | dict(run.states) | dict(run.recorded)


def begins(short, whole):
    """Whether the states of one trajectory are the first of another, to the last bit."""
    n, batch = len(short), whole.q.ndim - 2
    many = everything(whole)
    many = {k: x[:n] if k == "t" else x[(slice(None),) * batch + (slice(n),)]
            for k, x in many.items()}  # fmt: skip
    found = everything(short)
    assert found.keys() == many.keys()
    numbers = {k: x.tobytes() for k, x in whole.parameters.items()}
    return all(x.tobytes() == many[k].tobytes() for k, x in found.items()) and (
        {k: x.tobytes() for k, x in short.parameters.items()} == numbers
        and json.dumps(dict(short.about)) == json.dumps(dict(whole.about))
    )


def same(a, b):
    return len(a) == len(b) and begins(a, b)


def pendulum(mass=1.0, name="pendulum", lower="lower", at=-0.6, axis=(1, 2, 0), **more):
    """A figure that takes little time."""
    link = [ar.Box((0.1, 0.15, 0.6), mass=mass, placement=(0.02, 0.03, -0.3))]
    return ar.Model([
        ar.Body("upper", ar.Universal("x", "y"), shapes=link),
        ar.Body(lower, ar.Revolute(axis), "upper", (0.02, 0, at), shapes=link, **more),
    ], name=name)  # fmt: skip


def swing(path=None, duration=0.4, q=(0.5, 0.4, -0.3), step=0.01):
    """A run of the pendulum."""
    scene = ar.Scene(pendulum(), [forces.JointSpring("lower", 3.0, 0.1)])
    return simulate(scene, duration, step, q=q, file=path)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A file with a batch, states, a record, parameters and forces; and the run that wrote it."""
    path, model = tmp_path_factory.mktemp("full") / "run", pendulum()
    scene = ar.Scene(model, [
        Leaky("lower", name="leaky"), Filter("upper", name="filter"),
        ar.Prescribed("lower", velocity=lambda t: ar.sin(t)),
    ])  # fmt: skip
    q, qd = start(model, 1, (2,))
    for duration in (0.15, 0.3):
        run = simulate(
            scene, duration, 0.01, q=q, qd=qd, file=path,
            record={"tip": ar.sensors.position(model, "lower")},
            parameters={"gravity": [[0.0, 0.0, -9.0], [0.0, 1.0, -3.0]]},
        )  # fmt: skip
    assert run.forces.any() and run.states and run.recorded and len(run.parameters)
    assert len(records(path)) > 3
    return path, run


def records(path):
    """Where records are: the header, then those of states."""
    with open(path, "rb", buffering=0) as file:
        return list(walk(file, len(MAGIC), zlib.crc32(MAGIC)))


def parts(path):
    """The bytes of a file: its first line, its header, and its records."""
    text = path.read_bytes()
    return [text[: len(MAGIC)], *(text[r.at : r.end] for r in records(path))]


# Damage


def test_no_bit_that_flips_gives_other_numbers(full):
    path, whole = full
    text, rng = path.read_bytes(), np.random.default_rng(1)
    first = len(TrajectoryFile.at(path).head)
    begun = 0
    with path.open("r+b", buffering=0) as file:
        for bit in rng.integers(8 * len(text), size=7000):
            at = int(bit) // 8
            file.seek(at)
            file.write(bytes([text[at] ^ (1 << (int(bit) % 8))]))
            with pytest.raises(ar.FileError) as info:
                ar.load_trajectory(path)
            file.seek(at)
            file.write(text[at : at + 1])
            there = info.value.trajectory
            assert (there is None) == (at < first)
            if there is not None:
                assert len(there) < len(whole) and begins(there, whole)
                begun += len(there) > 1
    assert begun > 100
    assert same(ar.load_trajectory(path), whole)


def test_what_is_cut_off_leaves_whole_states_or_a_sentence(full, tmp_path):
    path, whole = full
    text, first = path.read_bytes(), len(TrajectoryFile.at(path).head)
    cut = tmp_path / "cut"
    cut.write_bytes(text)
    lengths = set()
    for size in reversed(range(len(text))):
        os.truncate(cut, size)
        if size < first:
            with pytest.raises(ar.FileError, match="whole") as info:
                ar.load_trajectory(cut)
            assert info.value.trajectory is None
        else:
            there = ar.load_trajectory(cut)
            lengths.add(len(there))
            assert begins(there, whole)
    assert lengths == {0, *np.cumsum([r.size for r in records(path)[1:-1]]) * len(whole) //
                       sum(r.size for r in records(path)[1:])}  # fmt: skip


CHANGES = {
    "swapped": lambda first, rest, other: [*first, rest[1], rest[0], *rest[2:]],
    "twice": lambda first, rest, other: [*first, rest[0], rest[0], *rest[1:]],
    "missing": lambda first, rest, other: [*first, *rest[1:]],
    "of another file": lambda first, rest, other: [*first, *rest[:-1], other[-1]],
    "of another file, all": lambda first, rest, other: [*first, *other],
    "zeros": lambda first, rest, other: [*first, *rest, bytes(500)],
    "text behind": lambda first, rest, other: [*first, *rest, b"more of what is not ours"],
    "another header": lambda first, rest, other: [*other, *rest],
}


@pytest.mark.parametrize("name", CHANGES)
def test_records_that_are_not_where_they_were_are_found(name, tmp_path):
    whole = swing(tmp_path / "run", 2.0)
    swing(tmp_path / "other", 2.0, q=(0.1, 0.2, 0.3))
    own, other = parts(tmp_path / "run"), parts(tmp_path / "other")
    rest = other[:2] if name == "another header" else other[2:]
    path = tmp_path / "changed"
    path.write_bytes(b"".join(CHANGES[name](own[:2], own[2:], rest)))
    with pytest.raises(ar.FileError, match="is damaged") as info:
        ar.load_trajectory(path)
    assert begins(info.value.trajectory, whole)
    if name != "another header":
        with pytest.raises(ar.FileError, match="is damaged") as again:
            swing(path, 2.0)
        assert same(again.value.trajectory, info.value.trajectory)


@pytest.mark.parametrize("where", ["kind", "length", "check", "numbers"])
def test_a_damaged_file_says_where_and_can_be_gone_on_with(where, tmp_path):
    path, model = tmp_path / "run", pendulum()
    whole = swing(path, 3.0)
    record = records(path)[-2]
    text = bytearray(path.read_bytes())
    text[record.at + {"kind": 1, "length": 10, "check": 13, "numbers": HEAD.size + 3}[where]] ^= 1
    path.write_bytes(text)
    with pytest.raises(ar.FileError) as info:
        ar.load_trajectory(path, model)
    error = info.value
    there = error.trajectory
    assert there.model is model and 1 < len(there) < len(whole) and begins(there, whole)
    assert str(error) == (
        f"{path}: is damaged: the record at byte {record.at} is not what was written. The "
        f"{len(there)} states up to t = {there.t[-1]:.6g} s before that are whole, in "
        "`error.trajectory`. Give a copy that is whole; or cut the file there, "
        f"`os.truncate(path, {record.at})`, and simulate with the same `file` to go on from there."
    )
    with pytest.raises(ar.FileError) as again:
        swing(path, 3.0)
    assert str(again.value) == str(error) and same(again.value.trajectory, there)
    assert path.read_bytes() == text
    os.truncate(path, record.at)
    assert same(swing(path, 3.0), whole)
    assert same(ar.load_trajectory(path, model), whole)


def test_an_absurd_length_takes_no_memory(tmp_path):
    """Its checksum is right, so that it looks like a record that was being written."""
    path = tmp_path / "run"
    whole = swing(path)
    last = records(path)[-1]
    head = HEAD.pack(b"DATA", 1 << 62, 0, 0)[:-4]
    check = zlib.crc32(head, last.chain)
    with path.open("ab") as file:
        file.write(head + check.to_bytes(4, "little"))
    assert same(ar.load_trajectory(path), whole)
    assert same(swing(path), whole)


# What is no trajectory


def fifo(path):
    os.mkfifo(path)


def bound(path):
    socket.socket(socket.AF_UNIX).bind(str(path))


def sparse(path):
    path.touch()
    os.truncate(path, 3 << 30)


NOT_OURS = {
    "a directory": (Path.mkdir, "is a directory. Give the name of a plain file."),
    "a pipe": (fifo, "is a pipe. Give"),
    "a socket": (bound, "is a socket. Give"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "is a device. Give"),
    "zeros": (sparse, "is no trajectory of this arthron. Give a file that"),
    "text": (lambda path: path.write_text("hello " * 1000), "is no trajectory of this arthron."),
    "a page": (lambda path: path.write_text("<!doctype html><html></html>"), "is no trajectory"),
    "an old one": (lambda path: path.write_bytes(b"arthron trajectory 2\n{}\n" + bytes(800)),
                   "was written by an older arthron, in a format without checksums. Simulate "
                   "again"),
    "a new one": (lambda path: path.write_bytes(b"arthron trajectory 4\n"), "of this arthron"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_no_trajectory_is_a_sentence_at_once(name, tmp_path, monkeypatch):
    make, message = NOT_OURS[name]
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    path = Path("file")
    make(path)
    kept = path.lstat()
    run = swing()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (256 << 20), limits[1]))
    began = time.perf_counter()
    try:
        with pytest.raises(ar.FileError, match=message):
            ar.load_trajectory(path)
        with pytest.raises(ar.FileError, match=message):
            swing(path)
        if message.startswith("is a "):
            with pytest.raises(ar.FileError, match=message):
                run.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert time.perf_counter() - began < 2.0
    assert path.lstat()[:7] == kept[:7]


def test_an_empty_file_is_a_sentence_or_a_beginning(tmp_path):
    path = tmp_path / "run"
    path.touch()
    with pytest.raises(ar.FileError, match=r"is empty\. It was cut, or what wrote it was killed\."):
        ar.load_trajectory(path)
    path.write_bytes(MAGIC[:7])
    with pytest.raises(ar.FileError, match="ends in its first line"):
        ar.load_trajectory(path)
    path.write_bytes(MAGIC + b"HEAD")
    with pytest.raises(ar.FileError, match="ends in its header"):
        ar.load_trajectory(path)
    path.write_bytes(b"")
    assert same(swing(path), ar.load_trajectory(path))


# A disk that is full, and others that write


FULL = """
import resource, sys
sys.path.insert(0, {here!r})
import arthron as ar
from test_trajectory_files import swing
swing()
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
try:
    swing({path!r}, 3.0)
except ar.FileError as error:
    print(len(error.trajectory), error)
"""


def test_a_disk_that_is_full_costs_no_state_that_was_written(tmp_path):
    path, whole = tmp_path / "run", swing(duration=3.0)
    swing(tmp_path / "whole", 3.0)
    last = records(tmp_path / "whole")[-2]
    for most in (last.at + 7, last.at + 300, last.end + 30):
        path.unlink(missing_ok=True)
        script = FULL.format(here=str(HERE), path=str(path), most=most)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        many, said = done.stdout.split(maxsplit=1)
        assert said.startswith(f"{path}: cannot be written: File too large. The states before are ")
        there = ar.load_trajectory(path)
        assert 1 < len(there) < int(many) and begins(there, whole)
        assert records(path)[-1].end == path.stat().st_size
        assert same(swing(path, 3.0), whole)
        assert same(ar.load_trajectory(path), whole)


def test_only_one_writes_at_a_time(tmp_path):
    path = tmp_path / "run"
    whole = swing(path)
    text = path.read_bytes()
    script = f"""
import arthron, sys, pathlib
from arthron._simulate.trajectory_file import TrajectoryFile
file = TrajectoryFile.at(pathlib.Path({str(path)!r}))
print(file.begin(), flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as other:  # fmt: skip
        assert other.stdout.readline() == f"{len(whole)}\n"
        with pytest.raises(
            ar.FileError, match=r"is being written by another simulation\. Wait for"
        ):
            swing(path, 1.0)
        assert path.read_bytes() == text
        assert same(ar.load_trajectory(path), whole)  # reading is free
        other.communicate()
    assert same(swing(path, 1.0), swing(duration=1.0))


# Simulations of a batch that failed


# Whose motion it is


OTHERS = {
    "the inertia of its body 'upper' is not the same": pendulum(mass=1.001),
    "the placement of its body 'lower' is not the same": pendulum(at=-0.61),
    "the joint of its body 'lower' is not the same": pendulum(axis=(1, 2, 0.1)),
    "the limits of its body 'lower' is not the same": pendulum(upper=2.0),
    "the armature, damping or friction of its body 'lower' is not the same": pendulum(damping=1.0),
    "'shin' of its joints was called 'lower'": pendulum(lower="shin"),
    "'knee' of its joints was called 'lower'": pendulum(joint_name="knee"),
    "its gravity is not the same": pendulum().replace(gravity=(0, 0, -1.6)),
    "it has 8 coordinates and 7 velocities, not 3 and 3": figure(),
    "it has 3 links, not 2": pendulum().attach(
        ar.Model([ar.Body("pad", ar.Fixed(), shapes=[ar.Sphere(0.1, mass=0.0)])]), "lower"
    ),
}


@pytest.mark.parametrize("how", ["written", "saved", "saved twice"])
@pytest.mark.parametrize("difference", OTHERS)
def test_another_figure_is_refused(difference, how, tmp_path):
    path, model = tmp_path / "run", OTHERS[difference]
    run = swing(path)
    if how != "written":
        run.save(path)
    if how == "saved twice":
        ar.load_trajectory(path).save(path)
    with pytest.raises(ar.FileError) as info:
        ar.load_trajectory(path, model)
    assert str(info.value) == (
        f"{path}: holds a motion of `pendulum`, and `{model.name}` is another figure: {difference}."
        " Give the one that was simulated, or none to read the numbers only: "
        "`ar.load_trajectory(path)`."
    )
    assert same(ar.load_trajectory(path, pendulum(name="called otherwise")), run)


def test_a_file_that_does_not_know_its_figure_goes_by_sizes(tmp_path):
    run = swing()
    path = ar.Trajectory(**everything(run), about=run.about).save(tmp_path / "run")
    assert ar.load_trajectory(path, pendulum(mass=2.0)).model is not None
    with pytest.raises(ar.FileError, match=r"of `pendulum`, and `puppet` is another .* 8 coordin"):
        ar.load_trajectory(path, figure())


@dataclass(frozen=True, repr=False)
class Screw(VectorSpace):
    """A user's own joint; its pitch is in a function, so that instances look alike."""

    pitch: object
    nq = 1
    nv = 1
    label = "screw"

    def __call__(self, q, qd):
        S = Subspace((Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, self.pitch())),))
        X = Transform(rotation(Vec3(0.0, 0.0, 1.0), -q[0]), Vec3(0.0, 0.0, self.pitch() * q[0]))
        return X, S, S * qd, Motion()

    def random(self, rng):
        return (0.3,)

    def regrouped_inertia(self, I):
        return Inertia()


@dataclass(frozen=True, repr=False)
class Secret(Screw):
    """One that gives nothing away: it does not run but on numbers."""

    def __call__(self, q, qd):
        return super().__call__([float(x) for x in q], [float(x) for x in qd])


def bent(q):
    """Another custom joint, with the same sizes."""
    return rotation(Vec3(0.0, 1.0, 0.0), q[0]), Vec3(0.0, 0.0, 0.1 * q[0])


NEW = {
    "curve": ar.SplineCurve([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 2.1)]),
    "cyclic curve": ar.SplineCurve(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 2.1)], cyclic=True
    ),
    "custom": ar.Custom(bent, start=(0.2,)),
    "screw of the user's": Screw(lambda: 0.2),
}
OWN = {**JOINTS, "screw of the user's": Screw(lambda: 0.1)}


@pytest.mark.parametrize("kind", OWN)
def test_figures_are_known_by_joints_of_every_kind(kind, tmp_path):
    model = one_body(OWN[kind])
    rest = ar.Trajectory(
        np.zeros(1), model.neutral()[None], np.zeros((1, model.nv)), np.zeros(1), np.zeros(1),
        np.zeros((1, model.nv)), np.zeros(1), model=model,
    )  # fmt: skip
    path = rest.save(tmp_path / "run")
    assert ar.load_trajectory(path, model).model is model
    others = [one_body(x) for k, x in OWN.items() if k != kind] + [
        one_body(x) for k, x in NEW.items() if k == kind
    ]
    for other in others:
        with pytest.raises(ar.FileError, match=r"the joint of its body 'body'|coordinates and"):
            ar.load_trajectory(path, other)


def test_joints_that_cannot_be_told_go_by_names_and_sizes(tmp_path):
    path = tmp_path / "run"
    model, other = one_body(Secret(lambda: 0.1)), one_body(Secret(lambda: 0.2))
    ar.Trajectory(
        np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1), np.zeros(1),
        np.zeros((1, 1)), np.zeros(1), model=model,
    ).save(path)  # fmt: skip
    assert ar.load_trajectory(path, other).model is other


def test_a_figure_is_the_same_in_another_process(tmp_path):
    """With joints of every kind, and functions of the user's."""
    path = tmp_path / "run"
    script = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from state_cases import figure_of_all
import arthron as ar, numpy as np
model = figure_of_all()
x, v, one = model.neutral()[None], np.zeros((1, model.nv)), np.zeros(1)
ar.Trajectory(one, x, v, one, one, v, one, model=model).save({str(path)!r})
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert len(ar.load_trajectory(path, figure_of_all())) == 1
    with pytest.raises(ar.FileError, match="the inertia of its body"):
        ar.load_trajectory(path, figure_of_all(heavier=1.01))
