"""Addresses and keys of served models: one for all vendors, or one for each."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from footnote.errors import UnsupportedSettings


def for_vendor(
    value: str | None, vendor: str, setting: str, example: str
) -> tuple[str | None, bool]:
    """A setting's value for a vendor, and whether it is that vendor's own.

    That is the value itself, or its entry if it is a JSON object by vendor. Raises
    UnsupportedSettings, which names the setting and gives the example.
    """
    if value is None or not value.lstrip().startswith("{"):
        return value, False
    try:
        found = json.loads(value).get(vendor)
    except (ValueError, RecursionError):
        # Not chained, and the value not repeated: it may hold keys.
        raise UnsupportedSettings(
            f"{setting} is neither one value nor a JSON object by vendor", hint=f"write {example}"
        ) from None
    return (None, False) if found is None else (str(found), True)


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
