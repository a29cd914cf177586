from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.analysis import TextAnalyzer
from footnote.index.numerals import canonical_number
from footnote.index.stemming import SNOWBALL
from footnote.index.stopwords import STOP_WORDS
from footnote.index.tokens import MAX_TERM_CHARACTERS, token_terms
from footnote.ports import Analyzer

ANALYZER: Analyzer = TextAnalyzer()
LANGUAGES = [*SNOWBALL, "zh", "ja", "ko", "th", "he", "uk", "en-GB", "zz"]
languages = st.sampled_from(LANGUAGES)


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("en", "The libraries' policies were amended.", ["librari", "polici", "amend"]),
        ("en", "don't worry about the company's office", ["worri", "compani", "offic"]),
        ("de", "Die Kündigungen der Häuser", ["kundig", "haus"]),
        ("de", "Straße STRASSE Müller Mueller", ["strass", "strass", "mull", "mull"]),
        ("fr", "L’assurance des œuvres d'art", ["assur", "oeuvr", "art"]),
        ("es", "las informaciones, una información", ["inform", "inform"]),
        ("it", "dell'università della città", ["univers", "citt"]),
        ("pt", "não há informações", ["inform"]),
        ("nl", "de verzekeringen van het huis", ["verzekeer", "huis"]),
        ("sv", "försäkringar på Malmö", ["forsakring", "malmo"]),
        ("da", "forsikringer på Ærø", ["forsikring", "aero"]),
        ("no", "forsikringer på øya", ["forsikring", "oya"]),
        ("fi", "vakuutukset ovat talossa", ["vakuutuks", "talo"]),
        ("ru", "Ещё страховые полисы в домах", ["страхов", "полис", "дом"]),
        ("uk", "страхові поліси в її домі", ["страхові", "поліси", "домі"]),
        ("pl", "Łódź i ubezpieczenia", ["lodz", "ubezpieczen"]),
        ("tr", "İSTANBUL ve su", ["istanbul", "su"]),
        ("el", "οι ασφαλίσεις της Αθήνας", ["ασφαλ", "αθην"]),
        ("ar", "الكِتَابُ ٢٠٢٤", ["كتاب", "2024"]),
        ("he", "הַסֵּפֶר", ["הספר"]),
        ("hi", "किताबें", ["किताब"]),
        ("ta", "புத்தகங்கள்", ["புத்தகம்"]),
        ("zh", "保险合同 ABC公司", ["保险", "险合", "合同", "abc", "公司"]),
        ("zh", "猫", ["猫"]),
        ("ja", "カメラ・ガラス", ["カメ", "メラ", "ガラ", "ラス"]),
        ("ko", "보험 계약서", ["보험", "계약", "약서"]),
        ("th", "ภาษา", ["ภา", "าษ", "ษา"]),
        ("lo", "ລາວ", ["ລາ", "າວ"]),
        ("km", "ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("my", "မြန်", ["မြ", "ြန", "န်"]),
        (None, "the invoices", ["invoic"]),
        ("zz", "the invoices", ["the", "invoices"]),
        ("en-GB", "the invoices", ["invoic"]),
        ("nb", "forsikringer på øya", ["forsikring", "oya"]),
    ],
)
def test_each_language_has_its_stems_and_function_words(
    language: str | None, text: str, terms: list[str]
) -> None:
    assert ANALYZER.terms(text, language) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("POL-2024/88-A", ["pol", "2024", "88", "pol202488a"]),
        ("INV-2025-0417", ["inv", "2025", "0417", "inv20250417"]),
        ("pol-88213-x", ["pol", "88213", "x", "pol88213x"]),
        ("POL88213X", ["pol88213x", "pol", "88213", "x"]),
        ("ISO-27001", ["iso", "27001", "iso27001"]),
        ("ISO27001", ["iso27001", "iso", "27001"]),
        ("mp3", ["mp3"]),
        ("v2.3.1", ["v2", "3", "1", "v2.3.1", "2.3.1"]),
        ("a@b.ch", ["b", "ch", "a@b.ch"]),
        ("chunk_no", ["chunk", "chunkno"]),
        ("report.pdf", ["report", "pdf", "report.pdf"]),
        ("e-mail", ["e", "mail", "email"]),
        ("state-of-art", ["state", "art"]),
        ("U.S.A.", ["usa"]),
        ("30.11.2024", ["30.11.2024", "30", "11", "2024"]),
        ("12.5kg", ["12.5", "kg", "12.5kg"]),
        ("CHF1'240.50", ["1240.50", "1240", "chf", "chf1240.50"]),
        ("10 m²", ["10", "m2"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_identifier_is_kept_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert ANALYZER.terms(text, "en") == terms
    assert ANALYZER.terms(f"({text}),", "en") == terms


@pytest.mark.parametrize("written", ["POL 88213 X", "pol-88213-x", "POL88213X", "pol/88213.x"])
@pytest.mark.parametrize("asked", ["POL 88213 X", "pol-88213-x", "POL88213X"])
def test_an_identifier_is_found_however_it_is_punctuated(written: str, asked: str) -> None:
    document, query = ANALYZER.terms(written, "en"), ANALYZER.query_terms(asked, ["en"])
    assert {"pol", "88213", "x"} <= set(document) & set(query)
    if " " not in written:
        assert "pol88213x" in set(document) & set(query)


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("1,240.00", ("1240",)),
        ("1'240.00", ("1240",)),
        ("1.240,00", ("1240",)),
        ("1240.00", ("1240",)),
        ("1,240", ("1240",)),
        ("1,240,500", ("1240500",)),
        ("1240,5", ("1240.5", "1240")),
        ("0.05", ("0.05",)),
        ("0,125", ("0.125",)),
        ("5.10", ("5.10",)),
        ("30/11/2024", ("30.11.2024", "30", "11", "2024")),
        ("1,2,3", ()),
        ("2024/25", ()),
        ("12a.5", ()),
    ],
)
def test_a_number_has_one_form_whatever_the_country(written: str, terms: tuple[str, ...]) -> None:
    assert canonical_number(written) == terms


