"""An answer in the making: a model's pieces become events, and what an answer consists of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from footnote.answering.attribution import Attribution
from footnote.answering.layout import Layout, Unit
from footnote.answering.refusals import is_the_refusal, sounds_like_refusal
from footnote.answering.statements import Statements
from footnote.domain import AnswerSentence, Citation, CitationMade, Evidence, TextWritten
from footnote.ports import Analyzer, Embedder

Piece = TextWritten | CitationMade


@dataclass(slots=True)
class Composition:
    """Takes a model's text as it arrives, releases statements that are whole, plain and cited.

    Nothing is released before the first statement whose source carries it: a text that never
    cites, such as one that an order in a source brought about, can so be dropped unseen.

    Laws: the pieces joined are the prose of `sentences`; every marker in it is a citation's, and
    they count from 1 in the order of the text; where the text is cut changes nothing.
    """

    evidence: Sequence[Evidence]
    """Complete and in its final order: what the model calls `[n]` is the n-th."""
    analyzer: Analyzer
    embedder: Embedder | None = None
    shown_numbers: Collection[int] | None = None
    """The numbers of the sources that the model saw; None when it saw all."""
    sentences: list[AnswerSentence] = field(default_factory=list)
    """Released, not yet grounded."""
    _unreleased: list[AnswerSentence] = field(default_factory=list)
    _released_citations: dict[int, Citation] = field(default_factory=dict)
    """Those of released sentences, by the number that the quote was given when it was found."""
    _layout: Layout = field(default_factory=Layout)
    _statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        self._statements = Statements(
            Attribution(self.evidence, self.analyzer, self.embedder, self.shown_numbers)
        )

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of the sentences, in the order in which the text comes to them."""
        return tuple(self._released_citations.values())

    @property
    def unreleased(self) -> tuple[AnswerSentence, ...]:
        """Sentences that were not released, for no source carries them."""
        return tuple(self._unreleased)

    @property
    def removed(self) -> int:
        """Citations taken out so far."""
        return self._statements.removed

    @property
    def refuses(self) -> bool:
        """Whether the model began with the sentence that says that nothing was found."""
        return bool(self._unreleased) and is_the_refusal(self._unreleased[0].text)

    @property
    def says_nothing_found(self) -> bool:
        """Whether the model says so in its own words and nothing was released."""
        return self.refuses or (
            not self.sentences
            and sounds_like_refusal(" ".join(sentence.text for sentence in self._unreleased))
        )

    async def feed(self, text: str) -> list[Piece]:
        """What this piece of the model's text completes."""
        return await self._pieces(self._layout.feed(text))

    async def finish(self) -> list[Piece]:
        """What is left when the model is done."""
        pieces = await self._pieces(self._layout.finish())
        remaining = self._statements.rest()
        return pieces if remaining is None else pieces + list(self._released(remaining))

    async def break_off(self) -> list[Piece]:
        """What was whole when the model broke off; a heading with nothing below it was not."""
        return await self._pieces(self._layout.break_off())

    async def _pieces(self, units: Sequence[Unit]) -> list[Piece]:
        pieces: list[Piece] = []
        for unit in units:
            statement = await self._statements.of(unit)
            if statement is not None:
                pieces += self._released(statement)
        return pieces

    def _released(self, statement: AnswerSentence) -> Iterator[Piece]:
        self._unreleased.append(statement)
        if not self.sentences and (self.refuses or not statement.markers):
            return
        pending, self._unreleased = self._unreleased, []
        citations_by_marker = {
            citation.marker: citation
            for citation in self._statements.attribution.footnotes.citations
        }
        for sentence in pending:
            previous = self.sentences[-1] if self.sentences else None
            new_markers = [
                marker for marker in sentence.markers if marker not in self._released_citations
            ]
            for marker in new_markers:
                self._released_citations[marker] = replace(
                    citations_by_marker[marker], marker=len(self._released_citations) + 1
                )
            markers = tuple(self._released_citations[marker].marker for marker in sentence.markers)
            self.sentences.append(replace(sentence, markers=markers))
            yield TextWritten(text=self.sentences[-1].piece(previous))
            for marker in new_markers:
                yield CitationMade(citation=self._released_citations[marker])
