"""Match literal phrases by a chunk's postings, then by its text.

Posting lists have no positions, so a phrase is found in two steps: its terms select candidates, and
the candidates' text decides. Text and phrase are compared by units: runs of letters or of digits,
and single characters of scripts without spaces. Case, accents and what separates units are ignored,
so `POL-88213-X` matches `pol 88213 x` and `POL88213X`, but `the rapist` does not match `therapist`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from footnote.index.stemming import analysis_language, is_stop_word, stem
from footnote.index.tokens import BIGRAMMED_SCRIPTS, folded, mark_ranges, runs, token_terms, words

Alternatives = tuple[tuple[str, ...], ...]
"""Alternative term sets; a chunk must contain all terms of one."""

_MARKED_SCRIPTS = "A-Za-z\u00c0-\u02af\u0370-\u03ff\u0590-\u06ff\u0750-\u077f\u08a0-\u08ff"
_DROPPED_MARKS = re.compile(
    f"(?<=[{_MARKED_SCRIPTS}])"
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+"
)
_PLAIN_LETTERS = {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i"} | {
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}
_STROKED = re.compile(f"[{''.join(_PLAIN_LETTERS)}]")
_DIGITS_OR_LETTERS = re.compile("[0-9]+|[^0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A word sequence to match literally."""

    text: str
    units: tuple[str, ...]
    """Never empty."""
    pattern: re.Pattern[str]

    def occurs_in(self, text: str) -> bool:
        """Whether a text, folded by `folded_text`, contains the phrase."""
        # Substring search is far faster than the pattern, and usually decides.
        return all(unit in text for unit in self.units) and (self.pattern.search(text) is not None)

    def requirements(self, language: str | None) -> tuple[Alternatives, ...]:
        """Return the terms that a chunk in the language must have, one entry for each token.

        A token without an index term, such as a function word, requires nothing.
        """
        code = analysis_language(language)
        requirements = []
        for token in self.text.split():
            for run in runs(token, code):
                alternatives = tuple(dict.fromkeys(_alternatives(run, code)))
                if all(alternatives):
                    requirements.append(alternatives)
        return tuple(requirements)

    def stems(self, language: str | None) -> tuple[str, ...]:
        """Return the term of a phrase that is a single plain word of the language; none
        otherwise."""
        code = analysis_language(language)
        phrase_words = [word for token in self.text.split() for word in words(token, code)]
        if len(self.units) > 1 or len(phrase_words) != 1 or not _is_plain(phrase_words[0], code):
            return ()
        return (stem(phrase_words[0], code),)


def read_phrase(text: str) -> Phrase | None:
    """Parse a phrase; None for a text without a letter or a digit."""
    units = tuple(match.group() for match in _unit_pattern().finditer(folded_text(text)))
    if not units:
        return None
    letter, gap = _letter(), _gap()
    boundary = {"digits": "[0-9]", "letters": letter, "unspaced": None}
    kinds = [_kind(unit) for unit in units]
    pieces = [re.escape(units[0])]
    for (before, after), unit in zip(pairwise(kinds), units[1:], strict=True):
        needs_gap = before == after and before != "unspaced"
        pieces.append(f"{gap}{'+' if needs_gap else '*'}{re.escape(unit)}")
    first, last = boundary[kinds[0]], boundary[kinds[-1]]
    # The look-behind comes after the first unit: a pattern that begins with letters is matched
    # several times faster.
    pieces[0] += f"(?<!{first}{pieces[0]})" if first else ""
    after = f"(?!{last})" if last else ""
    return Phrase(text=text, units=units, pattern=re.compile(f"{''.join(pieces)}{after}"))


def folded_text(text: str) -> str:
    """Fold a text for phrase matching: no case, no accents, ASCII digits."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", folded(text))
    stripped = unicodedata.normalize("NFC", _DROPPED_MARKS.sub("", decomposed))
    return _STROKED.sub(lambda match: _PLAIN_LETTERS[match.group()], stripped)


def _alternatives(run: str, language: str) -> Iterator[tuple[str, ...]]:
    """Yield the terms of a run as a whole, by its words, and by its letters and digits.

    Inside a larger token (`v2.3` in `v2.3.1`) the whole is not in the index, but its words are.
    """
    if re.match(f"[{BIGRAMMED_SCRIPTS}]", run):
        # A single character is in the index only where it stands alone.
        yield tuple(first + second for first, second in pairwise(run))
        return
    yield token_terms(run, language, None)
    pieces = words(run, language)
    yield _terms_of(pieces, language)
    yield _terms_of(
        [part for word in pieces for part in _DIGITS_OR_LETTERS.findall(word)], language
    )


def _terms_of(pieces: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(term for piece in pieces for term in token_terms(piece, language, None))


def _is_plain(word: str, language: str) -> bool:
    return not is_stop_word(word, language) and not re.search(f"[0-9{BIGRAMMED_SCRIPTS}]", word)


def _kind(unit: str) -> str:
    if unit.isdecimal():
        return "digits"
    return "unspaced" if re.match(f"[{BIGRAMMED_SCRIPTS}]", unit) else "letters"


@lru_cache(maxsize=1)
def _unit_pattern() -> re.Pattern[str]:
    return re.compile(f"[0-9]+|[{BIGRAMMED_SCRIPTS}]|{_letter()}+")


@lru_cache(maxsize=1)
def _letter() -> str:
    # `\w` leaves out combining marks, which most scripts of Asia cannot be written without.
    return f"(?:[^\\W\\d_{BIGRAMMED_SCRIPTS}]|[{mark_ranges()}])"


@lru_cache(maxsize=1)
def _gap() -> str:
    return f"(?:[^\\w{mark_ranges()}]|_)"
