"""Small files of motion capture, made here, and an oracle that reads numbers one by one."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

SHARED = Path(__file__).parents[3] / "shared/mocap"

LEG = """\
  JOINT {side}UpLeg
  {{
    OFFSET {s}9.1 -3.0 0.0
    CHANNELS 3 {order}
    JOINT {side}Leg
    {{
      OFFSET {s}0.5 -42.0 1.0
      CHANNELS 1 Xrotation
      JOINT {side}Foot
      {{
        OFFSET 0.0 -41.0 -1.0
        CHANNELS 2 Zrotation Xrotation
        JOINT {side}ToeBase
        {{
          OFFSET 0.0 -5.0 13.0
          CHANNELS 0
          End Site
          {{
            OFFSET 0.0 0.0 6.0
          }}
        }}
      }}
    }}
  }}
"""
ARM = """\
      JOINT {side}Arm
      {{
        OFFSET {s}17.0 20.0 0.0
        CHANNELS 3 {order}
        JOINT {side}ForeArm
        {{
          OFFSET {s}28.0 0.0 0.0
          CHANNELS 2 Yrotation Zrotation
          JOINT {side}Hand
          {{
            OFFSET {s}26.0 0.0 0.0
            CHANNELS 3 {order}
            End Site
            {{
              OFFSET {s}17.0 0.0 0.0
            }}
          }}
        }}
      }}
"""


def bvh_text(order="zxy", *, frames=40, seed=0, rate=120.0, size=0.4, positions="XYZ"):
    """A person of 23 bones or so that waves about smoothly, in centimetres with y up."""
    channels = " ".join(f"{a.upper()}rotation" for a in order)
    placed = " ".join(f"{a}position" for a in positions)
    sides = [("Left", ""), ("Right", "-")]
    legs = "".join(LEG.format(side=side, s=s, order=channels) for side, s in sides)
    arms = "".join(ARM.format(side=side, s=s, order=channels) for side, s in sides)
    head = f"""\
HIERARCHY
ROOT Hips
{{
  OFFSET 0.0 0.0 0.0
  CHANNELS 6 {placed} {channels}
{legs}  JOINT Spine
  {{
    OFFSET 0.0 8.0 -1.0
    CHANNELS 3 {channels}
    JOINT Chest
    {{
      OFFSET 0.0 22.0 0.0
      CHANNELS 3 {channels}
      JOINT Head
      {{
        OFFSET 0.0 28.0 1.0
        CHANNELS 3 {channels}
        End Site
        {{
          OFFSET 0.0 20.0 2.0
        }}
      }}
{arms}    }}
  }}
}}
MOTION
Frames: {frames}
Frame Time: {1.0 / rate:.10f}
"""
    columns = sum(int(line.split()[1]) for line in head.splitlines() if "CHANNELS" in line)
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None] / rate
    values = np.degrees(size) * sum(
        rng.normal(size=columns) * np.sin(k * t * 2 * np.pi * 0.5 + rng.uniform(0, 6, columns)) / k
        for k in (1, 2, 3)
    )
    values[:, :3] = values[:, :3] * 0.3
    values[:, positions.index("Y")] += 95.0
    rows = "\n".join(" ".join(f"{x:.8f}" for x in row) for row in values)
    return head + rows + "\n"


def write_bvh(folder, name="walk.bvh", **how):
    path = folder / name
    path.write_text(bvh_text(**how))
    return path


def oracle_positions(text, frame):
    """Where joints and ends are, in the file's axes, word by word and with SciPy's rotations."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    start = next(k for k, words in enumerate(lines) if words[0].upper() == "MOTION")
    numbers = iter(map(float, lines[start + 3 + frame]))
    found, stack, name = {}, [], ""
    for words in lines[1:start]:
        key = words[0].upper()
        if key in ("ROOT", "JOINT", "END"):
            name = words[1] if key != "END" else stack[-1]["name"] + "_end"
        elif key == "{":
            above = stack[-1] if stack else {"R": np.eye(3), "p": np.zeros(3)}
            stack.append({"name": name, "R": above["R"], "p": above["p"], "above": above})
        elif key == "}":
            stack.pop()
        elif key == "OFFSET":
            own = stack[-1]
            own["p"] = own["above"]["p"] + own["above"]["R"] @ np.array(list(map(float, words[1:])))
            found[own["name"]] = own["p"]
        elif key == "CHANNELS":
            own = stack[-1]
            for channel in words[2:]:
                x = next(numbers)
                axis = "XYZ".index(channel[0].upper())
                if "pos" in channel.lower():
                    own["p"] = own["p"] + (x - own["p"][axis]) * np.eye(3)[axis]
                else:
                    turn = Rotation.from_rotvec(np.radians(x) * np.eye(3)[axis])
                    own["R"] = own["R"] @ turn.as_matrix()
            found[own["name"]] = own["p"]
    return found


