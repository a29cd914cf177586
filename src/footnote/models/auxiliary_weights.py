"""Find the probes fitted to a reader: next to its weights file, else in the package.

Files fitted to another reader are ignored, and reported as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Protocol, TypeVar

from safetensors import SafetensorError, safe_open

from footnote.errors import ModelUnavailable
from footnote.models.injection_screen import SCREENS_FILE
from footnote.models.mention_head import MENTIONS_FILE, MentionHead, read_mention_head
from footnote.models.mismatch_probe import UNMET_WORDS_FILE, MismatchProbe, read_mismatch_probe
from footnote.models.reader_weights import ReaderWeights, described_weights


class _OnLayers(Protocol):
    """Weights that read the states of a layer."""

    @property
    def layers(self) -> int: ...

    @property
    def encoder(self) -> str: ...


_Weights = TypeVar("_Weights", bound=_OnLayers)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuxiliaryWeights:
    """The probes that were found for a reader."""

    head: MentionHead | None = None
    mismatch: MismatchProbe | None = None
    screened: bool = False
    """Whether the packaged injection screens of the embedders were fitted to this reader."""
    lacking: tuple[str, ...] = ()
    """What was not found, each with the consequence."""


def companions_of(weights: Path) -> AuxiliaryWeights:
    """Find the probes fitted to the reader in a file. Raises ModelUnavailable for broken files."""
    reader = described_weights(weights)
    head = _first_fitting(reader, _existing_files(weights, MENTIONS_FILE), read_mention_head)
    mismatch = _first_fitting(
        reader, _existing_files(weights, UNMET_WORDS_FILE), read_mismatch_probe
    )
    has_probes = reader.probes is not None
    is_available = {
        "probes in its own file: orders to a model are told by their form alone": has_probes,
        "what tells questions over tables in its own file: nothing is computed over columns": (
            reader.table_questions is not None
        ),
        f"{MENTIONS_FILE}: no names are found": has_probes and head is not None,
        f"{UNMET_WORDS_FILE}: questions about what a passage lacks are answered with more "
        "confidence": mismatch is not None,
    }
    return AuxiliaryWeights(
        head=head if has_probes else None,
        mismatch=mismatch,
        screened=_is_screened(reader),
        lacking=tuple(
            consequence for consequence, available in is_available.items() if not available
        ),
    )


def _existing_files(weights: Path, name: str) -> Iterator[Path]:
    for folder in dict.fromkeys((weights.absolute().parent, _package_folder())):
        if (folder / name).is_file():
            yield folder / name


def _first_fitting(
    reader: ReaderWeights, places: Iterator[Path], load: Callable[[Path], _Weights]
) -> _Weights | None:
    """Return the first weights that were fitted to this reader's layers; None without any."""
    layers = reader.shape.layers if reader.probes is None else reader.probes.layers
    candidates = map(load, places)
    return next(
        (
            candidate
            for candidate in candidates
            if (candidate.encoder, candidate.layers) == (reader.encoder, layers)
        ),
        None,
    )


def _is_screened(reader: ReaderWeights) -> bool:
    file = _package_folder() / SCREENS_FILE
    if reader.probes is None or not file.is_file():
        return False
    try:
        with safe_open(file, "numpy") as screens_file:
            metadata = screens_file.metadata()
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable(
            f"{file} does not hold what tells passages without orders: {error!r}",
            hint="reinstall Footnote, or write it with training/injection_screens.py",
        ) from error
    expected_metadata = {"encoder": reader.encoder, "orders": reader.probes.injection_probe_digest}
    return bool(metadata == expected_metadata)


def _package_folder() -> Path:
    return Path(str(files("footnote.models")))
