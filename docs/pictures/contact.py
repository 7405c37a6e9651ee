"""The pictures of docs/contact-scenes.md: examples with contact, at some times side by side.

`python docs/pictures/contact.py` draws `contact-dominoes.png` and the others.
"""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZE = (640, 180)
SHOWN = {
    "dominoes": ("31_dominoes", [0.0, 0.4, 0.5, 1.0], None),
    "stack": ("32_box_stack", [0.0, 5.0], None),
    "wheel": ("34_rimless_wheel", [0.0, 0.3, 0.6, 0.9], None),
    "gripper": ("35_gripper", [0.0, 0.15, 0.3], 0),
    "panda": ("36_panda_lifts", [0.0, 0.5, 1.0, 2.0], None),
}
"""Of each picture its example, times [s], and which row of a batch."""


def main(folder: Path) -> None:
    """Run the examples and draw them into a folder."""
    for name, (example, times, row) in SHOWN.items():
        found = runpy.run_path(str(EXAMPLES / f"{example}.py"))
        run = found["run"] if row is None else found["run"].row(row)
        run.save_strip(folder / f"contact-{name}.png", found["scene"], t=times, size=SIZE)


if __name__ == "__main__":
    main(Path(__file__).parent)
