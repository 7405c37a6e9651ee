"""Numbers of scenes as inputs: other values compile nothing, and move as scenes made of them."""

import dataclasses
import functools
import itertools

import numpy as np
import pytest
from scene_cases import (
    ALL,
    JOINTS,
    NATIVE,
    close,
    figure,
    simulate,
    sprung,
    start,
)
from state_cases import compiled as compiled
from state_cases import figure_of_all, leaky

import arthron as ar
from arthron import controllers, forces
from arthron._scene.parameters import put_numbers

MODEL = figure()
TARGET = (0.9, 0.1, -0.3, 0.2, 0.3, 0.0, 0.4, 1.0)


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


# sweeps


def pendulum(stiffness=3.0):
    rod = [ar.Capsule(0.02, 0.5, mass=0.4, placement=(0, 0, -0.25))]
    model = ar.Model([ar.Body("rod", ar.Revolute("y"), shapes=rod)])
    return ar.Scene(model, [forces.JointSpring("rod", stiffness, name="spring")])


def test_a_thousand_stiffnesses_compile_once_and_are_a_thousand_scenes(compiled):
    stiffness = np.linspace(2.0, 9.0, 1000)
    more = {"start": {"rod": 0.7}}
    run = simulate(pendulum(), 0.05, 0.01, parameters={"spring.stiffness": stiffness}, **more)
    assert run.q.shape == (1000, 6, 1)
    assert sum("steps" in names for names in compiled) == 1
    one = simulate(pendulum(5.5), 0.05, 0.01, **more)  # code for one row alone
    many = len(compiled)
    assert sum("steps" in names for names in compiled) == 2
    for k in range(0, 1000, 7):
        one = simulate(pendulum(float(stiffness[k])), 0.05, 0.01, **more)
        assert same(one.q, run.q[k]) and same(one.qd, run.qd[k]), k
        assert same(one.energy, run.energy[k]), k
    assert len(compiled) == many


def test_another_number_compiles_nothing(compiled):
    for integrator in ALL:
        simulate(_acting(), 0.01, 0.01, integrator)
    many = len(compiled)
    for integrator in ALL:
        simulate(_acting(lambda x: 1.5 * x), 0.01, 0.01, integrator)
    assert len(compiled) == many
    for integrator in NATIVE:
        simulate(_acting(model=MODEL.replace(gravity=(0.0, 0.0, -1.62))), 0.01, 0.01, integrator)
    assert len(compiled) == many


# every number of every element


def _elements(one=1.0):
    """Elements of all kinds; `one` stands where a number may be folded, or may be none."""
    wire = (("pad", (0, 0.1, -0.1)), ("arm", (0.2, 0, -0.1)), (None, (0.0, 0.9, 2.0)))
    turn = ar.keyframes([0.0, 0.1, 0.3], [0.1, 0.4, 0.0])
    return {
        "drag": forces.BodyDamping("leg", 0.2, (0.1, 0.0, -0.3)),
        "slow": forces.BodyDamping("hand", 0.1),
        "push": forces.PointForce("hand", (1.2, -2.0, 0.0), (0.1, 0.0, -0.3)),
        "gap": forces.PointToPoint(("arm", (0, 0.1, -0.3)), ("leg", (0.1, 0, -0.3)), 20.0, one),
        "soft": forces.PointToPoint(("arm", (0, 0, 0)), (None, (0, 0, one)), 2.0),
        "coil": forces.Spring(("pad", (0, 0.1, -0.1)), (None, (0.5, 0.3, 0.9)), 30.0, 2.0, 0.4),
        "wire": forces.Cable(wire, 15.0, 1.5, 0.4),
        "ball": forces.JointSpring("trunk", 5.0, 0.5, (0.9, 0.1, -0.3, 0.2)),
        "hinges": forces.JointSpring("hand", (3.0, 2.0), (0.0, 0.1), (0.2, -0.3)),
        "low": forces.JointLimit("leg", 30.0, 1.5, lower=0.8, upper=2.0),
        "high": forces.JointLimit("hand", (20.0, one), 0.5, (-0.2, -np.inf), (-0.1, 0.2)),
        "prescribed": ar.Prescribed("shoulder", position=turn, gain=5.0),
    }


