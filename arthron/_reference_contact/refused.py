"""What the methods of S19 do not know of contact, told before a run."""

from __future__ import annotations

from collections.abc import Sequence

from .._scene.contact_ground import Ground
from .._scene.contact_links import Links
from .._scene.contact_points import FoundPoint
from .._scene.dry_friction import DryFriction
from .._scene.element import described
from .._scene.setup import Setup
from ..errors import SimulationError

OTHERWISE = 'Leave it out, or take "leapfrog", which has it.'


def check_elements(setup: Setup) -> None:
    """Refuse contact that is looked for, and dry friction of joints."""
    for element in setup.scene.all_elements:
        if isinstance(element, DryFriction):
            raise SimulationError(
                "the methods of S19 take no dry friction of joints, and there is "
                f"{described(element)}. {OTHERWISE}"
            )
        if isinstance(element, Links):
            raise SimulationError(
                "the methods of S19 take points of contact that are always there, and those of "
                f'{described(element)} are looked for. Take "leapfrog", or for ground alone '
                "`ar.contacts.Ground`."
            )
        if isinstance(element, Ground) and element.found is not None:
            raise SimulationError(
                "the methods of S19 take points of contact that are always there, and those of "
                f"{described(element)} are looked for, as many shapes may touch it. Name a few "
                'links, `ar.contacts.Ground(of=("foot",))`, without `max_contacts`; or take '
                '"leapfrog".'
            )


def check_points(found: Sequence[FoundPoint]) -> None:
    """Refuse points that give way, and friction against rolling."""
    for x in found:
        settings = {
            "`stiffness`": x.point.stiffness is not None,
            "`rolling_friction` or `torsional_friction`": x.point.rolls,
        }
        for name, there in settings.items():
            if there:
                raise SimulationError(
                    f"the methods of S19 take contact that is rigid and has no friction but "
                    f"against sliding, and {x.owner!r} has {name}. {OTHERWISE}"
                )
