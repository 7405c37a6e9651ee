"""S19's worked examples in MATLAB: what it prints is what comes out, to the four digits printed."""

import numpy as np

import arthron as ar
from arthron.spatial import Mat3, Motion, Transform, Vec3, exp_se3, log_se3

POSE = [[-0.7372, -0.2659, 0.6211, 0.6877],
        [-0.1676, -0.8186, -0.5493, 0.3886],
        [0.6545, -0.5091, 0.5589, 0.9371],
        [0.0, 0.0, 0.0, 1.0]]  # fmt: skip
LOGARITHM = [[0.0, -2.7242, -0.9257, 1.3245],
             [2.7242, 0.0, -1.1157, -0.6727],
             [0.9257, 1.1157, 0.0, 0.3156],
             [0.0, 0.0, 0.0, 0.0]]  # fmt: skip
MOVING = [[-0.9227, -0.3845, -0.0274, -0.5020],
          [0.2865, -0.6364, -0.7162, 0.4564],
          [0.2579, -0.6687, 0.6973, -1.5617],
          [0.0, 0.0, 0.0, 1.0]]  # fmt: skip
TWIST = Motion(Vec3(-0.1285, 1.2666, 0.8058), Vec3(-0.6903, -0.5538, -0.1246))
RATE = [[-0.2751, 0.7470, -1.2181, 0.8533],
        [0.3944, -0.1388, 0.2811, 0.2439],
        [-1.4221, -0.2974, 0.2408, 0.1054],
        [0.0, 0.0, 0.0, 0.0]]  # fmt: skip


def bracket(m):
    """The 4 x 4 matrix ([w] v; 0 0) of a twist (S19 1.6)."""
    return np.vstack([np.column_stack([np.array(m.ang.tilde), m.lin]), np.zeros(4)])


def unbracket(A):
    (_, _, wy, vx), (wz, _, _, vy), (_, wx, _, vz), _ = A
    return Motion(Vec3(wx, wy, wz), Vec3(vx, vy, vz))


def transform(E):
    return Transform.from_pose(
        Mat3(*(Vec3(*row[:3]) for row in E[:3])), Vec3(*(r[3] for r in E[:3]))
    )


def test_exponential_of_a_twist():
    """S19 1.10: each entry moves by no more than about the twist, of length 3.4, does."""
    np.testing.assert_allclose(exp_se3(unbracket(LOGARITHM)).matrix(), POSE, rtol=0, atol=1e-4)


def test_logarithm_of_a_pose():
    """S19 1.10, near half a turn, where what was rounded off the pose shows most."""
    np.testing.assert_allclose(bracket(log_se3(transform(POSE))), LOGARITHM, rtol=0, atol=1e-4)


def test_rate_of_a_pose():
    """E' = E [phi] (S19 1.8), and by a difference over a time of 1e-8 (S19 1.11)."""
    np.testing.assert_allclose(MOVING @ bracket(TWIST), RATE, rtol=0, atol=1e-4)
    E, dt = transform(MOVING), 1e-8
    E1 = exp_se3(TWIST * dt) @ E
    np.testing.assert_allclose((np.array(E1.matrix()) - E.matrix()) / dt, RATE, rtol=0, atol=1e-4)


def test_material_jacobian():
    """Gamma of the point (1, 0, 0), and that point's velocity in two motions (S19 1.12)."""
    model = ar.Model([ar.Body("body", ar.Free(), shapes=[ar.Box((1, 1, 1))])])
    J = model.jacobian(model.neutral(), "body", (1, 0, 0), axes="world_aligned")[3:]
    assert J.tolist() == [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, -1, 0, 0, 0, 1]]
    assert (J @ [0, 0, 0, 1, 0, 0]).tolist() == [1, 0, 0]
    assert (J @ [0, 0, 1, 0, 0, 0]).tolist() == [0, 1, 0]
