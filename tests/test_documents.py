"""README, docs and examples are true: their code runs, their citations and layers exist."""

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "arthron"


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda p: p.stem)
def test_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", sorted(ROOT.glob("benchmarks/*.py")), ids=lambda p: p.stem)
def test_benchmark_finds_what_it_imports(path, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    runpy.run_path(str(path), run_name="read")


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


DOCUMENTS = [p for p in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))) if python_blocks(p)]


def test_documents_are_found():
    assert len(DOCUMENTS) >= 9


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_code_in_document_runs(path):
    blocks = python_blocks(path)
    exec(compile("\n".join(blocks), str(path), "exec"), {"__name__": path.stem})


def test_every_method_is_in_the_documents():
    """Each public name of the package, its model and its pages is named somewhere."""
    import arthron as ar

    text = "\n".join(path.read_text() for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")))
    words = set(re.findall(r"\w+", text))
    names = {n for n in (*dir(ar.Model), *vars(ar.algorithms), *vars(ar)) if not n.startswith("_")}
    assert not names - words


def test_first_figure_of_the_readme_is_right():
    import arthron as ar

    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    assert model.inverse_dynamics([model.neutral()] * 1000, *[[0] * model.nv] * 2).shape == (
        1000,
        33,
    )


def test_rnea_in_the_readme_is_the_page():
    """The README shows the lines of the page itself."""
    page = (PACKAGE / "_algorithms/rnea.py").read_text()
    block = re.search(r"def rnea\(tree.*?\.\.\.\n", (ROOT / "README.md").read_text(), re.DOTALL)
    lines = [line for line in block[0].splitlines()[2:-1] if line.strip()]
    assert len(lines) > 8 and all(line in page for line in lines)


def test_citations_are_listed():
    """A key is capitals and two digits, or RBDA."""
    listed = set(
        re.findall(r"^\| (\w+) \|", (ROOT / "docs/references.md").read_text(), re.MULTILINE)
    )
    cited = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                text = ast.get_docstring(node) or ""
                cited |= set(re.findall(r"\b(RBDA|[A-Z]{1,3}\d\d)\b", text))
    assert {"RBDA", "S19"} <= cited <= listed


LAYERS = {
    "_integrators": {
        "_integrators",
        "_scene",
        "_algorithms",
        "_differentiate",
        "_graph",
        "_model",
        "_spatial",
        "errors",
    },
    "_scene": {"_scene", "_algorithms", "_graph", "_model", "_spatial", "errors", "_api"},
    "_spatial": {"_spatial", "errors"},
    "_model": {"_model", "_graph", "_spatial", "errors"},  # the graph for custom joints
    "_algorithms": {"_algorithms", "_model", "_spatial", "errors"},
    "_graph": {"_graph", "_spatial", "errors"},
    "_compile": {"_compile", "_graph", "_spatial", "errors"},
    "_files": {"_files", "_model", "_spatial", "errors"},
}


ROOMS = {
    "lowering": {"lowering"},
    "render": {"render", "lowering", "signature"},
    "run": {"run", "render", "signature"},
}
"""Rooms of the compiler, and what each may import of it."""


def imported(path):
    """Modules of the package that a file imports, as lists of names."""
    place = path.relative_to(PACKAGE).parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            stem = place[: len(place) - node.level]
            names = node.module.split(".") if node.module else [a.name for a in node.names]
            yield (*stem, *names)
        if isinstance(node, ast.Import):
            assert all(not n.name.startswith("arthron") for n in node.names)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_import_downwards(layer):
    for path in (PACKAGE / layer).rglob("*.py"):
        for target in imported(path):
            assert target[0] in LAYERS[layer], f"{path.name} imports {target}"


def test_integrators_runs_and_files_do_not_know_prescribed_motion():
    """It is one kind of element that fixes coordinates: one module, which the package exports."""
    knowing = {p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py")
               if "Prescribed" in p.read_text()}  # fmt: skip
    assert knowing <= {f"_scene/{n}.py" for n in ("prescribed", "scene", "check")} | {"__init__.py"}
    importing = {path.name for path in PACKAGE.rglob("[!_]*.py") for target in imported(path)
                 if target[:2] == ("_scene", "prescribed")}  # fmt: skip
    assert not importing
    for folder in ("_integrators", "_simulate", "_files", "_view"):
        for path in (PACKAGE / folder).rglob("*.py"):
            assert "prescribed" not in path.read_text().lower(), path


def test_integrators_know_systems_and_not_scenes():
    """Elements, constraints and controllers reach steps through the system alone."""
    known = {"element", "lists", "loads", "rows", "solve", "system"}  # elements for `Variable`
    for path in (PACKAGE / "_integrators").glob("*.py"):
        for target in imported(path):
            assert target[0] != "_scene" or target[1] in known, f"{path.name} imports {target}"
        assert not re.search(r"element import (?!Variable\n)", path.read_text())


@pytest.mark.parametrize("room", ROOMS)
def test_the_compiler_goes_from_graph_to_text_to_code(room):
    found = {
        target[1]
        for path in (PACKAGE / "_compile" / room).rglob("*.py")
        for target in imported(path)
        if target[0] == "_compile"
    }
    assert room in found
    assert found <= ROOMS[room]


def test_files_are_short():
    long = [p.name for p in PACKAGE.rglob("*.py") if len(p.read_text().splitlines()) > 450]
    pages = [p.name for p in (PACKAGE / "_algorithms").glob("*.py")
             if len(p.read_text().splitlines()) > 140]  # fmt: skip
    assert not long and not pages
