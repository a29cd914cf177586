"""Claims get verdicts, quotes that stand where they say, and the guards that decided."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.claim_extraction import Claim, claim_of, claims_of
from footnote.answering.claim_verification import RULES, ClaimVerifier, Origin
from footnote.answering.source_texts import PIECE_CHARACTERS, passages_of
from footnote.domain.grounding import ClaimCheck, ClaimVerdict, DecidedBy, GuardKind, QuoteRelation
from footnote.errors import ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.reader import PackagedReader
from footnote.models.testing import HashEmbedder, WordReader
from footnote.ports import SupportProbabilities

POLICY = """\
Marine policy POL-88213-X

A claim must be reported to the insurer within 14 days of the loss. The deductible is 2,500 euros \
for each loss. Earthquakes are not covered.

Signed by Anna Braun on 3 May 2024 in Hamburg.

| City | Rent |
|---|---|
| Basel | 1,450 |
| Bern | 1,200 |
"""
ANALYZER = TextAnalyzer()
SUPPORTED, CONTRADICTED, NOT_SUPPORTED = ClaimVerdict


async def checked(
    claims: Sequence[Claim] | str,
    text: str = POLICY,
    *,
    language: str | None = "en",
    title: str = "Policy",
    check: ClaimVerifier | None = None,
) -> list[ClaimCheck]:
    check = check or ClaimVerifier(analyzer=ANALYZER)
    given_claims = [claim_of(claims)] if isinstance(claims, str) else claims
    passages = passages_of(text, source=1, title=title, language=language)
    origins = {each.chunk_id: Origin(source_id="policy", is_from_request=True) for each in passages}
    found = await check(given_claims, [passages for _ in given_claims], origins)
    return list(found.claims)


# --- verdicts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "verdict", "decided_by", "guard"),
    [
        ("Earthquakes are not covered.", SUPPORTED, DecidedBy.VERBATIM, None),
        (
            "Claims must be reported to the insurer within fourteen days.",
            SUPPORTED,
            DecidedBy.JUDGE,
            None,
        ),
        (
            "Claims have to be reported within 30 days of the loss.",
            CONTRADICTED,
            DecidedBy.GUARDS,
            (GuardKind.NUMBER, "30"),
        ),
        (
            "It was signed on 5 May 2024 by Anna Braun.",
            CONTRADICTED,
            DecidedBy.GUARDS,
            (GuardKind.DATE, "5 May 2024"),
        ),
        (
            "The policy number is POL-88214-X.",
            CONTRADICTED,
            DecidedBy.GUARDS,
            (GuardKind.IDENTIFIER, "POL-88214-X"),
        ),
        (
            "Peter Klein signed it on 3 May 2024.",
            CONTRADICTED,
            DecidedBy.GUARDS,
            (GuardKind.NAME, "Klein"),
        ),
        ("The policy covers earthquakes.", CONTRADICTED, DecidedBy.JUDGE, None),
        ("Volcanoes erupt under glaciers.", NOT_SUPPORTED, DecidedBy.NO_QUOTE, None),
        ("Rent in Basel is 1,450.", SUPPORTED, DecidedBy.JUDGE, None),
        (
            "Rent in Basel is 1,200.",
            CONTRADICTED,
            DecidedBy.GUARDS,
            (GuardKind.NUMBER, "1,200"),
        ),
    ],
)
async def test_a_claim_gets_its_verdict_and_what_decided(
    statement: str,
    verdict: ClaimVerdict,
    decided_by: DecidedBy,
    guard: tuple[GuardKind, str] | None,
    packaged_reader: PackagedReader,
) -> None:
    [claim] = await checked(
        statement, check=ClaimVerifier(analyzer=ANALYZER, reader=packaged_reader)
    )
    assert (claim.verdict, claim.decided_by) == (verdict, decided_by)
    assert (guard is None) == (claim.guards == ())
    assert guard is None or guard in [(each.kind, each.text) for each in claim.guards]


ROOMS = """\
| Room | Price | Deposit |
|---|---|---|
| Attic | 90 | 20 |
| Cellar | 40 | 10 |
| Great hall | 120 | 50 |
| Hall | 110 | 45 |
"""
MATTERS = """\
| Matter | Agreed |
|---|---|
| Rent | 840 euros |
| Rent due | on the third working day |
| Landlord | Ute Brand |
"""


@pytest.mark.parametrize(
    ("table", "statement", "verdict"),
    [
        (ROOMS, "The price of the cellar is 40.", SUPPORTED),
        (ROOMS, "The price of the cellar is 90.", CONTRADICTED),
        (ROOMS, "The price of the attic is 120.", CONTRADICTED),
        (ROOMS, "The deposit for the great hall is 50.", SUPPORTED),
        (ROOMS, "The deposit for the great hall is 45.", CONTRADICTED),
        (ROOMS, "The prices of the attic and the cellar are 90 and 40.", SUPPORTED),
        (ROOMS, "One room has a price of 120.", SUPPORTED),
        (MATTERS, "The rent is due on the third working day.", SUPPORTED),
        (MATTERS, "The rent is 840 euros, and the landlord is Ute Brand.", SUPPORTED),
    ],
)
async def test_what_is_said_of_a_row_of_a_table_is_not_borne_out_by_another(
    table: str, statement: str, verdict: ClaimVerdict
) -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer())
    [claim] = await checked(statement, table, title="Rooms and matters", check=check)
    assert claim.verdict is verdict


async def test_a_year_in_the_title_dates_what_is_below() -> None:
    text = "The club had 31 members when the season ended."
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer())
    for statement, right in (
        ("In 2024 the club had 31 members.", True),
        ("In 2024 the club had 30 members.", False),
        ("In 2023 the club had 31 members.", False),
    ):
        [claim] = await checked(statement, text, title="Annual report 2024", check=check)
        assert (claim.verdict is SUPPORTED) == right, statement


@pytest.mark.parametrize(
    ("language", "text", "true", "false"),
    [
        (
            "de",
            "Die Miete beträgt 1.450 Euro im Monat. Haustiere sind nicht erlaubt.",
            "Im Monat beträgt die Miete 1450 Euro.",
            "Die Miete beträgt 1.540 Euro im Monat.",
        ),
        (
            "es",
            "El alquiler es de 1.450 euros al mes. No se permiten animales.",
            "Al mes el alquiler es de 1450 euros.",
            "El alquiler es de 1.540 euros al mes.",
        ),
        (
            "fr",
            "Le loyer est de 1 450 euros par mois. Les animaux sont interdits.",
            "Le loyer par mois est de 1450 euros.",
            "Le loyer est de 1 540 euros par mois.",
        ),
        (
            "zh",
            "每月租金为1450欧元。不允许养宠物。",
            "租金为每月1450欧元。",
            "每月租金为1540欧元。",
        ),
    ],
)
async def test_an_altered_figure_is_told_in_several_languages(
    language: str, text: str, true: str, false: str, packaged_reader: PackagedReader
) -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=packaged_reader)
    claims = [claim_of(true), claim_of(false)]
    [right, wrong] = await checked(claims, text, language=language, check=check)
    assert right.verdict is SUPPORTED
    assert wrong.verdict is CONTRADICTED
    assert [each.kind for each in wrong.guards] == [GuardKind.NUMBER]


@pytest.mark.parametrize(
    ("text", "language", "statement", "verdict"),
    [
        ("The rent is due in March.", "en", "The rent is due in May.", CONTRADICTED),
        ("The rent is due in May.", "en", "The rent is due in March.", CONTRADICTED),
        ("The rent is due in May.", "en", "The rent is due in May", SUPPORTED),
        ("It is due by March each year.", "en", "It is due in March each year.", SUPPORTED),
        ("It ends on 3 May 2024.", "en", "It ends in May.", SUPPORTED),
        ("Die Miete wird im März fällig.", "de", "Die Miete wird im Mai fällig.", CONTRADICTED),
        ("Le loyer est payé en mai.", "fr", "Le loyer est payé en mars.", CONTRADICTED),
        ("Tenants may march in line.", "en", "Tenants may march in line", SUPPORTED),
    ],
)
async def test_a_claim_has_the_month_of_its_quote_or_does_not_hold(
    text: str,
    language: str,
    statement: str,
    verdict: ClaimVerdict,
    packaged_reader: PackagedReader,
) -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=packaged_reader)
    [claim] = await checked(statement, text, language=language, check=check)
    assert claim.verdict is verdict


async def test_no_judge_lifts_a_claim_over_another_month() -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer())
    [claim] = await checked("Rent is due in May.", "The rent is due in March.", check=check)
    assert claim.verdict is not SUPPORTED
    assert [(each.kind, each.text) for each in claim.guards] == [(GuardKind.DATE, "May")]


async def test_across_languages_a_figure_still_decides() -> None:
    [right, wrong] = await checked(
        [
            claim_of("Ein Schaden muss innerhalb von 14 Tagen gemeldet werden."),
            claim_of("Ein Schaden muss innerhalb von 30 Tagen gemeldet werden."),
        ],
        check=ClaimVerifier(analyzer=ANALYZER, embedder=HashEmbedder()),
    )
    assert right.supported > wrong.supported
    assert right.guards == ()
    assert wrong.verdict is not SUPPORTED


async def test_two_sources_that_disagree_are_both_quoted() -> None:
    text = "The notice period is 30 days.\n\nThe notice period is 60 days."
    [claim] = await checked("The notice period is 30 days.", text)
    assert claim.verdict is SUPPORTED
    assert [each.relation for each in claim.quotes] == [
        QuoteRelation.SUPPORTS,
        QuoteRelation.CONTRADICTS,
    ]


async def test_what_two_places_say_together_supports_a_claim(
    packaged_reader: PackagedReader,
) -> None:
    text = "The tenant repaints the hull once a year.\n\nThe tenant insures the boat."
    check = ClaimVerifier(analyzer=ANALYZER, reader=packaged_reader)
    [claim] = await checked("The tenant repaints the hull and insures the boat.", text, check=check)
    assert claim.verdict is SUPPORTED
    assert {each.quote for each in claim.quotes} == set(text.split("\n\n"))


# --- judges -----------------------------------------------------------------------------------


async def test_a_reader_judges_where_there_is_one() -> None:
    [claim] = await checked(
        "Earthquakes are covered.", check=ClaimVerifier(analyzer=ANALYZER, reader=WordReader())
    )
    assert claim.decided_by is DecidedBy.JUDGE
    assert claim.guards == ()


async def test_no_judge_lifts_a_claim_over_an_exact_value() -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer())
    [claim] = await checked("Claims have to be reported within 30 days of the loss.", check=check)
    assert claim.verdict is CONTRADICTED
    assert claim.decided_by is DecidedBy.GUARDS


async def test_a_judge_of_support_alone_is_believed_where_no_exact_value_is_amiss() -> None:
    check = ClaimVerifier(analyzer=ANALYZER, judge=Scorer())
    [right, wrong] = await checked(
        [claim_of("Fourteen days is the limit for claims."), claim_of("Earthquakes are covered.")],
        check=check,
    )
    assert right.verdict is SUPPORTED
    assert (wrong.verdict, wrong.decided_by) == (SUPPORTED, DecidedBy.JUDGE)


async def test_a_judge_that_fails_leaves_it_to_words_and_says_so() -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer(fails=True))
    passages = passages_of(POLICY, source=1)
    origins = {each.chunk_id: Origin(source_id="1", is_from_request=True) for each in passages}
    found = await check(
        [claim_of("Claims are reported within fourteen days.")], [passages], origins
    )
    assert found.judge == RULES
    assert found.claims[0].decided_by is DecidedBy.RULES
    assert found.degraded == ("grounding: not judged, it is away",)


async def test_a_judge_that_takes_too_long_leaves_the_rest_to_words() -> None:
    check = ClaimVerifier(analyzer=ANALYZER, reader=Believer(waits=True), judge_seconds=0.01)
    passages = passages_of(POLICY, source=1)
    origins = {each.chunk_id: Origin(source_id="1", is_from_request=True) for each in passages}
    found = await check(
        [claim_of("Claims are reported within fourteen days.")], [passages], origins
    )
    assert found.claims[0].decided_by is DecidedBy.RULES
    assert "0 of 1" in found.degraded[0]
    assert found.judge == RULES


async def test_words_and_figures_are_compared_beside_the_event_loop() -> None:
    analyzer = Watching()
    await checked("Claims are reported within 14 days.", check=ClaimVerifier(analyzer=analyzer))
    assert analyzer.threads
    assert threading.main_thread().name not in analyzer.threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Believer(WordReader):
    """A reader that believes everything, fails, or never comes back."""

    fails: bool = False
    waits: bool = False

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        if self.fails:
            raise ModelUnavailable("it is away")
        if self.waits:
            await asyncio.Event().wait()
        return [
            SupportProbabilities(supported=0.99, contradicted=0.005, neither=0.005)
            for _ in statements
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A judge that believes everything, as language models tell it: support and no more."""

    name: str = "scorer"

    async def __call__(self, statements: Sequence[str], quotes: Sequence[str]) -> list[float]:
        return [0.99 for _ in statements]


