"""A live page in a real browser: it moves, is pulled, tuned and recorded, and tells the truth."""

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
COUNT = """
window.compiled = 0;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = (...given) => { window.compiled += 1; return instantiate(...given); };
for (const name of ['Module', 'Instance'])
  WebAssembly[name] = function () { console.error('compiled while the page waits'); };
"""


@pytest.fixture(scope="module")
def scene():
    """A figure that nothing holds, without gravity."""
    red_one = ar.Capsule(0.12, 0.8, placement=(0.05, 0, 0), color=(0.9, 0.1, 0.1), mass=3.0)
    tip = ar.Capsule(0.1, 0.4, placement=(0, 0.05, -0.3), color=(0.1, 0.3, 0.9), mass=1.0)
    model = ar.Model([
        ar.Body("trunk", ar.Free(), shapes=[red_one]),
        ar.Body("arm", ar.Spherical(), "trunk", (0, 0, -0.5), shapes=[tip]),
    ], gravity=(0, 0, 0), name="drifting")  # fmt: skip
    return ar.Scene(model, [ar.forces.JointSpring("arm", 2.0)])


@pytest.fixture(scope="module")
def start(scene):
    q, qd = scene.model.neutral(), np.zeros(scene.model.nv)
    qd[:3], qd[6:9] = (0.3, 0.2, 0.1), (0.5, -0.4, 0.3)
    return q, qd


@pytest.fixture(scope="module")
def window(browser, scene, start, tmp_path_factory):  # noqa: F811
    path = scene.save_html(tmp_path_factory.mktemp("live") / "live.html", *start)
    for page, said in opened(browser, path, COUNT):
        page.locator("#plots summary").click()  # what is not drawn takes no time
        page.set_viewport_size({"width": 700, "height": 480})
        yield page, said, path


@pytest.fixture
def page(window):
    """The page at its start, standing still; it says nothing and asks for nothing but itself."""
    page, said, path = window
    start_again(page, "leapfrog")
    page.locator("#speed").select_option("1")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("r")
    yield page
    settle(page)
    assert {x for x in said if not x.startswith("blob:")} <= {path.as_uri(), "data:,"}


def start_again(page, integrator):
    page.locator("#integrator").select_option(integrator)
    page.locator("#again").click()
    stop(page)


def stop(page):
    settle(page)
    if page.locator("#play").get_attribute("aria-label") == "Pause":
        page.locator("#play").click()
    settle(page)


def recorded(page, scene, folder, act):
    """What a recording has of it, as Python reads it."""
    page.locator("#record").click()
    act()
    stop(page)
    page.locator("#record").click()
    with page.expect_download() as coming:
        page.locator("#download").click()
    path = folder / "page.traj"
    coming.value.save_as(path)
    return ar.load_trajectory(path, scene.model)


def middle(page):
    """A place on the screen where the trunk is."""
    found = red(page)
    return [int(x) for x in found[np.argmin(np.abs(found - found.mean(0)).sum(1))][::-1]]


def test_it_is_drawn_moves_and_starts_again(page):
    assert page.evaluate("window.compiled") == 4  # two integrators, what is seen, the hand
    before = red(page)
    assert len(before) > 1000
    page.keyboard.press("Space")
    wait_until(page, time_of(page) + 0.5)
    stop(page)
    assert np.linalg.norm(red(page).mean(0) - before.mean(0)) > 4
    late = time_of(page)
    start_again(page, "leapfrog")
    assert time_of(page) < late


@pytest.mark.parametrize("integrator", ["leapfrog", "implicit Euler"])
def test_a_recording_is_pythons_trajectory(integrator, page, scene, start, tmp_path):
    """To 1e-9 after a thousand steps."""
    start_again(page, integrator)
    page.locator("#speed").select_option("4")

    def act():
        page.locator("#play").click()
        wait_until(page, 1.05)

    found = recorded(page, scene, tmp_path, act)
    steps = np.round(found.t / 0.001).astype(int)
    run = ar.simulate(
        scene, max(steps) * 0.001, 0.001, integrator=integrator, q=start[0], qd=start[1]
    )
    assert steps[-1] > 1000 and found.about["integrator"] == integrator
    for name in ("t", "q", "qd", "kinetic", "potential"):
        a, b = getattr(found, name), getattr(run, name)[steps]
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("pointer", ["mouse", "touch"])
def test_dragging_moves_a_body_and_momentum_stays_when_it_is_let_go(pointer, page, scene, tmp_path):
    let_go = []

    def act():
        x, y = middle(page)
        page.locator("#play").click()
        point(page, pointer, "down", x, y)
        for k in range(4):
            point(page, pointer, "move", x + 20 * k, y - 10 * k)
        wait_until(page, time_of(page) + 0.3)
        point(page, pointer, "up", x + 60, y - 30)
        settle(page)
        let_go.append(time_of(page))
        wait_until(page, let_go[0] + 0.4)

    run = recorded(page, scene, tmp_path, act)
    P = scene.model.momentum(run.q, run.qd)
    assert np.linalg.norm(P[-1, 3:] - P[0, 3:]) > 0.5
    after = run.t > let_go[0] + 0.005
    np.testing.assert_allclose(P[after], P[[-1]].repeat(after.sum(), 0), rtol=0, atol=1e-9)
    assert after.sum() > 40 and np.ptp(run.energy[after]) < 1e-3 * run.energy[-1]


