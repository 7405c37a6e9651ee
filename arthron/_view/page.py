"""A recording as one HTML page that plays it, which needs nothing but a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path

from ..errors import FileError
from .live import Live
from .page_data import page_data
from .recording import Recording

SCRIPTS = (
    "math", "geometry", "wasm", "source", "hand", "physics", "camera", "shaders", "renderer",
    "figure", "player", "controls", "grab", "coordinates", "sliders", "plots", "recorder", "live",
    "main",
)  # fmt: skip
"""Of the folder `page`, each behind those that it imports."""
POLICY = (
    "default-src 'none'; script-src '{script}' 'wasm-unsafe-eval'; style-src '{style}'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
"""What the page may load (content security policy): its own script and style, by their digests."""


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
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "arrays": _packed(arrays),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def frame(recording: Recording) -> str:
    """A page inside another one, as notebooks show it; it reaches nothing around it."""
    text = html.escape(page(recording), quote=True)
    return (
        f'<iframe title="{html.escape(recording.name)}" sandbox="allow-scripts" '
        f'style="width:100%;height:520px;border:0" srcdoc="{text}"></iframe>'
    )


def write_page(recording: Recording, path: str | Path, live: Live | None = None) -> Path:
    """Write a page to a file."""
    text = page(recording, live).encode("utf-8", "xmlcharrefreplace")
    try:
        Path(path).write_bytes(text)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"the page cannot be written: {why}.", str(path)) from error
    return Path(path)


def script_text() -> str:
    """The modules of the page as one: names are the same in all of them, so nothing is imported."""
    texts = (_text(f"{name}.js") for name in SCRIPTS)
    bare = (re.sub(r"^import\s[^;]*?from\s'\./\w+\.js';\n", "", t, flags=re.M) for t in texts)
    return "\n".join(re.sub(r"^export\s+", "", text, flags=re.M) for text in bare)


def digest(text: str) -> str:
    """SHA-256 of a text, as policies have it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")


def _packed(data: bytes) -> str:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(data) + squeeze.flush()).decode()
