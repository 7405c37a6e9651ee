"""What tells one figure from another, so that a file knows whose motion it holds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._graph.graph import Graph
from .._tree.joints import Joint, built_in
from .._tree.tree import Tree

if TYPE_CHECKING:
    from .._model.model import Model

NUMBER = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?")
DIGITS = 9
"""Figures are the same when their numbers are to so many digits, on whatever machine."""


def figure_identity(model: Model) -> dict[str, Any]:
    """Names and sizes of a figure, and digests of all else that it is, link by link.

    None stands for what cannot be told: the law of a joint of the user's that cannot be traced.
    """
    tree, bodies, frames = model.tree, model.bodies, model.figure.frames
    limits = [(b.lower, b.upper, b.velocity, b.effort) for b in bodies]
    losses = [(b.armature, b.damping, b.friction) for b in bodies]
    moving = {
        "parent": [_digest(p) for p in tree.parent[1:]],
        "joint": [_law(b.joint) for b in bodies],
        "leader": [_leaders(tree, i) for i in tree.bodies],
        "placement": [_digest(_rounded(X.matrix())) for X in tree.Xtree[1:]],
        "inertia": [_digest(_rounded(x)) for x in model.inertial_parameters()],
        "limits": [_digest(*map(_rounded, x)) for x in limits],
        "armature, damping or friction": [_digest(*map(_rounded, x)) for x in losses],
    }
    return {
        "name": model.name, "nq": model.nq, "nv": model.nv,
        "joints": [str(b.joint_name) for b in bodies], "bodies": [b.name for b in bodies],
        "links": list(frames), "moving": moving,
        "placed": [_digest(x.body, _rounded(x.X.matrix())) for x in frames.values()],
        "gravity": _digest(_rounded(model.gravity)),
    }  # fmt: skip


def figure_difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str | None:
    """In what the figure `here` differs from the one that was `there` before; None if in nothing.

    Its name does not count: the same figure may be called something else.
    """
    sizes = [(x["nq"], x["nv"]) for x in (there, here)]
    if sizes[0] != sizes[1]:
        (nq, nv), (own, rates) = sizes
        return f"it has {own} coordinates and {rates} velocities, not {nq} and {nv}"
    for what in ("joints", "bodies", "links"):
        a, b = there[what], here[what]
        k = next((k for k, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), None)
        if k is not None:
            return f"{b[k]!r} of its {what} was called {a[k]!r}"
        if len(a) != len(b):
            return f"it has {len(b)} {what}, not {len(a)}"
    for what, before in there["moving"].items():
        k = _first(before, here["moving"][what])
        if k is not None:
            return f"the {what} of its body {here['bodies'][k]!r} is not the same"
    k = _first(there["placed"], here["placed"])
    if k is not None:
        return f"its link {here['links'][k]!r} is at another place"
    return None if there["gravity"] == here["gravity"] else "its gravity is not the same"


def _first(a: Sequence[str | None], b: Sequence[str | None]) -> int | None:
    """Where two lists of digests differ first, of those that are known."""
    pairs = zip(a, b, strict=True)
    return next((k for k, (x, y) in enumerate(pairs) if x and y and x != y), None)


def _leaders(tree: Tree, i: int) -> str:
    """A digest of what a joint follows, and how: at two places."""
    if tree.map is None or i not in tree.followers:
        return _digest(None)
    rest = [np.float64(x) for j in tree.map.leaders for x in tree.joint[j].neutral()]
    places = ([x + k * (1 + j) for j, x in enumerate(rest)] for k in (0.0, 0.01))
    return _digest(tree.map.depends(i), [_rounded(tree.map.values(y)[i]) for y in places])


def _digest(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def _rounded(numbers: Any) -> list:
    """Numbers to nine digits of the largest of them."""
    x = np.array(() if numbers is None else numbers, dtype=float).ravel()
    scale = np.abs(x[np.isfinite(x)]).max(initial=0.0) or 1.0
    return [f"{scale:.{DIGITS}g}", (np.round(x / scale, DIGITS) + 0.0).tolist()]


def _law(joint: Joint) -> str | None:
    """A digest of how a joint moves: its numbers, or what it computes where it is the user's."""
    if built_in(joint):
        text = repr(getattr(joint, "law", joint))
        law = NUMBER.sub(lambda x: f"{float(x[0]):.{DIGITS}g}", text)
    else:
        try:
            law = _traced(joint)
        except Exception:
            return None
    return _digest(law, _rounded(joint.neutral()))


def _traced(joint: Joint) -> str:
    """A digest of what a joint computes."""
    graph = Graph()
    q, qd = graph.inputs(joint.nq), graph.inputs(joint.nv)
    with graph:
        XJ, S, vJ, cJ = joint(q, qd)
    vectors = [*XJ.E, XJ.r, *(part for m in (*S, vJ, cJ) for part in (m.ang, m.lin))]
    return graph.digest([graph.lift(x) for v in vectors for x in v])
