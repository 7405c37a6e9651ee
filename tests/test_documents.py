"""README, docs and examples are true: their code runs, their citations and layers exist."""

import ast
import re
import runpy
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "arthron"


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda p: p.stem)
def test_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def code_lines(name):
    """Lines of an example without comments and blank ones."""
    lines = (ROOT / "examples" / f"{name}.py").read_text().splitlines()
    return len([x for x in lines if x.strip() and not x.lstrip().startswith(("#", '"""'))])


@pytest.mark.parametrize("name", ["19_delta_robot", "20_spring_leg"])
def test_linkages_take_thirty_lines(name):
    assert code_lines(name) <= 30


@pytest.mark.parametrize("name", ["36_panda_lifts", "42_quadruped_stands", "43_humanoid_stands"])
def test_everyday_contact_takes_twenty_lines(name):
    assert code_lines(name) <= 20


@pytest.mark.parametrize("path", sorted(ROOT.glob("benchmarks/*.py")), ids=lambda p: p.stem)
def test_benchmark_finds_what_it_imports(path, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    runpy.run_path(str(path), run_name="read")


def test_pictures_are_drawn_by_their_script(tmp_path):
    """What documents show is in the tree, small, and what the scripts beside it draw.

    Where a browser is, it draws the puppet; pages of robots take long, and are left as they are.
    """
    shown = {
        (path.parent / name).resolve()
        for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"))
        for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", path.read_text())
    }
    assert shown and shown == set(ROOT.glob("docs/pictures/*.png"))
    for script in ROOT.glob("docs/pictures/*.py"):
        found = runpy.run_path(str(script))
        if script.stem != "pages":
            found["main"](tmp_path)
            continue
        assert {f"page-{name}.png" for name in found["PAGES"]} == {
            path.name for path in shown if path.stem.startswith("page-")
        }
        if any(map(shutil.which, found["BROWSERS"])) and find_spec("playwright"):
            found["main"](tmp_path, ["puppet"])
    for path in shown:
        page = path.stem.startswith("page-")
        assert path.stat().st_size < (60_000 if page else 150_000)
        if page and not (tmp_path / path.name).exists():
            continue
        drawn, kept = (imread(folder / path.name) for folder in (tmp_path, path.parent))
        assert drawn.shape == kept.shape and np.abs(drawn - kept).mean() < 0.02


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


DOCUMENTS = [p for p in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))) if python_blocks(p)]


def test_documents_are_found():
    assert len(DOCUMENTS) >= 9


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_code_in_document_runs(path, tmp_path, monkeypatch):
    blocks = python_blocks(path)
    monkeypatch.chdir(tmp_path)  # what it saves is not for the tree
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


def test_files_that_documents_name_are_there():
    """`scalar.py`, `_tree/joints.py`, `tests/test_rooms.py`: somewhere, by its name and folders."""
    files = [f"/{p.relative_to(ROOT).as_posix()}" for folder in ("arthron", "tests", "examples",
             "benchmarks", "docs") for p in (ROOT / folder).rglob("*.*")]  # fmt: skip
    named = {
        (path.name, name)
        for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"))
        for name in re.findall(r"`([\w/]*\w\.py)`", path.read_text())
    }
    assert len(named) > 60
    assert {n for n in named if not any(f.endswith(f"/{n[1]}") for f in files)} == set()


def test_rooms_say_what_they_hold():
    for path in PACKAGE.rglob("_*/__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path
    order = (ROOT / "docs/reading-order.md").read_text()
    for room in PACKAGE.glob("_*/"):
        assert f"`{room.name}`" in order or room.name.startswith("__"), room


def test_every_method_is_in_the_table_of_other_libraries_names():
    """Rows name methods that there are."""
    import arthron as ar

    text = (ROOT / "docs/you-know-it-as.md").read_text()
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`(\w+)\(", row)}
    assert len(names) > 20 and names <= set(dir(ar.Model)) | set(dir(ar))


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