def _scene(changes=(), kind="pd", model=MODEL, one=1.0):
    """All elements, with some fields changed: `changes` are (name, field, numbers) of them."""
    own = {name: dataclasses.replace(e, name=name) for name, e in _elements(one).items()}
    target = (*TARGET[:-1], one)
    own["controller"] = getattr(controllers, kind)(target, 4.0, (0.5,) * MODEL.nv)
    for name, field, numbers in changes:
        old = getattr(own[name], field)
        numbers = np.ravel(numbers).tolist()
        if field in ("a", "b", "points"):
            new = put_numbers(old, iter(numbers))
        else:
            new = numbers[0] if len(numbers) == 1 else tuple(numbers)
        own[name] = dataclasses.replace(own[name], **{field: new})
    controller = own.pop("controller")
    return ar.Scene(model, list(own.values()), controller)


def _acting(change=lambda x: x, model=MODEL):
    """A few of them, with other numbers."""
    e = _elements()
    coil = dataclasses.replace(e["coil"], stiffness=change(30.0), rest=change(0.4))
    ball = dataclasses.replace(e["ball"], stiffness=change(5.0), damping=change(0.5))
    prescribed = dataclasses.replace(e["prescribed"], gain=change(5.0))
    return ar.Scene(
        model, [coil, ball, prescribed], controllers.pd(TARGET, change(4.0), change(0.3))
    )


@functools.cache
def _changes(zeros):
    """Another value for each number of the scene, those that are zero too if wanted."""
    rng, found = np.random.default_rng(0), {}
    for name, value in _scene(one=1.0 if zeros else 1.25).parameters().items():
        if name in ("inertia", "placements", "damping"):
            continue
        if not zeros and not value.any():
            continue
        new = value * rng.uniform(1.1, 1.3, value.shape)
        found[name] = new + rng.uniform(0.02, 0.1, value.shape) if zeros else new
    return found


def _zeros():
    """Another value for each number of the scene that may be folded."""
    found = {n for n, x in _scene().parameters().items() if np.isin(x, (0.0, 1.0)).any()}
    return {n: x for n, x in _changes(zeros=True).items() if n in found}


def _rows(rows, values):
    """Parameters of a batch whose rows have some of the numbers changed."""
    found = {}
    for k, changes in enumerate(rows):
        for name, new in changes.items():
            found.setdefault(name, np.repeat(values[name][None], len(rows), 0))[k] = new
    return found


def _made_of(changes, **more):
    model = MODEL.replace(gravity=changes["gravity"]) if "gravity" in changes else MODEL
    fields = [(*n.split("."), x) for n, x in changes.items() if n != "gravity"]
    return _scene(fields, model=model, **more)


def _compare(integrator, rows, first=0, **more):
    """Rows of a batch with numbers changed, and scenes made of the same numbers."""
    q, qd = start(MODEL, 0)
    scene, rows = _scene(**more), [*rows, {}]
    state = {"q": q, "qd": qd}
    given = _rows(rows, scene.parameters())
    run = simulate(scene, 0.03, 0.01, integrator, parameters=given, **state)
    for k in range(first, len(rows)):
        other = simulate(_made_of(rows[k], **more), 0.03, 0.01, integrator, **state)
        for column in ("q", "qd", "kinetic", "potential", "forces"):
            close(getattr(run, column)[k], getattr(other, column), 1e-10, scale=1.0)
    same_energy = np.all(run.potential == run.potential[-1], axis=-1)
    idle = (np.abs(run.qd - run.qd[-1]).max((1, 2)) < 1e-8) & same_energy
    found = [name for k in np.flatnonzero(idle) for name in rows[k]]
    assert found in (["low.upper", "high.lower"], []), found


def _one_by_one(changes):
    return [{name: new} for name, new in changes.items()]


@pytest.mark.parametrize("integrator", sorted(set(ALL) - {"BDF1"}))  # it solves as BDF2 does
def test_every_number_given_is_the_scene_made_of_it(integrator):
    _compare(integrator, _one_by_one(_changes(zeros=False)), one=1.25)


