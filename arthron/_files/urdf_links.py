"""Links of URDF robot files: their inertia, looks, and what others meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._figure.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.placement import pose
from ..errors import FileError, ModelError
from .xml import Tag


def link_data(
    link: Tag, find_mesh: Callable[[str], str], materials: dict[str, Tag], friction: Tag | None
) -> dict[str, Any]:
    """What a body has from its link: inertia, looks, and what others meet.

    Looks and solids that cannot be are left out.
    """
    doubts: list[str] = []
    inertia = _inertia(link, doubts)
    found: dict[str, list[Shape]] = {"visual": [], "collision": []}
    for kind, shapes in found.items():
        for element in link.all(kind):
            try:
                color = _color(element, materials, doubts) if kind == "visual" else None
                looks = {"placement": placement(element), "color": color}
                shapes += _shapes(element, find_mesh, looks, doubts)
            except FileError as error:
                doubts.append(f"{error} This <{kind}> of link {link.text('name')!r} is left out.")
    return {
        "inertia": inertia,
        "shapes": found["visual"],
        "collision": found["collision"],
        "surface_friction": _surface_friction(link, friction, doubts),
        "warnings": doubts,
    }


def gazebo_friction(robot: Tag) -> dict[str, Tag]:
    """The coefficient of friction that <gazebo reference="link"> has, by link."""
    found: dict[str, Tag] = {}
    for gazebo in robot.all("gazebo"):
        mu = gazebo.find("mu1")
        if mu is not None:
            found.setdefault(gazebo.attributes.get("reference", ""), mu)
    return found


def _surface_friction(link: Tag, friction: Tag | None, doubts: list[str]) -> float | None:
    """What a link's <contact> has, Bullet's tag, or else <mu1> of Gazebo's."""
    contact = link.find("contact")
    own = contact.find("lateral_friction") if contact else None
    element = friction if own is None else own
    if element is None:
        return None
    try:
        mu = element.content_number() if own is None else element.number("value")
    except FileError as error:
        doubts.append(f"{error} This friction of link {link.text('name')!r} is not used.")
        return None
    if mu >= 0.0:
        return mu
    said = f"{element} of link {link.text('name')!r} is {mu:g}, and is not used."
    doubts.append(element.warning(f"{said} Give zero or more."))
    return None


def _inertia(link: Tag, doubts: list[str]) -> Inertia:
    """Mass properties in the link's axes about its origin; a link without <inertial> has none."""
    inertial = link.find("inertial")
    if inertial is None:
        return Inertia()
    if inertial.find("mass") is None:
        said = f"<inertial> of link {link.text('name')!r} has no <mass>, and is read as no inertia."
        doubts.append(inertial.warning(f"{said} Add one inside it."))
        return Inertia()
    mass, moments = inertial.require("mass"), inertial.require("inertia")
    m = mass.number("value")
    if m < 0.0:
        raise mass.error(f"link {link.text('name')!r} has the mass {m:g}. Give zero or more [kg].")
    xx, xy, xz, yy, yz, zz = (
        moments.number(name) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    Ic = Mat3(Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz))
    X = placement(inertial)
    return Inertia.from_com(m, X.r, X.E.congruence(Ic))


def _shapes(
    element: Tag, find_mesh: Callable[[str], str], looks: dict[str, Any], doubts: list[str]
) -> Iterator[Shape]:
    """The solids of an element, without mass: the link's mass is in its <inertial>."""
    geometry = element.find("geometry")
    looks = {"mass": 0.0, **looks}
    for solid in geometry.children if geometry else ():
        with located(solid):
            match solid.tag:
                case "box":
                    yield Box(solid.numbers("size", 3), **looks)
                case "sphere":
                    yield Sphere(solid.number("radius"), **looks)
                case "cylinder":
                    yield Cylinder(solid.number("radius"), solid.number("length"), **looks)
                case "capsule":
                    yield Capsule(solid.number("radius"), solid.number("length"), **looks)
                case "mesh":
                    yield Mesh(find_mesh(solid.text("filename")), _scale(solid, doubts), **looks)


def colors(robot: Tag) -> dict[str, Tag]:
    """The <color> of each material by its name, wherever the robot defines it first."""
    visuals = (visual for link in robot.all("link") for visual in link.all("visual"))
    found: dict[str, Tag] = {}
    for place in (robot, *visuals):
        for material in place.all("material"):
            color = material.find("color")
            if color is not None:
                found.setdefault(material.attributes.get("name", ""), color)
    return found


def _color(visual: Tag, materials: dict[str, Tag], doubts: list[str]) -> tuple[float, ...] | None:
    """What colour a <visual> has: its own, or that of the material that it names."""
    material = visual.find("material")
    if material is None:
        return None
    color = material.find("color") or materials.get(material.attributes.get("name", ""))
    if color is None:
        return None  # a texture, or nothing
    try:
        rgba = color.numbers("rgba", 4)
        if all(0.0 <= x <= 1.0 for x in rgba):
            return rgba
        doubts.append(color.warning(f"<color> has rgba={rgba}, and is not used. Give 0 to 1."))
    except FileError as error:
        doubts.append(f"{error} This <color> is not used.")
    return None


def _scale(mesh: Tag, doubts: list[str]) -> tuple[float, ...]:
    """Three factors; a fourth, which some exporters write, is not used."""
    words = mesh.attributes.get("scale", "1 1 1").split()
    if len(words) <= 3:
        return mesh.numbers("scale", 3, (1.0, 1.0, 1.0))
    doubts.append(mesh.warning(f"<mesh> has {len(words)} factors of scale; 3 are used."))
    return replace(mesh, attributes={"scale": " ".join(words[:3])}).numbers("scale", 3)


def placement(element: Tag) -> Transform:
    """The <origin> of an element."""
    origin = element.find("origin")
    if origin is None:
        return Transform()
    if "quat_xyzw" in origin.attributes:
        raise origin.error("<origin> has quat_xyzw, which is not read. Give the rotation as rpy.")
    zero = (0.0, 0.0, 0.0)
    return pose(origin.numbers("xyz", 3, zero), origin.numbers("rpy", 3, zero))


def mesh_path(folder: Path, packages: Sequence[Path], name: str) -> str:
    """Where the mesh is; `name` as it came when it is nowhere, for the view to complain about."""
    if name.startswith("package://"):
        package, _, rest = name.removeprefix("package://").partition("/")
        places = [place / package / rest for place in (*packages, folder, *folder.parents)]
        places = [place / rest for place in packages if place.name == package] + places
    else:
        places = [folder / name.removeprefix("file://")]
    return next((str(place) for place in places if os.path.exists(place)), name)


@contextmanager
def located(element: Tag) -> Iterator[None]:
    """Give errors about what an element makes the element's place in the file."""
    try:
        yield
    except ModelError as error:
        raise element.error(f"{element}: {error}") from None
