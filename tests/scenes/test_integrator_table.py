"""The table of docs/scenes.md that says which integrator takes what is true."""

import re
from pathlib import Path

import pytest
from own_elements import Gear, Puller
from scene_cases import ALL, NATIVE, hinges, simulate

import arthron as ar

MODEL = hinges()
NAMES = (*ALL, "maximal")
TEXT = (Path(__file__).parents[2] / "docs/scenes.md").read_text()


def table():
    """Lines of the table as {integrator: {column: whether it takes that}}."""
    lines = re.search(r"^\| integrator \| fixed.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)[0]
    head, _, *rows = ([x.strip() for x in line.strip("|").split("|")]
                      for line in lines.strip().splitlines())  # fmt: skip
    found = {}
    for name, *cells in rows:
        for integrator in NATIVE if name == "Euler's three" else re.findall(r'"(.*?)"', name):
            found[integrator] = {
                column.split()[0]: cell.startswith("yes")
                for column, cell in zip(head[1:], cells, strict=True)
            }
    return found


def high(tree, t):
    return t > 0.01


ATTEMPTS = {
    "fixed": ([ar.Prescribed("leg", position=lambda t: 0.1 * t)], {}),
    "constraint": ([Gear("shoulder", "leg", 0.5)], {}),
    "states": ([Puller("pad", "leg", (0.1, 0.2, -0.5), 2.0, 0.5)], {}),
    "`until`": ([], {"until": high}),
    "`tau`": ([], {"tau": [0.1] * MODEL.nv}),
    "`record`,": ([], {"record": {"height": ar.sensors.position(MODEL, "hand")},
                       "parameters": {"gravity": (0.0, 0.1, -3.0)}}),
}  # fmt: skip


def test_all_are_in_the_table():
    assert set(table()) == set(NAMES)
    assert all(set(row) == set(ATTEMPTS) for row in table().values())


@pytest.mark.parametrize("what", ATTEMPTS)
@pytest.mark.parametrize("integrator", NAMES)
def test_an_integrator_takes_what_the_table_says(integrator, what):
    elements, more = ATTEMPTS[what]
    scene = ar.Scene(MODEL, elements)
    if table()[integrator][what]:
        assert len(simulate(scene, 0.02, 5e-3, integrator, **more)) >= 4
    else:
        with pytest.raises(ar.SimulationError, match=rf"'{integrator}' takes .*Use "):
            simulate(scene, 0.02, 5e-3, integrator, **more)
