"""Numbers that documents state are those of the code."""

import ast
import json
import re
from pathlib import Path

import pytest

from arthron._compile import cache
from arthron._compile.lowering import schedule
from arthron._compile.render import sincos
from arthron._compile.render.machine import Machine
from arthron._compile.run import cpu
from arthron._graph import expr
from arthron._scene.contact_points import RIGID, SLOW, STICKING
from arthron._scene.contact_step import BOUND

ROOT = Path(__file__).parents[1]


def constant(file, name):
    """A constant of a file of tests or benchmarks, which is not imported for it."""
    found = re.search(rf"^{name} = (.*)$", (ROOT / file).read_text(), re.MULTILINE)
    return ast.literal_eval(found[1])


def bounds():
    """Units in the last place that tests of elementary functions allow."""
    allowed = constant("tests/compile/test_elementary.py", "LIMIT")
    allowed["sin"] = constant("tests/compile/test_sincos.py", "LIMIT")
    return allowed


OPS = json.loads((ROOT / "tests/compile/op_counts.json").read_text())
FORMULATIONS = (ROOT / "docs/formulations.md").read_text()


def counted(page, figure="humanoid"):
    """Operations of a page for a panda or the floating humanoid, as test_formulations.py holds."""
    counts = re.search(rf"`{page}` \| (\d+) \| (\d+) \|", FORMULATIONS)
    return int(counts[1 if figure == "panda" else 2])


