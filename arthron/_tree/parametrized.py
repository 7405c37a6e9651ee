"""A figure whose properties are not numbers but inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .tree import Tree


def parametrized(tree: Tree, scalars: dict[str, Sequence[Any]]) -> Tree:
    """The figure with properties taken out of `scalars`, those of inputs, as far as they are there.

    Inertias are ten numbers a body, as `Inertia.parameters`; placements are 4 x 4 poses of the
    frames before the joints in their parents.
    """
    if "inertia" in scalars:
        given = scalars.pop("inertia")
        each = (given[k : k + 10] for k in range(0, len(given), 10))
        tree = replace(tree, I=(tree.I[0], *map(Inertia.from_parameters, each)))
    if "placements" in scalars:
        given = scalars.pop("placements")
        rows = [Vec3(*given[k : k + 3]) for k in range(0, len(given), 4)]
        ends = [given[k] for k in range(3, len(given), 4)]
        poses = (
            Transform.from_pose(Mat3(*rows[k : k + 3]), Vec3(*ends[k : k + 3]))
            for k in range(0, len(rows), 4)
        )
        tree = replace(tree, Xtree=(tree.Xtree[0], *poses))
    return tree
