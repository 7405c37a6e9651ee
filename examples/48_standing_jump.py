"""Spacetime constraints: a person of 44 DoF crouches, jumps and lands."""

import arthron as ar
from arthron import spacetime as st

person = ar.load(ar.figures / "person.urdf", root=ar.Free())
number = {name: person.joint_number(name) for name in person.joint_names[1:]}


def pose(crouch, up=0.0):
    """Both legs bent by an angle, soles level and so far above the ground."""
    q = person.neutral()
    bends = {"hip_pitch": -crouch, "knee": 2.0 * crouch, "ankle_pitch": -crouch, "elbow": -0.4}
    for name, angle in bends.items():
        q[person.slice_q(f"left_{name}")] = q[person.slice_q(f"right_{name}")] = angle
    q[:3] = (0.0, 0.0, up) - person.frame_pose(q, "left_sole")[:3, 3] * (1.0, 0.0, 1.0)
    return q


def bent(tree, q):
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


stand = pose(0.2)
corners = [(x, y, -0.07) for x in (-0.05, 0.12) for y in (-0.04, 0.04)]
feet = [st.Foothold(f"{side}_foot", corners) for side in ("left", "right")]
weak = {n: (100.0 / person.effort_limit[person.slice_qd(n)][0]) ** 2 for n in number}
calm = st.Smoothness({name: 1.0 for name in number} | {"root_joint": 0.01})
problem = st.MotionProblem(
    person,
    [st.Phase(0.9, 2, footholds=feet), st.Phase(0.45, 1), st.Phase(0.9, 2, footholds=feet)],
    [st.TorqueEnergy(weak), calm, st.Cost(bent, 500.0), st.Cost(uneven, 3e4)],
    [st.Keyframe(0, stand), st.Keyframe(3, stand),
     st.Waypoint("pelvis", 1.5, position=([None, None, stand[2] + 0.2], [None] * 3))],
    limits=False,
)  # fmt: skip
crouch = pose(0.65)
guess = [(0, stand), (0.6, crouch), (1, stand), (1.5, pose(0.2, 0.2)), (2, stand), (2.4, crouch)]
motion = problem.solve(guess, tolerance=1e-4)
print(motion)
push = motion.forces(motion.times())[..., 2].sum(-1).max() / (9.81 * person.mass)
print(f"feet push with {push:.1f} times the weight, then fly for {motion.durations[1]} s")
assert motion.status == "solved"
