"""What a page is told of a recording: words and numbers as JSON, arrays as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._model.model import Model
from .._tree.tree import Tree
from .camera import FIELD, extents, outermost, stage
from .caution import caution
from .decimate import decimated
from .live import Live
from .looks import ColouredSolid
from .recording import Recording

TRIANGLES = 80_000
"""Of all meshes of a figure, at most."""
DIRECTIONS = 128
"""In which the outermost points are taken, to know from how far all can be seen."""
MARK = 0.12
"""Half length of a joint's axis beside the size of a figure, at most."""
TIPS = 12
"""Points that leave trails, at most."""


@dataclass
class Arrays:
    """Arrays one behind the other, and a table of where each is."""

    table: dict[str, dict[str, Any]] = field(default_factory=dict)
    bytes: bytearray = field(default_factory=bytearray)

    def add(self, name: str, values: np.ndarray, type: str, *, differences: int = 0) -> None:
        """Put an array there; of rows of a length, maybe, by the differences in each."""
        flat = np.ascontiguousarray(values, dtype=f"<{type}").reshape(-1)
        self.table[name] = {"type": type, "start": len(self.bytes), "length": flat.size}
        if differences and flat.size:
            rows = flat.reshape(-1, differences).copy()
            rows[:, 1:] = rows[:, 1:] - rows[:, :-1]  # whole numbers, round their end
            flat, self.table[name]["delta"] = rows, differences
        self.bytes += flat.tobytes()
        self.bytes += bytes(-len(self.bytes) % 8)


def page_data(recording: Recording, live: Live | None = None) -> tuple[dict[str, Any], bytes]:
    """What JSON can hold of a recording and of a scene that goes on from it, and its arrays."""
    arrays, model = Arrays(), recording.model
    seen = stage(recording)
    first, up = recording.focus[0], recording.up
    away = seen.eye - seen.middle
    points = outermost(recording.framed() - seen.middle, DIRECTIONS)
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    _add_film(arrays, recording)
    stretched = np.array([*recording.stretch.values()]).reshape(-1, len(recording.t), 16)
    arrays.add("stretch", stretched[..., :12], "f4")
    pushed = np.flatnonzero(recording.wrenches.any((0, 2)))
    arrays.add("wrenches", recording.wrenches[:, pushed].transpose(1, 2, 0), "f4")
    data = {
        "bodies": ["", *model.body_names],
        "parts": _parts(arrays, recording),
        "lines": [
            {"kind": kind, "ends": [(i, _list(point)) for i, point in ends], "radius": radius}
            for kind, ends, radius in recording.lines
        ],
        "joints": _joints(model),
        "masses": [
            {"mass": float(I.m), "at": _list(I.com()) if I.m > 0 else [0.0] * 3}
            for I in (model.tree.I[i] for i in model.tree.bodies)
        ],
        "tips": _tips(recording),
        "pushed": (1 + pushed).tolist(),
        "stretched": list(recording.stretch),
        "follows": recording.follows,
        "axes": _list(seen.axes),
        "ground": float((seen.spots[0] + first) @ up),
        "square": seen.section,
        "mark": min(MARK * size, _reach(model) or MARK * size),
        "camera": {
            "field": FIELD,
            "middle": _list(seen.middle + first),
            "back": _list(away / np.linalg.norm(away)),
            "points": _list(points),
        },
    }
    data["masses"].insert(0, {"mass": 0.0, "at": [0.0] * 3})  # what is fixed to the world
    if live is not None:
        arrays.add("extents", extents(recording), "f4")
        data |= {"held": recording.held, "stands": any(not part.place for part in recording.parts)}
        for name, exported in live.modules().items():
            arrays.add(f"wasm {name}", np.frombuffer(exported.wasm, "u1"), "u1")
        data["physics"] = live.data()
    return data | {"arrays": arrays.table}, bytes(arrays.bytes)


def _list(values: Any) -> list:
    """Numbers in as many digits as a picture needs."""
    return (
        np.array([float(f"{x:.9g}") for x in np.ravel(values)]).reshape(np.shape(values)).tolist()
    )


def _add_film(arrays: Arrays, recording: Recording) -> None:
    """Times, and poses by body, component and time: neighbours are alike, and compress well."""
    poses, n = recording.poses[:, 1:], len(recording.t)
    at = poses[..., :3, 3] - recording.focus[:, None]
    turns = np.round(32767 * quaternions(poses[..., :3, :3]))
    arrays.add("times", recording.t, "f8")
    arrays.add("focus", recording.focus, "f8")
    arrays.add("energy", recording.energy, "f8")
    arrays.add("positions", at.transpose(1, 2, 0), "f4")
    arrays.add("turns", turns.transpose(1, 2, 0), "i2", differences=n)


