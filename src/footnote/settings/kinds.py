"""Types of the values of settings, with their validation."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
)

from footnote.domain import DocumentClass
from footnote.domain.backfill import BackgroundWork
from footnote.domain.entities import EntityKind
from footnote.domain.facts import FactKind
from footnote.domain.redaction import PersonalData
from footnote.errors import UnsupportedSettings
from footnote.settings.models import AddressOfProject
from footnote.validation.messages import printable, wrong_value
from footnote.validation.text import duplicate_name

BLEND_WEIGHTS = ("FUSION_WEIGHT_VECTOR", "FUSION_WEIGHT_BM25")
"""Variables of another product, of which the first's share is blend_alpha."""


def default_home() -> Path:
    """The folder for data of this user."""
    import platformdirs  # noqa: PLC0415  # unused where home is set

    return Path(platformdirs.user_data_dir("footnote"))


def _named_folder(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise ValueError("it is empty; name a folder, such as /srv/footnote")
    return value


Folder = Annotated[Path, BeforeValidator(_named_folder)]


def default_alpha() -> float:
    """The share of the dense recall by another product's variables, else 0.7.

    Raises UnsupportedSettings, which names the variable, for an invalid weight.
    """
    dense, lexical = (_weight(name) for name in BLEND_WEIGHTS)
    return dense / total if (total := dense + lexical) else 0.7


def _weight(variable: str) -> float:
    try:
        weight = float(os.environ.get(variable) or 0)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise UnsupportedSettings(
            f"The setting blend_alpha cannot be used: {variable} must be a number of at least 0.",
            hint=f"Set {variable} to another value, or FOOTNOTE_BLEND_ALPHA, which wins over it.",
        )
    return weight


def also(name: str, *variables: str) -> AliasChoices:
    """The variable of a setting, and its names in other products."""
    return AliasChoices(f"FOOTNOTE_{name.upper()}", *variables)


def _checked_url(url: str) -> str:
    """The URL, if libpq accepts it; the message for an invalid one may quote the password."""
    from psycopg import Error, conninfo  # noqa: PLC0415  # slow, and unused without a URL

    try:
        parts = conninfo.conninfo_to_dict(url)
    except (Error, ValueError):
        raise ValueError(_NO_URL) from None
    # A password that should have been percent-encoded ends up in these two.
    hosts, ports = (str(parts.get(part) or "").split(",") for part in ("host", "port"))
    if any("@" in host and host[0] not in "/@" for host in hosts):
        raise ValueError(_NO_URL)
    if not all(port.isdecimal() or not port for port in ports):
        raise ValueError(_NO_URL)
    return url


_NO_URL = (
    "it is not like postgresql://user:password@host:5432/database, or its password holds "
    "characters that must be percent-encoded"
)

DatabaseUrl = Annotated[str, AfterValidator(_checked_url)]


def _checked_urls(urls: str) -> str:
    """Several addresses, separated by single spaces. Raises ValueError."""
    addresses = urls.split()
    if any(url.count("://") > 1 for url in addresses):
        raise ValueError("between several addresses there are spaces, and nothing else")
    try:
        return " ".join(map(_checked_url, addresses))
    except ValueError as error:
        raise ValueError(f"{error}; between several addresses there are spaces") from None


DatabaseUrls = Annotated[str, AfterValidator(_checked_urls)]


def _address_like(*examples: str, least_port: int) -> AfterValidator:
    """Checks that a text is a port, or a host and a port."""

    def checked(text: str) -> str:
        if not _ADDRESS.fullmatch(text) or not least_port <= host_and_port(text)[1] <= _LAST_PORT:
            ports = f"from {least_port} to {_LAST_PORT}"
            raise ValueError(f"it must be a port {ports}, or like {' or '.join(examples)}")
        return text

    return AfterValidator(checked)


_ADDRESS = re.compile(r"(([^:]+|\[[0-9a-fA-F:]+\]):)?[0-9]{1,5}")
_LAST_PORT = 65_535
Address = Annotated[str, _address_like("0.0.0.0:8080", "[::1]:8080", least_port=0)]
MetricsAddress = Annotated[str, _address_like("0.0.0.0:9464", "[::1]:9464", least_port=1)]


def host_and_port(address: str) -> tuple[str, int]:
    """Split `host:port`; a port alone is on this computer."""
    host, _, port = address.rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)


def listed(text: str) -> tuple[str, ...]:
    """The members of a setting that joins them by commas."""
    return tuple(member.strip() for member in text.split(",") if member.strip())


def _checked_kinds(text: str) -> str:
    """Kinds of personal data, each once and in one order. Raises ValueError."""
    requested = {member.lower() for member in listed(text)}
    allowed = [kind.value for kind in PersonalData]
    if requested == {"all"}:
        return ",".join(allowed)
    unknown = sorted(requested.difference(allowed))
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is none of {', '.join(allowed)}, or all alone")
    return ",".join(kind for kind in allowed if kind in requested)


def _checked_fact_kinds(text: str) -> str:
    """Kinds of facts, each once and in one order. Raises ValueError."""
    return _at_least_one(text, [kind.value for kind in FactKind], "facts")


def _checked_entity_kinds(text: str) -> str:
    """Kinds of entities, each once and in one order. Raises ValueError."""
    return _at_least_one(text, [kind.value for kind in EntityKind], "entities")


def _checked_classes(text: str) -> str:
    """Classes of documents, each once and in one order. Raises ValueError."""
    return _members(text, [document_class.value for document_class in DocumentClass])


