"""Scenes that integrators are compared on, each with what MuJoCo needs to have the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from mjcf import Acts
from spine import FIGURES, ROBOTS

import arthron as ar

HUMANOID = ar.figures / "humanoid.urdf"
GAINS = 200.0, 20.0


@dataclass(frozen=True)
class Case:
    """A scene, where it starts, for how long it runs, and what is looked at.

    Attributes:
        title: what the table calls it.
        scene: what is simulated.
        duration: for how long [s].
        step: how long a step is [s].
        q: coordinates at the start.
        qd: velocities at the start.
        acts: what acts, for MuJoCo.
        keeps: what should stay what it is: "energy", "momentum".
        target: where joints should settle.
        shows: what of it goes into the short table.
    """

    title: str
    scene: ar.Scene
    duration: float
    step: float
    q: np.ndarray
    qd: np.ndarray
    acts: Acts = field(default_factory=Acts)
    keeps: tuple[str, ...] = ()
    target: np.ndarray | None = None
    shows: str = "energy"

    @property
    def every(self) -> int:
        """Steps between states that are looked at."""
        return max(1, round(0.01 / self.step))


def cases() -> list[Case]:
    return [*swinging(), *flying(), stiff(5.0), stiff(10.0), *held(), springs_between_links()]


def double_pendulum(space: bool) -> ar.Model:
    """That of the README, in a plane, or one with masses off its axes, which are oblique."""
    if space:
        box = ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))
        link, axis, at = [box], (1, 2, 0), (0.02, 0, -0.6)
    else:
        link, axis, at = [ar.Capsule(0.04, 0.5, placement=(0, 0, -0.25))], "y", (0, 0, -0.5)
    return ar.Model(
        [
            ar.Body("upper", ar.Revolute("y"), shapes=link),
            ar.Body("lower", ar.Revolute(axis), "upper", at, shapes=link),
        ],
        name="double pendulum",
    )


def swinging() -> list[Case]:
    """Nothing but gravity."""
    chain = ar.random_tree(3, rng=1)
    balls = ar.random_tree(6, 1.6, joints=("spherical", "revolute"), rng=3)
    figures = [
        ("double pendulum", double_pendulum(space=False), [1.5, 0.3], 200.0),
        ("the same in space", double_pendulum(space=True), [1.2, 0.8], 100.0),
        ("chain of 3, oblique", chain, chain.random(0), 500.0),
        ("tree with ball joints", balls, balls.random(0), 100.0),
    ]
    return [
        Case(title, ar.Scene(model), duration, 1e-3, np.array(q, float), np.zeros(model.nv),
             keeps=("energy",))
        for title, model, q, duration in figures
    ]  # fmt: skip


def flying() -> list[Case]:
    """A box that turns over, and a humanoid in free fall whose joints turn freely."""
    box = ar.Model(
        [ar.Body("box", ar.Free(), shapes=[ar.Box((0.4, 0.2, 0.05), mass=1)])], gravity=(0, 0, 0)
    )
    man = undamped(ar.load(HUMANOID, root=ar.Free()))
    speed = np.random.default_rng(0).normal(size=man.nv)
    both = "energy", "momentum"
    return [
        Case("tumbling box, 10 ms", ar.Scene(box), 100.0, 1e-2, box.neutral(),
             np.array([0.01, 3.0, 0.01, 0.2, -0.1, 0.3]), keeps=both),
        Case("humanoid in flight", ar.Scene(man), 2.0, 1e-3, man.neutral(), speed, keeps=both),
    ]  # fmt: skip


def undamped(model: ar.Model) -> ar.Model:
    """The figure without the damping of its joints."""
    return ar.Model([replace(body, damping=0.0) for body in model.bodies], name=model.name)


def stiff(turn: float) -> Case:
    """Springs at joints without damping, h omega = `turn` of the fastest mode."""
    model, h = ar.random_tree(6, 1.5, rng=2), 1e-2
    lightest = np.linalg.eigvalsh(model.mass_matrix(model.neutral()))[0]
    k = float(lightest * (turn / h) ** 2)
    springs = [ar.forces.JointSpring(name, k, rest=0.0) for name in model.joint_names]
    return Case(
        f"joint springs, hω = {turn:.0f}", ar.Scene(model, springs), 10.0, h,
        np.full(model.nq, 0.05), np.zeros(model.nv), Acts(k), keeps=("energy",),
    )  # fmt: skip


def held() -> list[Case]:
    """A humanoid that swings with the damping of its joints, or is held by a controller."""
    fixed, free = ar.load(HUMANOID), ar.load(HUMANOID, root=ar.Free())
    bent = np.full(fixed.nq, 0.3)
    spun = np.array([0.5, 1.0, -2.0, 0.3, 0.0, 1.0, *np.zeros(fixed.nv)])
    aim = np.array([*free.neutral()[:7], *bent])
    found = [
        Case("damped humanoid swings", ar.Scene(fixed), 2.0, 1e-3, bent, np.zeros(fixed.nv),
             shows="off")
    ]  # fmt: skip
    for h in (1e-3, 4e-3):
        hold = ar.controllers.pd(tuple(bent), *GAINS, compensate=True)
        acts = Acts(gains=GAINS, target=tuple(bent), compensate=True)
        found.append(
            Case(f"humanoid, PD, {1e3 * h:.0f} ms", ar.Scene(fixed, controller=hold), 2.0, h,
                 fixed.neutral(), np.zeros(fixed.nv), acts, target=bent, shows="outcome")
        )  # fmt: skip
        hold = ar.controllers.pd(tuple(aim), *GAINS)
        acts = Acts(gains=GAINS, target=tuple(aim))
        found.append(
            Case(f"the same in flight, {1e3 * h:.0f} ms", ar.Scene(free, controller=hold), 2.0, h,
                 free.neutral(), spun, acts, keeps=("momentum",), target=bent, shows="momentum")
        )  # fmt: skip
    return found


def springs_between_links() -> Case:
    """A panda that swings with damped springs from link to link."""
    model = ar.load(ROBOTS / FIGURES["panda"][0])
    q = np.array([0.3, 0.5, -0.4, -1.5, 0.3, 1.5, 0.2, 0.02, 0.02])
    ends = [("panda_link2", "panda_link4"), ("panda_link3", "panda_link6")]
    springs = [
        ar.forces.Spring((a, (0, 0.1, 0)), (b, (0.1, 0, 0)), 500.0, 5.0, rest=0.3) for a, b in ends
    ]
    return Case(
        "panda, springs between links", ar.Scene(model, springs), 2.0, 1e-3, q, np.zeros(model.nv),
        Acts(springs=tuple(springs)), shows="off",
    )  # fmt: skip
