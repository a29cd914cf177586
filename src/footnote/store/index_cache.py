"""Cache decoded parts of the searched indexes in a process; all of them are immutable."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from uuid import UUID

from footnote.index.bm25 import CorpusLengths, Frequencies, Numbers
from footnote.index.ranges import ChunkRanges
from footnote.index.routing import DocumentTable

Posting = tuple[Numbers, Frequencies]

_VIEWS_PER_STATE = 256
_SMALL = 128  # bytes an entry costs beside its arrays


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeKey:
    """The access names and filters that determine a view."""

    access: tuple[str, ...]
    filters: str
    """Serialised: in Python `True` equals `1`, but not in a filter."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """The chunks that one principal may see under some filters."""

    ranges: ChunkRanges
    languages: tuple[str, ...]
    """Languages of all visible documents, the most common first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexState:
    """A workspace's index as it stood at one generation."""

    generation: int
    lane_id: int | None
    hnsw: bool
    """Whether the lane has an HNSW index of this workspace."""
    lexical_key: bytes
    segments: tuple[int, ...]
    """Segment numbers, ascending."""
    corpus: CorpusLengths
    dead: ChunkRanges
    lane: str = ""
    """Fingerprint of the current lane at load; a query's vector must be of it."""
    views: dict[ScopeKey, View] = field(default_factory=dict)
    """Cached views, filled on demand."""
    across: dict[tuple[ScopeKey, str], ChunkRanges] = field(default_factory=dict)
    """Cached chunks of a view in other languages than the given one, filled on demand."""

    def remember(self, key: ScopeKey, view: View) -> None:
        """Cache a view; the oldest is dropped when there are too many."""
        if len(self.views) >= _VIEWS_PER_STATE:
            self.views.pop(next(iter(self.views)))
        self.views[key] = view

    def remember_across(self, key: tuple[ScopeKey, str], ranges: ChunkRanges) -> None:
        """Cache the chunks in other languages, as `remember` does."""
        if len(self.across) >= _VIEWS_PER_STATE:
            self.across.pop(next(iter(self.across)))
        self.across[key] = ranges


@dataclass(slots=True)
class IndexCache:
    """An LRU cache of states and documents by workspace, and of postings by term."""

    capacity_bytes: int
    _states: OrderedDict[UUID, IndexState] = field(default_factory=OrderedDict)
    _postings: OrderedDict[tuple[UUID, int], tuple[tuple[int, ...], Posting]] = field(
        default_factory=OrderedDict
    )
    _documents: OrderedDict[UUID, DocumentTable] = field(default_factory=OrderedDict)
    _bytes: int = 0

    def state(self, workspace_id: UUID) -> IndexState | None:
        """Return the cached state of the workspace."""
        state = self._states.get(workspace_id)
        if state is not None:
            self._states.move_to_end(workspace_id)
        return state

    def keep_state(self, workspace_id: UUID, state: IndexState) -> None:
        """Replace the state of the workspace."""
        previous = self._states.pop(workspace_id, None)
        if previous is not None:
            self._bytes -= _state_bytes(previous)
        self._states[workspace_id] = state
        self._bytes += _state_bytes(state)
        self._evict()

    def posting(self, workspace_id: UUID, term: int, segments: tuple[int, ...]) -> Posting | None:
        """Return the cached postings of a term over exactly these segments."""
        cached = self._postings.get((workspace_id, term))
        if cached is None or cached[0] != segments:
            return None
        self._postings.move_to_end((workspace_id, term))
        return cached[1]

    def keep_posting(
        self, workspace_id: UUID, term: int, segments: tuple[int, ...], posting: Posting
    ) -> None:
        """Cache a term's postings, also if it has none."""
        previous = self._postings.pop((workspace_id, term), None)
        if previous is not None:
            self._bytes -= _posting_bytes(previous[1])
        self._postings[workspace_id, term] = (segments, posting)
        self._bytes += _posting_bytes(posting)
        self._evict()

    def documents(self, workspace_id: UUID) -> DocumentTable | None:
        """Return the cached documents of the workspace, of any generation."""
        table = self._documents.get(workspace_id)
        if table is not None:
            self._documents.move_to_end(workspace_id)
        return table

    def keep_documents(self, workspace_id: UUID, table: DocumentTable) -> None:
        """Replace the documents of the workspace."""
        previous = self._documents.pop(workspace_id, None)
        if previous is not None:
            self._bytes -= previous.byte_size
        self._documents[workspace_id] = table
        self._bytes += table.byte_size
        self._evict()

    def forget(self, workspace_id: UUID) -> bool:
        """Drop all cached data of a workspace; return whether there was any."""
        state = self._states.pop(workspace_id, None)
        table = self._documents.pop(workspace_id, None)
        terms = [key for key in self._postings if key[0] == workspace_id]
        self._bytes -= sum(_posting_bytes(self._postings.pop(key)[1]) for key in terms)
        self._bytes -= 0 if state is None else _state_bytes(state)
        self._bytes -= 0 if table is None else table.byte_size
        return bool(terms) or state is not None or table is not None

    def _evict(self) -> None:
        while self._bytes > self.capacity_bytes and self._postings:
            _, (_, posting) = self._postings.popitem(last=False)
            self._bytes -= _posting_bytes(posting)
        while self._bytes > self.capacity_bytes and len(self._documents) > 1:
            self._bytes -= self._documents.popitem(last=False)[1].byte_size
        while self._bytes > self.capacity_bytes and len(self._states) > 1:
            _, state = self._states.popitem(last=False)
            self._bytes -= _state_bytes(state)


def _posting_bytes(posting: Posting) -> int:
    return _SMALL + posting[0].nbytes + posting[1].nbytes


def _state_bytes(state: IndexState) -> int:
    corpus = state.corpus
    return _SMALL + sum(
        array.nbytes for array in (corpus.chunk_numbers, corpus.lengths, corpus.length_of)
    )
