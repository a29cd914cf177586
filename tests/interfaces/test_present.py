"""What people read on a terminal."""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from io import StringIO
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    BlockKind,
    Check,
    DocumentStatus,
    FacetCount,
    Failure,
    Health,
    NearDuplicate,
    Progress,
    SearchResponse,
    Stage,
    StageRecord,
    TextWritten,
    Verdict,
)
from footnote.interfaces.cli import present, results
from footnote.interfaces.cli.ingest import stages
from footnote.interfaces.cli.present import encodable_json
from footnote.interfaces.cli.writing import StreamedAnswer, show_rewording
from tests.interfaces.records import a_document, an_answer, an_evidence, contested, unanswered


@pytest.fixture
def console() -> Console:
    return present.console_on(StringIO(), width=100)


def written(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_an_answer_ends_in_its_footnotes(console: Console) -> None:
    present.show_answer(console, an_answer())
    prose, _, footnote = written(console).strip().split("\n", 2)
    assert prose == "A claim must be reported within 14 days. [1]"
    assert footnote.replace("\n", " ") == (
        "[1] Policy (policy.pdf) › Claims › Notice › p. 3 ¶ 2 "
        "“A claim must be reported within 14 days.”"
    )


@pytest.mark.parametrize(
    ("quote", "answer"),
    [
        pytest.param("A claim must be reported within 14 days.", "14 days", id="short"),
        pytest.param("A claim  must\nbe reported within\n14  days.", "14  days", id="spaces"),
        pytest.param(f"{'In case of doubt, ' * 40}14 days count.", "14 days", id="far-behind"),
        pytest.param(f"14 days count{', in case of doubt' * 40}.", "14 days", id="at-the-start"),
        pytest.param("14 or 140 days", "140", id="a-longer-one-after"),
        pytest.param("14 days", "14 days", id="all-of-it"),
    ],
)
def test_the_answer_in_a_quote_is_set_off(quote: str, answer: str) -> None:
    said = an_answer(quote).citations[0]
    start = quote.rindex(answer)
    marked = replace(said, answer_start=start, answer_end=start + len(answer))
    note = present.footnote(marked)
    bold = [note.plain[each.start : each.end] for each in note.spans if each.style == "bold"]
    assert bold[-1] == " ".join(answer.split())


def test_an_answer_that_was_not_found_has_no_footnotes(console: Console) -> None:
    nothing = replace(an_answer("I could not find this."), found=False, citations=())
    present.show_answer(console, nothing)
    assert "I could not find this." in written(console)
    assert "“" not in written(console)


def test_an_answer_that_was_not_found_names_what_comes_nearest(console: Console) -> None:
    nothing = replace(
        an_answer("I could not find this."),
        found=False,
        citations=(),
        evidence=(an_evidence(),),
        searched=("another wording",),
    )
    present.show_answer(console, nothing)
    shown = written(console)
    assert "Searched: another wording" in shown
    assert "· Policy (policy.pdf) › Claims › Notice › p. 3 ¶ 2" in shown
    begins = " ".join(an_evidence().passage.text.split())[:40]
    assert shown.count(begins) == 1


def test_an_answer_that_was_not_found_shows_the_closest_passage(console: Console) -> None:
    present.show_answer(console, replace(unanswered(), evidence=(an_evidence(),)))
    lines = [line.rstrip() for line in written(console).splitlines()]
    assert lines[:3] == [
        "I could not find this.",
        "Closest passage: “A claim must be reported within 14 days.” [1]",
        "",
    ]
    assert lines[3].startswith("[1] Policy (policy.pdf) › Claims › Notice › p. 3 ¶ 2")
    assert "Nearest to it" not in written(console)


async def test_the_closest_passage_follows_what_was_shown_as_it_was_written(
    console: Console,
) -> None:
    shown = StreamedAnswer(console, live=True)
    answer = await shown.answer_of(told(unanswered()))
    assert shown.has(answer)
    present.show_footnotes(console, answer)
    assert written(console).count("I could not find this.") == 1
    assert "Closest passage: “A claim must" in written(console)


def test_what_documents_do_not_agree_about_is_said_with_a_footnote_for_each(
    console: Console,
) -> None:
    present.show_answer(console, contested())
    shown = written(console)
    below = "The documents disagree about Acme – employs: “450 people” [1]; “470 people” [2]"
    assert below in " ".join(shown.split())
    assert "[2] Report (policy.pdf)" in shown
    assert shown.count("[1] Policy (policy.pdf)") == 1


@pytest.mark.parametrize(
    ("confidence", "model", "markers", "told"),
    [(0.65, None, (1,), True), (0.7, None, (1,), False), (0.65, "m", (1,), False),
     (0.29, None, (1, 2), False)],
    ids=["unsure", "sure", "of a model", "computed"],
)  # fmt: skip
def test_an_answer_that_may_be_about_something_else_says_so(
    console: Console, confidence: float, model: str | None, markers: tuple[int, ...], told: bool
) -> None:
    answer = replace(an_answer(), confidence=confidence, model=model)
    sentences = tuple(replace(each, markers=markers) for each in answer.sentences)
    present.show_answer(console, replace(answer, sentences=sentences))
    shown = written(console)
    assert ("Only 65% sure" in shown) is told
    if told:
        # Above the quotes, which may be long.
        assert shown.index("Only 65% sure") < shown.index("Policy (policy.pdf)")


def test_rows_of_a_quote_stand_apart(console: Console) -> None:
    quote = "W-501 | Larkwain S | accepted |\n| W-502 | Molewain | refused"
    said = an_answer(quote).citations[0]
    start = quote.index("refused")
    marked = replace(
        said,
        char_end=said.char_start + len(quote),
        answer_start=said.char_start + start,
        answer_end=said.char_start + len(quote),
    )
    told = present.footnote(marked)
    shown = "“W-501 | Larkwain S | accepted / W-502 | Molewain | refused”"
    assert told.plain.endswith(shown)
    [bold] = [each for each in told.spans if each.style == "bold" and each.start > 20]
    assert told.plain[bold.start : bold.end] == "refused"


def test_a_doubtful_sentence_of_a_model_is_named(console: Console) -> None:
    answer = an_answer()
    doubtful = replace(answer.sentences[0], verdict=Verdict.UNSUPPORTED)
    present.show_answer(console, replace(answer, sentences=(doubtful,), model="m"))
    assert "Not supported by its footnotes: “A claim must be" in written(console)


async def test_an_answer_is_shown_as_it_is_written(console: Console) -> None:
    answer = an_answer()
    shown = StreamedAnswer(console, live=True)
    assert await shown.answer_of(told(answer)) == answer
    assert shown.has(answer)
    assert " ".join(written(console).split()) == answer.text


async def told(answer: Answer) -> AsyncGenerator[AnswerEvent]:
    for word in answer.text.split(" "):
        yield TextWritten(text=word if word == answer.text.split(" ")[0] else f" {word}")
    yield AnswerDone(answer=answer)


def test_a_search_result_says_where_it_stands(console: Console) -> None:
    results.show_evidence(console, [an_evidence()])
    first, second, third = written(console).splitlines()[:3]
    assert first.rstrip() == "1 Policy (policy.pdf) › Claims › Notice › p. 3 ¶ 2"
    assert "14 days" in second
    assert "words: claim" in third


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0:00"), (59.99, "0:59"), (751.2, "12:31"), (3723.0, "1:02:03"), (360_000, "100:00:00")],
)
def test_a_moment_is_shown_as_players_show_it(seconds: float, shown: str) -> None:
    assert present.time_code(seconds) == shown


