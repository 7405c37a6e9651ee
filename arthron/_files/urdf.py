"""URDF robot files: one body per link, hung on the joint that has the link as its child."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .._figure.body import Body, Mimic
from .._spatial.vectors import Vec3
from .._tree.joints import Fixed, Joint, Planar, Prismatic, Revolute
from .._tree.kinds import Free
from ..errors import nearest
from .formats import BY_ROOT
from .urdf_links import colors, gazebo_friction, link_data, located, mesh_path, placement
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
    find_mesh = partial(mesh_path, folder, places)
    materials, friction = colors(robot), gazebo_friction(robot)
    data = {
        name: link_data(link, find_mesh, materials, friction.get(name))
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
    with located(axis):
        return WITH_AXIS[kind](Vec3(*axis.numbers("xyz", 3, (1.0, 0.0, 0.0))))


def _joint_data(joint: Tag) -> dict[str, Any]:
    """What a body has from its joint; limits, friction and mimic are for one coordinate only."""
    kind = _kind(joint)
    doubts: list[str] = []
    data: dict[str, Any] = {
        "joint": _moves(joint),
        "placement": placement(joint),
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
