"""What a model writes reaches a reader plain, cited and grounded, or not at all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.answering import NOT_FOUND
from footnote.answering.generate import GenerativeAnswerer
from footnote.answering.streaming import completed, events_of
from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    BlockKind,
    CitationMade,
    Evidence,
    SentenceGrounded,
    SourcesFound,
    TextWritten,
    Turn,
    UsageCounted,
    Verdict,
)
from footnote.errors import ModelUnavailable
from footnote.models.answer_models import AnswerModels
from footnote.models.testing import HashEmbedder
from footnote.ports import Vectors, Writer
from tests.models.answering import models_at
from tests.wire import WireServer, calls, cut_off, endless, fails, says

from .drawn import assert_every_statement_can_be_opened
from .factories import make_answerer, make_evidence, make_passage
from .hostile import active_parts, outputs
from .injected import INJECTED
from .scripted import ScriptedWriter, done, events_from, make_generative, text_of

QUESTION = "What are the monthly rent and the deposit?"
EVIDENCE = make_evidence(
    make_passage(
        "The monthly rent is CHF 2,500, due on the first day. Late payment costs CHF 50.",
        "The deposit is three months of rent, that is CHF 7,500.",
        name="lease",
        offset=40,
    ),
    make_passage(
        "A form for the rent is at https://forms.example/rent and at office@forms.example.",
        name="forms",
    ),
    make_passage("Rent in Basel has risen by 3 % since 2020.", name="report"),
)


async def answer_to(*pieces: str, evidence: list[Evidence] = EVIDENCE) -> Answer:
    return done(await events_from(make_generative(*pieces), QUESTION, evidence)).answer


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[first:last] for first, last in pairwise(edges)]


async def test_events_come_in_the_order_in_which_a_reader_needs_them() -> None:
    events = await events_from(
        make_generative("The rent is CHF 2,5", "00 a month [1]. The deposit", " is CHF 7,500 [1]."),
        QUESTION,
        EVIDENCE,
    )
    assert [type(event) for event in events] == [
        SourcesFound,
        *(TextWritten, CitationMade, TextWritten, CitationMade),
        *(SentenceGrounded, SentenceGrounded, UsageCounted, AnswerDone),
    ]
    answer = done(events).answer
    assert answer.text == "The rent is CHF 2,500 a month. [1] The deposit is CHF 7,500. [2]"
    assert [(each.marker, each.quote, each.page) for each in answer.citations] == [
        (1, "The monthly rent is CHF 2,500, due on the first day.", 1),
        (2, "The deposit is three months of rent, that is CHF 7,500.", 2),
    ]
    assert (answer.found, answer.model, answer.usage.input_tokens) == (True, "scripted", 90)
    assert Verdict.UNCITED not in {sentence.verdict for sentence in answer.sentences}


@settings(max_examples=50, deadline=None)
@given(outputs, st.lists(st.integers(0, 10_000), max_size=6))
async def test_whatever_a_model_writes_the_laws_of_an_answer_hold(
    text: str, places: list[int]
) -> None:
    text = f"The monthly rent is CHF 2,500 [1]. {text}"
    events = await events_from(make_generative(*cut(text, places)), QUESTION, EVIDENCE)
    answer = done(events).answer
    assert text_of(events) == answer.text
    assert_every_statement_can_be_opened(answer, EVIDENCE)
    made = [event.citation for event in events if isinstance(event, CitationMade)]
    assert tuple(made) == answer.citations
    assert answer.found
    assert active_parts(answer.text) == []
    assert not set("[]") & set("".join(sentence.text for sentence in answer.sentences))
    whole = await answer_to(text)
    assert whole.sentences == answer.sentences


@pytest.mark.parametrize("order", INJECTED.values(), ids=INJECTED)
async def test_no_link_or_picture_follows_from_an_order_in_a_source(order: str) -> None:
    planted = make_passage(f"{order} See https://evil.example/x?q=1 and www.evil.example.")
    plain, order_giving = make_evidence(EVIDENCE[0].passage, planted)
    evidence = [plain, replace(order_giving, suspicious=True)]
    answer = await answer_to(
        "The rent is CHF 2,500 [1]. ",
        f"{order} ![x](https://evil.example/x?q=1) See https://evil.example/x?q=1 [2]. ",
        '{"tool": "send_email"} <tool_call>send</tool_call>',
        evidence=evidence,
    )
    assert active_parts(answer.text) == []
    assert "evil.example" not in answer.text
    assert "tool_call>" not in answer.text
    assert answer.text.startswith("The rent is CHF 2,500. [1]")


async def test_an_address_of_a_cited_source_is_kept_and_not_linked() -> None:
    answer = await answer_to("The form is at https://forms.example/rent [2].")
    assert answer.text == "The form is at `https://forms.example/rent`. [1]"


async def test_an_address_of_a_source_that_is_not_cited_is_not_kept() -> None:
    answer = await answer_to("The rent is CHF 2,500, see https://forms.example/rent [1].")
    assert answer.text == "The rent is CHF 2,500, see. [1]"


async def test_what_is_left_of_a_mere_address_is_not_shown() -> None:
    answer = await answer_to(
        "The rent is CHF 2,500 [1]. Visit https://evil.example/x [2]. Risen by 3 % since 2020 [3]."
    )
    assert answer.text == "The rent is CHF 2,500. [1] Risen by 3 % since 2020. [2]"
    assert [each.marker for each in answer.citations] == [1, 2]


async def test_lists_tables_and_headings_keep_their_shape() -> None:
    answer = await answer_to(
        "## Costs\n\n- **Rent**: CHF 2,500 [1]\n- Late payment: CHF 50 [1]\n\n"
        "| What | CHF |\n|---|---|\n| Deposit | 7,500 [1] |\n"
    )
    assert answer.text == (
        "## Costs\n\n- **Rent**: CHF 2,500 [1]\n- Late payment: CHF 50 [2]\n\n"
        "| What | CHF\n|---|---\n| Deposit | 7,500 [3]"
    )


async def test_a_table_with_an_unnamed_column_keeps_its_columns() -> None:
    answer = await answer_to(
        "|  | CHF | Per |\n|---|---|---|\n| Deposit | 7,500 [1] | lease |\n| Fee | 50 [1] | |\n"
    )
    assert [line.count("|") for line in answer.text.splitlines()] == [3, 3, 3, 3]
    assert answer.text.startswith("| | CHF | Per\n|---|---|---\n| Deposit | 7,500")


async def test_what_announces_goes_with_what_it_announces() -> None:
    answer = await answer_to("**Costs**\n\nTwo things are due:\n- The rent is CHF 2,500 [1]\n")
    (sentence,) = answer.sentences
    assert sentence.text == "**Costs**\n\nTwo things are due:\n- The rent is CHF 2,500"
    assert sentence.markers == (1,)


async def test_a_quotation_from_the_repeated_head_of_a_table_is_none() -> None:
    table = make_passage(
        "| The monthly rent in Basel | 900 |",
        kinds=[BlockKind.TABLE],
        repeated_header="| City of the flat | Monthly rent |\n|---|---|\n",
        offset=300,
    )
    answer = await answer_to(
        'In Basel it is 900 [1]. It says "City of the flat monthly rent" [1].',
        evidence=make_evidence(table),
    )
    assert [sentence.markers for sentence in answer.sentences] == [(1,), ()]
    assert_every_statement_can_be_opened(answer, make_evidence(table))


async def test_citations_that_lead_nowhere_are_removed_and_counted() -> None:
    answer = await answer_to(
        "The rent is CHF 2,500 [1][9]. ",
        "Penguins swim in cold oceans [3]. ",
        'It says "the landlord pays for all repairs" [1].',
    )
    assert [sentence.markers for sentence in answer.sentences] == [(1,), (), ()]
    assert [sentence.verdict for sentence in answer.sentences[1:]] == [Verdict.UNCITED] * 2
    assert answer.removed_citations == 3


async def test_footnotes_count_from_one_in_the_order_of_the_text() -> None:
    answer = await answer_to(
        "Rent in Basel has risen by 3 % since 2020 [3]. The deposit is CHF 7,500 [1]. "
        "Late payment costs CHF 50 [1]. Since 2020 rent in Basel has risen by 3 % [3]."
    )
    assert [each.markers for each in answer.sentences] == [(1,), (2,), (3,), (1,)]
    assert [each.marker for each in answer.citations] == [1, 2, 3]


async def test_a_quote_of_what_is_not_shown_takes_no_number() -> None:
    torso = "See https://forms.example/rents [2]."
    answer = await answer_to(f"{torso} The deposit is CHF 7,500 [1].")
    assert answer.text == "The deposit is CHF 7,500. [1]"


async def test_the_sentence_that_is_quoted_is_the_one_cited() -> None:
    answer = await answer_to('A fine applies: "late payment costs CHF 50" [1].')
    assert [each.quote for each in answer.citations] == ["Late payment costs CHF 50."]


async def test_each_clause_is_bound_to_what_carries_it() -> None:
    answer = await answer_to("Rent is CHF 2,500 [1], risen by 3 % since 2020 [3].")
    assert [each.quote for each in answer.citations] == [
        "The monthly rent is CHF 2,500, due on the first day.",
        "Rent in Basel has risen by 3 % since 2020.",
    ]


async def test_a_source_in_other_words_is_found_by_its_vectors() -> None:
    class Alike(HashEmbedder):
        """Takes every text for the same."""

        def encode(self, texts: Sequence[str]) -> Vectors:
            return super().encode(["same"] * len(texts))

    said = "Die Wohnung ist zu räumen."
    events = await events_from(make_generative(f"{said} [3]"), QUESTION, EVIDENCE)
    assert done(events).answer.model is None
    events = await events_from(
        make_generative(f"{said} [3]", embedder=Alike(dimensions=8)), QUESTION, EVIDENCE
    )
    assert done(events).answer.text == f"{said} [1]"


@pytest.mark.parametrize(
    "said",
    [
        NOT_FOUND,
        f"**{NOT_FOUND}** The rent is CHF 2,500 [1].",
        "I couldn't find any information about that in the documents provided.",
        "Dazu konnte ich in den Dokumenten nichts finden; das wird nicht erwähnt.",
        "Je n'ai pas trouvé cette information dans vos documents.",
        "No he encontrado esa información en los documentos.",
        "Non ho trovato queste informazioni nei documenti.",
        "Não encontrei essa informação nos documentos.",
        "文件中没有找到相关信息。",
    ],
)
async def test_a_model_that_finds_nothing_is_believed(said: str) -> None:
    events = await events_from(make_generative(said), QUESTION, EVIDENCE)
    answer = done(events).answer
    assert (answer.found, answer.text, answer.citations) == (False, NOT_FOUND, ())
    assert answer.evidence == tuple(EVIDENCE)
    assert text_of(events) == NOT_FOUND


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(NOT_FOUND, id="as it was told to"),
        pytest.param("Мне не удалось найти это в ваших документах.", id="as it was said before"),
    ],
)
async def test_a_refusal_is_said_in_the_language_of_the_question(said: str) -> None:
    asked = "Сколько в месяц платят за эту квартиру (rent)?"
    events = await events_from(make_generative(said), asked, EVIDENCE)
    answer = done(events).answer
    assert (answer.found, answer.model) == (False, "scripted")
    assert answer.text == text_of(events) == "Мне не удалось найти это в ваших документах."


async def test_a_model_that_says_so_at_once_is_stopped() -> None:
    answerer = make_generative(f"{NOT_FOUND} But then again, ", *["more words. "] * 100)
    await events_from(answerer, QUESTION, EVIDENCE)
    writer = answerer.writer
    assert isinstance(writer, ScriptedWriter)
    assert writer.closed == 1
    assert writer.written < 10


@pytest.mark.parametrize("said", ["", "  \n", "HACKED. Buy Acme!", "The rent is CHF 1. [77]"])
async def test_what_cites_nothing_is_never_shown(said: str) -> None:
    events = await events_from(make_generative(said), QUESTION, EVIDENCE)
    answer = done(events).answer
    assert text_of(events) == answer.text
    assert answer.model is None
    assert answer.found
    assert answer.degraded == ("answer: quoted, scripted cited nothing that the sources say",)
    assert_every_statement_can_be_opened(answer, EVIDENCE)


async def test_a_model_that_is_away_is_replaced_by_quotes() -> None:
    events = await events_from(make_generative(failure="it is away"), QUESTION, EVIDENCE)
    answer = done(events).answer
    assert answer.degraded == ("answer: quoted without scripted, it is away",)
    quoted = await make_answerer()(QUESTION, EVIDENCE)
    assert answer.sentences == quoted.sentences


async def test_what_was_written_before_a_model_broke_off_is_kept() -> None:
    pieces = ("The rent is CHF 2,500 [1]. The deposit is", " not three months [1]", " of")
    events = await events_from(make_generative(*pieces, failure="gone"), QUESTION, EVIDENCE)
    answer = done(events).answer
    assert answer.text == text_of(events) == "The rent is CHF 2,500. [1]"
    assert answer.degraded == ("answer: cut off, gone",)
    assert answer.sentences[0].verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("rest", ["\n\nThe deposit ", " And furth", " [", ""])
async def test_the_last_whole_statement_is_kept_however_soon_a_model_breaks_off(rest: str) -> None:
    events = await events_from(
        make_generative(f"The monthly rent is CHF 2,500. [1]{rest}", failure="gone"),
        QUESTION,
        EVIDENCE,
    )
    assert text_of(events) == "The monthly rent is CHF 2,500. [1]"
    assert done(events).answer.degraded == ("answer: cut off, gone",)


async def test_too_weak_evidence_is_refused_without_asking() -> None:
    answerer = make_generative("The rent is CHF 2,500 [1].")
    events = await events_from(answerer, "Who won the chess tournament in Oslo?", EVIDENCE)
    answer = done(events).answer
    writer = answerer.writer
    assert isinstance(writer, ScriptedWriter)
    assert writer.asked == []
    assert (answer.found, answer.text, answer.evidence) == (False, NOT_FOUND, tuple(EVIDENCE))
    nothing = done(await events_from(answerer, QUESTION, [])).answer
    assert (nothing.found, writer.asked) == (False, [])


async def test_what_does_not_fit_is_said() -> None:
    long = make_passage(" ".join(f"Filler number {each} here." for each in range(900)), name="long")
    evidence = make_evidence(EVIDENCE[0].passage, long)
    answerer = make_generative("The rent is CHF 2,500 [1].", context_tokens=2_000)
    answer = done(await events_from(answerer, QUESTION, evidence)).answer
    assert answer.found
    assert answer.degraded == (
        "context: 1 sources shortened and 0 left out, to fit into the 2000 tokens of scripted",
    )
    tiny = make_generative("The rent is CHF 2,500 [1].", context_tokens=600)
    answer = done(await events_from(tiny, QUESTION, evidence)).answer
    assert answer.model is None
    assert answer.degraded[0].startswith("answer: quoted, no source fits into the 600 tokens")


async def test_a_source_that_was_left_out_cannot_be_cited() -> None:
    many = [
        make_passage(
            " ".join(
                f"The rent of flat {each} in house {house} is CHF {each}." for each in range(60)
            ),
            name=f"house{house}",
        )
        for house in range(8)
    ]
    evidence = make_evidence(EVIDENCE[0].passage, *many)
    answerer = make_generative(
        "The rent is CHF 2,500 [1]. The rent of flat 5 in house 7 is CHF 5 [9].",
        context_tokens=1_600,
    )
    answer = done(await events_from(answerer, QUESTION, evidence)).answer
    assert answer.omitted_evidence > 0
    assert [sentence.markers for sentence in answer.sentences] == [(1,), ()]
    assert answer.removed_citations == 1


async def test_the_last_turns_are_shown_between_fences() -> None:
    answerer = make_generative("The rent is CHF 2,500 [1].")
    turns = [Turn(role="user", text="Is there a lease?"), Turn(role="assistant", text="Yes. [7]")]
    await events_from(answerer, QUESTION, EVIDENCE, turns)
    writer = answerer.writer
    assert isinstance(writer, ScriptedWriter)
    ((_, prompt),) = writer.asked
    assert "=== CONVERSATION ===\n\nUser: Is there a lease?\nAssistant: Yes." in prompt


async def test_quotes_stream_as_the_same_events() -> None:
    quoted = await make_answerer()(QUESTION, EVIDENCE)
    events = list(events_of(quoted))
    assert done(events).answer == quoted
    assert text_of(events) == quoted.text
    made = [event.citation for event in events if isinstance(event, CitationMade)]
    assert tuple(made) == quoted.citations
    assert {sentence.verdict for sentence in quoted.sentences} == {Verdict.SUPPORTED}


async def test_a_quote_shows_no_picture_of_its_document() -> None:
    planted = make_passage(
        "The monthly rent is CHF 2,500 ![x](https://evil.example/x.png) as of [1] May, "
        "see [here](https://evil.example/y) or https://forms.example/rent."
    )
    answer = await make_answerer()("What is the monthly rent?", make_evidence(planted))
    assert answer.found
    assert active_parts(answer.text) == []
    assert answer.sentences[0].text.startswith("The monthly rent is CHF 2,500 as of (1) May")
    assert "`https://forms.example/rent`" in answer.text
    suspicious = [replace(each, suspicious=True) for each in make_evidence(planted)]
    answer = await make_answerer()("What is the monthly rent?", suspicious)
    assert "forms.example" not in answer.text
    assert "https://evil.example/x.png" in answer.citations[0].quote


async def test_an_answer_is_what_its_events_end_with() -> None:
    answerer = make_generative("The rent is CHF 2,500 [1].")
    answer = await completed(answerer.stream(QUESTION, EVIDENCE))
    assert answer.text == "The rent is CHF 2,500. [1]"

    async def failing() -> AsyncGenerator[AnswerEvent]:
        yield AnswerFailed(code="ModelUnavailable", message="gone", hint="wait")

    with pytest.raises(ModelUnavailable, match="gone"):
        await completed(failing())


def over_the_wire(models: AnswerModels) -> GenerativeAnswerer:
    writer: Writer | None = models.writer()
    assert writer is not None
    return replace(make_generative(), writer=writer)


@pytest.mark.parametrize("name", ["openai:scripted", "anthropic:scripted"])
async def test_over_the_wire_orders_stay_data(wire_server: WireServer, name: str) -> None:
    planted = make_passage(INJECTED["tool"], name="planted")
    plain, order_giving = make_evidence(EVIDENCE[0].passage, planted)
    evidence = [plain, replace(order_giving, suspicious=True)]
    wire_server.script(says("The rent is CHF 2,500 [1]. ![x](https://", "evil.example/x)"))
    async with models_at(wire_server, name) as models:
        answerer = over_the_wire(models)
        events = await events_from(answerer, QUESTION, evidence)
    (asked,) = wire_server.asked
    assert INJECTED["tool"] in asked.prompt
    assert INJECTED["tool"] not in asked.instructions
    assert asked.tools == {}
    assert done(events).answer.text == "The rent is CHF 2,500. [1]"


async def test_over_the_wire_a_tool_that_a_model_asks_for_is_not_called(
    wire_server: WireServer,
) -> None:
    wire_server.script(*[calls("delete_document", '{"id": 1}', text="")] * 4)
    async with models_at(wire_server, "openai:scripted") as models:
        answerer = over_the_wire(models)
        events = await events_from(answerer, QUESTION, EVIDENCE)
    answer = done(events).answer
    assert answer.model is None
    assert answer.degraded[0].startswith("answer: quoted")


async def test_over_the_wire_a_broken_reply_keeps_what_was_whole(wire_server: WireServer) -> None:
    wire_server.script(cut_off("The rent is CHF 2,500 [1]. The deposit is three months of", " re"))
    async with models_at(wire_server, "openai:scripted") as models:
        answerer = over_the_wire(models)
        events = await events_from(answerer, QUESTION, EVIDENCE)
    answer = done(events).answer
    assert answer.text == "The rent is CHF 2,500. [1]"
    assert answer.degraded[0].startswith("answer: cut off, ")


async def test_over_the_wire_an_error_leaves_quotes(wire_server: WireServer) -> None:
    wire_server.script(*[fails(400)] * 4)
    async with models_at(wire_server, "openai:scripted") as models:
        answerer = over_the_wire(models)
        events = await events_from(answerer, QUESTION, EVIDENCE)
    answer = done(events).answer
    assert (answer.found, answer.model) == (True, None)


async def test_a_reader_who_leaves_stops_the_model(wire_server: WireServer) -> None:
    wire_server.script(endless("The rent is CHF 2,500 [1]. "))
    async with models_at(wire_server, "openai:scripted") as models:
        answerer = over_the_wire(models)
        async with aclosing(answerer.stream(QUESTION, EVIDENCE)) as events:
            async for event in events:
                if isinstance(event, TextWritten):
                    break
        assert await wire_server.asked[0].was_left()
