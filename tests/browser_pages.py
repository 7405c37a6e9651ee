"""Pages in a real browser, as tests see them."""

import io
import shutil
import time

import numpy as np
import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright installed")
Image = pytest.importorskip("PIL.Image", reason="no Pillow installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


def opened(browser, path, script=""):
    """A window with the page in it, and all that was said or asked for since."""
    context = browser.new_context(reduced_motion="reduce", color_scheme="light")
    context.set_offline(True)
    page, said = context.new_page(), []
    page.add_init_script(script)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url))
    page.goto(path.as_uri())
    page.wait_for_selector("body.ready", state="attached", timeout=60_000)
    yield page, said
    context.close()


def settle(page):
    """Wait until what was asked for is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(page):
    settle(page)
    shot = page.locator("#canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(float) / 255


def red(page):
    """Where the figure's pixels are: rows and columns."""
    pixels = picture(page)
    return np.argwhere(pixels[..., 0] - pixels[..., 1:].max(-1) > 0.25)


def time_of(page):
    return float(page.locator("#time").text_content().split("/")[0])


def wait_until(page, t):
    """By looking again and again: the page's policy lets nobody watch from inside."""
    give_up = time.monotonic() + 60
    while time_of(page) < t:
        assert time.monotonic() < give_up, "the page does not play"
        settle(page)
