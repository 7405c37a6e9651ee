"""Scenes of built-in elements are found by what they are made of, and never taken for another."""

import functools
import os
import subprocess
import sys
import unittest.mock
from pathlib import Path

import numpy as np
import pytest
from scene_cases import ALL, close, figure, follower, simulate, start

import arthron as ar
from arthron import controllers, forces
from arthron._scene.setup import Setup

MODEL = figure()
TARGET = (0.9, 0.1, -0.3, 0.2, 0.3, 0.0, 0.4, 1.0)

WARM = """
import sys
import numpy as np
import arthron as ar
from arthron import controllers, forces
from scene_cases import ALL, figure, follower, hinges, pulls

names = sys.argv[1:]
if names:
    import arthron._pages.compiled, arthron._pages.trace
    import arthron._simulate.system_pages, arthron._simulate.run

    def fail(*_):
        raise RuntimeError("something is traced")

    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("arthron") and hasattr(module, "trace"):
            setattr(module, "trace", fail)
    arthron._compile.run.cpu.CPU.assemble = fail

turn = ar.keyframes([0.0, 0.1, 0.3], [0.0, 0.4, 0.0])
rest = forces.Spring(("hand", (0, 0, 0.1)), (None, (0, 0, 1)), 40.0, 1.0)
wire = forces.Cable((("hand", (0, 0, 0.1)), ("leg", (0, 0, -0.2)), (None, (0, 0, 1))), 40.0)
target = (0.9, 0.1, -0.3, 0.2, 0.3, 0.0, 0.4, 1.0)
told = ar.Prescribed("shoulder", position=turn)
more = [*pulls(), forces.JointLimit("leg", 30.0), told, rest, wire]
scenes = [
    ar.Scene(hinges()),
    ar.Scene(figure(), more, controllers.pd(target, 4.0, 0.3, compensate=True)),
    ar.Scene(hinges(), (), controllers.gravity_compensation),
    ar.Scene(follower(), [ar.Prescribed("one", velocity=turn)]),
]
rows = np.linspace(8.0, 10.0, 3)
for k, scene in enumerate(scenes):
    for integrator in ALL:
        run = ar.simulate(scene, 0.02, 0.01, integrator=integrator, progress=False)
        print(k, integrator, run.q[-1].tobytes().hex())
    run = ar.simulate(scene, 0.02, 0.01, progress=False, tau=np.ones(scene.model.nv),
                      parameters={"gravity": np.stack([0 * rows, 0 * rows, -rows], -1)})
    print(k, run.q[:, -1].tobytes().hex())
"""


def test_a_warm_process_neither_traces_nor_compiles(tmp_path):
    pytest.importorskip("scipy")
    here = Path(__file__).parent
    found: list[str] = []
    for arguments in (["warm"], [], ["warm"]):
        own = {
            "XDG_CACHE_HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join([str(here), *sys.path]),
        }
        process = subprocess.run(
            [sys.executable, "-c", WARM, *arguments], capture_output=True, text=True, check=False,
            env=os.environ | own,
        )  # fmt: skip
        if arguments and not found:  # nothing is there yet
            assert "something is traced" in process.stderr
            found.append("")
            continue
        assert process.returncode == 0, process.stderr
        found.append(process.stdout)
    assert found[1] == found[2] and found[1].count("\n") == 4 * (len(ALL) + 1)


# keys


def other_figure(make=figure, **changes):
    """A figure some of whose bodies are made with other arguments."""
    real = ar.Body
    with unittest.mock.patch.object(
        ar,
        "Body",
        lambda name, *given, **more: real(name, *given, **(more | changes.get(name, {}))),
    ):
        return make.__wrapped__()


def turn(top=0.4, when=0.1):
    return ar.keyframes([0.0, when, 0.3], [0.0, top, 0.0])


