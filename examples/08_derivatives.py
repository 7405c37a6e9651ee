"""Derivatives: a linear controller from the linearised dynamics, checked against the real ones."""

import numpy as np

import arthron as ar

rod = ar.Capsule(0.03, 0.6, placement=(0, 0, 0.3))
model = ar.Model(
    [
        ar.Body("lower", ar.Revolute("y"), shapes=[rod]),
        ar.Body("upper", ar.Revolute("y"), parent="lower", placement=(0, 0, 0.6), shapes=[rod]),
    ],
    name="acrobat",
)
q, rest = np.zeros(2), np.zeros(2)  # upright, which it will not stay by itself

# x' = A x + B tau about the upright pose, from one call
dqdd_dq, dqdd_dqd, dqdd_dtau = model.forward_dynamics_derivatives(q, rest, rest)
A = np.block([[np.zeros((2, 2)), np.eye(2)], [dqdd_dq, dqdd_dqd]])
B = np.vstack([np.zeros((2, 2)), dqdd_dtau])
print("poles without control:", np.round(np.sort(np.linalg.eigvals(A).real), 2))

# feedback that puts them all at -4: tau = dg/dq q - M (16 q + 8 qd)
M, K = model.mass_matrix(q), model.gravity_forces_dq(q)
feedback = np.hstack([16.0 * M - K, 8.0 * M])
poles = np.linalg.eigvals(A - B @ feedback)
print("poles with control:   ", np.round(np.sort(poles.real), 2))
assert np.allclose(poles.real, -4.0, atol=1e-3)

# how the upper joint's acceleration changes with everything, by reverse mode
by_q, by_qd, by_tau = model.forward_dynamics_vjp([0.1, -0.2], [0.3, 0.1], rest, [0.0, 1.0])
print("slopes of the upper joint's acceleration by q, qd, tau:")
print(np.round(np.array([by_q, by_qd, by_tau]), 3))
