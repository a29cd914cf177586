"""Puts a question into the wordings that are searched, each with its vector."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Plan, SearchRequest
from footnote.ports import Embedder, LanguageModel, Vector
from footnote.retrieval.cache import QueryVectors
from footnote.retrieval.followup import StandAlone
from footnote.retrieval.gathering import Wording, at_hand
from footnote.retrieval.journal import Asked
from footnote.retrieval.query import parse_query
from footnote.retrieval.understanding import (
    Condense,
    HypotheticalDocument,
    MultiQuery,
    Notes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Condense the question, reword it and imagine its answer, as far as the plan wants."""

    embedder: Embedder
    model: LanguageModel | None = None
    vectors: QueryVectors = field(default_factory=QueryVectors)
    stand_alone: StandAlone = field(default_factory=StandAlone)
    """What minds a conversation where no model does."""

    def without_conversation(
        self, request: SearchRequest, plan: Plan
    ) -> tuple[SearchRequest, Notes]:
        """The request as it stands alone; unchanged where a model is to put it so."""
        if not request.conversation or (plan.condense and self.model is not None):
            return request, ()
        question, notes = self.stand_alone(request.query, request.conversation)
        if plan.condense:
            notes = (f"{_without_model('condense')}, so rules put the question", *notes)
        return replace(request, query=question, conversation=()), notes

    async def __call__(self, asked: Asked) -> list[Wording]:
        """The question as it stands alone, then other wordings of it."""
        question = await self._condensed(asked)
        others = await self._reworded(question, asked)
        first = await self._imagined(self.worded(question, asked), asked)
        return [first, *[self.worded(each, asked) for each in others]]

    def worded(self, text: str, asked: Asked) -> Wording:
        """One wording; its vector is being made from now on."""
        parsed = parse_query(text)
        if asked.plan.fusion == "lexical_only":
            return Wording(text=text, parsed=parsed, vector=at_hand(None))
        embedding = self._embedded(parsed.text, asked)
        return Wording(text=text, parsed=parsed, vector=asyncio.ensure_future(embedding))

    async def _embedded(self, text: str, asked: Asked) -> Vector | None:
        """Its vector, or none where the model is away."""
        nothing: Vector | None = None
        with asked.journal.timed("embed"):
            return await asked.journal.attempt(
                "dense",
                nothing,
                lambda: self.vectors(asked.asker.workspace_id, text, self.embedder),
            )

    async def _condensed(self, asked: Asked) -> str:
        query, conversation = asked.request.query, asked.request.conversation
        if self.model is None or not asked.plan.condense or not conversation:
            return query
        with asked.journal.timed("condense"):
            question, notes = await Condense(model=self.model)(query, conversation)
        asked.journal.note(*notes)
        if notes:
            question, notes = self.stand_alone(query, conversation)
            asked.journal.note(*notes)
        return question

    async def _reworded(self, question: str, asked: Asked) -> Sequence[str]:
        if asked.plan.queries < 2:
            return ()
        if self.model is None:
            asked.journal.note(_without_model("queries"))
            return ()
        with asked.journal.timed("queries"):
            reword = MultiQuery(model=self.model, count=asked.plan.queries)
            others, notes = await reword(question)
        asked.journal.note(*notes)
        return others

    async def _imagined(self, wording: Wording, asked: Asked) -> Wording:
        if not asked.plan.hypothetical or (vector := await wording.vector) is None:
            return wording
        if self.model is None:
            asked.journal.note(_without_model("hypothetical"))
            return wording
        with asked.journal.timed("hypothetical"):
            imagine = HypotheticalDocument(model=self.model, embedder=self.embedder)
            vector, notes = await imagine(wording.parsed.text, vector)
        asked.journal.note(*notes)
        return replace(wording, vector=at_hand(vector))


def _without_model(stage: str) -> str:
    return f"{stage}: no language model is configured"
