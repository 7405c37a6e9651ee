"""Solids with mass: what bodies are made of (S19 1.7.1)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.transform import Transform, clean
from .._spatial.vectors import Mat3, Vec3
from .._tree.placement import as_placement
from ..errors import ModelError

WATER = 1000.0
"""Density of a shape that is given neither mass nor density [kg/m^3]."""


@dataclass(frozen=True, kw_only=True)
class Shape(ABC):
    """What every solid has.

    Attributes:
        mass: mass [kg]; density times volume when left out.
        density: density [kg/m^3], used when `mass` is left out.
        placement: pose of the shape's centre in the body.
    """

    mass: float | None = None
    density: float = WATER
    placement: Any = field(default_factory=Transform)
    sizes: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        kind = type(self).__name__
        for name in (*self.sizes, "density", "mass"):
            value = getattr(self, name)
            if name == "mass" and value is None:
                continue
            try:
                numbers = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                raise ModelError(f"{kind} has {name} = {value!r}. Give a number.") from None
            least = "zero or more" if name in ("mass", "density") else "more than zero"
            bad = (numbers < 0) if name in ("mass", "density") else (numbers <= 0)
            if not np.all(np.isfinite(numbers)) or np.any(bad):
                raise ModelError(f"{kind} has {name} = {value}. It must be finite and {least}.")
        object.__setattr__(self, "placement", as_placement(self.placement))

    @abstractmethod
    def volume(self) -> float:
        """Volume [m^3]."""

    @abstractmethod
    def central_inertia(self, m: float) -> tuple[float, float, float]:
        """Moments about the shape's own axes through its centre, for mass m [kg m^2]."""

    def inertia(self) -> Inertia:
        """Mass properties about the body's origin, in the body's axes."""
        m = self.density * self.volume() if self.mass is None else float(self.mass)
        central = Inertia(m, Vec3(), Mat3.diagonal(*self.central_inertia(m)))
        return central.pulled_back(self.placement.E, self.placement.r)


def _three_sizes(kind: str, name: str, values: Any) -> tuple[float, float, float]:
    try:
        x, y, z = (float(v) for v in values)
    except (TypeError, ValueError):
        raise ModelError(f"{kind} has {name} = {values!r}. Give three numbers.") from None
    return x, y, z


@dataclass(frozen=True)
class Box(Shape):
    """A block with full edge lengths `size` [m]."""

    size: Any
    sizes = ("size",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _three_sizes("Box", "size", self.size))
        Shape.__post_init__(self)

    def volume(self) -> float:
        return math.prod(self.size)

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        x, y, z = (m / 12.0 * s * s for s in self.size)
        return y + z, x + z, x + y


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball."""

    radius: float
    sizes = ("radius",)

    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * self.radius**3

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        i = 0.4 * m * self.radius**2
        return i, i, i


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder about z, of full `length`."""

    radius: float
    length: float
    sizes = ("radius", "length")

    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        across = m * (3.0 * self.radius**2 + self.length**2) / 12.0
        return across, across, 0.5 * m * self.radius**2


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder about z of `length`, with half a ball on either end."""

    radius: float
    length: float
    sizes = ("radius", "length")

    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        r, l = self.radius, self.length
        tube = m * l / (l + 4.0 / 3.0 * r)
        caps = m - tube
        across = (tube * (r * r / 4.0 + l * l / 12.0)
                  + caps * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r))  # fmt: skip
        return across, across, tube * r * r / 2.0 + 0.4 * caps * r * r


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with half-axes `radii` [m]."""

    radii: Any
    sizes = ("radii",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", _three_sizes("Ellipsoid", "radii", self.radii))
        Shape.__post_init__(self)

    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * math.prod(self.radii)

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        x, y, z = (m / 5.0 * r * r for r in self.radii)
        return y + z, x + z, x + y


@dataclass(frozen=True)
class Mesh(Shape):
    """A surface from a file: something to look at, without mass of its own."""

    path: str
    scale: Any = (1.0, 1.0, 1.0)
    sizes = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _three_sizes("Mesh", "scale", self.scale))
        Shape.__post_init__(self)
        if self.mass:
            raise ModelError(
                f"Mesh has mass = {self.mass}, but how it is spread in a mesh is not known. Give "
                "the body `inertia`, or another shape for its mass."
            )

    def volume(self) -> float:
        return 0.0

    def central_inertia(self, m: float) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0


def composite(shapes: Iterable[Shape]) -> Inertia:
    """Mass properties of several solids that move as one (S19 1.7.1)."""
    total = Inertia()
    for shape in shapes:
        total = total + shape.inertia()
    return total


def principal_axes(inertia: Inertia) -> tuple[Transform, tuple[float, float, float]]:
    """The frame at the centre of mass in which the inertia is diagonal, and its three moments.

    The frame is right-handed and moments ascend.
    """
    moments, axes = np.linalg.eigh(np.array(inertia.about_com(), dtype=float))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    frame = Transform.from_pose(clean(Mat3.from_rows(axes)), inertia.com())
    a, b, c = (float(m) for m in moments)
    return frame, (a, b, c)