def point(page, kind, what, x, y):
    if kind == "mouse":
        page.mouse.move(x, y)
        if what != "move":
            getattr(page.mouse, what)()
        return
    page.locator("#canvas").evaluate(
        """(it, [what, x, y]) => {
          it.setPointerCapture = () => {};
          it.dispatchEvent(new PointerEvent(`pointer${what}`, { pointerId: 7, bubbles: true,
            clientX: x, clientY: y, pointerType: 'touch', buttons: what === 'up' ? 0 : 1 }));
          delete it.setPointerCapture;
        }""",
        [what, x, y],
    )


def off(page, before):
    """How much pixels differ, of those that no button is before."""
    return np.abs(picture(page) - before).max(-1)[60:400]


def test_a_hand_on_what_stands_still_waits(page):
    before, t = picture(page), time_of(page)
    x, y = middle(page)
    page.mouse.move(x, y)
    assert page.locator("#canvas").evaluate("(it) => it.style.cursor") == "grab"
    page.mouse.down()
    page.mouse.move(x + 120, y - 60, steps=3)
    assert time_of(page) == t and (off(page, before) > 0.1).sum() > 100  # the pull is drawn
    page.mouse.up()
    assert (off(page, before) > 0.02).sum() == 0
    page.mouse.move(20, 250)
    assert page.locator("#canvas").evaluate("(it) => it.style.cursor") == "default"
    page.mouse.down()
    page.mouse.move(80, 240, steps=3)
    page.mouse.up()
    assert (off(page, before) > 0.1).sum() > 500  # the view turns


def weigh(page, g):
    page.locator("#gravity").evaluate(
        "(it, g) => { it.value = g; it.dispatchEvent(new Event('input', { bubbles: true })); }", g
    )
    settle(page)


def test_a_slider_changes_gravity(page, scene, tmp_path):
    def act():
        weigh(page, 3)
        page.locator("#play").click()
        wait_until(page, time_of(page) + 0.2)

    run = recorded(page, scene, tmp_path, act)
    np.testing.assert_allclose(run.parameters["gravity"], (0, 0, -3), atol=1e-12)
    P = scene.model.momentum(run.q, run.qd)[:, 3:]
    t = run.t[:, None] - run.t[0]
    np.testing.assert_allclose(P - P[0], np.array([0, 0, -3.0]) * scene.model.mass * t, atol=1e-9)
    assert "changed" not in run.about
    page.locator("#gravity").dblclick()
    assert page.locator("#settings output").text_content() == "0.00 m/s²"


@pytest.mark.parametrize("what", ["gravity", "integrator", "record"])
def test_changes_branch_off_at_the_time_that_is_shown(what, page):
    page.keyboard.press("Space")
    wait_until(page, 0.3)
    stop(page)
    assert page.locator("#pace").text_content() == ""
    page.keyboard.press("Home")
    settle(page)
    before, end = map(float, page.locator("#time").text_content().strip(" s").split("/"))
    assert before == 0.0 and end >= 0.3
    if what == "gravity":
        weigh(page, 2)
    elif what == "integrator":
        page.locator("#integrator").select_option("implicit Euler")
    else:
        page.locator("#record").click()
    settle(page)
    assert page.locator("#time").text_content() == "0.00 / 0.00 s"
    if what == "record":
        page.locator("#record").click()
    weigh(page, 0)


def test_keys_do_what_they_say_behind_the_mouse_and_with_caps_lock(page):
    playing = page.locator("#play")
    page.locator("#tune").click()
    page.keyboard.press("Space")
    settle(page)
    assert playing.get_attribute("aria-label") == "Pause"
    assert page.locator("#tune").get_attribute("aria-expanded") == "false"
    page.keyboard.press("Shift+S")
    assert page.locator("#tune").get_attribute("aria-expanded") == "true"
    stop(page)
    page.keyboard.press("Tab")  # by keys to a button, which then has the space
    page.locator("#record").focus()
    page.keyboard.press("Space")
    assert page.locator("#record").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Space")
    settle(page)
    assert playing.get_attribute("aria-label") == "Play"


def test_what_blows_up_stops_and_goes_on_with_another_integrator(browser, tmp_path):  # noqa: F811
    stone = ar.Body("stone", ar.Prismatic("x"), shapes=[ar.Sphere(0.1, mass=1.0)])
    spring = ar.forces.Spring((None, (1, 0, 0)), ("stone", (0, 0, 0)), 1e8, rest=0.9)
    path = ar.Scene(ar.Model([stone]), [spring]).save_html(tmp_path / "stiff.html")
    for page, _ in opened(browser, path):
        page.keyboard.press("Space")
        said = page.locator("#said", has_text="The simulation blew up at t = 0.0")
        said.wait_for(timeout=20_000)
        settle(page)
        assert page.locator("#play").get_attribute("aria-label") == "Play"
        assert abs(float(page.locator("#total").text_content().split()[0])) < 1e9
        page.locator("#integrator").select_option("implicit Euler")
        wait_until(page, 0.1)
        assert page.locator("#said").text_content() == "Integrator: implicit Euler."


def test_a_figure_waits_and_says_where_its_joints_are(browser, scene, tmp_path):  # noqa: F811
    q = scene.model.neutral()
    q[0] = 0.25
    path = scene.model.save_html(tmp_path / "model.html", q)
    for page, _ in opened(browser, path):  # wide enough for the panel
        settle(page)
        assert page.locator("#coordinates output").first.inner_text() == "0.25 m"
        assert time_of(page) == 0.0
        page.set_viewport_size({"width": 390, "height": 800})  # a phone's, and its fingers
        page.locator("#view summary").click()
        for what in ("#coordinates input", "#gravity", "#integrator", "#view label"):
            for box in page.locator(f"{what}:visible").all():
                assert box.bounding_box()["height"] >= 40
