"""The architecture holds: who may import whom, how long files are, one name for one idea."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "arthron"

LAYERS = {
    "errors": "",
    "_spatial": "errors",
    "_graph": "_spatial errors",
    "_tree": "_graph _spatial errors",
    "_figure": "_tree _spatial errors",
    "_files": "_figure _tree _spatial errors",
    "_compile": "_graph _spatial errors",
    "_pages": "_compile _tree _graph _spatial errors",
    "_algorithms": "_pages _tree _spatial errors",
    "_collision": "_algorithms _pages _figure _tree _graph _spatial errors",
    "_model": "_collision _algorithms _pages _compile _files _figure _tree _graph _spatial errors",
    "_contact": "_algorithms _tree _graph _spatial errors",
    "_scene": "_contact _collision _model _figure _algorithms _pages _tree _graph _spatial errors",
    "_maximal": "_scene _algorithms _tree _graph _spatial errors",
    "_integrators": "_maximal _scene _algorithms _pages _tree _graph _spatial errors",
    "_simulate": "_integrators _scene _model _algorithms _pages _compile _tree _graph _spatial "
    "errors",
    "_reference_contact": "_simulate _integrators _scene _algorithms _pages _tree _graph _spatial "
    "errors",
    "_ik": "_scene _model _collision _figure _algorithms _pages _compile _tree _graph _spatial "
    "errors",
    "_identify": "_model _figure _tree _spatial errors",
    "_optimize": "errors",
    "_spacetime": "_optimize _simulate _integrators _scene _model _collision _figure _algorithms "
    "_pages _tree _graph _spatial errors",
    "_mocap": "_ik _spacetime _optimize _simulate _scene _model _figure _files _algorithms _pages "
    "_tree _spatial errors",
    "_interop": "_model _figure _compile _tree _spatial errors",
    "_view": "_simulate _integrators _scene _model _algorithms _pages _compile _figure _tree "
    "_spatial errors",
}  # fmt: skip
"""Each room of the package, and the rooms that it may import besides itself."""

OPENED_WHEN_ASKED = {
    ("_simulate", "_view"), ("_scene", "_view"), ("_model", "_view"), ("_scene", "_simulate"),
}  # fmt: skip
"""Rooms that functions of another may import when they run: `trajectory.plot()` and `model.show()`
open the view, and `scene.stiffness()` reads states as simulations do."""

COMPILER = {
    "lowering": {"lowering"},
    "render": {"render", "lowering", "signature"},
    "run": {"run", "render", "signature"},
}
"""Rooms of the compiler, from graph to text to code, and what each may import of it."""

DOORS = {path.stem for path in PACKAGE.glob("[!_]*.py")} - {"errors"}
"""Public modules: each is a list of what it shows of the rooms."""

LONGEST = 400
LONGEST_PAGE = 140
USUAL = 150
"""Lines of a file, of a page of an algorithm, and of most files."""


def imported(path, *, top=False):
    """Modules of the package that a file imports, or imports when it is imported itself."""
    place = path.relative_to(PACKAGE).parts
    tree = ast.parse(path.read_text())
    for node in tree.body if top else ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            stem = place[: len(place) - node.level]
            names = node.module.split(".") if node.module else [a.name for a in node.names]
            yield (*stem, *names)
        if isinstance(node, ast.Import):
            assert all(not n.name.startswith("arthron") for n in node.names)


def lines(path):
    return len(path.read_text().splitlines())


def test_every_module_has_a_room():
    rooms = {p.name for p in PACKAGE.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert rooms | {"errors"} == set(LAYERS)
    private = {p.stem for p in PACKAGE.glob("_*.py")}
    assert private == {"__init__", "__main__"}


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_import_downwards(layer):
    allowed = {layer, *LAYERS[layer].split()}
    folder = PACKAGE / layer
    for path in folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]:
        at_import = set(imported(path, top=True))
        for target in imported(path):
            asked = (layer, target[0]) in OPENED_WHEN_ASKED and target not in at_import
            assert target[0] in allowed or asked, f"{path.name} imports {target}"


def test_layers_have_an_order():
    """No room needs one that needs it."""
    reached = set()
    for layer, below in LAYERS.items():
        assert set(below.split()) <= reached
        reached.add(layer)


@pytest.mark.parametrize("door", sorted(DOORS))
def test_public_modules_only_show(door):
    """Nothing but names of rooms, each under its own name."""
    body = ast.parse((PACKAGE / f"{door}.py").read_text()).body
    for node in body[1:]:
        assert isinstance(node, ast.ImportFrom), f"line {node.lineno} of {door}.py"
        for name in node.names:
            assert name.asname == name.name


def test_rooms_do_not_use_the_doors():
    for path in PACKAGE.rglob("_*/**/*.py"):
        for target in imported(path):
            assert target[0] not in DOORS, f"{path.name} imports {target}"


@pytest.mark.parametrize("room", COMPILER)
def test_the_compiler_goes_from_graph_to_text_to_code(room):
    found = {
        target[1]
        for path in (PACKAGE / "_compile" / room).rglob("*.py")
        for target in imported(path)
        if target[0] == "_compile"
    }
    assert room in found
    assert found <= COMPILER[room]


def test_one_name_for_one_idea():
    """Files and classes have names of their own; a door may have that of a file."""
    files = Counter(p.stem for p in PACKAGE.rglob("_*/**/[!_]*.py"))
    classes = Counter(
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in (files + classes).items() if n > 1] == []


def test_files_are_short():
    """A file is one idea."""
    sizes = {path: lines(path) for path in PACKAGE.rglob("*.py")}
    assert {p.name: n for p, n in sizes.items() if n > LONGEST} == {}
    assert [
        p.name for p in sizes if p.parent.name == "_algorithms" and sizes[p] > LONGEST_PAGE
    ] == []
    full = [n for n in sizes.values() if n]
    assert sum(n <= USUAL for n in full) > 0.6 * len(full)


def test_integrators_runs_and_files_do_not_know_prescribed_motion():
    """Elements that say how joints and links move: modules of theirs, which the package exports."""
    knowing = {p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py")
               if "Prescribed" in p.read_text()}  # fmt: skip
    own = ("prescribed", "prescribed_motion", "scene", "check_scene")
    assert knowing <= {f"_scene/{n}.py" for n in own} | {"__init__.py", "constraints.py"}
    importing = {path.name for path in PACKAGE.rglob("[!_]*.py") for target in imported(path)
                 if target[:2] == ("_scene", "prescribed")}  # fmt: skip
    assert not importing
    for folder in ("_integrators", "_simulate", "_files", "_view"):
        for path in (PACKAGE / folder).rglob("*.py"):
            assert "prescribed" not in path.read_text().lower(), path


def test_integrators_know_systems_and_not_scenes():
    """Elements, constraints and controllers reach steps through the system alone."""
    known = {"element", "loads", "rows", "accelerations", "active_set", "system", "contact_step"}
    # elements are known for `Variable`
    for path in (PACKAGE / "_integrators").glob("*.py"):
        for target in imported(path):
            assert target[0] != "_scene" or target[1] in known, f"{path.name} imports {target}"
        assert not re.search(r"element import (?!Variable\n)", path.read_text())
