"""Models from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ._api import GRAVITY, Model
from ._files.urdf import read_urdf
from ._model.joints import Fixed, Joint
from .errors import FileError, ModelError


def load(
    path: str | Path,
    *,
    root: Joint | None = None,
    gravity: Sequence[float] = GRAVITY,
    packages: Sequence[str | Path] = (),
) -> Model:
    """A model from a URDF file.

    Args:
        path: the file.
        root: joint between the world and the root link; `ar.Free()` gives a floating base. Fixed
            when left out.
        gravity: acceleration of free fall in the world [m/s^2].
        packages: folders in which to look for `package://` meshes.
    """
    suffix = Path(path).suffix.lower()
    if suffix != ".urdf":
        raise FileError(
            f"a file that ends in {suffix or 'nothing'!r}. arthron reads .urdf files.", str(path)
        )
    name, bodies = read_urdf(path, root=Fixed() if root is None else root, packages=packages)
    try:
        return Model._from_file(bodies, gravity, name)
    except ModelError as error:
        raise FileError(str(error), str(path)) from error
