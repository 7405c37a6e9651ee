"""Controllers: elements that push at all joints of a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .._graph.autodiff import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._spatial.scalar import Scalar, maximum, minimum
from .._spatial.sums import positive_part
from .._tree.body_lists import step_list
from .._tree.configuration import integrate
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import ModelError, SimulationError
from .call_user import OF_FIGURE, call_user
from .element import Element, Here
from .loads import PortSlopes
from .ports import Port

if TYPE_CHECKING:
    from .._model.model import Model

TAKES = f"A controller takes (tree, t, q, qd). {OF_FIGURE}"


@dataclass(frozen=True)
class Controller(Element):
    """Joint forces of the whole figure; derive from it, and give `forces(here)`.

    `here.tree`, `here.q` and `here.qd` are what pages take; nv numbers come back, or what a page of
    joint forces returns.

    Attributes:
        root: whether it may push a floating root, which no motor could.
        effort_limits: whether its forces stay within the effort limits of the model.
        implicit: whether its own stiffness and damping at joints are part of steps that have room
            for that; costly where forces take many operations, as those of a large network do.
        model: the figure that it computes with, where that is not the one which is simulated: a
            nominal model, that knows nothing of inertias, placements and gravity in `parameters=`.
    """

    root: bool = field(default=False, kw_only=True)
    effort_limits: bool = field(default=False, kw_only=True)
    joints: ClassVar = ...
    implicit: bool = field(default=True, kw_only=True)  # type: ignore[assignment]
    model: Model | None = field(default=None, kw_only=True)

    def fitted(self, model: Model) -> Self:
        check_model(self, model)
        return self

    def seen(self, here: Here) -> Here:
        """What it sees: its own model, if it has one."""
        return here if self.model is None else here._replace(tree=self.model.tree)

    def __call__(self, tree: Tree, t: Scalar, q, qd) -> Any:
        """Its joint forces, for controllers that are made of others."""
        return self.forces(self.seen(Here(t, (), q, qd, tree.joint, {}, tree)))


@dataclass(frozen=True)
class FunctionController(Controller):
    """A controller that is a function `(tree, t, q, qd)`."""

    function: Callable[..., Any]

    def forces(self, here: Here) -> Any:
        given = here.tree, here.t, here.q, here.qd
        return call_user("the controller", self.function, *given, hint=TAKES)


def whole_figure_forces(who: str, tree: Tree, given: Any) -> JointForces:
    """What a controller returned, by joint."""
    zero = tree.at_rest()
    if isinstance(given, BodyList):
        sizes = [len(x) if isinstance(x, tuple | list) else None for x in given[1:]]
        if sizes == [len(x) for x in zero[1:]]:
            return JointForces(given)
    else:
        each = list(given) if isinstance(given, Iterable) else [given]
        if len(each) == tree.nv and not any(x is None for x in each):
            return tree.forces(each)
    raise SimulationError(
        f"{who} returned {given!r}. A controller takes (tree, t, q, qd) and returns {tree.nv} "
        "joint forces, one for each velocity coordinate."
    )


def allowed(
    controller: Controller, tree: Tree, forces: JointForces, effort: list[tuple]
) -> JointForces:
    """Forces that a controller may exert: none at a floating root, and no more than motors can."""
    if controller.effort_limits:  # what followers bring to their leaders is within their limits
        forces = tree.forces(tree.vector(forces))
    found = JointForces(forces)
    for i in tree.bodies:
        if not controller.root and floating(tree, i):
            found[i] = tree.zero(i)
        elif controller.effort_limits:
            each = zip(forces[i], effort[i], strict=True)
            found[i] = tuple(_within(x, most) for x, most in each)
    return found


def own_slopes(tree: Tree, here: Here, forces: Callable[[Here], JointForces]) -> list[PortSlopes]:
    """Slopes of joint forces, each by its own coordinate and velocity, joint by joint.

    Those that drive a joint on are left out.
    """
    n = tree.nv
    with Graph.inside() as graph:
        e, s = graph.inputs(n), graph.inputs(n)
        q = integrate(tree, BodyList(here.q), tree.rates(e))
        qd = step_list(BodyList(here.qd), tree.rates(s), 1.0)
        moved = tree.at(q, qd)
        qd = moved.rates(moved.vector(qd)) if moved.curved else qd
        there = here._replace(q=q, qd=qd, tree=moved)
        rows = [graph.lift(x) for x in moved.vector(forces(there))]
        slopes = [graph.lift(forward(graph, [row], {x.position: 1.0})[0])
                  for each in (e, s) for row, x in zip(rows, each, strict=True)]  # fmt: skip
    flat = [-x for x in evaluate(graph, slopes, [0.0] * (2 * n))]
    stiffness, damping = tree.rates(flat[:n]), tree.rates(flat[n:])
    found = []
    for i in range(len(tree.parent)):
        own = range(tree.joint[i].nv)
        K = [[-positive_part(stiffness[i][a]) if a == b else 0.0 for b in own] for a in own]
        D = [[positive_part(damping[i][a]) if a == b else 0.0 for b in own] for a in own]
        found += [PortSlopes([Port(i, None, len(own))], list(here.qd[i]), K, D)] if own else []
    return found


def floating(tree: Tree, i: int) -> bool:
    """Whether a body floats: nothing but a joint of six coordinates ties it to the world."""
    return tree.joint[i].nv == sum(tree.joint[k].nv for k in tree.ancestors(i)) == 6


def check_model(controller: Controller, model: Model) -> None:
    """Refuse a controller's own model whose states are not those of the figure."""
    own = controller.model
    if own is None:
        return
    if not hasattr(own, "tree"):
        raise ModelError(
            f"the model of a controller is a {type(own).__name__}. Give an `ar.Model`."
        )
    if _layout(own.tree) != _layout(model.tree):
        raise ModelError(
            f"the controller computes with `{own.name}`, whose joints are not those of "
            f"`{model.name}`. Give a model with the same joints in the same order."
        )


def _layout(tree: Tree) -> list[tuple]:
    """What states of a figure depend on: where its joints are in it, and how they are numbered."""
    sizes = [(joint.nq, joint.nv) for joint in tree.joint]
    leads = [tree.map.depends(i) if tree.map and i in tree.followers else [] for i in tree.bodies]
    return list(zip(tree.parent, sizes, [[], *leads], strict=True))


def _within(x: Scalar, most: float) -> Scalar:
    return x if most == float("inf") else minimum(maximum(x, -most), most)