def quaternions(R: np.ndarray) -> np.ndarray:
    """Quaternions (w, x, y, z) of rotations, (n, ..., 3, 3) to (n, ..., 4), without jumps in n."""
    trace = np.trace(R, axis1=-2, axis2=-1)[..., None]
    square = np.concatenate([trace, 2 * np.diagonal(R, axis1=-2, axis2=-1) - trace], -1)
    best = np.argmax(square, -1)[..., None]
    x, y, z = (R[..., i, j] - R[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    xy, yz, zx = (R[..., i, j] + R[..., j, i] for i, j in ((0, 1), (1, 2), (2, 0)))
    w2, x2, y2, z2 = np.moveaxis(1 + square, -1, 0)
    rows = [[w2, x, y, z], [x, x2, xy, zx], [y, xy, y2, yz], [z, zx, yz, z2]]  # 4 q_k q
    products = np.stack([np.stack(row, -1) for row in rows], -2)
    found = np.take_along_axis(products, best[..., None], -2)[..., 0, :]
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    turned = np.sum(found[1:] * found[:-1], -1) < 0  # q and -q are one rotation
    found[1:] *= np.where(np.cumsum(turned, 0) % 2, -1.0, 1.0)[..., None]
    return found


def _parts(arrays: Arrays, recording: Recording) -> list[dict[str, Any]]:
    """Shapes by their sizes, and meshes by triangles."""
    parts = _fewer(recording.parts, recording.name)
    found, known = [], dict[bytes, dict]()
    for place, solid, colour, opacity in parts:
        part: dict[str, Any] = {"body": place, "kind": solid.kind, "sizes": _list(solid.sizes)}
        part |= {"color": colour, "opacity": opacity, "pose": [0, 0, 0, 1, 0, 0, 0]}
        if solid.kind == "mesh":
            key = solid.vertices.tobytes() + solid.faces.tobytes()
            if key not in known:
                known[key] = _mesh(arrays, len(known), solid.vertices, solid.faces)
            part["mesh"] = known[key]
        else:
            turn = quaternions(solid.pose[None, :3, :3])[0]
            part["pose"] = _list([*solid.pose[:3, 3], *turn])
        found.append(part)
    return found


def _mesh(arrays: Arrays, k: int, vertices: np.ndarray, faces: np.ndarray) -> dict[str, Any]:
    """Points as whole numbers in the box around them, in the order in which triangles use them."""
    used, first, number = np.unique(faces, return_index=True, return_inverse=True)
    order = np.argsort(first)
    points = vertices[used[order]]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    low, span = points.min(0), np.ptp(points, axis=0)
    packed = np.round(65535 * (points - low) / np.where(span > 0, span, 1.0))
    names = f"points {k}", f"faces {k}"
    arrays.add(names[0], packed, "u2")
    arrays.add(names[1], rank[number], "u4", differences=faces.size)
    return {"points": names[0], "faces": names[1], "low": _list(low), "span": _list(span)}


def _fewer(parts: Sequence[ColouredSolid], name: str) -> list[ColouredSolid]:
    """Parts with no more triangles of meshes than pages hold."""
    meshes = [k for k, part in enumerate(parts) if part.solid.kind == "mesh"]
    count = sum(len(parts[k].solid.faces) for k in meshes)
    found = list(parts)
    if count <= TRIANGLES:
        return found
    smaller = decimated([parts[k].solid for k in meshes], TRIANGLES)
    for k, solid in zip(meshes, smaller, strict=True):
        found[k] = parts[k]._replace(solid=solid)
    caution(
        f"the meshes of `{name}` have {count} triangles, and pages hold {TRIANGLES}: they are "
        f"drawn with {sum(len(solid.faces) for solid in smaller)}.",
    )
    return [part for part in found if len(part.solid.faces)]


def _joints(model: Model) -> list[dict[str, Any]]:
    """Names of joints, their bodies, and their axes where these stay `on` some body.

    That is the joint's own, or the one that it hangs on. The second of three that turn may be
    across the others, and stays on none.
    """
    tree, rng, found = model.tree, np.random.default_rng(0), []
    for name in model.joint_names:
        i = model.joint_number(name)
        joint = tree.joint[i]
        if not (i and 1 <= joint.nv <= 3):  # some coordinates belong to no joint
            continue
        own, held, turning = zip(
            *(_axes(tree, i, joint.random(rng)) for _ in range(3)), strict=True
        )
        stays, hangs = (np.ptp(axes, axis=0).max(1) < 1e-9 for axes in (own, held))
        on = [i if a else tree.parent[i] if b else None for a, b in zip(stays, hangs, strict=True)]
        beside = [np.cross(np.cross(x[0], x[-1]), x[len(x) // 2]) for x in own]
        if on.count(None) and not (len(on) == 3 and on[1] is None and np.allclose(beside, 0.0)):
            continue
        axes = np.where(stays[:, None], own[0], held[0])
        slides = [not x for x in turning[0].tolist()]
        found.append({"name": name, "body": i, "axes": _list(axes), "on": on, "slides": slides})
    return found


def _axes(tree: Tree, i: int, q: Sequence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes of a joint in its own body, and in the one that it hangs on; which of them turn."""
    joint = tree.joint[i]
    XJ, S, *_ = joint(q, (0.0,) * joint.nv)
    columns = np.array([[*m.ang, *m.lin] for m in S], float)
    turning = np.linalg.norm(columns[:, :3], axis=1) > 0
    axes = np.where(turning[:, None], columns[:, :3], columns[:, 3:])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    R = np.array(tree.Xtree[i].R @ XJ.R, float)
    return axes, axes @ R.T, turning


def _reach(model: Model) -> float:
    """How long the limbs are, mostly: half of what is between joints."""
    tree = model.tree
    gaps = [np.linalg.norm(np.array(tree.Xtree[i].r, float)) for i in tree.bodies if tree.parent[i]]
    long = [gap for gap in gaps if gap > 1e-9]
    return 0.5 * float(np.median(long)) if long else 0.0


def _tips(recording: Recording) -> list[tuple[int, list[float]]]:
    """Ends of the bodies on which no other hangs, as far out as what is drawn of them."""
    tree, found = recording.model.tree, []
    for i in (i for i in tree.bodies if i not in tree.parent):
        drawn = [part.solid.vertices for part in recording.parts if part.place == i]
        points = np.concatenate(drawn) if drawn else np.zeros((1, 3))
        middle = points.mean(0)
        way = middle / (np.linalg.norm(middle) or 1.0)
        found.append((i, _list(way * float((points @ way).max()))))
    return found[:TIPS]
