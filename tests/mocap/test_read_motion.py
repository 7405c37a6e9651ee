"""BVH and ASF/AMC files: joints are where an oracle puts them, word by word."""

import itertools
import time

import numpy as np
import pytest
from mocap_files import (
    SHARED,
    amc_text,
    asf_oracle,
    asf_text,
    bvh_text,
    oracle_positions,
    write_bvh,
)  # fmt: skip

import arthron as ar

ORDERS = ["".join(p) for p in itertools.permutations("xyz")]


def in_file(p):
    """Metres with z up back to centimetres with y up."""
    return np.asarray(p)[..., [1, 2, 0]] * 100.0


def furthest(clip, text, frames=(0, 7, -1)):
    worst = 0.0
    for k in frames:
        expected = oracle_positions(text, k if k >= 0 else len(clip) + k)
        for name, p in expected.items():
            there = clip.model.frame_pose(clip.q[k], name)[:3, 3]
            worst = max(worst, np.abs(in_file(there) - p).max())
    return worst


@pytest.mark.parametrize("order", ORDERS)
def test_joints_are_where_the_oracle_puts_them(tmp_path, order):
    path = write_bvh(tmp_path, order=order, seed=ORDERS.index(order))
    clip = ar.load_motion(path)
    assert furthest(clip, path.read_text(), (0, -1)) < 1e-9
    assert clip.rate == pytest.approx(120.0, rel=1e-8) and len(clip) == 40


def test_position_channels_come_in_any_order(tmp_path):
    path = write_bvh(tmp_path, positions="YZX")
    assert furthest(ar.load_motion(path), path.read_text()) < 1e-9


@pytest.mark.parametrize("changed", [
    lambda s: s.replace("\n", "\r\n"),
    lambda s: s.replace("\n", "\r"),
    lambda s: s.replace("  ", "\t"),
    lambda s: s.replace("\n", "\n\n"),
    lambda s: s.replace("\nMOTION", "\n\n  motion ").replace("Frames:", "FRAMES:\t"),
    lambda s: s.replace("HIERARCHY", "\ufeffHierarchy").replace("OFFSET", "Offset"),
    lambda s: s.replace("JOINT", "joint").replace("CHANNELS", "Channels").replace("ROOT", "root"),
    lambda s: s.replace("Xrotation", "XROTATION").replace("End Site", "END SITE"),
    lambda s: s.replace("\n  {", " {").replace("\n{", " {"),
    lambda s: s + "\n\n   \n",
])  # fmt: skip
def test_ways_of_writing_it_do_not_matter(tmp_path, changed):
    text = bvh_text(frames=5)
    plain, other = tmp_path / "a.bvh", tmp_path / "b.bvh"
    plain.write_text(text)
    other.write_bytes(changed(text).encode())
    assert (ar.load_motion(plain).q == ar.load_motion(other).q).all()


def test_the_map_of_axes(tmp_path):
    """A person that faces z in a file with y up faces x, and left is y."""
    clip = ar.load_motion(write_bvh(tmp_path, size=0.0))
    left, toes = (clip.model.frame_pose(clip.q[0], n)[:3, 3] for n in ("LeftHand", "LeftToeBase"))
    hips, head = (clip.model.frame_pose(clip.q[0], n)[:3, 3] for n in ("Hips", "Head_end"))
    assert left[1] > 0.6 and toes[0] - hips[0] > 0.1 and head[2] - hips[2] == pytest.approx(0.78)
    assert clip.about["up"].startswith("y") and clip.about["units"] == "cm, guessed"


def test_files_with_z_up_stay_as_they_are(tmp_path):
    """Offsets turned so that z is up, and the same axes of the figure."""
    text = bvh_text(size=0.0, frames=4)
    lines = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["OFFSET"]:
            x, y, z = words[1:]
            line = f"OFFSET {z} {x} {y}"
        lines.append(line)
    start = lines.index(next(x for x in lines if x.startswith("Frame Time")))
    rows = [x.split() for x in lines[start + 1 :]]
    lines[start + 1 :] = [" ".join([r[2], r[0], r[1], *r[3:]]) for r in rows]
    path = tmp_path / "z.bvh"
    path.write_text("\n".join(lines))
    (tmp_path / "y.bvh").write_text(text)
    z_up, y_up = ar.load_motion(path), ar.load_motion(tmp_path / "y.bvh")
    assert z_up.about["up"].startswith("z")
    for name in y_up.model.frame_names:
        a, b = (c.model.frame_pose(c.q[0], name)[:3, 3] for c in (z_up, y_up))
        assert np.abs(a - b).max() < 1e-12


