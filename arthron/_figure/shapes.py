"""Solids with mass: what bodies are made of (S19 §1.7)."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.transform import Transform, clean
from .._spatial.vectors import Mat3, Vec3
from .._tree.placement import as_placement
from ..errors import FileError, ModelError
from .convex_hull import convex_hull
from .mesh_file import Surface, read_mesh, read_points
from .mesh_inertia import solid_inertia

WATER = 1000.0
"""Density of a shape that is given neither mass nor density [kg/m^3]."""


@dataclass(frozen=True, kw_only=True)
class Shape(ABC):
    """What every solid has.

    Attributes:
        mass: mass [kg]; density times volume when left out.
        density: density [kg/m^3], used when `mass` is left out.
        placement: pose of the shape's centre in the body.
        color: red, green, blue and opacity, from 0 to 1; opaque when the fourth is left out. Views
            choose one when all are.
    """

    mass: float | None = None
    density: float = WATER
    placement: Any = field(default_factory=Transform)
    color: Any = None
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
        if self.color is not None:
            object.__setattr__(self, "color", _color(kind, self.color))

    @abstractmethod
    def volume(self) -> float:
        """Volume [m^3]."""

    @abstractmethod
    def own_inertia(self, m: float) -> Inertia:
        """Mass properties about the shape's own origin, in its own axes, for mass m."""

    def inertia(self) -> Inertia:
        """Mass properties about the body's origin, in the body's axes."""
        if 0.0 == (self.density if self.mass is None else self.mass):
            return Inertia()  # only to look at
        try:
            m = self.density * self.volume() if self.mass is None else float(self.mass)
            return self.own_inertia(m).pulled_back(self.placement.E, self.placement.r)
        except OverflowError:
            sizes = ", ".join(f"{name} = {getattr(self, name):g}" for name in self.sizes)
            raise ModelError(
                f"{type(self).__name__} has {sizes}: its inertia is too large to be a number. Give "
                "smaller sizes [m]."
            ) from None


def unknown(shape: Shape) -> ModelError:
    """What to say of a shape of a kind that cannot be collided with."""
    return ModelError(
        f"{type(shape).__name__} is a kind of shape that collision does not know. Give its body "
        "`collision=[...]` of boxes, spheres, capsules, cylinders, ellipsoids or meshes."
    )


def _centred(m: float, xx: float, yy: float, zz: float) -> Inertia:
    """Of a shape with its centre of mass at its origin, and its axes along its own."""
    return Inertia(m, Vec3(), Mat3.diagonal(xx, yy, zz))


