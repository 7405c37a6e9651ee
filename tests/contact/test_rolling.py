"""What rolls: a boat on its keel against the equations of rolling without sliding."""

import numpy as np

import arthron as ar

AXES = np.array([0.2, 0.03, 0.02])
INERTIA = np.array([[2e-4, -2e-5, 0.0], [-2e-5, 16e-4, 0.0], [0.0, 0.0, 17e-4]])
COM = np.array([0.0, 0.0, -0.01])
DURATION = 0.3


def touched(n):
    """The lowest point of the ellipsoid, up being n in its axes, and how it changes with n."""
    A = np.diag(AXES**2)
    size = np.sqrt(n @ A @ n)
    return -A @ n / size, -A / size + np.outer(A @ n, A @ n) / size**3


def rate(y):
    """Of up and of the angular velocity, in axes of the boat, by momentum about its mass."""
    n, w = y[:3], y[3:]
    p, slope = touched(n)
    r, turn = p - COM, np.cross(n, w)
    v = -np.cross(w, r)  # of the centre of mass, as the point that touches stands
    rest = np.cross(w, v) - np.cross(w, slope @ turn) + 9.81 * n  # mass is 1 kg
    S = np.cross(np.eye(3), r)  # w x r = -S w with S = [r]
    torque = np.cross(r, rest) - np.cross(w, INERTIA @ w)
    return np.r_[turn, np.linalg.solve(INERTIA + S.T @ S, torque)]


def rolling(n, w, h=1e-3):
    """The rate about the vertical at the end, by Runge and Kutta's method."""
    y = np.r_[n, w]
    for _ in range(round(DURATION / h)):
        a = rate(y)
        b = rate(y + 0.5 * h * a)
        c = rate(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(y + h * c))
    return y[:3] @ y[3:]


def test_a_rattleback_rolls():
    """With an error of the first order in the step, whichever way it is spun."""
    inertia = ar.Inertia.from_com(1.0, tuple(COM), INERTIA)
    body = ar.Body("boat", ar.Free(), inertia=inertia, shapes=[ar.Ellipsoid(tuple(AXES))])
    boat = ar.Model([body])
    scene = ar.Scene(boat, [ar.contacts.Ground(friction=1.0)])
    q = boat.integrate(boat.neutral(), [0.0087, 0.0087, 0.0, 0.0, 0.0, 0.0])
    R = boat.frame_pose(q, "boat")[:3, :3]
    p, _ = touched(R[2])
    q[2] = -(R @ p)[2]
    spin = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, -5.0]])
    expected = np.array([rolling(R[2], w) for w in spin])
    found = []
    for h in (5e-4, 2.5e-4):
        run = ar.simulate(scene, DURATION, h, q=q, qd=np.c_[spin, -np.cross(spin, p)])
        found.append((run["boat"].rotation[:, -1] @ run.qd[:, -1, :3, None])[:, 2, 0])
    assert np.abs(found[1] - expected).max() < 0.2
    assert np.abs(2.0 * found[1] - found[0] - expected).max() < 0.01  # without that order
