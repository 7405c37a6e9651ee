"""Which tests `make check` runs."""

import subprocess

import changed
import pytest

NEAR = {
    "arthron/_scene/joint_forces.py": "tests/scenes/test_joint_forces.py",
    "arthron/_algorithms/energy.py": "tests/laws/test_energy_laws.py",
    "arthron/_compile/render/loops.py": "tests/compile/test_native_loops.py",
    "arthron/_files/write_urdf.py": "tests/files/test_write_urdf.py",
    "arthron/__init__.py": "tests/test_everyday.py",  # near nothing
    "tests/scenes/test_forces.py": "tests/scenes/test_forces.py",
    "tests/joints/joint_cases.py": "tests/joints/test_joint_motion.py",
    "arthron/_view/page/hand.js": "tests/test_live_in_node.py",
    "arthron/_view/page/page.css": "tests/test_page_in_browser.py",
    "tests/live_in_node.mjs": "tests/test_live_in_node.py",
    "tests/page_in_node.mjs": "tests/test_page_in_node.py",
    "README.md": "tests/test_documents.py",
}


@pytest.mark.parametrize("file", NEAR)
def test_a_changed_file_has_tests_near_it(file):
    found = changed.tests_of([file])
    assert NEAR[file] in found
    assert all((changed.ROOT / path).is_file() for path in found)
    if file.startswith("arthron") and file.endswith(".py"):
        assert len(found) <= changed.NEAREST


def test_a_module_that_no_test_names_has_those_of_its_users():
    (lowering,) = (p for p in changed._paths("arthron") if p.endswith("/lower.py"))
    assert any(path.startswith("tests/compile/") for path in changed.tests_of([lowering]))


def test_nothing_changed_needs_no_tests():
    assert changed.tests_of([]) == []


def test_what_changed_is_what_git_says(tmp_path, monkeypatch):
    def git(*command):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(changed, "ROOT", tmp_path)
    git("init", "-b", "main")
    for name in ("same", "edited", "gone"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "-m", "first")
    git("checkout", "-b", "mine")
    (tmp_path / "committed").write_text("")
    git("add", ".")
    git("commit", "-m", "second")
    (tmp_path / "edited").write_text("otherwise")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("")
    assert sorted(changed.changed()) == ["committed", "edited", "new"]