def _at_least_one(text: str, allowed: Sequence[str], switch: str) -> str:
    """At least one of `allowed`; the setting `switch` is for none."""
    if not listed(text):
        raise ValueError(
            f"it names no kind; name some of {', '.join(allowed)}, or set {switch} to false to "
            f"extract no {switch}"
        )
    return _members(text, allowed)


def _members(text: str, allowed: Sequence[str]) -> str:
    requested = {member.lower() for member in listed(text)}
    unknown = sorted(requested.difference(allowed))
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is none of {', '.join(allowed)}")
    return ",".join(member for member in allowed if member in requested)


def _checked_policy(text: str) -> str:
    tokens = text.removeprefix("balanced-")
    if text not in ("balanced", "characters-900-120", "tokens-512-50") and not (
        text != tokens and tokens.isdecimal() and 32 <= int(tokens) <= 4000
    ):
        raise ValueError(
            "say balanced, balanced-32 to balanced-4000, characters-900-120 or tokens-512-50"
        )
    return text


def _matching(pattern: str, needed: str) -> AfterValidator:
    """Checks that a text matches a pattern; `needed` is the message."""

    def checked(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(needed)
        return text

    return AfterValidator(checked)


LogLevel = Annotated[
    str,
    _matching(
        "(json:)?(debug|info|warning|error)|json",
        "it must be debug, info, warning or error, with json: before it for lines of JSON, such as "
        "json:info",
    ),
]
OcrChoice = Annotated[
    str,
    _matching(
        "(auto|tesseract|rapidocr|off)(:[a-zA-Z_+]+)?",
        "it must be auto, tesseract, rapidocr or off; behind a colon may stand auto, or codes of "
        "languages joined by +, such as tesseract:deu+fra",
    ),
]
GoogleProject = Annotated[
    str,
    _matching(
        "([^/@]+(/[^/@]+)?(@.+)?)?",
        "it must be a project, which a location may follow behind / and an address behind @, such "
        "as acme-1234, acme-1234/eu or acme-1234/eu@https://proxy.example.com",
    ),
    AddressOfProject,
]
ChunkPolicyName = Annotated[str, AfterValidator(_checked_policy)]
RedactedKinds = Annotated[str, AfterValidator(_checked_kinds)]


def _checked_work(text: str) -> str:
    """Kinds of background work, each once and in one order. Raises ValueError."""
    return _members(text, [kind.value for kind in BackgroundWork])


PausedWork = Annotated[str, AfterValidator(_checked_work)]
FactKinds = Annotated[str, AfterValidator(_checked_fact_kinds)]
EntityKinds = Annotated[str, AfterValidator(_checked_entity_kinds)]
DocumentClasses = Annotated[str, AfterValidator(_checked_classes)]


def _former_switch(true: str) -> BeforeValidator:
    """Accepts a former switch, of which `true` is the meaning. A number is rejected."""
    names = {"true": true, "1": true, "false": "off", "0": "off"}
    return BeforeValidator(
        lambda value: (
            names.get(str(value).lower(), value) if isinstance(value, bool | str) else value
        )
    )


MadeBy = Annotated[Literal["off", "rules", "model"], _former_switch("rules")]
Clustered = Annotated[Literal["off", "documents", "chunks", "all"], _former_switch("documents")]


class EmbeddingOptions(BaseModel, extra="forbid", frozen=True):
    """What fastembed and hosted embedders were trained with, where nobody knows it of them."""

    max_tokens: Annotated[int, Field(ge=16)] | None = None
    query_prompt: str = ""
    document_prompt: str = ""


_Seconds = Annotated[float, Field(gt=0, le=86_400)]
"""A day at most: what takes longer is stuck."""


class Timeouts(BaseModel, extra="forbid", frozen=True):
    """The longest that something may take, in seconds."""

    search: _Seconds = 60.0
    answer: _Seconds = 120.0
    parse: _Seconds = 300.0
    fetch: _Seconds = 30.0
    worker: _Seconds = 10.0
    replica: Annotated[float, Field(ge=0.5, le=86_400)] = 10.0


class AnswerLimits(BaseModel, extra="forbid", frozen=True):
    """What a model may write and read for an answer, and what an agent may spend."""

    tokens: Annotated[int, Field(ge=16)] = 1024
    context_tokens: Annotated[int, Field(ge=512)] | None = None
    agent_cost_usd: Annotated[float, Field(gt=0)] | None = None


class DocumentLimits(BaseModel, extra="forbid", frozen=True):
    """What a document may take, and how many may wait."""

    bytes: Annotated[int, Field(ge=1)] = 200 * 1024 * 1024
    memory_bytes: Annotated[int, Field(ge=256 * 1024**2)] = 4 * 1024**3
    pictures: Annotated[int, Field(ge=1, le=500)] = 20
    attempts: Annotated[int, Field(ge=1, le=50)] = 5
    queued: Annotated[int, Field(ge=1)] = 10_000


def json_of(record: type[BaseModel]) -> BeforeValidator:
    """A text with such a record as a JSON object; in Python a mapping is accepted too."""

    def checked(value: object) -> object:
        text = json.dumps(value) if isinstance(value, Mapping) else value
        if not isinstance(text, str):
            return text
        if (name := duplicate_name(text)) is not None:
            raise ValueError(f"{printable(name)} is there more than once in one object")
        try:
            record.model_validate_json(text)
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
            members = ", ".join(record.model_fields)
            inside = ".".join(map(str, wrong["loc"]))
            raise ValueError(
                f"it must be a JSON object with some of {members}"
                + (f"; {inside}: {wrong_value(wrong, with_value=False)}" if inside else "")
            ) from None
        return text

    return BeforeValidator(checked)
