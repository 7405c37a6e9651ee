"""Random pages of nested loops, branches and arrays, over numbers that never round.

Every value is a multiple of 1/4 between -8 and 8, so that compiled code and the interpreter agree
to the last bit and no test is at the edge of being met. No value is subtracted from itself or
multiplied by a zero that is known, which would be zero in compiled code for NaN, too.
"""

import arthron as ar

INPUTS = 3
SIZE = 4


def tidy(x):
    return ar.floor(4.0 * ar.minimum(ar.maximum(x, -8.0), 8.0)) * 0.25


OPS = (
    lambda x, y, z: tidy(x + y),
    lambda x, y, z: tidy(x - 0.5 * y),
    lambda x, y, z: tidy(ar.where(x < 0.0, -0.5, 1.5) * y),
    lambda x, y, z: ar.minimum(x, y),
    lambda x, y, z: ar.maximum(x, -y),
    lambda x, y, z: abs(x),
    lambda x, y, z: ar.where(x < y, y, z),
    lambda x, y, z: 1.0 * (x <= z),
    lambda x, y, z: tidy(y + 0.25),
)


def random_block(rng, depth, size=6):
    """Steps `(kind, ...)`; numbers name values made so far, counted from the last."""
    steps = []
    for _ in range(rng.integers(2, size + 1)):
        kind = rng.choice(["op", "op", "op", "read", "write", "loop"])
        if kind == "loop" and depth > 0:
            carried = int(rng.integers(1, 4))
            limit = int(rng.choice([1, 1, 2, 5, 9]))
            when = None if rng.random() < 0.5 else int(rng.integers(0, 9))
            inner = random_block(rng, depth - 1)
            steps.append(("loop", [int(k) for k in rng.integers(0, 9, carried)], limit, when, inner,
                          bool(rng.random() < 0.5)))  # fmt: skip
        elif kind in ("read", "write"):
            steps.append((kind, *(int(k) for k in rng.integers(0, 9, 2))))
        else:
            steps.append(
                ("op", int(rng.integers(len(OPS))), *(int(k) for k in rng.integers(0, 9, 3)))
            )
    return steps


def run_block(steps, values, table):
    """All values and the array after some steps, on any kind of scalar."""
    values = list(values)

    def pick(k):
        return values[-1 - k % len(values)]

    for kind, *rest in steps:
        if kind == "op":
            op, *args = rest
            values.append(OPS[op](*map(pick, args)))
        elif kind == "read":
            values.append(table[pick(rest[0])])
        elif kind == "write":
            table = table.set(pick(rest[0]), pick(rest[1]))
        else:
            carried, limit, when, inner, with_table = rest
            start = [pick(k) for k in carried]

            def body(state, inner=inner, outer=tuple(values), outside=table, carries=with_table):
                held, now = state if carries else (state, outside)
                made, now = run_block(inner, [*outer, *held], now)
                new = [tidy(made[-1 - k] + 0.25) for k in range(len(held))]
                done = made[-1] > 3.0
                return ((new, now) if carries else new), done

            begin = (start, table) if with_table else start
            asked = 1.0 if when is None else pick(when) > 0.0
            found, passes, converged = ar.iterate(body, begin, limit, asked)
            if with_table:
                found, table = found
            values += [*found, passes, converged]
    return values, table


def random_page(rng, depth=3):
    """A page of `INPUTS` coordinates, and its steps."""
    steps = random_block(rng, depth, 8)

    def page(tree, q):
        x = tree.vector(q)[:INPUTS]
        values, table = run_block(steps, x, ar.array([*x, 1.0, -2.0][:SIZE]))
        return [*values[-6:], *table]

    return page
