"""What controllers that follow a target by its energy refuse, in words."""

import numpy as np
import pytest
from scene_cases import follower, simulate
from test_adaptive import LOADED, ROD

import arthron as ar
from arthron import controllers


@pytest.mark.parametrize("options, words", [
    ({"learns": ["hnd"]}, "learns link 'hnd', which `arm` does not have. Nearest: 'hand'."),
    ({"learns": []}, "learns no link. Name some in `learns`"),
    ({"bandwidth": -1.0}, "`bandwidth` of the controller is -1.0, with which errors would grow"),
    ({"damping": "much"}, "`damping` of the controller is 'much'. Give finite numbers."),
    ({"damping": "12"}, "`damping` of the controller is '12'. Give finite numbers."),
    ({"damping": [[1.0, 2.0]]}, r"`damping` of the controller is \[\[1.0, 2.0\]\]. Give num"),
    ({"learns": 3}, r'`learns` is 3. Give names of links, such as \["hand"\].'),
    ({"damping": [1.0, 2.0]}, "`damping` of the controller has 2 numbers. Give one, or 4: one for"),
    ({"adaptation": np.inf}, "`adaptation` of the controller is inf. Give finite numbers."),
    ({"adaptation": [1.0] * 3}, "`adaptation` has 3 numbers. Give one, ten .*, or 10: ten for"),
    ({"adaptation": [1.0] * 10, "natural": True}, "natural adaptation has one gain, and 10 num"),
    ({"learns": ["bead"], "natural": True}, "link 'bead' of `arm` has an inertia that no solid"),
    ({"learns": ["wall"]}, "learns link 'wall', which is fixed to the world, so that no force"),
    ({"learns": ["stand"]}, "learns link 'stand', which is fixed to the world"),
    ({"model": follower()}, "whose joints are not those of `arm`"),
])  # fmt: skip
def test_what_an_adaptive_controller_refuses(options, words):
    point = ar.spatial.Inertia.from_com(1.0, (0.0, 0.1, 0.0), np.zeros(3))
    more = [
        ar.Body("wall", ar.Fixed(), shapes=ROD),
        ar.Body("stand", ar.Fixed(), shapes=ROD, merged=False),
        ar.Body("bead", ar.Revolute("x"), inertia=point),
    ]
    model = ar.Model([*LOADED.links, *more], name="arm")
    given = {"bandwidth": 8.0, "damping": 12.0, "adaptation": 1.0, "learns": ["hand"]} | options
    with pytest.raises(ar.ModelError, match=words):
        ar.Scene(model, controller=controllers.adaptive(np.zeros(model.nq), **given))


@pytest.mark.parametrize("make", [
    lambda goal: controllers.passivity_based(goal, 1.0, 1.0),
    lambda goal: controllers.adaptive(goal, 1.0, 1.0, 1.0),
])  # fmt: skip
def test_a_floating_root_without_a_motor_is_refused(make):
    model = ar.Model([ar.Body("trunk", ar.Free(), shapes=ROD)], name="bird")
    words = "has to push at every joint of `bird`, and 'trunk' floats, where no motor is"
    with pytest.raises(ar.ModelError, match=words):
        ar.Scene(model, controller=make(model.neutral()))


def test_an_adaptive_controller_inside_another_is_refused():
    inner = controllers.adaptive(np.zeros(3), 1.0, 1.0, 1.0)
    scene = ar.Scene(LOADED, controller=lambda tree, t, q, qd: inner(tree, t, q, qd))
    with pytest.raises(ar.ArthronError, match="called by another one, which keeps no state for it"):
        simulate(scene, 0.1, 0.1)


@pytest.mark.parametrize("make", ["adaptive", "passivity_based", "computed_torque", "pd", "custom"])
def test_a_maker_of_controllers_is_to_be_called(make):
    with pytest.raises(ar.ModelError, match=rf"`ar.controllers.{make}` itself. Call it with what"):
        ar.Scene(LOADED, controller=getattr(controllers, make))
