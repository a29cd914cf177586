"""One or two ways of searching are measured on the same documents, each in the engine it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from footnote.domain import Document
from footnote.engine import open_engine
from footnote.evaluation.golden import GoldenSet
from footnote.evaluation.run import Progress, Run, Setup, evaluate
from footnote.evaluation.temporary import Told, Work, ingest, temporary_engine
from footnote.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way of searching, and the settings of the engine it runs in."""

    setup: Setup
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What is asked: files for a temporary engine, or a workspace that is there."""

    files: tuple[Path, ...] = ()
    workspace: str | None = None
    """The default one if None; not used with files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told how far it is."""

    ingesting: Told = lambda _: None
    asking: Progress = lambda _done, _total: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What was measured."""

    runs: tuple[Run, ...]
    """One for each side, in their order."""
    failed_documents: tuple[Document, ...]
    """Of the files that were to be asked."""


async def measure(
    golden: GoldenSet,
    sides: Sequence[Side],
    corpus: Corpus,
    work: Work,
    watch: Watch | None = None,
) -> Session:
    """Ask the golden set of every side, one after the other; nothing of the user's is changed.

    Neighbouring sides with equal settings share an engine, and so what was ingested.
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
                failed |= {each.filename: each for each in broken}
            runs += [await evaluate(workspace, golden, side.setup, watch.asking) for side in group]
    return Session(runs=tuple(runs), failed_documents=tuple(failed.values()))
