"""Sentences held against their quotes: what a reader says of them, exact values, and the laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from footnote.answering.cite import Footnotes
from footnote.answering.grounding import Grounded, Grounder, SupportGrounder
from footnote.answering.sentences import candidates_of
from footnote.answering.support import confidence_of
from footnote.domain import AnswerSentence, BlockKind, Citation, Evidence, Verdict
from footnote.errors import ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.reader import PackagedReader
from footnote.models.reader_roles import ReaderJudge
from footnote.ports import Judge

from .factories import make_evidence, make_passage

UNREAD = SupportGrounder(analyzer=TextAnalyzer(), judge=None)
LEASE = (
    "The monthly rent of the flat in Basel is 1,200 EUR and is due on 3 June 2024. "
    "Pets are not allowed without the consent of Anna Braun."
)


@dataclass(slots=True)
class ScriptedJudge:
    """Gives everything the same score, or refuses."""

    score: float
    refuses: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    async def __call__(self, statements: Sequence[str], quotes: Sequence[str]) -> list[float]:
        self.asked += zip(statements, quotes, strict=True)
        if self.refuses:
            raise ModelUnavailable("the judge is away")
        return [self.score for _ in statements]


def quoting(quote: str, *, marker: int = 1, name: str = "lease") -> Citation:
    return Citation(
        marker=marker,
        chunk_id=f"{name}-0",
        document_id=uuid5(NAMESPACE_URL, name),
        document_title=name.title(),
        filename=f"{name}.pdf",
        heading_path=(),
        page=1,
        paragraph=1,
        quote=quote,
        char_start=0,
        char_end=len(quote),
    )


def stating(text: str, *markers: int) -> AnswerSentence:
    return AnswerSentence(text=text, markers=markers or (1,), support=0.0)


def evidence_of(text: str, language: str = "en", name: str = "lease") -> list[Evidence]:
    return make_evidence(replace(make_passage(text, name=name), language=language))


def judged_by(score: float, *, refuses: bool = False) -> SupportGrounder:
    judge: Judge = ScriptedJudge(score=score, refuses=refuses)
    return SupportGrounder(analyzer=TextAnalyzer(), judge=judge)


@pytest.fixture
def read(packaged_reader: PackagedReader) -> SupportGrounder:
    """As Footnote grounds what a model writes: the packaged reader judges."""
    return SupportGrounder(analyzer=TextAnalyzer(), judge=ReaderJudge(reader=packaged_reader))


async def grounded(
    statement: str, quote: str, *, language: str = "en", ground: Grounder = UNREAD
) -> AnswerSentence:
    result = await ground([stating(statement)], [quoting(quote)], evidence_of(quote, language))
    return result.sentences[0]


# --- what a reader would say -----------------------------------------------------------------

AGREEING = [
    ("en", "The rent is 1200 EUR a month.", "The monthly rent is 1,200 EUR."),
    ("en", "The rent is €1,200.", "Rent: 1 200 EUR"),
    ("en", "Twenty-five people signed it.", "It was signed by 25 people."),
    ("en", "It costs 1.2 million dollars.", "It costs $1,200,000."),
    ("en", "The lease ends on June 3, 2024.", "The lease ends on 03.06.2024."),
    (
        "en",
        "The notice must be at least three months.",
        "The notice must be no less than 3 months.",
    ),
    ("de", "Die Miete beträgt 1.200 Euro im Monat.", "Die Miete beträgt monatlich 1200,00 EUR."),
    ("de", "Der Vertrag endet am 3. Juni 2024.", "Der Vertrag endet am 03.06.2024."),
    ("de", "Fünfundzwanzig Mieter haben zugestimmt.", "25 Mieter haben zugestimmt."),
    ("es", "El alquiler es de 1.200 euros.", "El alquiler mensual es de 1200 euros."),
    ("es", "El contrato termina el 3 de junio de 2024.", "El contrato termina el 03/06/2024."),
    ("fr", "Le loyer est de 1 200 euros.", "Le loyer mensuel est de 1200 euros."),
    ("fr", "Le bail finit le 3 juin 2024.", "Le bail finit le 03.06.2024."),
    ("it", "L'affitto è di 1200 euro.", "L'affitto mensile è di 1.200 euro."),
    ("zh", "租赁合同于2024年6月3日到期。", "租赁合同于2024年6月3日到期，届时须归还钥匙。"),
]
OTHER_VALUES = [
    ("en", "The rent is 1,300 EUR.", "The monthly rent is 1,200 EUR."),
    ("en", "The rent is 1,200 USD.", "The monthly rent is 1,200 EUR."),
    ("en", "Three people signed it.", "It was signed by seven people."),
    ("en", "The lease ends on 4 June 2024.", "The lease ends on 3 June 2024."),
    ("en", "The lease ends in July 2024.", "The lease ends on 3 June 2024."),
    ("en", "The contract was signed by Peter Maier.", "The contract was signed by Anna Braun."),
    ("en", "Policy POL-2024/88-B covers floods.", "Policy POL-2024/88-A covers floods."),
    ("de", "Die Miete beträgt 1.300 Euro.", "Die Miete beträgt 1.200 Euro."),
    ("zh", "租金为每月1300元。", "租金为每月1200元。"),
]
CONTRADICTING = [
    ("en", "Pets are allowed in the flat.", "Pets are not allowed in the flat."),
    ("en", "The flood is not covered by the policy.", "The flood is covered by the policy."),
    ("en", "The notice is at most three months.", "The notice is at least three months."),
    ("en", "The contract is unlawful.", "The contract is lawful and in force."),
    ("de", "Haustiere sind erlaubt.", "Haustiere sind nicht erlaubt."),
    ("de", "Der Schaden ist nicht versichert.", "Der Schaden ist versichert."),
    ("de", "Die Frist beträgt höchstens drei Monate.", "Die Frist beträgt mindestens drei Monate."),
    ("es", "El seguro no cubre las inundaciones.", "El seguro cubre las inundaciones."),
    ("es", "El plazo es como máximo de tres meses.", "El plazo es al menos de tres meses."),
    ("fr", "L'assurance ne couvre pas les inondations.", "L'assurance couvre les inondations."),
    ("fr", "Le délai est d'au plus trois mois.", "Le délai est d'au moins trois mois."),
    ("it", "La polizza non copre le alluvioni.", "La polizza copre le alluvioni."),
    ("it", "Il termine è al massimo di tre mesi.", "Il termine è almeno di tre mesi."),
    ("zh", "该保险不承保洪水损失。", "该保险承保洪水损失。"),
    ("zh", "通知期最多三个月。", "通知期至少三个月。"),
]


@pytest.mark.parametrize(("language", "statement", "quote"), AGREEING)
async def test_the_same_fact_written_otherwise_is_supported(
    language: str, statement: str, quote: str, read: SupportGrounder
) -> None:
    sentence = await grounded(statement, quote, language=language, ground=read)
    assert sentence.verdict is Verdict.SUPPORTED, sentence.support


@pytest.mark.parametrize(("language", "statement", "quote"), CONTRADICTING)
async def test_what_the_quote_contradicts_is_unsupported(
    language: str, statement: str, quote: str, read: SupportGrounder
) -> None:
    sentence = await grounded(statement, quote, language=language, ground=read)
    assert sentence.verdict is Verdict.UNSUPPORTED, sentence.support


@pytest.mark.parametrize(("language", "statement", "quote"), OTHER_VALUES)
@pytest.mark.parametrize("ground", [UNREAD, judged_by(1.0)], ids=["unread", "believed"])
async def test_another_value_is_unsupported_whoever_judges(
    language: str, statement: str, quote: str, ground: SupportGrounder
) -> None:
    sentence = await grounded(statement, quote, language=language, ground=ground)
    assert sentence.verdict is Verdict.UNSUPPORTED, sentence.support


async def test_a_quote_about_something_else_supports_nothing(read: SupportGrounder) -> None:
    statement = "Employees receive thirty days of holiday."
    sentence = await grounded(statement, "The boiler was serviced in the spring.", ground=read)
    assert sentence.verdict is Verdict.UNSUPPORTED


async def test_less_than_a_whole_sentence_is_not_taken_for_the_quote() -> None:
    quote = "It is false that pets are allowed."
    sentence = await grounded("Pets are allowed", quote, ground=judged_by(0.1))
    assert sentence.support == 0.1


async def test_shared_words_alone_never_support() -> None:
    quote = "Pets are not allowed in the flat without the consent of the landlord."
    sentence = await grounded("Pets are allowed in the flat without consent.", quote)
    assert sentence.verdict is Verdict.PARTLY


async def test_a_figure_of_the_passage_around_the_quote_is_no_other_value() -> None:
    evidence = evidence_of("The lease was signed by Anna Braun in 2021. It ends after five years.")
    sentences = [
        stating("The lease signed in 2021 ends after five years."),
        stating("The lease signed in 2019 ends after five years."),
    ]
    quotes = [quoting("It ends after five years.")]
    result = await judged_by(1.0)(sentences, quotes, evidence)
    assert [each.verdict for each in result.sentences] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]


async def test_a_statement_of_two_quotes_needs_both(read: SupportGrounder) -> None:
    one = "The rent is 1,200 EUR."
    other = "The deposit is 3,600 EUR."
    evidence = evidence_of(f"{one} {other}")
    statement = stating("The rent is 1,200 EUR and the deposit 3,600 EUR.")
    both = await read([statement], [quoting(one), quoting(other)], evidence)
    assert both.sentences[0].verdict is Verdict.SUPPORTED
    single = await read([statement], [quoting(one)], evidence_of(one))
    assert single.sentences[0].verdict is not Verdict.SUPPORTED


async def test_a_row_of_a_table_is_supported_as_an_extractive_answer_shows_it() -> None:
    table = "| City | Rent |\n|---|---|\n| Basel | 1,200 |\n| Bern | 1,100 |"
    evidence = make_evidence(make_passage(table, kinds=[BlockKind.TABLE]))
    candidates = candidates_of(evidence)
    footnotes = Footnotes()
    result = await UNREAD(
        [
            stating(
                each.statement,
                footnotes.citation(each.evidence.passage, each.start, each.end).marker,
            )
            for each in candidates
        ],
        footnotes.citations,
        evidence,
    )
    assert [each.support for each in result.sentences] == [1.0, 1.0]


async def test_a_statement_in_another_language_than_its_quote_needs_its_figures(
    read: SupportGrounder,
) -> None:
    quote = "Die Miete der Wohnung in Basel beträgt 1.200 Euro und ist am 3. Juni 2024 fällig."
    right, wrong = [
        await grounded(f"The rent in Basel is {rent} EUR.", quote, language="de", ground=read)
        for rent in ("1,200", "1,300")
    ]
    assert right.support > wrong.support
    assert wrong.verdict is Verdict.UNSUPPORTED


# --- the laws --------------------------------------------------------------------------------

WORDS = st.sampled_from(
    "rent lease Basel Anna notice covers not without flood policy before at least three never "
    "tenant pays deposit landlord 1,200 2024 3.5 88 EUR % POL-2024/88-A".split()
)
SENTENCES = st.lists(WORDS, min_size=3, max_size=14).map(lambda words: f"{' '.join(words)}.")
FIGURES = st.integers(2, 99_999).map(lambda number: f"{number:,}")


@given(SENTENCES)
@settings(max_examples=60)
async def test_a_sentence_that_is_its_quote_is_supported(text: str) -> None:
    sentence = await grounded(text, text)
    assert (sentence.support, sentence.verdict) == (1.0, Verdict.SUPPORTED)


@given(
    FIGURES,
    st.integers(0, 4),
    st.integers(1, 9),
    st.lists(st.booleans(), min_size=13, max_size=13),
    st.booleans(),
)
@settings(max_examples=80)
async def test_changing_a_digit_never_raises_support(
    figure: str, place: int, step: int, kept: list[bool], believed: bool
) -> None:
    words = f"The monthly rent of the flat in Basel is {figure} EUR plus heating".split()
    quote = " ".join(words) + "."
    said = [word for word, keep in zip(words, kept, strict=True) if keep or word == figure]
    digits = [at for at, character in enumerate(figure) if character.isdigit()]
    at = digits[place % len(digits)]
    changed = figure[:at] + str((int(figure[at]) + step) % 10) + figure[at + 1 :]
    assume(changed != figure)
    ground = judged_by(1.0) if believed else UNREAD
    true = await grounded(" ".join(said) + " today.", quote, ground=ground)
    false = await grounded(
        " ".join(said).replace(figure, changed) + " today.", quote, ground=ground
    )
    assert false.support <= true.support
    assert false.verdict is not Verdict.SUPPORTED


@given(st.permutations(range(4)), st.booleans())
@settings(max_examples=24)
async def test_the_order_of_citations_does_not_matter(order: list[int], believed: bool) -> None:
    quotes = [
        "The monthly rent is 1,200 EUR.",
        "Pets are not allowed.",
        "The lease ends on 3 June 2024.",
        "Anna Braun is the landlord.",
    ]
    citations = [quoting(quote, name=f"lease-{at}") for at, quote in enumerate(quotes)]
    evidence = make_evidence(
        *(make_passage(quote, name=f"lease-{at}") for at, quote in enumerate(quotes))
    )
    ground = judged_by(0.9) if believed else UNREAD
    sentences = [stating("Anna Braun asks 1,200 EUR until June 2024.")]
    straight = await ground(sentences, citations, evidence)
    shuffled = await ground(sentences, [citations[at] for at in order], evidence[::-1])
    assert straight == shuffled


@given(st.text(max_size=120), st.text(max_size=200))
@settings(max_examples=75)
async def test_any_text_has_a_support_from_zero_to_one(statement: str, quote: str) -> None:
    sentence = await grounded(statement, quote)
    assert 0.0 <= sentence.support <= 1.0
    assert (sentence.verdict is Verdict.UNCITED) == (not quote.strip())


@pytest.mark.parametrize(
    "citations", [[], [quoting("The rent is due.", marker=2)], [quoting("  ")]]
)
async def test_without_a_quote_a_sentence_is_uncited(citations: list[Citation]) -> None:
    result = await UNREAD([stating("The rent is due.")], citations, evidence_of(LEASE))
    assert result.sentences[0].verdict is Verdict.UNCITED
    assert result.sentences[0].support == 0.0
    assert result.confidence == 0.0


async def test_only_support_and_verdict_differ_from_what_was_given() -> None:
    given_ = [stating("The rent is 1,200 EUR."), stating("It is so.", 7), stating("Pets?", 1)]
    result = await UNREAD(given_, [quoting(LEASE)], evidence_of(LEASE))
    assert [replace(each, support=0.0, verdict=Verdict.UNCITED) for each in result.sentences] == [
        replace(each, verdict=Verdict.UNCITED) for each in given_
    ]


async def test_an_empty_answer_has_no_confidence() -> None:
    assert await UNREAD([], [], []) == Grounded(sentences=(), confidence=0.0)


@given(st.lists(st.floats(0.05, 1), min_size=1, max_size=6))
def test_the_confidence_lies_between_the_product_of_the_supports_and_the_geometric_mean(
    supports: list[float],
) -> None:
    confidence = confidence_of(supports, 0)
    assert math.prod(supports) <= confidence + 1e-9
    assert confidence <= math.prod(supports) ** (1 / len(supports)) + 1e-9
    if len(supports) == 1:
        assert confidence == pytest.approx(supports[0])


async def test_confidence_falls_with_every_doubt() -> None:
    quotes = [quoting(LEASE)]
    evidence = evidence_of(LEASE)
    sound = stating(LEASE.split(". ", maxsplit=1)[0] + ".")
    doubtful = stating("The tenant pays the rent of 1,200 EUR for parking.")
    false = stating("The monthly rent is 1,300 EUR.")
    chances = [
        (await UNREAD(sentences, quotes, evidence)).confidence
        for sentences in ([sound], [sound, doubtful], [sound, doubtful, false])
    ]
    assert 1.0 >= chances[0] > chances[1] > chances[2] >= 0.0


@pytest.mark.parametrize(
    ("uncited", "same"),
    [
        ("Here is what the lease says:", True),
        ("That is all.", True),
        ("Parking costs 90 EUR.", False),
    ],
)
async def test_confidence_falls_with_what_is_claimed_without_a_citation(
    uncited: str, same: bool
) -> None:
    cited = stating(LEASE.split(". ", maxsplit=1)[0] + ".")
    alone = await UNREAD([cited], [quoting(LEASE)], evidence_of(LEASE))
    more = await UNREAD([cited, stating(uncited, 9)], [quoting(LEASE)], evidence_of(LEASE))
    assert (more.confidence == alone.confidence) is same


# --- judges ------------------------------------------------------------------------------------


async def test_a_judge_reads_what_is_not_verbatim_below_its_title() -> None:
    judge = ScriptedJudge(score=1.0)
    quote = "The boiler was serviced in spring."
    await SupportGrounder(analyzer=TextAnalyzer(), judge=judge)(
        [stating(quote), stating("Somebody looked after the heating.")],
        [quoting(quote)],
        evidence_of(quote),
    )
    assert judge.asked == [("Somebody looked after the heating.", f"Lease\n{quote}")]


async def test_a_judge_reads_equal_figures_and_dates_as_the_quote_spells_them() -> None:
    judge = ScriptedJudge(score=1.0)
    quote = "Since 03.06.2024 the rent is 1,200 EUR, and 25 tenants pay it."
    statement = "From June 3, 2024 twenty-five tenants pay 1200 EUR; 24 paid 1,100 EUR."
    await grounded(statement, quote, ground=SupportGrounder(analyzer=TextAnalyzer(), judge=judge))
    assert [asked for asked, _ in judge.asked] == [
        "From 03.06.2024 25 tenants pay 1,200 EUR; 24 paid 1,100 EUR."
    ]


@pytest.mark.parametrize("score", [0.0, 0.4, 0.95])
async def test_support_is_what_the_judge_says(score: float) -> None:
    quote = "The boiler was serviced in spring by the landlord."
    statement = "The landlord had the boiler looked after."
    sentence = await grounded(statement, quote, ground=judged_by(score))
    assert sentence.support == score


async def test_a_judge_that_is_away_is_named_and_leaves_it_to_words() -> None:
    quote = "The boiler was serviced in spring."
    sentences, citations = [stating("The heating was serviced.")], [quoting(quote)]
    away = await judged_by(1.0, refuses=True)(sentences, citations, evidence_of(quote))
    alone = await UNREAD(sentences, citations, evidence_of(quote))
    assert away.sentences == alone.sentences
    assert away.degraded == ("grounding: not judged, the judge is away",)
    assert alone.degraded == ()
