"""Personal data that is replaced in what leaves for models elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum


class PersonalData(StrEnum):
    """Kinds of personal data that are told by their form."""

    EMAIL = "email"
    PHONE = "phone"
    IBAN = "iban"
    CARD = "card"
    """Numbers of payment cards."""
    NATIONAL_ID = "national_id"
    """Numbers that states give people: SSN, NINO, IdNr, DNI, NIE, NIR, codice fiscale …"""
    IP = "ip"
    """Addresses of computers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """What is replaced in texts that are sent to hosted models, and what is not sent at all."""

    kinds: frozenset[PersonalData] = frozenset()
    """None: texts are sent as they are."""
    embeddings: bool = True
    """Whether texts for hosted embedders are redacted, too."""
    refuses_media: bool = True
    """Whether pictures and recordings, in which nothing can be replaced, are not sent."""

    @property
    def withholds_media(self) -> bool:
        """Whether a picture or a recording must not be sent."""
        return bool(self.kinds) and self.refuses_media


EVERYTHING = Redaction(kinds=frozenset(PersonalData))
"""The strictest; it holds where nobody said whose text it is."""
NOTHING = Redaction()
"""Texts are sent as they are."""

RedactionSource = Callable[[], Awaitable[Redaction]]
"""Gives what holds at this moment for those whose text is to be sent."""
