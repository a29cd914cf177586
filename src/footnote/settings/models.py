"""Kinds of settings that name models, with the address that one is served at behind an @."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator

from footnote.validation.messages import printable
from footnote.validation.served_names import NO_ADDRESS, RENAMED, VENDORS, name_and_address

_SERVER = "MODEL@http://127.0.0.1:8000/v1"
_RERANKERS = ("none", "reader", "local", "cohere", "jina", "voyage", "tei", "vertex")
_NAMED_WITH_AT = ("local", "vertex")
"""Rerankers whose model may have an @ in its name: a folder, a version."""
_NAMED_WITHOUT_AT = ("openai", "ollama", "compatible")
"""Vendors none of whose models has an @ in its name, as those of others have before a version."""


def _name_and_address(text: str, example: str) -> tuple[str, str | None]:
    """The name and the address. Raises ValueError with an example for an invalid address."""
    try:
        return name_and_address(text)
    except ValueError as error:
        raise ValueError(f"{error}; give it in full, such as {example}") from None


def _no_address(example: str) -> ValueError:
    return ValueError(f"behind @ {NO_ADDRESS}; give it in full, such as {example}")


def _checked_writer(text: str) -> str:
    name, url = _name_and_address(text, _SERVER)
    vendor, _, model = name.partition(":")
    if url is None and "@" in name and (not model or vendor in _NAMED_WITHOUT_AT):
        raise _no_address(_SERVER)
    lacks_address = url is None and (not model or vendor == "compatible")
    if not name or lacks_address or (not model and vendor in {"openai", "ollama"}):
        raise ValueError(f"it names no model; give one such as openai:MODEL or {_SERVER}")
    if model and vendor != "compatible" and vendor not in VENDORS:
        now = RENAMED.get(vendor)
        vendor_hint = f"known are {', '.join(sorted(VENDORS))}; a model of any other server is"
        raise ValueError(
            f"the vendor {printable(vendor)} is called {now} now"
            if now
            else f"the vendor {printable(vendor)} is not known; {vendor_hint} compatible:{_SERVER}"
        )
    return text


def _checked_embedder(text: str) -> str:
    example = f"compatible:{_SERVER}"
    name, url = _name_and_address(text, example)
    vendor = re.split("[:@]", name, maxsplit=1)[0]
    if url is None and "@" in name and vendor in _NAMED_WITHOUT_AT:
        raise _no_address(example)
    if url is None and vendor == "compatible":
        raise ValueError(
            f"a model of a server of one's own has its address behind it, such as {example}"
        )
    return text


def _checked_speech(text: str) -> str:
    example = "whisper-1@http://127.0.0.1:8000/v1"
    name, url = _name_and_address(text, example)
    is_folder = "/" in name or (":" in name and not name.startswith("openai:"))
    if url is None and "@" in name and not is_folder:
        raise _no_address(example)
    vendor, _, model = name.partition(":")
    if url is None and model and "/" not in name and vendor in VENDORS - {"openai"}:
        raise ValueError(
            f"the vendor {vendor} is not asked to write recordings down, openai alone is; give a "
            f"model such as openai:whisper-1 or {example}"
        )
    return text


def _checked_reranker(text: str) -> str:
    example = "tei@http://127.0.0.1:8081"
    name, url = _name_and_address(text, example)
    kind = re.split("[:@]", name, maxsplit=1)[0]
    if kind not in _RERANKERS:
        raise ValueError(f"it must begin with one of {', '.join(_RERANKERS)}")
    at = name.removeprefix(kind).startswith("@") or kind not in _NAMED_WITH_AT
    if url is None and "@" in name and at:
        raise _no_address(example)
    return text


def _checked_project(text: str) -> str:
    example = "acme-1234/eu@https://proxy.example.com"
    name, _ = _name_and_address(text, example)
    if "@" in name:
        raise _no_address(example)
    return text


def _each_part(check: Callable[[str], str]) -> AfterValidator:
    """Checks each part of a comma-separated list."""

    def all_checked(text: str) -> str:
        for part in text.split(","):
            if part.strip():
                check(part.strip())
        return text

    return AfterValidator(all_checked)


ModelName = Annotated[str, AfterValidator(_checked_writer)]
ModelNames = Annotated[str, _each_part(_checked_writer)]
EmbedderNames = Annotated[str, _each_part(_checked_embedder)]
SpeechName = Annotated[str, AfterValidator(_checked_speech)]
RerankerName = Annotated[str, AfterValidator(_checked_reranker)]
AddressOfProject = AfterValidator(_checked_project)