@pytest.mark.parametrize("unit, metres", [
    ("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("inch", 0.0254), ("cmu", 0.0254 / 0.45),
])  # fmt: skip
def test_units_are_guessed(tmp_path, unit, metres):
    text = bvh_text(frames=3)
    scale = 0.01 / metres
    lines = text.splitlines()
    for k, line in enumerate(lines):
        words = line.split()
        if words[:1] == ["OFFSET"]:
            lines[k] = "OFFSET " + " ".join(repr(float(x) * scale) for x in words[1:])
        elif k > lines.index("MOTION") + 2:
            row = [float(x) for x in words]
            lines[k] = " ".join(repr(x * (scale if j < 3 else 1.0)) for j, x in enumerate(row))
    path = tmp_path / "a.bvh"
    path.write_text("\n".join(lines))
    (tmp_path / "b.bvh").write_text(text)
    clip, plain = ar.load_motion(path), ar.load_motion(tmp_path / "b.bvh")
    assert clip.about["units"] == f"{unit}, guessed"
    assert np.abs(clip.q - plain.q).max() < 1e-9
    assert ar.load_motion(path, units=unit).about["units"] == f"{unit}, given"


def test_a_height_scales_it(tmp_path):
    path = write_bvh(tmp_path)
    plain, tall = ar.load_motion(path), ar.load_motion(path, height=2.0)
    ratio = 2.0 / float(plain.about["height"].split()[0])
    assert tall.q[:, :3] == pytest.approx(plain.q[:, :3] * ratio, rel=2e-3)
    assert tall.about["height"] == "2.000 m" and (tall.q[:, 3:] == plain.q[:, 3:]).all()


def test_constant_position_channels_become_offsets(tmp_path):
    """As MotionBuilder writes them, six channels for each joint."""
    text = bvh_text(frames=6)
    path, plain = tmp_path / "six.bvh", tmp_path / "plain.bvh"
    plain.write_text(text)
    changed = text.replace(
        "OFFSET 0.0 22.0 0.0\n      CHANNELS 3 ",
        "OFFSET 0.0 0.0 0.0\n      CHANNELS 6 Xposition Yposition Zposition ",
    )
    assert changed != text
    head, rows = changed.split("Frame Time")
    first, *rows = rows.splitlines()
    names = [x for line in text.splitlines() if "CHANNELS" in line for x in line.split()[2:]]
    before = 6 + 2 * 6 + 3  # root, legs, spine
    assert len(names) == len(rows[0].split())
    rows = [" ".join([*r.split()[:before], "0 22 0", *r.split()[before:]]) for r in rows]
    path.write_text(f"{head}Frame Time{first}\n" + "\n".join(rows))
    a, b = ar.load_motion(path), ar.load_motion(plain)
    assert (a.q == b.q).all()
    assert np.abs(a.model.body_poses(a.q) - b.model.body_poses(b.q)).max() < 1e-12
    path.write_text(path.read_text().replace(" 0 22 0 ", " 0 22 1 ", 1))
    with pytest.raises(ar.FileError, match="'Chest' moves in its parent: its Zposition goes from"):
        ar.load_motion(path)


def write_asf(folder):
    (folder / "a.asf").write_text(asf_text())
    (folder / "a.amc").write_text(amc_text())
    return folder / "a.amc"


def test_bones_end_where_the_oracle_puts_them(tmp_path):
    path = write_asf(tmp_path)
    clip, unit = ar.load_motion(path), 0.0254 / 0.45
    begins = {"lfoot": "ltibia", "ltibia": "lfemur", "head": "thorax", "lradius": "lhumerus"}
    for k in (0, 5, 19):
        ends = asf_oracle(path.read_text(), k)
        for name, parent in begins.items():
            begin = clip.model.frame_pose(clip.q[k], name)[:3, 3][[1, 2, 0]]
            assert np.abs(begin - ends[parent] * unit).max() < 1e-9
        for name in ("lfoot", "rfoot", "head", "lradius"):
            end = clip.model.frame_pose(clip.q[k], f"{name}_end")[:3, 3][[1, 2, 0]]
            assert np.abs(end - ends[name] * unit).max() < 1e-9


def test_an_asf_motion_goes_through_bvh(tmp_path):
    clip = ar.load_motion(write_asf(tmp_path))
    again = ar.load_motion(clip.save_bvh(tmp_path / "a.bvh"), units="cmu")
    assert set(again.model.frame_names) == set(clip.model.frame_names)
    for name in clip.model.frame_names:
        a, b = (c.model.frame_pose(c.q, name)[:, :3, 3] for c in (clip, again))
        assert np.abs(a - b).max() < 1e-6


def test_joints_of_an_asf_file_have_its_limits_and_axes(tmp_path):
    model = ar.load_motion(write_asf(tmp_path)).model
    knee = model.slice_q("ltibia")
    assert model.q_upper[knee] == pytest.approx(np.radians([60.0]))
    axis = model.bodies[model.body_names.index("ltibia")].joint.axis
    # the file's x axis, turned by 20 degrees about its z, with y up
    assert tuple(axis) == pytest.approx((0.0, np.cos(np.radians(20)), np.sin(np.radians(20))))


def test_a_skeleton_is_named_or_lies_beside(tmp_path):
    path = write_asf(tmp_path)
    (tmp_path / "b.asf").write_text(asf_text())
    with pytest.raises(ar.FileError, match=r"there are: a.asf, b.asf. Say which"):
        ar.load_motion(path)
    clip = ar.load_motion(path, skeleton=tmp_path / "b.asf")
    assert clip.model.name == "someone" and clip.rate == 120.0


def test_radians(tmp_path):
    path = write_asf(tmp_path)
    plain = ar.load_motion(path)
    lines = path.read_text().replace(":DEGREES", ":RADIANS").splitlines()
    for k, line in enumerate(lines):
        words = line.split()
        if len(words) > 1 and not line.startswith("#"):
            skip = 3 if words[0] == "root" else 0
            angles = [repr(np.radians(float(x)).item()) for x in words[1 + skip :]]
            lines[k] = " ".join([*words[: 1 + skip], *angles])
    path.write_text("\n".join(lines))
    assert np.abs(ar.load_motion(path).q - plain.q).max() < 1e-12


def test_half_a_minute_is_read_in_no_time(tmp_path):
    """30 s at 120 Hz with 96 channels; a third of a second is the bar, with room for busy cores."""
    from arthron._mocap.read_bvh import read_bvh

    path = tmp_path / "long.bvh"
    spine = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                    for k in range(30))  # fmt: skip
    head = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition " \
           f"Zrotation Xrotation Yrotation\n{spine}{'}' * 31}\nMOTION\nFrames: 3600\n" \
           f"Frame Time: 0.00833333\n"  # fmt: skip
    row = " ".join(f"{x:.5f}" for x in np.linspace(-100, 100, 96))
    path.write_text(head + f"{row}\n" * 3600)
    took = []
    for _ in range(3):
        start = time.perf_counter()
        read_bvh(path)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.3


