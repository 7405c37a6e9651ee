"""Random figures are what their few numbers say."""

import numpy as np
import pytest
from law_figures import KINDS

import arthron as ar


def children(model):
    return [model.tree.parent.count(i) for i in range(model.nb + 1)]


def turns(model):
    """Angle by which each joint's frame is turned from its parent's."""
    R = np.array([np.array(X.matrix())[:3, :3] for X in model.tree.Xtree[1:]])
    return np.arccos(np.clip((np.trace(R, axis1=1, axis2=2) - 1) / 2, -1, 1))


@pytest.mark.parametrize("nb", [1, 2, 17])
@pytest.mark.parametrize("branching", [1.0, 1.5, 2.0, 3.0])
def test_size_and_branching(nb, branching):
    model = ar.random_tree(nb, branching)
    assert model.nb == nb
    assert model.tree.parent[1] == 0
    assert all(p < i for i, p in enumerate(model.tree.parent))
    inner = children(model)[1:]
    assert max(inner) <= np.ceil(branching)
    if nb == 17:
        depths = [len(list(model.tree.ancestors(i))) for i in model.tree.bodies]
        assert max(depths) == {1.0: 17, 1.5: 6, 2.0: 5, 3.0: 4}[branching]


def test_branching_is_the_mean_number_of_children():
    for branching in (1.0, 1.5, 2.0, 3.0):
        model = ar.random_tree(100, branching)
        full = [n for n in children(model)[1:] if n][:-1]  # the last one may lack some
        assert np.mean(full) == pytest.approx(branching, rel=0.05)


def test_skew():
    assert np.all(turns(ar.random_tree(9, skew=0.0)) == 0.0)
    for skew in (0.1, 1.0, 3.0):
        found = turns(ar.random_tree(9, skew=skew))
        assert np.all((found >= 0.5 * skew - 1e-9) & (found <= skew + 1e-9))
        assert np.ptp(found) > 0.1 * skew


def test_taper():
    for taper in (0.5, 0.8, 1.0):
        model = ar.random_tree(9, taper=taper)
        size = taper ** np.arange(9)
        mass = np.array([I.m for I in model.tree.I[1:]])
        assert np.all((mass >= 0.5 * size**3) & (mass <= 2.0 * size**3))
        reach = np.array([np.linalg.norm(X.r) for X in model.tree.Xtree[1:]]) / size
        assert np.all((reach > 0.2) & (reach < 2.5))


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind):
    model = ar.random_tree(5, joints=(kind,))
    assert {type(joint).__name__.lower() for joint in model.tree.joint[1:]} == {kind}
    assert len(set(model.tree.joint[1:])) == (1 if kind in ("spherical", "free") else 5)


def test_all_kinds_and_given_joints():
    model = ar.random_tree(60, joints=(*KINDS, ar.Revolute("x")), rng=1)
    kinds = {type(joint).__name__.lower() for joint in model.tree.joint[1:]}
    assert kinds == set(KINDS)
    assert ar.Revolute("x") in model.tree.joint


def test_seed_decides():
    one, same, other = (ar.random_tree(5, joints=KINDS, rng=seed) for seed in (3, 3, 4))
    assert one.tree == same.tree
    assert one.tree != other.tree
    assert ar.random_tree(5, rng=np.random.default_rng(3)).tree == ar.random_tree(5, rng=3).tree
    assert ar.random_tree(5).tree == ar.random_tree(5).tree


def test_inertias_are_those_of_bodies():
    for I in ar.random_tree(30, taper=1.0, rng=5).tree.I[1:]:
        a, b, c = np.linalg.eigvalsh(np.array(I.about_com()))
        assert 0 < a <= b <= c < a + b
        assert np.linalg.norm(I.com()) > 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nb": 0}, "nb=0"),
        ({"nb": 3, "branching": 0.5}, "branching=0.5"),
        ({"nb": 3, "joints": ("hinge",)}, "'hinge' is not known; use revolute, prismatic"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ar.ModelError, match=message):
        ar.random_tree(**arguments)
