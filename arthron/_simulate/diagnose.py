"""Whose fault it is that a simulation could not go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._algorithms.takes import takes
from .._compiled import evaluate
from .._model.tree import Tree
from .._scene.control import Controller
from .._scene.element import Element, FixedCoordinates, described
from .._scene.setup import Setup
from .._scene.system import State, System
from .integrator import Array, Failure


def diagnose(setup: Setup, failure: Failure, parameters: Array, h: float) -> str:
    """A sentence: what is not finite around the last good state, or that the step is too large."""
    q, qd = failure.states["q"], failure.states["qd"]
    places = [(failure.t, q), (failure.end, q)]
    if failure.why:  # it was looking for the end of a step
        there = setup.scene.model.integrate(q, (failure.end - failure.t) * qd)
        places.append((failure.end, there))
    with np.errstate(all="ignore"):
        for t, at in places:
            for k, element in enumerate(setup.scene.acting):
                if not _finite(setup, k, failure, at, t, parameters):
                    return f"At t = {t:.6g} s {_what(element)} not finite."
    if failure.why:
        return f"{failure.why} Take a smaller step than {h:g} s."
    rows = " constraints say the same twice or contradict each other," if setup.constraints else ""
    stiff = ""
    if any(isinstance(element, Controller) for element in setup.scene.acting):
        stiff = (
            " Steps are explicit in what controllers do; for stiff ones there is "
            '`integrator="implicit Euler", implicit="exact"`.'
        )
    return (
        f"All forces are finite there: the step of {h:g} s is too large,{rows} or what acts on the "
        f"figure drives it on and on.{_fastest(setup, qd)}{stiff}"
    )


def _fastest(setup: Setup, qd: Array) -> str:
    """Which joint moves fastest, in a sentence."""
    model = setup.scene.model
    if not model.nv:
        return ""
    k = int(np.argmax(np.abs(qd)))
    joint = next(j for j in model.joint_names if k < model.slice_qd(j).stop)
    return f" The fastest joint is {joint!r}, at {abs(qd[k]):.3g}."


def _what(element: Element) -> str:
    if isinstance(element, FixedCoordinates):
        return f"the motion of joint {element.joint!r} is"
    return f"the forces of {described(element)} are"


def _finite(setup: Setup, k: int, failure: Failure, q: Array, t: float, parameters: Array) -> bool:
    """Whether all that one element does at a state is finite."""
    more = {name: [np.float64(x) for x in failure.states[name]] for name in setup.variables}

    @takes(t=(), parameters=(setup.parameters.size,))
    def page(tree: Tree, q, qd, t, parameters) -> tuple:
        system = setup.system(tree, parameters).only([k])
        return _all(system, State(t, q, qd, more))

    # on arrays, where what is divided by zero is not an error
    given = (x[None] for x in (q, failure.states["qd"], np.array(t), parameters))
    return all(np.isfinite(x).all() for x in evaluate(page, setup.scene.model, *given))


def _all(system: System, state: State) -> tuple:
    """Everything a system says at a state."""
    now = system.loads(state)
    rows: Sequence = system.acceleration_rows(state)
    flat = [x for rates in system.rates(state).values() for x in rates]
    flat += [x for row in rows for x in (row.b, *row.G.values())]
    return (now.f_ext, now.tau, flat) if flat else (now.f_ext, now.tau)
