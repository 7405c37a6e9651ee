"""Figures of many like bodies: their code is shared, their numbers are not."""

import subprocess
import sys

import numpy as np
import pytest

import arthron as ar
from arthron._compile.lowering import schedule
from arthron._compile.render import work

KINDS = ("revolute", "prismatic", "spherical", "universal")


@pytest.fixture
def everything_is_long(monkeypatch):
    """Treat every program as a long one."""
    monkeypatch.setattr(schedule, "LONG", 0)
    monkeypatch.setattr(work, "LONG", 0)


@pytest.mark.parametrize("batch", [(), (13,)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shared_code_gives_the_numbers_of_the_page(everything_is_long, monkeypatch, batch, dtype):
    monkeypatch.setattr("arthron._pages.trace.MANY", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")  # code of the other kind must not be found
    model = ar.random_tree(9, 1.6, joints=KINDS, rng=4)
    rng = np.random.default_rng(0)
    q = np.stack([model.random(rng) for _ in range(13)]).astype(dtype)
    qd, u = rng.normal(size=(2, 13, model.nv)).astype(dtype)
    if not batch:
        q, qd, u = q[0], qd[0], u[0]
    for name, page, given in [
        ("inverse_dynamics", ar.algorithms.rnea, (q, qd, u)),
        ("forward_dynamics", ar.algorithms.aba, (q, qd, u)),
        ("mass_matrix", ar.algorithms.crba, (q,)),
    ]:
        expected = ar.evaluate(page, model, *(x.astype(float) for x in given))
        result = getattr(model, name)(*given)
        size = np.abs(expected).max()
        tolerance = 1e-12 if dtype == np.float64 else 2e-4
        np.testing.assert_allclose(result, expected, atol=tolerance * size)


@pytest.mark.parametrize("branching", [1.0, 1.7])
def test_code_grows_with_kinds_of_bodies_not_with_bodies(branching):
    model = ar.random_tree(600, branching, taper=1.0)
    function = ar.compile(ar.algorithms.rnea, model)
    text = function._variant(("q", "qd", "qdd")).text(64, batch=True)
    assert function.op_count > schedule.LONG
    assert text.count("define internal void @chunk.") < 20


def test_a_thousand_bodies_swing():
    """Down the whole tree and back: forward dynamics undoes inverse dynamics."""
    model = ar.random_tree(1000, 1.7, taper=1.0)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, model.nv))
    tau = model.inverse_dynamics(q, qd, qdd)
    back = model.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(back, qdd, atol=1e-7 * np.abs(tau).max())
    np.testing.assert_allclose(tau, ar.evaluate(ar.algorithms.rnea, model, q, qd, qdd),
                               atol=1e-11 * np.abs(tau).max())  # fmt: skip


def test_the_interpreter_ends_well():
    """Native functions outlive the modules that made them."""
    code = (
        "import numpy as np, arthron as ar\n"
        "models = [ar.random_tree(n) for n in (2, 3, 4)]\n"
        "for m in models:\n"
        "    for q in (np.zeros(m.nv), np.zeros((9, m.nv))):\n"
        "        m.inverse_dynamics(q, q, q), m.mass_matrix(q)\n"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
