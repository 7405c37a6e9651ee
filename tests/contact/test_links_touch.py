"""Links that touch each other: stacks, collisions, obstacles, and places that run out."""

import numpy as np
import pytest

import arthron as ar
from arthron._graph.evaluate import evaluate
from arthron._graph.ops import DEFINITION
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace
from arthron._simulate.native_steps import memory_of

APART = 14
"""Operations of a step that a pair of boxes takes which are not near each other."""


def free(name, shape):
    return ar.Body(name, ar.Free(), shapes=[shape])


def box(name, size=(0.4, 0.3, 0.2), mass=2.0):
    return free(name, ar.Box(size, mass=mass))


def at(model, **places):
    """The neutral pose with free bodies at places."""
    q = model.neutral()
    for name, p in places.items():
        q[model.slice_q(name)][:3] = p
    return q


def scene(model, *, ground=True, **options):
    own = [ar.contacts.Links(**options)]
    return ar.Scene(model, [ar.contacts.Ground(friction=0.5), *own] if ground else own)


def test_a_box_on_a_box():
    model = ar.Model([box("a"), box("b", (0.3, 0.3, 0.2), 1.0)])
    q = at(model, a=(0, 0, 0.11), b=(0.02, 0, 0.32))
    run = ar.simulate(scene(model, friction=0.5), duration=0.5, step=1e-3, q=q)
    np.testing.assert_allclose(run.contacts.on("b")[-1], [0, 0, 9.81], atol=1e-6)
    np.testing.assert_allclose(run.contacts.on("a")[-1], [0, 0, 19.62], atol=1e-6)
    assert run.contacts.penetration.max() < 1e-6
    assert ("a", "b") in zip(run.contacts.links, run.contacts.others, strict=True)


def test_obstacles_are_fixed_links():
    """A ball rolls down a board and lies behind a wall, on a plane that is a link."""
    board = ar.Body(
        "board", ar.Fixed(), placement=ar.pose((0, 0, 0.3), rpy=(0, 0.3, 0)),
        shapes=[ar.Box((1.0, 0.4, 0.02))],
    )  # fmt: skip
    wall = ar.Body("wall", ar.Fixed(), placement=(0.9, 0, 0.2), shapes=[ar.Box((0.02, 1, 0.4))])
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    model = ar.Model([floor, board, wall, free("ball", ar.Sphere(0.05, mass=1.0))])
    run = ar.simulate(
        scene(model, ground=False), duration=3.0, step=1e-3, q=at(model, ball=(-0.3, 0, 0.5))
    )
    x, _, z = run.q[-1, :3]
    assert 0.5 < x <= 0.84 + 1e-6 and z == pytest.approx(0.05, abs=1e-5)
    touched = {
        other
        for other, on in zip(run.contacts.others, run.contacts.touching.any(0), strict=True)
        if on
    }
    assert {"board", "floor"} <= touched


def test_momentum_is_kept_and_balls_bounce():
    """Two balls of different masses, off centre: momentum, and Newton's restitution."""
    model = ar.Model(
        [free("a", ar.Sphere(0.1, mass=1.0)), free("b", ar.Sphere(0.1, mass=3.0))],
        gravity=(0, 0, 0),
    )
    q, qd = at(model, b=(0.5, 0.05, 0.02)), np.zeros(12)
    qd[3:6] = 2.0, 0.1, 0.0
    run = ar.simulate(
        scene(model, ground=False, restitution=0.7, friction=0.3), duration=0.6, step=1e-3, q=q,
        qd=qd,
    )  # fmt: skip
    P = model.momentum(run.q, run.qd)
    assert np.abs(P[:, 3:] - P[0, 3:]).max() < 1e-12
    c = model.center_of_mass(run.q)
    L = P[:, :3] + np.cross(c, P[:, 3:])
    assert np.abs(L - L[0]).max() < 1e-12
    hit = int(np.argmax(run.contacts.touching.any(-1)))
    n = run.contacts.force[hit].sum(0)
    n /= np.linalg.norm(n)
    assert n[0] < -0.8

    def approach(k):
        v = model.body_velocities(run.q[k], run.qd[k])
        turn = model.body_poses(run.q[k])[:, :3, :3]
        u = np.einsum("bij,bj->bi", turn, v[:, 3:])
        return (u[0] - u[1]) @ n

    assert approach(-1) == pytest.approx(-0.7 * approach(0), rel=2e-2)
    assert run.kinetic[-1] < run.kinetic[0]