def test_every_zero_given_is_the_scene_made_of_it():
    _compare("semi-implicit Euler", _one_by_one(_zeros()))


def test_all_zeros_given_are_the_scene_made_of_them():
    """Each alone would be another page to compile."""
    each = _one_by_one(_zeros())
    _compare("implicit Euler", [*each, _zeros()], first=len(each))


@pytest.mark.parametrize("integrator", ["implicit Euler", "Runge-Kutta"])
def test_every_number_of_computed_torque_is_the_scene_made_of_it(integrator):
    changes = {n: x for n, x in _changes(zeros=True).items() if n.startswith("controller")}
    assert len(changes) == 3
    _compare(integrator, _one_by_one(changes), kind="computed_torque")


# the figure's own


@pytest.mark.parametrize("integrator", ["leapfrog", *NATIVE[1:], "BDF2"])  # one page for all
def test_inertias_and_placements_given_are_those_of_another_figure(integrator):
    place = ar.pose((0.15, 0.1, -0.35), (0.3, -0.1, 0.2))
    few = "free", "custom", "spherical", "universal"
    kinds = tuple(JOINTS) if integrator == "semi-implicit Euler" else few
    one, other = figure_of_all(kinds=kinds), figure_of_all(1.3, place, kinds)
    q, qd = start(one, 1, (2,), speed=0.3)
    element = forces.Spring(("free", (0.1, 0.2, 0.3)), ("custom", (0, 0, 0)), 20.0, 1.0)
    hold = controllers.gravity_compensation
    given = {"inertia": other.inertial_parameters().ravel(), "placements": other.placements()}
    more = {"q": q, "qd": qd}
    a = simulate(ar.Scene(one, [element], hold), 4e-3, 2e-3, integrator, parameters=given, **more)
    b = simulate(ar.Scene(other, [element], hold), 4e-3, 2e-3, integrator, **more)
    for column in ("q", "qd", "kinetic", "potential"):
        close(getattr(a, column), getattr(b, column), 1e-9)
    plain = simulate(ar.Scene(one, [element], hold), 4e-3, 2e-3, integrator, **more)
    assert np.abs(plain.qd - b.qd).max() > 1e-3


