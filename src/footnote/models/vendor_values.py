"""The address and the key of a hosted embedder: one for all vendors, or one for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from footnote.errors import (
    UnsupportedSettings,
)

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    pass


def per_vendor(value: str | None, vendor: str) -> str | None:
    """A setting's value for a vendor: itself, or its entry if it is a JSON object by vendor."""
    if value is None or not value.lstrip().startswith("{"):
        return value
    try:
        found = json.loads(value).get(vendor)
    except (ValueError, RecursionError):
        # Not chained, and the value not repeated: it may hold keys.
        raise UnsupportedSettings(
            "FOOTNOTE_EMBEDDING_API_KEY or FOOTNOTE_EMBEDDING_URL is neither one value nor a JSON "
            "object by vendor",
            hint='write {"openai": "…", "cohere": "…"}',
        ) from None
    return None if found is None else str(found)


def checked_url(url: str | None) -> str | None:
    """The address of a server. Raises UnsupportedSettings."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.username
    except ValueError:
        usable = False
    if not usable:
        # The URL is not repeated: it may carry a password.
        raise UnsupportedSettings(
            "FOOTNOTE_EMBEDDING_URL is not an address of http or https without a password",
            hint="give it in full, such as http://127.0.0.1:8000/v1",
        )
    return url


def checked_key(key: str | None) -> str | None:
    """The key, for an HTTP library would repeat one that no header can hold in its error."""
    if key is None:
        return None
    clean = key.strip()
    if not clean or not clean.isascii() or not clean.isprintable() or " " in clean:
        raise UnsupportedSettings(
            "The value of FOOTNOTE_EMBEDDING_API_KEY cannot be an API key.",
            hint="Set it to the key alone, without quotes or spaces.",
        )
    return clean
