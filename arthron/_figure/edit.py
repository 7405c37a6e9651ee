"""Descriptions made from descriptions: joints locked, figures attached to figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

from .._spatial.transform import Transform
from .._tree.joints import Fixed
from ..errors import ModelError, nearest
from .body import Body
from .figure import Figure


def locked(figure: Figure, names: Collection[str], q: Sequence[float]) -> dict[str, Any]:
    """What changes with some joints fixed where `q` has them; joints that follow them stay too.

    The links, and the map of which no joint is left to follow it.
    """
    tree = figure.tree
    coordinates = tree.positions(q)
    still: dict[str, Transform] = {}
    for i, body in enumerate(figure.bodies, start=1):
        leads = tree.map.depends(i) if tree.map and i in tree.followers else [i]
        if leads and all(figure.holder(j).joint_name in names for j in leads):
            still[body.name] = body.joint(coordinates[i], tree.zero(i))[0]
    links = tuple(
        Body(
            body.name,
            Fixed(),
            body.parent,
            still[body.name] @ body.placement,
            body.inertia,
            body.shapes,
            body.joint_name,
            collision=body.collision,
            surface_friction=body.surface_friction,
            line=body.line,
            warnings=body.warnings,
        )
        if body.name in still
        else body
        for body in figure.description.links
    )
    given = figure.description.reduction
    gone = given is None or given.coordinates.name in names
    return {"links": links, "reduction": None if gone else given}


def unmerged(figure: Figure, names: Collection[str]) -> tuple[Body, ...]:
    """The links with some that are fixed as bodies of their own."""
    links = figure.description.links
    fixed = {body.name for body in links if isinstance(body.joint, Fixed)}
    for name in names:
        if name not in fixed:
            moves = any(body.name == name for body in links)
            raise ModelError(
                f"{name!r} of `{figure.description.name}` "
                f"{'moves, and is a body already' if moves else 'is no link'}. Name links that are "
                f"fixed to others.{'' if moves else nearest(str(name), fixed)}"
            )
    return tuple(
        dataclasses.replace(body, merged=False) if body.name in names else body for body in links
    )


def attached(
    links: Sequence[Body], other: Sequence[Body], parent: str, X: Transform, prefix: str
) -> tuple[Body, ...]:
    """The links of both figures, the roots of the other one hung at X on a link of the first."""
    names = {body.name for body in links}

    def rename(name: str) -> str:
        return f"{prefix}{name}"

    clash = next((body.name for body in other if rename(body.name) in names), None)
    if clash is not None:
        raise ModelError(
            f"both figures have a body {rename(clash)!r}. Give `prefix=`, such as prefix='left_', "
            "to rename those of the attached one."
        )
    hung = []
    for body in other:
        root = body.parent is None
        mimic = body.mimic
        hung.append(
            dataclasses.replace(
                body,
                name=rename(body.name),
                joint_name=rename(str(body.joint_name)),
                parent=parent if root else rename(str(body.parent)),
                placement=body.placement @ X if root else body.placement,
                mimic=mimic and dataclasses.replace(mimic, joint=rename(mimic.joint)),
            )
        )
    return (*links, *hung)
