"""Models from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ._api import GRAVITY, Model, rebuild
from ._files.urdf import read_urdf
from ._model.joints import Fixed, Joint
from .errors import FileError, ModelError


def load(
    path: str | Path,
    *,
    root: Joint | None = None,
    gravity: Sequence[float] = GRAVITY,
    packages: Sequence[str | Path] = (),
    mimic: bool = False,
) -> Model:
    """A model from a URDF file.

    Args:
        path: the file.
        root: joint between the world and the root link; `ar.Free()` gives a floating base. Fixed
            when left out.
        gravity: acceleration of free fall in the world [m/s^2].
        packages: folders in which to look for `package://` meshes.
        mimic: whether joints that mimic another follow it, without coordinates of their own. When
            left out they move freely, and what they mimic is only data.
    """
    suffix = Path(path).suffix.lower()
    if suffix != ".urdf":
        raise FileError(
            f"a file that ends in {suffix or 'nothing'!r}. arthron reads .urdf files.", str(path)
        )
    name, bodies = read_urdf(path, root=Fixed() if root is None else root, packages=packages)
    try:
        return rebuild(bodies, gravity, name, {"strict": False, "mimic": mimic})
    except ModelError as error:
        raise FileError(str(error), str(path)) from error
