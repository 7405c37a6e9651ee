"""Random programs that run on floats, arrays and traced scalars alike, drawn by hypothesis."""

from hypothesis import strategies as st

from arthron._graph.ops import DEFINITION, Op

ARITY = {
    Op.ADD: 2, Op.SUB: 2, Op.MUL: 2, Op.DIV: 2, Op.NEG: 1, Op.SIN: 1, Op.COS: 1, Op.C: 1,
    Op.SQRT: 1, Op.EXP: 1, Op.LOG: 1, Op.ATAN2: 2, Op.ABS: 1, Op.MIN: 2, Op.MAX: 2, Op.FLOOR: 1,
    Op.LESS: 2, Op.LESS_EQUAL: 2, Op.EQUAL: 2, Op.WHERE: 3, Op.LOOKUP: 1, Op.TANH: 1,
    Op.POW: 2,
}  # fmt: skip
DATA = {Op.C: range(5), Op.LOOKUP: [(2.0, -0.5, 1.0, 4.0), (3.0, 3.0), (0.25,)]}
"""Plain data that some operations take behind their arguments."""
ANALYTIC = [Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.SIN, Op.COS, Op.C, Op.SQRT, Op.EXP, Op.LOG,
            Op.TANH, Op.POW]  # fmt: skip
SIGNS = [Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG]
"""Operations with most of the simplification rules: drawn as often as all others together."""
INPUTS = 3
EXACT = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -4.0)
"""Constants that multiply without rounding, so that simplified programs agree to the last bit."""


def programs(ops=tuple(ARITY), constants=EXACT, size=25):
    """Lists of steps; step j reads inputs, constants and results of earlier steps by position."""
    start = INPUTS + len(constants)

    @st.composite
    def draw_program(draw):
        steps = []
        for j in range(draw(st.integers(1, size))):
            op = draw(st.sampled_from([o for o in SIGNS if o in ops]) | st.sampled_from(ops))
            recent = st.integers(max(0, start + j - 4), start + j - 1)
            args = [draw(recent | st.integers(0, start + j - 1)) for _ in range(ARITY[op])]
            data = [draw(st.sampled_from(DATA[op]))] if op in DATA else []
            steps.append((op, *args, *data))
        return steps

    return draw_program()


def run(steps, inputs, constants=EXACT):
    """Every value of a program, by the definition of each operation."""
    values = [*inputs, *constants]
    for op, *args in steps:
        n = ARITY[op]
        values.append(DEFINITION[op](*(values[a] for a in args[:n]), *args[n:]))
    return values


points = st.lists(st.integers(-12, 12).map(lambda n: n / 4), min_size=INPUTS, max_size=INPUTS)
"""Values of the inputs: few bits each."""
