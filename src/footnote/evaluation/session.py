"""Evaluate one or two search setups on the same documents, each in an engine of its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from footnote.domain import Document
from footnote.engine import open_engine
from footnote.evaluation.golden import GoldenSet
from footnote.evaluation.run import Progress, Run, Setup, evaluate
from footnote.evaluation.temporary_engine import OnChange, Work, ingest, temporary_engine
from footnote.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A search setup, and the settings of the engine to run it in."""

    setup: Setup
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The documents to search: files for a temporary engine, or an existing workspace."""

    files: tuple[Path, ...] = ()
    workspace: str | None = None
    """None for the default workspace; ignored with files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Callbacks for progress."""

    ingesting: OnChange = lambda _: None
    asking: Progress = lambda _done, _total: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The outcome of an evaluation."""

    runs: tuple[Run, ...]
    """One for each side, in their order."""
    failed_documents: tuple[Document, ...]
    """Documents of the files that could not be indexed, attachments included."""


async def measure(
    golden: GoldenSet,
    sides: Sequence[Side],
    corpus: Corpus,
    work: Work,
    watch: Watch | None = None,
) -> Session:
    """Evaluate every side on the golden set, one after the other; the user's data is not changed.

    Adjacent sides with equal settings share an engine, and so the ingested documents.
    """
    watch = watch or Watch()
    runs: list[Run] = []
    failed: dict[str, Document] = {}
    for settings, group in groupby(sides, key=lambda side: side.settings):
        opened = temporary_engine(settings) if corpus.files else await open_engine(settings)
        async with opened as engine:
            workspace = await engine.workspace(None if corpus.files else corpus.workspace)
            if corpus.files:
                broken = await ingest(engine, workspace, corpus.files, work, watch.ingesting)
                failed |= {document.filename: document for document in broken}
            runs += [await evaluate(workspace, golden, side.setup, watch.asking) for side in group]
    return Session(runs=tuple(runs), failed_documents=tuple(failed.values()))
