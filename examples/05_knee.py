"""A joint of your own: a knee that rolls and slides, from nothing but its pose."""

import numpy as np

import arthron as ar
from arthron.spatial import Vec3, rotation


def knee(q):
    """Bend by q[0]; the shin's axis moves back and up along the round end of the thigh."""
    bend = q[0]
    roll = 0.03 * ar.sin(0.7 * bend)  # m
    return rotation(Vec3(0.0, 1.0, 0.0), bend), Vec3(-roll, 0.0, 0.012 * (1.0 - ar.cos(bend)))


leg = ar.Model(
    [
        ar.Body("thigh", ar.Spherical(), shapes=[ar.Capsule(0.07, 0.35, placement=(0, 0, -0.2))]),
        ar.Body(
            "shin",
            ar.Custom(knee),
            parent="thigh",
            placement=(0, 0, -0.42),
            shapes=[ar.Capsule(0.05, 0.33, placement=(0, 0, -0.2))],
            lower=0.0,
            upper=2.3,
        ),
    ],
    name="leg",
)
print(leg)

# let it swing from a bent pose, energy watched: Runge-Kutta steps on the joints' own geometry
q, qd, h = np.array([1.0, 0.0, 0.0, 0.0, 1.2]), np.zeros(leg.nv), 1e-3
start = leg.kinetic_energy(q, qd) + leg.potential_energy(q)
for _ in range(500):
    k1 = leg.forward_dynamics(q, qd, np.zeros(leg.nv))
    middle, rate = leg.integrate(q, 0.5 * h * qd), qd + 0.5 * h * k1
    k2 = leg.forward_dynamics(middle, rate, np.zeros(leg.nv))
    q, qd = leg.integrate(q, h * rate), qd + h * k2
end = leg.kinetic_energy(q, qd) + leg.potential_energy(q)
print(f"bend after half a second {q[4]:.3f} rad; energy kept to {abs(end - start):.1e} J")
assert abs(end - start) < 1e-4
