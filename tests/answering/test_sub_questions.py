"""A question for several things has the answer of each, its citations numbered through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.answering.reader_answers import refusal
from footnote.answering.sub_questions import ByPart, Part
from footnote.domain import Answer, AnswerSentence, Citation, Evidence, Verdict

from .factories import make_evidence, make_passage

TEXT = "The lease begins on 1 May 2024 and ends on 30 April 2029."
[FOUND] = make_evidence(make_passage(TEXT))


def citation(marker: int, quote: str, answer: str) -> Citation:
    start = TEXT.index(quote)
    at = TEXT.index(answer)
    return Citation(
        marker=marker,
        chunk_id=FOUND.passage.chunk_id,
        document_id=FOUND.passage.document_id,
        document_title="Lease",
        filename="lease.md",
        heading_path=(),
        page=None,
        paragraph=1,
        quote=quote,
        char_start=start,
        char_end=start + len(quote),
        answer_start=at,
        answer_end=at + len(answer),
    )


def said(text: str, *citations: Citation, confidence: float = 0.9) -> Answer:
    return Answer(
        question="?",
        found=True,
        sentences=(
            AnswerSentence(
                text=text,
                markers=tuple(each.marker for each in citations),
                support=confidence,
                verdict=Verdict.SUPPORTED,
            ),
        ),
        citations=citations,
        evidence=(FOUND,),
        confidence=confidence,
    )


@dataclass(frozen=True)
class Known:
    """Answers what it knows, and refuses the rest."""

    answers: dict[str, Answer]
    asked: list[tuple[str, Sequence[Evidence]]] = field(default_factory=list)

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        self.asked.append((question, evidence))
        nothing = refusal(question, evidence, confidence=0.1, degraded=("answer: no",))
        return self.answers.get(question, nothing)


def by_part(known: Known, *questions: str) -> ByPart:
    return ByPart(
        answerer=known, parts=[Part(question=each, evidence=(FOUND,)) for each in questions]
    )


BEGIN = said(
    "It begins on 1 May 2024.", citation(1, "The lease begins on 1 May 2024", "1 May 2024")
)
END = said(
    "It ends on 30 April 2029.",
    citation(1, "ends on 30 April 2029", "30 April 2029"),
    confidence=0.6,
)


async def test_each_part_is_answered_and_its_citations_follow() -> None:
    answer = await by_part(Known({"begin?": BEGIN, "end?": END}), "begin?", "end?")(
        "both?", (FOUND,)
    )
    assert answer.question == "both?"
    assert [each.text for each in answer.sentences] == [
        BEGIN.sentences[0].text,
        END.sentences[0].text,
    ]
    assert [each.markers for each in answer.sentences] == [(1,), (2,)]
    assert [each.marker for each in answer.citations] == [1, 2]
    assert answer.citations[1].quote == "ends on 30 April 2029"
    assert answer.confidence == 0.6
    assert answer.degraded == ()


async def test_a_part_without_an_answer_is_named() -> None:
    answer = await by_part(Known({"begin?": BEGIN}), "begin?", "end?")("both?", (FOUND,))
    assert answer.found
    assert answer.sentences == BEGIN.sentences
    assert answer.degraded[0] == "answer: nothing was found for “end?”"


async def test_one_sentence_that_answers_both_is_said_once_and_marked_up_to_both() -> None:
    first = said(TEXT, citation(1, TEXT, "1 May 2024"))
    second = said(TEXT, citation(1, TEXT, "30 April 2029"))
    answer = await by_part(Known({"begin?": first, "end?": second}), "begin?", "end?")(
        "?", (FOUND,)
    )
    assert [each.text for each in answer.sentences] == [TEXT]
    [cited] = answer.citations
    assert (cited.answer_start, cited.answer_end) == (
        TEXT.index("1 May"),
        TEXT.index("2029") + len("2029"),
    )


async def test_other_words_with_the_same_quote_are_said_beside_each_other() -> None:
    first = said("Begins: 1 May 2024", citation(1, TEXT, "1 May 2024"))
    second = said("Ends: 30 April 2029", citation(1, TEXT, "30 April 2029"))
    answer = await by_part(Known({"begin?": first, "end?": second}), "begin?", "end?")(
        "?", (FOUND,)
    )
    assert [each.markers for each in answer.sentences] == [(1,), (2,)]
    assert answer.citations[0].answer_end == TEXT.index("1 May 2024") + len("1 May 2024")


async def test_where_no_part_is_answered_the_question_is_as_a_whole() -> None:
    whole = replace(BEGIN, question="both?")
    known = Known({"both?": whole})
    answer = await by_part(known, "begin?", "end?")("both?", (FOUND, FOUND))
    assert answer == whole
    assert [question for question, _ in known.asked] == ["begin?", "end?", "both?"]
    assert known.asked[-1][1] == (FOUND, FOUND)


async def test_rows_that_a_question_compares_are_told_by_their_cells() -> None:
    async def compare_rows(question: str, evidence: Sequence[Evidence]) -> Answer | None:
        return replace(END, question=question) if question == "rows?" and evidence else None

    known = Known({"begin?": BEGIN, "end?": END})
    compares = replace(by_part(known, "begin?", "end?"), compare_rows=compare_rows)
    assert await compares("rows?", (FOUND,)) == replace(END, question="rows?")
    assert known.asked == []
    assert len((await compares("both?", (FOUND,))).sentences) == 2
