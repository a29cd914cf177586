"""What one search is about, and what it notes down of itself on the way."""

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

_THE_CALLERS = (InvalidRequest, LaneMismatch, NotFound)
"""What a caller must hear, rather than get a search that quietly did something else."""
_NAMED = {"recall": RECALL, "rerank": RERANKING}
"""Stages whose duration is known under a name of its own, too."""


class Journal:
    """The notes and timings of one search."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._notes: dict[str, None] = {}
        self._milliseconds: dict[str, float] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be done, each beginning with the stage's name, in order."""
        return tuple(self._notes)

    @property
    def timings_ms(self) -> Mapping[str, float]:
        """Milliseconds of each stage that ran, and of all until now as `total`."""
        return {**self._milliseconds, "total": (perf_counter() - self._started) * 1e3}

    def note(self, *notes: str) -> None:
        """Write down what could not be done; what was noted already stays once."""
        self._notes.update(dict.fromkeys(notes))

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the stage's."""
        started = perf_counter()
        try:
            with span(f"search {stage}"):
                yield
        finally:
            elapsed = perf_counter() - started
            self._milliseconds[stage] = self._milliseconds.get(stage, 0.0) + elapsed * 1e3
            SEARCH_STAGES.record(elapsed, {"footnote.stage": stage})
            if stage in _NAMED:
                _NAMED[stage].record(elapsed)

    @contextmanager
    def attempt(self, stage: str) -> Iterator[None]:
        """Go on after the block where it fails, with a note of the stage."""
        try:
            yield
        except _THE_CALLERS:
            raise
        except FootnoteError as error:
            self.note(f"{stage}: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who searches, and where."""

    workspace_id: UUID
    principal: Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One search, prepared: what is asked of which index by whom, and under which plan."""

    query: str
    """As it was put, without the space around it."""
    request: SearchRequest
    """Checked, and put so that it needs no conversation where rules do that."""
    top_k: int
    plan: Plan
    index: Index
    asker: Asker
    key: CacheKey | None = None
    """What an earlier result must share with this one; None where none is to be given again.

    Its generation may be out of date."""
    notes: tuple[str, ...] = ()
    """What could not be done to put the query so that it stands alone."""
    journal: Journal = field(default_factory=Journal)
