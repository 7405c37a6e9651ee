"""Scenes of RedMax, in arthron's terms: centimetres, grams, seconds.

What is in them are facts about github.com/sueda/redmax (MIT licence, commit 40f89b2). Link k moves
with joint k of the reference; a frame "centre k" sits where the reference has its body, in the
middle of the link. Scenes that need contact or friction are not here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import arthron as ar
from arthron import forces
from arthron.constraints import Loop, PrescribedMotion

PI = math.pi
Vector = tuple[float, ...]
X, Y, Z = (ar.Revolute(axis) for axis in "xyz")


@dataclass(frozen=True)
class Link:
    """A box of water on a joint, and the joint's state at the start."""

    joint: Any
    q: Vector = ()
    qd: Vector = ()
    parent: int | None = None
    at: Any = (0.0, 0.0, 0.0)
    size: Vector = (10.0, 1.0, 1.0)
    centre: Any = (5.0, 0.0, 0.0)
    inertia: ar.Inertia | None = None


@dataclass(frozen=True)
class Multiple(ar.Element):
    """A joint whose angle is a multiple of another's: a constraint, as the reference has it."""

    first: str
    second: str
    factor: float

    @property
    def joints(self):
        return (self.first, self.second)

    def constraint(self, here):
        return here.q[1][0] - self.factor * here.q[0][0]


@dataclass(frozen=True)
class Pin(ar.Element):
    """A hinge across a plane, what it is off coming back at a rate: S19's gamma, by velocities."""

    a: tuple[str, Vector]
    b: tuple[str, Vector]
    gamma: float

    @property
    def links(self):
        return (self.a[0], self.b[0])

    def velocity_constraint(self, here):
        (one, two), (p, r) = here.frames, (self.a[1], self.b[1])
        off = two.velocity(r) - one.velocity(p) + (two.at(r) - one.at(p)) * self.gamma
        return off.x, off.z


@dataclass(frozen=True)
class Rate(ar.Element):
    """A joint that is given its velocity by a row, from the first step on."""

    joint: str
    rate: float

    @property
    def joints(self):
        return (self.joint,)

    def velocity_constraint(self, here):
        return here.qd[0][0] - ar.where(here.t > 0.0, self.rate, 0.0)


@dataclass(frozen=True)
class Case:
    """A scene, its start, and how long it runs in which steps.

    Loops that the reference closes at a rate in Euler's steps have a scene of their own for these.
    """

    name: str
    scene: ar.Scene
    q: np.ndarray
    qd: np.ndarray
    step: float
    duration: float
    in_steps: ar.Scene | None = None

    def run(self, integrator: str) -> ar.Trajectory:
        """The trajectory by an integrator; Runge-Kutta keeps a state every quarter of the time."""
        exact = integrator == "Runge-Kutta"
        scene = self.scene if exact or self.in_steps is None else self.in_steps
        return ar.simulate(
            scene, self.duration, 0.25 * self.duration if exact else self.step,
            integrator=ar.integrators.RungeKutta(1e-12) if exact else integrator, q=self.q,
            qd=self.qd, progress=False,
        )  # fmt: skip

    def centres(self) -> list[str]:
        """Names of the frames at the centres of the links."""
        names = [n for n in self.scene.model.frame_names if n.startswith("centre")]
        return sorted(names, key=lambda name: int(name.split()[1]))


def case(
    name: str,
    links: Sequence[Link],
    step: float,
    duration: float,
    forces: Sequence[Any] = (),
    gravity: Vector = (0.0, 0.0, -980.0),
    prescribed: Sequence[ar.Prescribed] = (),
) -> Case:
    """A case out of its links."""
    bodies = []
    for k, link in enumerate(links):
        shapes = [ar.Box(link.size, density=1.0, placement=link.centre)]
        bodies += [
            ar.Body(
                f"link {k}", link.joint, None if link.parent is None else f"link {link.parent}",
                link.at, link.inertia, () if link.inertia else shapes,
            ),
            ar.Body(f"centre {k}", ar.Fixed(), f"link {k}", link.centre),
        ]  # fmt: skip
    model = ar.Model(bodies, gravity=gravity, name=name)
    q, qd = model.neutral(), np.zeros(model.nv)
    for k, link in enumerate(links):
        if link.q:
            q[model.slice_q(f"link {k}")] = link.q
        if link.qd:
            qd[model.slice_qd(f"link {k}")] = link.qd
    return Case(name, ar.Scene(model, [*forces, *prescribed]), q, qd, step, duration)


