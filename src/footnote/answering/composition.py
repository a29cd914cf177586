"""Turn a model's text into events and an answer, as it arrives."""

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
    """Takes a model's text as it arrives and releases complete, plain, cited statements.

    Nothing is released before the first statement that its source supports, so a text that never
    cites, such as one caused by an injection, can be dropped unseen.

    Laws: the joined pieces are the prose of `sentences`; every marker in it belongs to a citation,
    and markers count from 1 in the order of the text; where the text is cut changes nothing.
    """

    evidence: Sequence[Evidence]
    """Complete and in its final order: `[n]` in the model's text is the n-th."""
    analyzer: Analyzer
    embedder: Embedder | None = None
    shown_numbers: Collection[int] | None = None
    """The source numbers in the model's prompt; None for all."""
    sentences: list[AnswerSentence] = field(default_factory=list)
    """Released sentences, not yet grounded."""
    _unreleased: list[AnswerSentence] = field(default_factory=list)
    _released_citations: dict[int, Citation] = field(default_factory=dict)
    """Citations of released sentences, by the original marker of the quote."""
    _layout: Layout = field(default_factory=Layout)
    _statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        self._statements = Statements(
            Attribution(self.evidence, self.analyzer, self.embedder, self.shown_numbers)
        )

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of the sentences, in the order of the text."""
        return tuple(self._released_citations.values())

    @property
    def unreleased(self) -> tuple[AnswerSentence, ...]:
        """Sentences that were not released, because no source supports them."""
        return tuple(self._unreleased)

    @property
    def removed(self) -> int:
        """Number of citations removed so far."""
        return self._statements.removed

    @property
    def refuses(self) -> bool:
        """Whether the text begins with the sentence that nothing was found."""
        return bool(self._unreleased) and is_the_refusal(self._unreleased[0].text)

    @property
    def says_nothing_found(self) -> bool:
        """Whether the model says in its own words that nothing was found, and nothing was
        released."""
        return self.refuses or (
            not self.sentences
            and sounds_like_refusal(" ".join(sentence.text for sentence in self._unreleased))
        )

    async def feed(self, text: str) -> list[Piece]:
        """The pieces that this part of the model's text completes."""
        return await self._pieces(self._layout.feed(text))

    async def finish(self) -> list[Piece]:
        """The remaining pieces after the end of the text."""
        pieces = await self._pieces(self._layout.finish())
        remaining = self._statements.rest()
        return pieces if remaining is None else pieces + list(self._released(remaining))

    async def break_off(self) -> list[Piece]:
        """The complete pieces when the model stops early; a heading with nothing below it is
        dropped."""
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
