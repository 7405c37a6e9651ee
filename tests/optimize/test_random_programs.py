"""Random nonconvex and linear programs. As a script: a thousand of the former."""

import sys
from collections import Counter

import numpy as np
import pytest
from random_programs import linear_program, random_program

from arthron.optimize import minimize


def ends(seeds):
    """How many ended how; all that do not are infeasible where they ended."""
    found = Counter()
    for seed in seeds:
        program, start = random_program(seed)
        optimum = minimize(program, start)
        found[optimum.status] += 1
        if optimum.solved:
            assert optimum.residual <= 1e-8 and optimum.violation <= 1e-8
        else:
            assert optimum.status == "infeasible" and optimum.violation > 1e-6, (seed, optimum)
    return found


def test_random_programs_are_solved():
    found = ends(range(60))
    assert found["solved"] >= 58


@pytest.mark.parametrize("seed", range(30))
def test_linear_programs_of_scipy(seed):
    linprog = pytest.importorskip("scipy.optimize").linprog
    p = linear_program(seed)
    found = minimize(p, np.ones(p.n))
    equal = p.least == p.most
    other = linprog(p.c, p.A[~equal], p.most[~equal], p.A[equal], p.most[equal])
    assert found.solved and found.iterations < 80
    assert found.objective == pytest.approx(other.fun, rel=1e-6, abs=1e-6)


if __name__ == "__main__":
    counts = ends(range(*(int(x) for x in sys.argv[1:] or ("0", "1000"))))
    print(counts)
    sys.exit(counts["solved"] < 0.97 * counts.total())