def test_a_query_word_is_stemmed_by_every_language_of_the_corpus() -> None:
    assert ANALYZER.query_terms("libraries assurances", ["en", "fr"]) == [
        "librari",
        "librar",
        "assur",
    ]


@pytest.mark.parametrize(
    ("query", "corpus_languages", "terms"),
    [
        ("die Kündigung der Police", ["en", "de"], ["kundigung", "kundig", "polic"]),
        ("how do people die", ["en", "de"], ["peopl", "die"]),
        ("die", ["en", "de"], ["die"]),
        ("what is the policy", ["en"], ["polici"]),
        ("the of", ["en"], []),
        ("", ["en"], []),
        ("invoices", [], ["invoic"]),
        ("policy policy policies", ["en"], ["polici"]),
    ],
    ids=["german", "english", "ambiguous", "plain", "only-stops", "empty", "no-language", "repeat"],
)
def test_function_words_of_the_language_of_a_query_are_dropped(
    query: str, corpus_languages: list[str], terms: list[str]
) -> None:
    assert ANALYZER.query_terms(query, corpus_languages) == terms


PHONES = [
    "+49 30 123456",
    "+4930123456",
    "+49-30-123456",
    "+49 (30) 123456",
    "+49 (0)30 123456",
    "+49/30/123456",
    "+49.30.123 456",
    "+49\u00a030\u202f123\u2011456",
    "0049 30 123456",
    "004930123456",
    "0049-30-12 34 56",
    "00 49 30 123456",
    "Tel.: +49 30 / 123 456, Fax -99",
]


@pytest.mark.parametrize("asked", PHONES)
def test_a_telephone_number_is_found_however_it_is_written(asked: str) -> None:
    wanted = ANALYZER.query_terms(asked, ["de"])
    assert "4930123456" in wanted
    for written in PHONES:
        assert "4930123456" in ANALYZER.terms(f"Anruf unter {written} bis 17 Uhr", "de")


@pytest.mark.parametrize("text", ["0030 kg", "1000 2000 3000", "+5 12 kg", "3+49301234567", "00 7"])
def test_other_numbers_have_the_terms_of_their_tokens_and_no_more(text: str) -> None:
    tokens = [term for token in text.split() for term in ANALYZER.terms(token, "en")]
    assert ANALYZER.terms(text, "en") == tokens


@given(st.text(st.sampled_from("+0491 -/.()a\n"), max_size=40))
def test_telephone_numbers_take_no_term_away_and_change_no_other(text: str) -> None:
    tokens = [term for token in text.split() for term in token_terms(token, "en", None)]
    terms = ANALYZER.terms(text, "en")
    rest = iter(terms)
    assert all(term in rest for term in tokens), "in their order"
    added = Counter(terms) - Counter(tokens)
    assert all(term.isdecimal() and 8 <= len(term) <= 15 for term in added)
    assert set(added) <= set(ANALYZER.query_terms(text, ["en"]))


