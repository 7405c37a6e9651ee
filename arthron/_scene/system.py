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
from .._graph.expr import is_scalar
from .._spatial.scalar import Scalar
from .._spatial.sums import positive_part
from .._tree.body_lists import add_lists
from .._tree.tree import BodyList, JointCoordinates, JointForces, Tree
from ..errors import ModelError
from .accelerations import AddedInertia, fixed, solve
from .call_user import OF_FIGURE, call_user
from .controller import Controller, allowed, own_slopes, whole_figure_forces
from .element import Element, FixedCoordinates, Here, MovingFrame, described
from .loads import Loads, PortSlopes, body_and_joint_terms, exerted, implicit_matrix
from .parameters import answering_from
from .ports import Port, energy_of, linearised, port_velocities
from .rows import BACK, ConstraintRows, Row
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
    """

    model: Model
    tree: Tree
    elements: Sequence[Element]
    names: Sequence[str]
    ports: Sequence[Sequence[Port]]
    parameters: Mapping[str, Sequence[Scalar]] | None
    tau: JointForces | None = None

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

    def joint_slopes(self, state: State) -> tuple[BodyList, BodyList]:
        """(K, D): minus the slopes of each joint force by its own coordinate, and by its velocity.

        Of springs and dampers at joints and of controllers together; zero where they are negative.
        """
        tree = self.tree
        K, D = (tree.at_rest() for _ in range(2))

        def add(to: BodyList, i: int, slopes: Sequence[Scalar]) -> None:
            to[i] = tuple(a + b for a, b in zip(to[i], slopes, strict=True))

        for each in self.loads(state, slopes="joints").slopes:
            k = 0
            for port in each.ports:
                own = range(k, k := k + port.size)
                add(K, port.body, [-each.K[j][j] for j in own])
                add(D, port.body, [each.D[j][j] for j in own])
        K, D = (BodyList(tuple(map(positive_part, joint)) for joint in x) for x in (K, D))
        return K, D

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
            if not element.variables:
                continue
            here = element.seen(here) if isinstance(element, Controller) else here
            given = call_user(f"`rates` of {described(element)}", element.rates, here)
            if not isinstance(given, Mapping) or set(given) != set(element.variables):
                raise ModelError(
                    f"`rates` of {described(element)} returned {given!r}. Return a dict with the "
                    f"rate of each of its states: {', '.join(map(repr, element.variables))}."
                )
            for n, variable in element.variables.items():
                x = given[n]
                each = list(x) if isinstance(x, tuple | list) else [x]
                if len(each) != variable.size or not all(map(is_scalar, each)):
                    raise ModelError(
                        f"the rate of {n!r} of {described(element)} is {x!r}. Return as many "
                        f"numbers as the state has: {variable.size}."
                    )
                found[f"{name}.{n}"] = each
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
        """Rows on velocities at the end of a step of length h, from a state at its start."""
        rows: list[Row] = []
        system, state = self.at(state)
        for element, ports, here in system._seen(state.at(end)):
            if isinstance(element, FixedCoordinates):
                (joint,), (q,), (qd,) = here.joints, here.q, here.qd
                if element.tracks_position:
                    gap = joint.difference(q, element.target(joint, q, end))
                    rates = [x / h for x in gap]
                else:
                    rates = element.wanted_rate(joint, q, qd, end, h, end)
                rows += self._fixing(element, ports, rates)
            elif constrains(element):
                rows += ConstraintRows(element, ports, here).velocity_rows(system.tree, state.q, h)
        return rows

    def acceleration_rows(
        self, state: State, back: Scalar = BACK, off: State | None = None
    ) -> list[Row]:
        """Rows on accelerations at a state.

        What constraints are off, there or at another state, comes back at a rate [1/s].
        """
        rows: list[Row] = []
        system, state = self.at(state)
        there = [here for _, _, here in self._seen(off)] if off else [None] * len(self.elements)
        for (element, ports, here), other in zip(system._seen(state), there, strict=True):
            if isinstance(element, FixedCoordinates):
                (joint,), (q,), (qd,) = here.joints, here.q, here.qd
                a = element.wanted_acceleration(joint, q, qd, state.t)
                rows += self._fixing(element, ports, a)
            elif constrains(element):
                each = ConstraintRows(element, ports, here)
                errors = ConstraintRows(element, ports, other) if other else each
                rows += each.acceleration_rows(system.tree, state.q, state.qd, errors, back)
        return rows

    def constraint_rows(self, state: State) -> list[ConstraintRows]:
        """What each element that keeps something at zero says at a state."""
        return [
            ConstraintRows(element, ports, here)
            for element, ports, here in self._seen(state)
            if constrains(element)
        ]

    def constraint_matrix(self, state: State) -> list[list[Scalar]]:
        """G of those elements, without coordinates that are fixed."""
        rows = self.velocity_rows(state, state.t, 1.0)
        taken = fixed(rows)
        free = [0.0 if j in taken else 1.0 for j in range(self.tree.nv)]
        return [
            [k * row.G.get(j, 0.0) for j, k in enumerate(free)] for row in rows if not row.fixes
        ]

    def constraint_rates(self, state: State) -> list[Scalar]:
        """How fast what those elements keep at zero changes as fixed coordinates move, and time.

        With all others at rest.
        """
        rates = self.fixed_rates(state.q, state.qd, state.t, 1.0, tracking=True)
        still = [rates.get(j, 0.0) for j in range(self.tree.nv)]
        moving = replace(state, qd=self.tree.rates(still))
        return [x for rows in self.constraint_rows(moving) for x in rows.rates]

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
        """Whether there are rows of any kind."""
        return any(constrains(x) or isinstance(x, FixedCoordinates) for x in self.elements)

    def holds(self, body: int) -> bool:
        """Whether rows act from outside: on the joint of a body, on one link, or from the world."""

        def holds(element: Element, ports: Sequence[Port]) -> bool:
            if isinstance(element, FixedCoordinates):
                return ports[0].body == body
            links = [port for port in ports if port.X is not None]
            outside = (port.body == (0 if port.X is not None else body) for port in ports)
            return constrains(element) and (len(links) == 1 or any(outside))

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


def constrains(element: Element) -> bool:
    """Whether an element keeps something at zero."""
    kind = type(element)
    return (
        kind.constraint is not Element.constraint
        or kind.velocity_constraint is not Element.velocity_constraint
    )