ASF = """\
# a skeleton of Acclaim's format
:version 1.10
:name someone
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  made for a test
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
{bones}:hierarchy
  begin
{hierarchy}  end
"""
BONES = [  # name, parent, direction, length, axis, dof
    ("lhipjoint", "root", (0.7, -0.6, 0.2), 2.5, (0, 0, 0), ""),
    ("lfemur", "lhipjoint", (0.34, -0.94, 0.0), 7.3, (0, 0, 20), "rx ry rz"),
    ("ltibia", "lfemur", (0.34, -0.94, 0.0), 7.8, (0, 0, 20), "rx"),
    ("lfoot", "ltibia", (0.1, -0.3, 0.95), 2.0, (-90, 10, 20), "rx rz"),
    ("rhipjoint", "root", (-0.7, -0.6, 0.2), 2.5, (0, 0, 0), ""),
    ("rfemur", "rhipjoint", (-0.34, -0.94, 0.0), 7.3, (0, 0, -20), "rx ry rz"),
    ("rtibia", "rfemur", (-0.34, -0.94, 0.0), 7.8, (0, 0, -20), "rx"),
    ("rfoot", "rtibia", (-0.1, -0.3, 0.95), 2.0, (-90, -10, -20), "rx rz"),
    ("lowerback", "root", (0.0, 1.0, -0.1), 2.1, (0, 0, 0), "rx ry rz"),
    ("thorax", "lowerback", (0.0, 1.0, 0.05), 4.0, (0, 0, 0), "rx ry rz"),
    ("head", "thorax", (0.0, 0.9, 0.3), 4.5, (0, 0, 0), "rz rx ry"),
    ("lclavicle", "thorax", (0.9, 0.3, 0.0), 3.5, (0, 0, 0), "ry rz"),
    ("lhumerus", "lclavicle", (1.0, 0.0, 0.0), 5.0, (180, 30, 90), "rx ry rz"),
    ("lradius", "lhumerus", (1.0, 0.0, 0.0), 4.0, (180, 30, 90), "rx"),
]  # fmt: skip


def asf_text():
    blocks, children = "", {}
    for k, (name, parent, direction, length, axis, dof) in enumerate(BONES, 1):
        blocks += (
            f"  begin\n    id {k}\n    name {name}\n    direction {' '.join(map(str, direction))}\n"
            f"    length {length}\n    axis {' '.join(map(str, axis))} XYZ\n"
        )
        if dof:
            limits = "\n           ".join(["(-160.0 60.0)"] * len(dof.split()))
            blocks += f"    dof {dof}\n    limits {limits}\n"
        blocks += "  end\n"
        children.setdefault(parent, []).append(name)
    rows = "".join(f"    {name} {' '.join(below)}\n" for name, below in children.items())
    return ASF.format(bones=blocks, hierarchy=rows)


def amc_text(frames=20, seed=3, size=30.0):
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None] / 120.0
    names = [("root", 6), *((name, len(dof.split())) for name, *_, dof in BONES if dof)]
    columns = sum(n for _, n in names)
    values = size * rng.normal(size=columns) * np.sin(8 * t + rng.uniform(0, 6, columns))
    values[:, 1] = 17.0
    text = "# by a test\n:FULLY-SPECIFIED\n:DEGREES\n"
    for k, row in enumerate(values, 1):
        text += f"{k}\n"
        numbers = iter(row)
        for name, n in names:
            text += f"{name} {' '.join(f'{next(numbers):.8f}' for _ in range(n))}\n"
    return text


def asf_oracle(amc, frame):
    """Where bones end, in the file's axes: L = C M C^-1, with SciPy's fixed-axis angles."""
    block = amc.split(":DEGREES\n")[1].splitlines()
    start = block.index(str(frame + 1))
    said = {}
    for line in block[start + 1 :]:
        words = line.split()
        if len(words) == 1:
            break
        said[words[0]] = list(map(float, words[1:]))
    root = said["root"]
    turns = {"root": Rotation.from_euler("xyz", root[3:], degrees=True).as_matrix()}
    ends = {"root": np.array(root[:3])}
    for name, parent, direction, length, axis, dof in BONES:
        angles = dict(zip(dof.split(), said.get(name, []), strict=True))
        M = Rotation.from_euler("xyz", [angles.get(f"r{a}", 0.0) for a in "xyz"], degrees=True)
        C = Rotation.from_euler("xyz", axis, degrees=True)
        turns[name] = turns[parent] @ (C * M * C.inv()).as_matrix()
        ends[name] = ends[parent] + turns[name] @ (np.array(direction) * length)
    return ends
