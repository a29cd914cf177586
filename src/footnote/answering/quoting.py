"""What every answer of quotes needs: statements fit to be shown, and the refusal."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answering.addresses import addresses_in
from footnote.answering.context import NOT_FOUND
from footnote.answering.sanitise import plain_text
from footnote.answering.sentences import Candidate
from footnote.answering.suspicion import gives_orders
from footnote.domain import Answer, AnswerSentence, Evidence


def is_order(candidate: Candidate) -> bool:
    """Whether a statement tells a model what to do: it answers nobody."""
    return gives_orders(candidate.quote) or gives_orders(candidate.statement)


def readable(candidate: Candidate, text: str | None = None) -> str:
    """The statement, or what is said of it, without what a viewer might open, load or mistake."""
    said = candidate.statement if text is None else text
    addresses = frozenset[str]() if candidate.evidence.suspicious else addresses_in(said)
    return plain_text(said, addresses=addresses) or "…"


def refusal(
    question: str,
    evidence: Sequence[Evidence],
    *,
    confidence: float,
    degraded: tuple[str, ...] = (),
) -> Answer:
    """That the documents do not answer; the evidence is the nearest that there is."""
    return Answer(
        question=question,
        found=False,
        sentences=(AnswerSentence(text=NOT_FOUND, markers=(), support=0.0),),
        citations=(),
        evidence=tuple(evidence),
        confidence=confidence,
        degraded=degraded,
    )
