"""States by name: where runs start, what they leave behind, and how they go on."""

import os

import numpy as np
import pytest
from scene_cases import (
    ALL,
    JOINTS,
    NATIVE,
    NEWTON,
    by_motion,
    close,
    figure,
    follower,
    pulls,
    simulate,
    sprung,
    start,
)
from state_cases import Filter, Leaky, figure_of_all, leaky

import arthron as ar
from arthron import forces

MODEL = figure()


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


EVERY = figure_of_all()


# starts


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_a_start_by_joint_is_the_start_by_coordinates(batch):
    q, qd = start(EVERY, 0, batch)
    by_name = {j: q[..., EVERY.slice_q(j)] for j in EVERY.joint_names}
    by_name["qd"] = {j: qd[..., EVERY.slice_qd(j)] for j in EVERY.joint_names}
    scene = ar.Scene(EVERY)
    one = simulate(scene, 2e-3, 1e-3, start=by_name)
    assert one.q.shape == (*batch, 3, EVERY.nq)
    for other in ({"q": q, "qd": qd}, {"start": {"q": q, "qd": qd}}):
        two = simulate(scene, 2e-3, 1e-3, **other)
        assert same(one.q, two.q) and same(one.qd, two.qd)


def test_joints_that_are_not_named_start_where_they_do_without():
    run = simulate(sprung(), 0.01, 0.01, start={"leg": [0.1, 0.2, 0.3], "qd": {"hand": (1.0, 2.0)}})
    q, qd = np.tile(MODEL.neutral(), (3, 1)), np.zeros((3, MODEL.nv))
    q[:, MODEL.slice_q("leg")] = [[0.1], [0.2], [0.3]]
    qd[:, MODEL.slice_qd("hand")] = 1.0, 2.0
    assert same(run.q[:, 0], q) and same(run.qd[:, 0], qd)


