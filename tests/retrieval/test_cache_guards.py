"""Queries that ask different things never have the same wording; small rewordings do."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.models.minilm import load_minilm
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.ports import Vectors
from footnote.retrieval.cache import DEFAULT_SIMILARITY
from footnote.retrieval.cache_guards import bare_wording

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", Path(__file__).parents[2] / "../shared/data"))

DIFFERENT = [
    ("What is the deductible of POL-1?", "What is the deductible of POL-2?"),
    ("What does clause 4.2 say about termination?", "What does clause 4.3 say about termination?"),
    ("sales 2023 v2.3.1", "sales 2023 v2.3.2"),
    ("rent of 1,200", "rent of 12,00"),
    ("What costs 5 %?", "What costs 5 €?"),
    ("temperature > 5", "temperature < 5"),
    ("offset of -5 degrees", "offset of 5 degrees"),
    ("C++ style guide", "C# style guide"),
    ("insurance -flood", "insurance flood"),
    ("insurance -flood", "insurance - flood"),
    ("hotels -los angeles", "hotels -angeles"),
    ('"notice period" termination', 'notice "period termination"'),
    ('"notice period" termination', "notice period termination"),
    ('"the who" albums', '"who" albums'),
    ("Is flood damage covered?", "Is flood damage not covered?"),
    ("Is flood damage included?", "Is flood damage excluded?"),
    ("Who can cancel the contract?", "Who can't cancel the contract?"),
    ("Who can cancel the contract?", "Who cannot cancel the contract?"),
    ("Can I take leave with pay?", "Can I take leave without pay?"),
    ("Was the claim approved?", "Was the claim never approved?"),
    ("Is parking free on Sundays?", "Is parking free except on Sundays?"),
    ("Is the guarantee limited?", "Is the guarantee unlimited?"),
    ("What is the maximum storage temperature?", "What is the minimum storage temperature?"),
    ("What is the dose for adults over 65?", "What is the dose for adults under 65?"),
    ("Is the deposit more than the rent?", "Is the deposit less than the rent?"),
    ("What must the insurer pay?", "What must the insured pay?"),
    ("What must the lessor pay?", "What must the lessee pay?"),
    ("What is the term of the lease?", "What are the terms of the lease?"),
    ("Can the tenant sue the landlord?", "Can the landlord sue the tenant?"),
    ("Flights from Paris to London", "Flights from London to Paris"),
    ("List all contracts that expire this year", "List all contracts that expire next year"),
    ("Where is the contract stored?", "When is the contract stored?"),
    ("How often is the filter changed?", "Why is the filter changed?"),
    ("How much does it cost?", "How many does it cost?"),
    ("Who is the chair?", "Who was the chair?"),
    ("What is the chair?", "What was the chair?"),
    ("Who is the chair?", "Who is the vice-chair?"),
    ("vitamin a deficiency", "vitamin deficiency"),
    ("When did Tesla die?", "When did Tesla?"),
    ("Does the policy apply to US citizens?", "Does the policy apply to us citizens?"),
    ("Ist Hochwasser versichert?", "Ist Hochwasser nicht versichert?"),
    ("Ist ein Haustier erlaubt?", "Ist kein Haustier erlaubt?"),
    ("Was gilt vor der Abnahme?", "Was gilt nach der Abnahme?"),
    ("Pflichten des Auftraggebers", "Pflichten des Auftragnehmers"),
    ("¿Está cubierto el daño por agua?", "¿No está cubierto el daño por agua?"),
    ("¿Se puede viajar con visado?", "¿Se puede viajar sin visado?"),
    ("Le vol est-il couvert ?", "Le vol n'est-il pas couvert ?"),
    ("Si può fumare?", "Non si può fumare?"),
    ("Mag ik roken?", "Mag ik niet roken?"),
    ("Застрахован ли потоп?", "Не застрахован ли потоп?"),
    ("租户需要付押金吗？", "租户不需要付押金吗？"),
    ("法国的首都是什么？", "德国的首都是什么？"),
    ("ค่าเช่าเท่าไร", "ค่ามัดจำเท่าไร"),
]

SAME = [
    ("What is the notice period?", "what is the notice period"),
    ("What is the notice period?", "What’s the notice period?!"),
    ("What is the notice period?", "notice period"),
    (
        "What is the notice period?",
        "Hi, can you tell me: what is the notice period, please? Thanks!",
    ),
    ("Which suppliers are late?", "what suppliers are late"),
    ("Who signed the lease with Acme?", "who signed lease with ACME"),
    ("Where is the data center?", "Where's the data center?"),
    ("How do I enable two-factor authentication?", "How to enable two-factor authentication"),
    ("What is the deductible of POL-2024/88-A?", "what is the deductible of pol-2024/88-a"),
    ('Where does "notice period" stand', 'Please: where does "Notice Period" stand?'),
    ("Wie hoch ist das Honorar?", "bitte, wie hoch ist Honorar"),
    ("Was ist der Selbstbehalt?", "Selbstbehalt"),
    ("¿Cuál es el plazo de preaviso?", "plazo de preaviso, por favor"),
    ("Quel est le préavis ?", "préavis"),
    ("Qual è il preavviso?", "preavviso"),
    ("法国的首都是什么？", "法国的首都是什么"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=lambda query: query[:40])
def test_queries_that_ask_different_things_differ_in_wording(one: str, other: str) -> None:
    assert bare_wording(one) != bare_wording(other)


@pytest.mark.parametrize(("one", "other"), SAME, ids=lambda query: query[:40])
def test_case_punctuation_articles_and_courtesies_do_not_count(one: str, other: str) -> None:
    assert bare_wording(one) == bare_wording(other)


@pytest.mark.parametrize("query", ["please", "what is the", "the", "thanks", "el", "how to"])
def test_a_query_of_nothing_but_courtesies_is_about_them(query: str) -> None:
    assert bare_wording(query)


@pytest.mark.parametrize("query", ["???", "...", "( )", ""])
def test_a_query_without_words_has_no_wording(query: str) -> None:
    assert bare_wording(query) == ()


WORDS = st.text("abcdefgßéя国0123456789", min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=2, max_size=8), st.data())
def test_a_word_that_is_added_dropped_or_moved_is_noticed(
    words: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(words) - 1))
    word = data.draw(WORDS)
    wording = bare_wording(" ".join(words))
    assert bare_wording(" ".join([*words[:place], word, *words[place:]])) != wording
    assert bare_wording(" ".join(words[:place] + words[place + 1 :])) != wording
    turned = words[::-1]
    same = [each.casefold() for each in turned] == [each.casefold() for each in words]
    assert (bare_wording(" ".join(turned)) == wording) == same


@given(st.text(max_size=200))
def test_any_text_has_a_wording_and_what_is_around_it_does_not_count(query: str) -> None:
    assert bare_wording(f"  {query} ") == bare_wording(query)


def test_a_hostile_query_takes_no_time_to_read() -> None:
    for hostile in (
        "please " * 1400 + "x",
        "what's " * 1400,
        '"' * 10_000,
        "a-" * 5_000,
        "'" * 9999,
    ):
        bare_wording(hostile)


# --- with the packaged model ------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedder(model_home: Path) -> Iterator[SentenceEncoder]:
    model_home.mkdir(parents=True, exist_ok=True)
    opened = load_minilm(model_home, "int8", 0, 8192)
    yield opened
    opened.close()


def test_the_vectors_alone_would_confuse_what_the_wording_keeps_apart(
    embedder: SentenceEncoder,
) -> None:
    ones, others = (embedder.encode([pair[side] for pair in DIFFERENT]) for side in (0, 1))
    assert np.sum(np.sum(ones * others, axis=1) >= DEFAULT_SIMILARITY) > len(DIFFERENT) / 2


MISREAD = [
    ("the who albums", "who albums"),
    ("el niño effects", "niño effects"),
    ("le monde", "monde"),
    ("den haag office", "haag office"),
    ("what employees do", "employees do"),
    ("what does the policy cover", "policy cover"),
    ("what time", "time"),
]
"""Where taking off a word that is mostly empty went too far; the vectors say so."""


@pytest.mark.parametrize(("one", "other"), MISREAD, ids=lambda query: query)
def test_the_vectors_part_what_the_wording_takes_for_one(
    embedder: SentenceEncoder, one: str, other: str
) -> None:
    assert bare_wording(one) == bare_wording(other)
    vectors = embedder.encode([one, other])
    assert float(vectors[0] @ vectors[1]) < DEFAULT_SIMILARITY


@pytest.mark.parametrize("name", ["xquad-en", "xquad-zh"])
def test_no_two_questions_about_different_paragraphs_are_confused(
    embedder: SentenceEncoder, name: str
) -> None:
    if not (DATA / name).exists():
        pytest.skip("the retrieval sets are not here; set FOOTNOTE_TEST_DATA")
    queries = [
        json.loads(line)
        for line in (DATA / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    relevant = relevant_documents(DATA / name / "qrels.tsv")
    vectors: Vectors = embedder.encode([query["text"] for query in queries])
    similar = np.argwhere(np.triu(vectors @ vectors.T, 1) >= DEFAULT_SIMILARITY)
    confused = [
        (queries[one]["text"], queries[other]["text"])
        for one, other in similar
        if bare_wording(queries[one]["text"]) == bare_wording(queries[other]["text"])
        and not relevant[queries[one]["_id"]] & relevant[queries[other]["_id"]]
    ]
    assert confused == []


def relevant_documents(path: Path) -> Mapping[str, set[str]]:
    relevant: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevant.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return relevant
