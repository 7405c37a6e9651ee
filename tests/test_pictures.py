"""Pictures without a browser: triangles, light and shadow, what is shown when, files, messages."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import arthron as ar
from arthron._view.camera import focal
from arthron._view.ground import DARKEST
from arthron._view.png import write_png
from arthron._view.recording import record
from arthron._view.shadow import cast
from arthron._view.srgb import colour_of, light_of
from arthron._view.still import picture, studio

SIZE = (96, 72)
RED, GREEN = (0.8, 0.1, 0.1), (0.1, 0.7, 0.1)


def motion(model, q, every=0.1):
    """States that somebody gives, as a trajectory."""
    q = np.atleast_2d(np.array(q, float))
    some, zero = np.zeros(len(q)), np.zeros((len(q), model.nv))
    return ar.Trajectory(every * np.arange(len(q)), q, zero, some, some, zero, some, model=model)


def figure(*shapes, **options):
    return ar.Model([ar.Body("it", ar.Prismatic("x"), shapes=list(shapes))], **options)


@pytest.fixture(scope="module")
def swing():
    rod = ar.Body("rod", ar.Revolute("y"), shapes=[ar.Capsule(0.1, 1, placement=(0, 0, -0.5))])
    return motion(ar.Model([rod], name="swing"), np.linspace(-1.2, 1.2, 9)[:, None])


@pytest.fixture(scope="module")
def red_ball():
    return motion(figure(ar.Sphere(0.5, color=RED, placement=(0, 0, 1.0))), [0.0])


# Light


def test_the_camera_sees_a_ball_where_rays_meet_it(red_ball):
    place = studio(record(red_ball), SIZE)
    shown = picture(place, [0])
    red = np.ptp(shown.astype(int), axis=-1) > 60
    x, y = np.meshgrid(np.arange(96) + 0.5 - 48, np.arange(72) + 0.5 - 36)
    rays = np.stack([x, y, 0 * x + focal(72)], -1) @ place.camera
    to = np.array([0, 0, 1.0]) - place.stage.eye
    across = np.linalg.norm(np.cross(rays, to), axis=-1) / np.linalg.norm(rays, axis=-1)
    assert red.sum() > 300 and (red != (across < 0.5)).sum() < 0.1 * red.sum()
    assert np.all(shown[across < 0.47][:, 0] > shown[across < 0.47][:, 1] + 40)
    assert shown[0, 0].tolist() == [255, 255, 255]


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -1, 0), (2, 1, 0.5)])
def test_the_shadow_is_where_light_is_missing(gravity):
    up = -np.array(gravity) / np.linalg.norm(gravity)
    run = motion(figure(ar.Sphere(0.3, color=RED, placement=0.8 * up), gravity=gravity), [0.0])
    place = studio(record(run), (160, 120))
    shown = light_of(picture(place, [0])).min(-1)
    spot, light = place.stage.spots[0], place.light
    under = 0.8 * up - light * (0.8 - spot @ up) / (light @ up)
    right, down, away = place.camera @ (under - place.stage.eye)
    x, y = (focal(120) * np.array([right, down]) / away + (80, 60)).astype(int)
    near = shown[y - 1 : y + 2, x - 1 : x + 2]
    assert spot @ up == pytest.approx(0.0) and near.max() < 1.0 - 0.8 * DARKEST
    assert shown[-3:].mean() > 0.9


def test_soft_shadows_are_those_from_high_above():
    dark = []
    for height in (0.02, 3.0):
        run = motion(figure(ar.Box((0.4, 0.4, 0.02), placement=(0, 0, height))), [0.0])
        place = studio(record(run), SIZE)
        corners = np.concatenate([p.solid.vertices[p.solid.faces] for p in place.recording.parts])
        shadow = cast(corners, np.ones(len(corners)), place.light, np.array([0, 0, 1.0]), 0.0)
        dark.append(((shadow.dark > 0.05) & (shadow.dark < 0.95)).mean())
        assert 0.9 < shadow.dark.max() < 1.0001
    assert dark[1] > 2 * dark[0]


def test_what_is_in_front_hides_what_is_behind_and_glass_does_not():
    def shown(*shapes):
        return picture(studio(record(motion(figure(*shapes), [0.0])), SIZE), [0]).astype(int)

    inner = ar.Sphere(0.3, color=GREEN, placement=(0, 0, 0.6))
    whole = ar.Sphere(0.5, color=RED, placement=(0, 0, 0.6))
    glass = ar.Sphere(0.5, color=(*RED, 0.2), placement=(0, 0, 0.6))
    colours = [shown(*some) for some in ((inner, whole), (inner, glass), (glass, inner))]
    green = [((c[..., 1] > c[..., 0] + 20) & (c[..., 1] > c[..., 2] + 20)).sum() for c in colours]
    assert green[0] == 0 and green[1] == green[2] > 100
    assert np.array_equal(colours[1], colours[2])


def test_colours_are_those_of_screens():
    codes = np.arange(256)
    assert np.array_equal(colour_of(light_of(codes)), codes)
    assert light_of(188) == pytest.approx(0.5, abs=0.01) and colour_of(np.array(2.0)) == 255


# What is shown


@pytest.mark.parametrize("aspect", [0.4, 4 / 3, 3.0])
def test_all_of_a_motion_is_before_the_camera(swing, aspect):
    film = record(swing)
    place = studio(film, (round(100 * aspect), 100))
    right, down, away = place.camera @ (film.points() - place.stage.eye).T
    assert away.min() > 0 and (np.abs(down) / away * focal(100)).max() < 50
    assert (np.abs(right) / away * focal(100)).max() < 50 * aspect
    assert np.allclose(place.camera @ place.camera.T, np.eye(3))


def test_pictures_show_the_state_nearest_to_a_time(swing, tmp_path):
    from matplotlib.image import imread

    film = record(swing, None, np.array([0.0, 0.34, 0.36, 0.8]))
    assert np.allclose(film.t, [0.0, 0.3, 0.4, 0.8])
    paths = [
        swing.save_png(tmp_path / f"{k}.png", t=t, size=SIZE) for k, t in enumerate((0.8, None))
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    place = studio(record(swing, None, np.array([0.8])), SIZE)
    assert np.array_equal(np.rint(255 * imread(paths[0])[..., :3]), picture(place, [0]))
    early = imread(swing.save_png(tmp_path / "early.png", t=0.0, size=SIZE))
    assert np.abs(early - imread(paths[0])).max() > 0.3


def test_several_times_in_one_picture_become_paler_backwards(swing, tmp_path):
    from PIL import Image

    with Image.open(swing.save_png(tmp_path / "a.png", t=[0, 0.4, 0.8], size=(160, 90))) as image:
        pixels = np.array(image).astype(int)
    strong = np.ptp(pixels, axis=-1)
    columns = np.flatnonzero((strong > 20).any(0))
    left, right = strong[:, columns[0] : columns[0] + 15], strong[:, columns[-1] - 15 :]
    first, last = sorted((left.max(), right.max()))
    assert 20 < first < 0.5 * last


def test_a_strip_has_moments_side_by_side(swing, tmp_path):
    from PIL import Image

    with Image.open(swing.save_strip(tmp_path / "a.png", t=[0.0, 0.8], size=(202, 80))) as image:
        pixels = np.array(image)
    place = studio(record(swing, None, np.array([0.0, 0.8])), (100, 80))
    assert pixels.shape == (80, 202, 3) and (pixels[:, 100:101] == 255).all()
    assert np.array_equal(pixels[:, :100], picture(place, [0]))
    assert np.array_equal(pixels[:, 101:201], picture(place, [1]))
    assert swing.save_strip(tmp_path / "b.png", size=(200, 40)).exists()


def test_springs_are_drawn_with_their_scene(swing, tmp_path):
    spring = ar.forces.PointToPoint((None, (1, 0, 1)), ("rod", (0, 0, -1)), 5.0)
    scene = ar.Scene(swing.model, [spring])
    with_, without = swing.save_png(tmp_path / "a.png", scene, size=SIZE), tmp_path / "b.png"
    assert with_.read_bytes() != swing.save_png(without, size=SIZE).read_bytes()


def test_a_figure_can_be_drawn_in_a_pose(swing, tmp_path):
    a = swing.model.save_png(tmp_path / "a.png", swing.q[-1], size=SIZE)
    assert a.read_bytes() == swing.save_png(tmp_path / "b.png", size=SIZE).read_bytes()
    zero = swing.model.save_png(tmp_path / "c.png", size=SIZE)
    assert (
        zero.read_bytes() == swing.model.save_png(tmp_path / "d.png", [0.0], size=SIZE).read_bytes()
    )
    with pytest.raises(ar.ShapeError, match=r"`q` has shape \(2,\).*one pose, \(1,\)"):
        swing.model.save_png(tmp_path / "e.png", [0, 0])


def test_the_ground_goes_by_under_what_runs_along_it():
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Box((200, 4, 0.1), color=GREEN)])
    runner = ar.Body("it", ar.Prismatic("x"), shapes=[ar.Sphere(0.3, placement=(0, 0, 0.5))])
    run = motion(ar.Model([floor, runner]), np.linspace(0, 30, 4)[:, None])
    film = record(run)
    assert np.array_equal(film.t, run.t)  # 3 * 0.1 is not 0.3, and no frame is lost by it
    assert film.follows  # so that the floor passes behind the camera
    place = studio(film, SIZE)
    for k in (0, 3):
        shown = picture(place, [k]).astype(int)
        green = (shown[..., 1] > shown[..., 0] + 20) & (shown[..., 1] > shown[..., 2] + 20)
        assert green.mean() > 0.1


# Files


def test_png_files_are_read_by_others(tmp_path):
    from PIL import Image

    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    path = write_png(image, tmp_path / "a.png")
    with Image.open(path) as read:
        assert read.format == "PNG" and np.array_equal(np.array(read), image)
    with Image.open(path) as read:
        read.verify()


def test_gif_films_take_as_long_as_the_motion(swing, tmp_path):
    from PIL import Image

    with Image.open(swing.save_film(tmp_path / "a.gif", fps=10, size=SIZE)) as film:
        assert film.n_frames == 9 and film.size == SIZE and film.info["loop"] == 0
        times, shown = [], []
        for k in range(9):
            film.seek(k)
            times.append(film.info["duration"])
            shown.append(np.array(film.convert("RGB")))
    place = studio(record(swing), SIZE)
    assert times == [100] * 9 and np.abs(shown[4] - picture(place, [4]).astype(int)).mean() < 2
    with Image.open(swing.save_film(tmp_path / "b.gif", fps=12.5, size=(32, 32))) as film:
        assert sum(film.seek(k) or film.info["duration"] for k in range(film.n_frames)) == 880


def test_a_film_that_is_broken_off_leaves_the_one_before(swing, tmp_path, monkeypatch):
    path = tmp_path / "a.gif"
    path.write_bytes(b"before")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("arthron._view.film._indexed", stop)
    with pytest.raises(KeyboardInterrupt):
        swing.save_film(path, fps=10, size=(32, 32))
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]


def test_mp4_films_can_be_read(swing, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="no imageio-ffmpeg installed")
    frames = ffmpeg.read_frames(str(swing.save_film(tmp_path / "a.mp4", fps=10, size=SIZE)))
    about, shown = next(frames), [np.frombuffer(f, np.uint8).reshape(72, 96, 3) for f in frames]
    assert about["codec"] == "h264" and about["fps"] == 10 and len(shown) == 9
    assert np.abs(shown[4] - picture(studio(record(swing), SIZE), [4]).astype(int)).mean() < 4


def test_mp4_films_are_written_frame_by_frame(swing, tmp_path, monkeypatch):
    """As imageio-ffmpeg is told, where it is and where not."""
    got = []

    class Ffmpeg:
        @staticmethod
        def write_frames(path, size, **options):
            got.append((size, options["fps"]))
            while True:
                got.append((yield))

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", Ffmpeg)
    swing.save_film(tmp_path / "a.mp4", fps=5, size=SIZE)
    assert got[0] == (SIZE, 5.0) and [f.shape for f in got[1:]] == [(72, 96, 3)] * 5
    with pytest.raises(ar.ShapeError, match="MP4 films have even"):
        swing.save_film(tmp_path / "a.mp4", size=(33, 32))


# What is said when it cannot be


@pytest.mark.parametrize(
    "t, said",
    [
        (1.0, "t = 1 s is not within the motion, which is from 0 to 0.8 s"),
        (np.nan, "t = nan s is not"),
        ([], r"`t` has shape \(0,\)"),
        ("now", "`t` is 'now'. Give a time in seconds, or several"),
    ],
)
def test_times_that_are_none(swing, tmp_path, t, said):
    for draw in (swing.save_png, swing.save_strip):
        with pytest.raises(ar.ShapeError, match=said):
            draw(tmp_path / "a.png", t=t)


@pytest.mark.parametrize("size", [640, (640,), (640, 0), (640, 1.5), "ab", (9000, 10), (np.nan, 9)])
def test_sizes_that_are_none(swing, tmp_path, size):
    for draw in (swing.save_png, swing.save_strip, swing.model.save_png, swing.save_film):
        with pytest.raises(ar.ShapeError, match=r"`size` is .* such as \(640, 480\)"):
            draw(tmp_path / ("a.gif" if draw == swing.save_film else "a.png"), size=size)


def test_films_and_strips_that_cannot_be(swing, tmp_path, monkeypatch):
    for fps in (0, 60, "fast", np.nan):
        with pytest.raises(ar.ShapeError, match=r"`fps` is .*to 50 of a GIF film"):
            swing.save_film(tmp_path / "a.gif", fps=fps)
    with pytest.raises(ar.ShapeError, match="3 moments side by side in 30 pixels"):
        swing.save_strip(tmp_path / "a.png", t=[0, 0, 0], size=(30, 30))
    for name in ("PIL.Image", "imageio_ffmpeg"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ar.ArthronError, match=r'GIF films need Pillow: `pip install "arthron\[view'
    ):
        swing.save_film(tmp_path / "a.gif")
    with pytest.raises(ar.ArthronError, match=r'need imageio-ffmpeg: `pip install "arthron\[film'):
        swing.save_film(tmp_path / "a.mp4")
    assert swing.save_png(tmp_path / "a.png", size=SIZE).exists()  # needs neither


def test_files_that_cannot_be(swing, tmp_path):
    for draw in (swing.save_png, swing.save_strip, swing.model.save_png):
        with pytest.raises(ar.FileError, match=r"ends in '.jpg'. Let the name end in \".png\""):
            draw(tmp_path / "a.jpg")
    with pytest.raises(ar.FileError, match=r'Let the name end in ".gif" or ".mp4"'):
        swing.save_film(tmp_path / "a")
    with pytest.raises(ar.FileError, match="picture cannot be written: No such file"):
        swing.save_png(tmp_path / "nosuch" / "a.png", size=SIZE)
    with pytest.raises(ar.FileError, match="film cannot be written: No such file"):
        swing.save_film(tmp_path / "nosuch" / "a.gif", size=SIZE)
    with pytest.raises(ar.FileError, match="is no path"):
        swing.model.save_png(3)


def test_nothing_to_draw(swing, tmp_path):
    empty = replace(swing, t=swing.t[:0], q=swing.q[:0])
    for draw in (empty.save_png, empty.save_strip, empty.save_film):
        with pytest.raises(ar.ShapeError, match="holds no states"):
            draw(tmp_path / "a.gif")
    with pytest.raises(ar.ModelError, match="has no model"):
        replace(swing, model=None).save_png(tmp_path / "a.png")
    with pytest.raises(ar.ModelError, match=r"`scene` is a float. Give the `ar.Scene`"):
        swing.save_png(tmp_path / "a.png", 0.5)
    ended = replace(swing, q=np.where(np.arange(9)[:, None] > 4, np.nan, swing.q))
    with pytest.raises(ar.ShapeError, match=r"from 0 to 0.4 s"):
        ended.save_png(tmp_path / "a.png", t=0.6)
