"""What a scene is made of, checked: each mistake is a sentence that names the element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest
from .controller import Controller, floating
from .element import Element, FixedCoordinates, Variable, check_numbers, described
from .rows import kept
from .setup import DAMPING, LIMITS

if TYPE_CHECKING:
    from .._model.model import Model

METHODS = (
    "forces", "energy", "rates", "constraint", "velocity_constraint", "inequality", "contacts",
)  # fmt: skip
"""What an element does something by."""


def check_element(model: Model, element: Any) -> None:
    """Refuse what is no element, and links and joints that are not there."""
    if not isinstance(element, Element):
        raise ModelError(
            f"an element of the scene is {element!r}. Give elements of `ar.forces`, such as "
            '`ar.forces.BodyDamping("hand", 0.1)`, or `ar.constraints`, which reads files by '
            "`load`, `ar.Prescribed` motion, or a class of your own derived from `ar.Element`."
        )
    if not isinstance(element.name, str) or element.name in (DAMPING, LIMITS):
        raise ModelError(
            f"the name of an element is {element.name!r}. Give text, but not {DAMPING!r} or "
            f"{LIMITS!r}: that is what those of the model's joints are called."
        )
    own = type(element).__dict__
    if set(own.get("__annotations__", ())) - set(element.__dataclass_fields__):
        raise ModelError(
            f"the class {type(element).__name__} has fields and is no dataclass. Put "
            "`@dataclass(frozen=True)` above it, so that they are."
        )
    if not _does_something(element) and not element.rubs_inside:
        methods = [n for n, x in own.items() if callable(x) and not n.startswith("_")]
        near = next(filter(None, (nearest(n, METHODS) for n in methods)), "")
        raise ModelError(
            f"{described(element)} does nothing.{near} Give it `forces(here)`, `energy(here)`, "
            "`rates(here)`, `constraint(here)`, `inequality(here)` or `contacts(here)`."
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
        _check_efforts(model)
    if isinstance(element, Controller) and kept(element):
        raise ModelError(
            f"{described(element)} has a constraint. Give that to an element of its own."
        )
    if not isinstance(element.variables, Mapping):
        raise ModelError(
            f"`variables` of {described(element)} is {element.variables!r}. Give a dict by "
            'name: `{"activation": ar.Variable(0.0)}`.'
        )
    if type(element).energy is not Element.energy and not element.exerts_forces:
        raise ModelError(
            f"{described(element)} has an energy and no forces, so that nothing would act. Say "
            "`conservative = True`: minus the slope of the energy acts."
        )
    for link in element.links:
        if link is not None:
            _check_link(model, element, link)
    if element.joints is not ...:
        for joint in element.joints:
            _check_joint(model, element, joint)
    for name, variable in element.variables.items():
        if not isinstance(variable, Variable):
            raise ModelError(
                f"state {name!r} of {described(element)} is {variable!r}. Give an "
                "`ar.Variable(start)`."
            )
        check_numbers(element, **{name: variable.start})


def _check_efforts(model: Model) -> None:
    bodies = (b for i, b in enumerate(model.bodies, 1) if not floating(model.tree, i))
    idle = [b.joint_name for b in bodies if not all(b.effort)]  # type: ignore[arg-type]
    if idle:
        raise ModelError(
            f"a controller keeps to effort limits, and that of joint {idle[0]!r} of "
            f"`{model.name}` is zero: nothing could move it. Give it one, or leave "
            "`effort_limits` out."
        )


def check_fixed(model: Model, elements: Sequence[Element]) -> None:
    taken: set[tuple[str, int]] = set()
    for element in elements:
        if isinstance(element, FixedCoordinates):
            joint = model.tree.joint[model.joint_number(element.joint)]
            own = {(element.joint, k) for k in element.fixed(joint)}
            if own & taken:
                raise ModelError(f"joint {element.joint!r} is prescribed twice. Prescribe it once.")
            taken |= own


def _called(element: Element) -> str:
    """Its kind, and its name if it has one."""
    return f"{type(element).__name__} {element.name!r}" if element.name else type(element).__name__


def _check_joint(model: Model, element: Element, joint: str) -> None:
    names = model.joint_names
    for i in model.tree.followers:
        if model.bodies[i - 1].joint_name == joint:
            raise ModelError(
                f"{type(element).__name__} acts on joint {joint!r}, which follows "
                f"{model.figure.followed(i)}. Let it act on that one."
            )
    if joint not in names:
        raise ModelError(
            f"{_called(element)} acts on joint {joint!r}, which `{model.name}` does "
            f"not have.{nearest(str(joint), names)} `model.joint_names` lists all."
        )


def _check_link(model: Model, element: Element, link: str) -> None:
    try:
        model.frame(link)
    except ModelError:
        names = model.frame_names
        raise ModelError(
            f"{_called(element)} acts on link {link!r}, which `{model.name}` does "
            f"not have.{nearest(str(link), names)} `model.frame_names` lists all; None is the "
            "world."
        ) from None


def _does_something(element: Element) -> bool:
    """Whether an element has any effect."""
    given = any(getattr(type(element), n) is not getattr(Element, n) for n in METHODS)
    return given or isinstance(element, FixedCoordinates) or bool(element.variables)
