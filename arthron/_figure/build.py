"""From a list of bodies to a tree: order them, merge what is fixed, check what cannot be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.motions import Motion
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.joints import Fixed, Joint
from .._tree.tree import Tree
from ..errors import ModelError, nearest
from .body import Body
from .figure import Description, Figure, Frame
from .reduction import coordinate_map, map_complaints
from .user_input import LARGEST


def build(described: Description) -> Figure:
    """Check and order links, merge the fixed ones, and make the tree.

    If `strict`, a link that breaks the rules of inertia is an error, and so is a joint that moves
    none; if not, merged bodies that break them become warnings.
    """
    name, strict = described.name, described.strict
    frames: dict[str, Frame] = {}
    moving: list[Body] = []
    parent, Xtree, I = [-1], [Transform()], [Inertia()]
    ordered = _parents_first(described.links, name)
    for body in ordered:
        inertia: Inertia = body.inertia  # type: ignore[assignment]
        complaint = _inertia_complaint(inertia)
        if complaint and (strict or not _is_finite(inertia) or inertia.m < 0):
            raise ModelError(f"body {body.name!r} of `{name}`: {complaint}")
        home = frames[body.parent] if body.parent is not None else Frame(0, Transform())
        X = body.placement @ home.X
        if body.part_of_parent:
            frames[body.name] = Frame(home.body, X)
            I[home.body] = I[home.body] + X.T @ inertia @ X
            continue
        moving.append(body)
        frames[body.name] = Frame(len(moving), Transform())
        parent.append(home.body)
        Xtree.append(X)
        I.append(inertia)
    I[0] = Inertia()  # what is fixed to the world does not count
    held = described.reduction.coordinates if described.reduction else None
    joint: list[Joint] = [held.joint if held else Fixed(), *(body.joint for body in moving)]
    armature = [held.armature if held else (), *(body.armature for body in moving)]
    gravity = Motion(lin=_gravity(described.gravity))
    described = replace(described, gravity=tuple(gravity.lin))  # a list of the user's may change
    follow = coordinate_map(moving, name, described.mimic, described.reduction)
    tree = Tree(
        tuple(parent), tuple(joint), tuple(Xtree), tuple(I), tuple(armature),  # type: ignore
        gravity, follow,
    )  # fmt: skip
    still = _joints_without_inertia(tree, moving, name)
    neutral = [x for i in tree.own for x in joint[i].neutral()]
    still += map_complaints(tree, neutral, name)
    if strict and still:
        raise ModelError(still[0])
    complaints = zip(moving, map(_inertia_complaint, I[1:]), strict=True)
    odd = [f"body {b.name!r} of `{name}`: {text}" for b, text in complaints if text]
    doubts = [text for body in ordered for text in body.warnings]
    return Figure(described, tree, tuple(moving), frames, (*doubts, *odd, *still))


def _parents_first(bodies: Sequence[Body], name: str) -> list[Body]:
    """Bodies in depth-first order, each after its parent; errors for what is not a tree."""
    for what, names in (
        ("bodies", [b.name for b in bodies]),
        ("joints", [b.joint_name for b in bodies if not b.part_of_parent]),
    ):
        twice = [n for n, count in Counter(names).items() if count > 1]
        if twice:
            raise ModelError(
                f"`{name}` has several {what} called {twice[0]!r}. Names must differ; rename one."
            )
    known = {b.name: b for b in bodies}
    children: dict[str | None, list[Body]] = {}
    for body in bodies:
        if body.parent is not None and body.parent not in known:
            raise ModelError(
                f"body {body.name!r} of `{name}` hangs on {body.parent!r}, which is not a body. "
                f"Name a body, or None for the world.{nearest(body.parent, known)}"
            )
        children.setdefault(body.parent, []).append(body)
    ordered: list[Body] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        body = stack.pop()
        ordered.append(body)
        stack.extend(reversed(children.get(body.name, [])))
    if len(ordered) < len(bodies):
        found = {body.name for body in ordered}
        lost = next(body.name for body in bodies if body.name not in found)
        raise ModelError(
            f"body {lost!r} of `{name}` is part of a cycle: following its parents never reaches "
            "the world. Figures are trees; open the loop at one joint."
        )
    return ordered


def _is_finite(inertia: Inertia) -> bool:
    return all(
        abs(x) <= LARGEST for x in (inertia.m, *inertia.h, *(e for r in inertia.I for e in r))
    )


def _inertia_complaint(inertia: Inertia) -> str | None:
    """Why an inertia cannot be that of a real body, or None."""
    if not _is_finite(inertia):
        return (f"its inertia is not finite, or beyond {LARGEST:g}. Check mass, centre of mass and "
                "moments for NaN, and their units.")  # fmt: skip
    if inertia.m < 0:
        return f"its mass is {inertia.m:g}. Masses are zero or more [kg]."
    Ic = np.array(inertia.about_com())
    size = np.abs(np.array(inertia.I)).max() + 1e-6 * inertia.m + 1e-300
    if np.abs(Ic - Ic.T).max() > 1e-9 * size:
        return "its inertia matrix is not symmetric. Give Ixy = Iyx, and so on."
    a, b, c = np.linalg.eigvalsh(Ic)
    slack = 1e-9 * size
    if a < -slack:
        return (f"its inertia about the centre of mass has the principal moment {a:.3g}. "
                "Moments are zero or more [kg m^2].")  # fmt: skip
    if a + b < c - max(slack, 1e-6 * c):
        return (f"its principal moments {a:.3g}, {b:.3g}, {c:.3g} break the triangle rule: no body "
                "has one moment larger than the other two together.")  # fmt: skip
    return None


def _joints_without_inertia(tree: Tree, moving: Sequence[Body], name: str) -> list[str]:
    """What to say of joints that move no inertia; those that move negative inertia are refused."""
    said = []
    IC = list(tree.I)
    for i in reversed(tree.bodies):
        XJ, S, _, _ = tree.joint[i](tree.joint[i].neutral(), tree.zero(i))
        X = XJ @ tree.Xtree[i]
        IC[tree.parent[i]] = IC[tree.parent[i]] + X.T @ IC[i] @ X
        D = np.array(S.dot(IC[i] @ S), dtype=float) + np.diag(tree.armature[i])
        if not (np.all(np.isfinite(D)) and np.all(np.isfinite(XJ.matrix()))):
            raise ModelError(
                f"joint {moving[i - 1].joint_name!r} of `{name}` has no finite pose or velocity at "
                f"its neutral coordinates {tree.joint[i].neutral()}. Give a custom joint a `start` "
                "where its pose is smooth."
            )
        least = np.linalg.eigvalsh(0.5 * (D + D.T)).min(initial=np.inf)
        how = "negative" if least < -1e-9 * np.abs(D).max(initial=0.0) else "no"
        text = (
            f"joint {moving[i - 1].joint_name!r} of `{name}` moves {how} inertia: body "
            f"{moving[i - 1].name!r} and all behind it have {how} inertia in a direction the joint "
            "allows. Give the body mass (`inertia` or `shapes`), or the joint `armature`; or the "
            "joint is singular at its neutral coordinates."
        )
        if how == "negative":
            raise ModelError(text)
        if least <= 1e-14 * np.abs(D).max(initial=0.0):
            said.append(text)
    return said


def _gravity(gravity: Any) -> Vec3:
    try:
        x, y, z = (float(g) for g in gravity)
    except (TypeError, ValueError):
        raise ModelError(f"gravity is {gravity!r}. Give three numbers [m/s^2].") from None
    if not all(math.isfinite(g) for g in (x, y, z)):
        raise ModelError(f"gravity is ({x:g}, {y:g}, {z:g}). Give three finite numbers [m/s^2].")
    return Vec3(x, y, z)
