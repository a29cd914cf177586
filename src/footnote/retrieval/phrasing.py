"""Turn a question into the wordings to search, each with its vector."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from uuid import UUID

from footnote.domain import Plan, SearchRequest
from footnote.ports import EmbeddedQuestion, Embedder, LanguageModel, Vector, embed_question
from footnote.ports.telemetry import model_call
from footnote.retrieval.cache import normalised_query
from footnote.retrieval.followup import FollowUpRewriter
from footnote.retrieval.gathering import Wording, at_hand
from footnote.retrieval.journal import Journal, RecordedSearch
from footnote.retrieval.query import parse_query
from footnote.retrieval.understanding import (
    Condense,
    HypotheticalDocument,
    MultiQuery,
    Notes,
)


@dataclass(slots=True, kw_only=True)
class QueryVectors:
    """An LRU cache of query vectors by workspace; it is independent of the index generation."""

    capacity: int = 2048
    """Most vectors of all workspaces together; 0 disables the cache."""
    _cached: OrderedDict[tuple[UUID, str, str], EmbeddedQuestion] = field(
        default_factory=OrderedDict, init=False
    )

    async def __call__(
        self, workspace_id: UUID, query: str, embedder: Embedder, journal: Journal
    ) -> EmbeddedQuestion | None:
        """Return the query with its vector, read-only, in the embedder's lane; None if its model is
        unavailable."""
        # Keyed by workspace, so that timing does not reveal another workspace's queries.
        key = (workspace_id, embedder.lane.fingerprint, normalised_query(query))
        embedded = self._cached.get(key)
        with journal.timed("embed"), journal.attempt("dense"):
            if embedded is None:
                with model_call("embeddings", f"{embedder.lane.provider}:{embedder.lane.model}"):
                    embedded = await embed_question(embedder, query)
                embedded = replace(embedded, vector=embedded.vector.copy())
                embedded.vector.flags.writeable = False
                self._cached[key] = embedded
            self._cached.move_to_end(key)
        while len(self._cached) > self.capacity:
            self._cached.popitem(last=False)
        return embedded


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Condense the question, reword it and generate a hypothetical answer, as the plan says."""

    embedder: Embedder
    model: LanguageModel | None = None
    vectors: QueryVectors = field(default_factory=QueryVectors)
    rewrite_follow_up: FollowUpRewriter = field(default_factory=FollowUpRewriter)
    """Rewrites follow-up questions without a language model."""

    async def without_conversation(
        self, request: SearchRequest, plan: Plan
    ) -> tuple[SearchRequest, Notes]:
        """Return the request with a standalone question; unchanged if a language model will
        condense it."""
        if not request.conversation or (plan.condense and self.model is not None):
            return request, ()
        question, notes = await self.rewrite_follow_up(request.query, request.conversation)
        if plan.condense:
            notes = (f"{_without_model('condense')}, so the reader put the question", *notes)
        return replace(request, query=question, conversation=()), notes

    async def __call__(self, search: RecordedSearch) -> list[Wording]:
        """Return the standalone question, then other wordings of it."""
        plan, journal = search.plan, search.journal
        question = search.request.query
        other_wordings: tuple[str, ...] = ()
        if self.model is not None and plan.condense and search.request.conversation:
            with journal.timed("condense"):
                question, notes = await Condense(model=self.model)(
                    question, search.request.conversation
                )
            journal.note(*notes)
            if notes:
                question, notes = await self.rewrite_follow_up(
                    question, search.request.conversation
                )
                journal.note(*notes)
        if plan.queries > 1:
            if self.model is None:
                journal.note(_without_model("queries"))
            else:
                with journal.timed("queries"):
                    reword = MultiQuery(model=self.model, count=plan.queries)
                    other_wordings, notes = await reword(question)
                journal.note(*notes)
        first = self.worded(question, search)
        if plan.hypothetical and (vector := await first.vector) is not None:
            if self.model is None:
                journal.note(_without_model("hypothetical"))
            else:
                with journal.timed("hypothetical"):
                    imagine = HypotheticalDocument(model=self.model, embedder=self.embedder)
                    vector, notes = await imagine(first.parsed.text, vector)
                journal.note(*notes)
                first = replace(first, vector=at_hand(vector))
        return [first, *[self.worded(wording, search) for wording in other_wordings]]

    def worded(self, text: str, search: RecordedSearch) -> Wording:
        """Return a wording, and start embedding it."""
        parsed = parse_query(text)
        if search.plan.fusion == "lexical_only":
            return Wording(text=text, parsed=parsed, vector=at_hand(None))
        workspace_id = search.asker.workspace_id
        embedding = asyncio.ensure_future(
            self.vectors(workspace_id, parsed.text, self.embedder, search.journal)
        )
        vector = asyncio.ensure_future(_vector_of(embedding))
        return Wording(text=text, parsed=parsed, vector=vector, embedding=embedding)


async def _vector_of(embedding: asyncio.Future[EmbeddedQuestion | None]) -> Vector | None:
    embedded = await embedding
    return None if embedded is None else embedded.vector


def _without_model(stage: str) -> str:
    return f"{stage}: no language model is configured"
