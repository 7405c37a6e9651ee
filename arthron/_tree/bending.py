"""What slopes that change add to derivatives of matrices and vectors, where q = f(y) is curved.

With A the matrix by joint and F the slopes of f, a matrix by coordinates is A F, or F^T A F; its
derivatives have terms of those of F besides, which are added to the columns of what is followed.
"""

from __future__ import annotations

from typing import Any

from .._spatial.scalar import Scalar
from .coordinate_map import Slopes
from .tree import BodyList, JointColumns, JointMatrix, Tree


def add_bent_columns(
    tree: Tree, total: JointColumns, A: JointColumns, slopes: Slopes, times: float = 1.0
) -> JointColumns:
    """total + times A slopes, such as J' F + J F' for the rate of a Jacobian."""
    if not slopes:
        return total
    place, found = _places(tree), JointColumns(total)
    for j in A.keys() & slopes.keys():
        for column, row in zip(A[j], slopes[j], strict=True):
            for index, k in row.items():
                i, a = place[index]
                own: Any = list(found.get(i, [column * 0.0] * tree.joint[i].nv))
                own[a] = own[a] + column * (k * times)
                found[i] = own
    return type(total)(found)


def add_bent_blocks(
    tree: Tree, total: JointMatrix, A: JointMatrix, slopes: Slopes, times: float = 1.0
) -> JointMatrix:
    """total + times A slopes of matrices by joint: F^T of it is still to come."""
    if not slopes:
        return total
    place, found = _places(tree), JointMatrix(total)
    for (i, j), block in A.items():
        for b, row in enumerate(slopes.get(j, ())):
            for index, k in row.items():
                column = [line[b] * (k * times) for line in block]
                _add_column(tree, found, i, *place[index], column)
    return found


def add_bent_forces(tree: Tree, total: JointMatrix, tau: BodyList) -> JointMatrix:
    """total, and the derivative by q of F^T tau, with tau by joint held where it is."""
    found, place = JointMatrix(total), _places(tree)
    for (row, column), x in tree.led.bent(dict(enumerate(tau))).items():
        i, a = place[row]
        entries = [x if k == a else 0.0 for k in range(tree.joint[i].nv)]
        _add_column(tree, found, i, *place[column], entries)
    return found


def _add_column(
    tree: Tree, total: JointMatrix, i: int, j: int, column: int, entries: list[Scalar]
) -> None:
    nothing = [[0.0] * tree.joint[j].nv] * len(entries)
    block = [list(line) for line in total.get((i, j), nothing)]
    for line, x in zip(block, entries, strict=True):
        line[column] = line[column] + x
    total[i, j] = tuple(map(tuple, block))


def _places(tree: Tree) -> dict[int, tuple[int, int]]:
    """The joint that each velocity coordinate belongs to, and its number there."""
    return {tree.v_start[i] + a: (i, a) for i in tree.own for a in range(tree.joint[i].nv)}