@given(
    st.text(st.characters(codec="ascii", exclude_categories=["C", "Z"]), max_size=20),
    st.text(st.sampled_from(".,;:!?()[]{}<>'\"*/-+=&%$#@|~^`"), max_size=3),
    st.sampled_from(["en", "de", "fr", "zz"]),
)
def test_what_stands_around_a_token_and_its_case_change_no_term(
    token: str, around: str, language: str
) -> None:
    terms = token_terms(token, language, None)
    assert token_terms(f"{around}{token}{around}", language, None) == terms
    assert token_terms(token.upper(), language, None) == terms
    # A soft hyphen counts for nothing, and has the token looked at sign by sign.
    assert token_terms(f"{token}\u00ad", language, None) == terms


@given(st.text(), languages | st.none())
def test_any_text_gives_short_terms_and_the_same_every_time(
    text: str, language: str | None
) -> None:
    terms = ANALYZER.terms(text, language)
    assert all(0 < len(term) <= MAX_TERM_CHARACTERS for term in terms)
    assert not any(character.isspace() for term in terms for character in term)
    assert TextAnalyzer().terms(text, language) == terms


@given(st.text(), st.lists(languages, max_size=3))
def test_query_terms_are_distinct_and_never_empty(text: str, codes: list[str]) -> None:
    terms = ANALYZER.query_terms(text, codes)
    assert len(terms) == len(set(terms))
    assert all(terms)
    assert ANALYZER.query_terms(text, codes) == terms


@given(st.text(st.sampled_from("aB3é.-/'@_&,: 保ภ้й\u0301x"), max_size=30), languages)
def test_a_document_is_found_by_any_word_of_its_own_text(text: str, language: str) -> None:
    for token in text.split():
        held = set(ANALYZER.terms(text, language))
        asked = ANALYZER.query_terms(token, [language])
        kept = ANALYZER.terms(token, language)
        assert set(kept) <= held
        assert not kept or set(asked) & held


@given(st.lists(st.text(min_size=1), max_size=6), languages)
def test_the_terms_of_a_text_are_those_of_its_lines(lines: list[str], language: str) -> None:
    parts = [term for line in lines for term in ANALYZER.terms(line, language)]
    assert ANALYZER.terms("\n".join(lines), language) == parts


@pytest.mark.parametrize("language", sorted(SNOWBALL))
def test_every_stemmer_we_name_exists_and_is_case_blind(language: str) -> None:
    assert ANALYZER.terms("Metropolitan", language) == ANALYZER.terms("metropolitan", language)
    assert len(ANALYZER.terms("metropolitan", language)) == 1


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_a_text_of_function_words_alone_has_no_terms(language: str) -> None:
    words = " ".join(sorted(STOP_WORDS[language]))
    assert ANALYZER.terms(words, language) == []
    # Python's upper-case of the Turkish i is another Turkish letter.
    assert language == "tr" or ANALYZER.terms(words.upper(), language) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("é", "e\u0301"), ("ﬁn", "fin"), ("Ａ１２", "A12"), ("co\u00adop", "coop"), ("１2", "12")],
    ids=["composed", "ligature", "full-width", "soft-hyphen", "digits"],
)
def test_spellings_that_look_the_same_are_the_same(one: str, other: str) -> None:
    assert ANALYZER.terms(one, "zz") == ANALYZER.terms(other, "zz")


@pytest.mark.parametrize(
    ("one", "other"),
    [("мой", "мои"), ("がき", "かき")],
    ids=["cyrillic", "kana"],
)
def test_marks_that_make_another_letter_are_kept(one: str, other: str) -> None:
    assert ANALYZER.terms(one, "zz") != ANALYZER.terms(other, "zz")


def test_a_text_without_spaces_is_no_trouble() -> None:
    assert all(
        len(term) <= MAX_TERM_CHARACTERS
        for text in ("x" * 100_000, "1," * 50_000, "a-" * 50_000, "保" * 50_000)
        for term in ANALYZER.terms(text, "en")
    )


def test_threads_share_the_stemmers_safely() -> None:
    words = [f"{head}{tail}" for head in map(chr, range(97, 123)) for tail in LONG_WORDS]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda word: ANALYZER.terms(word, "en"), words * 4))
    assert results == [ANALYZER.terms(word, "en") for word in words] * 4


LONG_WORDS = ["nationalisations", "conditionally", "hopefulness", "organizers", "relationships"]


@given(
    words=st.lists(
        st.text(max_size=12) | st.sampled_from(["the", "der", "straße", "naïve", "х-1"])
    ),
    language=st.sampled_from([None, "en", "de", "tr", "ru", "el", "id", "xx"]),
)
def test_many_words_at_once_have_the_terms_they_have_alone(
    words: list[str], language: str | None
) -> None:
    folded = [word.casefold() for word in words]
    together = ANALYZER.word_terms(folded, language)
    assert [list(terms) for terms in together] == [
        ANALYZER.terms(word, language) for word in folded
    ]
