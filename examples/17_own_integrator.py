"""An integrator of your own, with memory: Adams and Bashforth's of second order."""

from dataclasses import dataclass, replace

import numpy as np

import arthron as ar


@dataclass(frozen=True)
class AdamsBashforth(ar.integrators.Integrator):
    """x + h (3/2 x' - 1/2 x' a step before): one evaluation a step, and of second order."""

    def memory(self, start):
        """Rates a step before, and whether there are some yet."""
        rest = ar.Variable((0.0,) * len(start["qd"]))
        return {"before.qd": rest, "before.qdd": rest, "before.known": ar.Variable()}

    def step(self, system, state, h):
        """The state a time h later."""
        tree, before = system.tree, state.memory
        acceleration, forces = system.acceleration(state)
        qd, qdd = tree.vector(state.qd), tree.vector(acceleration)
        back = 0.5 * before["before.known"][0]  # the first step is Euler's

        def mean(now, then):
            return [a + back * (a - b) for a, b in zip(now, then, strict=True)]

        rate, push = mean(qd, before["before.qd"]), mean(qdd, before["before.qdd"])
        end = tree.rates([v + h * a for v, a in zip(qd, push, strict=True)])
        after = ar.integrators.advanced(system, state, tree.rates(rate), end, h)
        memory = {"before.qd": qd, "before.qdd": qdd, "before.known": [1.0]}
        return replace(after, memory=memory, forces=forces)


rod = [ar.Box((0.15, 0.2, 0.4), mass=1, placement=(0.05, 0, -0.2))]
arm = ar.Model(
    [
        ar.Body("upper", ar.Spherical(), shapes=rod),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0, 0, -0.4), shapes=rod),
        ar.Body("other", ar.Revolute("y"), "upper", (0, 0, -0.4), shapes=rod),
    ],
    name="arm",
)
scene = ar.Scene(arm, [ar.forces.JointSpring("other", 2.0, 0.1)])
start = {"q": arm.random(0), "progress": False}
exact = ar.simulate(scene, 1.0, 1e-2, integrator=ar.integrators.RungeKutta(1e-12), **start).q[-1]

# compiled as arthron's own are: half the step, a quarter of the error
errors = []
for h in (4e-3, 2e-3, 1e-3):
    end = ar.simulate(scene, 1.0, h, integrator=AdamsBashforth(), **start).q[-1]
    errors.append(np.abs(arm.difference(end, exact)).max())
    print(f"steps of {1e3 * h:.0f} ms: off by {errors[-1]:.1e} after 1 s")
order = np.log2(errors[1] / errors[2])
print(f"order {order:.2f}")
assert abs(order - 2.0) < 0.1

# many at once, each with memory of its own: the same as one by one
many = {"integrator": AdamsBashforth(), "keep_every": 100, "progress": False}
q = arm.random(1, 8)
runs = ar.simulate(scene, 1.0, 1e-3, q=q, **many)
alone = ar.simulate(scene, 1.0, 1e-3, q=q[5], **many)
print("in a batch and alone:", runs["lower"].q[5, -1], alone["lower"].q[-1])
assert np.allclose(runs.q[5], alone.q, atol=1e-9)
