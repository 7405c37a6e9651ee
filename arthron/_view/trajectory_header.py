"""What a page has to know to write a trajectory file: all of its header that is known before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._scene.setup import Setup
from .._simulate.figure_identity import figure_identity
from .._simulate.system_pages import identifiers
from .._simulate.trajectory_file import ABOUT, MAGIC, STATES
from .sliders import number_sliders

EVERY = 5
"""Steps between states that a recording keeps."""


def trajectory_header(setup: Setup, step: float) -> dict[str, Any]:
    """The header of a file, less what is known at its end, and how it is made one.

    Of the numbers of the scene it holds those that the start decided and those that were changed,
    which are among `parameters` here, with their shapes; `names` are what the page calls columns.
    """
    model, numbers = setup.scene.model, setup.parameters
    variables = {name: v for name, v in setup.variables.items() if v.saved}
    shapes = {n: [v.size] if np.ndim(v.start) else [] for n, v in variables.items()}
    changing = {"gravity", *(name for x in number_sliders(setup) for name in x.names)}
    given = [name for name in numbers.each if name in changing or name in numbers.opened]
    columns = {"q": model.nq, "qd": model.nv} | {n: v.size for n, v in variables.items()}
    columns |= {"kinetic": 1, "potential": 1} | ({"forces": model.nv} if setup.constrained else {})
    called = identifiers(setup.variables)
    about = {"model": model.name, "step": step, "keep_every": EVERY, "states": shapes}
    return {
        "magic": MAGIC.decode(),
        "kinds": [ABOUT.decode(), STATES.decode()],
        "names": [called.get(name, name) for name in columns],
        "opened": numbers.opened,
        "header": {
            "about": about, "batch": [], "columns": columns, "run": {},
            "figure": figure_identity(model),
            "parameters": {name: list(numbers.each[name].value.shape) for name in given},
        },
    }  # fmt: skip
