"""Drop located answers that are prompt injections, from suspicious evidence."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.injection_detection import INJECTION_THRESHOLD, all_text
from footnote.answering.injection_patterns import has_injection_pattern, legible
from footnote.answering.sanitise import without_directions
from footnote.answering.sentences import Candidate, candidates_of
from footnote.domain import Evidence
from footnote.ports import Reader

_Place = tuple[str, int, int]


async def without_injections(
    reader: Reader, answers: Sequence[LocatedAnswer]
) -> list[LocatedAnswer]:
    """Drop statements that the reader detects as prompt injections.

    If a passage as a whole is one, but no statement or heading alone reaches the threshold, its
    most probable statement is dropped: at ingestion a sentence is scored together with its
    neighbours, which raises its probability. Raises ModelUnavailable.
    """
    suspicious = {answer.passage.chunk_id: answer.candidate.evidence for answer in answers}
    suspicious = {chunk: item for chunk, item in suspicious.items() if item.suspicious}
    injections = {
        place for item in suspicious.values() for place in await _injections_in(reader, item)
    }
    return [answer for answer in answers if _place(answer.candidate) not in injections]


async def _injections_in(reader: Reader, evidence: Evidence) -> list[_Place]:
    """The positions of the statements with instructions, in suspicious evidence."""
    passage = evidence.passage
    statements = candidates_of([evidence])
    # A title is often the beginning of the text.
    headings = [
        heading
        for heading in dict.fromkeys((passage.document_title, *passage.heading_path))
        if not any(heading in statement.statement for statement in statements)
    ]
    whole_text = without_directions(all_text(passage))
    texts = [*(statement.statement for statement in statements), *headings, whole_text]
    probabilities = await reader.injection_probabilities(list(map(legible, texts)))
    if probabilities is None or not statements:
        return []
    *statement_probabilities, whole_probability = probabilities
    injections = [
        _place(statement)
        for statement, probability in zip(statements, statement_probabilities, strict=False)
        if probability >= INJECTION_THRESHOLD
    ]
    is_detected = max(statement_probabilities) >= INJECTION_THRESHOLD or any(
        (
            *(statement.is_prompt_injection for statement in statements),
            *map(has_injection_pattern, headings),
        )
    )
    # Direction marks make evidence suspicious, but are no instruction.
    if is_detected or (
        whole_probability < INJECTION_THRESHOLD and not has_injection_pattern(whole_text)
    ):
        return injections
    most_probable = max(range(len(statements)), key=lambda index: statement_probabilities[index])
    return [_place(statements[most_probable])]


def _place(candidate: Candidate) -> _Place:
    return candidate.evidence.passage.chunk_id, candidate.start, candidate.end
