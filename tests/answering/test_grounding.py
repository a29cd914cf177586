"""Sentences held against their quotes: what supports them, what contradicts them, and the laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from footnote.answering.cite import Footnotes
from footnote.answering.grounding import EMBEDDED_TEXTS, Ground, Grounded, Grounds
from footnote.answering.sentences import candidates_of
from footnote.domain import AnswerSentence, BlockKind, Citation, Evidence, Verdict
from footnote.errors import LaneUnavailable, ModelUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import HashEmbedder
from footnote.ports import Judge, Vectors

from .factories import make_evidence, make_passage

BY_WORDS = Ground(embedder=None, analyzer=TextAnalyzer())
LEASE = (
    "The monthly rent of the flat in Basel is 1,200 EUR and is due on 3 June 2024. "
    "Pets are not allowed without the consent of Anna Braun."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingEmbedder(HashEmbedder):
    """Remembers what it was asked, or refuses."""

    batches: list[list[str]] = field(default_factory=list)
    refuses: bool = False

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        if self.refuses:
            raise LaneUnavailable("the model is away")
        return self.encode(texts)


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


async def grounded(
    statement: str, quote: str, *, language: str = "en", ground: Grounds = BY_WORDS
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
    ("en", "Half of the members voted.", "50 % of the members voted."),
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
    ("zh", "合同于2024年6月3日到期。", "租赁合同于2024年6月3日到期，届时须归还钥匙。"),
]
CONTRADICTING = [
    ("en", "The rent is 1,300 EUR.", "The monthly rent is 1,200 EUR."),
    ("en", "The rent is 1,200 USD.", "The monthly rent is 1,200 EUR."),
    ("en", "Three people signed it.", "It was signed by seven people."),
    ("en", "The lease ends on 4 June 2024.", "The lease ends on 3 June 2024."),
    ("en", "The lease ends in July 2024.", "The lease ends on 3 June 2024."),
    ("en", "Pets are allowed in the flat.", "Pets are not allowed in the flat."),
    ("en", "The flood is not covered by the policy.", "The flood is covered by the policy."),
    ("en", "The notice is at most three months.", "The notice is at least three months."),
    ("en", "The contract is unlawful.", "The contract is lawful and in force."),
    ("en", "The contract was signed by Peter Maier.", "The contract was signed by Anna Braun."),
    ("en", "Policy POL-2024/88-B covers floods.", "Policy POL-2024/88-A covers floods."),
    ("de", "Haustiere sind erlaubt.", "Haustiere sind nicht erlaubt."),
    ("de", "Der Schaden ist nicht versichert.", "Der Schaden ist versichert."),
    ("de", "Die Frist beträgt höchstens drei Monate.", "Die Frist beträgt mindestens drei Monate."),
    ("de", "Die Miete beträgt 1.300 Euro.", "Die Miete beträgt 1.200 Euro."),
    ("es", "El seguro no cubre las inundaciones.", "El seguro cubre las inundaciones."),
    ("es", "El plazo es como máximo de tres meses.", "El plazo es al menos de tres meses."),
    ("fr", "L'assurance ne couvre pas les inondations.", "L'assurance couvre les inondations."),
    ("fr", "Le délai est d'au plus trois mois.", "Le délai est d'au moins trois mois."),
    ("it", "La polizza non copre le alluvioni.", "La polizza copre le alluvioni."),
    ("it", "Il termine è al massimo di tre mesi.", "Il termine è almeno di tre mesi."),
    ("zh", "该保险不承保洪水损失。", "该保险承保洪水损失。"),
    ("zh", "租金为每月1300元。", "租金为每月1200元。"),
    ("zh", "通知期最多三个月。", "通知期至少三个月。"),
]


@pytest.mark.parametrize(("language", "statement", "quote"), AGREEING)
async def test_the_same_fact_written_otherwise_is_supported(
    language: str, statement: str, quote: str
) -> None:
    sentence = await grounded(statement, quote, language=language)
    assert sentence.verdict is Verdict.SUPPORTED, sentence.support


@pytest.mark.parametrize(("language", "statement", "quote"), CONTRADICTING)
async def test_what_the_quote_contradicts_is_unsupported(
    language: str, statement: str, quote: str
) -> None:
    sentence = await grounded(statement, quote, language=language)
    assert sentence.verdict is Verdict.UNSUPPORTED, sentence.support


async def test_a_quote_about_something_else_supports_nothing() -> None:
    sentence = await grounded(
        "Employees receive thirty days of holiday.", "The boiler was serviced in the spring."
    )
    assert sentence.verdict is Verdict.UNSUPPORTED


async def test_less_than_a_whole_sentence_is_not_taken_for_the_quote() -> None:
    sentence = await grounded("Pets are allowed", "It is false that pets are allowed.")
    assert sentence.support < 1.0


async def test_what_only_the_passage_around_the_quote_says_makes_it_partly_supported() -> None:
    evidence = evidence_of("The lease was signed by Anna Braun in 2021. It ends after five years.")
    sentences = [
        stating("The lease signed in 2021 ends after five years."),
        stating("The lease signed in 2019 ends after five years."),
    ]
    result = await BY_WORDS(sentences, [quoting("It ends after five years.")], evidence)
    assert [each.verdict for each in result.sentences] == [Verdict.PARTLY, Verdict.UNSUPPORTED]


async def test_a_statement_of_two_quotes_needs_both() -> None:
    one = "The rent is 1,200 EUR."
    other = "The deposit is 3,600 EUR."
    evidence = evidence_of(f"{one} {other}")
    statement = stating("The rent is 1,200 EUR and the deposit 3,600 EUR.")
    both = await BY_WORDS([statement], [quoting(one), quoting(other)], evidence)
    assert both.sentences[0].verdict is Verdict.SUPPORTED
    single = await BY_WORDS([statement], [quoting(one)], evidence_of(one))
    assert single.sentences[0].verdict is not Verdict.SUPPORTED


async def test_a_row_of_a_table_is_supported_as_an_extractive_answer_shows_it() -> None:
    table = "| City | Rent |\n|---|---|\n| Basel | 1,200 |\n| Bern | 1,100 |"
    evidence = make_evidence(make_passage(table, kinds=[BlockKind.TABLE]))
    candidates = candidates_of(evidence)
    footnotes = Footnotes()
    result = await BY_WORDS(
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


async def test_a_statement_in_another_language_than_its_quote_is_judged_by_its_figures() -> None:
    quote = "Die Miete der Wohnung in Basel beträgt 1.200 Euro und ist am 3. Juni 2024 fällig."
    right = await grounded("The rent in Basel is 1,200 EUR.", quote, language="de")
    wrong = await grounded("The rent in Basel is 1,300 EUR.", quote, language="de")
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
    figure: str, place: int, step: int, kept: list[bool], embedded: bool
) -> None:
    words = f"The monthly rent of the flat in Basel is {figure} EUR plus heating".split()
    quote = " ".join(words) + "."
    said = [word for word, keep in zip(words, kept, strict=True) if keep or word == figure]
    digits = [at for at, character in enumerate(figure) if character.isdigit()]
    at = digits[place % len(digits)]
    changed = figure[:at] + str((int(figure[at]) + step) % 10) + figure[at + 1 :]
    assume(changed != figure)
    ground = Ground(embedder=HashEmbedder() if embedded else None, analyzer=TextAnalyzer())
    true = await grounded(" ".join(said) + " today.", quote, ground=ground)
    false = await grounded(
        " ".join(said).replace(figure, changed) + " today.", quote, ground=ground
    )
    assert false.support <= true.support
    assert false.verdict is not Verdict.SUPPORTED


@given(st.permutations(range(4)), st.booleans())
@settings(max_examples=24)
async def test_the_order_of_citations_does_not_matter(order: list[int], embedded: bool) -> None:
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
    ground = Ground(embedder=HashEmbedder() if embedded else None, analyzer=TextAnalyzer())
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
    result = await BY_WORDS([stating("The rent is due.")], citations, evidence_of(LEASE))
    assert result.sentences[0].verdict is Verdict.UNCITED
    assert result.sentences[0].support == 0.0
    assert result.confidence == 0.0


async def test_only_support_and_verdict_differ_from_what_was_given() -> None:
    given_ = [stating("The rent is 1,200 EUR."), stating("It is so.", 7), stating("Pets?", 1)]
    result = await BY_WORDS(given_, [quoting(LEASE)], evidence_of(LEASE))
    assert [replace(each, support=0.0, verdict=Verdict.UNCITED) for each in result.sentences] == [
        replace(each, verdict=Verdict.UNCITED) for each in given_
    ]


async def test_an_empty_answer_has_no_confidence() -> None:
    assert await BY_WORDS([], [], []) == Grounded(sentences=(), confidence=0.0)


async def test_confidence_falls_with_every_doubt() -> None:
    quotes = [quoting(LEASE)]
    evidence = evidence_of(LEASE)
    sound = stating(LEASE.split(". ", maxsplit=1)[0] + ".")
    doubtful = stating("The tenant pays the rent of 1,200 EUR for parking.")
    false = stating("The monthly rent is 1,300 EUR.")
    chances = [
        (await BY_WORDS(sentences, quotes, evidence)).confidence
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
    alone = await BY_WORDS([cited], [quoting(LEASE)], evidence_of(LEASE))
    more = await BY_WORDS([cited, stating(uncited, 9)], [quoting(LEASE)], evidence_of(LEASE))
    assert (more.confidence == alone.confidence) is same


# --- what it costs, and what happens when models are away --------------------------------------


async def test_a_verbatim_quote_costs_no_vector() -> None:
    embedder = RecordingEmbedder()
    ground = Ground(embedder=embedder, analyzer=TextAnalyzer())
    sentence = await grounded(LEASE.split(". ", maxsplit=1)[0] + ".", LEASE, ground=ground)
    assert sentence.support == 1.0
    assert embedder.batches == []


async def test_an_answer_is_embedded_in_one_batch_of_few_texts() -> None:
    embedder = RecordingEmbedder()
    ground = Ground(embedder=embedder, analyzer=TextAnalyzer())
    statements = [f"The tenant number {at} pays for heating the flat." for at in range(12)]
    quotes = [quoting(f"Heating is paid by tenant {at}, and so on.", marker=at) for at in range(12)]
    await ground([stating(text, at) for at, text in enumerate(statements)], quotes, [])
    assert len(embedder.batches) <= 1
    assert sum(map(len, embedder.batches)) <= EMBEDDED_TEXTS


async def test_without_the_embedder_words_alone_decide_and_say_so() -> None:
    ground = Ground(embedder=RecordingEmbedder(refuses=True), analyzer=TextAnalyzer())
    doubtful = "The tenant of the flat pays for its heating."
    quote = "Heating costs of the building are borne by every tenant in equal parts."
    away = await ground([stating(doubtful)], [quoting(quote)], evidence_of(quote))
    alone = await BY_WORDS([stating(doubtful)], [quoting(quote)], evidence_of(quote))
    assert away.sentences == alone.sentences
    assert away.confidence == alone.confidence
    assert len(away.degraded) == 1
    assert away.degraded[0].startswith("grounding: words alone")
    assert alone.degraded == ()


async def test_a_judge_reads_what_is_not_verbatim() -> None:
    judge: ScriptedJudge = ScriptedJudge(score=1.0)
    ground = Ground(embedder=None, analyzer=TextAnalyzer(), judge=judge)
    quote = "The boiler was serviced in spring."
    await ground(
        [stating(quote), stating("Somebody looked after the heating.")],
        [quoting(quote)],
        evidence_of(quote),
    )
    assert judge.asked == [("Somebody looked after the heating.", quote)]


@pytest.mark.parametrize(("score", "higher"), [(1.0, True), (0.0, False)])
async def test_a_judge_moves_support(score: float, higher: bool) -> None:
    judge: Judge = ScriptedJudge(score=score)
    ground = Ground(embedder=None, analyzer=TextAnalyzer(), judge=judge)
    quote = "The boiler was serviced in spring by the landlord."
    statement = "The landlord had the boiler looked after."
    alone = await grounded(statement, quote)
    judged = await grounded(statement, quote, ground=ground)
    assert (judged.support > alone.support) is higher


async def test_a_judge_lifts_a_contradiction_to_partly_at_most() -> None:
    ground = Ground(embedder=None, analyzer=TextAnalyzer(), judge=ScriptedJudge(score=1.0))
    sentence = await grounded(
        "The rent rose by 20 %.", "The rent rose from 1,000 to 1,200 EUR.", ground=ground
    )
    assert sentence.verdict is Verdict.PARTLY


async def test_a_judge_that_is_away_is_named_and_changes_nothing() -> None:
    ground = Ground(
        embedder=None, analyzer=TextAnalyzer(), judge=ScriptedJudge(score=1.0, refuses=True)
    )
    quote = "The boiler was serviced in spring."
    sentences, citations = [stating("The heating was serviced.")], [quoting(quote)]
    away = await ground(sentences, citations, evidence_of(quote))
    alone = await BY_WORDS(sentences, citations, evidence_of(quote))
    assert away.sentences == alone.sentences
    assert away.degraded == ("grounding: not judged, the judge is away",)
