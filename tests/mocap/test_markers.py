"""Markers of C3D files, where ezc3d is."""

import builtins

import numpy as np
import pytest

import arthron as ar


def write_c3d(path, unit="mm", rate=100.0):
    ezc3d = pytest.importorskip("ezc3d")
    points = np.ones((4, 3, 20))
    points[:3] = np.arange(180.0).reshape(3, 3, 20)
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["LASI", "RASI", "SACR"]
    file["parameters"]["POINT"]["UNITS"]["value"] = [unit]
    file["data"]["points"] = points
    file.write(str(path))
    return np.moveaxis(points[:3], 0, -1).swapaxes(0, 1)


@pytest.mark.parametrize("unit, metres", [("mm", 0.001), ("cm", 0.01), ("m", 1.0)])
def test_markers_are_in_metres(tmp_path, unit, metres):
    given = write_c3d(tmp_path / "a.c3d", unit)
    markers = ar.mocap.load_markers(tmp_path / "a.c3d")
    assert markers.positions == pytest.approx(given * metres, rel=1e-6)
    assert markers.rate == 100.0 and markers.names == ("LASI", "RASI", "SACR")
    assert (markers["RASI"] == markers.positions[:, 1]).all()
    with pytest.raises(ar.FileError, match=r"no marker 'LASIS'. Nearest: 'LASI'"):
        markers["LASIS"]


def test_files_that_are_none_meet_a_sentence(tmp_path):
    write_c3d(tmp_path / "a.c3d", "league")
    with pytest.raises(ar.FileError, match="lengths are in 'league'"):
        ar.mocap.load_markers(tmp_path / "a.c3d")
    (tmp_path / "b.c3d").write_text("no markers")
    with pytest.raises(ar.FileError, match="no C3D file that ezc3d reads"):
        ar.mocap.load_markers(tmp_path / "b.c3d")
    with pytest.raises(ar.FileError, match="there is no such file"):
        ar.mocap.load_markers(tmp_path / "c.c3d")


def test_without_ezc3d_there_is_a_sentence(tmp_path, monkeypatch):
    found = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "ezc3d":
            raise ImportError(name)
        return found(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ar.FileError, match=r'pip install "arthron\[c3d\]"'):
        ar.mocap.load_markers(tmp_path / "a.c3d")
