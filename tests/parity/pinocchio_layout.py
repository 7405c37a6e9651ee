"""Pinocchio behind arthron's names and layouts, so that tests compare like with like.

What differs: the order of joints and the numbers of theirs that follow from it; quaternions, which
end in w; unlimited hinges, which have the coordinates (cos, sin); six-vectors, which have the
linear half first; planar joints, whose velocity is that of the body in its own axes.
"""

import inspect
import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
REFUSED_BY_PINOCCHIO = {"falcon.urdf", "ur3.urdf"}
URDFS = sorted(p for p in ROBOTS.rglob("*.urdf") if p.name not in REFUSED_BY_PINOCCHIO)
BASES = ("fixed", "floating")

SWAP = [3, 4, 5, 0, 1, 2]
"""Where each number of a six-vector is in the other library."""


def robot_name(path):
    """A short name for a robot's file that no other file has."""
    return f"{path.relative_to(ROBOTS).parts[0]}/{path.stem}"


def robot_file(name):
    """The file of a robot by its short name."""
    return next(path for path in URDFS if robot_name(path) == name)


def load_both(path, base):
    """A robot as arthron and as Pinocchio read it."""
    floating = base == "floating"
    model = ar.load(path, root=ar.Free() if floating else None)
    theirs = pin.buildModelFromUrdf(str(path), *[pin.JointModelFreeFlyer()][:floating])
    return model, Pinocchio(model, theirs)


def states(model, count, seed, speed=1.0):
    """Random inputs of a model by name, `count` of each."""
    rng = np.random.default_rng(seed)
    q = np.stack([model.random(rng) for _ in range(count)])
    qd, qdd, tau = speed * rng.normal(size=(3, count, model.nv))
    f_ext = rng.normal(size=(count, model.nb, 6))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "f_ext": f_ext}


def relative_error(ours, expected):
    """Largest error relative to the largest number, over all axes but the first."""
    ours, expected = np.asarray(ours), np.asarray(expected)
    assert ours.shape == expected.shape
    axes = tuple(range(1, expected.ndim))
    error, size = (np.abs(x).max(axis=axes, initial=0.0) for x in (ours - expected, expected))
    return (error / np.maximum(size, 1e-6)).max()


def expected(theirs, method, state):
    """What Pinocchio gives for each of several states."""
    function = getattr(theirs, method)
    rows = zip(*inputs_of(method, state).values(), strict=True)
    return np.array([function(*row) for row in rows])


def inputs_of(method, state):
    """Those of a state's arrays that a method takes."""
    names = list(inspect.signature(getattr(Pinocchio, method)).parameters)[1:]
    return {name: state[name] for name in names}


