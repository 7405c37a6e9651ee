"""URDF robot files: one body per link, hung on the joint that has the link as its child."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .._figure.body import Body, Mimic
from .._figure.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.joints import Fixed, Joint, Planar, Prismatic, Revolute
from .._tree.kinds import Free
from .._tree.placement import pose
from ..errors import FileError, ModelError, nearest
from .formats import BY_ROOT
from .xml import Tag, read_xml

MAX_LINKS = 10_000
FIXED = Fixed()

WITH_AXIS = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
}
KINDS = (*WITH_AXIS, "fixed", "floating")
ONE_COORDINATE = ("revolute", "continuous", "prismatic")


def read_urdf(
    path: str | Path, *, root: Joint = FIXED, packages: Sequence[str | Path] = ()
) -> tuple[str, list[Body]]:
    """The robot's name, and its links as bodies: the root link first, then in the joints' order.

    Args:
        path: the file.
        root: joint between the world and the root link.
        packages: directories in which `package://NAME/...` is looked for before the directories
            above the file; each contains NAME, or is NAME.
    """
    robot = read_xml(path)
    _require_robot(robot)
    links, joints = _named(robot, "link"), _named(robot, "joint")
    parents = _parents(links, joints)
    base = _root_link(links, parents)
    _require_mimics(joints)
    folder, places = Path(path).resolve().parent, [Path(place).resolve() for place in packages]
    find_mesh = partial(_mesh_path, folder, places)
    colors, simulated = _colors(robot), _simulated(robot)
    data = {
        name: _link_data(link, find_mesh, colors, simulated.get(name))
        for name, link in links.items()
    }
    if not any(link.all("collision") for link in links.values()):
        for each in data.values():
            each["collision"] = None  # a file that tells nothing of it: looks are what collides
    bodies = [Body(base, root, joint_name="root_joint", line=links[base].line, **data[base])]
    for child, (joint, parent) in parents.items():
        link, moved = data[child], _joint_data(joint)
        doubts = (*moved.pop("warnings"), *link.pop("warnings"))
        bodies.append(Body(child, parent=parent, warnings=doubts, **moved, **link))
    return robot.attributes.get("name") or Path(path).stem, bodies


def _require_robot(robot: Tag) -> None:
    if robot.tag != "robot":
        what = BY_ROOT.get(robot.tag)
        raise robot.error(
            f"the root element is <{robot.tag}>, but a URDF file has <robot>."
            + (f" This looks like {what}." if what else " Check that this is the file you mean.")
        )
    for element in robot.children:
        if element.tag.startswith("xacro:"):
            raise element.error(
                f"<{element.tag}> is a xacro macro, not URDF. Expand the file first: "
                "`xacro robot.xacro > robot.urdf`."
            )
    count = len(robot.all("link"))
    if not 0 < count <= MAX_LINKS:
        raise robot.error(
            f"the robot has {count:,} links. Expected at least one <link> directly inside <robot>, "
            f"and at most {MAX_LINKS:,}."
        )


def _named(robot: Tag, tag: str) -> dict[str, Tag]:
    """The robot's links or joints by name."""
    elements: dict[str, Tag] = {}
    for element in robot.all(tag):
        name = element.text("name")
        if name in elements:
            raise element.error(
                f"there are two {tag}s called {name!r}; the first is on line "
                f"{elements[name].line}. Names must differ; rename one."
            )
        elements[name] = element
    return elements


def _parents(links: dict[str, Tag], joints: dict[str, Tag]) -> dict[str, tuple[Tag, str]]:
    """For each link that is a child: its joint, and the link that the joint hangs on."""
    parents: dict[str, tuple[Tag, str]] = {}
    for name, joint in joints.items():
        parent, child = (_link_of(joint, end, links) for end in ("parent", "child"))
        if child == parent:
            raise joint.error(f"joint {name!r} joins link {child!r} to itself. Name two links.")
        if child in parents:
            raise joint.error(
                f"link {child!r} is the child of two joints, {parents[child][0].text('name')!r} "
                f"and {name!r}. A robot is a tree: open the loop at one of them."
            )
        parents[child] = joint, parent
    return parents