def test_frictionless_rubs_nothing_and_no_pair_costs_no_pass():
    model = ar.Model([box("a"), box("b")], gravity=(0, 0, 0))
    run = ar.simulate(
        scene(model, ground=False), duration=0.05, step=1e-3, q=at(model, b=(1.0, 0, 0))
    )
    assert run.contacts.iterations.max() == 0 and not run.contacts.touching.any()
    assert len(run.contacts.links) == 0


def executed(model, elements, *states):
    """Operations that a step takes from states, loops as often as they run."""
    page = ar.step(ar.Scene(model, elements), "leapfrog")
    program = trace(page, model.tree, page_inputs(page, model.tree))
    nodes = [node for _, own in program.outputs for node in own]
    memory = memory_of(ar.Scene(model, elements).setup(), ar.integrators.NAMED["leapfrog"])
    more = [np.ravel(np.asarray(x.start, float)) for x in memory.values()]
    counts = []

    def counting(operation):
        def counted(*given):
            counts[-1] += 1
            return operation(*given)

        return counted

    definition = {op: counting(operation) for op, operation in DEFINITION.items()}
    for q in states:
        counts.append(0)
        given = q, np.zeros(model.nv), *more, [0.0, 1e-3], page.values
        numbers = [float(x) for each in given for x in each]
        evaluate(program.graph, nodes, numbers, definition)
    return counts


def test_pairs_that_are_apart_cost_their_bounding_test():
    """Of boxes, of which each pair that is near takes thousands of operations."""
    apart, beside = [], []
    for many in (4, 5, 6):
        model = ar.Model([box(f"b{k}") for k in range(many)])
        rows = [at(model, **{f"b{k}": (x * k, 0.0, 5.0) for k in range(many)}) for x in (2.0, 0.4)]
        far, near = executed(model, [ar.contacts.Links(max_contacts=4)], *rows)
        apart.append(far)
        beside.append((near - far) / (many - 1))
    assert apart[0] - 2 * apart[1] + apart[2] == APART  # pairs are 6, 10 and 15
    assert min(beside) > 2000


def test_shapes_of_all_kinds_lie_on_each_other():
    """Each comes to rest on a table, and its weight is what it presses with."""
    shapes = {
        "sphere": ar.Sphere(0.1, mass=1.0),
        "capsule": ar.Capsule(0.1, 0.3, mass=1.0, placement=ar.pose(rpy=(1.5707963, 0, 0))),
        "cylinder": ar.Cylinder(0.1, 0.3, mass=1.0),
        "ellipsoid": ar.Ellipsoid((0.2, 0.15, 0.1), mass=1.0),
    }
    table = ar.Body("table", ar.Fixed(), shapes=[ar.Box((9, 2, 0.2), placement=(0, 0, -0.1))])
    model = ar.Model([table, *(free(name, shape) for name, shape in shapes.items())])
    pairs = [("table", list(shapes))]
    places = {name: (1.0 * k - 2.0, 0, 0.2) for k, name in enumerate(shapes)}
    run = ar.simulate(
        scene(model, ground=False, pairs=pairs), duration=1.5, step=1e-3, q=at(model, **places)
    )
    for name in shapes:
        weight = run.contacts.on(name)[-300:].mean(0)
        np.testing.assert_allclose(weight, [0, 0, 9.81], atol=0.05, err_msg=name)
    assert run.contacts.penetration[-500:].max() < 1e-4