def chain(joints: Sequence[Any], *states: Vector) -> list[Link]:
    """Links one behind the other; a state is (q,) or (q, qd) of a joint."""
    links = []
    for k, joint in enumerate(joints):
        q, qd = (states[k][:1], states[k][1:]) if k < len(states) and joint.nq else ((), ())
        links.append(Link(joint, q, qd, *((k - 1, (10.0, 0.0, 0.0)) if k else ())))
    return links


def hanging(joint: Any, q: Vector, qd: Vector = (), **more: Any) -> Link:
    """A link that hangs down from its joint."""
    return Link(joint, q, qd, size=(1.0, 1.0, 10.0), centre=(0.0, 0.0, -5.0), **more)


def plate_with_two(joint: Any, first: Vector, second: Vector) -> list[Link]:
    """A plate with two links under it that swing about y and x."""
    return [
        Link(joint, size=(10.0, 10.0, 1.0), centre=(0.0, 0.0, 0.0)),
        hanging(Y, first[:1], first[1:], parent=0, at=(-5.0, 0.0, 0.0)),
        hanging(X, second[:1], second[1:], parent=0, at=(0.0, -5.0, 0.0)),
    ]


def simpler_chain() -> Case:
    return case("Simpler serial chain", chain([Y] * 2, (PI / 2,), (PI / 4,)), 0.01, 2.0)


def simple_chain(duration: float) -> Case:
    joints = [Y, ar.Fixed(), Y, ar.Fixed(), Y]
    return case("Simple serial chain", chain(joints, *[(PI / 4,)] * 5), 0.01, duration)


def different_axes(duration: float) -> Case:
    links = chain([Z, Y, Z], (0.0,), (PI / 2,), (PI / 2,))
    return case("Different revolute axes", links, 0.01, duration)


def spherical() -> Case:
    ball = ar.Spherical("exponential")
    links = [
        hanging(ball, (PI / 8, 0.0, 0.0), (0.0, 0.0, 2.0)),
        hanging(ball, (PI / 8, 0.0, 0.0), parent=0, at=(0.0, 0.0, -10.0)),
    ]
    return case("Spherical joint", links, 0.01, 3.0)


def pieces(until: Sequence[float], values: Sequence[float]) -> Callable[..., Any]:
    """A torque that is constant in pieces of time."""

    def torque(q, qd, t):
        now = values[-1]
        for end, value in zip(reversed(until), reversed(values[:-1]), strict=True):
            now = ar.where(t < end, value, now)
        return now

    return torque


def joint_torque() -> Case:
    sizes = {0: (0.0, 0.0, 100.0), 1: (0.0, 100.0, -100.0), 2: (100.0, -100.0, 0.0)}
    torques = [forces.JointTorque(f"link {k}", pieces((3.0, 6.0), v)) for k, v in sizes.items()]
    return case("Joint torque", chain([Y] * 3), 0.05, 10.0, torques, (0.0, 0.0, 0.0))


def hybrid() -> Case:
    def turn(t):
        """Three quarters of a turn in seven seconds, slow at both ends."""
        s = 2.0 * t / 7.0 - 1.0
        return ar.where(t < 7.0, 1.5 * PI / (1.0 + ar.exp(-7.0 * s)), 1.5 * PI)

    moving = [ar.Prescribed("link 0", position=turn, gain=5.0)]
    return case("Hybrid dynamics", chain([Y] * 3), 0.02, 10.0, (), (0.0, 0.0, 0.0), moving)


def closed(name: str, links: Sequence[Link], ends: tuple, gamma: float, *times: float,
           more: Sequence[Any] = ()) -> Case:  # fmt: skip
    """A loop closed by a hinge about y: exactly, and in steps as the reference does."""
    one = case(name, links, *times, [Loop(*ends, Y), *more])
    return replace(one, in_steps=ar.Scene(one.scene.model, [Pin(*ends, gamma), *more]))


def loop() -> Case:
    ends = ("centre 2", (0.0, 0.0, -5.0)), ("centre 3", (10.0, 0.0, 0.0))
    return closed("Loop", five_links(), ends, 5.0, 0.01, 2.0)


