"""A cost over one span of splines, where all samples depend on the same controls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from .._algorithms.spline_motion import spline_motion, spline_pull
from .._graph.iterate import iterate
from .._pages.differentiate import nested, vjp
from .._pages.inputs import page_argument
from .._pages.outputs import page_outputs
from .._pages.takes import Page, placed
from .._spatial.array import array
from .._spatial.scalar import Scalar
from .._spatial.sums import axpy, dot, scale, total
from .._tree.tree import Tree
from .sampled_page import RATES, SampledPage


def span_cost(sampled: SampledPage, squared: bool) -> Page:
    """The page of a cost over a span, and of its derivatives, by reverse mode.

    Its inputs are controls of coordinates and of forces, a row of numbers for each sample, and
    weights of results. A row has values of basis functions and their two derivatives, those of
    basis functions of forces, the weight of the sample, and data of the page. Results are the cost
    and how much of it a longer duration takes off, derivatives by displacements of controls, and by
    forces.
    """

    def cost(tree: Tree, controls, pushes, rows, weights) -> tuple[Any, ...]:
        table, n = array(rows), len(controls)
        ends = 2, 2 + n * tree.nv
        nothing = [0.0] * (ends[1] + sum(len(p) * 3 for p in pushes))

        def add(carried: Any) -> Any:
            k, sums = carried
            row = iter([table[k, j] for j in range(table.shape[1])])
            basis = [list(islice(row, n)) for _ in RATES]
            push_basis, (share,) = list(islice(row, len(pushes))), islice(row, 1)
            flat = _inputs(sampled, tree, controls, basis, pushes, push_basis, row)
            numbers, by = _pulled(sampled, tree, flat, [w * share for w in weights], squared)
            slowing = total(
                p * dot(by[name], flat[name]) for name, p in RATES.items() if p and name in by
            )
            slopes = _by_controls(tree, controls, basis, by)
            slopes += [b * x for b in push_basis for x in by.get("forces", ())]
            return (k + 1.0, axpy(1.0, [numbers, slowing, *slopes], sums)), k >= len(rows) - 1.5

        found = iterate(add, (0.0, nothing), len(rows)).values[1]
        by_forces = nested(found[ends[1] :], (len(pushes), len(pushes[0]), 3))
        return found[: ends[0]], nested(found[ends[0] : ends[1]], (n, tree.nv)), by_forces

    return cost


def _inputs(
    sampled: SampledPage, tree: Tree, controls, basis, pushes, push_basis, data: Iterator[Scalar]
) -> dict[str, list[Scalar]]:
    """Scalars of all inputs of the sampled page."""
    motion = spline_motion(tree, controls, basis)
    known = dict(zip(RATES, map(tree.vector, motion), strict=True))
    columns = zip(*([x for f in push for x in f] for push in pushes), strict=True)
    known["forces"] = [dot(push_basis, column) for column in columns]
    return {
        name: known[name] if name in known else list(islice(data, _size(sampled, tree, name)))
        for name in sampled.inputs
    }


def _size(sampled: SampledPage, tree: Tree, name: str) -> int:
    """How many numbers an input has that is data; those without a shape are configurations."""
    return math.prod(sampled.shapes.get(name, (tree.nq,)))


def _pulled(
    sampled: SampledPage, tree: Tree, flat: dict[str, list], weights: list[Scalar], squared: bool
) -> tuple[Scalar, dict[str, list[Scalar]]]:
    """The cost of a sample, and its derivatives by what varies."""
    page, own = sampled.page, placed(tree, flat)
    given = {
        name: page_argument(page, own, name, sampled.shapes.get(name, ()), x)
        for name, x in flat.items()
    }
    _, (output,) = page_outputs(own, page(own, **given))
    y = weights
    if squared:
        y = [w * x for w, x in zip(weights, output.scalars, strict=True)]
    value = dot(y, output.scalars)
    if not sampled.names:
        return value, {}
    y = scale(2.0, y) if squared else y
    pulled = vjp(page, *sampled.names)(tree, **given, weights=nested(y, output.shape))
    by = dict(zip(sampled.names, pulled, strict=True))
    if "forces" in by:
        by["forces"] = [x for f in by["forces"] for x in f]
    return value, by


def _by_controls(tree: Tree, controls, basis, by: dict[str, list[Scalar]]) -> list[Scalar]:
    """Derivatives by displacements of controls, one control behind the other."""
    nothing = [0.0] * tree.nv
    rates = [by.get(name, nothing) for name in RATES]
    each = [tree.positions(row) for row in controls]
    found = [list(nothing) for _ in controls]
    for i, joint in enumerate(tree.joint):
        if i not in tree.followers and joint.nv:
            v = slice(tree.v_start[i], tree.v_start[i + 1])
            own = [c[i] for c in each]
            pulled = spline_pull(tree, own, basis, [rate[v] for rate in rates], joint=joint)
            for row, x in zip(found, pulled, strict=True):
                row[v] = x
    return [x for row in found for x in row]
