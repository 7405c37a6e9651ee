"""JavaScript without what only people read."""

from __future__ import annotations

import re

CODE = re.compile(
    r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*|[`{}]""", re.DOTALL
)
TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
"""What something ends or begins with, in code and in a template literal."""


def stripped(text: str) -> str:
    """A script without its comments, indentation and blank lines.

    Line breaks stay, so that statements end where they did; strings and template literals stay as
    they are. Patterns (`/.../`) with quotes or slashes in them are not known.
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
    bare = re.sub(r"[ \t]+", " ", "".join(code))
    bare = re.sub(r"\s*\n\s*", "\n", bare).strip()
    return re.sub(r"\0(\d+)\0", lambda number: kept[int(number[1])], bare)
