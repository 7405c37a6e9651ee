"""Scenes of RedMax, in arthron's terms: centimetres, grams, seconds.

What is in them are facts about github.com/sueda/redmax (MIT licence, commit 40f89b2). Link k moves
with joint k of the reference; a frame "centre k" sits where the reference has its body, in the
middle of the link. Scenes that need loops, contact or friction are not here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import arthron as ar
from arthron import forces

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
class PinAcrossY(ar.Element):
    """A point of a link on an axis of the world along y: a loop that a hinge closes."""

    link: str
    point: Vector
    axis: Vector

    @property
    def links(self):
        return (self.link,)

    def constraint(self, here):
        x = here.frames[0].at(self.point)
        return x.x - self.axis[0], x.z - self.axis[2]


@dataclass(frozen=True)
class Case:
    """A scene, its start, and how long it runs in which steps."""

    name: str
    scene: ar.Scene
    q: np.ndarray
    qd: np.ndarray
    step: float
    duration: float

    def run(self, integrator: str) -> ar.Trajectory:
        """The trajectory by an integrator; Runge-Kutta keeps a state every quarter of the time."""
        exact = integrator == "Runge-Kutta"
        return ar.simulate(
            self.scene, self.duration, 0.25 * self.duration if exact else self.step,
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
    loop = PinAcrossY("link 3", (0.0, 0.0, 10.0), (11.0, 0.0, 0.0))
    return case("Prismatic joint", links, 0.01, 2.0, [loop])


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


def loop_by_spring() -> Case:
    links = [
        Link(ar.Fixed(), size=(20.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)),
        hanging(Y, (0.0,), parent=0, at=(-10.0, 0.0, 0.0)),
        hanging(Y, (0.0,), parent=0, at=(10.0, 0.0, 0.0)),
        Link(Y, (0.0,), (), 1, (0.0, 0.0, -10.0), (20.0, 1.0, 1.0), (10.0, 0.0, 0.0)),
        hanging(Y, (0.0,), (5.0,), parent=3, at=(10.0, 0.0, 0.0)),
    ]
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


EULER_ANGLES = ar.Composite([ar.Translational(), ar.Euler("xyz")])

CASES: dict[str, Callable[[], Case]] = {
    "-1": simpler_chain,
    "0": lambda: simple_chain(2.0),
    "1": lambda: different_axes(2.0),
    "3": spherical,
    "5": joint_torque,
    "7": equal_angles,
    "9": hybrid,
    "10": world_force,
    "11": stiffness,
    "15": sliding_loop,
    "16": lambda: planar(2.0),
    "17": lambda: translational(2.0, 1.0),
    "18": lambda: free(ar.Free("exponential"), 0.01, 7.0),
    "21": spline,
    "23": point_to_point,
    "24": spring_damper,
    "26": mesh,
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
