"""The pages: each algorithm as the literature writes it, to read, trace, compile, differentiate."""

from ._algorithms.aba import aba as aba
from ._algorithms.boosted import boosted_rnea as boosted_rnea
from ._algorithms.configuration import difference as difference
from ._algorithms.configuration import integrate as integrate
from ._algorithms.crba import crba as crba
from ._algorithms.dynamics import bias_forces as bias_forces
from ._algorithms.dynamics import crba_solve as crba_solve
from ._algorithms.dynamics import forward_dynamics as forward_dynamics
from ._algorithms.dynamics import gravity_forces as gravity_forces
from ._algorithms.dynamics import inverse_dynamics as inverse_dynamics
from ._algorithms.dynamics import mass_matrix as mass_matrix
from ._algorithms.energy import center_of_mass as center_of_mass
from ._algorithms.energy import com_jacobian as com_jacobian
from ._algorithms.energy import kinetic_energy as kinetic_energy
from ._algorithms.energy import momentum as momentum
from ._algorithms.energy import potential_energy as potential_energy
from ._algorithms.kinematics import accelerations as accelerations
from ._algorithms.kinematics import frame_acceleration as frame_acceleration
from ._algorithms.kinematics import frame_pose as frame_pose
from ._algorithms.kinematics import frame_velocity as frame_velocity
from ._algorithms.kinematics import jacobians as jacobians
from ._algorithms.kinematics import point_jacobian as point_jacobian
from ._algorithms.kinematics import poses as poses
from ._algorithms.kinematics import velocities as velocities
from ._algorithms.rnea import rnea as rnea