def test_what_goes_over_several_pages_names_them(console: Console) -> None:
    item = an_evidence()
    for first, last in ((3, 4), (7, 7)):
        over = replace(item.passage, page_start=first, page_end=last)
        results.show_evidence(console, [replace(item, passage=over)])
    shown = written(console)
    assert "p. 3–4 ¶" in shown
    assert "p. 7 ¶" in shown


def test_what_was_said_stands_at_a_time_and_not_in_a_paragraph(console: Console) -> None:
    item = an_evidence()
    said = replace(item.passage, start_seconds=751.0, page_start=None, kind=BlockKind.UTTERANCE)
    results.show_evidence(console, [replace(item, passage=said)])
    answer = an_answer()
    citation = replace(answer.citations[0], start_seconds=751.0, page=None)
    present.show_answer(console, replace(answer, citations=(citation,)))
    assert written(console).count("Notice › at 12:31") == 2
    assert "¶" not in written(console)


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize(
    ("kind", "said"),
    [(BlockKind.OCR_TEXT, "read from pixels, 62% sure"), (BlockKind.UTTERANCE, "heard, 62% sure")],
)
def test_a_doubtful_reading_says_how_sure_it_is(
    console: Console, kind: BlockKind, said: str, *, explain: bool
) -> None:
    item = an_evidence()
    read = replace(item.passage, kind=kind, confidence=0.62)
    results.show_evidence(console, [replace(item, passage=read)], explain=explain)
    assert said in written(console)
    results.show_evidence(console, [item], explain=explain)
    assert written(console).count("sure") == 1


def test_nothing_in_a_document_can_steer_the_terminal(console: Console) -> None:
    evil = "\x1b[2J\x1b]0;title\x07[bold red]text\u202e[/nothing]"
    results.show_evidence(console, [an_evidence(evil)])
    present.show_answer(console, an_answer(evil))
    present.show_documents(console, [a_document(title=evil, filename=evil)])
    present.show_document(console, a_document(title=evil, metadata={evil: evil}), [])
    assert not {"\x1b", "\x07", "\u202e"} & set(written(console))
    assert "[bold red]text" in written(console)


