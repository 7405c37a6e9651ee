"""A scene made ready to be compiled: its numbers as inputs, its states by name, and its key."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._spatial.motions import Motion
from .._spatial.scalar import Scalar
from .._spatial.vectors import Vec3
from .._tree.joints import built_in
from .._tree.parametrized import parametrized
from .._tree.tree import Tree
from ..errors import ModelError
from .contact_ground import Ground
from .contact_links import Links
from .contact_points import WIDTH, touches
from .element import Element, FixedCoordinates, Variable, described
from .joint_limits import JointLimits
from .near_links import NONE, LinkColumns
from .parameters import Parameter, Parameters, answering, folded, of_element, with_numbers
from .ports import Port, ports
from .rows import constrains, kept
from .system import State, System

if TYPE_CHECKING:
    from .scene import Scene

Array = np.ndarray
PACKAGE = __name__.split(".")[0] + "."
DAMPING = "damping"
"""The element of the model's own damping, whose coefficients go by its name."""
LIMITS = "limits"
"""The element of the limits of its joints."""
TREE = ("inertia", "placements")
"""What the figure is made of: constant unless named."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A scene with a choice of numbers that are inputs.

    Attributes:
        scene: the scene.
        parameters: its numbers, and which of them are inputs.
        variables: states besides q and qd, by name.
        ports: where each element touches the figure.
        named: numbers that are inputs because they were named.
    """

    scene: Scene
    parameters: Parameters
    variables: Mapping[str, Variable]
    ports: Sequence[Sequence[Port]]
    named: tuple[str, ...] = ()

    @staticmethod
    def of(scene: Scene) -> Setup:
        """A scene, with all numbers as inputs but those that are folded."""
        elements, names, model = scene.all_elements, scene.names, scene.model
        each = [Parameter("gravity", None, "", g := np.array(model.gravity), ~folded(g))]
        for k, (element, name) in enumerate(zip(elements, names, strict=True)):
            own = of_element(element, k, name)
            each += [replace(p, name=name) for p in own] if name == DAMPING else own
        for name, value in (("inertia", model.inertial_parameters().ravel()),
                            ("placements", model.placements())):  # fmt: skip
            each.append(Parameter(name, None, "", value, np.zeros(value.shape, bool)))
        variables = {
            f"{name}.{n}": variable
            for element, name in zip(elements, names, strict=True)
            for n, variable in element.variables.items()
        }
        touched = [ports(element, model) for element in elements]
        first = Setup(scene, Parameters(each), variables, touched)
        return replace(first, parameters=Parameters([*each, *first._asked_for()]))

    def naming(self, named: tuple[str, ...]) -> Setup:
        """The same with numbers that are `named` as inputs, too."""
        each = self.parameters.each.values()
        return replace(self, parameters=Parameters(each, named), named=named)

    def fixed_coordinates(self) -> list[int]:
        """Velocity coordinates that the scene fixes."""
        model = self.scene.model
        found = []
        for element in self.scene.all_elements:
            if isinstance(element, FixedCoordinates):
                i = model.joint_number(element.joint)
                found += [model.tree.v_start[i] + k for k in element.fixed(model.tree.joint[i])]
        return found

    @property
    def constraints(self) -> list[str]:
        """Elements that keep something at zero, as they are called in messages."""
        return [described(element) for element in self.scene.all_elements if constrains(element)]

    def multipliers(self) -> dict[str, int]:
        """Elements with rows of constraints, by name, and how many each has; without limits."""
        return self.scene.memo("multipliers", self._counted_rows)

    def _counted_rows(self) -> dict[str, int]:
        system = self.system(self.scene.model.tree, self.parameters.pack({}).tolist())
        with np.errstate(all="ignore"):
            state = self.start(self.scene.model.neutral())
            rows = system.velocity_rows(state, np.float64(1e-3), np.float64(1e-3))
        owners = [row.owner for row in rows if not row.fixes]
        limits = {n for n, x in zip(self.scene.names, self.scene.all_elements, strict=True)
                  if isinstance(x, JointLimits)}  # fmt: skip
        return {name: owners.count(name) for name in dict.fromkeys(owners) if name not in limits}

    @property
    def inequalities(self) -> list[Element]:
        """Elements that keep something at zero or above."""
        return [element for element in self.scene.all_elements if "inequality" in kept(element)]

    @property
    def constrained(self) -> bool:
        """Whether there are rows of any kind."""
        elements = self.scene.all_elements
        return bool(self.fixed_coordinates() or any(map(kept, elements)) or self.touching)

    @property
    def touching(self) -> list[Element]:
        """Elements with points of contact."""
        return [element for element in self.scene.all_elements if touches(element)]

    def contacts(self) -> list[tuple[str, str | None, str | None]]:
        """The element of each point of contact, the link, and the link it touches."""
        return self.scene.memo("contacts", self._named_points) if self.touching else []

    def link_contacts(self) -> list[LinkColumns]:
        """What steps say of links that touch each other, of each element that has some."""
        each = zip(self.scene.all_elements, self.scene.names, strict=True)
        return [
            x.found.columns(name, x.max_contacts)  # type: ignore[arg-type]
            for x, name in each
            if isinstance(x, Links | Ground) and x.found is not None
        ]

    @property
    def contact_numbers(self) -> int:
        """How many numbers a step says of contact."""
        return len(self.contacts()) * WIDTH + sum(x.width for x in self.link_contacts())

    def impulses_before(self) -> tuple[float, ...]:
        """What steps with contact remember, at the start: no pair had a place, none pushed."""
        found = [0.0] * 3 * len(self.contacts())
        for x in self.link_contacts():
            found += [NONE] * x.places + [0.0] * (x.memory - x.places)
        return tuple(found)

    def _named_points(self) -> list[tuple[str, str | None, str | None]]:
        system = self.system(self.scene.model.tree, self.parameters.pack({}).tolist())
        with np.errstate(all="ignore"):
            points = system.contact_points(self.start(self.scene.model.neutral()))
        return [(x.owner, *x.links) for x in points]

    def _asked_for(self) -> list[Parameter]:
        """Parameters that functions of the user's ask for, found by calling them on numbers."""
        found: dict[str, Parameter] = {}

        def answer(name: str, value: Array) -> list[float]:
            if name in self.parameters.each:
                raise ModelError(
                    f"`ar.parameter({name!r}, ...)` has the name of a parameter of the scene. Call "
                    "it something else."
                )
            known = found.setdefault(name, Parameter(name, None, "", value, ~folded(value)))
            if not np.array_equal(known.value, value):
                raise ModelError(
                    f"parameter {name!r} is {known.value.tolist()} in one place and "
                    f"{value.tolist()} in another. Give one value, or two names."
                )
            return value.ravel().tolist()

        if all(_known(element) is not None for element in self.scene.all_elements):
            return []
        system = self.system(self.scene.model.tree, self.parameters.pack({}).tolist(), asking=True)
        with answering(answer), np.errstate(all="ignore"):
            state = self.start(self.scene.model.neutral())
            system.loads(state)
            system.rates(state)
            system.tidied(state.more)
            system.velocity_rows(state, np.float64(1e-3), np.float64(1e-3))
        return list(found.values())

    def start(self, q: Array) -> State:
        """The state at rest at q, on numbers."""
        tree = self.scene.model.tree
        more = {n: [np.float64(x) for x in np.ravel(v.start)] for n, v in self.variables.items()}
        at = [np.float64(x) for x in q]
        zero = tree.at(at).rates([np.float64(0.0)] * tree.nv)
        return State(np.float64(0.0), tree.positions(at), zero, more)

    def system(
        self, tree: Tree, inputs: Sequence[Scalar], tau: Any = None, *, asking: bool = False
    ) -> System:
        """The system, with its numbers out of `inputs` and joint forces from outside, if any."""
        numbers = self.parameters.bound(inputs)
        scalars: dict[str, Sequence[Any]] = {
            n: numbers[n] for n in TREE if self.parameters.each[n].free.any()
        }
        tree = replace(
            parametrized(tree, scalars), gravity=Motion(Vec3(), Vec3(*numbers["gravity"]))
        )
        elements = []
        for k, element in enumerate(self.scene.all_elements):
            own = [p for p in self.parameters.each.values() if p.owner == k]
            elements.append(with_numbers(element, {p.field: numbers[p.name] for p in own}))
        given = None if tau is None else tree.forces(tau)
        return System(
            self.scene.model, tree, elements, self.scene.names, self.ports,
            None if asking else numbers, given, self.scene.stabilisation,
        )  # fmt: skip

    def key(self) -> str | None:
        """What the scene computes, known without tracing it; None where a function is unknown."""
        tree = self.scene.model.tree
        if not all(map(built_in, tree.joint)):
            return None
        known = [_known(element) for element in self.scene.all_elements]
        if any(x is None for x in known):
            return None
        figure = replace(tree, gravity=Motion())
        effort = self.scene.model.effort_limit.tolist()
        touched = [(p.body, p.X, p.size) for each in self.ports for p in each]
        how = self.scene.stabilisation
        text = repr((figure.digest(), known, effort, touched, self.parameters.structure(), how))
        return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


