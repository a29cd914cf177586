"""Finds files of models in installed packages, without importing those packages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from footnote.errors import INSTALL_MODELS, LaneUnavailable

MODELS_PACKAGE = "footnote_models"


def installed_folder(title: str, names: Sequence[str], places: Sequence[tuple[str, str]]) -> Path:
    """The first place, a package and a folder in it, that has all of these files.

    Raises LaneUnavailable, with what to install, when no place has the files.
    """
    for package, inside in places:
        spec = find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            folder = Path(location) / inside
            if all((folder / name).is_file() for name in names):
                return folder
    raise LaneUnavailable(f"{title} are not installed", hint=INSTALL_MODELS)
