"""The table of operation counts in docs/formulations.md. Run this file to write it anew."""

import functools
import re
import sysconfig
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron._graph.ops import Op
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

DOCUMENT = Path(__file__).parents[1] / "docs/formulations.md"
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
ROWS = {
    "joint forces": ["rnea", "liu_jain", "balafoutis_patel", "inverse_dynamics"],
    "accelerations": ["aba", "crba_solve", "forward_dynamics"],
    "M": ["liu_jain_mass_matrix", "crba", "mass_matrix"],
    "M⁻¹": ["inverse_mass_matrix"],
    "C": ["coriolis_matrix"],
    "C q̇": ["liu_jain_coriolis"],
    "C q̇ + g": ["bias_forces"],
    "M, C, g": ["closed_form"],
    "M, C, g and their rates": ["closed_form_and_dot"],
    "∂τ by q, q̇, q̈": ["balafoutis_patel_partials", "rnea_derivatives"],
    "∂τ by q, q̇": ["inverse_dynamics_derivatives"],
    "∂q̈ by q, q̇, τ": ["articulated_derivatives", "forward_dynamics_derivatives"],
    "w·∂τ": ["inverse_dynamics_vjp"],
    "w·∂q̈": ["forward_dynamics_vjp"],
    "w·∂²τ": ["inverse_dynamics_hessian"],
    "w·∂²τ times a vector": ["inverse_dynamics_hessian_product"],
    "∂M/∂q": ["mass_matrix_dq"],
    "∂M/∂q, ∂C/∂q, ∂g/∂q": ["closed_form_dq"],
    "∂C/∂q": ["coriolis_matrix_dq"],
    "∂C/∂q̇": ["coriolis_matrix_dqd"],
    "∂C/∂q̇, G13's C": ["closed_form_dqd"],
    "regressor": ["regressor"],
    "Slotine-Li regressor": ["slotine_li_regressor"],
    "Slotine-Li regressor, G13's C": ["closed_form_regressor"],
    "M q̈ᵣ + C q̇ᵣ + g": ["slotine_li_forces"],
    "Yᵀ s": ["slotine_li_gradient"],
    "momentum matrix": ["momentum_matrix"],
    "its rate": ["momentum_matrix_dot"],
    "M⁻¹ x": ["inverse_mass_product"],
    "J x": ["jacobian_product"],
    "J̇ x": ["jacobian_dot_product"],
    "Jᵀ y": ["jacobian_transpose_product"],
}


def arm(n, aligned):
    """A serial arm of hinges about z, each axis along or across the one before, or anyhow."""
    rng = np.random.default_rng(n)
    links = ar.random_tree(n, rng=rng).bodies
    bodies = []
    for i, link in enumerate(links):
        turn = [(0.0, np.pi / 2, -np.pi / 2)[i % 3], 0.0, 0.0] if aligned else rng.normal(size=3)
        place = ar.pose(rng.normal(size=3) * (i > 0), turn)
        parent = links[i - 1].name if i else None
        bodies.append(ar.Body(link.name, ar.Revolute("z"), parent, place, link.inertia))
    return ar.Model(bodies)


@functools.cache
def figures():
    return {
        "panda": ar.load(ROBOTS / "panda_description/urdf/panda.urdf"),
        "humanoid, free": ar.load(ar.figures / "humanoid.urdf", root=ar.Free()),
    }


@functools.cache
def program(name, figure):
    page, tree = getattr(ar.algorithms, name), figure.tree
    inputs = page_inputs(page, tree)
    return trace(
        page, tree, {n: s for n, s in inputs.items() if not n.endswith(("_ext", "_terms"))}
    )


def operations(name, figure):
    """Multiplications (and divisions), additions (and subtractions), all."""
    made = program(name, figure)
    outputs = [position for _, positions in made.outputs for position in positions]
    ops = Counter(made.graph.nodes[k][0] for k in made.graph.needed(outputs))
    total = sum(count for op, count in ops.items() if op not in (Op.INPUT, Op.CONST))
    return ops[Op.MUL] + ops[Op.DIV], ops[Op.ADD] + ops[Op.SUB], total


def main_table():
    lines = [
        "| what | page | " + " | ".join(figures()) + " |",
        "|---|---|" + "---|" * len(figures()),
    ]
    for what, names in ROWS.items():
        for name in names:
            counts = " | ".join(str(operations(name, model)[2]) for model in figures().values())
            lines.append(f"| {what} | `{name}` | {counts} |")
    return "\n".join(lines)


def arm_table():
    lines = ["| n | published | axes along or across | general axes |", "|---|---|---|---|"]
    for n in (3, 6, 9):
        found = (operations("balafoutis_patel", arm(n, aligned))[:2] for aligned in (True, False))
        cells = " | ".join(f"{m} / {a}" for m, a in found)
        lines.append(f"| {n} | {93 * n - 108} / {81 * n - 100} | {cells} |")
    return "\n".join(lines)


TABLES = {"main": main_table, "arm": arm_table}


@pytest.mark.parametrize("name", TABLES)
def test_table_is_true(name):
    assert TABLES[name]() in DOCUMENT.read_text(), f"run `python {Path(__file__).name}`"


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    for name, table in TABLES.items():
        text = re.sub(f"(<!-- {name} -->\n).*?(\n\n)", rf"\1{table()}\2", text, flags=re.DOTALL)
    DOCUMENT.write_text(text)
