"""Hosted models: their names in settings, and their API keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from footnote.errors import UnsupportedSettings
from footnote.validation.served_names import NO_ADDRESS, name_and_address
from footnote.validation.text import json_fault, members_once

KEYS = "FOOTNOTE_MODEL_KEYS"
_EXAMPLE = 'write {"openai": "…"}, or {"127.0.0.1:8000": "…"} for a model at that address'
_SAME_VENDOR = {"voyageai": "voyage"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model as settings name it: `VENDOR:MODEL`, with `@ADDRESS` if it has one."""

    name: str
    """Without the address; it is displayed, and prices are looked up by it."""
    url: str | None = None
    """Address of its server; None uses the vendor's own."""

    @property
    def vendor(self) -> str:
        """The part before the colon."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """The part after the colon; empty without one."""
        return self.name.partition(":")[2].strip()


def served_model(text: str, setting: str) -> ServedModel:
    """Parse a name. Raises UnsupportedSettings, which names the setting, for an invalid address."""
    try:
        name, url = name_and_address(text)
    except ValueError as error:
        raise UnsupportedSettings(
            f"behind @ in {setting} {NO_ADDRESS}",
            hint="give it in full, such as MODEL@http://127.0.0.1:8000/v1",
        ) from error
    return ServedModel(name=name, url=url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKeys:
    """API keys of hosted models. A vendor's key is never sent to an address that settings name."""

    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By vendor, or by host and port."""

    def of(self, vendor: str, url: str | None) -> str | None:
        """Return the key for a vendor's own service, or for the server at an address."""
        return self.keys.get(key_location(vendor, url))


def key_location(vendor: str, url: str | None) -> str:
    """Return what a key is stored under: the vendor, or the host and port of an address."""
    return _SAME_VENDOR.get(vendor, vendor) if url is None else urlsplit(url).netloc.lower()


def model_keys_from(text: str | None) -> ModelKeys:
    """Parse the keys in the setting. Raises UnsupportedSettings; errors never repeat a key."""
    if text is None:
        return ModelKeys()
    wrong = f"{KEYS} is no JSON object of keys by vendor or address"
    try:
        parsed = json.loads(text, object_pairs_hook=members_once)
    except (ValueError, RecursionError) as error:
        raise UnsupportedSettings(f"{wrong}: {json_fault(error)}", hint=_EXAMPLE) from None
    if not isinstance(parsed, dict):
        raise UnsupportedSettings(wrong, hint=_EXAMPLE)
    for name, key in parsed.items():
        if not isinstance(key, str):
            raise UnsupportedSettings(
                f"{wrong}: what it has for {name!r} is no text", hint=_EXAMPLE
            )
    keys = {}
    for name, key in parsed.items():
        clean = key.strip()
        # An HTTP library would repeat a key that is invalid in a header in its error.
        if not clean or not clean.isascii() or not clean.isprintable() or " " in clean:
            raise UnsupportedSettings(
                f"what {KEYS} has for {name!r} cannot be a key",
                hint="write the key alone, without quotes or spaces",
            )
        service = urlsplit(name).netloc.lower() if "://" in name else name
        keys[_SAME_VENDOR.get(service, service)] = clean
    return ModelKeys(keys=keys)
