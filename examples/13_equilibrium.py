"""A page that solves: where an arm on springs comes to rest, and its change with the springs."""

import numpy as np

import arthron as ar

bar = ar.Box((0.5, 0.06, 0.06), mass=1.5, placement=(0.25, 0, 0))
arm = ar.Model(
    [
        ar.Body("upper", ar.Revolute("y"), shapes=[bar]),
        ar.Body("lower", ar.Revolute("y"), parent="upper", placement=(0.5, 0, 0), shapes=[bar]),
    ]
)


@ar.takes(stiffness=())
def rest(tree, stiffness):
    """Joint angles at which springs, relaxed when it is level, hold the arm."""

    def unbalanced(x):
        gravity = ar.algorithms.gravity_forces(tree, tree.positions(x))
        return [g + stiffness * a for g, a in zip(tree.vector(gravity), x, strict=True)]

    x, steps, converged = ar.root(unbalanced, [0.0, 0.0])
    return x, [steps, converged]


stiffness = np.linspace(10.0, 50.0, 5)
angles, report = ar.compile(rest, arm)(stiffness)
by_stiffness, _ = ar.compile(ar.jacobian(rest, "stiffness"), arm)(stiffness)
print("stiffness [N m/rad]  angles [rad]      change by stiffness   steps")
for k, q, dq, (steps, converged) in zip(stiffness, angles, by_stiffness, report, strict=True):
    assert converged
    print(f"{k:19.1f}  {q[0]:6.3f} {q[1]:6.3f}   {dq[0]:9.4f} {dq[1]:9.4f}   {steps:5.0f}")
