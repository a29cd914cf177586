"""Find national identity numbers by their form and, where they have them, check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stdnum.cn import ric
from stdnum.de import idnr, stnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.us import itin, ssn

_SPACES = " \u00a0\u2009\u202f"


@dataclass(frozen=True, slots=True, kw_only=True)
class NationalId:
    """One kind of national identity number."""

    name: str
    form: re.Pattern[str]
    holds: Callable[[str], bool]
    """Whether a number of that form is valid by its check digit and its parts."""


def _any(_: str) -> bool:
    return True


def _formed(pattern: str) -> re.Pattern[str]:
    """Compile the pattern, with `~` for white space, so that no word or number adjoins a match."""
    spaced = pattern.replace("[-~]", f"[-{_SPACES}]").replace("~", f"[{_SPACES}]")
    return re.compile(
        rf"(?<![^\W_])(?<!\d[.,/-])(?:{spaced})(?![^\W_])(?![.,/-]\d)", re.IGNORECASE | re.ASCII
    )


NATIONAL_IDS = (
    NationalId(
        name="US SSN",  # It has no check digit, so only in its usual writing.
        form=_formed(r"\d{3}(?P<sep>[-~])\d{2}(?P=sep)\d{4}"),
        holds=lambda number: ssn.is_valid(_dashed(number)) or itin.is_valid(_dashed(number)),
    ),
    NationalId(
        name="UK NINO",  # The letters as HMRC allots them; it has no check digit.
        form=_formed(
            r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
            r"~?\d{2}~?\d{2}~?\d{2}~?[A-D]"
        ),
        holds=_any,
    ),
    NationalId(
        name="German IdNr",
        form=_formed(r"\d{2}~?\d{3}~?\d{3}~?\d{3}"),
        holds=idnr.is_valid,
    ),
    NationalId(
        name="German Steuernummer",  # Its checks differ by state; only in its usual writing.
        form=_formed(r"\d{2,3}/\d{3,4}/\d{4,5}"),
        holds=stnr.is_valid,
    ),
    NationalId(
        name="Spanish DNI",
        form=_formed(r"(?:\d{8}|\d{2}\.\d{3}\.\d{3})[-~]?[A-Z]"),
        holds=lambda number: dni.is_valid(number.replace(".", "")),
    ),
    NationalId(
        name="Spanish NIE",
        form=_formed(r"[XYZ][-~]?(?:\d{7}|\d\.\d{3}\.\d{3})[-~]?[A-Z]"),
        holds=lambda number: nie.is_valid(number.replace(".", "")),
    ),
    NationalId(
        name="French NIR",
        form=_formed(r"[12]~?\d{2}~?\d{2}~?(?:\d{2}|2[AB])~?\d{3}~?\d{3}~?\d{2}"),
        holds=nir.is_valid,
    ),
    NationalId(
        name="Italian codice fiscale",
        form=_formed(
            r"[A-Z]{3}~?[A-Z]{3}~?[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}~?[A-Z][\dL-NP-V]{3}[A-Z]"
        ),
        holds=codicefiscale.is_valid,
    ),
    NationalId(
        name="Chinese resident identity number",
        form=_formed(r"[1-9]\d{5}~?(?:18|19|20)\d{6}~?\d{3}[\dX]"),
        holds=ric.is_valid,
    ),
)


def national_ids_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans of national identity numbers in a text, kind by kind."""
    for kind in NATIONAL_IDS:
        for match in kind.form.finditer(text):
            if kind.holds(re.sub(f"[{_SPACES}]", " ", match.group())):
                yield match.span()


def _dashed(number: str) -> str:
    return number.replace(" ", "-")
