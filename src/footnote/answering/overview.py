"""Turn sentences chosen from many documents into an answer with footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.cite import Footnotes
from footnote.domain import Answer, AnswerSentence, Evidence, Verdict
from footnote.domain.summaries import SummarySentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Answers with the sentences of a summary, in order.

    Implements `answering.streaming.Answerer`; its evidence has the passages of the sentences.
    """

    sentences: Sequence[SummarySentence]

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The sentences, each with its citation. The search determines the confidence."""
        footnotes = Footnotes()
        sentences = []
        for sentence in self.sentences:
            for passage in (item.passage for item in evidence):
                start = sentence.char_start - passage.char_start + passage.body_offset
                end = start + sentence.char_end - sentence.char_start
                if (
                    passage.document_id == sentence.document_id
                    and start >= passage.body_offset
                    and passage.text[start:end] == sentence.text
                ):
                    marker = footnotes.citation(passage, start, end).marker
                    sentences.append(
                        AnswerSentence(
                            text=sentence.text,
                            markers=(marker,),
                            support=1.0,
                            verdict=Verdict.SUPPORTED,  # The sentence is its quote.
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