def test_where_places_run_out_the_deepest_count():
    model = ar.Model([free(f"b{k}", ar.Sphere(0.1, mass=1.0)) for k in range(6)])
    places = {f"b{k}": (0.3 * k, 0, 0.099) for k in range(6)}
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    model = ar.Model([floor, *model.links])
    own = scene(model, ground=False, max_contacts=4)
    with pytest.warns(ar.SimulationWarning, match="max_contacts"):
        run = ar.simulate(own, duration=0.01, step=1e-3, q=at(model, **places))
    assert run.contacts.overflow.max() == 2
    assert run.contacts.touching[1:].sum(-1).max() == 4


def test_the_deepest_have_the_places():
    """Three places for six balls: whichever are the deepest are pushed, and the others fall."""
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    balls = [f"b{k}" for k in range(6)]
    model = ar.Model([floor, *(free(name, ar.Sphere(0.1, mass=1.0)) for name in balls)])
    rng = np.random.default_rng(0)
    depth = np.array([rng.permutation(6) for _ in range(20)])
    q = np.array([
        at(model, **{f"b{k}": (0.3 * k, 0, 0.099 - 1e-3 * d) for k, d in enumerate(row)})
        for row in depth
    ])  # fmt: skip
    with pytest.warns(ar.SimulationWarning, match="max_contacts|from the start"):
        run = ar.simulate(scene(model, ground=False, max_contacts=3), 1e-3, step=1e-3, q=q)
    pushed = np.stack([run.contacts.on(name)[:, 1, 2] for name in balls], -1)
    np.testing.assert_array_equal(pushed > 0.0, depth >= 3)
    assert (run.contacts.overflow[:, 1] == 3).all()
    np.testing.assert_allclose(run.qd[:, 1, 5::6][depth < 3], -9.81e-3)


def test_each_element_has_its_own_friction():
    """Two blocks side by side stop after v^2 / 2 mu g, each by the mu of its own pair."""
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Plane()])
    model = ar.Model([floor, box("ice"), box("wood")])
    mu, speed = np.array([0.25, 0.6]), 1.0
    elements = [
        ar.contacts.Links([("floor", name)], friction=x, name=name)
        for name, x in zip(("ice", "wood"), mu, strict=True)
    ]
    q, qd = at(model, ice=(0, 0, 0.1), wood=(0, 0.31, 0.1)), np.zeros(12)
    qd[[3, 9]] = speed
    run = ar.simulate(ar.Scene(model, elements), 0.5, 1e-3, q=q, qd=qd)
    np.testing.assert_allclose(run.q[-1, [0, 7]], speed**2 / (2.0 * mu * 9.81), rtol=1e-4)
    assert np.abs(run.qd[-1]).max() < 1e-6
    for name, x in zip(("ice", "wood"), mu, strict=True):
        np.testing.assert_allclose(run.contacts.on(name)[50], [-x * 19.62, 0, 19.62], atol=1e-4)