def _color(kind: str, value: Any) -> tuple[float, ...]:
    """Red, green, blue and opacity."""
    try:
        numbers = tuple(float(x) for x in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in (3, 4) or not all(0.0 <= x <= 1.0 for x in numbers):
        raise ModelError(
            f"{kind} has color = {value!r}. Give red, green and blue from 0 to 1, and opacity if "
            "wanted."
        )
    return (*numbers, 1.0)[:4]


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

    def own_inertia(self, m: float) -> Inertia:
        x, y, z = (m / 12.0 * s * s for s in self.size)
        return _centred(m, y + z, x + z, x + y)


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball."""

    radius: float
    sizes = ("radius",)

    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * self.radius**3

    def own_inertia(self, m: float) -> Inertia:
        i = 0.4 * m * self.radius**2
        return _centred(m, i, i, i)


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder about z, of full `length`."""

    radius: float
    length: float
    sizes = ("radius", "length")

    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def own_inertia(self, m: float) -> Inertia:
        across = m * (3.0 * self.radius**2 + self.length**2) / 12.0
        return _centred(m, across, across, 0.5 * m * self.radius**2)


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder about z of `length`, with half a ball on either end."""

    radius: float
    length: float
    sizes = ("radius", "length")

    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    def own_inertia(self, m: float) -> Inertia:
        r, l = self.radius, self.length
        tube = m * l / (l + 4.0 / 3.0 * r)
        caps = m - tube
        across = (tube * (r * r / 4.0 + l * l / 12.0)
                  + caps * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r))  # fmt: skip
        return _centred(m, across, across, tube * r * r / 2.0 + 0.4 * caps * r * r)


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

    def own_inertia(self, m: float) -> Inertia:
        x, y, z = (m / 5.0 * r * r for r in self.radii)
        return _centred(m, y + z, x + z, x + y)


@dataclass(frozen=True)
class Mesh(Shape):
    """What the closed surface in an OBJ or STL file encloses.

    Its mass is spread evenly. With `mass=0.0`, or in a body that has its `inertia`, it is only to
    look at: files of other formats do, and surfaces that are not closed.

    Attributes:
        path: the file.
        scale: metres to a unit of the file, one number or one along each of its axes; a negative
            one mirrors.
    """

    path: str
    scale: Any = (1.0, 1.0, 1.0)
    sizes = ()

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not str(self.path):
            raise ModelError(f"Mesh has path = {self.path!r}. Give the name of a file.")
        object.__setattr__(self, "path", str(self.path))
        scale: Any = self.scale
        scale = (scale,) * 3 if isinstance(scale, float | int) else scale
        object.__setattr__(self, "scale", _three_sizes("Mesh", "scale", scale))
        if not all(math.isfinite(s) and s for s in self.scale):
            raise ModelError(f"Mesh has scale = {self.scale}. It must be finite and not zero.")
        Shape.__post_init__(self)

    def volume(self) -> float:
        return self._solid.m

    def own_inertia(self, m: float) -> Inertia:
        volume, h, I = self._solid
        return Inertia(m, h * (m / volume), I * (m / volume))

    def hull(self) -> Surface:
        """The convex hull of the mesh, in its own axes, where `placement` does not count."""
        return self._hull

    @cached_property
    def _hull(self) -> Surface:
        try:
            return convex_hull(read_points(self.path) * self.scale)
        except ModelError as error:
            raise FileError(str(error), self.path) from None

    @cached_property
    def _surface(self) -> Surface:
        vertices, triangles = read_mesh(self.path)
        mirrored = math.prod(math.copysign(1.0, s) for s in self.scale) < 0.0
        return Surface(vertices * self.scale, triangles[:, ::-1] if mirrored else triangles)

    @cached_property
    def _solid(self) -> Inertia:
        """For density one, so that its mass is the volume."""
        return solid_inertia(self._surface, self.path)


def as_shapes(shapes: Any, called: str = "shapes") -> tuple[Shape, ...]:
    """Several solids from what a user may give: one, a list of them, or None."""
    given = (shapes,) if isinstance(shapes, Shape) else shapes or ()
    every: tuple[Any, ...] = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(shape, Shape) for shape in every):
        verb = "are" if called == "shapes" else "is"
        raise ModelError(f"{called} {verb} {shapes!r}. Give a list such as `[ar.Box((1, 1, 1))]`.")
    return every


def inertia_of(shapes: Shape | Iterable[Shape]) -> Inertia:
    """Mass properties of several solids that move as one (S19 §1.7.1)."""
    total = Inertia()
    for shape in as_shapes(shapes):
        total = total + shape.inertia()
    return total


def principal_axes(inertia: Inertia) -> tuple[Transform, tuple[float, float, float]]:
    """The frame at the centre of mass in which the inertia is diagonal, and its three moments.

    The frame is right-handed and moments ascend.
    """
    if not isinstance(inertia, Inertia):
        raise ModelError(
            f"an inertia is {inertia!r}. Give an `ar.Inertia`, such as `body.inertia`."
        )
    moments, axes = np.linalg.eigh(np.array(inertia.about_com(), dtype=float))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    frame = Transform.from_pose(clean(Mat3.from_rows(axes)), inertia.com())
    a, b, c = (float(m) for m in moments)
    return frame, (a, b, c)
