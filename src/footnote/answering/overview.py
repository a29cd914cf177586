"""Sentences chosen from many documents become an answer, each with its footnote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.cite import Footnotes
from footnote.domain import Answer, AnswerSentence, Evidence, Verdict
from footnote.domain.summaries import SummarySentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Answers with the sentences of a summary, in their order.

    Implements `answering.streaming.Drafts`; the evidence it is given has the passages that they
    stand in.
    """

    sentences: Sequence[SummarySentence]

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The sentences, each cited where it stands. Its confidence is for the search to say."""
        footnotes = Footnotes()
        sentences = []
        for each in self.sentences:
            for passage in (item.passage for item in evidence):
                start = each.char_start - passage.char_start + passage.body_offset
                end = start + each.char_end - each.char_start
                if (
                    passage.document_id == each.document_id
                    and start >= passage.body_offset
                    and passage.text[start:end] == each.text
                ):
                    marker = footnotes.citation(passage, start, end).marker
                    sentences.append(
                        AnswerSentence(
                            text=each.text,
                            markers=(marker,),
                            support=1.0,
                            verdict=Verdict.SUPPORTED,  # It is its quote.
                            gap="\n",
                        )
                    )
                    break
        return Answer(
            question=question,
            found=bool(sentences),
            sentences=tuple(sentences),
            citations=tuple(footnotes.citations),
            evidence=tuple(evidence),
            confidence=1.0,
        )
