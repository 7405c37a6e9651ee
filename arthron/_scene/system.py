"""A system: what integrators know of a scene.

It answers at a state: which forces act and how they change, which rows of constraints velocities
and accelerations have to obey, how fast further states change; and it solves for accelerations
under all of that. Which elements there are, an integrator does not see.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .._algorithms.energy import kinetic_energy, potential_energy
from .._algorithms.products import of_wrenches
from .._spatial.scalar import Scalar
from .._tree.body_lists import add_lists
from .._tree.tree import BodyList, JointCoordinates, JointForces, Tree
from .accelerations import AddedInertia, solve
from .call_user import OF_FIGURE, call_user
from .contact_points import FoundPoint, points_of, touches
from .controller import Controller, allowed, own_slopes, whole_figure_forces
from .element import BACK, Element, FixedCoordinates, Here, MovingFrame, described, rates_of
from .loads import Loads, PortSlopes, body_and_joint_terms, exerted, implicit_matrix
from .parameters import answering_from
from .ports import Port, energy_of, linearised, port_velocities
from .rows import ConstraintRows, Row, constrains, kept
from .stabilisation import USUAL, Baumgarte, Projection
from .state import State

if TYPE_CHECKING:
    from .._model.model import Model


@dataclass(frozen=True, eq=False)
class System:
    """What acts on a figure, with symbols where numbers are inputs.

    Attributes:
        model: the figure as it was described.
        tree: the figure as it is computed with.
        elements: what acts.
        names: what each of them is called in states.
        ports: where each of them touches the figure.
        parameters: numbers of all parameters, by name; None while functions are asked for theirs.
        tau: joint forces from outside, if there are any.
        stabilisation: what is done about constraints that are off.
    """

    model: Model
    tree: Tree
    elements: Sequence[Element]
    names: Sequence[str]
    ports: Sequence[Sequence[Port]]
    parameters: Mapping[str, Sequence[Scalar]] | None
    tau: JointForces | None = None
    stabilisation: Baumgarte | Projection = USUAL

    def at(self, state: State) -> tuple[System, State]:
        """The system and its state with the tree there, and joints that follow others, too."""
        tree = self.tree.at(state.q, state.qd)
        if not tree.curved:
            return self, state
        q, qd = tree.positions(tree.vector(state.q)), tree.rates(tree.vector(state.qd))
        return replace(self, tree=tree), replace(state, q=q, qd=qd)

    def state(
        self, t: Scalar, q: Sequence[Scalar], qd: Sequence[Scalar], more: Mapping, **rest: Any
    ) -> State:
        """The state of such vectors."""
        tree = self.tree.at(q)
        return State(t, tree.positions(q), tree.rates(qd), more, **rest)

    def loads(self, state: State, slopes: str = "none") -> Loads:
        """All forces at a state, with the slopes of "all", of those at "joints", or of "none".

        Of controllers these are the slopes of each joint force by its own coordinate and velocity.
        """
        system, state = self.at(state)
        tree = system.tree
        f_ext = tree.no_wrenches()
        tau = tree.no_forces()
        found: list[PortSlopes] = []
        energy: Scalar = 0.0
        for element, ports, here in system._seen(state):
            if isinstance(element, Controller):
                tau = JointForces(add_lists(tau, self._control(element, here)))
                if slopes != "none" and element.implicit:
                    found += own_slopes(tree, here, partial(self._control, element))
                continue
            if not element.exerts_forces:
                continue
            at_joints = not any(port.X is not None for port in ports)
            wanted = element.implicit and (slopes == "all" or (slopes == "joints" and at_joints))
            forces, K, D = linearised(element, ports, here, wanted)
            energy = energy + energy_of(element, here)
            exerted(f_ext, tau, ports, forces)
            moving = [port for port in ports if port.size]
            if wanted and moving:
                found.append(PortSlopes(moving, port_velocities(ports, here), K, D))
        if self.tau is not None:
            tau = JointForces(add_lists(tau, self.tau))
        return Loads(f_ext, tau, found, energy)

    def _control(self, element: Controller, here: Here) -> JointForces:
        given = call_user(described(element), element.forces, element.seen(here), hint=OF_FIGURE)
        forces = whole_figure_forces(described(element), here.tree, given)
        held = self.model.figure.holder(0).effort if self.tree.joint[0].nv else ()
        effort = [held, *(body.effort for body in self.model.bodies)]
        return allowed(element, here.tree, forces, effort)

    def _seen(self, state: State) -> Iterator[tuple[Element, Sequence[Port], Here]]:
        """Each element, its ports, and what it sees."""
        system, state = self.at(state)
        tree, kinematics = system.tree, None
        each = zip(self.elements, self.names, self.ports, strict=True)
        for element, name, ports in each:
            links = [port for port in ports if port.X is not None]
            if any(port.body for port in links) and kinematics is None:
                kinematics = state.kinematics(tree)
            frames = [self._frame(port, kinematics) for port in links]
            joints = [port.body for port in ports if port.X is None]
            q, qd, kinds = state.q, state.qd, tree.joint
            if element.joints is not ...:
                q, qd = ([x[i] for i in joints] for x in (q, qd))
                kinds = [tree.joint[i] for i in joints]
            states = {
                n: variable.shaped(state.more[f"{name}.{n}"])
                for n, variable in element.variables.items()
            }
            with self.answering():
                yield element, ports, Here(state.t, frames, q, qd, kinds, states, tree)

    def _frame(self, port: Port, kinematics: Any) -> MovingFrame:
        if not port.body:
            return MovingFrame(port.X)  # type: ignore[arg-type]
        X0, v = kinematics
        return MovingFrame(port.X @ X0[port.body], port.X @ v[port.body])  # type: ignore[operator]

    def answering(self) -> contextlib.AbstractContextManager:
        """While it is entered, `ar.parameter` gives the numbers of the system."""
        return answering_from(self.parameters)

    def energy(self, state: State) -> tuple[Scalar, Scalar]:
        """(kinetic, potential) energy."""
        stored = self.loads(state).energy
        system, state = self.at(state)
        tree = system.tree
        return kinetic_energy(tree, state.q, state.qd), potential_energy(tree, state.q) + stored

    def joint_forces(self, state: State) -> JointForces:
        """All that acts, as joint forces."""
        now = self.loads(state)
        _, state = self.at(state)
        return JointForces(add_lists(now.tau, of_wrenches(self.tree, state.q, now.f_ext)))

    def rates(self, state: State) -> dict[str, list[Scalar]]:
        """How fast further states change."""
        found = {}
        for (element, _, here), name in zip(self._seen(state), self.names, strict=True):
            here = element.seen(here) if isinstance(element, Controller) else here
            found |= {f"{name}.{n}": x for n, x in rates_of(element, here).items()}
        return found

    def tidied(self, more: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
        """Further states after a step, as their elements want them."""
        found = {}
        with self.answering():
            for element, name in zip(self.elements, self.names, strict=True):
                for n, variable in element.variables.items():
                    found[f"{name}.{n}"] = variable.tidied(more[f"{name}.{n}"])
        return found

    def velocity_rows(self, state: State, end: Scalar, h: Scalar) -> list[Row]:
        """Rows on velocities at the end of a step of length h, from a state at its start.

        Inequalities are among them, as they are among those on accelerations.
        """
        rows: list[Row] = []
        gamma = getattr(self.stabilisation, "gamma", None)
        system, state = self.at(state)
        seen = zip(system._seen(state.at(end)), self.names, strict=True)
        for (element, ports, here), name in seen:
            if isinstance(element, FixedCoordinates):
                (joint,), (q,), (qd,) = here.joints, here.q, here.qd
                if element.tracks_position:
                    gap = joint.difference(q, element.target(joint, q, end))
                    rates = [x / h for x in gap]
                else:
                    rates = element.wanted_rate(joint, q, qd, end, h, end)
                rows += self._fixing(element, ports, rates)
                continue
            for what in kept(element):
                each = ConstraintRows(element, ports, here, what, name)
                rows += each.velocity_rows(system.tree, state.q, h, gamma)
        return rows

    def acceleration_rows(
        self, state: State, back: Scalar = BACK, off: State | None = None
    ) -> list[Row]:
        """Rows on accelerations at a state.

        What constraints are off, there or at another state, comes back at a rate [1/s].
        """
        rows: list[Row] = []
        system, state = self.at(state)
        given = [getattr(self.stabilisation, name, None) for name in ("alpha", "beta")]
        alpha, beta = (back if x is None else x for x in given)
        there = [here for _, _, here in self._seen(off)] if off else [None] * len(self.elements)
        seen = zip(system._seen(state), self.names, there, strict=True)
        for (element, ports, here), name, other in seen:
            if isinstance(element, FixedCoordinates):
                (joint,), (q,), (qd,) = here.joints, here.q, here.qd
                a = element.wanted_acceleration(joint, q, qd, state.t)
                rows += self._fixing(element, ports, a)
                continue
            for what in kept(element):
                each = ConstraintRows(element, ports, here, what, name)
                equal = what == "constraint"
                errors = ConstraintRows(element, ports, other) if other and equal else each
                rows += each.acceleration_rows(system.tree, state.q, state.qd, errors, alpha, beta)
        return rows

    def contact_points(self, state: State) -> list[FoundPoint]:
        """Points of contact of all elements at a state."""
        found: list[FoundPoint] = []
        for (element, ports, here), name in zip(self._seen(state), self.names, strict=True):
            if touches(element):
                found += points_of(element, here, ports, name)
        return found

    def constraint_rows(self, state: State, what: str = "constraint") -> list[ConstraintRows]:
        """What each element that keeps something at zero, or above, says at a state."""
        return [
            ConstraintRows(element, ports, here, what)
            for element, ports, here in self._seen(state)
            if what in kept(element)
        ]

    def closing_rows(self, state: State, of: str = "errors") -> list[Row]:
        """Rows on displacements that end what constraints are off, or velocities that end "rates".

        Coordinates that are fixed stay.
        """
        rows: list[Row] = []
        for element, ports, here in self._seen(state):
            if isinstance(element, FixedCoordinates):
                rows += self._fixing(element, ports, [0.0] * ports[0].size)
            elif constrains(element):
                each = ConstraintRows(element, ports, here)
                rows += each.closing_rows(self.tree, state.q, of)
        return rows

    @property
    def projection(self) -> float | None:
        """How far constraints may be off behind a step that ends with a projection, if it does."""
        own = any(map(constrains, self.elements))
        return getattr(self.stabilisation, "tolerance", None) if own else None

    def position_errors(self, q, t: Scalar) -> dict[int, Scalar]:
        """How far fixed coordinates that track a position are off, by velocity coordinate."""
        rest = self.tree.at_rest()
        found: dict[int, Scalar] = {}
        for element, ports, here in self._fixed(State(t, q, rest, {})):
            if element.tracks_position:
                (joint,), (at,) = here.joints, here.q
                off = joint.difference(element.target(joint, at, t), at)
                found |= {j: r.b for r in self._fixing(element, ports, off) for j in r.G}
        return found

    def fixed_rates(
        self, q, before, t: Scalar, h: Scalar, *, mean: Scalar | None = None, tracking: bool
    ) -> dict[int, Scalar]:
        """Velocities of fixed coordinates at time t, `before` being those a time h ago.

        An acceleration is taken at the `mean` time, the end if left out. Coordinates that track a
        position are among them if asked for.
        """
        mean = t if mean is None else mean
        found: dict[int, Scalar] = {}
        for element, ports, here in self._fixed(State(t, q, before, {})):
            if tracking or not element.tracks_position:
                (joint,), (at,), (qd,) = here.joints, here.q, here.qd
                rates = element.wanted_rate(joint, at, qd, t, h, mean)
                found |= {j: r.b for r in self._fixing(element, ports, rates) for j in r.G}
        return found

    def opened(self, state: State) -> dict[str, Any]:
        """Numbers that the state a simulation starts from decides, by name."""
        found: dict[str, Any] = {}
        for (element, _, here), name in zip(self._seen(state), self.names, strict=True):
            found |= {f"{name}.{n}": x for n, x in element.at_start(here).items()}
        return found

    def states_at_start(self, state: State) -> dict[str, Sequence[Scalar]]:
        """States of elements that go with a pose, by name."""
        found: dict[str, Sequence[Scalar]] = {}
        for (element, _, here), name in zip(self._seen(state), self.names, strict=True):
            found |= {f"{name}.{n}": x for n, x in element.states_at_start(here).items()}
        return found

    def consistent(self, state: State) -> State:
        """The state with fixed coordinates where they should be, and as fast."""
        q, qd = JointCoordinates(state.q), JointCoordinates(state.qd)
        for element, (port,), here in self._fixed(state):
            (joint,), i = here.joints, port.body
            q[i], qd[i] = element.consistent_state(joint, q[i], qd[i], state.t)
        return replace(state, q=q, qd=qd)

    def _fixed(self, state: State) -> Iterator[tuple[FixedCoordinates, Sequence[Port], Here]]:
        fixed = [k for k, x in enumerate(self.elements) if isinstance(x, FixedCoordinates)]
        yield from self.only(fixed)._seen(state)  # type: ignore[misc]

    @property
    def constrained(self) -> bool:
        """Whether there are rows of any kind, or points of contact."""
        return self.bounded or self.equated or self.touching

    @property
    def touching(self) -> bool:
        """Whether there are points of contact."""
        return any(map(touches, self.elements))

    @property
    def bounded(self) -> bool:
        """Whether there are inequalities among them."""
        return any("inequality" in kept(x) for x in self.elements)

    @property
    def equated(self) -> bool:
        """Whether there are equations among them."""
        return any(constrains(x) or isinstance(x, FixedCoordinates) for x in self.elements)

    def holds(self, body: int) -> bool:
        """Whether rows act from outside: on the joint of a body, on one link, or from the world."""

        def holds(element: Element, ports: Sequence[Port]) -> bool:
            if isinstance(element, FixedCoordinates):
                return ports[0].body == body
            links = [port for port in ports if port.X is not None]
            outside = (port.body == (0 if port.X is not None else body) for port in ports)
            return bool(kept(element)) and (len(links) == 1 or any(outside))

        return any(map(holds, self.elements, self.ports))

    def only(self, which: Sequence[int]) -> System:
        """The system with some of its elements, and no joint forces from outside."""
        parts = ([x[k] for k in which] for x in (self.elements, self.names, self.ports))
        elements, names, touched = parts
        return replace(self, elements=elements, names=names, ports=touched, tau=None)

    def _fixing(
        self, element: FixedCoordinates, ports: Sequence[Port], values: Sequence[Scalar]
    ) -> list[Row]:
        (port,) = ports
        first = self.tree.v_start[port.body]
        which = element.fixed(self.tree.joint[port.body])
        return [Row({first + k: 1.0}, values[k], fixes=True) for k in which]

    def solve(
        self, state: State, f_ext: BodyList, tau: JointForces, rows: Sequence[Row] = (),
        added: AddedInertia | None = None, solver: str = "auto",
    ) -> tuple[BodyList, list, list]:  # fmt: skip
        """(qdd, r, lambda) under forces and rows; r are the joint forces that the rows take."""
        system, state = self.at(state)
        return solve(system.tree, state.q, state.qd, f_ext, tau, rows, added, solver)

    def acceleration(self, state: State) -> tuple[BodyList, list]:
        """(qdd, r) at a state."""
        now = self.loads(state)
        return self.solve(state, now.f_ext, now.tau, self.acceleration_rows(state))[:2]

    def wrenches(self, state: State) -> BodyList:
        """Wrench on each body of all that acts but gravity, constraints on links included."""
        now, rows = self.loads(state), self.acceleration_rows(state)
        bordered = [row for row in rows if not row.fixes]
        if not bordered:
            return now.f_ext
        f_ext, tau = BodyList(now.f_ext), JointForces(now.tau)
        _, _, multipliers = self.solve(state, now.f_ext, now.tau, rows)
        for row, x in zip(bordered, multipliers, strict=True):
            exerted(f_ext, tau, *row.forces(x))
        return f_ext

    def added_inertia(self, state: State, slopes: Sequence[PortSlopes], h: Scalar) -> AddedInertia:
        """What slopes of forces add to the mass matrix in a step of length h."""
        system, state = self.at(state)
        matrix = system.tree.matrix(implicit_matrix(system.tree, state.q, slopes, h))
        return AddedInertia(matrix, body_and_joint_terms(system.tree, slopes, h))
