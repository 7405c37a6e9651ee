"""JavaScript without what only people read."""

from __future__ import annotations

import re

CODE = re.compile(
    r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*|[`{}]""", re.DOTALL
)
TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
"""What something ends or begins with, in code and in a template literal."""


def stripped(text: str) -> str:
    """A script without its comments, and without the spaces and line breaks that it can spare.

    Line breaks by which statements end stay; so do strings and template literals as they are.
    Patterns (`/.../`) are not known, so there may be no spaces and no quotes in them.
    """
    code, kept, nested = [], list[str](), list[str]()
    at = 0

    def keep(literal: str) -> None:
        code.append(f"\0{len(kept)}\0")
        kept.append(literal)

    while True:
        inside = nested[-1:] == ["`"]
        found = (TEMPLATE if inside else CODE).search(text, at)
        before = text[at : found.start() if found else None]
        (keep if inside and before else code.append)(before)
        if found is None:
            break
        token, at = found[0], found.end()
        if token == "`" and inside:
            nested.pop()
        elif token in ("`", "{", "${"):
            nested.append(token)
        elif token == "}" and nested:
            nested.pop()
        if token.startswith(("//", "/*")):
            code.append(" ")
        elif inside or token[0] in "'\"":
            keep(token)
        else:
            code.append(token)
    bare = re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t]+", " ", "".join(code))).strip()
    bare = re.sub(r" ?([=(){}\[\],;:?<>&|*/]) ?", r"\1", bare)
    bare = re.sub(r"(?<![+-]) ([+-]) (?![+-])", r"\1", bare)
    bare = re.sub(r"(?<![\w.])0(\.\d)", r"\1", bare)
    bare = re.sub(r"(?<=[{(\[,;])\n|\n(?=[})\]])", "", bare)
    bare = re.sub(r"(?<!\));}", "}", bare)
    return re.sub(r"\0(\d+)\0", lambda number: kept[int(number[1])], bare)
