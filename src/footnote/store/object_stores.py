"""Opens object stores, and says in our words what they refuse."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn, cast
from urllib.parse import urlsplit

from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from footnote.errors import UnsupportedSettings
from footnote.store.object_store_options import WrongOption, checked_options
from footnote.validation.text import NamedTwice, members_once

if TYPE_CHECKING:
    # They are there for type checkers alone.
    from obstore.store import ClientConfig, S3Config

_CONNECTING = "5s"
_RETRIES = 3
_RETRY_SECONDS = 30

_S3 = ("s3", "s3a")
_AZURE = ("az", "abfs", "abfss")
_SCHEMES = (*_S3, "gs", *_AZURE, "memory")
_PLACE = re.compile(r"[A-Za-z0-9._$-]+(@[A-Za-z0-9.-]+)?")
"""A bucket or a container; Azure's may name its account as well."""

_KEYS = {
    "s3": '{"access_key_id": "…", "secret_access_key": "…", "region": "…"}',
    "gs": '{"service_account": "/path/of/the/key.json"}',
    "az": '{"account_name": "…", "account_key": "…"}',
}
_ENDPOINT = '{"endpoint": "https://minio.example:9000"}'

_METADATA = ("169.254.169.254", "metadata.google.internal", "/computeMetadata/")
"""Where a store looks for the identity of the machine once it was given no other."""
_PREFACE = re.compile(r"^(Generic \w+ error: |Error performing [\w ]*?request: )+")
_IN_THE_ADDRESS = re.compile("URL error|URL did not match|empty host|invalid port")
_EXCHANGE = re.compile(
    r"Error performing [A-Z]+ \S+ in \S+"
    r"(, after \d+ retries, max_retries: \d+, retry_timeout: \S+)? +- "
)
_ANSWERED = re.compile(r"Server returned non-2xx status code: (\d{3}[^:]*)")


def names_a_place(url: str) -> bool:
    """Whether an address of an object store holds the name of a bucket or a container."""
    try:
        return urlsplit(url).scheme == "memory" or bool(_PLACE.fullmatch(urlsplit(url).netloc))
    except ValueError:
        return False


def store_at(url: str, options: str | None, url_name: str, options_name: str) -> ObjectStore:
    """The object store at the URL; nothing is reached yet.

    `options` is a JSON object of what it wants to know. Raises UnsupportedSettings, naming the
    setting that is wrong, without a value: it may be secret.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _SCHEMES or not names_a_place(url):
        missing = "no object store" if scheme not in _SCHEMES else "no bucket or container"
        raise _wrong_address(url_name, f"it names {missing}")
    given = _object_in(options, options_name)
    if scheme == "memory":
        return from_url(url)
    try:
        config = checked_options(given, _vendor_of(url))
    except WrongOption as error:
        _refuse(options_name, str(error), _keys_of(url), error)
    try:
        return from_url(
            url,
            config=cast("S3Config", config.store),  # each store has its own
            client_options=cast("ClientConfig", {"connect_timeout": _CONNECTING, **config.client}),
            retry_config={
                "max_retries": _RETRIES,
                "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
            },
        )
    except (ValueError, BaseError) as error:
        if _IN_THE_ADDRESS.search(str(error)):
            raise _wrong_address(url_name, said_by_store(error)) from error
        _refuse(options_name, said_by_store(error), _keys_of(url), error)


def _wrong_address(url_name: str, reason: str) -> UnsupportedSettings:
    return UnsupportedSettings(
        f"The setting {url_name} cannot be used: {reason}.",
        hint="Give s3://bucket/prefix, gs://bucket/prefix or az://container/prefix.",
    )


def _object_in(options: str | None, options_name: str) -> dict[str, object]:
    try:
        given = json.loads(options or "{}", object_pairs_hook=members_once)
    except NamedTwice as error:
        _refuse(options_name, f"it has {error.name!r} more than once", _ENDPOINT, error)
    except ValueError as error:
        _refuse(options_name, "it is not JSON", _ENDPOINT, error)
    if not isinstance(given, dict):
        _refuse(options_name, "it is not a JSON object", _ENDPOINT)
    return given


def _refuse(name: str, reason: str, example: str, cause: Exception | None = None) -> NoReturn:
    raise UnsupportedSettings(
        f"The setting {name} cannot be used: {reason}.",
        hint=f"Set {variable_of(name)} to a JSON object such as {example}.",
    ) from cause


def variable_of(setting: str) -> str:
    """The environment variable of a setting of an object store."""
    return f"FOOTNOTE_{setting.upper()}"


def said_by_store(error: Exception) -> str:
    """What a store says, without the names and the dump of the library's inside."""
    first = str(error).strip().partition("\n")[0]
    if lacks_credentials(error):
        return "it wants credentials, and neither the settings nor this machine have any"
    if "Account must be specified" in first:
        return "it lacks account_name"
    told = _EXCHANGE.sub("", _PREFACE.sub("", first))
    if found := _ANSWERED.search(told):
        return f"it answered {found[1].strip()}"
    if told.startswith("HTTP error"):
        return "it does not answer"
    return told.rstrip(".") or type(error).__name__


def lacks_credentials(error: Exception) -> bool:
    """Whether a store was told no credentials, and this machine has none of its own."""
    return any(place in str(error) for place in _METADATA)


def credentials_hint(url: str, options_name: str) -> str:
    """How to give the store at the URL its credentials."""
    return (
        f"set {variable_of(options_name)} to a JSON object such as {_keys_of(url)}; a public one "
        'wants {"skip_signature": true}'
    )


def _keys_of(url: str) -> str:
    return _KEYS[_vendor_of(url)]


def _vendor_of(url: str) -> str:
    scheme = urlsplit(url).scheme
    return "az" if scheme in _AZURE else "gs" if scheme == "gs" else "s3"
