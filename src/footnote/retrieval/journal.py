"""The state of one search: its prepared request, its notes and its timings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from uuid import UUID

from footnote.domain import Plan, Principal, SearchRequest
from footnote.errors import FootnoteError, InvalidRequest, LaneMismatch, NotFound
from footnote.ports import Index
from footnote.ports.telemetry import RECALL, RERANKING, SEARCH_STAGES, span
from footnote.retrieval.generation_cache import CacheKey

_RAISED_TO_CALLER = (InvalidRequest, LaneMismatch, NotFound)
"""Errors that are raised to the caller rather than noted as a degraded stage."""
_STAGE_METRICS = {"recall": RECALL, "rerank": RERANKING}
"""Stages whose duration has a metric of its own as well."""


class Journal:
    """The notes and timings of one search."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._notes: dict[str, None] = {}
        self._milliseconds: dict[str, float] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What failed, each beginning with the stage's name, in order."""
        return tuple(self._notes)

    @property
    def timings_ms(self) -> Mapping[str, float]:
        """Milliseconds of each stage that ran, and of all until now as `total`."""
        return {**self._milliseconds, "total": (perf_counter() - self._started) * 1e3}

    def note(self, *notes: str) -> None:
        """Add notes on what failed, without duplicates."""
        self._notes.update(dict.fromkeys(notes))

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Measure the block, and add its duration to the stage's."""
        started = perf_counter()
        try:
            with span(f"search {stage}"):
                yield
        finally:
            elapsed = perf_counter() - started
            self._milliseconds[stage] = self._milliseconds.get(stage, 0.0) + elapsed * 1e3
            SEARCH_STAGES.record(elapsed, {"footnote.stage": stage})
            if stage in _STAGE_METRICS:
                _STAGE_METRICS[stage].record(elapsed)

    @contextmanager
    def attempt(self, stage: str) -> Iterator[None]:
        """Turn an error of the block into a note for the stage, except for `_RAISED_TO_CALLER`."""
        try:
            yield
        except _RAISED_TO_CALLER:
            raise
        except FootnoteError as error:
            self.note(f"{stage}: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The workspace and principal of a search."""

    workspace_id: UUID
    principal: Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSearch:
    """A prepared search: the request, the index, the principal and the plan."""

    query: str
    """The original query, stripped."""
    request: SearchRequest
    """The validated request; a follow-up is already rewritten unless a language model does so
    later."""
    top_k: int
    plan: Plan
    index: Index
    asker: Asker
    key: CacheKey | None = None
    """Key of the cache; None if the search bypasses it. Its generation may be stale."""
    notes: tuple[str, ...] = ()
    """Notes on failures to rewrite a follow-up query."""
    journal: Journal = field(default_factory=Journal)
