"""Trajectories out of the columns that runs and files hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .contacts import contacts_in
from .trajectory import SCALARS, Array, ByElement, Trajectory

if TYPE_CHECKING:
    from .._model.model import Model


def trajectory_of(
    t: Array, columns: Mapping[str, Array], about: Mapping[str, Any], batch: Sequence[int],
    parameters: Mapping[str, Array], model: Model | None, ends: Sequence[Mapping[str, Any]] = (),
) -> Trajectory:  # fmt: skip
    """A trajectory out of columns of rows, (rows, n, width) each."""
    rows, batch = columns["q"].shape[0], tuple(batch)
    width = {"q": columns["q"].shape[2], "qd": columns["qd"].shape[2]}

    def shaped(name: str, shape: Sequence[int]) -> Array:
        array = columns.get(name, np.zeros((rows, len(t), int(np.prod(shape)))))
        return array.reshape(*batch, len(t), *shape)

    last = [end["steps"] for end in ends if not end["failed"]]
    if rows and len(last) == rows and len(set(last)) == 1:  # all at once, between two kept
        t = np.append(t[:-1], last[0] * about["step"])
    found: dict[str, Any] = {name: shaped(name, (size,)) for name, size in width.items()}
    found |= {name: shaped(name, ()) for name in SCALARS}
    found["forces"] = shaped("forces", (width["qd"],))
    states = {name: shaped(name, shape) for name, shape in about.get("states", {}).items()}
    recorded = {name: shaped(name, shape) for name, shape in about.get("record", {}).items()}
    for what in ("multipliers", "gaps"):
        found[what] = ByElement((name, shaped(f"{what}.{name}", (size,)))
                                for name, size in about.get(what, {}).items())  # fmt: skip
    found["touched"] = contacts_in(about, shaped, model)
    return Trajectory(
        t, **found, states=states, recorded=recorded, ends=tuple(ends),
        parameters=dict(parameters), about=about, model=model,
    )  # fmt: skip
