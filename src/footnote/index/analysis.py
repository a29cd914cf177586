"""Analyse text into the terms of the lexical index, the same way for documents and queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from footnote.index.stemming import analysis_language, is_stop_word, stems_of
from footnote.index.tokens import as_identifier, terms_by_token, token_terms, words
from footnote.language.calendar import MONTHS
from footnote.language.dates import complete_dates

# Words that need no folding or splitting.
_PLAIN_WORD = re.compile("[a-zà-öø-ÿа-я]{1,40}")
_JOINED_TOKENS = 3
_JOINED_CHARACTERS = 24
_CODE_CHARACTERS = 34  # What an IBAN has at most.
_NARROW_GAP = re.compile("(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_IBAN = re.compile("(?<![0-9A-Z])[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}(?![0-9A-Z])")
_NUMBERED_MONTHS = ("ja", "ko", "zh")
_IBAN_GROUP = re.compile(".{1,4}")
_FEWEST_DIGITS = 8
_MAX_DIGITS = 15  # E.164, the country's included
_GAP = "[ \u00a0\u2009\u202f./()\u2010-\u2013-]{1,3}"
_PHONE = re.compile(
    # First the characters that begin one, which is fast, then the look-behind.
    r"[+0](?<![\w+].)(?:(?<=\+)[ ]?|0[ -]?)\(?(?P<number>[1-9][0-9]{0,14}(?!\w)"
    rf"(?:{_GAP}[0-9]{{1,14}}(?!\w)){{0,7}})"
)
_TRUNK = re.compile(r"\(0\)")
_DIGITS = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class TextAnalyzer:
    """The analyzer of the index (`ports.Analyzer`); it has no state.

    A word is normalised (NFKC, case, digits), dropped if it is a function word of its language,
    stemmed (Snowball) and freed of accents. Chinese, Japanese, Korean, Thai, Lao, Khmer and
    Burmese runs become pairs of characters. An identifier is kept whole, without its punctuation,
    and in parts: `POL-2024/88-A` gives `pol`, `2024`, `88` and `pol202488a` (the `a` is an
    English function word). Numbers have one form: `1,240.00` and `1240` meet, and so do
    `+49 30 123456` and `0049-30-123456`.

    A text of unknown language (None) is analysed as English. A language without a stemmer
    keeps its words as they are.
    """

    def terms(self, text: str, language: str | None) -> list[str]:
        """Return all terms of the text, in order, with repetitions; never an empty string."""
        code = analysis_language(language)
        lookup = terms_by_token(code)
        terms: list[str] = []
        has_phone_number = ("+" in text or "00" in text) and _PHONE.search(text) is not None
        for line in text.split("\n") if has_phone_number else (text,):
            terms += chain.from_iterable(map(lookup.__getitem__, _tokens(line)))
            if has_phone_number:
                terms += _phone_terms(line)
        return terms

    def word_terms(self, words: Sequence[str], language: str | None) -> Sequence[tuple[str, ...]]:
        """Return the terms of each case-folded word, as `terms` does; fast for very many."""
        code = analysis_language(language)
        plain_words = [word for word in words if _PLAIN_WORD.fullmatch(word)]
        stems = {
            word: (stem,) if stem else ()
            for word, stem in zip(plain_words, stems_of(plain_words, code), strict=True)
        }
        return [stems[word] if word in stems else tuple(_fresh_terms(word, code)) for word in words]

    def query_terms(self, text: str, languages: Sequence[str]) -> list[str]:
        """Return the distinct search terms of a query, given the languages of the corpus.

        Every word is analysed in each language, and in English for documents of unknown
        language, since each carries its own stems. Function words of the language the query
        seems to be written in (the one with most of them in it) are dropped from all: the
        `die` of a German question must not find English obituaries, where it is rare and so
        weighs much. Neighbouring tokens with a digit among them are also sought in one piece,
        so that `POL 88213 X` finds `POL-88213-X`, an IBAN also in its groups of four, and a date
        also in its other spellings: `2024-06-03` finds `3 June 2024` and `03.06.2024`.

        A query of function words alone has no terms in documents either: the result is empty.
        """
        codes = list(dict.fromkeys([*map(analysis_language, languages), "en"]))
        tokens = _tokens(text)
        query_language = _detect_query_language(tokens, codes)
        terms = _distinct_terms(tokens, codes, query_language) or _distinct_terms(
            tokens, codes, None
        )
        joined = [*_joined_neighbours(tokens), *_joined_codes(tokens)]
        variants = _distinct_terms(_spelling_variants(text, codes), codes, None)
        phones = [form for _, forms in _phone_numbers(text) for form in forms]
        dialled_forms = [f"00{form}" for form in phones]
        return list(dict.fromkeys([*terms, *joined, *variants, *phones, *dialled_forms]))

    def language_of(self, text: str, languages: Sequence[str]) -> str | None:
        """Detect the language with most function words in the text, else the corpus's first.

        Only languages of the corpus and English are considered. None when there is neither a
        function word nor a language of the corpus.
        """
        codes = list(dict.fromkeys([*map(analysis_language, languages), "en"]))
        return _detect_query_language(text.split(), codes) or (languages[0] if languages else None)


def _fresh_terms(word: str, code: str) -> Iterator[str]:
    for token in _tokens(word):
        yield from token_terms(token, code, None)
    yield from _phone_terms(word)


def _phone_terms(line: str) -> Iterator[str]:
    """Yield the forms of the telephone numbers in a line that its tokens do not yield already."""
    for number_text, forms in _phone_numbers(line):
        existing = {
            term for token in _tokens(number_text) for term in token_terms(token, "en", None)
        }
        yield from (form for form in forms if form not in existing)


def _tokens(text: str) -> list[str]:
    """Split the text at spaces, except at narrow ones that group the digits of a number."""
    return _NARROW_GAP.sub("'", text).split()


def _spelling_variants(text: str, codes: Sequence[str]) -> Iterator[str]:
    """Yield tokens of other spellings of the dates and IBANs in a query."""
    for day in complete_dates(text):
        yield from (f"{day:%Y.%m.%d}", f"{day:%d.%m.%Y}", f"{day:%m.%d.%Y}")
        yield from (f"{day.day}.{day.month}.{day.year}", f"{day.month}.{day.day}.{day.year}")
        yield from (str(day.day), str(day.year))
        for code in codes:
            if code in MONTHS:
                yield MONTHS[code][day.month - 1]
            elif code in _NUMBERED_MONTHS:
                yield str(day.month)
    for account in _IBAN.findall(text):
        yield from _IBAN_GROUP.findall(account)


def _distinct_terms(
    tokens: Iterable[str], codes: Sequence[str], query_language: str | None
) -> dict[str, None]:
    return {
        term: None
        for token in tokens
        for code in codes
        for term in token_terms(token, code, query_language)
    }


def _detect_query_language(tokens: Sequence[str], codes: Sequence[str]) -> str | None:
    """Return the language with most function words among the tokens, the first of equals."""
    counts = {
        code: sum(is_stop_word(word, code) for token in tokens for word in words(token, code))
        for code in codes
    }
    best = max(codes, key=lambda code: counts[code])
    return best if counts[best] else None


def _joined_neighbours(tokens: Sequence[str]) -> list[str]:
    wholes = [as_identifier(token) for token in tokens]
    joined_tokens = []
    for start in range(len(wholes)):
        for stop in range(start + 2, min(start + _JOINED_TOKENS, len(wholes)) + 1):
            group = wholes[start:stop]
            joined = "".join(group)
            if all(group) and len(joined) <= _JOINED_CHARACTERS and any(map(str.isdecimal, joined)):
                joined_tokens.append(joined)
    return joined_tokens


def _joined_codes(tokens: Sequence[str]) -> Iterator[str]:
    """Yield longer runs of tokens that all have a digit, joined: telephone numbers."""
    run: list[str] = []
    for token in (*tokens, ""):
        part = as_identifier(token)
        if any(map(str.isdecimal, part)):
            run.append(part)
            continue
        joined = "".join(run)
        if len(run) > _JOINED_TOKENS and len(joined) <= _CODE_CHARACTERS:
            yield joined
        run = []


def _phone_numbers(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each international number as written, with its digits from the country code on.

    If digits follow, its end is unknown, so there is a form for each group that may be its last:
    `+49 30 123456 7` gives `4930123456` and `49301234567`. So do `0049 30 123456-7` and
    `+49 (0)30/123456 7`. Numbers without a country code are not included.
    """
    for match in _PHONE.finditer(text):
        groups = _DIGITS.findall(_TRUNK.sub(" ", match["number"]))
        forms = tuple(
            form for form in accumulate(groups) if _FEWEST_DIGITS <= len(form) <= _MAX_DIGITS
        )
        if forms:
            yield match.group(), forms