ARM = re.search(r"\| 6 \| (\d+) / (\d+) \| (\d+) / (\d+) \|", FORMULATIONS)
HUMANOID_NV = 33
THREE, ALL_SIX, BY_Q, BY_QD = (
    counted(f"closed_form{which}") for which in ("", "_and_dot", "_dq", "_dqd")
)
CLOSED_FORM = (ROOT / "docs/closed-form.md").read_text()  # held below, and by test_closed_form.py
AVX512 = Machine("x86_64", "", "", 512)
NUMBER = r"([\d.,]*\d)"
STATED = [
    ("docs/compiler.md", f"a panda's inverse dynamics is {NUMBER} operations",
     OPS["panda"]["inverse_dynamics"]),
    ("docs/control.md", f"a panda the forces take {NUMBER} op",
     counted("slotine_li_forces", "panda")),
    ("docs/control.md", rf"\(inverse dynamics: {NUMBER}\)", counted("inverse_dynamics", "panda")),
    ("docs/control.md", f"Y alone takes {NUMBER}", counted("slotine_li_regressor", "panda")),
    ("docs/compiler.md", f"cut into chunks of about {NUMBER}", round(schedule.CHUNK, -2)),
    ("docs/compiler.md", f"{NUMBER} doubles side by side with AVX-512",
     AVX512.lanes(64, wide=True).count),
    ("docs/compiler.md", f"from {NUMBER} operations on, the functions", 2 * cpu.SMALLEST),
    ("docs/compiler.md", rf"XDG_CACHE_HOME/arthron/v{NUMBER}`", int(cache.VERSION[1:])),
    ("docs/compiler.md", rf"~/.cache/arthron/v{NUMBER}`", int(cache.VERSION[1:])),
    ("docs/compiler.md", f"At most {NUMBER} GB", cache.LIMIT / 1e9),
    ("docs/figures.md", f"cache folder, up to {NUMBER} GB", cache.LIMIT / 1e9),
    ("docs/compiler.md", f"Beyond {NUMBER} operations chunks", schedule.LONG),
    ("docs/compiler.md", f"for n up to {NUMBER},", expr.SQUARED),
    ("docs/compiler.md", f"reduced with {NUMBER} bits of 2/π",
     64 * (len(sincos.BITS_OF_TWO_OVER_PI) - 1)),
    *(("docs/compiler.md", rf"\| `{name}`[^|]* \| [\d.]+ \| [\d.]+ \| {NUMBER} \|", bound)
      for name, bound in bounds().items()),
    ("docs/closed-form.md", rf"`closed_form` \| {NUMBER} \|", round(THREE, -2)),
    ("docs/closed-form.md", rf"`closed_form_and_dot` \| {NUMBER} \|", round(ALL_SIX, -2)),
    ("docs/closed-form.md", rf"`closed_form` at two instants \| {NUMBER} \|",
     round(ALL_SIX / (2 * THREE), 2)),
    ("docs/closed-form.md", rf"`closed_form_dq` \| {NUMBER} \|", round(BY_Q, -2)),
    ("docs/closed-form.md", rf"differences take \| {NUMBER} \|",
     round(BY_Q / (2 * HUMANOID_NV * THREE), 2)),
    ("docs/closed-form.md", rf"`closed_form_dqd` \| {NUMBER} \|", round(BY_Q + BY_QD, -2)),
    ("docs/closed-form.md", rf"for each q and q̇ \| {NUMBER} \|",
     round((BY_Q + BY_QD) / (4 * HUMANOID_NV * THREE), 2)),
    ("docs/balafoutis-patel.md", f"100 additions, {NUMBER} and", int(ARM[1])),
    ("docs/balafoutis-patel.md", f"and {NUMBER} for n = 6", int(ARM[2])),
    ("docs/balafoutis-patel.md", f"it takes fewer, {NUMBER} and", int(ARM[3])),
    ("docs/balafoutis-patel.md", rf"it takes fewer, \d+ and {NUMBER}", int(ARM[4])),
    ("docs/claims.md", f"{NUMBER} of the operations of Newton and Euler's recursion",
     round(counted("inverse_dynamics") / counted("rnea"), 2)),
    ("docs/claims.md", f"by composite inertias in {NUMBER} of the operations",
     round(counted("inverse_dynamics_derivatives") / counted("balafoutis_patel_partials"), 2)),
    *(("docs/claims.md", pattern, int(number)) for pattern, number in zip(
        (f"where {NUMBER} and", rf"where \d+ and {NUMBER} are published",
         f"{NUMBER} multiplications", f"{NUMBER} additions for six hinges"),
        ARM.groups(), strict=True)),
    *(("docs/claims.md", pattern, float(re.search(beside, CLOSED_FORM)[1])) for pattern, beside in (
        (f"the same in {NUMBER} of the operations", r"the printed sums \| ([\d.]+)"),
        (f"{NUMBER} of the printed sums' operations", r"G13 has 0.71\) \| ([\d.]+)"),
        (f"{NUMBER} of those of `closed_form`", r"at two instants \| ([\d.]+)"),
        (f"{NUMBER} of the operations by q", r"differences take \| ([\d.]+)"),
        (f"{NUMBER} by q and q̇", r"each q and q̇ \| ([\d.]+)"),
        (f"{NUMBER} µs with a floating root", r"floating root, 31 coordinates \| ([\d.]+)"),
        (f"{NUMBER} µs with a fixed one", r"fixed root, 25 coordinates \| ([\d.]+)"),
    )),
    ("docs/contact.md", f"gives way, is {NUMBER}e-4 along the normal", round(1e4 * RIGID, 1)),
    ("docs/contact.md", f"and {NUMBER}e-4 across of what", 1e4 * STICKING),
    ("docs/contact.md", f"moves, and {NUMBER}e-5 of limits", 1e5 * BOUND),
    ("docs/contact.md", f"Below {NUMBER} cm/s nothing bounces", 100.0 * SLOW),
    ("docs/contact.md", f"among `Links` takes {NUMBER} operations of a step",
     constant("tests/contact/test_links_touch.py", "APART")),
    ("README.md", f"need only Python {NUMBER} or newer",
     float(re.search(r'requires-python = ">=(.*)"', (ROOT / "pyproject.toml").read_text())[1])),
]  # fmt: skip


@pytest.mark.parametrize("path, pattern, expected", STATED)
def test_stated_number(path, pattern, expected):
    text = " ".join((ROOT / path).read_text().split())
    (found,) = re.findall(pattern, text)
    assert float(found.replace(",", "")) == expected


def test_angles_that_are_reduced_with_more_bits():
    assert sincos.FAR == {True: 2.0**30, False: 2.0**20}
    assert "Angles beyond 2³⁰ are reduced" in (ROOT / "docs/compiler.md").read_text()
