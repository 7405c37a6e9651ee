"""Tests near what changed since main, and pytest on them: `make check`.

A test file is near a module when it is named like it or names what it defines; names that few
tests mention say more than others. Of a module that no test names, what uses it is taken. Some
files are chosen, not all that could fail: `make test` runs everything.
"""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEAREST = 3
"""Test files for a module."""
FOLDERS = {
    **dict.fromkeys(("_algorithms", "_model", "_figure"), "laws"),
    **dict.fromkeys(("_scene", "_simulate", "_integrators"), "scenes"),
    "_tree": "joints",
}
"""Tests of a folder of the package, where they are not in one of the same name."""
PAGE, OF_PAGES = "arthron/_view/page/", ("test_page", "test_live")
"""What browsers are given, and how tests of it are called."""


def changed() -> list[str]:
    """Files that differ from where this branch left main, or are new."""

    def git(*command: str) -> list[str]:
        ran = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        return ran.stdout.split()

    base = git("merge-base", "main", "HEAD") or ["HEAD"]
    others = git("ls-files", "--others", "--exclude-standard")
    return [p for p in git("diff", "--name-only", *base) + others if (ROOT / p).exists()]


def tests_of(files: list[str]) -> list[str]:
    """Test files near changed files."""
    texts = {p: (ROOT / p).read_text() for p in _paths("tests")}
    words = {p: Counter(re.findall(r"\w+", texts[p])) for p in texts if _is_test(p)}
    found: set[str] = set()
    for file in files:
        if file.startswith(PAGE):
            found |= {p for p in texts if Path(p).name.startswith(OF_PAGES)}
        elif file.endswith(".mjs"):
            for user in (p for p in texts if Path(file).name in texts[p]):
                found |= _importing(user, texts)
        elif not file.endswith(".py"):
            found.add("tests/test_documents.py")
        elif file in texts:
            found |= _importing(file, texts)
        elif file.startswith("arthron/"):
            near = _near(file, words) or [p for user in _users(file) for p in _near(user, words)]
            found.update(near[:NEAREST] or ["tests/test_everyday.py"])
    return sorted(filter(_is_test, found))


def _importing(file: str, texts: dict[str, str]) -> set[str]:
    """A file of tests, and those that import it."""
    uses = re.compile(rf"^(import|from) {Path(file).stem}\b", re.MULTILINE)
    return {file} | {p for p in texts if uses.search(texts[p])}


def _paths(folder: str) -> list[str]:
    return sorted(str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*.py"))


def _is_test(path: str) -> bool:
    return Path(path).name.startswith("test_")


def _near(module: str, words: dict[str, Counter]) -> list[str]:
    """Tests that have to do with a module of the package, the nearest first."""
    body = ast.parse((ROOT / module).read_text()).body
    names = {n.name for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names = {n for n in names if not n.startswith("_") and not re.fullmatch("[a-z]+", n)}
    mentions = {n: sum(n in w for w in words.values()) for n in names}
    folder = Path(module).parts[1]
    folder = f"tests/{FOLDERS.get(folder, folder.strip('_'))}/"

    def score(path: str) -> float:
        alike = set(Path(path).stem.split("_")) & set(Path(module).stem.split("_"))
        found = sum(words[path][n] / mentions[n] for n in names if mentions[n])
        return (3 if path.startswith(folder) else 1) * (
            len(alike) + 100.0 * found / words[path].total()
        )

    return sorted(filter(score, words), key=score, reverse=True)[:NEAREST]


def _users(module: str) -> list[str]:
    """Modules of the package that import one."""
    uses = re.compile(rf"^ *from \S*\b{Path(module).stem} import", re.MULTILINE)
    return [p for p in _paths("arthron") if uses.search((ROOT / p).read_text())]


if __name__ == "__main__":
    chosen = tests_of(changed())
    print("near what changed:", *chosen or ["no tests"], flush=True)
    if chosen:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", "-n", "auto", *chosen])
