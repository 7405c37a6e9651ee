"""Runs at the edge of what can be: too long, of none, of figures that cannot move."""

import numpy as np
import pytest
from scene_cases import ALL, close, one_body, simulate

import arthron as ar

SCENE = ar.Scene(one_body(ar.Revolute("y")))
LOCKED = SCENE.model.lock(["body"], [0.3])
BARE = ar.random_tree(2, rng=1)
NO_PLACES = {
    "folder": (".", "is a directory"),
    "below a file": ("file/run", "cannot be written.*Not a directory"),
    "in no folder": ("none/run", "cannot be written.*No such file"),
    "number": (5, "^5: is no path"),
    "bytes": (b"run", "is no path"),
    "zero byte": ("a\0b", "cannot be written"),
}


@pytest.mark.parametrize("duration, step, words", [
    (1e300, 1e-3, "1e\\+303 steps of 0.001 s, more than can be counted"),
    (1e300, 1e-300, "more than can be counted"),
    (2.0**50, 1.0, "states that are kept take .* GiB.*keep_every"),
])  # fmt: skip
def test_runs_that_are_too_long(duration, step, words):
    with pytest.raises(ar.SimulationError, match=words):
        simulate(SCENE, duration, step)


@pytest.mark.parametrize("draw", ["plot", "save_html"])
def test_a_batch_of_none_is_not_drawn(draw, tmp_path):
    run = simulate(SCENE, 0.02, 0.01, q=np.zeros((0, 1)))
    assert run.status.shape == run.ended.shape == (0,) and run.last()["q"].shape == (0, 1)
    assert run["body"].position.shape == (0, 3, 3)
    with pytest.raises(ar.ShapeError, match=r"of shape \(0, 3\) holds no states"):
        getattr(run, draw)(tmp_path / "picture")


@pytest.mark.parametrize("integrator", ALL)
def test_a_figure_that_cannot_move_stays(integrator):
    run = simulate(ar.Scene(LOCKED), 0.02, 0.01, integrator)
    assert run.q.shape == (3, 0) and (run.energy == run.energy[0]).all()
    close(run["body"].pose, SCENE.model.frame_pose([[0.3]] * 3, "body"), 1e-15)


def test_a_figure_that_cannot_move_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    run = simulate(ar.Scene(LOCKED), 0.02, 0.01)
    assert run.plot(tmp_path / "run.png").stat().st_size > 1000
    assert run.save_html(tmp_path / "run.html").stat().st_size > 1000
    bare = ar.Scene(BARE.lock(list(BARE.joint_names), BARE.neutral()))
    with pytest.raises(ar.ModelError, match=r"no joints and no shapes.*nothing to draw"):
        simulate(bare, 0.02, 0.01).save_html(tmp_path / "bare.html")


@pytest.mark.parametrize("name", NO_PLACES)
@pytest.mark.parametrize("write", ["save", "plot", "save_html", "simulate"])
def test_places_where_nothing_can_be_written(write, name, tmp_path, monkeypatch):
    if write == "plot":
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    place, words = NO_PLACES[name]
    run = simulate(SCENE, 0.02, 0.01)
    with pytest.raises(ar.FileError, match=words):
        if write == "simulate":
            simulate(SCENE, 0.02, 0.01, file=place)
        else:
            getattr(run, write)(place)
    assert [x.name for x in tmp_path.iterdir()] == ["file"]


def test_a_plot_is_where_it_was_asked_for(tmp_path):
    pytest.importorskip("matplotlib")
    path = simulate(SCENE, 0.02, 0.01).plot(tmp_path / "picture")
    assert path == tmp_path / "picture" and path.read_bytes().startswith(b"\x89PNG")