def four_bar(root: Link, name: str, *times: float, more: Sequence[Any] = ()) -> Case:
    """Bars of 10, 4, 14 and 12 that lie on each other at the start but for the last two."""
    z, small = 5.962847939999439, (0.5, 0.5)
    across, along = math.atan2(0.85183541999992, 0.5238095238095237), math.acos(1.0 / 9.0)
    links = [
        root,
        Link(Y, (0.0,), (), 0, (-5.0, 0.0, 0.0), (4.0, *small), (2.0, 0.0, 0.0)),
        Link(Y, (0.0,), (), 1, (4.0, 0.0, 0.0), (14.0, *small),
             ar.pose((11.0 / 3.0, 0.0, z), (0.0, -across, 0.0))),
        Link(Y, (0.0,), (), 2, (22.0 / 3.0, 0.0, 2.0 * z), (12.0, *small),
             ar.pose((-2.0 / 3.0, 0.0, -z), (0.0, -along, 0.0))),
    ]  # fmt: skip
    ends = ("centre 3", (-6.0, 0.0, 0.0)), ("centre 0", (5.0, 0.0, 0.0))
    return closed(name, links, ends, 20.0, *times, more=more)


def without_friction() -> Case:
    root = Link(ar.Fixed(), size=(10.0, 0.5, 0.5), centre=(0.0, 0.0, 0.0))
    return four_bar(root, "Four-bar linkage without friction", 0.005, 1.5)


def crank() -> Case:
    """One joint goes round at two turns a second; the frame of the linkage hangs on a hinge."""
    root = Link(Y, (PI,), at=(0.0, 0.0, 10.0), size=(10.0, 0.5, 0.5), centre=(0.0, 0.0, 0.0))
    more = [Rate("link 1", -4.0 * PI)]
    return four_bar(root, "Prescribed joint by a row", 0.005, 1.0, more=more)


def twist(t: Any) -> tuple:
    """Of the last link: it turns to and fro, and goes back by eight while it turns again."""
    w = ar.where(t < 2.0, -t, ar.where(t < 6.0, t - 4.0, ar.where(t < 8.0, 8.0 - t, 0.0)))
    v = ar.where(t < 6.0, 8.0 - 2.0 * t, ar.where(t < 8.0, 2.0 * t - 16.0, 0.0))
    return w, ar.where(t < 4.0, 0.0, v), 0.0


def led(last: int) -> tuple[list[Link], PrescribedMotion]:
    """A chain down, over so many links, up, and to a link that moves as prescribed."""
    up = {"size": (1.0, 1.0, 10.0), "centre": (0.0, 0.0, 5.0)}
    links = [
        hanging(Y, (0.0,)),
        *(Link(Y, (0.0,), (), k, (0.0, 0.0, -10.0) if not k else (10.0, 0.0, 0.0))
          for k in range(last)),
        Link(Y, (0.0,), (), last, (10.0, 0.0, 0.0), **up),
        Link(Y, (0.0,), (), last + 1, (0.0, 0.0, 10.0)),
    ]  # fmt: skip
    moving = PrescribedMotion(
        f"centre {last + 2}", twist=twist, rows=(1, 3, 5), axes="world_aligned"
    )
    return links, moving


def led_by_its_end() -> Case:
    links, moving = led(1)
    return case("Maximal hybrid dynamics", links, 0.05, 10.0, [moving])


def led_and_bent() -> Case:
    """The same with one link more, whose joint is bent by a quarter of a turn."""
    links, moving = led(2)

    def bend(t):
        return 0.5 * PI / (1.0 + ar.exp(-7.0 * (0.2 * t - 1.0)))

    bent = [ar.Prescribed("link 2", position=bend, gain=5.0)]
    return case("Reduced/maximal hybrid dynamics", links, 0.05, 10.0, [moving], prescribed=bent)


def world_force() -> Case:
    drag = [forces.BodyDamping(f"centre {k}", 10.0) for k in range(3)]
    load = forces.PointForce("centre 2", (0.0, 0.0, 1000.0), (5.0, 0.0, 0.0))
    return case("External world force", chain([Y] * 3), 0.01, 2.0, [*drag, load], (0.0, 0.0, 0.0))


def stiffness() -> Case:
    springs = [forces.JointSpring(f"link {k}", 1e4, 1e3, rest=0.0) for k in range(3)]
    links = chain([Y] * 3, (0.0, 1.0))
    return case("Joint stiffness and damping", links, 0.02, 5.0, springs, (0.0, 0.0, 0.0))


def planar(duration: float) -> Case:
    links = plate_with_two(ar.PlanarTranslation("z"), (PI / 2,), (PI / 4,))
    return case("Planar joint", links, 0.01, duration)


def translational(first: float, second: float) -> Case:
    links = plate_with_two(ar.Translational(), (0.0, first), (0.0, second))
    return case("Translational joint", links, 0.01, 2.0, gravity=(0.0, 0.0, 0.0))