def test_axes_of_named_starts_broadcast():
    more = {"leg": np.linspace(0, 1, 3)[:, None, None], "shoulder": np.linspace(0, 1, 4),
            "leaky.x": np.linspace(0, 1, 4), "filter.v": (0.1, 0.2, 0.3)}  # fmt: skip
    run = simulate(leaky(), 0.01, 0.01, start=more)
    assert run.q.shape[:-2] == (3, 4) and run["leaky.x"].shape == (3, 4, 2)
    assert same(run["leg"].q[:, 1, 0, 0], np.linspace(0, 1, 3))
    assert same(run["leaky.x"][2, :, 0], np.linspace(0, 1, 4))
    assert same(run["filter.v"][1, 1, 0], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_states_of_one_number_start_as_numbers_or_columns(shape):
    run = simulate(leaky(), 0.01, 0.01, start={"leaky.x": np.arange(4.0).reshape(shape)})
    assert same(run["leaky.x"][:, 0], np.arange(4.0))


def test_states_start_where_their_elements_say():
    run = simulate(leaky(), 0.02, 0.01, q=np.tile(MODEL.neutral(), (2, 1)))
    assert same(run["leaky.x"][:, 0], [0.1, 0.1])
    assert same(run["filter.v"][:, 0], [[0.1, 0.0, -0.2]] * 2)
    x, at = run["leaky.x"], run["leg"].q[..., 0]
    close(x[:, 1:], x[:, :-1] + 0.01 * (at[:, :-1] - 2.0 * x[:, :-1]), 1e-15)


BAD_STARTS = {
    "is no dict": ([0.1], {}, "`start` is"),
    "misspelt": ({"lge": 0.3}, {}, "Nearest: 'leg'"),
    "misspelt in qd": ({"qd": {"lge": 0.3}}, {}, "Nearest: 'leg'"),
    "misspelt state": ({"leaky.y": 0.3}, {}, "Nearest: 'leaky.x'"),
    "no name": ({3: 0.3}, {}, "names '3'"),
    "twice": ({"leg": 0.3, "q": {"leg": 0.3}}, {}, "twice"),
    "whole and part": ({"q": np.zeros(8), "leg": 0.3}, {}, "twice"),
    "part and whole": ({"leg": 0.3, "q": np.zeros(8)}, {}, "twice"),
    "rates, part and whole": ({"qd": {"leg": 0.3}}, {"qd": np.zeros(7)}, "twice"),
    "beside q": ({"leg": 0.3}, {"q": MODEL.neutral()}, "twice"),
    "shape": ({"hand": (0.1, 0.2, 0.3)}, {}, "has 2 coordinates"),
    "a ball": ({"trunk": 0.3}, {}, "has 4 coordinates"),
    "no rotation": ({"trunk": (0.0, 0.0, 0.0, 0.0)}, {}, "quaternion of zeros"),
    "NaN": ({"leg": np.nan}, {}, "NaN"),
    "text": ({"leg": "up"}, {}, "Give an array of real numbers"),
    "nothing": ({"leg": None}, {}, "Give an array of real numbers"),
    "of a state": ({"filter.v": (1.0, 2.0)}, {}, r"needs \(..., 3\)"),
    "NaN of a state": ({"leaky.x": np.nan}, {}, "NaN"),
    "axes": ({"leg": np.zeros(3), "shoulder": np.zeros(4)}, {}, "do not go together"),
    "axes of states": ({"leg": np.zeros(3), "leaky.x": np.zeros(4)}, {}, "do not go together"),
}


@pytest.mark.parametrize("name", BAD_STARTS)
def test_bad_starts_are_named(name):
    given, more, words = BAD_STARTS[name]
    with pytest.raises(ar.ArthronError, match=words):
        simulate(leaky(), 0.02, 0.01, start=given, **more)


def test_a_follower_is_no_start():
    with pytest.raises(ar.SimulationError, match="no joint"):
        simulate(ar.Scene(follower()), 0.02, 0.01, start={"three": 0.1})


# going on


@pytest.mark.parametrize("batch", [(), (3,), (2, 2)])
@pytest.mark.parametrize("integrator", NATIVE)
def test_a_run_goes_on_from_its_last_state_bit_for_bit(integrator, batch):
    q, qd = start(MODEL, 5, batch)
    whole = simulate(leaky(), 0.2, 0.01, integrator, q=q, qd=qd)
    first = simulate(leaky(), 0.1, 0.01, integrator, q=q, qd=qd)
    then = simulate(leaky(), 0.1, 0.01, integrator, start=first.last())
    for name in ("q", "qd"):
        assert same(getattr(then, name), getattr(whole, name)[..., 10:, :])
    assert same(then["leaky.x"], whole["leaky.x"][..., 10:])
    assert same(then["filter.v"], whole["filter.v"][..., 10:, :])


@pytest.mark.parametrize("integrator", NATIVE)
def test_every_joint_goes_on_bit_for_bit(integrator):
    q, qd = start(EVERY, 5, (2,), speed=0.3)
    scene = ar.Scene(EVERY)
    whole = simulate(scene, 0.04, 0.002, integrator, q=q, qd=qd)
    first = simulate(scene, 0.02, 0.002, integrator, q=q, qd=qd)
    then = simulate(scene, 0.02, 0.002, integrator, start=first.last())
    assert same(then.q, whole.q[:, 10:]) and same(then.qd, whole.qd[:, 10:])


# parts of trajectories


@pytest.mark.parametrize("batch", [(), (3,)])
def test_links_and_joints_along_the_way(batch):
    q, qd = start(EVERY, 1, batch)
    run = simulate(ar.Scene(EVERY), 3e-3, 1e-3, q=q, qd=qd)
    for name in JOINTS:
        link, joint = run[name], run[f"j {name}"]
        assert same(link.pose, EVERY.frame_pose(run.q, name))
        assert same(link.position, link.pose[..., :3, 3])
        assert same(link.rotation, link.pose[..., :3, :3])
        assert same(joint.q, run.q[..., EVERY.slice_q(f"j {name}")])
        assert same(joint.qd, run.qd[..., EVERY.slice_qd(f"j {name}")])
        ahead, back = (EVERY.frame_pose(EVERY.integrate(run.q, s * run.qd), name)
                       for s in (1e-6, -1e-6))  # fmt: skip
        rate = (ahead - back) / 2e-6
        close(link.velocity, rate[..., :3, 3], 1e-7, scale=1.0)
        spin = rate[..., :3, :3] @ np.swapaxes(link.rotation, -1, -2)
        w = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], -1)
        close(link.angular_velocity, w, 1e-7, scale=1.0)


def test_a_fixed_link_is_a_link_along_the_way():
    run = simulate(sprung(), 0.01, 0.01)
    assert same(run["pad"].position, MODEL.frame_pose(run.q, "pad")[..., :3, 3])
    with pytest.raises(ar.ModelError, match="is no joint"):
        _ = run["pad"].q
    with pytest.raises(ar.ModelError, match="is no link"):
        _ = run["shoulder"].position
    with pytest.raises(ar.SimulationError, match="Nearest: 'pad'"):
        _ = run["pda"]


# files


