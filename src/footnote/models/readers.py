"""Build the reader that the settings ask for."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.ports import (
    ColumnPrediction,
    ColumnProbabilities,
    NamedSpan,
    NameFinder,
    Operation,
    PassageReading,
    PassageText,
    QuestionRewriter,
    Reader,
    SupportProbabilities,
    TableOperationPrediction,
    TableQuestionModel,
    TitledColumn,
)
from footnote.ports.telemetry import span

if TYPE_CHECKING:
    from footnote.models.auxiliary_weights import AuxiliaryWeights


class OwnedReader(Reader, NameFinder, QuestionRewriter, TableQuestionModel, Protocol):
    """A reader with every function of the small models, to be closed."""

    async def close(self) -> None:
        """Shut down its threads."""
        ...


def packaged_file() -> Path | None:
    """Return the packaged weights; None if they are not installed."""
    file = Path(str(files("footnote.models"))) / "reader.safetensors"
    return file if file.is_file() else None


def reader_from(name: str, *, models_folder: Path, threads: int) -> LazyReader | None:
    """Return the reader of that name, loaded at its first use; None for `none` or without weights.

    `packaged` is the one that comes with Footnote, any other name the file of its weights. Raises
    UnsupportedSettings if that file does not exist.
    """
    weights = packaged_file() if name == "packaged" else Path(name).expanduser()
    if name == "none" or weights is None:
        return None
    if not weights.is_file():
        raise UnsupportedSettings(
            f"FOOTNOTE_READER names {weights}, and there is no such file",
            hint="set FOOTNOTE_READER to packaged, none or the file of a reader's weights",
        )

    def load() -> OwnedReader:
        # ONNX Runtime and the tokenizer take a while to import, and searches need neither.
        from footnote.models.reader import load_reader  # noqa: PLC0415  # slow to import, and searches need none

        return load_reader(weights, models_folder, threads)

    return LazyReader(load=load, weights=weights)


@cache
def _checksum(weights: Path) -> str:
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(slots=True, kw_only=True)
class LazyReader:
    """A reader that is loaded once, in a thread, at its first use.

    If loading failed every use raises that error.
    """

    load: Callable[[], OwnedReader]
    weights: Path
    _loading: asyncio.Task[OwnedReader] | None = field(default=None)

    @property
    def name(self) -> str:
        """The file name of its weights, without extension."""
        return self.weights.stem

    async def read(
        self, question: str, passages: Sequence[PassageText]
    ) -> Sequence[PassageReading]:
        with span("reader read"):
            return await (await self.opened()).read(question, passages)

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        with span("reader judge"):
            return await (await self.opened()).judge(statements, quotes)

    async def injection_probabilities(self, texts: Sequence[str]) -> Sequence[float] | None:
        with span("reader injection probabilities"):
            return await (await self.opened()).injection_probabilities(texts)

    async def operation(self, question: str) -> Operation | None:
        with span("reader operation"):
            return await (await self.opened()).operation(question)

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> str | None:
        with span("reader rewrite follow-up"):
            return await (await self.opened()).rewrite_follow_up(
                question, previous_question, previous_answer
            )

    async def decompose(self, question: str) -> Sequence[str]:
        with span("reader decompose"):
            return await (await self.opened()).decompose(question)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        with span("reader predict column"):
            return await (await self.opened()).predict_column(question, columns)

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        with span("reader column probabilities"):
            return await (await self.opened()).column_probabilities(question, columns)

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        with span("reader predict operation"):
            return await (await self.opened()).predict_operation(question, columns)

    async def names(self, texts: Sequence[str]) -> Sequence[Sequence[NamedSpan]] | None:
        with span("reader names"):
            return await (await self.opened()).names(texts)

    async def opened(self) -> OwnedReader:
        """Return the reader, loaded if necessary. Raises ModelUnavailable."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self.load))
        return await asyncio.shield(self._loading)

    async def checksum(self) -> str | None:
        """Return the weights' SHA-256 without loading them; None if loading has failed."""
        loading = self._loading
        if loading is not None and loading.done() and (loading.cancelled() or loading.exception()):
            return None
        return await asyncio.to_thread(_checksum, self.weights)

    async def companions(self) -> AuxiliaryWeights:
        """Return the probes fitted to it, and what it lacks, without loading it.

        Raises ModelUnavailable.
        """
        from footnote.models.auxiliary_weights import companions_of  # noqa: PLC0415  # as above

        return await asyncio.to_thread(companions_of, self.weights)

    async def close(self) -> None:
        """Close the reader, if it was loaded."""
        if self._loading is None:
            return
        try:
            reader = await self._loading
        except ModelUnavailable:
            return
        await reader.close()
