"""Facts are what a text says, in its own words, and nothing of what it leaves open."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.knowledge.facts import extract_facts, is_comparable, keys_of
from footnote.knowledge.texts import DocumentText, TextBlock

REPORT = """Revenue by contract type (in millions):

|  |  | Years Ended September 30, |  |
|---|---|---|---|
|  | 2019 | 2018 | 2017 |
| Fixed Price | $  1,452.4 | $  1,146.2 | $  1,036.9 |
| Services: |  |  |  |
| Other | 44.1 | (56.7) | – |
| Growth | 5% | 3% | 2% |
"""


def facts_of(
    text: str,
    language: str | None = "en",
    *,
    kind: BlockKind = BlockKind.PARAGRAPH,
    start: int = 0,
    headings: tuple[str, ...] = (),
) -> list[ExtractedFact]:
    block = TextBlock(kind=kind, start=start, end=len(text), headings=headings)
    document = DocumentText(text=text, title="Report", language=language, blocks=(block,))
    return extract_facts(document, tuple(FactKind))


def table(text: str, language: str | None = "en") -> dict[tuple[str, str], ExtractedFact]:
    found = facts_of(text, language, kind=BlockKind.TABLE, start=text.index("|"))
    return {(each.predicate, each.object): each for each in found}


@pytest.mark.parametrize(
    ("beside", "value"),
    [
        ("Annual premium: EUR 3.500,50", "1250"),
        ("Annual premium: 2.000.000 EUR", "1250"),
        ("Annual premium: EUR 3,500.50", "1.25"),
        ("Annual premium: EUR 300", None),
    ],
)
def test_an_amount_with_three_digits_is_read_as_those_around_it(
    beside: str, value: str | None
) -> None:
    found = {each.predicate: each.value for each in facts_of(f"Deductible: EUR 1.250\n{beside}\n")}
    assert found["Deductible"] == value


def test_a_cell_has_its_row_its_scale_and_its_period() -> None:
    found = table(REPORT)["Fixed Price", "$ 1,452.4"]
    assert (found.subject, found.value, found.unit) == (
        *("Revenue by contract type", "1452400000"),
        "USD",
    )
    assert (found.valid_from, found.valid_to) == (date(2018, 10, 1), date(2019, 9, 30))
    assert found.qualifiers["scale"] == "million"
    assert [REPORT[slice(*span)] for span in found.spans] == [
        *("$  1,452.4", "Fixed Price"),
        *("Years Ended September 30,", "2019"),
    ]
    assert REPORT[slice(*found.quoted)] == "Fixed Price | $  1,452.4"


def test_a_label_alone_names_the_rows_below_and_brackets_are_minus() -> None:
    found = table(REPORT)["Other", "(56.7)"]
    assert (found.value, found.qualifiers["group"]) == ("-56700000", "Services")


def test_what_is_a_share_is_not_scaled_and_a_dash_is_no_fact() -> None:
    found = table(REPORT)
    assert (found["Growth", "5%"].value, found["Growth", "5%"].unit) == ("5", "%")
    assert not any(each.object == "–" for each in found.values())


def test_columns_that_are_no_periods_are_predicates() -> None:
    found = table(
        "| Cover | Limit | Waiting time |\n|---|---|---|\n| Theft | 2.000 EUR | keine |\n", "de"
    )
    assert found["Limit", "2.000 EUR"].value == "2000"
    assert found["Limit", "2.000 EUR"].subject == "Theft"
    assert found["Waiting time", "keine"].value is None


def test_a_column_that_counts_the_rows_names_none_of_them() -> None:
    found = table(
        "| # | Article | Ordered |\n|---|---|---|\n| 1 | Sensor | 40 |\n| 2 | Wiper | 9 |\n"
    )
    assert {(each.subject, each.predicate, each.object) for each in found.values()} == {
        ("Sensor", "Ordered", "40"),
        ("Wiper", "Ordered", "9"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n",
        "no table at all",
        "| one | two |\n|---|---|\n| |  |\n",
        "| only one column |\n|---|\n| x |\n",
    ],
)
def test_what_is_no_table_with_values_has_no_facts(text: str) -> None:
    assert facts_of(text, kind=BlockKind.TABLE) == []


def test_a_line_of_key_and_value_is_a_property_of_what_it_stands_under() -> None:
    [found] = facts_of("- **Deductible:** 250 EUR", headings=("Policy", "Theft"))
    assert (found.subject, found.predicate, found.object) == ("Theft", "Deductible", "250 EUR")
    assert (found.value, found.unit, found.kind) == ("250", "EUR", FactKind.PROPERTY)


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.com/a: b",
        "Note: read this.",
        "At 12:30 we left",
        "Is it so: yes?",
        "One two three four five six seven eight nine: ten",
    ],
)
def test_what_only_looks_like_a_property_is_none(text: str) -> None:
    assert [each for each in facts_of(text) if each.kind is FactKind.PROPERTY] == []


@pytest.mark.parametrize(
    ("text", "language", "term"),
    [
        ("“Dwelling” means the building at the insured address.", "en", "Dwelling"),
        ("„Wohnung“ bezeichnet das Gebäude an der versicherten Anschrift.", "de", "Wohnung"),
        ("« Logement » désigne le bâtiment assuré.", "fr", "Logement"),
        ("«Vivienda» significa el edificio asegurado.", "es", "Vivienda"),
        ("“住宅”是指保险单载明地址的建筑物。", "zh", "住宅"),
    ],
)
def test_a_definition_is_found_in_each_language(text: str, language: str, term: str) -> None:
    [found] = facts_of(text, language)
    assert (found.kind, found.subject) == (FactKind.DEFINITION, term)
    assert text[slice(*found.spans[0])] == found.object


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        (
            "Acme Insurance employs 450 people in 2024.",
            "en",
            ("Acme Insurance", "employs", "450", "people"),
        ),
        (
            "Die Prämie beträgt 1,2 Millionen EUR.",
            "de",
            ("Die Prämie", "beträgt", "1200000", "EUR"),
        ),
        ("La prime est de 300 euros.", "fr", ("La prime", "est", "300", "EUR")),
    ],
)
def test_a_plain_sentence_says_one_thing(
    text: str, language: str, said: tuple[str, str, str, str]
) -> None:
    [found] = facts_of(text, language)
    assert (found.subject, found.predicate, found.value, found.unit) == said
    assert not found.negated


@pytest.mark.parametrize(
    "text",
    [
        "The ice class has no price yet; do not guess one.",
        "Lorem Ipsum is dummy text since 1966, when they took a 1914 translation.",
    ],
)
def test_a_pronoun_is_no_number(text: str) -> None:
    [found] = facts_of(text)
    assert found.value is None


def test_a_sentence_that_denies_is_negated() -> None:
    [found] = facts_of("The policy does not cover earthquakes.")
    assert (found.predicate, found.negated) == ("does not cover", True)


@pytest.mark.parametrize(
    "text",
    [
        "It costs 5 EUR.",
        "They are here.",
        "If the premium is late, the cover ends.",
        "Is the premium due?",
        "In March the premium is due.",
        "premium due",
        "Ann Berg said that Acme Insurance employs 450 people.",
        "Ann Berg says Acme Insurance employs 450 people.",
        "The notice that Acme sent is void.",
    ],
)
def test_a_sentence_that_needs_others_says_nothing(text: str) -> None:
    assert facts_of(text) == []


def test_whoever_is_named_is_compared_everywhere_and_the_rest_within_its_title() -> None:
    [named] = facts_of("Acme Insurance employs 450 people.")
    [kind] = facts_of("The insurer employs 450 people.")
    assert keys_of(named, "One").claim == keys_of(named, "Two").claim
    assert keys_of(kind, "One").claim != keys_of(kind, "Two").claim
    assert is_comparable(named)
    [listed] = facts_of("Acme Insurance sells cars.")
    assert not is_comparable(listed)


@given(
    st.text(alphabet="ab|-: \n.0123456789€$%(),*“”Acme means is not\\", max_size=300),
    st.sampled_from([None, "en", "de", "zh"]),
    st.sampled_from([BlockKind.TABLE, BlockKind.PARAGRAPH]),
)
def test_every_fact_stands_in_its_text(text: str, language: str | None, kind: BlockKind) -> None:
    for found in facts_of(text, language, kind=kind):
        assert found.spans
        for start, end in found.spans:
            assert 0 <= start < end <= len(text)
        said = text[slice(*found.spans[0])]
        # The object is its words, on one line and without marks of emphasis.
        assert [each for each in found.object if each.isalnum()] == [
            each for each in said if each.isalnum()
        ]
        assert 0 < found.confidence <= 1


def test_a_column_that_is_read_once_holds_for_each_of_thousands_of_rows() -> None:
    # Read anew for each of its cells it would take minutes.
    rows = [f"| Part {number} | {number},25 | 2,5 |" for number in range(6_000)]
    found = facts_of(
        "\n".join(("| Part | Weight | Width |", "|---|---|---|", *rows)),
        "en",
        kind=BlockKind.TABLE,
    )
    assert len(found) == 2 * 6_000
    assert {found[0].value, found[-2].value, found[-1].value} == {"0.25", "5999.25", "2.5"}
