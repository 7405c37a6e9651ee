"""Random reaches and hops from poor guesses: nearly all are found, and all end.

`python tests/spacetime/test_random_motions.py` looks for a hundred; `make test` for some of them.
"""

import sys

import numpy as np
from motion_cases import HERE, hop

import arthron as ar
from arthron.spacetime import Keyframe, MotionProblem, Phase, TorqueEnergy, Waypoint


def arm(joints=7):
    link = ar.Capsule(0.04, 0.25, placement=(0, 0, 0.15))
    return ar.Model(
        [
            ar.Body(f"link{k}", ar.Revolute("zyx"[k % 3]), parent=f"link{k - 1}" if k else None,
                    placement=(0, 0, 0.3) if k else (0, 0, 0), shapes=[link], lower=-2.9, upper=2.9)
            for k in range(joints)
        ],
        name="arm",
    )  # fmt: skip


ARM = arm()


def random_reach(rng):
    """From a random pose to where the hand is in another, from a guess that is a third."""
    start, end, guess = rng.uniform(-2.0, 2.0, (3, ARM.nq))
    there = ARM.frame_pose(end, "link6")
    tip = there[:3, 3] + there[:3, :3] @ [0.0, 0.0, 0.3]
    goal = Waypoint("link6", 1, position=tip, velocity=(0, 0, 0), point=(0, 0, 0.3))
    problem = MotionProblem(ARM, Phase(1.0, 8), TorqueEnergy(), [Keyframe(0, start), goal])
    return problem, [(0, start), (1, guess)]


def random_hop(rng):
    """Somewhere, from guesses that are bent at random in the air."""
    far, up = rng.uniform(-0.3, 0.6), rng.uniform(0.0, 0.12)
    problem, guess = hop(far=far, up=up, friction=rng.uniform(0.6, 1.0))
    bent = [(at, q + np.array([0, 0, 0, 1, 1, 1]) * rng.uniform(-0.4, 0.4, 6)) for at, q in guess]
    return problem, [(0, HERE), *bent]


def solved(count, seed):
    """How many reaches and hops are found of as many each, and how others end."""
    rng, found, others = np.random.default_rng(seed), 0, []
    for make in (random_reach, random_hop):
        for k in range(count):
            problem, guess = make(rng)
            motion = problem.solve(guess, progress=False)
            found += motion.solved
            if not motion.solved:
                others.append(f"{make.__name__} {k}: {motion.optimum.message}")
    return found, others


def test_random_reaches_and_hops():
    found, others = solved(4, 1)
    assert found >= 7, others


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    found, others = solved(count, 0)
    print(f"{found} of {2 * count} found")
    print(*others, sep="\n")
    assert found >= 0.95 * 2 * count
