"""Parse the names of embedders in settings, and list the packaged embedders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from footnote.domain import Lane
from footnote.errors import UnsupportedSettings
from footnote.models import aligned, e5, minilm
from footnote.models.aligned import AlignedEncoder
from footnote.models.encoder_shape import Precision
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.models.served import served_model


class LoadPackaged(Protocol):
    """Loads a packaged model, as `load_minilm` does."""

    def __call__(
        self,
        models_folder: Path,
        precision: Precision,
        threads: int,
        batch_tokens: int,
        /,
        *,
        at_first_use: bool = False,
    ) -> SentenceEncoder | AlignedEncoder: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Packaged:
    """A model whose weights a Python package carries."""

    model: str
    load: LoadPackaged


PACKAGED: Mapping[str, Packaged] = {
    "multilingual": Packaged(model=aligned.MODEL, load=aligned.load_aligned),
    "minilm": Packaged(model=minilm.MODEL, load=minilm.load_minilm),
    "e5": Packaged(model=e5.MODEL, load=e5.load_e5),
}
"""Packaged models by their names in settings."""
PACKAGED_PROVIDER = "packaged"
MAX_DIMENSIONS = 4000
"""Most dimensions of an HNSW index over half-precision vectors."""
_ALIASES = {"voyage": "voyageai"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """An embedder as settings name it: `VENDOR:MODEL`, with `#DIMENSIONS` if it is shortened."""

    vendor: str
    model: str
    dimensions: int | None = None
    url: str | None = None
    """Address of its server; None uses the vendor's own."""

    @property
    def text(self) -> str:
        """The name as settings write it."""
        name = self.vendor if self.vendor in PACKAGED else f"{self.vendor}:{self.model}"
        return name if self.dimensions is None else f"{name}#{self.dimensions}"

    def may_make(self, lane: Lane) -> bool:
        """Return whether its vectors may be of the lane, by names and dimensions alone."""
        model = Path(self.model).name if Path(self.model).is_absolute() else self.model
        identity = (self.vendor, model)
        if self.vendor in PACKAGED:
            identity = (PACKAGED_PROVIDER, PACKAGED[self.vendor].model)
        sized = self.dimensions is None or self.dimensions == lane.dimensions
        return identity == (lane.provider, lane.model) and sized


def parse_spec(text: str) -> EmbedderSpec:
    """Parse the name of an embedder in settings. Raises UnsupportedSettings."""
    served = served_model(text, "FOOTNOTE_EMBEDDING_MODELS")
    name, _, dimensions_text = served.name.partition("#")
    dimensions = None
    if dimensions_text:
        if not dimensions_text.isdecimal():
            raise UnsupportedSettings(
                f"{served.name!r} names no embedding model: {dimensions_text!r} are no dimensions",
                hint="write VENDOR:MODEL#512 in FOOTNOTE_EMBEDDING_MODELS for 512 dimensions",
            )
        dimensions = int(dimensions_text)
    if dimensions is not None:
        check_dimensions(name, dimensions)
    if name in PACKAGED:
        if dimensions_text:
            raise UnsupportedSettings(
                "the packaged model gives 384 dimensions and no fewer",
                hint=f"write {name} alone in FOOTNOTE_EMBEDDING_MODELS",
            )
        return EmbedderSpec(vendor=name, model="")
    vendor, _, model = name.partition(":")
    if not vendor or not model:
        raise UnsupportedSettings(
            f"{served.name!r} names no embedding model",
            hint="name in FOOTNOTE_EMBEDDING_MODELS multilingual, minilm, e5, fastembed:NAME, "
            "fastembed:/folder, openai:MODEL, another VENDOR:MODEL, or "
            "compatible:MODEL@http://127.0.0.1:8000/v1",
        )
    return EmbedderSpec(
        vendor=_ALIASES.get(vendor, vendor),
        model=model.strip(),
        dimensions=dimensions,
        url=served.url,
    )


def unknown_vendor(vendor: str, model: str) -> UnsupportedSettings:
    """Return the error for an unknown vendor, with examples of known ones."""
    return UnsupportedSettings(
        f"the embedding model {vendor}:{model} cannot be used: the vendor {vendor!r} is not known",
        hint="set FOOTNOTE_EMBEDDING_MODELS to a model of openai, cohere, voyageai, google or "
        "bedrock, or to compatible:MODEL@http://127.0.0.1:8000/v1",
    )


def check_dimensions(name: str, dimensions: int) -> None:
    """Raise UnsupportedSettings for no dimensions, or more than an index supports."""
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise UnsupportedSettings(
            f"the embedding model {name} has vectors of {dimensions:,} dimensions, and Footnote "
            f"takes 1 to {MAX_DIMENSIONS:,}",
            hint="write fewer behind its name in FOOTNOTE_EMBEDDING_MODELS, such as MODEL#1024, "
            "if it is trained for that (Matryoshka), or take another model",
        )
