"""Compiled code on disk is run, so it must be ours: what others can have written is not used."""

import os
import stat
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import arthron as ar
from arthron._compile import cache, trust
from arthron._compile.run import cpu

NAME = "f" * 40
HEAD, CODE = {"ops": 17}, bytes(range(256))
STRANGER = 54321


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "arthron" / "v1"


@pytest.fixture
def kept(folder):
    cache.store(NAME, HEAD, CODE)
    assert cache.load(NAME) == (HEAD, CODE)
    return folder / NAME


PLACES = {"file": lambda kept: kept, "folder": lambda kept: kept.parent,
          "folder around": lambda kept: kept.parent.parent}  # fmt: skip


def refused(path, reason):
    """Nothing is loaded, and the reason said, with where and what to do."""
    loaded = []
    with pytest.warns(RuntimeWarning) as said:
        load = threading.Thread(target=lambda: loaded.append(cache.load(NAME)), daemon=True)
        load.start()
        load.join(5.0)
    assert loaded == [None]  # in time: nobody waits for the other end of a pipe
    (message,) = (str(warning.message) for warning in said)
    assert f"{path} {reason}" in message
    assert "compiled anew" in message and "chmod -R go-w" in message and "XDG_CACHE_HOME" in message
    return True


@pytest.mark.parametrize("mode", [0o020, 0o002, 0o022])
@pytest.mark.parametrize("place", PLACES)
def test_what_others_can_write_is_not_used(place, mode, kept):
    path = PLACES[place](kept)
    before = stat.S_IMODE(path.stat().st_mode)
    path.chmod(before | mode)
    assert refused(path, f"can be written by others (mode {before | mode:o})")
    path.chmod(before)
    assert cache.load(NAME) == (HEAD, CODE)


@pytest.mark.parametrize("place", PLACES)
def test_what_belongs_to_others_is_not_used(place, kept, monkeypatch):
    path, us = PLACES[place](kept), os.geteuid()
    if us == 0:
        os.chown(path, STRANGER, -1)
        assert refused(path, f"belongs to user {STRANGER}, and this process to user 0")
    else:  # who is not root cannot give files away, but can be somebody else
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        assert refused(kept.parent.parent, f"belongs to user {us}")


STATES = {
    "ours": (stat.S_IFREG | 0o600, 1000, None),
    "root's": (stat.S_IFREG | 0o644, 0, None),
    "readable by all": (stat.S_IFREG | 0o644, 1000, None),
    "nobody's": (stat.S_IFREG | 0o600, 65534, "belongs to user 65534"),
    "root's, for all": (stat.S_IFREG | 0o666, 0, "can be written by others"),
    "pipe": (stat.S_IFIFO | 0o600, 1000, "is no file"),
    "device": (stat.S_IFCHR | 0o600, 0, "is no file"),
    "folder": (stat.S_IFDIR | 0o700, 1000, "is no file"),
}


@pytest.mark.parametrize("name", STATES)
def test_who_is_trusted(name, monkeypatch):
    mode, owner, expected = STATES[name]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    got = trust._complaint(SimpleNamespace(st_mode=mode, st_uid=owner), stat.S_ISREG)
    assert (got or "").startswith(expected or "") and (got is None) == (expected is None)


def test_it_is_said_once(kept):
    kept.parent.chmod(0o777)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for k in range(3):
            assert cache.load(f"{k:040x}") is None
    assert len(said) == 1


INSTEAD = {
    "pipe": (os.mkfifo, "is no file"),
    "folder": (os.mkdir, "is no file"),
    "link to a file": (lambda path: os.symlink(f"{path}.moved", path), "is a link"),
    "link to a device": (lambda path: os.symlink("/dev/zero", path), "is a link"),
    "link to nothing": (lambda path: os.symlink("nowhere", path), "is a link"),
}


@pytest.mark.parametrize("name", INSTEAD)
def test_what_is_no_file_is_not_read(name, kept):
    make, reason = INSTEAD[name]
    kept.rename(f"{kept}.moved")
    make(kept)
    assert refused(kept, reason)
    cache.store(NAME, HEAD, CODE)
    assert cache.load(NAME) == (HEAD, CODE) or name == "folder"


@pytest.mark.parametrize("place", ["folder", "folder around"])
def test_links_to_folders_are_not_followed(place, kept):
    path = PLACES[place](kept)
    path.rename(f"{path}.moved")
    path.symlink_to(f"{path}.moved")
    assert refused(path, "is a link")


def test_an_untrusted_file_is_replaced(kept):
    kept.chmod(0o666)
    assert refused(kept, "can be written")
    cache.store(NAME, HEAD, CODE)
    assert cache.load(NAME) == (HEAD, CODE)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_nothing_is_kept_in_an_untrusted_folder(kept):
    kept.parent.chmod(0o777)
    cache.store("e" * 40, HEAD, CODE)
    assert list(kept.parent.iterdir()) == [kept]


def test_folders_and_files_are_for_us_alone_whatever_the_umask(folder):
    before = os.umask(0)
    try:
        cache.store(NAME, HEAD, CODE)
    finally:
        os.umask(before)
    made = [folder / NAME, folder, folder.parent, folder.parent.parent]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in made]
    assert modes == [0o600, 0o700, 0o700, 0o700]


def test_a_folder_that_can_only_be_read_is_used(kept):
    kept.chmod(0o400)
    kept.parent.chmod(0o500)
    assert cache.load(NAME) == (HEAD, CODE)
    kept.parent.chmod(0o700)


def test_a_relative_place_does_not_count(tmp_path, monkeypatch):
    """Else a folder somebody sends could bring its own code along."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for place in ("home", "./home", ".", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        assert cache.folder() == tmp_path / "me" / ".cache" / "arthron" / "v1"
    monkeypatch.setenv("HOME", "me")
    assert cache.folder() == Path(os.devnull) / "arthron" / "v1"


def test_systems_without_owners_use_what_is_there(kept, monkeypatch):
    kept.chmod(0o666)
    monkeypatch.delattr(os, "geteuid")
    assert cache.load(NAME) == (HEAD, CODE)
    cache.store(NAME, {"ops": 18}, CODE)
    assert cache.load(NAME) == ({"ops": 18}, CODE)


def test_a_file_that_others_can_write_is_compiled_anew_and_not_run(folder, monkeypatch):
    def potential():
        return ar.random_tree(2).potential_energy([0.1, 0.2])

    expected, compiled = potential(), []
    (path,) = folder.iterdir()
    path.chmod(0o666)
    assemble = cpu.assemble
    monkeypatch.setattr(cpu, "assemble", lambda *args: compiled.append(1) or assemble(*args))
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        np.testing.assert_array_equal(potential(), expected)
    assert len(compiled) == 1
    np.testing.assert_array_equal(potential(), expected)
    assert len(compiled) == 1