def _link_of(joint: Tag, end: str, links: dict[str, Tag]) -> str:
    """The link that is the parent or child of a joint."""
    element = joint.require(end)
    name = element.text("link")
    if name not in links:
        raise element.error(
            f"joint {joint.text('name')!r} has the {end} {name!r}, which is not a link. "
            f"Add the link, or name another.{nearest(name, links)}"
        )
    return name


def _root_link(links: dict[str, Tag], parents: dict[str, tuple[Tag, str]]) -> str:
    """The one link that is no child; errors for what is not a tree."""
    cycle = _cycle({child: parent for child, (_, parent) in parents.items()})
    if cycle:
        joint, _ = parents[cycle[0]]
        raise joint.error(
            f"links hang on each other in a cycle, which no root holds: {' -> '.join(cycle)}. "
            "A robot is a tree: open the loop at one joint."
        )
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        raise links[roots[1]].error(
            f"links {roots[0]!r} and {roots[1]!r} are both roots: neither is the child of a joint. "
            "Join them with a joint, of type fixed if they do not move."
        )
    return roots[0]


def _cycle(following: dict[str, str]) -> list[str]:
    """Names that lead back to the first of them when each is followed to the next, if any do."""
    cleared: set[str] = set()
    for name in following:
        trail: list[str] = []
        seen: set[str] = set()
        while name in following and name not in cleared and name not in seen:
            trail.append(name)
            seen.add(name)
            name = following[name]
        if name in seen:
            return [*trail[trail.index(name) :], name]
        cleared |= seen
    return []


def _require_mimics(joints: dict[str, Tag]) -> None:
    """Joints that follow must follow a joint with one coordinate, and not themselves.

    A leader that is not in the file is let through: robots cut from larger ones have such joints,
    and they move freely until someone asks for the model in which they follow.
    """
    leaders: dict[str, str] = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is None or _kind(joint) not in ONE_COORDINATE:
            continue
        leader = leaders[name] = mimic.text("joint")
        if leader in joints and _kind(joints[leader]) not in ONE_COORDINATE:
            raise mimic.error(
                f"joint {name!r} mimics {leader!r}, which is {_kind(joints[leader])}. "
                "Name a joint that is revolute, continuous or prismatic."
            )
    cycle = _cycle(leaders)
    if cycle:
        raise (
            joints[cycle[0]]
            .require("mimic")
            .error(f"joint {cycle[0]!r} mimics itself: {' -> '.join(cycle)}. Let one joint lead.")
        )


def _kind(joint: Tag) -> str:
    kind = joint.text("type")
    if kind not in KINDS:
        raise joint.error(
            f"joint {joint.text('name')!r} has the type {kind!r}. Types are {', '.join(KINDS)}."
            f"{nearest(kind, KINDS)}"
        )
    return kind


def _moves(joint: Tag) -> Joint:
    """How the child of a joint moves."""
    kind = _kind(joint)
    if kind not in WITH_AXIS:
        return Free() if kind == "floating" else FIXED
    axis = joint.find("axis")
    if axis is None:
        return WITH_AXIS[kind]("x")
    with _located(axis):
        return WITH_AXIS[kind](Vec3(*axis.numbers("xyz", 3, (1.0, 0.0, 0.0))))


def _joint_data(joint: Tag) -> dict[str, Any]:
    """What a body has from its joint; limits, friction and mimic are for one coordinate only."""
    kind = _kind(joint)
    doubts: list[str] = []
    data: dict[str, Any] = {
        "joint": _moves(joint),
        "placement": _placement(joint),
        "joint_name": joint.text("name"),
        "line": joint.line,
        "warnings": doubts,
    }
    if kind not in ONE_COORDINATE:
        return data
    limit, dynamics, mimic = (joint.find(tag) for tag in ("limit", "dynamics", "mimic"))
    if limit:
        data |= {name: limit.number(name, math.inf) for name in ("effort", "velocity")}
    if limit and kind != "continuous":
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lower <= upper:
            data |= {"lower": lower, "upper": upper}
        else:
            doubts.append(
                limit.warning(
                    f"joint {joint.text('name')!r} has the limits lower={lower:g}, "
                    f"upper={upper:g} (0 when left out), and is read without. Give lower <= upper."
                )
            )
    if dynamics:
        data |= {name: dynamics.number(name, 0.0) for name in ("damping", "friction")}
    if mimic:
        data["mimic"] = Mimic(
            mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        )
    return data