def free(joint: Any, step: float, duration: float) -> Case:
    cube = Link(
        joint, qd=(0.0, 0.0, 3.0, 0.2, 0.4, 0.6), size=(1.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)
    )
    return case("Free joint", [cube], step, duration, gravity=(0.0, 0.0, -1.0))


def spline() -> Case:
    corners = [((-10, 0, 0), PI), ((0, 0, -2), PI / 2), ((10, 0, 0), 0.0), ((0, 0, 2), -PI / 2)]
    frames = [ar.pose(xyz, (0.0, angle, 0.0)) for xyz, angle in corners]
    links = [
        hanging(Y, (0.0,)),
        Link(ar.SplineCurve(frames, cyclic=True), parent=0, at=(0.0, 0.0, -10.0)),
        Link(Y, (15 / 16 * PI,), parent=1, at=(10.0, 0.0, 0.0)),
    ]
    return case("Spline curve joint", links, 0.005, 2.0)


def equal_angles() -> Case:
    rows = [Multiple(f"link {k}", f"link {k + 1}", 0.5) for k in range(2)]
    return case("Equality constrained angles", chain([Y] * 3), 0.02, 2.0, rows)


def point_to_point() -> Case:
    springs = [
        forces.PointToPoint(
            (f"centre {k}", (-1.0, 0.0, 0.0)), (f"centre {k + 1}", (5.0, 0.0, 0.0)), 100.0
        )
        for k in range(3)
    ]
    links = chain([Y] * 4, (PI / 2,), *[(PI / 16,)] * 3)
    return case("Point-to-point spring", links, 0.01, 2.0, springs)


def spring_damper() -> Case:
    ends = ("centre 0", (-2.0, 0.0, -0.5)), ("centre 1", (1.0, 0.5, -0.5))
    spring = forces.Spring.per_strain(*ends, stiffness=1e6, rest=8.52936105461599, damping=1e3)
    links = chain([ar.Fixed(), Y, Y], (), (PI / 2,), (-PI / 2,))
    return case("Spring damper", links, 0.01, 2.0, [spring])


def mesh() -> Case:
    """Two boxes of which one corner is a little off, and the reference's principal axes."""
    file = Path(__file__).parent / "cuboid.obj"
    solid = ar.Mesh(str(file), density=1.0, placement=(0.5, 0, -1.5))
    centre = np.eye(4)
    centre[:3, :3] = [
        [-1.8749999925886363e-08, -8.333329348797491e-08, -0.9999999999999964],
        [1.5000005543273575e-07, 0.9999999999999857, -8.333329626353247e-08],
        [0.9999999999999886, -1.500000569952345e-07, -1.874998742588745e-08],
    ]
    centre[:3, 3] = (0.49999997916667016, 1.666666806195612e-07, -1.4999999375000104)
    links = [
        Link(Y, centre=centre, inertia=solid.inertia()),
        Link(Y, parent=0, at=(0.0, 0.0, -3.0), centre=centre, inertia=solid.inertia()),
    ]
    return case("Mesh bodies", links, 0.01, 1.0)


def weighed(mass: float, moments: Vector, centre: Any, **more: Any) -> Link:
    """A link by its mass and its moments about principal axes, which are those of its centre."""
    R, c = np.array(centre)[:3, :3], np.array(centre)[:3, 3]
    inertia = ar.Inertia.from_com(mass, c, R @ np.diag(moments) @ R.T)
    return Link(centre=centre, inertia=inertia, **more)


