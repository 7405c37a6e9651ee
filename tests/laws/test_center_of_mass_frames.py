"""A frame at the centre of mass of a link: "hand.com" wherever a frame is named."""

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, rebuilt, state

import arthron as ar

LINKS = [body.name for body in PUPPET.links]
"""Moving and merged: "post" is part of "disc"."""


def own_center(link, model=PUPPET):
    """Centre of mass of a link alone in its own frame, from its shapes: mean of their centres."""
    (body,) = (b for b in model.links if b.name == link)
    masses = [shape.inertia().m for shape in body.shapes]
    centers = [np.array(shape.placement.matrix())[:3, 3] for shape in body.shapes]
    return np.average(centers, axis=0, weights=masses)


def probed(link):
    """The puppet with a fixed body without mass where the centre should be."""
    probe = ar.Body("probe", ar.Fixed(), parent=link, placement=own_center(link))
    return ar.Model([*PUPPET.links, probe], gravity=PUPPET.gravity)


@pytest.mark.parametrize("link", LINKS)
def test_it_is_where_an_extra_body_would_be(link):
    q, qd, qdd, *_ = state(PUPPET)
    there, name = probed(link), f"{link}.com"
    assert_close(PUPPET.frame_pose(q, name), there.frame_pose(q, "probe"), 1e-14)
    for axes in ("local", "world_aligned", "world"):
        ours, expected = (
            m.jacobian(q, f, axes=axes) for m, f in ((PUPPET, name), (there, "probe"))
        )
        assert_close(ours, expected, 1e-14)
        ours, expected = (
            m.frame_acceleration(q, qd, qdd, f, axes=axes)
            for m, f in ((PUPPET, name), (there, "probe"))
        )
        assert_close(ours, expected, 1e-13)
    assert_close(PUPPET.jacobian(q, name), PUPPET.jacobian(q, link, own_center(link)), 1e-14)


@pytest.mark.parametrize("link", LINKS)
def test_it_is_the_center_of_mass_of_a_figure_with_no_other_mass(link):
    """Of all bodies only one has mass, and joints that move none have armature."""
    bare = rebuilt(
        PUPPET,
        lambda body: {
            "armature": 1.0,
            **({} if body.name == link else {"shapes": (), "inertia": ar.Inertia()}),
        },
    )
    q, *_ = state(bare)
    assert_close(bare.frame_pose(q, f"{link}.com")[:, :3, 3], bare.center_of_mass(q), 1e-13)


def test_merged_links_keep_their_own():
    """By hand: an arm of 2 kg at z = 1 that carries a cup of 1 kg at x = 3 of a turned frame."""
    turn = ar.pose((0, 0, 2), (0, 0, np.pi / 2))
    bodies = [
        ar.Body("arm", ar.Prismatic("z"), inertia=ar.Inertia.from_com(2.0, (0, 0, 1), (1, 1, 1))),
        ar.Body("cup", ar.Fixed(), "arm", turn, ar.Inertia.from_com(1.0, (3, 0, 0), (1, 1, 1))),
        ar.Body("wall", ar.Fixed(), inertia=ar.Inertia.from_com(5.0, (7, 0, 0), (1, 1, 1))),
        ar.Body("mark", ar.Fixed(), "cup"),
    ]
    model = ar.Model(bodies)
    assert model.frame_names == ("arm", "cup", "mark", "wall")
    q = [0.5]
    assert_close(model.frame_pose(q, "arm.com")[:3, 3], [0, 0, 1.5], 1e-15)
    assert_close(model.frame_pose(q, "cup.com"), [[0, -1, 0, 0], [1, 0, 0, 3], [0, 0, 1, 2.5],
                                                  [0, 0, 0, 1]], 1e-15)  # fmt: skip
    assert_close(model.frame_pose(q, "wall.com")[:3, 3], [7, 0, 0], 1e-15)
    assert model.frame("cup.com").body == 1 and model.frame("wall.com").body == 0
    with pytest.raises(ar.ModelError, match=r"link 'mark' of `model` has no mass, .* Give it mass"):
        model.frame_pose(q, "mark.com")
    called_so = ar.Model([*bodies, ar.Body("arm.com", ar.Fixed(), "arm", (9, 0, 0))])
    assert_close(called_so.frame_pose(q, "arm.com")[:3, 3], [9, 0, 0.5], 1e-15)


def test_names_that_nothing_has():
    for name in ("amr.com", "arm.con", ".com", "arm.com.com"):
        with pytest.raises(ar.ModelError, match=rf"no body or frame '{name}' in `puppet`\."):
            PUPPET.frame(name)
    with pytest.raises(ar.ModelError, match=r"Nearest: 'arm'.* `model.frame_names` lists all 8"):
        PUPPET.frame("amr.com")
    with pytest.raises(ar.ModelError, match="no body or frame 3 "):
        PUPPET.frame(3)


def test_figures_hang_on_it_and_reach_with_it():
    tool = ar.Model([ar.Body("tool", ar.Revolute("x"), shapes=[ar.Sphere(0.1)])])
    place = ar.pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    both = PUPPET.attach(tool, "post.com", placement=place)
    still = both.lock("tool", both.neutral())
    q, *_ = state(still)
    expected = still.frame_pose(q, "post.com") @ np.array(place.matrix())
    assert_close(still.frame_pose(q, "tool"), expected, 1e-14)
    goal = PUPPET.frame_pose(PUPPET.random(3), "leg.com")[:3, 3]
    found = ar.ik.solve(PUPPET, [ar.ik.Point("leg.com", goal)])
    assert_close(PUPPET.frame_pose(found.q, "leg.com")[:3, 3], goal, 1e-6)
