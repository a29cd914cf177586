"""What a reader may type to find what a document says, and how completely it is found.

`whole`: one of the terms that both share is the thing itself in one piece, so that it outranks
documents that merely hold its parts. `parts`: all that is shared is its parts. `never`: nothing is,
and the table says so where a reader might expect otherwise.
"""

from __future__ import annotations

import pytest

from footnote.index.analysis import TextAnalyzer

ANALYZER = TextAnalyzer()

IDENTIFIERS: dict[str, dict[str, list[str]]] = {
    "POL-2024/88-A": {
        "pol202488a": ["POL-2024/88-A", "pol-2024/88-a", "(POL-2024/88-A),", "POL_2024_88_A",
                       "pol2024/88a", "pol202488a", "POL‑2024/88‑A"],
        "2024": ["2024/88", "POL-2024", "POL 2024 88 A", "POL–2024/88–A"],
        "pol": ["POL"],
    },
    "ISO 27001": {"27001": ["ISO 27001", "iso 27001", "ISO27001", "ISO-27001", "27001"]},
    "ISO27001": {"iso27001": ["ISO 27001", "ISO27001", "ISO-27001"], "27001": ["27001"]},
    "ISO/IEC 27001:2022": {"27001": ["ISO 27001", "ISO27001", "ISO/IEC 27001", "27001:2022"]},
    "v2.3.1": {"2.3.1": ["v2.3.1", "V2.3.1", "2.3.1", "version 2.3.1"],
               "v2": ["v2", "v2.3"]},
    "version 2.3.1": {"2.3.1": ["v2.3.1", "2.3.1", "version 2.3.1"]},
    "jane.doe@example.com": {
        "jane.doe@example.com": ["jane.doe@example.com", "Jane.Doe@Example.com",
                                 "<jane.doe@example.com>", "mailto:jane.doe@example.com"],
        "doe": ["Doe", "jane doe"],
        "exampl": ["example.com", "@example.com"],
    },
    "INV2024-0417": {"inv20240417": ["INV2024-0417", "INV-2024-0417", "inv 2024 0417"],
                     "0417": ["0417"]},
    "chunk_no": {"chunkno": ["chunk_no", "CHUNK_NO", "chunkno"], "chunk": ["chunk no"]},
    "AT&T": {"att": ["AT&T", "ATT", "at&t"]},
    "I.B.M.": {"ibm": ["IBM", "I.B.M.", "i.b.m"]},
    "COVID-19": {"covid19": ["COVID-19", "covid 19", "COVID19"], "covid": ["covid"]},
    "§12a": {"12a": ["§ 12a", "§12a", "12a"]},
    "#12345": {"12345": ["12345", "#12345"]},
    "report_2024-final.pdf": {"report2024finalpdf": ["report_2024-final.pdf"],
                              "report": ["report 2024"]},
    "192.168.0.1": {"192.168.0.1": ["192.168.0.1", "(192.168.0.1)"]},
    "+41441234567": {"41441234567": ["+41441234567", "+41 44 123 45 67", "41 44 123 45 67"]},
    "+41 44 123 45 67": {"41441234567": ["+41441234567", "0041 44 123 45 67", "+41 (0)44/1234567"]},
    "0041-44-123 45 67": {"41441234567": ["+41441234567", "+41 44 123 45 67", "004144 123 4567"]},
    "CH9300762011623852957": {
        "ch9300762011623852957": ["CH9300762011623852957", "CH93 0076 2011 6238 5295 7"],
    },
    "CH93 0076 2011 6238 5295 7": {"6238": ["CH9300762011623852957", "CH93 0076 2011 6238 5295 7"]},
}  # fmt: skip