class Pinocchio:
    """One figure in Pinocchio, with the method names and the layouts of `ar.Model`, for one state.

    With v their velocities, v = P qd: P moves numbers about, and turns those of planar joints.
    """

    def __init__(self, model, theirs):
        self.pin, self.data = theirs, theirs.createData()
        self.tree = model.tree
        self.pin.gravity = pin.Motion(np.array(model.gravity), np.zeros(3))
        self.joints = [theirs.getJointId(name) for name in model.joint_names]
        assert sorted(self.joints) == list(range(1, theirs.njoints))

    def _each(self):
        """(our joint, its ranges in q and qd, its ranges in theirs)."""
        t = self.tree
        for i, j in zip(t.bodies, self.joints, strict=True):
            theirs = self.pin.joints[j]
            yield (
                t.joint[i],
                slice(t.q_start[i], t.q_start[i + 1]),
                slice(t.v_start[i], t.v_start[i + 1]),
                slice(theirs.idx_q, theirs.idx_q + theirs.nq),
                slice(theirs.idx_v, theirs.idx_v + theirs.nv),
            )

    def positions(self, q):
        """Their coordinates."""
        result = np.full(self.pin.nq, np.nan)
        for joint, ours, _, theirs, _ in self._each():
            x = q[ours]
            match joint:
                case ar.Free():
                    x = [*x[:3], *x[4:], x[3]]
                case ar.Spherical():
                    x = [*x[1:], x[0]]
                case ar.Planar():
                    x = [*x[:2], np.cos(x[2]), np.sin(x[2])]
                case ar.Revolute() if theirs.stop - theirs.start == 2:
                    x = [np.cos(x[0]), np.sin(x[0])]
            result[theirs] = x
        return result

    def P(self, q):
        """Matrix that takes `qd` to their velocities."""
        result = np.zeros((self.pin.nv, self.tree.nv))
        for joint, at, ours, _, theirs in self._each():
            block = np.eye(joint.nv)
            if isinstance(joint, ar.Free):
                block = block[SWAP]
            elif isinstance(joint, ar.Planar):
                c, s = np.cos(q[at][2]), np.sin(q[at][2])
                block[:2, :2] = [[c, s], [-s, c]]
            result[theirs, ours] = block
        return result

    def drift(self, q, qd):
        """Their acceleration when `qdd` is zero: dP/dt qd."""
        result = np.zeros(self.pin.nv)
        for joint, at, ours, _, theirs in self._each():
            if isinstance(joint, ar.Planar):
                c, s = np.cos(q[at][2]), np.sin(q[at][2])
                x, y, turn = qd[ours]
                result[theirs] = [turn * (c * y - s * x), -turn * (c * x + s * y), 0.0]
        return result

    def body_forces(self, f_ext):
        """Their external forces."""
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(self.pin.njoints)])
        for j, f in zip(self.joints, f_ext, strict=True):
            forces[j] = pin.Force(f[SWAP])
        return forces

    # Kinematics

    def body_poses(self, q):
        pin.forwardKinematics(self.pin, self.data, self.positions(q))
        return self._rows([self.data.oMi[j].homogeneous for j in self.joints], (4, 4))

    def frame_pose(self, q, frame):
        pin.framesForwardKinematics(self.pin, self.data, self.positions(q))
        return self.data.oMf[self.pin.getBodyId(frame)].homogeneous

    def jacobian(self, q, body, point, frame):
        """As `ar.Model.jacobian`, from a frame added at the point."""
        home = self.pin.frames[self.pin.getBodyId(body)]
        placement = home.placement * pin.SE3(np.eye(3), np.array(point))
        probe = pin.Frame("probe", home.parentJoint, placement, pin.FrameType.OP_FRAME)
        probed = self.pin.copy()
        k = probed.addFrame(probe)
        axes = {"world_aligned": "LOCAL_WORLD_ALIGNED"}.get(frame, frame.upper())
        axes = getattr(pin.ReferenceFrame, axes)
        J = pin.computeFrameJacobian(probed, probed.createData(), self.positions(q), k, axes)
        return J[SWAP] @ self.P(q)

    def body_velocities(self, q, qd):
        pin.forwardKinematics(self.pin, self.data, self.positions(q), self.P(q) @ qd)
        return self._rows([self.data.v[j].vector[SWAP] for j in self.joints], (6,))

    def body_accelerations(self, q, qd, qdd):
        P = self.P(q)
        rates = P @ qd, P @ qdd + self.drift(q, qd)
        pin.forwardKinematics(self.pin, self.data, self.positions(q), *rates)
        return self._rows([self.data.a[j].vector[SWAP] for j in self.joints], (6,))

    def body_jacobians(self, q):
        P = self.P(q)
        pin.computeJointJacobians(self.pin, self.data, self.positions(q))
        local = pin.ReferenceFrame.LOCAL
        each = [pin.getJointJacobian(self.pin, self.data, j, local) for j in self.joints]
        return self._rows([J[SWAP] @ P for J in each], (6, self.tree.nv))

    def _rows(self, rows, shape):
        return np.array(rows).reshape(self.tree.nb, *shape)

    # Dynamics

    def inverse_dynamics(self, q, qd, qdd, f_ext):
        P = self.P(q)
        rates = P @ qd, P @ qdd + self.drift(q, qd)
        f = self.body_forces(f_ext)
        return P.T @ pin.rnea(self.pin, self.data, self.positions(q), *rates, f)

    def forward_dynamics(self, q, qd, tau, f_ext):
        P = self.P(q)
        x, f = self.positions(q), self.body_forces(f_ext)
        a = pin.aba(self.pin, self.data, x, P @ qd, np.linalg.solve(P.T, tau), f)
        return np.linalg.solve(P, a - self.drift(q, qd))

    def mass_matrix(self, q):
        P = self.P(q)
        return P.T @ pin.crba(self.pin, self.data, self.positions(q)) @ P

    def bias_forces(self, q, qd):
        P, x = self.P(q), self.positions(q)
        bias = pin.nonLinearEffects(self.pin, self.data, x, P @ qd)
        return P.T @ (bias + pin.crba(self.pin, self.data, x) @ self.drift(q, qd))

    def gravity_forces(self, q):
        gravity = pin.computeGeneralizedGravity(self.pin, self.data, self.positions(q))
        return self.P(q).T @ gravity

    # Energy

    def kinetic_energy(self, q, qd):
        return pin.computeKineticEnergy(self.pin, self.data, self.positions(q), self.P(q) @ qd)

    def potential_energy(self, q):
        return pin.computePotentialEnergy(self.pin, self.data, self.positions(q))

    def momentum(self, q, qd):
        rates = self.positions(q), self.P(q) @ qd
        return pin.computeCentroidalMomentum(self.pin, self.data, *rates).vector[SWAP]

    def center_of_mass(self, q):
        return pin.centerOfMass(self.pin, self.data, self.positions(q))

    def com_jacobian(self, q):
        return pin.jacobianCenterOfMass(self.pin, self.data, self.positions(q)) @ self.P(q)

    # Derivatives and matrices, for figures without planar joints, where P does not depend on q

    def _among_velocities(self, q, *matrices):
        """Matrices over their velocities as matrices over ours."""
        P = self.P(q)
        assert np.array_equal(P @ P.T, np.eye(self.pin.nv))
        return [P.T @ A @ P for A in matrices]

    def inverse_dynamics_derivatives(self, q, qd, qdd, f_ext):
        """By q, by qd, and the mass matrix."""
        P, f = self.P(q), self.body_forces(f_ext)
        state = self.positions(q), P @ qd, P @ qdd
        return self._among_velocities(
            q, *pin.computeRNEADerivatives(self.pin, self.data, *state, f)
        )

    def forward_dynamics_derivatives(self, q, qd, tau, f_ext):
        P, f = self.P(q), self.body_forces(f_ext)
        state = self.positions(q), P @ qd, P @ tau
        by_q, by_qd, W = pin.computeABADerivatives(self.pin, self.data, *state, f)
        return self._among_velocities(q, by_q, by_qd, _symmetric(W))

    def inverse_mass_matrix(self, q):
        W = pin.computeMinverse(self.pin, self.data, self.positions(q))
        return self._among_velocities(q, _symmetric(W))[0]

    def coriolis_matrix(self, q, qd):
        state = self.positions(q), self.P(q) @ qd
        return self._among_velocities(q, pin.computeCoriolisMatrix(self.pin, self.data, *state))[0]

    def gravity_forces_dq(self, q):
        x = self.positions(q)
        return self._among_velocities(
            q, pin.computeGeneralizedGravityDerivatives(self.pin, self.data, x)
        )[0]

    def momentum_matrix(self, q):
        still = np.zeros(self.pin.nv)
        return pin.ccrba(self.pin, self.data, self.positions(q), still)[SWAP] @ self.P(q)

    def momentum_matrix_dot(self, q, qd):
        P = self.P(q)
        return pin.dccrba(self.pin, self.data, self.positions(q), P @ qd)[SWAP] @ P

    def body_jacobians_dot(self, q, qd):
        P = self.P(q)
        pin.computeJointJacobiansTimeVariation(self.pin, self.data, self.positions(q), P @ qd)
        local = pin.ReferenceFrame.LOCAL
        each = [
            pin.getJointJacobianTimeVariation(self.pin, self.data, j, local) for j in self.joints
        ]
        return self._rows([J[SWAP] @ P for J in each], (6, self.tree.nv))

    def regressor(self, q, qd, qdd):
        """Columns in our order: theirs of a body are m, mc, xx, xy, yy, xz, yz, zz."""
        P = self.P(q)
        state = self.positions(q), P @ qd, P @ qdd
        Y = P.T @ pin.computeJointTorqueRegressor(self.pin, self.data, *state)
        order = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]
        return Y[:, [10 * (j - 1) + k for j in self.joints for k in order]]


def _symmetric(upper):
    """The whole of a matrix of which the upper triangle is known."""
    return np.triu(upper) + np.triu(upper, 1).T