def _link_data(
    link: Tag, find_mesh: Callable[[str], str], colors: dict[str, Tag], simulated: Tag | None
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
                color = _color(element, colors, doubts) if kind == "visual" else None
                looks = {"placement": _placement(element), "color": color}
                shapes += _shapes(element, find_mesh, looks, doubts)
            except FileError as error:
                doubts.append(f"{error} This <{kind}> of link {link.text('name')!r} is left out.")
    return {
        "inertia": inertia,
        "shapes": found["visual"],
        "collision": found["collision"],
        "surface_friction": _surface_friction(link, simulated, doubts),
        "warnings": doubts,
    }


def _simulated(robot: Tag) -> dict[str, Tag]:
    """The coefficient of friction that <gazebo reference="link"> has, by link."""
    found: dict[str, Tag] = {}
    for gazebo in robot.all("gazebo"):
        mu = gazebo.find("mu1")
        if mu is not None:
            found.setdefault(gazebo.attributes.get("reference", ""), mu)
    return found


def _surface_friction(link: Tag, simulated: Tag | None, doubts: list[str]) -> float | None:
    """What a link's <contact> has, Bullet's tag, or else <mu1> of Gazebo's."""
    contact = link.find("contact")
    own = contact.find("lateral_friction") if contact else None
    element = simulated if own is None else own
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
    X = _placement(inertial)
    return Inertia.from_com(m, X.r, X.E.congruence(Ic))


def _shapes(
    element: Tag, find_mesh: Callable[[str], str], looks: dict[str, Any], doubts: list[str]
) -> Iterator[Shape]:
    """The solids of an element, without mass: the link's mass is in its <inertial>."""
    geometry = element.find("geometry")
    looks = {"mass": 0.0, **looks}
    for solid in geometry.children if geometry else ():
        with _located(solid):
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


def _colors(robot: Tag) -> dict[str, Tag]:
    """The <color> of each material by its name, wherever the robot defines it first."""
    visuals = (visual for link in robot.all("link") for visual in link.all("visual"))
    found: dict[str, Tag] = {}
    for place in (robot, *visuals):
        for material in place.all("material"):
            color = material.find("color")
            if color is not None:
                found.setdefault(material.attributes.get("name", ""), color)
    return found


def _color(visual: Tag, colors: dict[str, Tag], doubts: list[str]) -> tuple[float, ...] | None:
    """What colour a <visual> has: its own, or that of the material that it names."""
    material = visual.find("material")
    if material is None:
        return None
    color = material.find("color") or colors.get(material.attributes.get("name", ""))
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


def _placement(element: Tag) -> Transform:
    """The <origin> of an element."""
    origin = element.find("origin")
    if origin is None:
        return Transform()
    if "quat_xyzw" in origin.attributes:
        raise origin.error("<origin> has quat_xyzw, which is not read. Give the rotation as rpy.")
    zero = (0.0, 0.0, 0.0)
    return pose(origin.numbers("xyz", 3, zero), origin.numbers("rpy", 3, zero))


def _mesh_path(folder: Path, packages: Sequence[Path], name: str) -> str:
    """Where the mesh is; `name` as it came when it is nowhere, for the view to complain about."""
    if name.startswith("package://"):
        package, _, rest = name.removeprefix("package://").partition("/")
        places = [place / package / rest for place in (*packages, folder, *folder.parents)]
        places = [place / rest for place in packages if place.name == package] + places
    else:
        places = [folder / name.removeprefix("file://")]
    return next((str(place) for place in places if os.path.exists(place)), name)


@contextmanager
def _located(element: Tag) -> Iterator[None]:
    """Give errors about what an element makes the element's place in the file."""
    try:
        yield
    except ModelError as error:
        raise element.error(f"{element}: {error}") from None
