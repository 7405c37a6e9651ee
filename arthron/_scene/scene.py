"""A scene: a figure and what acts on it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, nearest
from .control import Controller, FunctionController
from .element import (
    Element,
    FixedCoordinates,
    Variable,
    check_numbers,
    described,
    with_floats,
)
from .joint_forces import JointDamping
from .setup import DAMPING, Setup
from .system import constrains

if TYPE_CHECKING:
    from .._api import Model


MOST = 64
"""Things that a scene keeps for the next time."""


@dataclass(frozen=True)
class Scene:
    """A figure and what acts on it. Scenes do not change.

    Attributes:
        model: the figure. Its gravity and the damping of its joints are part of the scene.
        elements: what acts: elements of `ar.forces`, `ar.Prescribed` motion, and your own.
        controller: `controller(tree, t, q, qd)` returns joint forces, nv numbers or what a page of
            forces returns. It is traced, so that rollouts stay native; `ar.controllers` has some.
    """

    model: Model
    elements: Sequence[Any] = ()
    controller: Callable[..., Any] | Controller | None = None
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    acting: tuple[Element, ...] = field(init=False, repr=False, compare=False)
    _cache: dict[Any, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not hasattr(self.model, "tree"):
            raise ModelError(
                f"the model of a scene is a {type(self.model).__name__}. Give an `ar.Model`."
            )
        given = self.elements
        alone = not isinstance(given, Iterable) or isinstance(given, str)
        object.__setattr__(self, "elements", (given,) if alone else tuple(given))
        acting: list[Element] = [*self._damping()]
        for element in self.elements:
            self._check(element)
            acting.append(element)
        if isinstance(self.controller, Element):
            self._check(self.controller)
            acting.append(self.controller)
        elif self.controller is not None:
            if not callable(self.controller) or isinstance(self.controller, type):
                raise ModelError(
                    f"the controller of a scene is {self.controller!r}. Give a function of "
                    "(tree, t, q, qd), such as `ar.controllers.gravity_compensation`."
                )
            acting.append(FunctionController(self.controller))
        self._check_fixed(acting)
        object.__setattr__(self, "acting", tuple(with_floats(x.fitted(self.model)) for x in acting))
        object.__setattr__(self, "names", tuple(_names(acting)))

    def _damping(self) -> list[Element]:
        """The model's own damping, as an element."""
        bodies = [b for b in self.model.bodies if any(b.damping)]  # type: ignore[arg-type]
        if not bodies:
            return []
        joints = tuple(str(b.joint_name) for b in bodies)
        coefficients = tuple(tuple(map(float, b.damping)) for b in bodies)  # type: ignore[arg-type]
        return [JointDamping(joints, coefficients, name=DAMPING)]

    def _check(self, element: Any) -> None:
        """Refuse what is no element, and links and joints that are not there."""
        if not isinstance(element, Element):
            raise ModelError(
                f"an element of the scene is {element!r}. Give elements of `ar.forces`, such as "
                '`ar.forces.BodyDamping("hand", 0.1)`, `ar.Prescribed` motion, or a class of your '
                "own derived from `ar.Element`."
            )
        if not isinstance(element.name, str) or element.name == DAMPING:
            raise ModelError(
                f"the name of an element is {element.name!r}. Give text, but not {DAMPING!r}: that "
                "is what the damping of the model's joints is called."
            )
        own = type(element).__dict__
        if set(own.get("__annotations__", ())) - set(element.__dataclass_fields__):
            raise ModelError(
                f"the class {type(element).__name__} has fields and is no dataclass. Put "
                "`@dataclass(frozen=True)` above it, so that they are."
            )
        if not does_something(element):
            known = ("forces", "energy", "rates", "constraint")
            methods = [n for n, x in own.items() if callable(x) and not n.startswith("_")]
            near = next(filter(None, (nearest(n, known) for n in methods)), "")
            raise ModelError(
                f"{described(element)} does nothing.{near} Give it `forces(here)`, `energy(here)`, "
                "`rates(here)` or `constraint(here)`."
            )
        for what in ("links", "joints"):
            names = getattr(element, what)
            if names is ... and isinstance(element, Controller):
                continue
            if not isinstance(names, tuple | list):
                raise ModelError(
                    f"`{what}` of the {type(element).__name__} are {names!r}. Give a tuple of "
                    'names, `("hand",)`; `...`, for all joints, is for controllers.'
                )
        if isinstance(element, Controller) and element.effort_limits:
            self._check_efforts()
        if isinstance(element, Controller) and constrains(element):
            raise ModelError(
                f"{described(element)} has a constraint. Give that to an element of its own."
            )
        if not isinstance(element.variables, Mapping):
            raise ModelError(
                f"`variables` of {described(element)} is {element.variables!r}. Give a dict by "
                'name: `{"activation": ar.Variable(0.0)}`.'
            )
        if type(element).energy is not Element.energy and not element.pushes:
            raise ModelError(
                f"{described(element)} has an energy and no forces, so that nothing would act. Say "
                "`conservative = True`: minus the slope of the energy acts."
            )
        for link in element.links:
            if link is not None:
                self._check_link(element, link)
        if element.joints is not ...:
            for joint in element.joints:
                self._check_joint(element, joint)
        for name, variable in element.variables.items():
            if not isinstance(variable, Variable):
                raise ModelError(
                    f"state {name!r} of {described(element)} is {variable!r}. Give an "
                    "`ar.Variable(start)`."
                )
            check_numbers(element, **{name: variable.start})

    def _check_efforts(self) -> None:
        idle = [b.joint_name for b in self.model.bodies if not all(b.effort)]  # type: ignore[arg-type]
        if idle:
            raise ModelError(
                f"a controller keeps to effort limits, and that of joint {idle[0]!r} of "
                f"`{self.model.name}` is zero: nothing could move it. Give it one, or leave "
                "`effort_limits` out."
            )

    def _check_fixed(self, acting: Sequence[Element]) -> None:
        taken: set[tuple[str, int]] = set()
        for element in acting:
            if isinstance(element, FixedCoordinates):
                joint = self.model.tree.joint[self.model._joint(element.joint)]
                own = {(element.joint, k) for k in element.fixed(joint)}
                if own & taken:
                    raise ModelError(
                        f"joint {element.joint!r} is prescribed twice. Prescribe it once."
                    )
                taken |= own

    def _check_joint(self, element: Element, joint: str) -> None:
        names = self.model.joint_names
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

    def _check_link(self, element: Element, link: str) -> None:
        try:
            self.model.frame(link)
        except ModelError:
            names = self.model.frame_names
            raise ModelError(
                f"{type(element).__name__} acts on link {link!r}, which `{self.model.name}` does "
                f"not have.{nearest(str(link), names)} `model.frame_names` lists all; None is the "
                "world."
            ) from None

    def __reduce__(self) -> tuple:
        return Scene, (self.model, self.elements, self.controller)

    def parameters(self) -> dict[str, np.ndarray]:
        """The numbers of the scene by name, each of which a simulation can be given instead.

        "element.field" of elements, of the "controller", "gravity", "damping" of joints, what
        functions of yours ask for by `ar.parameter`, and "inertia" and "placements" as
        `model.inertial_parameters()` and `model.placements()` have them. NaN is what the start of a
        simulation decides: rest lengths that were left out.
        """
        return {name: p.value.copy() for name, p in self.setup().parameters.each.items()}

    def setup(self, named: Iterable[str] = ()) -> Setup:
        """The scene with its numbers as inputs, those that are `named` in any case."""
        if isinstance(named, str):
            raise ModelError(f"parameters are named by {named!r}. Give a tuple: `({named!r},)`.")
        usual: Setup = self.cached("setup", lambda: Setup.of(self))
        folded = usual.parameters.folded(named)
        return self.cached(("setup", folded), lambda: usual.naming(folded)) if folded else usual

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes, made once for this scene and each key: compiled steps, say.

        The oldest make room: functions of the user's may be new in each call.
        """
        try:
            hash(key)
        except TypeError:  # a page that is an object of the user's
            return make()
        if key not in self._cache:
            if len(self._cache) >= MOST:
                del self._cache[next(iter(self._cache))]
            self._cache[key] = make()
        return self._cache[key]


def does_something(element: Element) -> bool:
    """Whether an element has any effect."""
    methods = ("forces", "energy", "rates", "constraint")
    given = any(getattr(type(element), n) is not getattr(Element, n) for n in methods)
    return given or isinstance(element, FixedCoordinates) or bool(element.variables)


def _names(elements: Sequence[Element]) -> list[str]:
    """What elements are called: by their own names, or by what they are and where they act."""
    found: list[str] = []
    for element in elements:
        name = element.name or _place(element)
        if name in found and element.name:
            raise ModelError(
                f"two elements of the scene are called {name!r}. Give each a name of its own."
            )
        numbered = (f"{name} #{k}" for k in itertools.count(2))
        found.append(next(x for x in itertools.chain([name], numbered) if x not in found))
    return found


def _place(element: Element) -> str:
    if isinstance(element, Controller):
        return "controller"
    joints = () if element.joints is ... else element.joints
    places = [*("world" if link is None else link for link in element.links), *joints]
    return f"{type(element).__name__}({', '.join(places)})"
