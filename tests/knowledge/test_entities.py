"""What a text names: exact forms, one entity of several names, and links with their reasons."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.entities import EntityKind, EntityLink, ExtractedEntity, LinkReason
from footnote.knowledge.document_entities import entities_of
from footnote.knowledge.linking import best_link, keys_of, link, looked_up
from footnote.knowledge.mentions import exact_mentions, mentions_of
from footnote.knowledge.names import normal_name
from footnote.ports import NamedSpan

EVERY = frozenset(EntityKind)
FORMED = [
    ("write to Anna.Berg@Example.com today", EntityKind.EMAIL, "anna.berg@example.com"),
    ("IBAN DE89 3704 0044 0532 0130 00, please", EntityKind.IBAN, "DE89370400440532013000"),
    ("VAT no. DE 136695976.", EntityKind.VAT, "DE136695976"),
    ("VAT no. DE 136695977.", None, ""),
    ("call +44 20 7946 0958", EntityKind.PHONE, "+442079460958"),
    ("on 3 June 2024", EntityKind.DATE, "2024-06-03"),
    ("am 3. Juni 2024", EntityKind.DATE, "2024-06-03"),
    ("in June 2024", EntityKind.DATE, "2024-06"),
    ("on 3/6/2024", None, ""),
    ("costs $1,500.50 a year", EntityKind.AMOUNT, "1500.5 USD"),
    ("kostet 1.500,50 € im Jahr", EntityKind.AMOUNT, "1500.5 EUR"),
    ("pays five million euros a year", EntityKind.AMOUNT, "5000000 EUR"),
    ("ein Beitrag von tausend Euro im Jahr", EntityKind.AMOUNT, "1000 EUR"),
    ("| Cover | Limit (in thousands EUR) |", None, ""),
    ("Amounts in EUR millions", None, ""),
    ("Beiträge in Tausend EUR", None, ""),
    ("at 12 High Street, Leeds LS1 4AP.", EntityKind.ADDRESS, "12 high street leeds ls1 4ap"),
    ("policy POL-2024/88-A covers it", EntityKind.IDENTIFIER, "pol-2024/88-a"),
    ("see https://example.com/a12345b", None, ""),
    ("12.5kg of it", None, ""),
]


@pytest.mark.parametrize(("text", "kind", "normal"), FORMED)
def test_what_has_a_form_is_found_by_it(text: str, kind: EntityKind | None, normal: str) -> None:
    language = "de" if re.search("Juni|kostet|Beitr", text) else "en"
    found = [(each.kind, each.normal) for each in exact_mentions(text, language)]
    assert found == ([] if kind is None else [(kind, normal)])


def test_check_digits_that_do_not_agree_make_no_iban() -> None:
    found = exact_mentions("IBAN DE89 3704 0044 0532 0130 01, please", "en")
    assert EntityKind.IBAN not in {each.kind for each in found}


def names(text: str, *called: tuple[str, str]) -> list[NamedSpan]:
    """Every place of these names, each with its kind."""
    return [
        NamedSpan(start=match.start(), end=match.end(), kind=kind, probability=0.9)
        for name, kind in called
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    ]


def of(text: str, *called: tuple[str, str]) -> tuple[ExtractedEntity, ...]:
    return entities_of(text, mentions_of(text, "en", names(text, *called), EVERY))


@pytest.mark.parametrize(
    ("text", "called", "forms", "reason"),
    [
        (
            'Silicon Bank, Inc. ("Bank") lends. The Bank may ask. A bank is open.',
            [("Silicon Bank, Inc.", "organisation")],
            ("Silicon Bank, Inc.", "Bank"),
            LinkReason.DEFINED,
        ),
        (
            "The European Central Bank met. ECB rates fell.",
            [("European Central Bank", "organisation"), ("ECB", "organisation")],
            ("European Central Bank", "ECB"),
            LinkReason.ABBREVIATION,
        ),
        (
            "Anna Berg came. Then Berg left.",
            [("Anna Berg", "person"), ("Berg", "person")],
            ("Anna Berg", "Berg"),
            LinkReason.SHORT_FORM,
        ),
        (
            "Acme Insurance Ltd pays. Acme is large.",
            [("Acme Insurance Ltd", "organisation"), ("Acme", "organisation")],
            ("Acme Insurance Ltd", "Acme"),
            LinkReason.SHORT_FORM,
        ),
    ],
)
def test_names_of_one_entity_are_joined_with_the_reason(
    text: str, called: list[tuple[str, str]], forms: tuple[str, ...], reason: LinkReason
) -> None:
    [found] = [each for each in of(text, *called) if each.kind.value == called[0][1]]
    assert found.forms == forms
    assert found.reasons == (reason,)
    assert {text[start:end] for start, end in found.spans} == set(forms)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Anna Berg and Otto Berg met. Berg spoke.", ["Anna Berg", "Otto Berg", "Berg"]),
        ("Anna and Anna Berg and Anna Marsh.", ["Anna", "Anna Berg", "Anna Marsh"]),
    ],
)
def test_a_short_name_that_may_be_of_two_is_of_neither(text: str, called: list[str]) -> None:
    longest = sorted(called, key=len, reverse=True)
    taken = [(each, "person") for each in longest]
    spans: list[NamedSpan] = []
    for span in names(text, *taken):
        if all(span.end <= one.start or span.start >= one.end for one in spans):
            spans.append(span)
    found = entities_of(text, mentions_of(text, "en", spans, EVERY))
    assert sorted(each.name for each in found) == sorted(called)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("At [Har]bour Point", ["Harbour"]),
        ("[Har]bour [Point]", ["Harbour", "Point"]),
        ("Of [Mac][Donald]s", ["MacDonalds"]),
        ("In Ham[burg]-Altona", ["Hamburg"]),
        ("A [Berlin]-based firm, [Smith]'s", ["Berlin", "Smith"]),
        ("Mr Rene\u0301 [Cote\u0301]", ["Cote\u0301"]),
        ("В [Моск]ве", ["Москве"]),
        ("[東京]都庁は", ["東京"]),
        ("The [Müll]erstraße", ["Müllerstraße"]),
    ],
)
def test_a_name_has_whole_words_where_there_are_spaces_between_words(
    text: str, found: list[str]
) -> None:
    bare, named = "", []
    for part in re.split(r"(\[[^\]]*\])", text):
        if part.startswith("["):
            end = len(bare) + len(part) - 2
            named.append(NamedSpan(start=len(bare), end=end, kind="place", probability=0.9))
        bare += part.strip("[]")
    said = mentions_of(bare, None, named, EVERY)
    assert [bare[each.start : each.end] for each in said if each.kind is EntityKind.PLACE] == found


@given(
    st.text(alphabet="AaBb .,@()\"'\n-5é€", max_size=80),
    st.lists(st.tuples(st.integers(0, 80), st.integers(1, 12)), max_size=8),
)
def test_every_mention_stands_in_the_text_and_none_overlaps(
    text: str, stretches: list[tuple[int, int]]
) -> None:
    named = [
        NamedSpan(start=start, end=min(start + size, len(text)), kind="person", probability=0.5)
        for start, size in stretches
        if start < len(text)
    ]
    found = mentions_of(text, None, _disjoint(named), EVERY)
    reached = 0
    for each in found:
        assert reached <= each.start < each.end <= len(text)
        assert each.normal
        reached = each.end
    spans = [span for one in entities_of(text, found) for span in one.spans]
    assert len(spans) == len(set(spans)) >= len(found)


def _disjoint(named: list[NamedSpan]) -> list[NamedSpan]:
    kept: list[NamedSpan] = []
    for each in sorted(named, key=lambda span: (span.start, span.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def party(name: str, kind: EntityKind, *belongings: tuple[EntityKind, str]) -> ExtractedEntity:
    normal = normal_name(name, kind)
    return ExtractedEntity(
        kind=kind, name=name, forms=(name,), normals=(normal,), spans=((0, 1),), confidence=1.0,
        belongings=belongings,
    )  # fmt: skip


ORGANISATION, PERSON = EntityKind.ORGANISATION, EntityKind.PERSON
PHONE = (EntityKind.PHONE, "+442079460958")
HIGH, LOW = (EntityKind.ADDRESS, "12 high street leeds"), (EntityKind.ADDRESS, "98 low road york")


@pytest.mark.parametrize(
    ("own", "other", "reason"),
    [
        (party("Acme Ltd", ORGANISATION), party("ACME", ORGANISATION), LinkReason.SAME_NAME),
        (party("Berg, Anna", PERSON), party("Anna Berg", PERSON), LinkReason.SAME_NAME),
        (party("Anna", PERSON), party("Anna", PERSON), None),
        (party("Acme", ORGANISATION), party("Acme", EntityKind.PLACE), None),
        (
            party("Northwind Traders", ORGANISATION),
            party("Northwimd Traders", ORGANISATION),
            LinkReason.SIMILAR_NAME,
        ),
        (party("North Traders", ORGANISATION), party("Northern Traders", ORGANISATION), None),
        (party("Fund 12 Capital", ORGANISATION), party("Fund 13 Capital", ORGANISATION), None),
        (
            party("Acme Leeds", ORGANISATION, PHONE),
            party("Acme Trading", ORGANISATION, PHONE),
            LinkReason.SAME_IDENTIFIER,
        ),
        (party("Acme", ORGANISATION, PHONE), party("Bolt", ORGANISATION, PHONE), None),
        (
            party("Acme", ORGANISATION, HIGH),
            party("Acme Shop", ORGANISATION, HIGH),
            LinkReason.SAME_ADDRESS,
        ),
        (party("Acme", ORGANISATION, HIGH), party("Acme", ORGANISATION, LOW), None),
        (
            party("x@y.org", EntityKind.EMAIL),
            party("x@y.org", EntityKind.EMAIL),
            LinkReason.SAME_NAME,
        ),
    ],
)
def test_two_are_one_where_something_says_so_and_nothing_speaks_against_it(
    own: ExtractedEntity, other: ExtractedEntity, reason: LinkReason | None
) -> None:
    for one, two in ((own, other), (other, own)):
        found = link(one, two)
        assert (None if found is None else found.reason) is reason
        if found is not None:
            assert set(looked_up(one)) & set(keys_of(two)), "what is linked is found by a key"


def test_the_surest_link_is_taken() -> None:
    own = party("Northwind Traders", ORGANISATION, PHONE)
    similar, same = (
        party("Northwimd Traders", ORGANISATION),
        party("Northwind Traders", ORGANISATION),
    )
    found = best_link(own, [("similar", similar), ("same", same)])
    assert found == ("same", EntityLink(reason=LinkReason.SAME_NAME, confidence=0.95))
    assert best_link(own, []) is None
