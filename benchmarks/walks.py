"""How far a call walks: functions and modules of arthron that it passes through, first and again.

Functions that a reader would open: with a name, at the top of a module or in a class.

Each is counted in a process of its own with an empty cache, by the interpreter's own profile hook.
"""

import os
import subprocess
import sys
import tempfile

START = """
import sys, threading
import numpy as np
import arthron as ar

def walk(call):
    seen = set()
    def note(frame, event, _):
        name, function = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
        if event == "call" and name.startswith("arthron") and "<" not in function:
            seen.add((name, function))
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(seen), len({name for name, _ in seen})

model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
rest = np.zeros(model.nv)
scene = ar.Scene(model)
calls = {
    "inverse_dynamics": lambda: model.inverse_dynamics(model.neutral(), rest, rest),
    "simulate": lambda: ar.simulate(scene, 0.1, 1e-2),
}
"""
AGAIN = "print(*walk(calls[sys.argv[1]]), *walk(calls[sys.argv[1]]))"


def main() -> None:
    print(
        f"{'call':<18} {'cache':<6} {'functions':>10} {'modules':>8} {'again':>10} {'modules':>8}"
    )
    for name in ("inverse_dynamics", "simulate"):
        with tempfile.TemporaryDirectory() as cache:
            for state in ("empty", "warm"):
                found = subprocess.run(
                    [sys.executable, "-c", START + AGAIN, name], text=True, check=True,
                    capture_output=True, env=os.environ | {"XDG_CACHE_HOME": cache},
                ).stdout.split()  # fmt: skip
                print(f"{name:<18} {state:<6} {found[0]:>10} {found[1]:>8} {found[2]:>10} "
                      f"{found[3]:>8}")  # fmt: skip


if __name__ == "__main__":
    main()
