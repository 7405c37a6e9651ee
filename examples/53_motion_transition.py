"""Motion transitions (R96): a person walks, and then reaches down; what lies between is found."""

import tempfile
from pathlib import Path

import numpy as np

import arthron as ar

folder = Path(tempfile.mkdtemp())
walk, reach = ar.mocap.walk(duration=2.0), ar.mocap.reach()  # or clips of yours, on one figure

# From the clip's frame 203 to the other's frame 63, in 0.6 s, on the foot that stands.
way = ar.mocap.transition(walk, reach, 0.6, leave=203, enter=63)
print(way)
way.plot(folder / "torque.png")
page = way.save_html(folder / "side-by-side.html")
way.clip.save_bvh(folder / "walk-and-reach.bvh")
print(f"both clips, a cubic between and what was found: {page}")
assert way.found.solved and way.slip < 0.005 and way.torque < way.cubic_torque

# Which frames of a library go over into each other without much ado, and a walk that goes on.
slow = ar.mocap.walk(speed=0.7)
joins = ar.mocap.transition_graph([walk, slow, reach], nearest=0.06)
others = [join for join in joins if join.before != join.after]
print(
    f"{len(joins)} joins, the best between two clips at {100 * others[0].distance:.1f} cm:",
    others[0],
)
laps = ar.mocap.cycle(walk, start=60, end=150, duration=0.3, repeats=4)
print(f"a stride, four times: {laps}")

# A clip that jitters and slides, cleaned by physics.
q = walk.q.copy()
q[:, 7:] += 0.01 * np.random.default_rng(0).standard_normal(q[:, 7:].shape)
q[:, 0] += 0.03 * np.sin(5.0 * walk.times)
bad = walk.with_poses(q).smoothed(12)
good = bad.cleaned()
rms = [np.sqrt((c.inverse_dynamics().tau[:, 6:] ** 2).sum(-1).mean()) for c in (walk, bad, good)]
print("torque of the walk, jittering and cleaned: {:.0f}, {:.0f}, {:.0f} N m".format(*rms))
