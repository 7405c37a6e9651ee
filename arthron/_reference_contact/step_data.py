"""What a step with contact is solved from: everything at its start, as arrays.

Found by one compiled page, for both kinds of coordinates; another one goes on from the velocities
that were found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from .._algorithms.dynamics import mass_matrix
from .._algorithms.kinematics import accelerations, jacobians, transforms
from .._integrators.integrator import advanced
from .._integrators.projection import projected
from .._scene.joint_limits import JointLimits
from .._scene.loads import exerted
from .._scene.setup import Setup
from .._scene.system import State, System
from .._simulate.system_pages import compiled, identifiers, state_inputs, state_of, system_page
from .._spatial.motions import Motion
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, JointForces
from .refused import check_elements, check_points

Array = np.ndarray
UNITS = [Motion(Vec3(*x[:3]), Vec3(*x[3:])) for x in np.eye(6).tolist()]


@dataclass(frozen=True, eq=False)
class StepData:
    """A state, as arrays over bodies (nb), velocity coordinates (nv), rows and points.

    Attributes:
        qd: velocities at the start.
        A: matrix of the step: masses, armature, and h times the damping of joints.
        tau: joint forces, without those of links.
        axial: of each coordinate, what is in A besides masses.
        J: twist of each body in its own axes by qd, (nb, 6, nv) (S19 Alg. 1).
        c: what that changes by while qd does not, dJ/dt qd (S19 2.16).
        inertia: of each body, (nb, 6, 6).
        f: wrench on each body: gravity, what acts on links, and velocity products.
        R: axes of each body in the world.
        p: where it is.
        Xup: twists of a parent as its child sees them, (nb, 6, 6).
        G: rows on velocities at the end.
        b: what they are equal to, or not below.
        on_bodies: wrenches of each row on bodies, (rows, nb, 6).
        gap: how far apart what may touch is at each point.
        point: where that is, in the world.
        normal: towards the link.
        friction: coefficient.
        restitution: part of the velocity that comes back.
        surface: velocity of the surface that is touched.
        h: length of the step.
    """

    qd: Array
    A: Array
    tau: Array
    axial: Array
    J: Array
    c: Array
    inertia: Array
    f: Array
    R: Array
    p: Array
    Xup: Array
    G: Array
    b: Array
    on_bodies: Array
    gap: Array
    point: Array
    normal: Array
    friction: Array
    restitution: Array
    surface: Array
    h: float

    @property
    def momentum(self) -> Array:
        """The right-hand side A qd + h f of a step without contact (S19 2.75)."""
        on_bodies = self.f - np.einsum("bij,bj->bi", self.inertia, self.c)
        return self.A @ self.qd + self.h * (np.einsum("bij,bi->j", self.J, on_bodies) + self.tau)


class RowKind(NamedTuple):
    """What a row is, whatever its numbers.

    Attributes:
        owner: the element that it belongs to.
        above: whether it is an inequality.
        fixes: whether it says what one coordinate is.
        limit: whether it is the limit of a joint.
    """

    owner: str
    above: bool
    fixes: bool
    limit: bool


class StepPages:
    """The two pages of a scene, compiled, and what does not change with its state.

    Attributes:
        parent: of each body from 0 on; -1 is the world.
        own: which velocity coordinates are those of the body's own joint.
        rows: what each row is.
        bodies: the two bodies of each point of contact, from 0 on; -1 is the world.
    """

    def __init__(self, setup: Setup, *, tau: bool) -> None:
        check_elements(setup)
        model, tree = setup.scene.model, setup.scene.model.tree
        self._nb, self._nv = tree.nb, tree.nv
        self.parent = [tree.parent[i] - 1 for i in tree.bodies]
        self.own = [slice(tree.v_start[i], tree.v_start[i + 1]) for i in tree.bodies]
        system = setup.system(tree, setup.parameters.pack({}).tolist())
        with np.errstate(all="ignore"):
            state = setup.start(model.neutral())
            rows = system.velocity_rows(state, np.float64(1e-3), np.float64(1e-3))
            points = system.contact_points(state) if setup.touching else []
        names = zip(setup.scene.names, setup.scene.all_elements, strict=True)
        limits = {name for name, x in names if isinstance(x, JointLimits)}
        self.rows = [RowKind(r.owner, r.gap is not None, r.fixes, r.owner in limits) for r in rows]
        self.bodies = [(x.a - 1, x.b - 1) for x in points]
        self._states = tuple(identifiers(setup.variables).values())
        given = {**state_inputs(setup), "t": (), "h": (), **({"tau": ("nv",)} if tau else {})}

        def contact_step_data(system: System, values: Mapping[str, Any]) -> tuple:
            return tuple(_data(system, state_of(setup, values, values["t"]), values["h"]))

        def contact_step_end(system: System, values: Mapping[str, Any]) -> tuple:
            state, h = state_of(setup, values, values["t"]), values["h"]
            rate = system.tree.rates(values["end"])
            after = projected(system, advanced(system, state, rate, rate, h))
            more = [list(after.more[name]) for name in setup.variables]
            return (system.tree.vector(after.q), system.tree.vector(after.qd), *more)

        after = {**given, "end": ("nv",)}
        self._data = compiled(
            setup, f"contact step {tau}", system_page(setup, contact_step_data, **given)
        )
        self._end = compiled(
            setup, f"contact end {tau}", system_page(setup, contact_step_end, **after)
        )

    def data(self, given: Sequence[Array], h: float) -> StepData:
        """What a step from inputs (states, t, h, joint forces and parameters) is solved from."""
        names = [field.name for field in fields(StepData)][1:-1]
        found = dict(zip(names, self._data(*given), strict=True))
        nb, nv, n, k = self._nb, self._nv, len(self.rows), len(self.bodies)
        shapes = {
            "A": (nv, nv), "J": (nb, 6, nv), "c": (nb, 6), "inertia": (nb, 6, 6), "f": (nb, 6),
            "R": (nb, 3, 3), "p": (nb, 3), "Xup": (nb, 6, 6), "G": (n, nv),
            "on_bodies": (n, nb, 6), "point": (k, 3), "normal": (k, 3), "surface": (k, 3),
        }  # fmt: skip
        for name, shape in shapes.items():
            found[name] = np.reshape(found[name], shape)
        return StepData(np.asarray(given[1]), **found, h=h)

    def end(self, given: Sequence[Array], qd: Array) -> list[Array]:
        """States at the end of a step, at velocities that were found."""
        *states, parameters = given
        return [np.asarray(x) for x in self._end(*states, qd, parameters)]


def _data(system: System, state: State, h: Any) -> list[list]:
    """Scalars of `StepData`, attribute by attribute."""
    system, state = system.at(state)
    tree, q, qd = system.tree, state.q, state.qd
    now = system.loads(state, slopes="joints")
    axial = _axial(system, now.slopes, h)
    A = tree.matrix(mass_matrix(replace(tree, armature=tuple(axial)), q))
    X0, v = state.kinematics(tree)
    Xup, _ = transforms(tree, q)
    J, c = jacobians(tree, q), accelerations(tree, q, qd, tree.coasting())
    wrenches = BodyList(now.f_ext)
    for i in tree.bodies:
        I, fall = tree.I[i], X0[i] @ tree.gravity
        wrenches[i] = wrenches[i] + I @ fall - v[i].cross(I @ v[i])
    rows, on_rows, on_bodies = system.velocity_rows(state, state.t + h, h), [], []
    for row in rows:
        f, tau = tree.no_wrenches(), tree.no_forces()
        exerted(f, tau, *row.forces(1.0))
        on_bodies += [x for w in f[1:] for x in (*w.ang, *w.lin)]
        on_rows += [row.G.get(k, 0.0) for k in range(tree.nv)]
    met = system.contact_points(state) if system.touching else []
    check_points(met)
    points = [x.point for x in met]
    each = [i for i in tree.bodies]
    return [
        [x for line in A for x in line],
        tree.vector(now.tau),
        tree.vector(axial),
        [x for i in each for line in tree.matrix(J[i]) for x in line],
        [x for i in each for x in (*c[i].ang, *c[i].lin)],
        [x for i in each for m in UNITS for f in (tree.I[i] @ m,) for x in (*f.ang, *f.lin)],
        [x for i in each for x in (*wrenches[i].ang, *wrenches[i].lin)],
        [x for i in each for line in X0[i].R for x in line],
        [x for i in each for x in X0[i].r],
        [x for i in each for line in Xup[i].adjoint() for x in line],
        on_rows,
        [row.b for row in rows],
        on_bodies,
        [x.gap for x in points],
        [x for each in points for x in each.point],
        [x for each in points for x in each.normal],
        [x.friction for x in points],
        [x.restitution for x in points],
        [x for each in points for x in each.velocity],
    ]


def _axial(system: System, slopes: Sequence, h: Any) -> JointForces:
    """Armature and h times the damping of each joint, as "semi-implicit Euler" has it."""
    found = JointForces(system.tree.armature)
    for each in slopes:
        k = 0
        for port in each.ports:
            own = range(k, k := k + port.size)
            pairs = zip(found[port.body], own, strict=True)
            found[port.body] = tuple(a + h * each.D[j][j] for a, j in pairs)
    return found
