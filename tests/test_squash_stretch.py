"""Shapes longer along their motion and flat in a bounce: volumes, overlaps, the ground, files."""

from dataclasses import replace

import numpy as np
import pytest

import arthron as ar
from arthron._view.page_data import page_data
from arthron._view.recording import record
from arthron._view.squash_stretch import stretching
from arthron.errors import ModelError, ShapeError

FRAME = 0.06
RADIUS = 0.1


@pytest.fixture(scope="module")
def bounce():
    """A ball on an oblique way to the ground and back."""
    solid = [ar.Sphere(RADIUS, mass=1.0, color=(0.9, 0.1, 0.1))]
    ball = ar.Model([ar.Body("ball", ar.Translational(), shapes=solid)])
    scene = ar.Scene(ball, [ar.contacts.Ground(restitution=1.0, friction=0.0)])
    start = {"ball": [0, 0, 1.2]}
    return ar.simulate(scene, 1.2, 1e-3, start=start, qd=[1.5, 0, 0])


def drawn(run, t=None, **options):
    style = ar.squash.SquashStretch("ball", **({"frame": FRAME} | options))
    return record(run, times=run.t if t is None else np.array(t), stretch=style)


def points(film):
    """Of the ball in each frame, (n, points, 3)."""
    X = film.drawn[:, 1]
    return film.parts[0].solid.vertices @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3]


def test_volume_stays_and_nothing_jumps(bounce):
    X = drawn(bounce).stretch[1]
    assert np.abs(np.linalg.det(X[:, :3, :3]) - 1.0).max() < 1e-12
    assert np.abs(np.diff(X, axis=0)).max() < 0.06 < np.abs(X - np.eye(4)).max()


def test_successive_frames_overlap(bounce):
    t = np.arange(0.0, 0.4, FRAME)
    seen, rigid = points(drawn(bounce, t)), points(drawn(bounce, t, stretch=0.0, squash=0.0))
    for some, gaps in ((seen, False), (rigid, True)):
        way = np.diff(some.mean(1), axis=0)
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        ahead = np.einsum("npi,ni->np", some[:-1], way).max(1)
        behind = np.einsum("npi,ni->np", some[1:], way).min(1)
        assert (ahead < behind).any() == gaps


def test_it_is_long_along_the_way_and_flat_where_it_bounces(bounce):
    down = int(np.argmin(bounce.q[:, 2]))
    film = drawn(bounce)
    U = film.stretch[1][:, :3, :3]
    before = down - 40
    s, axes = np.linalg.eigh(U[before])
    v = bounce.qd[before] / np.linalg.norm(bounce.qd[before])
    assert s[0] == pytest.approx(s[1]) and s[2] == pytest.approx(s[0] ** -2.0)
    assert abs(axes[:, 2] @ v) > 0.999
    far = np.linalg.norm(bounce.qd[before]) * FRAME / (2 * RADIUS)
    assert s[2] == pytest.approx(np.hypot(1.0, far), rel=0.01)
    thin = -2.0 * bounce.qd[down - 5, 2] * FRAME / 2 / (2 * RADIUS)
    assert U[down, 2, 2] == pytest.approx(1.0 / np.hypot(1.0, thin), rel=0.15)
    lowest = points(film)[..., 2].min(1)
    assert lowest.min() > -1e-3 and lowest[down] < 0.01


def test_amounts(bounce):
    down = int(np.argmin(bounce.q[:, 2]))
    none = drawn(bounce, stretch=0.0, squash=0.0).stretch[1]
    assert np.allclose(none, np.eye(4), atol=1e-12)
    more = drawn(bounce, stretch=3.0, most=2.0).stretch[1]
    assert np.linalg.eigvalsh(more[down - 60, :3, :3])[2] == pytest.approx(2.0, rel=1e-3)


def test_free_flight_squashes_nothing_not_at_its_ends_either():
    ball = ar.Model([ar.Body("ball", ar.Translational(), shapes=[ar.Sphere(RADIUS, mass=1.0)])])
    film = drawn(ar.simulate(ar.Scene(ball), 0.3, 1e-3, qd=[1.0, 0, 3.0]), stretch=0.0)
    assert np.allclose(film.stretch[1], np.eye(4), atol=1e-4)


def test_one_stretch_is_s_along_and_thinner_across():
    n = np.array([[0.6, 0.0, 0.8]])
    F = stretching(np.log([2.0]), n, np.zeros(1), n)[0]
    across = (np.eye(3) - np.outer(n, n)) / np.sqrt(2.0)
    assert np.allclose(F, 2.0 * np.outer(n, n) + across, atol=1e-14)


def test_pictures_films_and_pages_have_it(bounce, tmp_path):
    style = ar.squash.SquashStretch(frame=FRAME)
    size = (64, 48)
    for name, options in (("png", {"t": 0.3}), ("strip", {"t": [0.1, 0.3]}), ("film", {"fps": 5})):
        suffix = "gif" if name == "film" else "png"
        save = getattr(bounce, f"save_{name}")
        one = save(tmp_path / f"one.{suffix}", size=size, **options).read_bytes()
        two = save(tmp_path / f"two.{suffix}", size=size, stretch=style, **options).read_bytes()
        assert one != two
    told, _ = page_data(drawn(bounce, [0.1, 0.2]))
    assert told["stretched"] == [1] and told["arrays"]["stretch"]["length"] == 24
    plain = bounce.save_html(tmp_path / "plain.html").stat().st_size
    assert bounce.save_html(tmp_path / "it.html", stretch=style).stat().st_size < plain + 6000
    assert page_data(record(bounce))[0]["stretched"] == []


def test_the_first_of_a_batch_and_motions_without_time(bounce):
    many = replace(
        bounce, **{n: getattr(bounce, n)[None] for n in ("q", "qd", "kinetic", "potential",
                                                         "residual", "forces")}, touched=None,
    )  # fmt: skip
    assert np.allclose(drawn(many).stretch[1], drawn(bounce).stretch[1])
    short = replace(bounce, t=bounce.t[:1], q=bounce.q[:1], qd=bounce.qd[:1],
                    kinetic=bounce.kinetic[:1], potential=bounce.potential[:1])  # fmt: skip
    assert not drawn(short).stretch


def test_bad_amounts_are_sentences(bounce, tmp_path):
    for bad, said in (
        ({"stretch": -1.0}, "`stretch` is -1.0. Give a finite number of 0 or more."),
        ({"squash": "x"}, "`squash` is 'x'. Give a finite number of 0 or more."),
        ({"stretch": np.inf}, "`stretch` is inf. Give a finite number of 0 or more."),
        ({"most": 0.5}, "`most` is 0.5. Give a finite number of 1 or more."),
        ({"frame": 0.0}, "`frame` is 0.0. Give seconds, more than zero, or None."),
    ):
        with pytest.raises(ShapeError) as caught:
            ar.squash.SquashStretch(**bad)
        assert str(caught.value) == said
    with pytest.raises(ModelError, match=r"`stretch` is 2.0. Give `ar\.squash"):
        bounce.save_png(tmp_path / "a.png", stretch=2.0)
    with pytest.raises(ModelError, match="no body or frame 'bal'"):
        bounce.save_png(tmp_path / "a.png", stretch=ar.squash.SquashStretch("bal"))