def test_a_failed_document_says_why_and_what_to_do(console: Console) -> None:
    failure = Failure(
        stage=Stage.PARSE, cause="it is encrypted", advice="upload a copy", retryable=False
    )
    document = a_document(status=DocumentStatus.FAILED, failure=failure)
    present.show_document(console, document, [])
    assert "it is encrypted; upload a copy" in written(console)


def test_a_document_keeps_its_whole_id_in_a_list(console: Console) -> None:
    present.show_documents(console, [a_document(filename="a-very-long-name" * 9)])
    assert str(a_document().document_id) in written(console)


def test_a_failing_check_comes_with_its_hint(console: Console) -> None:
    check = Check(name="ocr", ok=False, detail="no tesseract", hint="install tesseract-ocr")
    present.show_health(console, Health(ready=False, checks=(check,)))
    assert "→ install tesseract-ocr" in written(console)
    assert "Not ready." in written(console)


def test_how_far_a_stage_is_is_never_more_than_there_is() -> None:
    working = a_document(
        status=DocumentStatus.INGESTING, stage=Stage.EMBED, progress=Progress(done=2, total=0)
    )
    assert present.stage_words(working) == "embed"


@pytest.mark.parametrize(
    ("question", "asked_as", "said"),
    [
        ("And for fire?", "What is the deductible for fire?", "Asked as “What is the deductible"),
        (
            "When does it end?",
            "When does it end? Hartwell lease",
            "Searched with “Hartwell lease” as well, from what was said before.",
        ),
        (
            "And what about fire?",
            "fire? days notice",
            "Asked as “fire?”, searched with “days notice” as well.",
        ),
        ("why", "why Hartwell", "Searched with “Hartwell” as well, from what was said before."),
    ],
)
def test_a_question_with_search_words_behind_it_is_not_shown_as_a_sentence(
    console: Console, question: str, asked_as: str, said: str
) -> None:
    show_rewording(console, replace(an_answer(), question=question, asked_as=asked_as))
    assert said in written(console)


def test_stages_are_counted_in_the_order_of_the_journey() -> None:
    working: dict[str, object] = {"status": DocumentStatus.INGESTING}
    states: list[dict[str, object]] = [
        {"status": DocumentStatus.INDEXED},
        {"status": DocumentStatus.FAILED},
        {**working, "stage": Stage.EMBED},
        {**working, "stage": Stage.PARSE},
        {**working, "stage": Stage.PARSE},
    ]
    documents = [a_document(document_id=uuid4(), **state) for state in states]
    counted = stages({document.document_id: document for document in documents})
    assert counted == "2 parse · 1 embed · 1 indexed · 1 failed"


def test_an_excerpt_is_cut_at_a_word() -> None:
    assert present.excerpt("one two\n three", limit=9) == "one two …"


def test_low_confidence_is_said_and_high_is_not(console: Console) -> None:
    sure = SearchResponse(query="q", evidence=(an_evidence(),), confidence=0.8)
    results.show_response(console, sure)
    assert "onfidence" not in written(console)
    results.show_response(console, replace(sure, confidence=0.1))
    assert "Confidence is low (0.10)" in written(console)


def test_a_result_lists_what_says_the_same(console: Console) -> None:
    other = NearDuplicate(
        chunk_id="c2", document_id=uuid4(), document_title="Copy", page=4, overlap=0.925
    )
    results.show_evidence(console, [replace(an_evidence(), near_duplicates=(other,))])
    assert "the same in Copy, p. 4 (92% alike)" in written(console)


def test_an_explained_result_has_its_stages_with_what_they_changed(console: Console) -> None:
    moved = StageRecord(
        stage="rerank",
        rank_before=3,
        rank_after=1,
        score_before=0.5,
        score_after=0.75,
        detail={"model": "tiny", "cut": True},
    )
    item = replace(an_evidence(), why="Ranked 1st: it was read.", explanation=(moved,))
    results.show_evidence(console, [item], explain=True)
    words = " ".join(written(console).split())
    assert "Ranked 1st: it was read." in words
    assert "rerank 3 → 1 0.5000 → 0.7500 model tiny, cut True" in words


def test_facets_are_small_tables(console: Console) -> None:
    results.show_facets(console, {"class": [FacetCount(value="policy", documents=3)]})
    assert " ".join(written(console).split()).endswith("policy 3")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same_in_every_encoding(text: str) -> None:
    written = json.dumps({"text": text}, ensure_ascii=False)
    for encoding in ("utf-8", "ascii", "latin-1"):
        sent = encodable_json(written, encoding).encode(encoding)
        assert json.loads(sent.decode(encoding)) == {"text": text}
