"""The pages: each algorithm as the literature writes it, to read, trace, compile, differentiate."""

from ._algorithms.aba import aba as aba
from ._algorithms.articulated_derivatives import articulated_derivatives as articulated_derivatives
from ._algorithms.balafoutis_patel import balafoutis_patel as balafoutis_patel
from ._algorithms.balafoutis_patel_partials import (
    balafoutis_patel_partials as balafoutis_patel_partials,
)
from ._algorithms.closed_form import closed_form as closed_form
from ._algorithms.closed_form_derivatives import closed_form_dq as closed_form_dq
from ._algorithms.closed_form_derivatives import closed_form_dqd as closed_form_dqd
from ._algorithms.closed_form_parameters import (
    closed_form_by_parameters as closed_form_by_parameters,
)
from ._algorithms.closed_form_parameters import closed_form_regressor as closed_form_regressor
from ._algorithms.closed_form_rates import closed_form_and_dot as closed_form_and_dot
from ._algorithms.closed_form_rates import closed_form_dot as closed_form_dot
from ._algorithms.constrained import constrained_dynamics as constrained_dynamics
from ._algorithms.constrained import constraint_impulse as constraint_impulse
from ._algorithms.constrained import mobility as mobility
from ._algorithms.constrained import operational_inertia as operational_inertia
from ._algorithms.coordinate_rates import coordinate_rates as coordinate_rates
from ._algorithms.coordinate_rates import joint_velocities as joint_velocities
from ._algorithms.coordinate_rates import unreduced_coordinates as unreduced_coordinates
from ._algorithms.coriolis import coriolis_matrix as coriolis_matrix
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
from ._algorithms.force_conversion import body_torques as body_torques
from ._algorithms.force_conversion import cartesian_forces as cartesian_forces
from ._algorithms.force_conversion import cartesian_forces_at as cartesian_forces_at
from ._algorithms.force_conversion import generalized_forces as generalized_forces
from ._algorithms.force_conversion import (
    generalized_forces_of_joints as generalized_forces_of_joints,
)
from ._algorithms.force_conversion import joint_torques as joint_torques
from ._algorithms.hybrid import hybrid_dynamics as hybrid_dynamics
from ._algorithms.inverse_mass import inverse_mass_matrix as inverse_mass_matrix
from ._algorithms.inverse_mass import inverse_mass_product as inverse_mass_product
from ._algorithms.inverse_mass import inverse_mass_products as inverse_mass_products
from ._algorithms.jacobian_derivatives import jacobians_ddot as jacobians_ddot
from ._algorithms.jacobian_derivatives import jacobians_dot as jacobians_dot
from ._algorithms.jacobian_derivatives import jacobians_dot_dq as jacobians_dot_dq
from ._algorithms.jacobian_derivatives import jacobians_dq as jacobians_dq
from ._algorithms.joint_wrenches import hybrid_joint_wrenches as hybrid_joint_wrenches
from ._algorithms.joint_wrenches import joint_wrenches as joint_wrenches
from ._algorithms.kinematics import accelerations as accelerations
from ._algorithms.kinematics import frame_acceleration as frame_acceleration
from ._algorithms.kinematics import frame_pose as frame_pose
from ._algorithms.kinematics import frame_velocity as frame_velocity
from ._algorithms.kinematics import jacobians as jacobians
from ._algorithms.kinematics import point_jacobian as point_jacobian
from ._algorithms.kinematics import poses as poses
from ._algorithms.kinematics import velocities as velocities
from ._algorithms.liu_jain import link_jacobians as link_jacobians
from ._algorithms.liu_jain import liu_jain as liu_jain
from ._algorithms.liu_jain import liu_jain_coriolis as liu_jain_coriolis
from ._algorithms.liu_jain import liu_jain_mass_matrix as liu_jain_mass_matrix
from ._algorithms.momentum import momentum_matrix as momentum_matrix
from ._algorithms.momentum import momentum_matrix_dot as momentum_matrix_dot
from ._algorithms.pose_conversion import generalized_coordinates as generalized_coordinates
from ._algorithms.products import jacobian_dot_product as jacobian_dot_product
from ._algorithms.products import jacobian_product as jacobian_product
from ._algorithms.products import jacobian_transpose_product as jacobian_transpose_product
from ._algorithms.regressor import joint_regressor as joint_regressor
from ._algorithms.regressor import regressor as regressor
from ._algorithms.regressor import slotine_li_regressor as slotine_li_regressor
from ._algorithms.rnea import rnea as rnea
from ._algorithms.slotine_li import slotine_li_forces as slotine_li_forces
from ._algorithms.slotine_li import slotine_li_gradient as slotine_li_gradient
from ._algorithms.state_derivatives import (
    forward_dynamics_derivatives as forward_dynamics_derivatives,
)
from ._algorithms.state_derivatives import gravity_forces_dq as gravity_forces_dq
from ._algorithms.state_derivatives import (
    inverse_dynamics_derivatives as inverse_dynamics_derivatives,
)
from ._algorithms.state_derivatives import rnea_derivatives as rnea_derivatives
from ._algorithms.traced_derivatives import coriolis_matrix_dot as coriolis_matrix_dot
from ._algorithms.traced_derivatives import coriolis_matrix_dq as coriolis_matrix_dq
from ._algorithms.traced_derivatives import coriolis_matrix_dqd as coriolis_matrix_dqd
from ._algorithms.traced_derivatives import forward_dynamics_vjp as forward_dynamics_vjp
from ._algorithms.traced_derivatives import gravity_forces_dot as gravity_forces_dot
from ._algorithms.traced_derivatives import inverse_dynamics_hessian as inverse_dynamics_hessian
from ._algorithms.traced_derivatives import (
    inverse_dynamics_hessian_product as inverse_dynamics_hessian_product,
)
from ._algorithms.traced_derivatives import inverse_dynamics_vjp as inverse_dynamics_vjp
from ._algorithms.traced_derivatives import mass_matrix_dot as mass_matrix_dot
from ._algorithms.traced_derivatives import mass_matrix_dq as mass_matrix_dq
from ._algorithms.velocity_conversion import generalized_velocities as generalized_velocities
from ._algorithms.velocity_conversion import (
    generalized_velocities_least_squares as generalized_velocities_least_squares,
)
from ._algorithms.velocity_conversion import joint_jacobians as joint_jacobians
from ._tree.configuration import difference as difference
from ._tree.configuration import integrate as integrate
