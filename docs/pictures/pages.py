"""Pictures of live pages, as a browser shows them: the puppet of `make run`, and four robots.

`python docs/pictures/pages.py` draws `page-puppet.png` and the others. It needs Chromium,
Playwright and example-robot-data.
"""

from __future__ import annotations

import io
import shutil
import sysconfig
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import arthron as ar
from arthron.__main__ import puppet

BROWSERS = ("chromium", "chromium-browser", "chrome")
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
WINDOW, TINY = {"width": 1250, "height": 800}, {"width": 200, "height": 200}
WIDE, SMALL = (800, 512), (400, 256)
COLOURS = 256
FRAMES, FRAME = 29, 150
"""Of a page that plays before it is drawn: how many, and how long each is [ms]."""


def robot(file: str, pose: dict[str, float], *, free: bool = True) -> Callable[[Path], Path]:
    """What writes the page of a robot in a pose."""

    def write(path: Path) -> Path:
        model = ar.load(ROBOTS / file, **({"root": ar.Free()} if free else {}))
        q = model.neutral()
        for joint, angle in pose.items():
            q[model.slice_q(joint)] = angle
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # meshes of too many triangles, drawn with fewer
            return model.save_html(path, q)

    return write


def swinging(path: Path) -> Path:
    """Write the page of the puppet."""
    scene, q, qd = puppet()
    return scene.save_html(path, q, qd, integrator="implicit Euler")


READY = {
    f"panda_joint{k}": x for k, x in enumerate((0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), 1)
}
PAGES = {
    "puppet": (swinging, WIDE),
    "panda": (robot("panda_description/urdf/panda.urdf", READY, free=False), SMALL),
    "talos": (robot("talos_data/robots/talos_reduced.urdf", {}), SMALL),
    "g1": (robot("g1_description/urdf/g1_29dof_rev_1_0.urdf", {}), SMALL),
    "anymal": (robot("anymal_c_simple_description/urdf/anymal.urdf", {}), SMALL),
}
"""How the page of each picture is written, and how large that is."""
PLAYED = ("puppet",)
"""Pages that are drawn after some time, by a clock that always goes alike; others as they open."""


def main(folder: Path, names: Iterable[str] = tuple(PAGES)) -> None:
    """Draw pages into a folder, from where they open where little motion is wanted: paused."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        for name in names:
            write, size = PAGES[name]
            page = browser.new_page(viewport=WINDOW, reduced_motion="reduce", color_scheme="light")
            if name in PLAYED:
                page.clock.install(time=0)
                page.clock.pause_at(1)
            page.goto(write(Path(place, f"{name}.html")).as_uri())
            page.wait_for_selector("body.ready", state="attached", timeout=60_000)
            if name in PLAYED:
                page.set_viewport_size(TINY)  # which takes less time
                page.keyboard.press("Space")
                for _ in range(FRAMES):
                    page.clock.fast_forward(FRAME)
                page.set_viewport_size(WINDOW)
                page.wait_for_timeout(500)  # until the page knows
                page.clock.fast_forward(FRAME)
            page.wait_for_timeout(500)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(size)
            few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, 3, dither=Image.Dither.NONE)
            few.save(folder / f"page-{name}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(__file__).parent)
