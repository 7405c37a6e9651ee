"""A recording, or a scene from a state on, as one HTML page, which needs nothing but a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

from .._simulate.plain_file import plain_path
from ..errors import FileError
from .live import Live
from .page_data import page_data
from .recording import Recording
from .stripped import stripped

SCRIPTS = (
    "unpacked", "math", "geometry", "wasm", "source", "contacts", "hand", "physics", "camera",
    "shaders", "renderer", "figure", "player", "controls", "grab", "opening", "coordinates",
    "sliders", "plots", "recorder", "live", "main",
)  # fmt: skip
"""Of the folder `page`, each behind those that it imports."""
POLICY = (
    "default-src 'none'; script-src '{script}' 'wasm-unsafe-eval'; style-src '{style}'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
"""What the page may load (content security policy): its own script and style, by their digests."""

LETTERS = str.maketrans("<>&(", ",.:[")
"""Of base 85, which is shorter than base 64, those that HTML or a search for links takes for
something else, and what stands for them."""


def page(recording: Recording, live: Live | None = None) -> str:
    """The text of a page: of a film, or of a scene that goes on by itself."""
    data, arrays = page_data(recording, live)
    script, style = script_text(), _text("page.css")
    policy = POLICY.format(script=digest(script), style=digest(style))
    parts = {
        "policy": policy,
        "title": html.escape(recording.name),
        "file": html.escape(re.sub(r"[^\w-]+", "-", recording.name)[:40] + ".traj"),
        "caption": html.escape(recording.caption),
        "style": style,
        "script": script,
        "data": _packed(data, arrays),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def frame(recording: Recording, live: Live | None = None) -> str:
    """A page inside another one, as notebooks show it; it reaches nothing around it."""
    text = html.escape(page(recording, live), quote=True)
    return (
        f'<iframe title="{html.escape(recording.name)}" sandbox="allow-scripts allow-downloads" '
        f'style="width:100%;height:520px;border:0" srcdoc="{text}"></iframe>'
    )


def write_page(recording: Recording, path: str | Path, live: Live | None = None) -> Path:
    """Write a page to a file."""
    place = page_path(path)
    text = page(recording, live).encode("utf-8", "xmlcharrefreplace")
    try:
        place.write_bytes(text)
    except (OSError, ValueError) as error:
        raise _unwritten(place, error) from error
    return place


def page_path(given: str | Path) -> Path:
    """Where a page is to be, in a folder that is there."""
    path = plain_path(given)
    try:
        path.parent.stat()
    except (OSError, ValueError) as error:
        raise _unwritten(path, error) from error
    return path


def _unwritten(path: Path, error: Exception) -> FileError:
    why = getattr(error, "strerror", None) or error
    return FileError(
        f"the page cannot be written: {why}. Give the path of a file in a folder that is there.",
        str(path),
    )


def script_text() -> str:
    """The modules of the page as one: names are the same in all of them, so nothing is imported.

    Indents and comments go from the texts of programs for the graphics card, too.
    """
    texts = (re.sub(r"\n[ \t]+|\s// .*", "\n", _text(f"{name}.js")) for name in SCRIPTS)
    bare = (re.sub(r"^import\s[^;]*?from\s'\./\w+\.js';\n", "", t, flags=re.M) for t in texts)
    return stripped("\n".join(re.sub(r"^export\s+", "", text, flags=re.M) for text in bare))


def digest(text: str) -> str:
    """SHA-256 of a text, as policies have it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")


def _packed(data: dict[str, Any], arrays: bytes) -> str:
    """How long the JSON is in eight bytes, the JSON, and arrays, compressed together.

    In base 85, behind the number of bytes that were added at the end for it.
    """
    told = json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
    told += b" " * (-len(told) % 8)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = squeeze.compress(len(told).to_bytes(8, "little") + told + arrays) + squeeze.flush()
    pad = -len(packed) % 4
    return f"{pad}{base64.b85encode(packed, pad=True).decode().translate(LETTERS)}"
