"""Open the embedders that settings name, each when it is first needed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.domain import Lane
from footnote.errors import (
    InvalidRequest,
    LaneMismatch,
    LaneUnavailable,
    UnsupportedSettings,
    how_to_install,
)
from footnote.models.aligned import AlignedEncoder
from footnote.models.batching import BATCH_TOKENS
from footnote.models.embed_hosted import HostedEmbedder, HostedLimits
from footnote.models.embedder_specs import (
    PACKAGED,
    PACKAGED_PROVIDER,
    EmbedderSpec,
    check_dimensions,
    parse_spec,
    unknown_vendor,
)
from footnote.models.encoder_shape import Precision
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.models.served import KEYS, ModelKeys
from footnote.ports import Embedder
from footnote.validation.served_names import VENDORS

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.embed_vendor import VendorClient

_DIMENSIONS = {
    "openai:text-embedding-3-small": 1536,
    "openai:text-embedding-3-large": 3072,
    "openai:text-embedding-ada-002": 1536,
}
"""Known dimensions; those of any other model are measured by embedding one text."""
_UNKNOWN_WINDOW = 512
"""Assumed window of a model whose window is unknown, in tokens."""
_PROBE = "dimensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoices:
    """The settings of embedders, beside their names."""

    models_folder: Path
    precision: Precision = "int8"
    threads: int = 0
    batch_tokens: int = BATCH_TOKENS
    at_first_use: bool = False
    """Whether a packaged model is loaded when it first embeds a text, not when it is opened."""
    keys: ModelKeys = field(default_factory=ModelKeys)
    max_tokens: int | None = None
    query_prompt: str = ""
    document_prompt: str = ""
    limits: HostedLimits = field(default_factory=HostedLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedEmbedder:
    """An embedder, and the function that closes it."""

    embedder: Embedder
    close: Callable[[], Awaitable[None]]


Open = Callable[[EmbedderSpec, Lane | None], Awaitable[OpenedEmbedder]]
"""Opens the embedder of a spec; if the lane is known its dimensions need not be measured."""


@dataclass(slots=True, kw_only=True, eq=False)
class Embedders:
    """The embedders this installation may use, by name and by lane."""

    specs: Sequence[EmbedderSpec]
    """The first is used for new workspaces."""
    open: Open
    _opened: dict[EmbedderSpec, OpenedEmbedder] = field(default_factory=dict, init=False)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def primary(self) -> Embedder:
        """Return the embedder for new workspaces. Raises LaneUnavailable or UnsupportedSettings."""
        return await self._of(self.specs[0])

    async def named(self, text: str) -> Embedder:
        """Return the embedder of this name. Raises InvalidRequest unless the settings list it."""
        try:
            requested = parse_spec(text)
        except UnsupportedSettings as error:
            raise InvalidRequest(str(error), hint=error.hint) from error
        for spec in self.specs:
            sized = requested.dimensions in (None, spec.dimensions)
            placed = requested.url in (None, spec.url)
            if (
                sized
                and placed
                and (requested.vendor, requested.model) == (spec.vendor, spec.model)
            ):
                return await self._of(spec)
        raise InvalidRequest(
            f"the embedding model {requested.text} is not among those this process may use: "
            + ", ".join(spec.text for spec in self.specs),
            hint="add it to FOOTNOTE_EMBEDDING_MODELS of every server and worker, and start "
            "them again",
        )

    async def of_lane(self, lane: Lane) -> Embedder:
        """Return the embedder of this lane. Raises LaneMismatch if there is none."""
        candidates = [spec for spec in self.specs if spec.may_make(lane)]
        for spec in candidates:
            embedder = await self._of(spec, lane)
            if embedder.lane.fingerprint == lane.fingerprint:
                return embedder
        raise no_embedder(lane, bool(candidates))

    async def successor(self, lane: Lane) -> Embedder | None:
        """Return the packaged model by which another version replaced the lane's model.

        None if the lane's own model is available, or is not a packaged one.
        """
        if lane.provider != PACKAGED_PROVIDER:
            return None
        for spec in self.specs:
            if spec.may_make(lane):
                embedder = await self._of(spec, lane)
                return None if embedder.lane.fingerprint == lane.fingerprint else embedder
        return None

    async def close(self) -> None:
        """Close all of them."""
        opened, self._opened = self._opened, {}
        for embedder in opened.values():
            await embedder.close()

    async def _of(self, spec: EmbedderSpec, lane: Lane | None = None) -> Embedder:
        async with self._opening:
            if spec not in self._opened:
                self._opened[spec] = await self.open(spec, lane)
            return self._opened[spec].embedder


def no_embedder(lane: Lane, other_revision: bool = False) -> LaneMismatch:
    """Return the error for a lane whose model this process does not have."""
    name = f"{lane.provider}:{lane.model}"
    if lane.provider == PACKAGED_PROVIDER:
        names = (name for name, packaged in PACKAGED.items() if packaged.model == lane.model)
        name = next(names, name)
    if other_revision:
        return LaneMismatch(
            f"the vectors are of lane {lane.fingerprint}, and {name} at hand is of another "
            "revision or other dimensions",
            hint="start Footnote with the settings and the model files the workspace was embedded "
            "with, or embed it anew: footnote reembed --model NAME",
        )
    return LaneMismatch(
        f"the vectors are of lane {lane.fingerprint}, and this process has no such model",
        hint=f"add {name} to FOOTNOTE_EMBEDDING_MODELS of this process and start it again",
    )


def opener(choices: EmbedderChoices) -> Open:
    """Return a function that opens embedders with these settings."""

    async def open_spec(spec: EmbedderSpec, lane: Lane | None) -> OpenedEmbedder:
        if spec.vendor in PACKAGED:
            embedder = await asyncio.wrap_future(_loading(spec.vendor, choices))
            return _local(embedder, embedder.close)
        if spec.vendor == "fastembed":
            return await _open_fastembed(spec, choices)
        if spec.vendor == "testing":
            from footnote.models.testing import HashEmbedder  # noqa: PLC0415  # never in use

            fake = HashEmbedder(dimensions=spec.dimensions or 64, model=spec.model)
            return _local(fake, lambda: None)
        hosted = await open_hosted(spec, choices, None if lane is None else lane.dimensions)
        return OpenedEmbedder(embedder=hosted, close=hosted.close)

    return open_spec


def begin_loading(name: str, models_folder: Path, threads: int) -> None:
    """Start to load a packaged model in a thread, for the next caller in this process to open it.

    Loading takes as long as importing the engine does, and a core of its own. Does nothing for a
    name that is not a packaged model, or if the folder does not exist.
    """
    if name in PACKAGED and models_folder.is_dir():
        choices = EmbedderChoices(models_folder=models_folder, threads=threads)
        _begun[_identity(name, choices)] = _loading(name, choices)


def _loading(name: str, choices: EmbedderChoices) -> Future[SentenceEncoder | AlignedEncoder]:
    identity = _identity(name, choices)
    if (begun := _begun.pop(identity, None)) is not None:
        return begun
    with_a_thread = ThreadPoolExecutor(1, thread_name_prefix="load-model")
    try:
        return with_a_thread.submit(
            PACKAGED[name].load, *identity[1:], at_first_use=choices.at_first_use
        )
    finally:
        with_a_thread.shutdown(wait=False)


_Identity = tuple[str, Path, Precision, int, int]
_begun: dict[_Identity, Future[SentenceEncoder | AlignedEncoder]] = {}


def _identity(name: str, choices: EmbedderChoices) -> _Identity:
    return name, choices.models_folder, choices.precision, choices.threads, choices.batch_tokens


async def _open_fastembed(spec: EmbedderSpec, choices: EmbedderChoices) -> OpenedEmbedder:
    from footnote.models.embed_fastembed import load_fastembed  # noqa: PLC0415  # an extra

    embedder = await asyncio.to_thread(
        load_fastembed,
        spec.model,
        cache=choices.models_folder / "embedders",
        threads=choices.threads,
        batch_tokens=choices.batch_tokens,
        dimensions=spec.dimensions,
        query_prompt=choices.query_prompt,
        document_prompt=choices.document_prompt,
    )
    try:
        check_dimensions(spec.text, embedder.lane.dimensions)
    except UnsupportedSettings:
        embedder.close()
        raise
    return _local(embedder, embedder.close)


async def open_hosted(
    spec: EmbedderSpec, choices: EmbedderChoices, dimensions: int | None = None
) -> HostedEmbedder:
    """Return the hosted model; its dimensions are measured by a request if nothing states them.

    Raises UnsupportedSettings for invalid settings, LaneUnavailable when the request fails.
    """
    client = _client(spec, choices.keys.of(spec.vendor, spec.url))
    window = choices.max_tokens or await client.max_input_tokens() or _UNKNOWN_WINDOW
    stated = spec.dimensions or dimensions or _DIMENSIONS.get(spec.text)

    def embedder_of(width: int) -> HostedEmbedder:
        return HostedEmbedder(
            lane=_lane(spec, choices, width),
            client=client,
            max_tokens=window,
            limits=choices.limits,
            query_prompt=choices.query_prompt,
            document_prompt=choices.document_prompt,
            # OpenAI-compatible servers often reject the field; truncating gives the same result.
            requested_dimensions=None if spec.vendor == "compatible" else spec.dimensions,
            shortens=spec.dimensions is not None,
        )

    if stated is not None:
        return embedder_of(stated)
    try:
        measured = await embedder_of(1).measured_dimensions(_PROBE)
        check_dimensions(spec.text, measured)
    except BaseException:
        await client.close()
        raise
    return embedder_of(measured)


def _client(spec: EmbedderSpec, key: str | None) -> VendorClient:
    url = spec.url
    try:
        from footnote.models import embed_vendor  # noqa: PLC0415  # an extra, slow to import
    except ImportError as error:
        if spec.vendor != "compatible" and spec.vendor not in VENDORS:
            raise unknown_vendor(spec.vendor, spec.model) from error
        raise LaneUnavailable(
            f"the embedding model {spec.text} needs a library that is not installed",
            hint=how_to_install("models"),
        ) from error
    if spec.vendor == "openai":
        if url is None and key is None:
            raise UnsupportedSettings(
                f"the embedding model {spec.text} needs a key",
                hint=f'set {KEYS} to {{"openai": "…"}}',
            )
        return embed_vendor.openai_client(spec.model, url, key)
    if spec.vendor == "compatible":
        if url is None:
            raise UnsupportedSettings(
                f"the embedding model {spec.text} needs the address of its server",
                hint=f"write {spec.text}@http://127.0.0.1:8000/v1 in FOOTNOTE_EMBEDDING_MODELS",
            )
        return embed_vendor.compatible_client(spec.model, url, key)
    if url is not None:
        raise UnsupportedSettings(
            f"the embedding model {spec.text} is asked at its vendor's own address",
            hint="write it without one; openai and compatible take an address",
        )
    return embed_vendor.other_client(spec.vendor, spec.model, key)


def _lane(spec: EmbedderSpec, choices: EmbedderChoices, dimensions: int) -> Lane:
    revision = "1"
    if choices.query_prompt or choices.document_prompt:
        prompts = repr((choices.query_prompt, choices.document_prompt)).encode()
        revision = f"1-{hashlib.sha256(prompts).hexdigest()[:8]}"
    return Lane(
        name="document",
        provider=spec.vendor,
        model=spec.model,
        dimensions=dimensions,
        revision=revision,
    )


def _local(embedder: Embedder, close: Callable[[], None]) -> OpenedEmbedder:
    async def end() -> None:
        close()

    return OpenedEmbedder(embedder=embedder, close=end)
