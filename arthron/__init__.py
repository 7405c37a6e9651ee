"""arthron: the dynamics of articulated figures, compiled from readable pages."""

from pathlib import Path as _Path

from . import algorithms as algorithms
from . import constraints as constraints
from . import contacts as contacts
from . import controllers as controllers
from . import forces as forces
from . import identify as identify
from . import ik as ik
from . import integrators as integrators
from . import interop as interop
from . import mocap as mocap
from . import optimize as optimize
from . import sensors as sensors
from . import spacetime as spacetime
from . import spatial as spatial
from . import squash as squash
from ._compile.cache import cache_clear as cache_clear
from ._compile.cache import cache_size as cache_size
from ._figure.body import Body as Body
from ._figure.body import Mimic as Mimic
from ._figure.shapes import Box as Box
from ._figure.shapes import Capsule as Capsule
from ._figure.shapes import Cylinder as Cylinder
from ._figure.shapes import Ellipsoid as Ellipsoid
from ._figure.shapes import Mesh as Mesh
from ._figure.shapes import Sphere as Sphere
from ._figure.shapes import inertia_of as inertia_of
from ._figure.shapes import principal_axes as principal_axes
from ._figure.terrain import HeightField as HeightField
from ._figure.terrain import Plane as Plane
from ._graph.iterate import iterate as iterate
from ._graph.root import root as root
from ._mocap.load_motion import load_motion as load_motion
from ._model.load import load as load
from ._model.load import random_tree as random_tree
from ._model.model import Model as Model
from ._pages.compiled import compile as compile
from ._pages.compiled import evaluate as evaluate
from ._pages.differentiate import hessian as hessian
from ._pages.differentiate import hessian_product as hessian_product
from ._pages.differentiate import jacobian as jacobian
from ._pages.differentiate import rate as rate
from ._pages.differentiate import vjp as vjp
from ._pages.export import export as export
from ._pages.takes import takes as takes
from ._scene.element import Element as Element
from ._scene.element import Here as Here
from ._scene.element import Variable as Variable
from ._scene.joint_limits import JointLimits as JointLimits
from ._scene.keyframes import keyframes as keyframes
from ._scene.parameters import parameter as parameter
from ._scene.prescribed import Prescribed as Prescribed
from ._scene.scene import Scene as Scene
from ._scene.stabilisation import Baumgarte as Baumgarte
from ._scene.stabilisation import Projection as Projection
from ._simulate.simulate import simulate as simulate
from ._simulate.simulate import step as step
from ._simulate.trajectory import Trajectory as Trajectory
from ._simulate.trajectory_file import load_trajectory as load_trajectory
from ._spacetime.torque_energy import spline_basis as spline_basis
from ._spacetime.torque_energy import torque_energy as torque_energy
from ._spatial.array import array as array
from ._spatial.composed import acos as acos
from ._spatial.composed import asin as asin
from ._spatial.composed import sign as sign
from ._spatial.composed import tan as tan
from ._spatial.inertia import Inertia as Inertia
from ._spatial.scalar import absolute as absolute
from ._spatial.scalar import atan2 as atan2
from ._spatial.scalar import cos as cos
from ._spatial.scalar import epsilon as epsilon
from ._spatial.scalar import exp as exp
from ._spatial.scalar import floor as floor
from ._spatial.scalar import log as log
from ._spatial.scalar import maximum as maximum
from ._spatial.scalar import minimum as minimum
from ._spatial.scalar import pow as pow
from ._spatial.scalar import sin as sin
from ._spatial.scalar import sqrt as sqrt
from ._spatial.scalar import tanh as tanh
from ._spatial.scalar import where as where
from ._tree.joints import Fixed as Fixed
from ._tree.joints import Helical as Helical
from ._tree.joints import Planar as Planar
from ._tree.joints import Prismatic as Prismatic
from ._tree.joints import Revolute as Revolute
from ._tree.kinds import Composite as Composite
from ._tree.kinds import Custom as Custom
from ._tree.kinds import Euler as Euler
from ._tree.kinds import Free as Free
from ._tree.kinds import PlanarTranslation as PlanarTranslation
from ._tree.kinds import Spherical as Spherical
from ._tree.kinds import SplineCurve as SplineCurve
from ._tree.kinds import SplineSurface as SplineSurface
from ._tree.kinds import Translational as Translational
from ._tree.kinds import Universal as Universal
from ._tree.placement import pose as pose
from ._tree.tree import JointCoordinates as JointCoordinates
from ._tree.tree import JointForces as JointForces
from .errors import ArthronError as ArthronError
from .errors import CompileError as CompileError
from .errors import FileError as FileError
from .errors import JointError as JointError
from .errors import ModelError as ModelError
from .errors import ShapeError as ShapeError
from .errors import SimulationError as SimulationError
from .errors import SimulationWarning as SimulationWarning
from .errors import TraceError as TraceError

figures = _Path(__file__).parent / "figures"
"""Folder with the figures that ship with arthron."""


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("arthron")
    raise AttributeError(f"module 'arthron' has no attribute {name!r}")