def scenes():
    """Scenes of which no two compute the same, however alike they are."""
    F, scene, prescribed = forces, functools.partial(ar.Scene, MODEL), ar.Prescribed
    place, far = ("leg", (0.1, 0, 0)), (None, (0, 0, 0.2))
    yield scene()
    for gravity in ((0, 0, 0), (0, 0, -1), (0, 0, 1), (-9.81, 0, 0)):
        yield ar.Scene(MODEL.replace(gravity=gravity))
    for link in ("leg", "hand", "pad"):
        for point in ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, -1)):
            yield scene([F.BodyDamping(link, 0.3, point)])
            yield scene([F.PointForce(link, (1.5, 0, 0), point)])
    for force in ((1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0.5, 0)):
        yield scene([F.PointForce("hand", force)])
    for a, b in ((place, far), (far, place), (place, ("hand", (0, 0, 0.2)))):
        yield scene([F.PointToPoint(a, b, 30.0)])
        yield scene([F.Spring(a, b, 30.0)])
        yield scene([F.Cable((a, b), 30.0)])
    for rest in (0.0, 0.5, 1.0):
        yield scene([F.Spring(place, far, 20.0, 2.0, rest)])
    middle = ("hand", (0, 0.2, 0))
    yield scene([F.Cable((place, middle, far), 30.0, 0.0, 0.3)])
    yield scene([F.Cable((place, far, middle), 30.0, 0.0, 0.3)])
    for joint in ("trunk", "shoulder", "hand", "leg"):
        yield scene([F.JointSpring(joint, 3.0, 0.5)])
        yield scene([F.JointSpring(joint, 3.0)])
        yield scene([F.JointSpring(joint, 0.0, 3.0)])
    for joint in ("shoulder", "leg"):
        for low, high in ((-0.1, 0.2), (-0.1, np.inf), (-np.inf, 0.2), (-0.1, 0.0)):
            yield scene([F.JointLimit(joint, 30.0, 1.5, low, high)])
        for level in ("position", "velocity", "acceleration"):
            for way in (turn(), turn(0.5), turn(0.4, 0.2)):
                yield scene([prescribed(joint, **{level: way})])
        for gain in (0.0, 1.0, 2.0):
            yield scene([prescribed(joint, position=turn(), gain=gain)])
    for coordinate in (None, 0, 1):
        yield scene([prescribed("hand", position=turn(), coordinate=coordinate)])
    pd, torque = controllers.pd, controllers.computed_torque
    moving = ar.keyframes([0.0, 1.0], [TARGET, (0.8, *TARGET[1:])])
    for target in (TARGET, moving):
        yield scene(controller=pd(target, 40.0, 2.0))
        yield scene(controller=pd(target, 40.0, 2.0, compensate=True))
        yield scene(controller=torque(target, 40.0, 2.0))
    yield scene(controller=controllers.gravity_compensation)
    for efforts in (
        {"leg": {"effort": 1.0}}, {"leg": {"effort": 2.0}}, {"arm": {"effort": 1.0}},
        {"hand": {"effort": (1.0, np.inf)}}, {"hand": {"effort": (np.inf, 1.0)}},
    ):  # fmt: skip
        yield ar.Scene(other_figure(**efforts), (), pd(TARGET, 40.0, 2.0, effort_limits=True))
    for change in (
        {"leg": {"damping": 0.4}}, {"arm": {"damping": 0.4}}, {"arm": {"armature": 0.07}},
        {"trunk": {"damping": (0.3, 0.0, 0.1)}}, {"trunk": {"damping": (0.3, 0.1, 0.0)}},
        {"hand": {"placement": (0.0, 0.1, -0.8)}}, {"pad": {"placement": (0.1, 0.0, -0.3)}},
        {"leg": {"armature": 0.01}},
    ):  # fmt: skip
        yield ar.Scene(other_figure(**change), [F.BodyDamping("pad", 0.2)])
    first, second = F.JointSpring("leg", 3.0, 0.5, name="x"), F.JointSpring("leg", 3.0, name="x")
    for one, k, d in ((first, 2.0, 0.0), (second, 2.0, 0.5)):
        yield scene([one, F.JointSpring("shoulder", k, d, name="y")])
    yield ar.Scene(follower())
    for mimic in (
        ar.Mimic("one", -2.0, 0.2),
        ar.Mimic("one", 2.0, 0.1),
        ar.Mimic("two", -2.0, 0.1),
    ):
        yield ar.Scene(other_figure(follower, three={"mimic": mimic}))
    yield ar.Scene(other_figure(follower, three={"damping": 0.0}))
    body, box = ar.Body, [ar.Box((0.1, 0.2, 0.3), mass=1)]
    flying = ar.Model([body("root", ar.Free(), shapes=box),
                       body("arm", ar.Revolute("x"), "root", (0, 0, 0.2), shapes=box)])  # fmt: skip
    for root in (False, True):
        yield ar.Scene(flying, (), pd(flying.random(0), 3.0, 0.5, root=root))


def move(scene, integrator):
    q, qd = start(scene.model, 1)
    for element in scene.elements:
        if isinstance(element, ar.Prescribed):
            q[scene.model.slice_q(element.joint)] = 0.0
    return simulate(scene, 0.03, 0.01, integrator, q=q, qd=qd)


def test_no_two_scenes_have_one_key():
    keys = [scene.setup().key() for scene in scenes()]
    assert None not in keys
    assert len(set(keys)) == len(keys), [k for k in keys if keys.count(k) > 1]


def test_numbers_that_are_inputs_leave_the_key_alone():
    def key(k, d, g, target):
        model = MODEL.replace(gravity=(0, 0, g))
        element = forces.JointSpring("leg", k, d)
        return ar.Scene(model, [element], controllers.pd(target, k, d)).setup().key()

    doubled = tuple(2.0 * x if x != 1.0 else x for x in TARGET)
    assert key(3.0, 0.5, -9.81, TARGET) == key(4.0, 0.7, -1.62, doubled)
    assert key(3.0, 0.5, -9.81, TARGET) != key(3.0, 0.0, -9.81, TARGET)


def test_naming_a_number_makes_another_key():
    scene = ar.Scene(MODEL, [forces.PointForce("hand", (1.0, 0.0, 0.5), name="push")])
    keys = {scene.setup(named).key() for named in ((), ("gravity",), ("push.point",), ("inertia",))}
    assert len(keys) == 4


def wrapped(tree, t, q, qd):
    """A function that wears another's name, as `functools.wraps` makes them."""
    return [3.0 * x for x in controllers.gravity_compensation(tree, t, q, qd)]


functools.update_wrapper(wrapped, controllers.gravity_compensation)


def test_functions_of_users_have_no_key():
    ours = controllers.pd(lambda t: TARGET, 40.0, 2.0)
    for controller in (wrapped, ours, controllers.custom(ours), controllers.custom(wrapped),
                       functools.partial(controllers.gravity_compensation)):  # fmt: skip
        assert ar.Scene(MODEL, (), controller).setup().key() is None
    assert ar.Scene(MODEL, [ar.Prescribed("leg", position=lambda t: t)]).setup().key() is None


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit Euler"])
def test_scenes_found_by_key_move_as_those_that_are_traced(integrator, monkeypatch):
    chosen = [scene for k, scene in enumerate(scenes()) if k % 5 == len(integrator) % 5]
    found = [move(scene, integrator) for scene in chosen]
    monkeypatch.setattr(Setup, "key", lambda self: None)
    for scene, run in zip(chosen, found, strict=True):
        traced = move(ar.Scene(scene.model, scene.elements, scene.controller), integrator)
        close(run.q, traced.q, 1e-11)
        close(run.energy, traced.energy, 1e-10)