def test_terrain_carries():
    """A field of heights that is a slope: a box sticks to it, and a ball rolls down (5/7 of it)."""
    tilt, half, radius = 0.2, 0.05, 0.08
    x, up = np.linspace(-1.0, 1.0, 5), np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    heights = np.repeat(-np.tan(tilt) * x[:, None], 4, 1)
    field = ar.Body("field", ar.Fixed(), shapes=[ar.HeightField(heights, (2.0, 1.5))])
    model = ar.Model([field, box("box", (0.2, 0.15, 2.0 * half)), free("ball", ar.Sphere(radius))])
    places = {"box": (0.013, -0.4, half), "ball": (-0.313, 0.3, radius)}  # astride of triangles
    q = at(model, **{
        name: np.array([x, y, -np.tan(tilt) * x]) + above * up
        for name, (x, y, above) in places.items()
    })  # fmt: skip
    q[model.slice_q("box")][3:7] = np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0
    own = scene(model, ground=False, pairs=[("field", ["box", "ball"])], friction=0.5)
    run = ar.simulate(own, 0.5, 1e-3, q=q)
    rolled = 0.5 * 5.0 / 7.0 * 9.81 * np.sin(tilt) * 0.5**2
    for name, height, way in (("box", half, 0.0), ("ball", radius, rolled)):
        p = run[name].position
        np.testing.assert_allclose(p @ up, height, atol=1e-7, err_msg=name)
        np.testing.assert_allclose(np.linalg.norm(p[-1] - p[0]), way, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(run.contacts.on("box")[-1], [0.0, 0.0, 19.62], atol=1e-6)


def test_links_that_overlap_from_the_start_are_told(recwarn):
    """As wrists and hands of robots' files do; left out they push no more."""
    model = ar.Model([free(name, ar.Sphere(0.1, mass=1.0)) for name in "abcd"])
    q = at(model, a=(0, 0, 0), b=(0.15, 0, 0), c=(0, 0.195, 0), d=(0, 0, 0.2))
    with pytest.warns(
        ar.SimulationWarning, match=r"'a' was 0\.05 m deep in 'b'.*of 2 pairs.*Links\("
    ):
        run = ar.simulate(scene(model, ground=False), 0.01, step=1e-3, q=q)
    assert 0.0 < np.abs(run.qd[-1]).max() < 1.0  # not thrown
    gaps = model.distances(q)
    pairs = [both for both, gap in zip(gaps.pairs, gaps.gap, strict=True) if gap > 0.0]
    recwarn.clear()
    ar.simulate(scene(model, ground=False, pairs=pairs), 0.01, step=1e-3, q=q)
    assert not recwarn


def test_a_batch_and_its_rows_agree(tmp_path):
    model = ar.Model([box("a"), box("b"), box("c")])
    rng = np.random.default_rng(0)
    q = np.array([
        at(model, a=(0, 0, 0.15), b=(*rng.uniform(-0.1, 0.1, 2), 0.45), c=(0.1, 0.05, 0.8))
        for _ in range(5)
    ])  # fmt: skip
    own = scene(model)
    many = ar.simulate(own, duration=0.3, step=1e-3, q=q)
    one = ar.simulate(own, duration=0.3, step=1e-3, q=q[2])
    np.testing.assert_allclose(many.q[2], one.q, atol=1e-9)
    np.testing.assert_allclose(many.contacts.on("b")[2], one.contacts.on("b"), atol=1e-5)
    again = ar.load_trajectory(many.save(tmp_path / "run.arthron"), model)
    np.testing.assert_array_equal(again.contacts.force, many.contacts.force)


def test_what_cannot_be_meant_is_told():
    lonely = ar.Model([box("a")])
    with pytest.raises(ar.ModelError, match="nothing that touches"):
        ar.Scene(lonely, [ar.contacts.Links()])
    two = ar.Model([box("a"), box("b")])
    many = ar.contacts.Links(max_contacts=10**9).fitted(two)
    assert many.max_contacts == len(many.found.pairs) == 1
    for bad in (0, 1.5, True, "many"):
        with pytest.raises(ar.ModelError, match="max_contacts"):
            ar.Scene(two, [ar.contacts.Links(max_contacts=bad)])
    with pytest.raises(ar.ModelError, match="friction"):
        ar.Scene(two, [ar.contacts.Links(friction=-1.0)])
    with pytest.raises(ar.ModelError, match="no link 'd'"):
        ar.Scene(two, [ar.contacts.Links(pairs=[("a", "d")])])


@pytest.mark.filterwarnings("error")
def test_a_person_touches_itself_by_the_recipe_of_the_warning():
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    q = model.neutral()
    q[2] = 3.0
    with pytest.raises(ar.SimulationWarning, match=r"deepest of 12 pairs.*model\.distances\(q\)"):
        ar.simulate(ar.Scene(model, [ar.contacts.Links()]), 0.003, 1e-3, q=q)
    at = model.distances(q)
    links = ar.contacts.Links([both for both, gap in zip(at.pairs, at.gap, strict=True) if gap > 0])
    run = ar.simulate(ar.Scene(model, [links]), 0.003, 1e-3, q=q)
    assert not run.contacts.touching.any()
