"""What docstrings, comments and documents cite is there: its number is one of the work's.

`cited_numbers.json` lists, for each of the five documents and RBDA, the numbers of equations,
sections, algorithms, figures and so on that it has; null where that is not kept. A bare number is
an equation's. That a number is the right one, only reading can tell.
"""

import json
import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HERE = Path(__file__)

KINDS = {
    "": "equation", "Eq. ": "equation", "eq. ": "equation", "§": "section", "Alg. ": "algorithm",
    "Fig. ": "figure", "Tab. ": "table", "p. ": "page", "ch. ": "chapter", "Remark ": "remark",
    "Prop. ": "proposition",
}  # fmt: skip
KIND = "|".join(re.escape(kind) for kind in KINDS if kind)
ITEM = rf"(?:{KIND})?\(?(?:\d+(?:\.\d+)*[a-d]?|[IVX]+|[a-d])\b\)?"
ITEMS = rf"{ITEM}(?:(?:, | and | to |\u2013|/){ITEM})*"
KEY = r"\b(RBDA|[A-Z]{1,3}\d\d)"


def numbers_between(first, last):
    """All from 2.4.1 to 2.4.12, from 24a to 24d."""
    head, low, letter = re.fullmatch(r"(.*?)(\d+)([a-d]?)", first).groups()
    if letter:
        return {f"{head}{low}{chr(k)}" for k in range(ord(letter), ord(last[-1]) + 1)}
    high = int(last.removeprefix(head))
    return {f"{head}{k}" for k in range(int(low), high + 1)}


def numbers(text):
    ranges = (part.partition("-") for part in text.split())
    return set(chain.from_iterable(numbers_between(a, b) if b else {a} for a, _, b in ranges))


LISTED = {
    key: {kind: text and numbers(text) for kind, text in kinds.items()}
    for key, kinds in json.loads((HERE.parent / "cited_numbers.json").read_text()).items()
}


def items(text):
    """(kind, number) of each of "2.108, Alg. 6", of "24a, b, d"; a kind goes on to the next."""
    kind = before = ""
    for found in re.finditer(rf"({KIND})?\(?(?<!\w)(\d+(?:\.\d+)*[a-d]?|[IVX]+|[a-d])\b", text):
        kind, number = found[1] or kind, found[2]
        number = before + number if number in "abcd" else number
        before = number.rstrip("abcd")
        yield KINDS[kind], number


def citations(text):
    """(key, kind, number) of all that a text cites."""
    text = re.sub(r"\s*\n\s*(?:#\s)?\s*", " ", text)
    for key, listed in re.findall(rf"{KEY} ({ITEMS})", text):
        yield from ((key, *item) for item in items(listed))


def unknown(cited):
    """Those that the work does not have; works of which no list is kept have them all."""
    for key, kind, number in cited:
        kinds = LISTED.get(key, {kind: None})
        if kind not in kinds or (kinds[kind] is not None and number not in kinds[kind]):
            yield key, kind, number


FILES = [
    path
    for pattern in ("*.md", "docs/*.md", "arthron/**/*.py", "benchmarks/*.py", "examples/*.py",
                    "tests/**/*.py")
    for path in sorted(ROOT.glob(pattern)) if path != HERE
]  # fmt: skip


def test_what_is_cited_is_there():
    every = {path: list(citations(path.read_text())) for path in FILES}
    assert sum(map(len, every.values())) > 150
    assert {(p.name, *x) for p, cited in every.items() for x in unknown(cited)} == set()


@pytest.mark.parametrize("name, key", [("closed-form", "G13"), ("liu-jain", "LJ12")])
def test_equations_of_a_document_about_one_work_are_there(name, key):
    """They stand in parentheses, without the key."""
    text = re.sub(r"```.*?```", "", (ROOT / f"docs/{name}.md").read_text(), flags=re.DOTALL)
    cited = [(key, *item) for found in re.findall(rf"\(({ITEMS})\)", text) for item in items(found)]
    assert len(cited) > 15 and not list(unknown(cited))


def test_claims_are_where_they_are_said_to_be():
    """A table for each of the five, whose first column says where; all of its words are read."""
    text = (ROOT / "docs/claims.md").read_text()
    tables = re.findall(r"^## (\w+): .*?\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert {key for key, _ in tables} == LISTED.keys() - {"RBDA"}
    for key, table in tables:
        rows = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
        cited = [(key, *item) for row in rows for item in items(row)]
        assert len(rows) > 8 and (cited or not LISTED[key]) and not list(unknown(cited))


@pytest.mark.parametrize("text, expected", [
    ("(S19 2.63)", [("S19", "equation", "2.63")]),
    ("as S19 2.4 has, it", [("S19", "equation", "2.4")]),
    ("(S19 2.108, Alg. 6)", [("S19", "equation", "2.108"), ("S19", "algorithm", "6")]),
    ("(RBDA Tab. 5.1, p. 96; R19 7.32 to\n    # 7.42)",
     [("RBDA", "table", "5.1"), ("RBDA", "page", "96"), ("R19", "equation", "7.32"),
      ("R19", "equation", "7.42")]),
    ("(RBDA §2.13, 7.1)", [("RBDA", "section", "2.13"), ("RBDA", "section", "7.1")]),
    ("G13 (24a, b), 33", [("G13", "equation", "24a"), ("G13", "equation", "24b"),
                          ("G13", "equation", "33")]),
    ("G13 8\u201312, which", [("G13", "equation", "8"), ("G13", "equation", "12")]),
    ("G13 Remark 3, §VI", [("G13", "remark", "3"), ("G13", "section", "VI")]),
    ("(GR00) and 3 G13 have 0.71", []),
])  # fmt: skip
def test_citations_are_read(text, expected):
    assert list(citations(text)) == expected and not list(unknown(expected))


@pytest.mark.parametrize("text", [
    "(S19 2.124)", "(S19 §2.14)", "(S19 Alg. 11)", "(S19 2.4.7)", "(LJ12 62, 86)", "(LJ12 §7.4)",
    "(LJ12 24a)", "G13 (34)", "(G13 6a, 6d)", "(R19 5.12)", "(R19 Tab. 1)", "(GR00 3)",
    "(RBDA Tab. 5.9, p. 96)", "(RBDA §6.7)",
])  # fmt: skip
def test_a_made_up_number_is_found(text):
    assert len(list(unknown(citations(text)))) == 1
