"""Detect the language of a text, and hold the function words of common languages."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from footnote.language.identifier_files import mapped_identifier

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

DETECTABLE_LANGUAGES = (
    "ar bg bn ca cs da de el en eo es et eu fa fi fr ga he hi hr hu hy id is it ja ka km ko lo lt "
    "lv mk ms my nb ne nl nn no pl pt ro ru sk sl sq sr st sv sw ta te th tr uk ur vi zh"
).split()
"""ISO 639-1 codes to choose from: every language with index rules, and the commonest of the others.

The model's other languages are near relatives that short texts are mistaken for.
"""
_log = structlog.get_logger(__name__)

_MIN_LETTERS = 20
_IDEOGRAPHS_FROM = "\u2e80"
"""Characters from here on count as two letters."""
_MIN_PROBABILITY = 0.6
_FUNCTION_WORDS_THAT_TELL = 2
_MIN_ASCII = 0.9
"""Minimum share of ASCII in the letters of an English passage; names and loan words have others."""
_TELLING_CHARACTERS = 600
"""Most characters of a passage that are checked for whether it is English."""
_WORD = re.compile(r"\w+")
_NORWEGIAN = frozenset(("nb", "nn"))
_YIDDISH = frozenset("און איז פון פֿון נישט ניט דער".split())
"""Yiddish words that Hebrew does not have; the model classifies Yiddish as Hebrew."""

_FUNCTION_WORDS = {
    "en": "the of and to in is are was were be been being a an as at by for from with without on "
    "or not no that this these those it its he she they them their we our you your i my his her "
    "which who whom whose what when where why how all any each both more most other some such "
    "only own same than too very can will just should would could may might must shall do does "
    "did has have had having but if because until while about into through during before after "
    "above below between under over again further then once here there also per via upon within "
    "one two three new use used using see every many much them out up so nor",
    "de": "der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine "
    "ist sind war waren wird werden wurde wurden sein seine seiner ihr ihre ihrer er sie es wir "
    "mit von zu zum zur auf aus bei nach vor für über unter durch gegen ohne um am im in an als "
    "auch wie wenn dass daß so nur noch schon sich hat haben hatte kann können muss soll sollte "
    "dieser diese dieses diesem jede jeder alle mehr sehr bis man was wer welche werden worden "
    "sowie bzw zwischen innerhalb sofern soweit dann hier dort ab je",
    "fr": "le la les l un une des du de d et ou mais ne pas est sont était être été a ont avait "
    "avoir il elle ils elles on nous vous je ce cette ces cet son sa ses leur leurs notre votre "
    "qui que quoi dont où quand comme si par pour avec sans sur sous dans en au aux plus moins "
    "très aussi entre après avant chaque tout tous toute toutes même autres peut doit sera y se",
    "es": "el la los las un una unos unas y o pero no es son era eran ser sido ha han había haber "
    "de del al a en con sin por para sobre entre desde hasta que quien cual cuando donde como si "
    "su sus mi tu nuestro este esta estos estas ese esa eso lo le les se más menos muy también "
    "cada todo todos toda todas otro otra puede debe será según durante tras",
    "it": "il lo la i gli le un uno una e o ma non è sono era erano essere stato ha hanno aveva di "
    "del della dei delle dello degli a al alla ai alle da dal dalla in nel nella con su sul per "
    "tra fra che chi cui quale quando dove come se si più meno molto anche ogni tutto tutti suo "
    "sua loro questo questa questi quello quella può deve sarà",
    "nl": "de het een en of maar niet geen is zijn was waren wordt worden werd heeft hebben had "
    "van in op aan met voor door bij naar uit over onder tussen tot om als dat die dit deze er "
    "hij zij wij ze we je u zijn haar hun ook nog wel meer zeer kan kunnen moet zal zou wat wie",
    "pt": "o a os as um uma uns umas e ou mas não é são era eram ser foi foram tem têm tinha de do "
    "da dos das em no na nos nas ao à com sem por para sobre entre até que quem qual quando onde "
    "como se seu sua seus suas este esta isto esse essa isso ele ela eles mais menos muito também "
    "cada todo todos toda todas pode deve será",
}


_shared_folders: list[Path] = []


def share_identifier_in(folder: Path) -> None:
    """Have this process memory-map the tables of its identifier from files below the folder.

    Otherwise, or where the files cannot be written, the process has its own copy of 53 MB.
    """
    _shared_folders[:] = [folder]


@cache
def language_identifier() -> LanguageIdentifier:
    """Return the language identifier of this process, limited to `DETECTABLE_LANGUAGES`, with
    probabilities."""
    for folder in _shared_folders:
        try:
            return mapped_identifier(folder, DETECTABLE_LANGUAGES, _make_identifier)
        except (OSError, ValueError) as error:
            _log.info("languages_not_mapped", folder=str(folder), reason=str(error))
    return _make_identifier()


def _make_identifier() -> LanguageIdentifier:
    # Most commands detect no language, and start sooner without the import.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    available = set(identifier.labels)
    identifier.set_languages([code for code in DETECTABLE_LANGUAGES if code in available])
    # Rebuilt from the remaining tables, it does not keep the table of all languages (28 MB).
    return LanguageIdentifier(
        identifier.nb_ptc,
        identifier.nb_pc,
        identifier.nb_classes,
        identifier.tk_nextmove,
        identifier.tk_output,
        norm_probs=True,
        tk_row=identifier.tk_row,
    )


@lru_cache(maxsize=8)
def function_words(language: str | None) -> frozenset[str]:
    """Return the function words of a language; the English ones for languages without a list."""
    return frozenset(_FUNCTION_WORDS.get(language or "en", _FUNCTION_WORDS["en"]).split())


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; None when it is too short or unclear.

    A short text, or one whose classification is uncertain, needs function words of the likeliest
    language. Without them the distinct words of a longer text, except those with digits, are
    classified.
    """
    letters = [character for character in text[:400] if character.isalpha()]
    code, probability = language_identifier().classify(text)
    if len(letters) + sum(letter >= _IDEOGRAPHS_FROM for letter in letters) < _MIN_LETTERS:
        return str(code) if _is_in_language(str(code), text) else None
    if probability < _MIN_PROBABILITY and not _is_in_language(str(code), text):
        code, probability = language_identifier().classify(_distinct_words(text))
        if probability < _MIN_PROBABILITY:
            return None
    if code == "he" and len(_YIDDISH.intersection(text[:2000].split())) > 1:
        return "yi"
    return "no" if code in _NORWEGIAN else str(code)


