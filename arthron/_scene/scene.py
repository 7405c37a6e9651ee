"""A scene: a figure and what acts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

from .._graph.graph import Graph
from .._model.joints import Joint
from ..errors import ModelError, nearest
from .ask import numbers
from .laws import JointLimit, JointSpring, JointTorque, Law, damper, law

if TYPE_CHECKING:
    from .._api import Model


@dataclass(frozen=True)
class Prescribed:
    """A joint that moves as told.

    Exactly one of the three is given, a traced function of time that returns one number, or one for
    each coordinate.

    Attributes:
        joint: its name.
        position: coordinates [rad or m], those of q: a quaternion for a ball.
        velocity: velocity coordinates; the joint starts where the initial state has it.
        acceleration: their rates.
        gain: with `position`, how fast a joint that is off comes back [1/s]: it moves at the rate
            of the position plus gain times how far it is off, from the first step on; with
            "Runge-Kutta" it gets there as if critically damped. When left out, each step ends where
            it should.
    """

    joint: str
    position: Callable[..., Any] | None = None
    velocity: Callable[..., Any] | None = None
    acceleration: Callable[..., Any] | None = None
    gain: float | None = None

    def __post_init__(self) -> None:
        ways = ("position", "velocity", "acceleration")
        given = [way for way in ways if getattr(self, way) is not None]
        if len(given) != 1:
            raise ModelError(
                f"the motion of joint {self.joint!r} is told by {len(given)} functions. Give one "
                "of `position`, `velocity` and `acceleration`."
            )
        if not callable(self.function):
            raise ModelError(
                f"`{given[0]}` of the motion of joint {self.joint!r} is {self.function!r}. Give a "
                "function of time: `lambda t: 0.5`."
            )
        if self.gain is not None and not (isinstance(self.gain, Real) and 0.0 <= self.gain < inf):
            raise ModelError(
                f"the gain of the motion of joint {self.joint!r} is {self.gain!r}. Give a number, "
                "zero or above [1/s]."
            )
        if self.gain is not None and self.position is None:
            raise ModelError(
                f"the motion of joint {self.joint!r} has a gain, and no position to come back to. "
                "Give `position=`, or leave the gain out."
            )

    @property
    def function(self) -> Callable[..., Any]:
        """The one that is given."""
        return next(f for f in (self.position, self.velocity, self.acceleration) if f is not None)


@dataclass(frozen=True)
class Scene:
    """A figure and what acts on it. Scenes do not change.

    Attributes:
        model: the figure. Its gravity and the damping of its joints are part of the scene.
        forces: elements of `ar.forces`.
        controller: `controller(tree, t, q, qd)` returns joint forces, nv numbers or what a page of
            forces returns. It is traced, so that rollouts stay native; `ar.controllers` has some.
        prescribed: joints that move as told.
    """

    model: Model
    forces: Sequence[Any] = ()
    controller: Callable[..., Any] | None = None
    prescribed: Sequence[Prescribed] = ()
    laws: Mapping[int, Sequence[Law]] = field(init=False, repr=False, compare=False)
    _made: dict[Any, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not hasattr(self.model, "tree"):
            raise ModelError(
                f"the model of a scene is a {type(self.model).__name__}. Give an `ar.Model`."
            )
        for name in ("forces", "prescribed"):
            given = getattr(self, name)
            alone = not isinstance(given, Iterable) or isinstance(given, str)
            object.__setattr__(self, name, (given,) if alone else tuple(given))
        if self.controller is not None and not callable(self.controller):
            raise ModelError(
                f"the controller of a scene is {self.controller!r}. Give a function of "
                "(tree, t, q, qd), such as `ar.controllers.gravity_compensation`."
            )
        told: set[str] = set()
        for motion in self.prescribed:
            if not isinstance(motion, Prescribed):
                raise ModelError(
                    f"`prescribed` holds {motion!r}. Give `ar.Prescribed(joint, position=f)`."
                )
            joint = self.model.tree.joint[self._joint(motion)]
            if motion.position is None and _changes(joint):
                raise ModelError(
                    f"joint {motion.joint!r} changes its coordinates as it turns, and with them "
                    "what a velocity means. Tell it its `position`, or give it quaternions."
                )
            if motion.joint in told:
                raise ModelError(f"joint {motion.joint!r} is told twice how to move. Tell it once.")
            told.add(motion.joint)
        object.__setattr__(self, "laws", self._laws())

    def _laws(self) -> dict[int, list[Law]]:
        """Force laws by joint, those of the model's own damping first; links are looked up."""
        tree, laws = self.model.tree, {}
        for i in tree.bodies:
            damping = numbers("damping", self.model.bodies[i - 1].damping, tree.joint[i].nv)
            laws[i] = [damper(damping)] if any(damping) else []
        for element in self.forces:
            if isinstance(element, JointSpring | JointLimit | JointTorque):
                i = self._joint(element)
                laws[i].append(law(element, tree.joint[i], self.model.bodies[i - 1]))
            elif hasattr(element, "wrenches") and not isinstance(element, type):
                for link in element.links:
                    if link is not None:
                        self._link(element, link)
            elif isinstance(element, Prescribed):
                raise ModelError(
                    f"joint {element.joint!r} moves as told: it goes in `prescribed=`, not among "
                    "the forces."
                )
            else:
                raise ModelError(
                    f"a force of the scene is {element!r}. Give elements of `ar.forces`, such as "
                    '`ar.forces.BodyDamping("hand", 0.1)`.'
                )
        return laws

    def _joint(self, element: Any) -> int:
        names, joint = self.model.joint_names, element.joint
        for body in self.model.bodies:
            if body.mimic and body.joint_name == joint and joint not in names:
                raise ModelError(
                    f"{type(element).__name__} acts on joint {joint!r}, which follows "
                    f"{body.mimic.joint!r}. Let it act on that one."
                )
        if joint not in names:
            raise ModelError(
                f"{type(element).__name__} acts on joint {joint!r}, which `{self.model.name}` does "
                f"not have.{nearest(str(joint), names)} `model.joint_names` lists all."
            )
        return self.model._joint(joint)

    def _link(self, element: Any, link: str) -> None:
        names = self.model.frame_names
        if link not in names:
            raise ModelError(
                f"{type(element).__name__} acts on link {link!r}, which `{self.model.name}` does "
                f"not have.{nearest(str(link), names)} `model.frame_names` lists all; None is the "
                "world."
            )

    def __reduce__(self) -> tuple:
        return Scene, (self.model, self.forces, self.controller, self.prescribed)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes, made once for this scene and each key: compiled steps, say."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def _changes(joint: Joint) -> bool:
    """Whether a joint goes over to other coordinates, in which velocities are other numbers."""
    graph = Graph()
    q, qd = graph.inputs(joint.nq), graph.inputs(joint.nv)
    after = joint.normalize(q, qd)[1]
    return any(a is not b for a, b in zip(qd, after, strict=True))
