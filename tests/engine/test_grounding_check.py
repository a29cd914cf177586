"""Statements are checked against texts, documents and passages, and bad requests are named."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import SearchRequest
from footnote.domain.grounding import ClaimVerdict, DecidedBy, GroundingSource, QuoteRelation
from footnote.engine import grounding, open_engine
from footnote.errors import InvalidRequest, ModelUnavailable, NotReady
from footnote.settings import Settings
from tests.engine.shelf import Shelf

TRUE = (
    "The tenant of berth 3 pays 300 euros in rent each month and must repaint hull 3 once a year."
)
FALSE = TRUE.replace("300", "350")
LEASE = "The rent is 900 euros. Pets are not allowed."


def lease(shelf: Shelf) -> GroundingSource:
    return GroundingSource(document_id=UUID(shelf.ids["lease.md"]), id="lease")


async def test_a_document_is_searched_and_quoted_as_citations_are(shelf: Shelf) -> None:
    found = await shelf.workspace.check_grounding([lease(shelf)], statements=[TRUE, FALSE])
    right, wrong = found.claims
    assert (right.verdict, wrong.verdict) == (ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED)
    assert [(each.kind, each.text) for each in wrong.guards] == [("number", "350 euros")]
    document_id = UUID(shelf.ids["lease.md"])
    whole = await shelf.workspace.text(document_id, most_characters=100_000)
    assert whole is not None
    for quote in (*right.quotes, *wrong.quotes):
        assert quote.quote == whole.text[quote.char_start : quote.char_end]
        assert (quote.source_id, quote.document_id, quote.version) == ("lease", document_id, 1)
        assert quote.filename == "lease.md"
        assert quote.paragraph >= 1
        context = await shelf.workspace.context(quote.chunk_id or "")
        assert context.chunk.document_id == document_id
    assert right.quotes[0].relation is QuoteRelation.SUPPORTS
    assert right.quotes[0].heading_path[-1] == "Clause 3"


async def test_a_passage_is_held_against_alone(shelf: Shelf) -> None:
    found = await shelf.workspace.search(SearchRequest(query="berth 3 rent hull"))
    [passage] = [
        each.passage for each in found.evidence if each.passage.heading_path[-1:] == ("Clause 3",)
    ]
    source = GroundingSource(chunk_id=passage.chunk_id)
    check = await shelf.workspace.check_grounding([source], statements=[TRUE])
    [claim] = check.claims
    assert claim.verdict is ClaimVerdict.SUPPORTED
    assert {each.chunk_id for each in claim.quotes} == {passage.chunk_id}
    assert {each.source_id for each in claim.quotes} == {"1"}


async def test_an_answer_is_split_and_texts_and_documents_are_sources_together(
    shelf: Shelf,
) -> None:
    answer = f"It says:\n\n- {TRUE} [1]\n- Pets are not allowed. [2]\n- The flat has a cellar."
    found = await shelf.workspace.check_grounding(
        [lease(shelf), GroundingSource(text=LEASE, id="letter", title="Letter")], answer=answer
    )
    first, second, third = (each.verdict for each in found.claims)
    assert first is second is ClaimVerdict.SUPPORTED
    assert third is not ClaimVerdict.SUPPORTED
    assert [each.quotes[0].source_id for each in found.claims[:2]] == ["lease", "letter"]
    for claim in found.claims:
        assert claim.text == answer[claim.char_start : claim.char_end]
    [quote] = found.claims[1].quotes
    assert (quote.document_id, quote.version, quote.chunk_id) == (None, None, None)
    assert quote.quote == LEASE[quote.char_start : quote.char_end] == "Pets are not allowed."


async def test_a_statement_with_the_marks_of_a_query_is_searched_by_its_words(
    shelf: Shelf,
) -> None:
    statement = 'The "tenant of berth 3" -of clause 3- pays 300 euros in rent each month.'
    [claim] = (await shelf.workspace.check_grounding([lease(shelf)], statements=[statement])).claims
    assert claim.quotes


async def test_absent_foreign_and_outdated_sources_look_the_same(shelf: Shelf) -> None:
    absent, foreign = uuid4(), UUID(shelf.ids["foreign.md"])
    said = {
        str(await refused(shelf, GroundingSource(document_id=each))).replace(str(each), "ID")
        for each in (absent, foreign)
    }
    assert said == {"source 1: there is no document ID in this workspace"}
    chunks = (f"{absent}:1:0", f"{foreign}:1:0", f"{shelf.ids['lease.md']}:9:0", "x", "\0")
    told = {
        str(await refused(shelf, GroundingSource(chunk_id=each))).replace(each, "ID")
        for each in chunks
    }
    assert told == {"source 1: there is no chunk ID in this workspace"}


async def refused(shelf: Shelf, *sources: GroundingSource, **more: object) -> InvalidRequest:
    given = more or {"statements": [TRUE]}
    with pytest.raises(InvalidRequest) as caught:
        await shelf.workspace.check_grounding(list(sources), **given)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.hint
    return caught.value


TEXT = GroundingSource(text=LEASE)


@pytest.mark.parametrize(
    ("sources", "more", "said"),
    [
        ([], {}, "there are no sources"),
        ([TEXT], {"statements": []}, "there is neither a statement nor an answer"),
        ([TEXT], {"statements": [TRUE], "answer": TRUE}, "both statements and an answer"),
        ([TEXT], {"answer": "## Rent\n\nIs it so?"}, "the answer holds no statement"),
        ([TEXT], {"statements": [TRUE, "…!"]}, "statement 2 has neither a letter nor a digit"),
        ([TEXT], {"statements": [TRUE, "a\0b"]}, "statement 2 holds a character"),
        ([TEXT], {"statements": ["a\ud800"]}, "statement 1 holds a character"),
        ([TEXT], {"statements": ["x" * 1_001]}, "statement 1 has 1,001 characters, and 1,000"),
        ([TEXT], {"statements": [TRUE] * 101}, "there are 101 statements, and 100"),
        ([TEXT], {"answer": "x " * 10_001}, "answer has 20,002 characters, and 20,000"),
        ([TEXT] * 51, {}, "there are 51 sources, and 50"),
        ([TEXT, GroundingSource()], {}, "source 2 needs exactly one of text, document_id"),
        ([GroundingSource(text="a", chunk_id="b")], {}, "source 1 needs exactly one of"),
        ([TEXT, GroundingSource(text=" \n")], {}, "the text of source 2 is empty"),
        ([GroundingSource(text="a\0")], {}, "the text of source 1 holds a character"),
        ([GroundingSource(text="x" * 300_001)], {}, "the text of source 1 has 300,001 characters"),
        ([GroundingSource(text="x" * 200_000)] * 2, {}, "have 400,000 characters together"),
        ([GroundingSource(text="a", id="")], {}, "the id of source 1 is empty"),
        ([GroundingSource(text="a", id="2"), TEXT], {}, "sources 1 and 2 have the same id '2'"),
        ([GroundingSource(text="a", id="i" * 201)], {}, "the id of source 1 has 201 characters"),
        ([GroundingSource(text="a", title="t\0")], {}, "the title of source 1 holds a character"),
        ([GroundingSource(text=7)], {}, "sources[0].text: it must be text"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
async def test_what_is_wrong_is_named(
    shelf: Shelf, sources: list[GroundingSource], more: dict[str, object], said: str
) -> None:
    assert said in str(await refused(shelf, *sources, **more))


async def test_a_document_without_text_yet_says_so(shelf: Shelf) -> None:
    received = await shelf.other.receive(b"# Waiting\n\nNobody reads it yet.", "waiting.md")
    source = GroundingSource(document_id=received.document.document_id)
    with pytest.raises(InvalidRequest, match="is queued and has no text yet"):
        await shelf.other.check_grounding([source], statements=[TRUE])


@pytest.mark.parametrize(
    "text",
    [
        "no a " * 50_000,
        "1.1" * 90_000,
        "((((" * 60_000,
        "|" * 250_000,
        "Anna Braun " * 20_000,
        "\u202e\u2066" * 100_000 + "rent",
        "[1]" * 80_000,
        "\n" * 290_000 + "x",
    ],
    ids=["denials", "figures", "brackets", "borders", "names", "directions", "markers", "breaks"],
)
async def test_hostile_texts_are_checked_within_bounds(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    statement = text.strip()[:990] if any(map(str.isalnum, text[:900])) else "The rent is 1."
    # What else the machine does takes none of the processor time of this process. Five statements
    # in the time of a check are one in a fifth of it.
    within, before = grounding.CHECK_SECONDS / 5, time.process_time()
    monkeypatch.setattr(grounding, "CHECK_SECONDS", 3600.0)
    found = await shelf.workspace.check_grounding(
        [GroundingSource(text=text)], statements=[statement]
    )
    assert time.process_time() - before < within
    assert [each.text for each in found.claims] == [statement]
    for each in (quote for claim in found.claims for quote in claim.quotes):
        assert each.quote == text[each.char_start : each.char_end]


async def test_marks_of_direction_stay_in_quotes_and_hide_nothing(shelf: Shelf) -> None:
    text = "The rent is \u202e009\u202c euros\u200b."
    [claim] = (
        await shelf.workspace.check_grounding(
            [GroundingSource(text=text)], statements=["The rent is 900 euros."]
        )
    ).claims
    assert claim.verdict is not ClaimVerdict.SUPPORTED
    assert claim.quotes[0].quote == text


async def test_a_check_ends_when_its_time_is_up(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounding, "CHECK_SECONDS", 0.0)
    with pytest.raises(ModelUnavailable, match="1 statements against 1 sources took longer"):
        await shelf.workspace.check_grounding([lease(shelf)], statements=[TRUE])


async def test_the_answer_says_what_judged(settings: Settings, tmp_path: Path) -> None:
    broken = tmp_path / "reader.safetensors"
    broken.write_bytes(b"these are no weights")
    without = settings.model_copy(update={"reader": "none"})
    async with await open_engine(without) as engine:
        workspace = await engine.workspace()
        found = await workspace.check_grounding([TEXT], statements=["The rent is 900."])
        assert (found.judge, found.degraded) == ("rules", ())
    with_broken = settings.model_copy(update={"reader": str(broken)})
    async with await open_engine(with_broken) as engine:
        workspace = await engine.workspace()
        found = await workspace.check_grounding([TEXT], statements=["The rent is 900."])
        assert found.judge == "rules"
        assert found.claims[0].decided_by is DecidedBy.RULES
        (note,) = found.degraded
        assert note.startswith("grounding: not judged, ")
        assert "does not hold the weights of a reader" in note
    with pytest.raises(NotReady):
        await workspace.check_grounding([TEXT], statements=["The rent is 900."])