@pytest.mark.skipif(not SHARED.is_dir(), reason="clips of the CMU database are not here")
@pytest.mark.parametrize("name", ["02_01", "08_01", "09_01", "16_05"])
def test_clips_of_the_cmu_database(name):
    path = SHARED / f"{name}.bvh"
    clip, text = ar.load_motion(path), path.read_text()
    unit = 0.0254 / 0.45
    expected = oracle_positions(text, 100)
    for joint in ("LeftToeBase", "RightHand", "Head"):
        there = clip.model.frame_pose(clip.q[100], joint)[:3, 3][[1, 2, 0]]
        assert np.abs(there - expected[joint] * unit).max() < 1e-9
    assert clip.about["units"] == "cmu, guessed" and clip.about["up"].startswith("y")
    assert 1.65 < float(clip.about["height"].split()[0]) < 1.85


@pytest.mark.parametrize("said, rate", [
    (".0083333", 120.0), ("0.033333", 30.0), ("0.03333", 30.0), ("0.016683", 59.94),
    ("0.0417", 23.98), ("0.01", 100.0),
])  # fmt: skip
def test_few_digits_of_a_frame_time_are_a_whole_rate(tmp_path, said, rate):
    path = tmp_path / "a.bvh"
    path.write_text(bvh_text(frames=3).replace("0.0083333333", said))
    clip = ar.load_motion(path)
    assert clip.rate == pytest.approx(rate, abs=0.005)
    assert (clip.rate == rate) == (rate == round(rate))


def test_channels_are_read_and_written_as_they_are(tmp_path):
    file = ar.mocap.read_motion(write_bvh(tmp_path))
    again = ar.mocap.read_motion(ar.mocap.write_bvh(file, tmp_path / "again.bvh"))
    assert again.skeleton.joints == file.skeleton.joints
    assert np.abs(again.values - file.values).max() < 1e-7
    assert again.frame_time == pytest.approx(file.frame_time, rel=1e-11)
    with pytest.raises(ar.ModelError, match="turns about axes of its own"):
        ar.mocap.write_bvh(ar.mocap.read_motion(write_asf(tmp_path)), tmp_path / "b.bvh")


@pytest.mark.parametrize("name", ["a.bvh", "a.amc"])
def test_a_rate_that_is_given_is_that_of_the_clip(tmp_path, name):
    (tmp_path / "a.bvh").write_text(bvh_text(rate=120.0))
    (tmp_path / "a.asf").write_text(asf_text())
    (tmp_path / "a.amc").write_text(amc_text())
    clip, slow = (ar.load_motion(tmp_path / name, rate=rate) for rate in (None, 60))
    assert clip.rate == 120.0 and slow.rate == 60.0 and (slow.q == clip.q).all()
