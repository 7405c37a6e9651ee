"""XML as a tree of elements that know their line, read with care: files come from strangers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ..errors import FileError, nearest

MAX_BYTES = 64 * 2**20
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 100

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag with its attributes, the elements inside it and the text.

    Attributes:
        tag: name, with its prefix if it has one.
        attributes: text by name.
        children: elements directly inside, in order.
        line: where it starts in the file.
        path: the file.
        content: pieces of the text directly inside.
    """

    tag: str
    attributes: dict[str, str]
    children: list[Tag]
    line: int
    path: str
    content: list[str] = field(default_factory=list)

    def all(self, tag: str) -> list[Tag]:
        """Children called `tag`."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Tag | None:
        """First child called `tag`, if any."""
        return next((child for child in self.children if child.tag == tag), None)

    def require(self, tag: str) -> Tag:
        """First child called `tag`, which must be there."""
        child = self.find(tag)
        if child is None:
            raise self.error(f"{self} has no <{tag}>. Add one inside it.")
        return child

    def text(self, name: str) -> str:
        """Attribute `name`, which must be there and not be empty."""
        text = self.attributes.get(name)
        if not text:
            raise self.error(f'{self} has no {name}. Write <{self.tag} {name}="...">.')
        return text

    def numbers(
        self, name: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Attribute `name` as `count` finite numbers; `default` when it is left out."""
        if default is not None and name not in self.attributes:
            return default
        words = self.text(name).split()
        values = tuple(float(word) for word in words if NUMBER.fullmatch(word))
        if not len(words) == len(values) == count or not all(math.isfinite(v) for v in values):
            expected = "one finite number" if count == 1 else f"{count} finite numbers with spaces"
            raise self.error(f'{self} has {name}="{self.text(name)[:60]}". Give {expected}.')
        return values

    def number(self, name: str, default: float | None = None) -> float:
        """Attribute `name` as a finite number; `default` when it is left out."""
        return self.numbers(name, 1, None if default is None else (default,))[0]

    def content_number(self) -> float:
        """The text inside as a finite number."""
        text = "".join(self.content).strip()
        if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
            raise self.error(f'{self} contains "{text[:60]}". Give one finite number.')
        return float(text)

    def error(self, message: str) -> FileError:
        """The complaint `message` about this element, to be raised."""
        return FileError(message, self.path, self.line)

    def warning(self, message: str) -> str:
        """The complaint `message` about this element, with its place in the file."""
        return str(self.error(message))

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f'<{self.tag} name="{name}">' if name else f"<{self.tag}>"


def read_xml(path: str | Path) -> Tag:
    """The root element of the file at `path`."""
    return _parse(_read(Path(path)), str(path))


def _read(path: Path) -> bytes:
    """What the file holds, when it is there and of a sane size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        siblings = [sibling.name for sibling in path.parent.glob("*")]
        raise FileError(
            f"there is no such file. Check the path.{nearest(path.name, siblings)}", str(path)
        ) from None
    except IsADirectoryError:
        raise FileError("this is a directory. Name a file inside it.", str(path)) from None
    except (OSError, ValueError) as error:
        raise FileError(f"it cannot be read: {error}. Check the path.", str(path)) from None
    if len(data) > MAX_BYTES:
        raise FileError(
            f"the file is larger than {MAX_BYTES // 2**20} MB, the most that is read. Split it.",
            str(path),
        )
    if not data.strip():
        raise FileError("the file is empty. Expected XML; write or copy it again.", str(path))
    return data


def _parse(data: bytes, path: str) -> Tag:
    """The root element of an XML text."""
    data, above = _from_declaration(data)
    parser = expat.ParserCreate()
    outside = Tag("", {}, [], 0, path)
    within = [outside]
    count = 0

    def fail(message: str) -> FileError:
        return FileError(message, path, above + parser.CurrentLineNumber)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise fail(f"the file has more than {MAX_ELEMENTS:,} elements. Split it.")
        if len(within) > MAX_DEPTH:
            raise fail(f"elements are nested more than {MAX_DEPTH} deep. Flatten the file.")
        element = Tag(tag, attributes, [], above + parser.CurrentLineNumber, path)
        within[-1].children.append(element)
        within.append(element)

    def end(tag: str) -> None:
        within.pop()

    def text(piece: str) -> None:
        if not piece.isspace():
            within[-1].content.append(piece)

    def doctype(name: str, *_: object) -> None:
        raise fail(
            f"the file declares DOCTYPE {name}, which is not read, nor are entities. Remove it; "
            "if this is an HTML page, download the file that it shows."
        )

    parser.StartElementHandler = start
    parser.CharacterDataHandler = text
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileError(
            f"this is not well-formed XML: {expat.ErrorString(error.code)} at column "
            f"{error.offset + 1}. Mend the file, and save it as UTF-8.",
            path,
            above + error.lineno,
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that Python or expat cannot decode
        raise fail(f"the encoding cannot be read: {error}. Save the file as UTF-8.") from None
    return outside.children[0]


def _from_declaration(data: bytes) -> tuple[bytes, int]:
    """A text without blank lines above <?xml, where the standard wants none; and how many."""
    text = data.lstrip()
    if not text.startswith(b"<?xml"):
        return data, 0
    return text, data[: len(data) - len(text)].count(b"\n")
