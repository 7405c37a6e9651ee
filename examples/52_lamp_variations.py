"""The hop of a lamp (WK88), otherwise: over a hurdle, up a step, with a heavy head, on ice."""

import tempfile
from pathlib import Path

import numpy as np

import arthron as ar
from arthron import spacetime as st

HERE, FAR = np.array([0.015, 0.0, 0.0, -0.5, 1.2, 0.6]), 0.4  # z, x and turn of the base, hinges


def lamp(head):
    """A base that stands, two rods and a head of so many kilograms."""
    hinge, rod = ar.Revolute("y"), ar.Capsule(0.012, 0.3, mass=0.2, placement=(0, 0, 0.15))
    top, shade = (0, 0, 0.3), ar.Cylinder(0.06, 0.1, mass=head, placement=(0, 0, 0.05))
    return ar.Model(
        [
            ar.Body("base", ar.Planar("y"), shapes=[ar.Cylinder(0.1, 0.03, mass=1.0)]),
            ar.Body("leg", hinge, "base", shapes=[rod], lower=-2.0, upper=2.0),
            ar.Body("arm", hinge, "leg", placement=top, shapes=[rod], lower=-2.8, upper=2.8),
            ar.Body("head", hinge, "arm", placement=top, shapes=[shade], lower=-2.5, upper=2.5),
        ],
        name="lamp",
    )  # fmt: skip


def at_least(height):
    """Bounds of a place: not below a height."""
    return [None, None, height], [None, None, None]


def hop(head=0.35, friction=0.8, up=0.0, hurdle=0.0):
    """The motion of least torque from one place to another."""
    points = [(-0.1, 0, -0.015), (0.1, 0, -0.015)]
    here, there = (st.Foothold("base", points, friction=friction, height=h) for h in (0.0, up))
    end = np.add(HERE, [up, FAR, 0.0, 0.0, 0.0, 0.0])
    phases = [
        st.Phase((0.3, 0.8), 8, footholds=[here]),
        st.Phase((0.15, 0.6), 6),
        st.Phase((0.3, 0.8), 8, footholds=[there]),
    ]
    over = st.Waypoint("base", 1.5, position=at_least(hurdle))
    floors = [((0, 2), 0.0), ((2, 3), up)]
    free = [
        st.Waypoint(link, at, position=at_least(floor + size))
        for at, floor in floors
        for link, size in (("arm", 0.03), ("head", 0.09))
    ]
    conditions = [st.Keyframe(0, HERE), st.Keyframe(3, end), over, *free]
    costs = [st.TorqueEnergy(), st.Smoothness(1e-3)]
    problem = st.MotionProblem(lamp(head), phases, costs, conditions)
    return problem.solve([(1, HERE), (2, end)])


motions = {
    "as it is": hop(),
    "over a hurdle": hop(hurdle=0.5),
    "up a step": hop(up=0.15),
    "with a heavy head": hop(head=1.0),
    "on ice": hop(friction=0.15),
}
for name, motion in motions.items():
    top = 100 * motion.motion(motion.times())[0][:, 0].max()
    print(f"{name:17} cost {motion.cost:5.1f}, flies {motion.durations[1]:.2f} s, "
          f"base up to {top:.0f} cm, {motion.optimum.iterations} iterations")  # fmt: skip
    assert motion.solved

# Simulated: its joint forces and a weak PD control, on ground it bumps against and slides on.
motion, folder = motions["as it is"], Path(tempfile.mkdtemp())
follow = motion.controller(stiffness=50.0, damping=2.0)
scene = ar.Scene(motion.problem.model, [ar.contacts.Ground(friction=0.8)], follow)
run = ar.simulate(scene, 2.5, 1e-3, q=HERE)
off = run.q[-1] - motion.motion(motion.motion.duration)[0]
print(f"simulated, it stands {100 * np.abs(off[:2]).max():.1f} cm from where it was to land")
page = scene.save_html(folder / "lamp.html", HERE)
print(f"a page in which it hops and can be pulled about: {page}")
assert np.abs(off).max() < 0.05
