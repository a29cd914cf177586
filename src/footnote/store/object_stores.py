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

if TYPE_CHECKING:
    # It is there for type checkers alone.
    from obstore.store import S3Config

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
        raise UnsupportedSettings(
            f"The setting {url_name} cannot be used: it names {missing}.",
            hint="Give s3://bucket/prefix, gs://bucket/prefix or az://container/prefix.",
        )
    config = _config(options, options_name)
    if scheme == "memory":
        return from_url(url)
    try:
        return from_url(
            url,
            config=cast("S3Config", config),  # each store has its own, and checks it
            client_options={
                "allow_http": config.get("endpoint", "").startswith("http://"),
                "connect_timeout": timedelta(seconds=5),
            },
            retry_config={
                "max_retries": _RETRIES,
                "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
            },
        )
    except (ValueError, BaseError) as error:
        _refuse(options_name, said_by_store(error), _keys_of(url), error)


def _config(options: str | None, options_name: str) -> dict[str, str]:
    try:
        given = json.loads(options or "{}")
    except ValueError as error:
        _refuse(options_name, "it is not JSON", _ENDPOINT, error)
    if not isinstance(given, dict):
        _refuse(options_name, "it is not a JSON object", _ENDPOINT)
    config = {name: _word(value) for name, value in given.items()}
    endpoint = config.get("endpoint", "http://")
    if not endpoint.startswith(("http://", "https://")):
        _refuse(options_name, "its endpoint begins with neither https:// nor http://", _ENDPOINT)
    return config


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    if found := re.search(r"Configuration key: '([^']*)' is not valid", first):
        return f"it holds {found[1]!r}, and the store knows no such option"
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
    scheme = urlsplit(url).scheme
    return _KEYS["az" if scheme in _AZURE else "gs" if scheme == "gs" else "s3"]