def _known(element: Element) -> list | None:
    """What an element is besides its numbers; None where it is not ours, or has a function."""
    found: list[Any] = [type(element).__module__, type(element).__qualname__]
    if not type(element).__module__.startswith(PACKAGE):
        return None
    for field in dataclasses.fields(element):
        value = getattr(element, field.name)
        tree = getattr(value, "tree", None)
        if isinstance(tree, Tree):  # the model of a controller, with all of its numbers
            if not all(map(built_in, tree.joint)):
                return None
            value = tree.digest()
        if callable(value):
            value = _known_function(value)
            if value is None:
                return None
        found.append((field.name, _without_numbers(value)))
    return found


def _known_function(function: Callable[..., Any]) -> str | None:
    """What a function is, if it is part of this package."""
    if isinstance(function, types.FunctionType):
        name = function.__module__ or ""
        ours = name.startswith(PACKAGE) and _found_there(name, function)
        return f"{name}.{function.__qualname__}" if ours else None
    kind = type(function)
    if not kind.__module__.startswith(PACKAGE) or not dataclasses.is_dataclass(kind):
        return None
    each = [getattr(function, field.name) for field in dataclasses.fields(kind)]
    inner = [_known_function(x) if callable(x) else repr(x) for x in each]
    return None if None in inner else f"{kind.__module__}.{kind.__qualname__}{inner}"


def _found_there(module: str, function: types.FunctionType) -> bool:
    """Whether a function is the one of its name, and not one of the user's that goes by it."""
    return getattr(sys.modules.get(module), function.__name__, None) is function


def _without_numbers(value: Any) -> Any:
    """The shape of a field: names, whole numbers and None as they are, floats as places."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_without_numbers(x) for x in value]
    return "float" if isinstance(value, float) else repr(value)