def gears() -> Case:
    """Two wheels on axles that turn against each other, each with a hand."""
    along_y = [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    wheel = 0.5008080292188979, (0.4648266849708941, 0.46493496512932797, 0.8877248415363056), [
        [0.3887443378359364, 0.9213455306579338, 0.000502928572950054, 0.0008380921315367408],
        [-0.0007041046253505745, -0.00024877935448065433, 0.9999997211727158, -0.25550476377738784],
        [0.9213453988799075, -0.3887445835577429, 0.0005520120842574971, 0.0009139575590578522],
        [0.0, 0.0, 0.0, 1.0],
    ]  # fmt: skip
    first = 0.4398229715025711, (0.453384179790567, 0.453384179790567, 0.008796459430051425)
    second = 0.3769911184307752, (0.28651325000738914, 0.28651325000738914, 0.007539822368615506)
    fixed = ar.Fixed()
    links = [
        Link(fixed, at=np.diag([-1.0, -1.0, 1.0, 1.0]), size=(1, 1, 6), centre=(0.0, 0.0, 0.0)),
        weighed(*first, along_y, joint=Y, parent=0, at=(0.0, -0.25, 2.0)),
        weighed(*wheel, joint=fixed, parent=1, at=(0.0, -0.35, 0.0)),
        weighed(*second, along_y, joint=Y, parent=0, at=(0.0, -0.5, -2.0)),
        weighed(*wheel, joint=fixed, parent=3, at=(0.0, -0.1, 0.0)),
        Link(fixed, parent=3, size=(5, 0.25, 0.25), centre=(0.0, 1.5, 0.0)),
        Link(fixed, parent=1, size=(7, 0.25, 0.25), centre=(2.0, 1.75, 0.0)),
    ]
    return case("Gears", links, 0.01, 1.0, [Multiple("link 1", "link 3", -1.0)])


def free_in_plane() -> Case:
    links = [
        Link(ar.Planar("z"), qd=(0.0, 0.0, 1.0), centre=(0.0, 0.0, 0.0)),
        Link(Z, qd=(-1.0,), parent=0, at=(5.0, 0.0, 0.0)),
    ]
    return case("2D free joint", links, 0.01, 10.0, gravity=(0.0, -1.0, 0.0))


def single_revolute() -> Case:
    link = Link(Y, qd=(1.0,), size=(2.0, 0.2, 0.2), centre=(1.0, 0.0, 0.0))
    return case("Single revolute", [link], 0.01, 1.0)


def stiff_revolute() -> Case:
    spring = forces.JointSpring("link 0", 1e6, 1e4, rest=0.0)
    return case("Stiff joint spring", [Link(Y, qd=(1.0,))], 0.01, 1.0, [spring])


def branching() -> Case:
    links = [
        hanging(X, (0.0,), at=(0.0, 0.0, 15.0)),
        Link(Z, (0.0,), (), 0, (0.0, 0.0, -10.0), (1.0, 20.0, 1.0), (0.0, 0.0, 0.0)),
        hanging(X, (PI / 4,), parent=1, at=(0.0, -10.0, 0.0)),
        hanging(Y, (PI / 4,), parent=1, at=(0.0, 10.0, 0.0)),
    ]
    return case("Branching", links, 0.01, 1.0)


def prismatic() -> Case:
    links = [
        Link(ar.Prismatic("x"), size=(20.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)),
        hanging(Y, (PI / 2,), parent=0, at=(-10.0, 0.0, 0.0)),
    ]
    return case("Prismatic joint", links, 0.01, 1.0)


def sliding_loop() -> Case:
    """A beam on two legs that slides on one of them, with a pendulum below."""
    links = [
        Link(ar.Fixed(), size=(22.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)),
        hanging(Y, (0.0,), parent=0, at=(-11.0, 0.0, 0.0)),
        Link(ar.Prismatic("x"), (0.0,), parent=1, at=(0.0, 0.0, -10.0), size=(22.0, 1.0, 1.0),
             centre=(11.0, 0.0, 0.0)),
        Link(Y, (0.0,), parent=2, at=(22.0, 0.0, 0.0), size=(1.0, 1.0, 10.0),
             centre=(0.0, 0.0, 5.0)),
        hanging(Y, (0.75 * PI,), parent=2, at=(11.0, 0.0, 0.0)),
    ]  # fmt: skip
    ends = ("centre 3", (0.0, 0.0, 5.0)), ("centre 0", (11.0, 0.0, 0.0))
    return closed("Prismatic joint", links, ends, 5.0, 0.01, 2.0)


def thrown_square() -> Case:
    square = Link(
        ar.Planar("z"), (-10.0, -10.0, 0.0), (50.0, 200.0, 20.0),
        size=(1.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0),
    )  # fmt: skip
    return case("Free2D joint", [square], 0.005, 0.4, gravity=(0.0, -980.0, 0.0))


def euler_angles(charts: bool) -> Case:
    ball = ar.Euler("xyz", charts=charts)
    more = (0.0,) if charts else ()
    links = [
        hanging(ball, (PI / 8, 0.0, 0.0, *more), (2.0, 2.0, 2.0)),
        hanging(ball, (PI / 2, 0.0, 0.0, *more), parent=0, at=(0.0, 0.0, -10.0)),
    ]
    return case("Spherical joint, Euler angles", links, 0.002, 1.0)


def five_links() -> list[Link]:
    """A plate with two links under it, a third between them, and one that swings below."""
    return [
        Link(ar.Fixed(), size=(20.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)),
        hanging(Y, (0.0,), parent=0, at=(-10.0, 0.0, 0.0)),
        hanging(Y, (0.0,), parent=0, at=(10.0, 0.0, 0.0)),
        Link(Y, (0.0,), (), 1, (0.0, 0.0, -10.0), (20.0, 1.0, 1.0), (10.0, 0.0, 0.0)),
        hanging(Y, (0.0,), (5.0,), parent=3, at=(10.0, 0.0, 0.0)),
    ]


def loop_by_spring() -> Case:
    links = five_links()
    ends = ("centre 2", (0.0, 0.0, -5.0)), ("centre 3", (10.0, 0.0, 0.0))
    return case("Loop closed by a spring", links, 0.01, 1.0, [forces.PointToPoint(*ends, 1e7)])


def cables() -> Case:
    middle = (0.0, 0.0, 0.0)
    links = [
        Link(ar.Fixed(), size=(0.1, 0.1, 0.1), centre=middle),
        Link(Y, (PI / 2,), parent=0),
        Link(Y, (-PI / 2,), parent=1, at=(10.0, 0.0, 0.0)),
        Link(ar.Prismatic("x"), (0.0,), (), 0, (10.0, 0.0, 0.0), (1.0, 1.0, 1.0), middle),
    ]
    over = (-4.0, 0.0, 1.0)
    points = ("centre 3", middle), ("centre 1", over), ("centre 2", over)
    bare = case("Cables", links, 0.01, 1.0)
    rest = float(forces.Cable(points, 0.0).length(bare.scene.model, bare.q))  # as at the start
    cable = forces.Cable.per_strain(points, stiffness=1e6, rest=rest, damping=1e3)
    spring = forces.JointSpring("link 3", 1e4, 1e3, rest=0.0)
    return case("Cables", links, 0.01, 1.0, [cable, spring])


def joint_limits() -> Case:
    links = chain([Y] * 3, (0.0,), (-PI / 6,), (-PI / 6,))
    links[0] = Link(Y, (0.0,), at=ar.pose(rpy=(0.0, PI / 2, 0.0)))
    acting = []
    for k in range(3):
        acting += [
            forces.JointLimit(f"link {k}", 1e5, 100.0, lower=-PI / 2, upper=0.0),
            forces.JointSpring(f"link {k}", damping=100.0),
        ]
    return case("Joint limits", links, 0.005, 1.0, acting)


def passed_limits() -> Case:
    """Limits that act only where a step starts beyond them: they are passed by a tenth of a rad."""
    rule = ar.JointLimits(("link 1",), ((-PI / 4,),), ((PI / 4,),), back=5.0, ahead=False)
    return case("Joint limits, passed", chain([Y] * 2), 0.01, 2.0, [rule])


EULER_ANGLES = ar.Composite([ar.Translational(), ar.Euler("xyz")])

CASES: dict[str, Callable[[], Case]] = {
    "-1": simpler_chain,
    "0": lambda: simple_chain(2.0),
    "1": lambda: different_axes(2.0),
    "3": spherical,
    "4": loop,
    "5": joint_torque,
    "6": passed_limits,
    "7": equal_angles,
    "9": hybrid,
    "10": world_force,
    "11": stiffness,
    "13": led_by_its_end,
    "15": sliding_loop,
    "16": lambda: planar(2.0),
    "17": lambda: translational(2.0, 1.0),
    "18": lambda: free(ar.Free("exponential"), 0.01, 7.0),
    "20": led_and_bent,
    "21": spline,
    "23": point_to_point,
    "24": spring_damper,
    "26": mesh,
    "30": without_friction,
    "32": crank,
    "34": gears,
    "35": free_in_plane,
    "diff -2": single_revolute,
    "diff -1": stiff_revolute,
    "diff 0": lambda: simple_chain(1.0),
    "diff 1": lambda: different_axes(1.0),
    "diff 2": branching,
    "diff 3": prismatic,
    "diff 4": lambda: planar(1.0),
    "diff 5": lambda: translational(-10.0, 10.0),
    "diff 6": thrown_square,
    "diff 7": lambda: euler_angles(charts=True),
    "diff 9": lambda: free(EULER_ANGLES, 0.05, 6.0),
    "diff 10": loop_by_spring,
    "diff 13": cables,
    "diff 14": joint_limits,
}
"""By the number of the scene; "diff" are those of the suite matlab-diff."""


@cache
def found(key: str) -> Case:
    """The case of a scene, made once."""
    return CASES[key]()