def likeliest_language(text: str) -> str:
    """Return the ISO 639-1 code of the likeliest language of a text, however uncertain."""
    code, _probability = language_identifier().classify(text)
    return "no" if code in _NORWEGIAN else str(code)


def is_english(text: str) -> bool:
    """Return whether a passage is English; one without letters counts as English, for want of a
    better model."""
    sample = text[:_TELLING_CHARACTERS]
    if not any(map(str.isalpha, sample)):
        return True
    if not mostly_ascii(sample):
        return False
    language, _probability = language_identifier().classify(sample)
    return bool(language == "en")


def mostly_ascii(text: str) -> bool:
    """Return whether at least 90 % of its letters are ASCII; also true without letters."""
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(str.isascii, letters)) >= _MIN_ASCII * len(letters)


def _distinct_words(text: str) -> str:
    """Return the distinct words of a text without those that have a digit; column names remain."""
    words = (word for word in _WORD.findall(text) if not any(map(str.isdigit, word)))
    return " ".join(dict.fromkeys(part for word in words for part in word.split("_") if part))


def _is_in_language(language: str, text: str) -> bool:
    """Return whether a text has two function words of a language, and fewer of any other."""
    words = frozenset(word.lower() for word in _WORD.findall(text))
    counts = {code: len(words & function_words(code)) for code in _FUNCTION_WORDS}
    count = counts.pop(language, 0)
    return count >= _FUNCTION_WORDS_THAT_TELL and count > max(counts.values())
