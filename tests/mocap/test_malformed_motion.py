"""Files that are none: a sentence with the file and the line, whatever comes.

As a script, `make soak`: a hundred thousand random files and mutations of good ones.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from mocap_files import amc_text, asf_text, bvh_text

import arthron as ar
from arthron._mocap.read_amc import read_amc
from arthron._mocap.read_bvh import read_bvh

BVH, ASF, AMC = bvh_text(frames=4), asf_text(), amc_text(frames=3)


def replaced(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


BAD_BVH = {
    "nothing": ("", 1, "no line HIERARCHY"),
    "a page": ("<html>\n</html>", 1, "no line HIERARCHY"),
    "no motion": (BVH.split("MOTION")[0], None, "no line MOTION"),
    "no root": (replaced(BVH, "ROOT", "JOINT"), 2, "'JOINT' came where 'ROOT' is expected"),
    "no brace": (replaced(BVH, "{", ""), 4, "'OFFSET' came where '{' is expected"),
    "no name": (replaced(BVH, "ROOT Hips", "ROOT"), 2, "a joint has no name"),
    "two of a name": (BVH.replace("RightUpLeg", "LeftUpLeg"), 30, "two joints called 'LeftUpLeg'"),
    "two numbers": (replaced(BVH, "OFFSET 9.1 -3.0 0.0", "OFFSET 9.1 -3.0"), 9,
                    "OFFSET is 'CHANNELS'. Expected a number"),
    "a word": (replaced(BVH, "-42.0", "down"), 12, "OFFSET is 'down'"),
    "infinite": (replaced(BVH, "-42.0", "inf"), 12, "OFFSET is 'inf'"),
    "vast": (replaced(BVH, "-42.0", "1e300"), 12, "at most 1e+09"),
    "no channel": (replaced(BVH, "Xrotation", "Wrotation"), 5, "'Wrotation'. Channels are"),
    "twice a channel": (replaced(BVH, "Zrotation Xrotation Yrotation", "Zrotation " * 3), 5,
                        "has Zrotation twice"),
    "seven channels": (replaced(BVH, "CHANNELS 6", "CHANNELS 7"), 5, "7 channels. Six are the"),
    "how many": (replaced(BVH, "CHANNELS 6", "CHANNELS six"), 5, "CHANNELS is 'six'"),
    "a brace more": (replaced(BVH, "MOTION", "}\nMOTION"), 112, "came after the end of the figure"),
    "a brace less": (replaced(BVH, "}\nMOTION", "\nMOTION"), 111, "the hierarchy ends where"),
    "two figures": (replaced(BVH, "MOTION", "ROOT other\n{\n}\nMOTION"), 112, "a second ROOT"),
    "a stray word": (replaced(BVH, "  JOINT Spine", "  BONE Spine"), 54, "'BONE' came where"),
    "no frames": (replaced(BVH, "Frames: 4", "Frame: 4"), 113, "'Frame: 4' came where 'Frames:'"),
    "half a frame": (replaced(BVH, "Frames: 4", "Frames: 4.5"), 113, "Frames is '4.5'"),
    "too few": (replaced(BVH, "Frames: 4", "Frames: 5"), 113, "says 5, and there are 4 lines"),
    "too many": (replaced(BVH, "Frames: 4", "Frames: 3"), 113, "says 3, and there are 4 lines"),
    "none at all": (BVH[: BVH.index("Frame Time")] + "Frame Time: 0.01", 113, "there are 0 lines"),
    "no time": (BVH.split("Frame Time")[0], 112, "not followed by 'Frames:' and"),
    "time stands": (replaced(BVH, "Time: 0.0083333333", "Time: 0"), 114, "'Frame Time:' is 0."),
    "time runs back": (replaced(BVH, "Time: 0.0", "Time: -0.0"), 114, "Expected the seconds"),
    "a number less": (BVH.rstrip().rsplit(" ", 1)[0], 118, "frame 4 has 42 numbers, and the"),
    "a number more": (BVH.rstrip() + " 1.0\n", 118, "frame 4 has 44 numbers"),
    "not a number": (BVH.rstrip().rsplit(" ", 1)[0] + " nan\n", 118, "of frame 4 is 'nan'"),
    "cut off": (BVH[:-140], None, "frame"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_BVH)
def test_a_bad_bvh_file_meets_a_sentence(tmp_path, name):
    text, line, said = BAD_BVH[name]
    path = tmp_path / "bad.bvh"
    path.write_text(text)
    with pytest.raises(ar.FileError) as caught:
        ar.load_motion(path)
    assert said in str(caught.value) and str(path) in str(caught.value)
    assert line is None or caught.value.line == line


BAD_ASF = {
    "nothing": ("", 1, "no section :root"),
    "no bones": (replaced(ASF, ":bonedata", ":bones"), 1, "no section :bonedata"),
    "gradians": (replaced(ASF, "angle deg", "angle gon"), 7, "angle is 'gon'. Give deg or rad"),
    "no length": (replaced(ASF, "length 0.45", "length 0"), 6, "length is 0"),
    "no name": (replaced(ASF, "    name lfemur\n", ""), None, "a bone has no name"),
    "two of a name": (replaced(ASF, "name rfemur", "name lfemur"), 62, "two bones called 'lfemur'"),
    "no end": (replaced(ASF, "  end\n:hierarchy", ":hierarchy"), None, "begins and has no end"),
    "begin twice": (replaced(ASF, "  begin\n", "  begin\n  begin\n"), 17, "'begin' came"),
    "two numbers": (replaced(ASF, "direction 0.34 -0.94 0.0", "direction 0.34 -0.94"), None,
                    "direction has 2 numbers, not 3"),
    "no direction": (replaced(ASF, "    direction 0.34 -0.94 0.0\n", ""), 24, "no direction"),
    "no bone's length": (replaced(ASF, "    length 7.3\n", ""), 24, "a bone has no length"),
    "a word": (replaced(ASF, "length 7.3", "length long"), None, "length is 'long'"),
    "order": (replaced(ASF, "0 0 20 XYZ", "0 0 20 XYX"), None, "axis ends in 'XYX'"),
    "slides": (replaced(ASF, "dof rx rz", "dof rx tz"), None, "'tz' is no degree of freedom"),
    "twice": (replaced(ASF, "dof rx rz", "dof rx rx"), None, "'rx' is no degree of freedom"),
    "limits": (replaced(ASF, "dof rx ry rz", "dof rx ry"), None, "6 limits and 2 degrees"),
    "upside down": (ASF.replace("(-160.0 60.0)", "(60.0 -160.0)"), None, "lower limit above"),
    "unknown": (replaced(ASF, "    lfemur ltibia", "    lfemur tibia"), None,
                "no bone that can be there. Nearest: 'rtibia', 'ltibia'"),
    "twice hung": (replaced(ASF, "    lfemur ltibia", "    lfemur rtibia"), None, "Name it once"),
    "not hung": (replaced(ASF, "    lfemur ltibia\n", ""), None, "does not hang on the root"),
    "in a ring": (replaced(ASF, "root lhipjoint rhipjoint lowerback\n",
                  "root rhipjoint lowerback\n    lfoot lhipjoint\n"), None, "does not hang on"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_ASF)
def test_a_bad_asf_file_meets_a_sentence(tmp_path, name):
    text, line, said = BAD_ASF[name]
    path = tmp_path / "bad.asf"
    path.write_text(text)
    (tmp_path / "a.amc").write_text(AMC)
    with pytest.raises(ar.FileError) as caught:
        ar.load_motion(tmp_path / "a.amc")
    assert said in str(caught.value) and str(path) in str(caught.value)
    assert caught.value.line and line in (None, caught.value.line)


BAD_AMC = {
    "nothing": ("", None, "no frames"),
    "no frame": (replaced(AMC, "\n1\n", "\n"), 4, "'root' came where a frame is expected"),
    "a bone more": (replaced(AMC, "lfemur", "tail 1\nlfemur"), 6, "'tail', a bone that moves in"),
    "a bone less": (AMC.replace("\nltibia", "\n# ltibia", 1), 4, "no line for bone 'ltibia'"),
    "twice": (replaced(AMC, "ltibia", "lfemur"), 7, "has 'lfemur' twice"),
    "a word": (AMC.rstrip().rsplit(" ", 1)[0] + " x", 45, "lradius is 'x'"),
    "a number less": (AMC.rstrip().rsplit(" ", 1)[0], 45, "has 0 numbers, and the skeleton has 1"),
}


@pytest.mark.parametrize("name", BAD_AMC)
def test_a_bad_amc_file_meets_a_sentence(tmp_path, name):
    text, line, said = BAD_AMC[name]
    (tmp_path / "a.asf").write_text(ASF)
    path = tmp_path / "bad.amc"
    path.write_text(text)
    with pytest.raises(ar.FileError) as caught:
        ar.load_motion(path)
    assert said in str(caught.value) and str(path) in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("path, how, said", [
    ("a.fbx", {}, "Export it as BVH"),
    ("a.asf", {}, "a skeleton without motion"),
    ("a.c3d", {}, "`ar.mocap.load_markers`"),
    ("none.bvh", {}, "it cannot be read: No such file"),
    ("none.amc", {}, "there are: none. Say which"),
    (b"a.bvh", {}, "a bytes is no path"),
    ("walk.bvh", {"skeleton": "a.asf"}, "has a skeleton of its own"),
    ("walk.bvh", {"mass": -1}, "`mass` is -1"),
    ("walk.bvh", {"mass": 70000}, "`mass` is 70000. Give the person's mass in kg, 2 to 500"),
    ("walk.bvh", {"mass": 1.5}, "`mass` is 1.5"),
    ("walk.bvh", {"height": 0}, "`height` is 0"),
    ("walk.bvh", {"height": 180}, "in metres, 0.3 to 3: 1.8 for 180 cm"),
    ("walk.bvh", {"height": np.zeros(999)}, "`height` is array"),
    ("walk.bvh", {"units": "m"}, "`units` is 'm', in which the person is 1"),
    ("walk.bvh", {"units": "mm"}, "m were expected. In cm it is 1."),
    ("walk.bvh", {"rate": 0}, "`rate` is 0"),
    ("walk.bvh", {"rate": "60"}, "`rate` is '60'"),
    ("walk.bvh", {"segments": ["a"]}, "`segments` is ['a']. Give segments by joint"),
    ("walk.bvh", {"segments": {"Hips": ["a"]}}, "has ['a'] for joint 'Hips'"),
    ("walk.bvh", {"units": "foot"}, "Give one of m, cm, mm, inch, cmu"),
    ("walk.bvh", {"up": "x"}, '`up` is \'x\'. Give "y" or "z"'),
    ("walk.bvh", {"sex": "both"}, "`sex` is 'both'"),
    ("walk.bvh", {"segments": {"Hip": "thigh"}}, "has a joint 'Hip'. Nearest: 'Hips'"),
    ("walk.bvh", {"segments": {"Hips": "tail"}}, "has 'tail' for joint 'Hips'. Segments are head"),
])  # fmt: skip
def test_what_cannot_be_meets_a_sentence(tmp_path, monkeypatch, path, how, said):
    monkeypatch.chdir(tmp_path)
    Path("walk.bvh").write_text(BVH)
    with pytest.raises(ar.FileError) as caught:
        ar.load_motion(path, **how)
    assert said in str(caught.value)


def test_no_guess_is_plausible(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT Head\n{\n"
                    "OFFSET 0 7000 0\n}\nJOINT LeftFoot\n{\nOFFSET 0 -9000 0\n}\n}\n"
                    "MOTION\nFrames: 1\nFrame Time: 0.01\n\n")  # fmt: skip
    with pytest.raises(ar.FileError, match="no joint has channels"):
        ar.load_motion(path)
    path.write_text(path.read_text().replace("CHANNELS 0", "CHANNELS 1 Yrotation") + "0\n")
    with pytest.raises(ar.FileError, match=r"of stature 1.6e\+04, which is no person's height"):
        ar.load_motion(path)
    assert ar.load_motion(path, height=1.6).model.mass > 20
    path.write_text(path.read_text().replace("0 7000 0", "7000 0 0").replace("0 -9000", "-9000 0"))
    with pytest.raises(ar.FileError, match="does not tell whether y or z is up"):
        ar.load_motion(path)


def mutations(rng, texts, count):
    """Good files with some bytes changed, lost, doubled or moved; and random bytes."""
    for _ in range(count):
        kind = rng.integers(7)
        text = bytearray(texts[rng.integers(len(texts))].encode())
        for _ in range(rng.integers(1, 6)):
            a, b = sorted(rng.integers(0, len(text) + 1, 2))
            b = min(b, a + int(rng.integers(1, 60)))
            match kind:
                case 0:
                    text[a:b] = rng.integers(0, 256, b - a, dtype=np.uint8).tobytes()
                case 1:
                    del text[a:b]
                case 2:
                    text[a:a] = text[a:b]
                case 3:
                    text[a:b] = b" {"[: b - a]
                case 4:
                    text[a:a] = [b"}", b"{", b"-1e308", b"nan", b"\n", b"9999999999", b":", b"0"][
                        rng.integers(8)
                    ]
                case 5:
                    del text[a:]
                case 6:
                    text = bytearray(rng.integers(0, 256, 300, dtype=np.uint8).tobytes())
        yield bytes(text)


def fuzzed(folder, seed, count):
    """How many were read; every other one ended in a FileError."""
    rng = np.random.default_rng(seed)
    read = 0
    bvh, asf, amc = folder / "a.bvh", folder / "a.asf", folder / "a.amc"
    small = BVH.replace("Frames: 4", "Frames: 1").rsplit("\n", 4)[0]
    for data in mutations(rng, [BVH, small], count):
        bvh.write_bytes(data)
        read += survives(read_bvh, bvh)
    asf.write_text(ASF)
    for data in mutations(rng, [AMC], count // 4):
        amc.write_bytes(data)
        read += survives(lambda path: read_amc(path, asf), amc)
    amc.write_text(AMC)
    for data in mutations(rng, [ASF], count // 2):
        asf.write_bytes(data)
        read += survives(lambda path: read_amc(path, asf), amc)
    return read


def loaded(folder, seed, count):
    """The same, of whole clips: figures with mass are made of them."""
    rng = np.random.default_rng(seed)
    path = folder / "b.bvh"
    for data in mutations(rng, [BVH], count):
        path.write_bytes(data)
        survives(ar.load_motion, path)
    asf, amc = folder / "b.asf", folder / "b.amc"
    amc.write_text(AMC)
    for data in mutations(rng, [ASF], count):
        asf.write_bytes(data)
        survives(lambda path: ar.load_motion(path, skeleton=asf), amc)


def survives(reader, path):
    try:
        reader(path)
    except ar.FileError as error:
        assert str(error)
        return 0
    return 1


@pytest.mark.filterwarnings("error")
def test_random_damage_ends_in_a_sentence(tmp_path):
    """Some damage is none: those files are read."""
    assert 30 < fuzzed(tmp_path, 1, 1500) < 1500
    loaded(tmp_path, 2, 120)


def test_a_million_random_bytes(tmp_path):
    for seed, ending in enumerate((".bvh", ".amc")):
        path = tmp_path / f"noise{ending}"
        path.write_bytes(np.random.default_rng(seed).bytes(1_000_000))
        (tmp_path / "a.asf").write_text(ASF)
        assert survives(ar.load_motion, path) == 0


def soak(seeds=20, each=4000):
    """Random files; whatever is raised but a FileError ends it."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(seeds):
            read = fuzzed(Path(folder), 100 + seed, each)
            loaded(Path(folder), 500 + seed, each // 20)
            print(f"seed {seed}: {read} of {each * 7 // 4} damaged files were read", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(soak(*(int(x) for x in sys.argv[1:])))
