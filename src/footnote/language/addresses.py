"""Find postal addresses in a text by a street name with a house number."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_WORD = rf"(?:{_CAPITAL}[\w'’.-]*|\d{{1,3}}(?:st|nd|rd|th))"
_NUMBER = r"\d{1,5}(?:[ ]?[a-z](?![a-z])|[-–/]\d{1,5})?"
_AREA = (
    rf"(?:,?[ \n]{{1,2}}(?:[A-Z]{{1,2}}-)?\d{{4,5}}[ ]{_WORD}(?:[ -]{_WORD}){{0,3}}"
    rf"|,?[ \n]{{1,2}}{_WORD}(?:[ -]{_WORD}){{0,3}},?[ ][A-Z]{{2}}[ ]\d{{5}}(?:-\d{{4}})?"
    rf"|,[ \n]{_WORD}(?:[ -]{_WORD}){{0,2}},?[ ][A-Z]{{1,2}}\d[A-Z\d]?[ ]?\d[A-Z]{{2}})?"
)
"""Postal code and town as in much of Europe, the United States or the United Kingdom."""
_ENGLISH = (
    rf"(?<!\w){_NUMBER}[ ](?:[NSEW]\.?[ ])?(?:{_WORD}[ ]){{1,4}}?"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Way|Court|Ct|Place|Pl|Square|Sq"
    rf"|Highway|Hwy|Parkway|Pkwy|Terrace|Row|Close|Quay|Crescent|Gardens)\b\.?{_AREA}"
)
_GERMAN = (
    rf"(?<!\w){_CAPITAL}[\w-]*(?:[ -]{_CAPITAL}[\w-]*){{0,3}}?"
    r"(?:[ -]?[Ss]tra(?:ß|ss)e|[ -]?[Ss]tr\.|weg|[ -]?[Pp]latz|[ -]?[Aa]llee|gasse|ring|damm|ufer"
    r"|chaussee)"
    rf"[ ]{_NUMBER}(?!\w){_AREA}"
)
_FRENCH = (
    r"(?<!\w)\d{1,4}(?:[ ]?(?:bis|ter))?,?[ ]"
    r"(?:rue|avenue|boulevard|place|quai|chemin|impasse|allée|route|cours)"
    rf"(?:[ ](?:de|du|des|la|le|les|d['’]|l['’]))*[ ]?{_WORD}"
    rf"(?:[ -](?:(?:de|du|des|la)[ ])?{_WORD}){{0,4}}{_AREA}"
)
_SPANISH = (
    rf"(?<!\w)(?:Calle|C/|Avenida|Avda\.|Plaza|Paseo|Camino|Carretera)"
    rf"(?:[ ](?:de|del|la|los|las))*[ ]?{_WORD}"
    rf"(?:[ ](?:(?:de|del|la|y)[ ])*{_WORD}){{0,4}},?"
    rf"[ ](?:n\.?[ ]?[ºo°][ ]?)?\d{{1,4}}(?!\w){_AREA}"
)
_ADDRESS = re.compile(f"{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH}")


def addresses_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans of the addresses in a text, in order, without overlap.

    >>> text = "at 12 High Street, Leeds LS1 4AP, or Hauptstraße 5a, 10115 Berlin, in 2024"
    >>> [text[start:end] for start, end in addresses_in(text)]
    ['12 High Street, Leeds LS1 4AP', 'Hauptstraße 5a, 10115 Berlin']
    """
    for match in _ADDRESS.finditer(text):
        yield match.span()
