"""What a system does to a variational step: its forces, and coordinates that are fixed, half way.

A force half way is felt at both ends: it works along how the place half way moves as one of them
does, and slopes of that work are the two discrete forces (MW01 §3.2).
"""

from __future__ import annotations

from .._graph.autodiff import reverse
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._spatial.sums import dot
from .._tree.body_lists import scale_list
from .._tree.configuration import difference, integrate
from .._tree.joints import Joint
from .._tree.tree import BodyList, JointForces, Tree


def discrete_forces(system: System, start, end, h, t) -> tuple[list, list]:
    """Momenta that motors and forces take at the start of a step and leave at its end, times h.

    Motors turn with velocity coordinates, whatever these stand for.
    """
    tree = system.tree
    m, gone = half_way(tree, start, end)
    motors = motor_momenta(tree, start, end)
    if not system.elements:
        return motors
    tau = system.joint_forces(State(t, m, scale_list(gone, 1.0 / h), {}))
    tau = tree.forces([h * h * x for x in tree.at(m).vector(tau)])
    each = zip(tree.joint, start, end, m, tau, strict=True)
    ends = [shares(*joint) for joint in each]
    first, last = (tree.vector(BodyList(end)) for end in zip(*ends, strict=True))
    return (
        [x - y for x, y in zip(motors[0], first, strict=True)],
        [x + y for x, y in zip(motors[1], last, strict=True)],
    )


def motor_momenta(tree: Tree, start, end) -> tuple[list, list]:
    """Momenta of motors at both ends, times h: those of joints turn with the way they go."""
    gone = [(), *(tree.joint[i].difference(start[i], end[i]) for i in tree.bodies)]
    pairs = zip(tree.armature, gone, strict=True)
    turned = JointForces(tuple(a * x for a, x in zip(*pair, strict=False)) for pair in pairs)
    return tree.at(start).vector(turned), tree.at(end).vector(turned)


def shares(joint: Joint, start, end, centre, force) -> tuple[tuple, tuple]:
    """Of a force at a joint half way: slopes of its work by displacements of the two ends.

    The work is that of moving from `centre`, which is half way.
    """
    graph = Graph()
    a, b, c, f = (graph.inputs(len(x)) for x in (start, end, centre, force))
    e0, e1 = graph.inputs(joint.nv), graph.inputs(joint.nv)
    first, last = joint.integrate(a, e0), joint.integrate(b, e1)
    m = joint.integrate(first, [0.5 * x for x in joint.difference(first, last)])
    work = graph.lift(dot(f, joint.difference(c, m)))
    slopes = reverse(graph, [work], [1.0], [e.position for e in (*e0, *e1)])
    state = [*start, *end, *centre, *force, *[0.0] * (2 * joint.nv)]
    found = evaluate(graph, [graph.lift(x) for x in slopes], state)
    return tuple(found[: joint.nv]), tuple(found[joint.nv :])


def fixed_rows(system: System, q0, q, rate, h, t) -> dict[int, Scalar]:
    """What takes the place of momentum, by velocity coordinate, for coordinates that are fixed."""
    m, gone = half_way(system.tree, q0, q)
    displacement = system.tree.vector(gone)
    rows = system.position_errors(q, t + 0.5 * h)
    before = system.tree.rates(rate)
    for j, wanted in system.fixed_rates(m, before, t, 0.5 * h, tracking=False).items():
        rows[j] = displacement[j] - h * wanted
    return rows


def half_way(tree: Tree, first, last) -> tuple[BodyList, BodyList]:
    """The place half way between two, and the way from one to the other."""
    gone = difference(tree, first, last)
    return integrate(tree, first, scale_list(gone, 0.5)), gone