@dataclass(frozen=True, slots=True)
class Watching(TextAnalyzer):
    """An analyzer that remembers in which threads it works."""

    threads: set[str] = field(default_factory=set)

    def terms(self, text: str, language: str | None) -> list[str]:
        self.threads.add(threading.current_thread().name)
        return TextAnalyzer.terms(self, text, language)


# --- laws -------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    "claim policy 14 30 days Anna Braun not covered POL-88213-X 1,450 Basel . , \n \n\n | – \u202e "
    "\u200b é 每月 租金 🦊 [1] # - : ?".split(" ")
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=120)


@given(text=TEXTS)
def test_passages_of_a_text_are_its_slices_and_leave_out_white_space_alone(text: str) -> None:
    passages = passages_of(text, source=1)
    reached = 0
    for each in passages:
        assert each.text == text[each.char_start : each.char_end]
        assert each.text.strip() == each.text != ""
        assert not text[reached : each.char_start].strip()
        reached = each.char_end
    assert not text[reached:].strip()


@pytest.mark.parametrize(
    "text",
    ["x" * 10_000, "word " * 5_000, "A sentence of it. " * 900, "|a|b|\n" * 2_000, "\n" * 9_000],
    ids=["one word", "no full stop", "sentences", "a table", "line breaks"],
)
def test_no_passage_is_longer_than_a_chunk_may_be(text: str) -> None:
    passages = passages_of(text, source=1)
    assert all(len(each.text) <= PIECE_CHARACTERS for each in passages)
    assert "".join("".join(each.text.split()) for each in passages) == "".join(text.split())


