"""A scene: a figure and what acts on it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._model.model import Model
from .._pages.memo import Memo
from ..errors import ModelError
from .adaptive import adaptive, passivity_based
from .check_scene import check_element, check_fixed
from .controller import Controller, FunctionController
from .controllers import computed_torque, custom, pd
from .element import Element, with_floats
from .joint_forces import JointDamping, JointLimit
from .joint_limits import JointLimits, limits_of
from .setup import DAMPING, LIMITS, Setup
from .stabilisation import USUAL, Baumgarte, Projection

MAKERS = (adaptive, computed_torque, custom, passivity_based, pd)
"""Functions that make controllers, and are none."""
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
        limits: whether joints stay within the model's limits, and stop there. A joint with a spring
            at its limits (`ar.forces.JointLimit`) has that instead.
        stabilisation: what is done about constraints that are off, because steps bend:
            `ar.Baumgarte(...)` rates, or `ar.Projection()` after each step.
    """

    model: Model
    elements: Sequence[Any] = ()
    controller: Callable[..., Any] | Controller | None = None
    limits: bool = True
    stabilisation: Baumgarte | Projection = USUAL
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    all_elements: tuple[Element, ...] = field(init=False, repr=False, compare=False)
    memo: Memo = field(init=False, repr=False, compare=False, default_factory=lambda: Memo(MOST))

    def __post_init__(self) -> None:
        if not hasattr(self.model, "tree"):
            raise ModelError(
                f"the model of a scene is a {type(self.model).__name__}. Give an `ar.Model`."
            )
        if not isinstance(self.stabilisation, Baumgarte | Projection):
            raise ModelError(
                f"the stabilisation of a scene is {self.stabilisation!r}. Give `ar.Baumgarte(...)` "
                "or `ar.Projection()`."
            )
        if not isinstance(self.limits, bool):
            raise ModelError(
                f"`limits` of a scene is {self.limits!r}. Give True, or False for joints that pass "
                "theirs; an `ar.JointLimits(...)` among the elements has limits of your own."
            )
        given = self.elements
        alone = not isinstance(given, Iterable) or isinstance(given, str)
        object.__setattr__(self, "elements", (given,) if alone else tuple(given))
        all_elements: list[Element] = [*self._damping(), *self._limits()]
        for element in self.elements:
            check_element(self.model, element)
            all_elements.append(element)
        if isinstance(self.controller, Element):
            check_element(self.model, self.controller)
            all_elements.append(self.controller)
        elif self.controller is not None:
            if not callable(self.controller) or isinstance(self.controller, type):
                raise ModelError(
                    f"the controller of a scene is {self.controller!r}. Give a function of "
                    "(tree, t, q, qd), such as `ar.controllers.gravity_compensation`."
                )
            if self.controller in MAKERS:
                name = f"ar.controllers.{self.controller.__name__}"
                raise ModelError(
                    f"the controller of a scene is `{name}` itself. Call it with what it needs: "
                    f"`controller={name}(...)`."
                )
            all_elements.append(FunctionController(self.controller))
        check_fixed(self.model, all_elements)
        fitted = tuple(with_floats(x.fitted(self.model)) for x in all_elements)
        object.__setattr__(self, "all_elements", fitted)
        object.__setattr__(self, "names", tuple(_names(all_elements)))

    def _damping(self) -> list[Element]:
        """The model's own damping, as an element."""
        bodies = [b for b in self.model.bodies if any(b.damping)]  # type: ignore[arg-type]
        if not bodies:
            return []
        joints = tuple(str(b.joint_name) for b in bodies)
        coefficients = tuple(tuple(map(float, b.damping)) for b in bodies)  # type: ignore[arg-type]
        return [JointDamping(joints, coefficients, name=DAMPING)]

    def _limits(self) -> list[Element]:
        """The model's own limits, as an element; without joints that elements limit."""
        if not self.limits:
            return []
        taken = set()
        for element in self.elements:
            if isinstance(element, JointLimits):
                taken |= set(element.joints if element.of is not None else self.model.joint_names)
            elif isinstance(element, JointLimit):
                taken.add(element.joint)
        joints = tuple(joint for joint in limits_of(self.model) if joint not in taken)
        return [JointLimits(joints, name=LIMITS)] if joints else []

    def __reduce__(self) -> tuple:
        own = self.model, self.elements, self.controller, self.limits, self.stabilisation
        return Scene, own

    def parameters(self) -> dict[str, np.ndarray]:
        """The numbers of the scene by name, each of which a simulation can be given instead.

        "element.field" of elements, of the "controller", "gravity", "damping" of joints, what
        functions of yours ask for by `ar.parameter`, and "inertia" and "placements" as
        `model.inertial_parameters()` and `model.placements()` have them. NaN is what the start of a
        simulation decides: rest lengths that were left out.
        """
        return {name: p.value.copy() for name, p in self.setup().parameters.each.items()}

    def stiffness(
        self,
        state: Mapping[str, Any] | None = None,
        *,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: Mapping[str, ArrayLike] | None = None,
        by_element: bool = False,
    ) -> Any:
        """K = -dtau/dq of all joint forces that act, (..., nv, nv): above zero for a spring.

        Of elements, of the controller and of the joints of the model, as S19 2.74 has the sign; its
        K of links (1.30) has the other. Nothing is left out of it: what a force that stays the same
        does because its lever changes is in it, too (geometric stiffness). By q means by a
        displacement of the joints, as everywhere. Gravity is not in it, which is
        `model.gravity_forces_dq(q)`, nor are constraints and prescribed motion.

        Args:
            state: coordinates by joint, velocities and states of elements by name, as the `start`
                of a simulation; `run.last()`, say. What it leaves out is neutral, and at rest.
            q: coordinates of all joints, (..., nq).
            qd: velocities, (..., nv).
            t: time [s], (...).
            parameters: numbers of the scene by name, as a simulation takes them. Lengths that the
                start of a simulation decides are those of one that starts at the state, unless they
                are among these: `parameters=run.parameters`.
            by_element: whether to give a dict with the matrix of each element, by name; their sum
                is the whole. Names are those of `scene.parameters()`: "damping" is the model's own.
        """
        from .._simulate.force_slopes import force_slopes

        return force_slopes(self, "q", state, q, qd, t, parameters, by_element)

    def damping(
        self,
        state: Mapping[str, Any] | None = None,
        *,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: Mapping[str, ArrayLike] | None = None,
        by_element: bool = False,
    ) -> Any:
        """D = -dtau/dqd of all joint forces that act, (..., nv, nv): above zero for a damper.

        With the sign of S19 2.74. Takes what `stiffness` does.
        """
        from .._simulate.force_slopes import force_slopes

        return force_slopes(self, "qd", state, q, qd, t, parameters, by_element)

    def forward_dynamics(
        self,
        state: Mapping[str, Any] | None = None,
        *,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(qdd, forces): accelerations under all that acts, and joint forces of constraints.

        M qdd + h = tau + forces, with forces = G^T f and G qdd = b of loops, prescribed motion and
        all others, (..., nv) each. Takes what `stiffness` does, and joint forces `tau` besides.
        """
        from .._simulate.scene_dynamics import forward_dynamics

        return forward_dynamics(self, state, q, qd, tau, t, parameters)

    def inverse_dynamics(
        self,
        qdd: ArrayLike | Mapping[str, ArrayLike],
        state: Mapping[str, Any] | None = None,
        *,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        motors: Sequence[str] | None = None,
        t: ArrayLike = 0.0,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> np.ndarray:
        """Joint forces that produce accelerations besides all that acts, the least ones, (..., nv).

        Constraints carry what they can; of many ways to drive a loop with more motors than it needs
        this is the one whose forces have the smallest squares.

        Args:
            qdd: accelerations by joint, `{"platform": [...]}`, the others follow from constraints;
                where these do not allow it, the nearest in the sense of squares, with a warning.
                Or of all joints, (..., nv): with `motors`, those of the motors count.
            state: coordinates, velocities and states by name, as for `stiffness`.
            q: coordinates of all joints, (..., nq).
            qd: velocities, (..., nv).
            motors: joints that have one; all if left out.
            t: time [s], (...).
            parameters: numbers of the scene by name.
        """
        from .._simulate.scene_dynamics import inverse_dynamics

        return inverse_dynamics(self, state, q, qd, qdd, motors, t, parameters)

    def assemble(
        self,
        start: Mapping[str, Any] | None = None,
        *,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        near: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> dict[str, np.ndarray]:
        """The state nearest to a rough one that constraints allow, with all loops closed.

        "q", "qd" and further states by name, as the `start` of a simulation, which begins by the
        same. Coordinates and velocities that are named in `start` are kept: passive joints come
        from those that have motors.

        Args:
            start: coordinates by joint, velocities and states of elements by name; leading axes are
                many at once.
            q: rough coordinates of all joints, (..., nq).
            qd: rough velocities, (..., nv).
            near: with `start`, rough coordinates of joints that it does not name, (..., nq); those
                of `model.neutral()` unless given. Of several closed poses the near one is found.
            parameters: numbers of the scene by name, as a simulation takes them.
        """
        from .._simulate.start import assembled

        return assembled(self, start, q, qd, near, parameters)

    def show(
        self,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        step: float = 0.001,
        integrator: Any = "leapfrog",
        start: Mapping[str, Any] | None = None,
    ) -> Path:
        """Open a page that simulates the scene in the browser, where bodies can be dragged.

        Prints where the page is when there is no browser.

        Args:
            q: coordinates at the start, (nq,); neutral ones when left out.
            qd: velocities at the start, (nv,); zero when left out.
            step: length of a time step [s].
            integrator: one of `ar.integrators`, or its name. The page has another one to choose.
            start: coordinates by joint, velocities and states by name instead, as
                `ar.simulate` takes them: `{"knee": 0.3}`.
        """
        from .._view.show import scene_view, show

        return show(*scene_view(self, q, qd, step=step, integrator=integrator, start=start))

    def save_html(
        self,
        path: str | Path,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        step: float = 0.001,
        integrator: Any = "leapfrog",
        start: Mapping[str, Any] | None = None,
    ) -> Path:
        """Write such a page: one file, which needs nothing else and no network."""
        from .._view.page import page_path, write_page
        from .._view.show import scene_view

        place = page_path(path)
        recording, live = scene_view(self, q, qd, step=step, integrator=integrator, start=start)
        return write_page(recording, place, live)

    def _repr_html_(self) -> str | None:
        """The page, for notebooks."""
        from .._view.page import frame
        from .._view.show import drawable, scene_view

        return frame(*scene_view(self)) if drawable(self.model) else None

    def setup(self, named: Iterable[str] = ()) -> Setup:
        """The scene with its numbers as inputs, those that are `named` in any case."""
        if isinstance(named, str):
            raise ModelError(f"parameters are named by {named!r}. Give a tuple: `({named!r},)`.")
        usual: Setup = self.memo("setup", lambda: Setup.of(self))
        folded = usual.parameters.folded(named)
        return self.memo(("setup", folded), lambda: usual.naming(folded)) if folded else usual


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
