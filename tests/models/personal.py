"""A text with personal data of every kind, and how to tell whether any of it left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from footnote.domain.redaction import EVERYTHING, PersonalData, Redaction
from footnote.language.personal_data import personal_data_in
from footnote.ports.redaction import redacting_as

# Examples of documentations; none is anybody's.
VALUES: Mapping[PersonalData, str] = {
    PersonalData.EMAIL: "alice.o'neil@mail.example.com",
    PersonalData.PHONE: "+49 30 901820",
    PersonalData.IBAN: "DE89 3704 0044 0532 0130 00",
    PersonalData.CARD: "4111 1111 1111 1111",
    PersonalData.NATIONAL_ID: "536-90-4399",
    PersonalData.IP: "192.0.2.10",
}
LETTER = (
    "Alice writes from {email} and {ip}, or calls {phone}. She pays from {iban} or with {card}; "
    "her number is {national_id}. Again: {email}."
).format_map({kind.value: value for kind, value in VALUES.items()})
PLACED = (
    "Alice writes from [EMAIL_1] and [IP_1], or calls [PHONE_1]. She pays from [IBAN_1] or with "
    "[CARD_1]; her number is [NATIONAL_ID_1]. Again: [EMAIL_1]."
)


@contextmanager
def redacting(redaction: Redaction = EVERYTHING) -> Iterator[None]:
    """As a workspace that wants this."""

    async def source() -> Redaction:
        return redaction

    with redacting_as(source):
        yield


def text_only(*kinds: PersonalData) -> Redaction:
    """These kinds, with pictures and recordings sent as they are."""
    return Redaction(kinds=frozenset(kinds or PersonalData), refuses_media=False)


def strings_of(value: object) -> Iterator[str]:
    """Every string of what was sent, what is JSON within them included."""
    if isinstance(value, str):
        yield value
        try:
            inner = json.loads(value)
        except ValueError:
            return
        yield from strings_of(inner) if not isinstance(inner, str) else ()
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield str(key)
            yield from strings_of(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from strings_of(each)


def personal_in(sent: object) -> list[str]:
    """What of every kind is in what was sent."""
    return [
        text[found.start : found.end]
        for text in strings_of(sent)
        for found in personal_data_in(text, EVERYTHING.kinds)
    ]
