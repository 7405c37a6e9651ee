"""Adaptive Runge-Kutta by SciPy, on the compiled right-hand side."""

from __future__ import annotations

import numpy as np

from .._algorithms.configuration import integrate
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import jacobian
from .._model.tree import BodyList, Tree
from .._scene.prescribed import on_track
from .._scene.scene import Scene
from ..errors import SimulationError
from .steps import acceleration


class RungeKutta:
    """The method of order eight of Dormand and Prince, for one scene."""

    def __init__(self, scene: Scene) -> None:
        self.nq = scene.model.nq

        @takes(t=())
        def rates(tree: Tree, q, qd, t) -> tuple:
            """Rates of the coordinates themselves, qdd, and forces of joints that move as told."""
            zero = BodyList(tree.zero(i) for i in range(tree.nb + 1))
            e = jacobian(integrate, "dq")(tree, q, zero)
            along = tree.vector(qd)
            moving = [sum((a * b for a, b in zip(row, along, strict=True)), 0.0) for row in e]
            qdd, forces = acceleration(scene, tree, q, qd, t)
            return (moving, qdd, *forces)

        @takes(t=())
        def start(tree: Tree, q, qd, t) -> tuple:
            return on_track(scene, tree, q, qd, t)

        self.rates = compile_page(rates, scene.model)
        self.start = compile_page(start, scene.model)

    def solve(
        self, q: np.ndarray, qd: np.ndarray, t: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, qd, forces) at times t[1:], from the state at t[0]."""
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            raise SimulationError(
                'the integrator "Runge-Kutta" needs SciPy: `pip install "arthron[simulate]"`.'
            ) from None

        def f(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate(self.rates(y[: self.nq], y[self.nq :], np.float64(t))[:2])

        start = np.concatenate(self.start(q, qd, t[0]))
        found = solve_ivp(f, (t[0], t[-1]), start, "DOP853", t[1:], rtol=tolerance, atol=tolerance)
        if not found.success:
            raise SimulationError(
                f"Runge-Kutta stopped at t = {found.t[-1]:.6g} s: {found.message}"
            )
        q, qd = found.y.T[:, : self.nq], found.y.T[:, self.nq :]
        _, _, *forces = self.rates(q, qd, t[1:])
        return q, qd, forces[0] if forces else np.zeros_like(qd)
