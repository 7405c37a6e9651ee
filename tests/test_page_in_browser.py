"""Pages in a real browser, from disk and without a network."""

import numpy as np
import pytest
from browser_pages import (  # noqa: F401
    CHROMIUM,
    browser,
    opened,
    picture,
    red,
    settle,
    time_of,
    wait_until,
)

import arthron as ar

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium installed")
NAME = "</script><img src=x onerror=alert(1)> 關節 \"'&amp;"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rounded = ar.Capsule(0.05, 0.8, placement=(0, 0, -0.4), color=(0.9, 0.1, 0.1))
    rod = ar.Body("rod", ar.Revolute("y"), shapes=[rounded])
    end = ar.Body("end", ar.Revolute("y"), "rod", (0, 0, -0.8), shapes=[rounded])
    spring = ar.forces.Spring((None, (0.5, 0, 0.5)), ("end", (0, 0, -0.8)), 60.0)
    scene = ar.Scene(ar.Model([rod, end], name=NAME), [spring])
    run = ar.simulate(scene, 2.0, 0.005, q=[1.5, 0.5])
    return run.save_html(tmp_path_factory.mktemp("page") / "page.html", scene)


@pytest.fixture(scope="module")
def window(browser, path):  # noqa: F811
    yield from opened(browser, path)


@pytest.fixture
def page(window, path):
    """The page as it opens, which says nothing and asks for nothing but itself."""
    page, said = window
    page.set_viewport_size({"width": 400, "height": 440})
    page.emulate_media(reduced_motion="reduce", color_scheme="light")
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(200, 220)
    for key in ("Home", "r"):
        page.keyboard.press(key)
    settle(page)
    yield page
    settle(page)
    assert set(said) <= {path.as_uri(), "data:,"}


def seek(page, t):
    page.locator("#scrub").evaluate(
        "(it, t) => { it.value = t; it.dispatchEvent(new Event('input')); }", t
    )


def test_the_figure_is_drawn_and_names_are_text(page):
    assert len(red(page)) > 1000
    assert page.locator("h1").text_content() == NAME and page.title() == f"{NAME} · arthron"
    assert page.locator("img").count() == 0 and page.locator("#trouble").is_hidden()
    assert "J" in page.locator("#total").text_content()


def test_scrubbing_and_steps(page):
    start = red(page).mean(0)
    seek(page, 1)
    assert np.linalg.norm(red(page).mean(0) - start) > 4 and time_of(page) == 1.0
    page.locator("#forth").click()
    settle(page)
    assert time_of(page) == pytest.approx(1.035, abs=0.01)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert time_of(page) == pytest.approx(0.97, abs=0.01)
    page.keyboard.press("Home")
    settle(page)
    assert time_of(page) == 0.0 and np.allclose(red(page).mean(0), start, atol=1.0)


def test_turning_shifting_zooming_and_the_first_view(page):
    first = picture(page)
    many, at = len(red(page)), red(page)[:, 1].mean()
    page.mouse.move(200, 220)
    page.mouse.wheel(0, -400)
    assert len(red(page)) > 1.3 * many
    page.keyboard.press("r")
    assert np.abs(picture(page) - first).mean() < 1e-3
    page.mouse.down()
    page.mouse.move(280, 240, steps=3)
    page.mouse.up()
    assert np.abs(picture(page) - first).mean() > 0.005
    page.keyboard.press("r")
    page.locator("#canvas").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert red(page)[:, 1].mean() < at - 8  # the camera goes to the right


def test_marks_are_drawn(page):
    seek(page, 1)
    before = picture(page)
    for key in ("j", "v", "c", "t", "g"):
        page.keyboard.press(key)
        assert (np.abs(picture(page) - before).max(-1) > 0.1).sum() > 30, key
        page.keyboard.press(key)
    assert np.abs(picture(page) - before).max() < 0.02


def test_dark_and_light(page):
    assert picture(page)[120].mean() > 0.8
    page.emulate_media(color_scheme="dark")
    assert picture(page)[120].mean() < 0.3 and len(red(page)) > 1000
    page.keyboard.press("d")
    assert picture(page)[120].mean() > 0.8


def test_a_phone_and_two_fingers(page):
    page.set_viewport_size({"width": 390, "height": 844})
    inside = "(it) => { const b = it.getBoundingClientRect(); return [b.left, b.right, b.bottom]; }"
    for name in ("play", "back", "forth", "scrub", "time", "speed", "loop", "view"):
        left, right, bottom = page.locator(f"#{name}").evaluate(inside)
        assert 0 <= left and right <= 390 and bottom <= 844, name
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert len({page.locator(f"#{name}").evaluate(inside)[2] for name in ("play", "loop")}) == 1
    many = len(red(page))
    page.locator("#canvas").evaluate("""(it) => {
      const point = (kind, id, x, y) => it.dispatchEvent(new PointerEvent(kind,
        { pointerId: id, clientX: x, clientY: y, pointerType: 'touch', bubbles: true }));
      it.setPointerCapture = () => {};
      point('pointerdown', 1, 150, 300); point('pointerdown', 2, 250, 300);
      point('pointermove', 1, 100, 300); point('pointermove', 2, 300, 300);
      point('pointerup', 1, 100, 300); point('pointerup', 2, 300, 300);
      delete it.setPointerCapture;
    }""")
    assert len(red(page)) > 1.3 * many


def test_everything_has_a_name_and_can_be_reached_by_tab(page):
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(
            "[document.activeElement.id || document.activeElement.tagName, "
            "document.activeElement.ariaLabel || document.activeElement.textContent.trim()]"
        ))  # fmt: skip
    wanted = ["canvas", "SUMMARY", "back", "play", "forth", "scrub", "speed", "loop"]
    start = next(k for k, (name, _) in enumerate(seen) if name == "canvas")
    assert [name for name, _ in seen[start : start + len(wanted)]] == wanted
    assert all(label for _, label in seen[start : start + len(wanted)])


def test_it_plays_unless_little_motion_is_wanted(page):
    play = page.get_by_role("button", name="Play", exact=True)
    page.reload()
    page.wait_for_selector("body.ready", state="attached", timeout=60_000)
    settle(page)
    assert play.count() == 1 and time_of(page) == 0.0
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    page.wait_for_selector("body.ready", state="attached", timeout=60_000)
    wait_until(page, 0.3)
    page.keyboard.press("Space")
    settle(page)
    before, at = red(page).mean(0), time_of(page)
    assert play.count() == 1
    settle(page)
    assert time_of(page) == at
    page.keyboard.press("Space")
    wait_until(page, at + 0.25)
    page.keyboard.press("Space")
    assert np.linalg.norm(red(page).mean(0) - before) > 4
