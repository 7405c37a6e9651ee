"""Spacetime constraints: a person of 44 DoF turns over once in the air, and lands on his feet.

A turn is nothing that a search comes upon: it begins near one that was found before, which lies
beside this file. Change what is asked, and see what it takes of feet, arms and knees.
"""

from pathlib import Path

import numpy as np

import arthron as ar
from arthron import spacetime as st

person = ar.load(ar.figures / "person.urdf", root=ar.Free())
number = {name: person.joint_number(name) for name in person.joint_names[1:]}
DURATIONS = 0.9, 0.75, 0.9  # crouches and pushes, flies, lands [s]


before = ar.load_trajectory(Path(__file__).with_name("somersault.arthron"), person)
stand = before.q[0]
lower, upper = person.q_lower[7:], person.q_upper[7:]


def off_stand(tree, q):
    """How far joints are from where they are in standing."""
    return [q[i][0] - stand[5 + i] for i in number.values()]


def uneven(tree, q):
    """By how much left and right differ, and the spine turns aside."""
    level = {
        n: 1.0 if any(y in n for y in ("pitch", "knee", "elbow", "toes")) else -1.0 for n in number
    }
    sides = [(n, n.replace("left", "right")) for n in number if n.startswith("left")]
    found = [q[number[a]][0] - level[a] * q[number[b]][0] for a, b in sides]
    return found + [
        q[i][0] for n, i in number.items() if "ft_" not in n and "ht_" not in n and level[n] < 0
    ]


def beyond(tree, q):
    """How far joints are beyond their limits."""
    ends = zip((q[i][0] for i in number.values()), lower.tolist(), upper.tolist(), strict=True)
    return [ar.maximum(x - b, 0.0) + ar.maximum(a - x, 0.0) for x, a, b in ends]


def spine(tree, q):
    """How far forwards and upwards a unit vector along the pelvis points."""
    _, _, _, w, x, y, z = q[1]
    return [2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)]


corners = [(x, y, -0.07) for x in (-0.05, 0.12) for y in (-0.04, 0.04)]
feet = [st.Foothold(f"{side}_foot", corners) for side in ("left", "right")]
weak = {n: (100.0 / person.effort_limit[person.slice_qd(n)][0]) ** 2 for n in number}
calm = st.Smoothness({name: 1.0 for name in number} | {"root_joint": 0.01})
push, fly, land = DURATIONS
phases = [st.Phase(push, 3, footholds=feet), st.Phase(fly, 4), st.Phase(land, 3, footholds=feet)]


over = [  # forwards, down, backwards: a quarter of the turn each
    st.Require(spine, 1.25, least=[0.3, -np.inf]),
    st.Require(spine, 1.5, most=[np.inf, -0.5]),
    st.Require(spine, 1.75, most=[-0.3, np.inf]),
]
problem = st.MotionProblem(
    person,
    phases,
    [st.TorqueEnergy(weak), calm, st.Cost(uneven, 3e4), st.Cost(off_stand, 100.0),
     st.Cost(beyond, 3e5)],
    [st.Keyframe(0, stand), st.Keyframe(3, stand), *over],
    limits=False,
)  # fmt: skip
when = np.interp(before.t, np.cumsum([0.0, *DURATIONS]), range(4))  # in phases
motion = problem.solve(list(zip(when, before.q, strict=True)), tolerance=1e-4)
print(motion)

q = motion.motion(motion.times())[0]
angle = np.unwrap(2.0 * np.arctan2(q[:, 5], q[:, 3]))
past = np.maximum(lower - q[:, 7:], q[:, 7:] - upper).max()
force = motion.forces(motion.times())[..., 2].sum(-1).max() / (9.81 * person.mass)
print(f"turns by {np.degrees(angle[-1] - angle[0]):.0f} degrees, pushes with {force:.1f} times the "
      f"weight, passes limits by {past:.2f} rad at most")  # fmt: skip
assert motion.solved and abs(angle[-1] - angle[0] - 2.0 * np.pi) < 1e-6 and past < 0.2