AMOUNTS: dict[str, dict[str, list[str]]] = {
    "€1,240.00": {"1240": ["1240", "€1240", "1'240", "1.240,00 EUR", "EUR 1240", "1,240",
                           "1 240", "1\u00a0240,00"]},
    "CHF 1'240.50": {"1240.50": ["1240.50", "1,240.50", "1240,50", "CHF1'240.50"],
                     "1240": ["1240", "1240.5"]},
    "1\u202f240\u202f000 €": {"1240000": ["1240000", "1,240,000", "1 240 000", "1.240.000"]},
    "1,240,000": {"1240000": ["1240000", "1 240 000", "1'240'000"]},
    "12.5%": {"12.5": ["12.5", "12,5 %", "12.5 percent"]},
    "$1.5 million": {"1.5": ["$1.5", "1,5 million"]},
    "12.5kg": {"12.5": ["12.5 kg", "12,5kg", "12.5"]},
}  # fmt: skip

_ALL_DATES = ["2024-06-03", "2024/06/03", "03.06.2024", "3.6.2024", "3 June 2024", "June 3, 2024",
              "3rd June 2024", "3. Juni 2024", "3 juin 2024", "3 de junio de 2024"]  # fmt: skip
DATES: dict[str, dict[str, list[str]]] = {
    "2024-06-03": {"2024.06.03": _ALL_DATES},
    "03.06.2024": {"03.06.2024": _ALL_DATES},
    "3.6.2024": {"3.6.2024": _ALL_DATES},
    "3 June 2024": {"june": _ALL_DATES, "2024": ["2024", "June 2024"]},
    "June 3, 2024": {"june": _ALL_DATES},
    "2024年6月3日": {"2024": _ALL_DATES},
}

SPELLINGS: dict[str, dict[str, list[str]]] = {
    "Straße": {"strass": ["strasse", "STRASSE", "Strasse"]},
    "Zürich": {"zurich": ["Zurich", "ZÜRICH", "zürich", "Zu\u0308rich"]},
    "naïve": {"naiv": ["naive", "NAÏVE"]},
    "Łódź": {"lodz": ["Lodz", "łódź"]},
    "Ærø": {"aero": ["Aero", "ærø", "ÆRØ"]},
    "Ａ４ paper": {"a4": ["A4", "a4"]},
    "co\u00adop": {"coop": ["coop", "Coop"]},
    "O’Brien": {"brien": ["O'Brien", "Brien", "o’brien"]},
}


def _cases(table: dict[str, dict[str, list[str]]]) -> list[tuple[str, str, str]]:
    return [
        (written, asked, term)
        for written, finds in table.items()
        for term, queries in finds.items()
        for asked in queries
    ]


def shared(written: str, asked: str, written_in: str | None, corpus: list[str]) -> set[str]:
    document = ANALYZER.terms(f"We refer to {written} in this letter.", written_in)
    return set(document) & set(ANALYZER.query_terms(asked, corpus))


@pytest.mark.parametrize(
    ("written", "asked", "term"),
    [*_cases(IDENTIFIERS), *_cases(AMOUNTS), *_cases(SPELLINGS)],
)
def test_it_is_found_whatever_its_punctuation(written: str, asked: str, term: str) -> None:
    assert term in shared(written, asked, "en", ["en"])


@pytest.mark.parametrize(("written", "asked", "term"), _cases(DATES))
def test_a_date_is_found_in_its_other_spellings(written: str, asked: str, term: str) -> None:
    assert term in shared(written, asked, "en", ["en", "de"])


def test_a_date_is_found_in_the_words_of_another_language() -> None:
    assert {"3", "juni", "2024"} <= shared("3. Juni 2024", "2024-06-03", "de", ["de"])
    assert {"3", "6", "2024"} <= shared("2024年6月3日", "3 June 2024", "zh", ["zh"])
    assert {"3", "juni", "2024"} <= shared("3 de junio de 2024", "June 3rd, 2024", "es", ["es"])


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("OBrien", "O'Brien Ltd"),
        ("1 240 000", "1240000"),
        ("v2.3.1", "2.3"),
        ("POL-2024/88-A", "20248"),
        ("10:30", "10.30"),
        ("Zürich", "Zuerich"),
    ],
)
def test_where_spaces_or_letters_would_have_to_be_guessed_nothing_is_found(
    written: str, asked: str
) -> None:
    assert not shared(written, asked, "en", ["en"])
