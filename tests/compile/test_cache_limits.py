"""Compiled code on disk: kept within its limits, and no trouble among many processes."""

import os
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import arthron as ar
from arthron._compile import cache

ROOT = Path(ar.__file__).parents[1]
HOUR, DAY = 3600.0, 86400.0
CODE = bytes(range(256)) * 4
HEAD = {"outputs": [[3, 3]], "ops": 17}
SIZE = 1024 + 33 + 20
"""What a file with the above takes."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "arthron" / "v1"


def name(k, *, scan=False):
    """The name of the k-th file; storing it looks after the folder, or does not."""
    return f"{'0' if scan else 'f'}{k:039x}"


def store(k, *, age=0.0, scan=False):
    """Keep the k-th file, as if it had last been used `age` seconds ago."""
    cache.store(name(k, scan=scan), HEAD, CODE)
    path = cache.folder() / name(k, scan=scan)
    if age:
        os.utime(path, (time.time() - age,) * 2)
    return path


def age(path):
    return time.time() - path.stat().st_mtime


def test_what_is_stored_is_loaded(folder):
    path = store(1)
    assert path == folder / name(1)
    assert cache.load(name(1)) == (HEAD, CODE)
    assert cache.load(name(2)) is None
    assert cache.cache_size() == path.stat().st_size == SIZE


def test_a_file_under_another_name_is_not_taken():
    store(1).rename(cache.folder() / name(2))
    assert cache.load(name(2)) is None


@pytest.mark.parametrize("part", ["head", "code", "checksum"])
def test_every_flipped_byte_is_noticed(part):
    path = store(1)
    whole = path.read_bytes()
    at = whole.index(b"\n")
    places = {
        "head": range(at + 1),
        "code": range(at + 1, len(whole) - 20, 31),
        "checksum": range(len(whole) - 20, len(whole)),
    }[part]
    for k in places:
        path.write_bytes(whole[:k] + bytes([whole[k] ^ (1 << k % 8)]) + whole[k + 1 :])
        assert cache.load(name(1)) is None
    path.write_bytes(whole)
    assert cache.load(name(1)) == (HEAD, CODE)


def test_every_cut_is_noticed():
    path = store(1)
    whole = path.read_bytes()
    for k in (*range(60), *range(60, len(whole), 31), len(whole) - 1):
        path.write_bytes(whole[:k])
        assert cache.load(name(1)) is None


# Room


def test_what_was_used_least_recently_makes_room(monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 3 * SIZE)
    paths = [store(k, age=(10 - k) * HOUR) for k in range(5)]
    assert all(path.exists() for path in paths)  # no one has looked yet
    newest = store(9, scan=True)
    assert [path.exists() for path in (*paths, newest)] == [False] * 3 + [True] * 3
    assert cache.cache_size() == 3 * SIZE


def test_nothing_goes_within_the_limit(monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 4 * SIZE)
    paths = [store(k, age=400 * DAY) for k in range(3)]
    store(9, scan=True)
    assert all(path.exists() for path in paths)


def test_a_used_file_outlives_one_that_is_not(monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 2 * SIZE)
    old, newer = store(1, age=5 * DAY), store(2, age=3 * DAY)
    assert cache.load(name(1)) == (HEAD, CODE)
    store(9, scan=True)
    assert (old.exists(), newer.exists()) == (True, False)


def test_other_layouts_go_first_and_foreign_files_never(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", SIZE)
    other = folder.parent / "v0" / name(1)
    other.parent.mkdir(parents=True)
    other.write_bytes(CODE)
    foreign = [folder / "notes.txt", folder.parent / "notes.txt", folder.parent / name(3)]
    path = store(2, age=DAY)
    for each in foreign:
        each.write_bytes(CODE)
    os.utime(other, (0, 0))
    assert cache.cache_size() == SIZE + len(CODE)
    newest = store(9, scan=True)
    assert [p.exists() for p in (other, path, newest)] == [False, False, True]
    cache.cache_clear()
    assert all(each.exists() for each in foreign)
    assert not newest.exists()


def test_about_one_stored_file_in_sixteen_looks_after_the_folder(monkeypatch):
    looks = []
    monkeypatch.setattr(cache, "_make_room", lambda: looks.append(1))
    for k in range(320):
        cache.store(cache.key("page", k), {}, b"")
    assert 8 <= len(looks) <= 40


def test_what_killed_processes_left_is_removed_after_an_hour(folder):
    store(1)
    ages = {"tmpab_c1.tmp": 0.9 * HOUR, "tmpdefg2.tmp": 1.1 * HOUR}
    for each, seconds in ages.items():
        (folder / each).write_bytes(CODE[:50])
        os.utime(folder / each, (time.time() - seconds,) * 2)
    store(2)
    assert all((folder / each).exists() for each in ages)
    store(9, scan=True)
    assert [(folder / each).exists() for each in ages] == [True, False]


# Hits


def test_a_hit_never_reads_the_folder(monkeypatch):
    store(1, age=3 * DAY)
    monkeypatch.setattr(os, "scandir", None)
    monkeypatch.setattr(os, "listdir", None)
    assert cache.load(name(1)) == (HEAD, CODE)


def test_a_hit_is_noted_once_a_day(monkeypatch):
    path = store(1, age=0.9 * DAY)
    cache.load(name(1))
    assert age(path) > 0.8 * DAY
    path = store(2, age=1.1 * DAY)
    cache.load(name(2))
    assert age(path) < HOUR


def test_a_hit_that_cannot_be_noted_is_a_hit(monkeypatch):
    def read_only(*args):
        raise PermissionError(30, "Read-only file system")

    store(1, age=3 * DAY)
    monkeypatch.setattr(os, "utime", read_only)
    assert cache.load(name(1)) == (HEAD, CODE)


# Clearing


def test_clearing_removes_everything_of_ours(folder, tmp_path):
    for k in range(3):
        store(k)
    (folder / "tmpabcde.tmp").write_bytes(CODE)
    assert cache.cache_size() == 3 * SIZE + len(CODE)
    assert cache.cache_clear() == 3 * SIZE + len(CODE)
    assert list(tmp_path.iterdir()) == []
    assert (cache.cache_size(), cache.cache_clear()) == (0, 0)
    store(1)
    assert cache.load(name(1)) == (HEAD, CODE)


def test_links_are_removed_and_not_what_they_lead_to(folder, tmp_path):
    treasure = tmp_path / "treasure"
    treasure.write_bytes(CODE)
    store(1)
    (folder / name(2)).symlink_to(treasure)
    cache.cache_clear()
    assert not (folder / name(2)).is_symlink()
    assert treasure.read_bytes() == CODE


# Bad places


def no_home():
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("place", ["/dev/null", "/proc/self", None])
def test_a_place_that_cannot_be_written_keeps_nothing(place, monkeypatch):
    if place is None:
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", no_home)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", place)
    cache.store(name(1, scan=True), HEAD, CODE)
    assert cache.load(name(1, scan=True)) is None
    assert (cache.cache_size(), cache.cache_clear()) == (0, 0)


def test_a_strange_folder_name_is_no_pattern(tmp_path, monkeypatch):
    for each in ("[a]*", "b"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / each))
        store(1)
        assert cache.cache_size() == SIZE
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "[a]*"))
    assert cache.cache_clear() == SIZE


SCRIPT = """
import numpy as np, arthron as ar
print(ar.random_tree(3).inverse_dynamics(*np.full((3, 3), 0.3)).tobytes().hex())
"""


def run(script=SCRIPT, **options):
    """What a new process computes."""
    command = [sys.executable, "-c", script]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # starts faster
    ended = subprocess.run(
        command, cwd=ROOT, env=one_thread, capture_output=True, text=True, **options
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def full_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_a_disk_that_fills_up_costs_time_only(folder):
    expected = run()
    (path,) = folder.iterdir()
    assert path.stat().st_size > 4096
    path.unlink()
    assert run(preexec_fn=full_disk) == expected
    assert list(folder.iterdir()) == []


# Many at once


AT_ONCE = """
import os
import numpy as np, arthron as ar
wait, go = os.pipe()
figure, q, cores = ar.random_tree(1), np.array([0.3]), sorted(os.sched_getaffinity(0))
figure.mass_matrix(q)  # LLVM is ready
ar.cache_clear()
for k in range(100):
    if not os.fork():
        os.close(go)
        os.sched_setaffinity(0, [cores[k % len(cores)]])  # with one core, no helper is started
        os.read(wait, 1)  # until all are there
        os.write(1, (figure.inverse_dynamics(q, q, q).tobytes().hex() + "\\n").encode())
        os._exit(0)
os.close(go)
assert [os.wait()[1] for _ in range(100)] == [0] * 100
"""


def test_a_hundred_processes_at_once(folder):
    results = run(AT_ONCE).split()
    assert len(results) == 100
    assert len(set(results)) == 1
    (path,) = folder.iterdir()
    assert cache.load(path.name) is not None


def test_files_that_vanish_under_our_feet(monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 3 * SIZE)
    stop = threading.Event()

    def work(job):
        k = count = 0
        while not stop.is_set():
            k = (k + 1) % 7
            job(k)
            count += 1
        return count

    def load(k):
        assert cache.load(name(k, scan=True)) in (None, (HEAD, CODE))

    def put(k):
        cache.store(name(k, scan=True), HEAD, CODE)

    def clear(k):
        assert cache.cache_clear() >= 0
        assert cache.cache_size() >= 0

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(work, job) for job in (load, load, put, put, put, clear, clear)]
        time.sleep(1.0)
        stop.set()
        assert min(job.result() for job in jobs) > 10
    cache.cache_clear()
    assert cache.cache_size() == 0