def test_a_file_has_all_that_a_run_has(tmp_path):
    record = {"tip": ar.sensors.position(MODEL, "pad"), "M": ar.algorithms.mass_matrix,
              "s": lambda tree, q: tree.vector(q)[0]}  # fmt: skip
    q, qd = start(MODEL, 1, (2, 3))
    more = {"parameters": {"gravity": np.arange(9.0).reshape(3, 3)}, "record": record}
    run = simulate(leaky(), 0.1, 0.01, q=q, qd=qd, file=tmp_path / "a", **more)
    run.save(tmp_path / "b")
    for path in ("a", "b"):
        for model in (MODEL, None):
            found = ar.load_trajectory(tmp_path / path, model)
            for name in ("t", "q", "qd", "kinetic", "potential", "forces", "residual", "ended"):
                assert same(getattr(found, name), getattr(run, name)), name
            for name in ("tip", "M", "s", "leaky.x", "filter.v"):
                assert same(found[name], run[name]), name
            assert found.parameters.keys() == run.parameters.keys()
            assert all(same(found.parameters[n], x) for n, x in run.parameters.items())
            last = run.last()
            assert all(same(found.last()[n], x) for n, x in last.items())
    with pytest.raises(ar.SimulationError, match=r"ar.load_trajectory\(path, model\)"):
        _ = ar.load_trajectory(tmp_path / "a")["leg"]


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("integrator", ALL)
def test_a_run_that_was_cut_short_goes_on_bit_for_bit(integrator, every, tmp_path):
    own = [] if integrator in NEWTON else [Leaky("leg", name="leaky"), Filter("pad", name="f")]
    prescribed = ar.Prescribed("shoulder", position=lambda t: 0.3 * ar.sin(5.0 * t) + 0.1 * t)
    rest = forces.Spring(("hand", (0, 0, 0.1)), (None, (0, 0, 1)), 40.0, 1.0)
    scene = ar.Scene(MODEL, [*pulls(), prescribed, rest, *own])
    q, qd = start(MODEL, 4, (3,))
    q[:, MODEL.slice_q("shoulder")] = 0.0
    more = {"q": q, "qd": qd, "keep_every": every, "record": {"M": ar.algorithms.mass_matrix},
            "parameters": {"BodyDamping(leg).coefficient": (0.1, 0.2, 0.3)}}  # fmt: skip
    path = tmp_path / "run"
    whole = simulate(scene, 0.12, 0.01, integrator, file=path, **more)
    for part in (0.3, 0.8):
        os.truncate(path, int(part * path.stat().st_size))
        again = simulate(scene, 0.12, 0.01, integrator, file=path, **more)
        for name in ("t", "q", "qd", "kinetic", "potential", "forces", "residual"):
            assert same(getattr(again, name), getattr(whole, name)), name
        for name in ("M", *whole.states):
            assert same(again[name], whole[name]), name
        assert same(again.parameters["Spring(hand, world).rest"],
                    whole.parameters["Spring(hand, world).rest"])  # fmt: skip


# what acted


@pytest.mark.parametrize("batch", [(), (3,)])
def test_what_elements_with_states_did(batch):
    q, qd = start(MODEL, 5, batch)
    run = simulate(leaky(), 0.05, 0.01, q=q, qd=qd)
    acted = run.acted(leaky())
    pull = acted["the Leaky 'leaky'"]
    close(pull[..., -1], -3.0 * run["leaky.x"], 1e-14)
    J = by_motion(lambda q: MODEL.frame_pose(q, "pad")[..., :3, 3], MODEL, run.q)
    close(acted["the Filter 'filter'"], np.einsum("...ij,...i->...j", J, -0.7 * run["filter.v"]),
          1e-9)  # fmt: skip


def test_states_that_are_not_saved():
    class Secret(Leaky):
        variables = {"x": ar.Variable(0.1, saved=False)}  # noqa: RUF012

    scene = ar.Scene(MODEL, [Secret("leg", name="leaky")])
    run = simulate(scene, 0.02, 0.01)
    same_motion = simulate(ar.Scene(MODEL, [Leaky("leg", name="leaky")]), 0.02, 0.01)
    assert not run.states and same(run.q, same_motion.q)
    with pytest.raises(ar.SimulationError, match=r"'leaky\.x'"):
        run.acted(scene)


@pytest.mark.parametrize("name", ["f.ext", "body.terms", "2nd.x y", "class.def", "t.t"])
def test_states_may_be_called_anything(name):
    element, state = name.split(".")

    class Any(Leaky):
        variables = {state: ar.Variable(0.1)}  # noqa: RUF012

        def forces(self, here):
            return (-3.0 * here.states[state],)

        def rates(self, here):
            return {state: here.q[0][0] - 2.0 * here.states[state]}

    run = simulate(ar.Scene(MODEL, [Any("leg", name=element)]), 0.05, 0.01, start={name: 0.3})
    other = ar.Scene(MODEL, [Leaky("leg", name="leaky")])
    plain = simulate(other, 0.05, 0.01, start={"leaky.x": 0.3})
    close(run[name], plain["leaky.x"], 1e-13)
    close(run.q, plain.q, 1e-13)
