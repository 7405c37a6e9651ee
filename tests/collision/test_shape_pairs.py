"""Distances of two shapes are those of coal, and depths where they overlap the least there are.

As a script, `make soak`: a million pairs of all kinds and several sizes.
"""

import sys
import tempfile
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from collision_cases import (
    Searches,
    coal_distances,
    compiled,
    complaints,
    depth_along,
    deviations,
    distance,
    poses,
    shapes,
    transform,
)

from arthron._collision.pairs import closed

CLOSED = [
    "sphere plane", "capsule plane", "box plane", "cylinder plane", "ellipsoid plane", "mesh plane",
    "sphere sphere", "sphere capsule", "capsule capsule", "sphere box", "sphere cylinder",
    "capsule box",
]  # fmt: skip
ALL = [" ".join(p) for p in combinations_with_replacement(
    ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"), 2)]  # fmt: skip


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    return shapes(tmp_path_factory.mktemp("meshes"))


@pytest.mark.parametrize("pair", CLOSED)
def test_distances_are_right(kinds, pair):
    a, b = (kinds[kind] for kind in pair.split())
    assert complaints(*deviations(a, b, 150, seed=1)) == []


@pytest.fixture(scope="module")
def searches(kinds):
    return Searches([shape for name, shape in kinds.items() if name != "plane"])


@pytest.mark.parametrize("pair", ALL)
def test_searches_are_right(kinds, searches, pair):
    a, b = (kinds[kind] for kind in pair.split())
    assert complaints(*deviations(a, b, 60, seed=1, function=searches.of(a, b))) == []


def test_the_deepest_contact_of_boxes_is_their_depth(kinds, searches):
    box = kinds["box"]
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 300, 7))
    x[:, :3] = y[:, :3] + rng.uniform(-0.5, 0.5, (300, 3))
    found = compiled(box, box, "contacts")(x, y)[..., 0]
    best = searches.of(box, box)(x, y)[:, 0]
    over = best < 0.0
    assert 100 < over.sum() < 280
    np.testing.assert_allclose(found[over].min(axis=1), best[over], atol=1e-7)
    assert (found[~over] > -1e-9).all()


@pytest.mark.parametrize("pair", ["capsule capsule", "capsule box"])
def test_points_are_on_the_normal(kinds, pair):
    """From the second to the first by the gap, and nothing changes when they are swapped."""
    a, b = (kinds[kind] for kind in pair.split())
    x, y = poses(a, b, 60, seed=2)
    found, back = compiled(a, b)(x, y), compiled(b, a)(y, x)
    gap, p, q = found[:, 0], found[:, 1:4], found[:, 4:]
    np.testing.assert_allclose(np.linalg.norm(p - q, axis=1), np.abs(gap), atol=1e-12)
    np.testing.assert_allclose(back[:, 0], gap, atol=1e-12)


@pytest.mark.parametrize("row", [5030, 6443])
def test_creases_nearly_as_far_all_around(tmp_path, row):
    """The side of a cylinder in an ellipsoid, where steps downhill are short."""
    a, b = shapes(tmp_path, 1)["cylinder"], shapes(tmp_path, 6)["ellipsoid"]
    x, y = (z[row] for z in poses(a, b, 8000, 1))
    _, normals = coal_distances(a, b, x[None], y[None])
    found = distance(a, transform(x.tolist()), b, transform(y.tolist()))
    own, other = depth_along(a, x, b, y, np.array([found.normal, normals[0]]))
    assert abs(own + found.gap) < 1e-7 and own < other + 1e-7


def soak(sizes=5, each=8000, first=0):
    """A million pairs, or as many as asked for; seeds from the first on."""
    total = bad = worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + sizes):
            kinds, others = (shapes(Path(folder), s) for s in (seed, seed + sizes))
            solid = [s for both in (kinds, others) for name, s in both.items() if name != "plane"]
            searches = Searches(solid)
            for pair in [*ALL, *(f"{kind} plane" for kind in list(kinds)[1:])]:
                a, b = (of[name] for of, name in zip((kinds, others), pair.split(), strict=True))
                own = None if closed(a, b) else searches.of(a, b)
                found = deviations(a, b, each, seed, own)
                wrong, most = complaints(*found), found[0].max()
                total, bad, worst = total + each, bad + len(wrong), max(worst, most)
                print(
                    f"{pair} {seed}: {len(wrong)} of {each} wrong, {most:.1e} at most", flush=True
                )
                print(*(f"  {line}\n" for line in wrong[:3]), sep="", end="")
    print(f"{bad} of {total} pairs wrong, {worst:.1e} at most")
    return bad


if __name__ == "__main__":
    sys.exit(bool(soak(*(int(x) for x in sys.argv[1:]))))
