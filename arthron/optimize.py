"""Nonlinear programs: a sparse interior-point method, and BFGS to compare with."""

from ._optimize.bfgs import bfgs as bfgs
from ._optimize.minimize import minimize as minimize
from ._optimize.nonlinear_program import NonlinearProgram as NonlinearProgram
from ._optimize.optimum import Optimum as Optimum