@given(answer=TEXTS)
def test_the_claims_of_an_answer_are_its_slices_in_order(answer: str) -> None:
    reached = 0
    for claim in claims_of(answer):
        assert claim.start is not None
        assert claim.end is not None
        assert claim.text == answer[claim.start : claim.end]
        assert claim.start >= reached
        assert any(map(str.isalnum, claim.words))
        reached = claim.end


def test_markers_headings_and_what_leads_on_are_no_claims() -> None:
    answer = "## Rent\n\nIt says:\n\n- The rent is 900 [1]. It rose in [2019].\n- Due soon. [2][3]"
    assert [(each.text, each.words) for each in claims_of(answer)] == [
        ("The rent is 900 [1].", "The rent is 900."),
        ("It rose in [2019].", "It rose in [2019]."),
        ("Due soon. [2][3]", "Due soon."),
    ]


@given(statements=st.lists(TEXTS, min_size=1, max_size=4), text=TEXTS)
async def test_every_claim_keeps_its_place_and_every_quote_stands_where_it_says(
    statements: list[str], text: str
) -> None:
    found = await checked([claim_of(each) for each in statements], text, language=None)
    assert [each.text for each in found] == statements
    assert [each.number for each in found] == list(range(1, len(statements) + 1))
    for each in found:
        assert each.supported + each.contradicted + each.neither == pytest.approx(1)
        assert 0 <= each.probability <= 1
        assert (each.quotes == ()) == (each.decided_by is DecidedBy.NO_QUOTE)
        for quote in each.quotes:
            assert quote.quote == text[quote.char_start : quote.char_end] != ""
            assert 0 <= quote.supported <= 1
        if each.verdict is SUPPORTED:
            assert each.guards == ()
