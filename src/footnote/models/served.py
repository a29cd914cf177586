"""Models that are served: how settings spell them, and the keys that they are asked with."""

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
    """A model as settings spell it: `VENDOR:MODEL`, with `@ADDRESS` where it is served."""

    name: str
    """Without the address: what people see, and what prices go by."""
    url: str | None = None
    """Of its server; None takes the vendor's own."""

    @property
    def vendor(self) -> str:
        """What stands before the colon."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """What stands behind the colon; empty without one."""
        return self.name.partition(":")[2].strip()


def served_model(text: str, setting: str) -> ServedModel:
    """What the text spells. Raises UnsupportedSettings, which names the setting, for an address."""
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
    """Keys of served models. One of a vendor is never sent to an address that settings name."""

    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By vendor, or by host and port."""

    def of(self, vendor: str, url: str | None) -> str | None:
        """The key for a vendor's own service, or for what is served at an address."""
        return self.keys.get(place_of(vendor, url))


def place_of(vendor: str, url: str | None) -> str:
    """By what the key of a vendor's own service, or of what is served at an address, is found."""
    return _SAME_VENDOR.get(vendor, vendor) if url is None else urlsplit(url).netloc.lower()


def model_keys_from(text: str | None) -> ModelKeys:
    """The keys that the setting holds. Raises UnsupportedSettings; no key is repeated."""
    if text is None:
        return ModelKeys()
    wrong = f"{KEYS} is no JSON object of keys by vendor or address"
    try:
        found = json.loads(text, object_pairs_hook=members_once)
    except (ValueError, RecursionError) as error:
        raise UnsupportedSettings(f"{wrong}: {json_fault(error)}", hint=_EXAMPLE) from None
    if not isinstance(found, dict):
        raise UnsupportedSettings(wrong, hint=_EXAMPLE)
    for name, key in found.items():
        if not isinstance(key, str):
            raise UnsupportedSettings(
                f"{wrong}: what it has for {name!r} is no text", hint=_EXAMPLE
            )
    keys = {}
    for name, key in found.items():
        clean = key.strip()
        # An HTTP library would repeat in its error what no header can hold.
        if not clean or not clean.isascii() or not clean.isprintable() or " " in clean:
            raise UnsupportedSettings(
                f"what {KEYS} has for {name!r} cannot be a key",
                hint="write the key alone, without quotes or spaces",
            )
        place = urlsplit(name).netloc.lower() if "://" in name else name
        keys[_SAME_VENDOR.get(place, place)] = clean
    return ModelKeys(keys=keys)