@pytest.mark.parametrize("rows", [1, 3, 7, 33])
@pytest.mark.parametrize("integrator", NATIVE)
def test_each_row_has_numbers_of_its_own(integrator, rows):
    rng = np.random.default_rng(rows)
    q, qd = start(MODEL, 2, (rows,))
    mass = MODEL.inertial_parameters().ravel() * rng.uniform(0.8, 1.2, (rows, 1))
    given = {
        "gravity": rng.normal(size=(rows, 3)),
        "inertia": mass,
        "damping": rng.uniform(size=(rows, 1, 3)),
        "leaky.gain": rng.normal(size=rows),
        "PointForce(hand).force": (0.0, 3.0, 1.0),
    }
    run = simulate(leaky(), 0.05, 0.01, integrator, q=q, qd=qd, parameters=given)
    for k in {0, rows // 2, rows - 1}:
        own = {n: x if n.startswith("Point") else x[k] for n, x in given.items()}
        one = simulate(leaky(), 0.05, 0.01, integrator, q=q[k], qd=qd[k], parameters=own)
        for column in ("q", "qd", "kinetic", "potential"):
            close(getattr(run, column)[k], getattr(one, column), 1e-12)
        acted, alone = run.acted(leaky()), one.acted(leaky())
        for name, x in alone.items():
            close(acted[name][k], x, 1e-9, scale=1e-3)
        assert same(run.parameters["gravity"][k], own["gravity"])


def test_axes_of_parameters_broadcast():
    q, _ = start(MODEL, 2, (2, 1))
    given = {"leaky.gain": np.arange(3.0), "gravity": np.arange(6.0).reshape(2, 1, 3)}
    run = simulate(leaky(), 0.02, 0.01, q=q, parameters=given, tau=np.ones((3, MODEL.nv)))
    assert run.q.shape == (2, 3, 3, MODEL.nq)
    one = simulate(leaky(), 0.02, 0.01, q=q[1, 0], tau=np.ones(MODEL.nv),
                   parameters={"leaky.gain": 2.0, "gravity": (3.0, 4.0, 5.0)})  # fmt: skip
    close(run.q[1, 2], one.q, 1e-13)
    assert {n: x.shape for n, x in run.acted(leaky()).items()}["the Leaky 'leaky'"] == (2, 3, 3, 7)


# what is folded


def _ops(scene, **more):
    return ar.compile(ar.step(scene, **more), scene.model).op_count


def test_zeros_and_ones_are_folded_unless_named():
    def scene(point, gravity=(0.0, 0.0, -9.81)):
        element = forces.PointForce("hand", (0.0, 0.0, 1.0), point, name="push")
        return ar.Scene(MODEL.replace(gravity=gravity), [element])

    plain = _ops(scene((0.0, 0.0, 0.0)))
    assert plain < _ops(scene((0.1, 0.2, 0.3)))
    assert plain < _ops(scene((0.0, 0.0, 0.0)), parameters=("push.point",))
    assert plain < _ops(scene((0.0, 0.0, 0.0)), parameters=("gravity",))
    assert plain > _ops(scene((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for name, value in (("push.point", (0.1, 0.2, 0.3)), ("push.force", (1.0, 2.0, 0.0))):
        a = simulate(scene((0.0, 0.0, 0.0)), 0.05, 0.01, parameters={name: value})
        change = {"point": (0.0, 0.0, 0.0), "force": (0.0, 0.0, 1.0)} | {name[5:]: value}
        other = forces.PointForce("hand", change["force"], change["point"])
        close(a.q, simulate(ar.Scene(MODEL, [other]), 0.05, 0.01).q, 1e-13)


def test_a_step_lists_its_inputs():
    page = ar.step(sprung(), parameters=("gravity",))
    values = sprung().parameters()
    assert same(page.values[page.layout["gravity"]], values["gravity"])
    for name, where in page.layout.items():
        free = values[name].ravel()
        free = free if name == "gravity" else free[~np.isin(free, (0.0, 1.0, -1.0))]
        assert same(page.values[where], free), name
    assert sum(x.stop - x.start for x in page.layout.values()) == len(page.values)


# rest lengths


def test_rest_lengths_are_those_at_the_start():
    element = forces.Spring(("hand", (0.1, 0, 0)), ("leg", (0, 0, -0.2)), 40.0, name="s")
    scene = ar.Scene(MODEL, [element])
    q, qd = start(MODEL, 3, (5,))
    run = simulate(scene, 0.05, 0.01, q=q, qd=qd)
    length = element.length(MODEL, q)
    a = MODEL.frame_pose(q, "hand") @ [0.1, 0, 0, 1]
    b = MODEL.frame_pose(q, "leg") @ [0, 0, -0.2, 1]
    close(length, np.linalg.norm(a - b, axis=-1), 1e-14)
    close(run.parameters["s.rest"], length, 1e-14)
    for k in range(5):
        fixed = ar.Scene(MODEL, [dataclasses.replace(element, rest=float(length[k]))])
        close(run.q[k], simulate(fixed, 0.05, 0.01, q=q[k], qd=qd[k]).q, 1e-12)
    close(run.acted(scene)["the Spring 's'"][:, 0], np.zeros((5, MODEL.nv)), 1.0, scale=1e-11)
    given = simulate(scene, 0.05, 0.01, q=q, qd=qd, parameters={"s.rest": 0.3})
    other = ar.Scene(MODEL, [dataclasses.replace(element, rest=0.3)])
    assert same(given.q, simulate(other, 0.05, 0.01, q=q, qd=qd).q)
    assert np.isnan(scene.parameters()["s.rest"])


def test_a_cable_is_as_long_as_its_parts():
    wire = _elements()["wire"]
    q, _ = start(MODEL, 3, (2, 2))
    at = [np.broadcast_to(p, (2, 2, 3)) if link is None else
          (MODEL.frame_pose(q, link) @ [*p, 1.0])[..., :3] for link, p in wire.points]  # fmt: skip
    expected = sum(np.linalg.norm(x - y, axis=-1) for x, y in itertools.pairwise(at))
    close(wire.length(MODEL, q), expected, 1e-14)


# files


def test_a_file_is_gone_on_with_by_the_same_numbers_only(tmp_path):
    given = {"leaky.gain": 2.0, "gravity": (0.0, 1.0, -3.0)}
    whole = simulate(leaky(), 0.1, 0.01, parameters=given)
    simulate(leaky(), 0.05, 0.01, parameters=given, file=tmp_path / "run")
    for other in (
        {},
        given | {"leaky.gain": 2.5},
        given | {"leaky.gain": (2.0, 2.0)},
        {"leaky.gain": 2.0},
    ):
        with pytest.raises(ar.SimulationError, match="holds another simulation"):
            simulate(leaky(), 0.1, 0.01, parameters=other, file=tmp_path / "run")
    again = simulate(leaky(), 0.1, 0.01, parameters=given, file=tmp_path / "run")
    assert same(again.q, whole.q) and same(again.energy, whole.energy)
    assert same(ar.load_trajectory(tmp_path / "run").parameters["gravity"], (0.0, 1.0, -3.0))


def test_limits_may_be_infinite_where_they_are():
    element = _elements()["high"]
    scene, q = ar.Scene(MODEL, [element]), start(MODEL, 0)[0]
    low = (-0.1, -np.inf)
    for integrator in ("semi-implicit Euler", "implicit Euler", "BDF2"):
        a = simulate(scene, 0.03, 0.01, integrator, q=q, parameters={"JointLimit(hand).lower": low})
        other = ar.Scene(MODEL, [dataclasses.replace(element, lower=low)])
        close(a.q, simulate(other, 0.03, 0.01, integrator, q=q).q, 1e-12)


def test_links_along_a_run_are_where_its_placements_have_them(tmp_path):
    placements = np.stack([MODEL.placements()] * 3)
    placements[:, 1:, :3, 3] *= np.array([1.0, 1.5, 2.0])[:, None, None]
    pages = {
        "p": ar.sensors.position(MODEL, "pad", (0, 0, 0)),
        "v": ar.sensors.velocity(MODEL, "pad", (0, 0, 0)),
    }
    run = simulate(ar.Scene(MODEL), 0.1, 0.01, parameters={"placements": placements}, record=pages)
    read = ar.load_trajectory(run.save(tmp_path / "run"), MODEL)
    for each in (run, read):
        close(each["pad"].position, run["p"], 1e-12)
        close(each["pad"].velocity, run["v"], 1e-12)
    assert np.ptp(run["p"][:, 0], axis=0).max() > 0.1


@dataclasses.dataclass(frozen=True)
class Capacitor(ar.Element):
    """States that start where its fields say."""

    first: float = 0.5
    pair: tuple[float, float] = (2.0, 3.0)
    joints = ("leg",)

    @property
    def variables(self):
        a, b = self.pair
        return {"one": ar.Variable(2.0 * self.first), "two": ar.Variable((b, a))}

    def forces(self, here):
        return here.states["one"] + here.states["two"][1]

    def rates(self, here):
        return {"one": -here.states["one"], "two": (0.0, 0.0)}


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "Runge-Kutta"])
def test_states_start_where_parameters_say(integrator):
    scene = ar.Scene(MODEL, [Capacitor(name="c")])
    given = {"c.first": [0.5, 2.0, 4.0], "c.pair": [[[2.0, 3.0]], [[5.0, 6.0]]]}
    run = simulate(scene, 0.03, 0.01, integrator, parameters=given)
    assert run["c.one"][:, :, 0].tolist() == [[1.0, 4.0, 8.0]] * 2
    assert run["c.two"][:, 0, 0].tolist() == [[3.0, 2.0], [6.0, 5.0]]
    other = simulate(ar.Scene(MODEL, [Capacitor(4.0, (5.0, 6.0))]), 0.03, 0.01, integrator)
    close(run.q[1, 2], other.q, 1e-13)
    named = simulate(scene, 0.03, 0.01, integrator, parameters=given, start={"c.one": 7.0})
    assert (named["c.one"][..., 0] == 7.0).all()
