"""Open object stores with the options of a setting, and translate their errors to plain words."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, BinaryIO, NoReturn, cast
from urllib.parse import urlsplit

from obstore.exceptions import BaseError, UnknownConfigurationKeyError
from obstore.store import ObjectStore, from_url

from footnote.errors import BlobsFull, UnsupportedSettings
from footnote.validation.text import DuplicateName, json_fault, members_once

if TYPE_CHECKING:
    # They are there for type checkers alone.
    from obstore import GetResult
    from obstore.store import ClientConfig, S3Config

_PIECE_BYTES = 1024 * 1024
_CONNECTING = "5s"
_RETRIES = 3
_RETRY_SECONDS = 30

_S3 = ("s3", "s3a")
_AZURE = ("az", "abfs", "abfss")
_SCHEMES = (*_S3, "gs", *_AZURE, "memory")
_PLACE = re.compile(r"[A-Za-z0-9._$-]+(@[A-Za-z0-9.-]+)?")
"""Name of a bucket or container; for Azure optionally with the account."""

_CLIENT_OPTIONS = frozenset(
    """
    allow_http allow_invalid_certificates connect_timeout default_content_type default_headers
    http1_only http2_keep_alive_interval http2_keep_alive_timeout http2_keep_alive_while_idle
    http2_only pool_idle_timeout pool_max_idle_per_host proxy_ca_certificate proxy_excludes
    proxy_url randomize_addresses read_timeout root_certificate timeout user_agent
    """.split()
)
"""Options of the HTTP client; given as options of the store, they make the library panic."""
_PREFIX = re.compile("^(aws|google|azure_storage|azure)_")
_RENAMED = {"sts_endpoint": "endpoint_url_sts"}
"""Options that the library reads under another name than it documents."""
_ENDPOINTS = ("endpoint", "endpoint_url", "endpoint_url_s3", "base_url")
_SECRET_CHARACTERS = 6  # Shorter values may be ordinary words of the message.
_LIBRARY_ERRORS = (ValueError, TypeError, BaseError)

_KEYS = {
    "s3": '{"access_key_id": "…", "secret_access_key": "…", "region": "…"}',
    "gs": '{"service_account": "/path/of/the/key.json"}',
    "az": '{"account_name": "…", "account_key": "…"}',
}
_EXAMPLE_URLS = ("s3://bucket", "gs://bucket", "az://container")
_ENDPOINT = '{"endpoint": "https://minio.example:9000"}'

_METADATA_ADDRESSES = ("169.254.169.254", "metadata.google.internal", "/computeMetadata/")
"""Metadata services that a store asks for the machine's identity if no credentials are given."""
_PREFACE = re.compile(r"^(Generic [\w ]+? error: |Error performing [\w ]*?request: )+")
_NO_FILE = "No such file or directory"
_IN_THE_ADDRESS = re.compile("URL error|URL did not match|empty host|invalid port")
_EXCHANGE = re.compile(
    r"Error performing [A-Z]+ \S+ in \S+"
    r"(, after \d+ retries, max_retries: \d+, retry_timeout: \S+)? +- "
)
_ANSWERED = re.compile(r"Server returned non-2xx status code: (\d{3}[^:]*)")


class _WrongOption(Exception):
    """An option has a value that no store accepts; the message does not repeat it."""


def names_a_bucket(url: str) -> bool:
    """Return whether the URL of an object store names a bucket or container."""
    try:
        return urlsplit(url).scheme == "memory" or bool(_PLACE.fullmatch(urlsplit(url).netloc))
    except ValueError:
        return False


def store_at(url: str, options: str | None, url_name: str, options_name: str) -> ObjectStore:
    """Return the object store at the URL, without connecting to it.

    `options` is a JSON object with options of the store and its HTTP client. Raises
    UnsupportedSettings, which names the wrong setting but not its value, as that may be secret.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _SCHEMES or not names_a_bucket(url):
        missing = "no object store" if scheme not in _SCHEMES else "no bucket or container"
        raise _wrong_address(url_name, f"it names {missing}")
    values = _object_in(options, options_name)
    if scheme == "memory":
        return from_url(url)
    try:
        return _opened(url, values)
    except _WrongOption as error:
        _refuse(options_name, str(error), _keys_of(url), error)
    except _LIBRARY_ERRORS as error:
        if _IN_THE_ADDRESS.search(str(error)):
            raise _wrong_address(url_name, store_message(error)) from error
        reason = _without_values(store_message(error), values)
        option = _wrong_option(url, values)
        if option is not None and isinstance(error, UnknownConfigurationKeyError):
            suggestions = get_close_matches(option.lower(), _CLIENT_OPTIONS, n=1)
            reason = f"it holds {option!r}, and the store knows no such option"
            reason += f"; did you mean {suggestions[0]}?" if suggestions else ""
        elif option is not None and _NO_FILE in reason:
            reason = f"its option {option} names a file that is not there"
        elif option is not None:
            reason = f"the store does not take its option {option}: {reason}"
        _refuse(options_name, reason, _keys_of(url), error)


def require_known_options(options: str | None, options_name: str) -> None:
    """Raise UnsupportedSettings for options unknown to the kind of store that they match best."""
    if options is None:
        return
    values = _object_in(options, options_name)
    best_url = min(_EXAMPLE_URLS, key=lambda url: _count_unknown(url, values))
    try:
        store_at(best_url, options, options_name, options_name)
    except UnsupportedSettings as error:
        # Missing options may come from the URL or the environment.
        if isinstance(error.__cause__, UnknownConfigurationKeyError | _WrongOption):
            raise


def _count_unknown(url: str, values: Mapping[str, object]) -> int:
    unknown = 0
    for name, value in values.items():
        try:
            _opened(url, {name: value})
        except UnknownConfigurationKeyError:
            unknown += 1
        except (_WrongOption, *_LIBRARY_ERRORS):
            continue
    return unknown


def _opened(url: str, values: Mapping[str, object]) -> ObjectStore:
    """Open a store with options. Raises _WrongOption, and library errors for invalid values."""
    config: dict[str, str] = {}
    client: dict[str, object] = {"connect_timeout": _CONNECTING}
    plain_endpoint = None
    for name, value in values.items():
        option = _PREFIX.sub("", name.lower())
        if option in _CLIENT_OPTIONS:
            client[option] = _text_of(name, value) if option != "default_headers" else value
            if option == "default_headers" and not _is_texts(value):
                raise _WrongOption(f"its option {name} must be a JSON object of texts")
            continue
        text = _text_of(name, value)
        config[_RENAMED.get(option, name.lower())] = text
        if option in _ENDPOINTS:
            if not text.lower().startswith(("https://", "http://")):
                raise _WrongOption(
                    f"its option {name} must be an address that begins with https:// or http://"
                )
            if text.lower().startswith("http://"):
                plain_endpoint = name
    if plain_endpoint is not None:
        if client.get("allow_http") == "false":
            raise _WrongOption(
                f"its option {plain_endpoint} begins with http:// and allow_http is false"
            )
        client["allow_http"] = "true"
    return from_url(
        url,
        config=cast("S3Config", config),  # each store has its own
        client_options=cast("ClientConfig", client),
        retry_config={
            "max_retries": _RETRIES,
            "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
        },
    )


def _text_of(name: str, value: object) -> str:
    if not isinstance(value, (str, int)):
        raise _WrongOption(f"its option {name} must be text, a number, true or false")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _wrong_option(url: str, values: Mapping[str, object]) -> str | None:
    """Return the option without which the store opens; None if removing no single one helps."""
    for name in values:
        try:
            _opened(url, {other: value for other, value in values.items() if other != name})
        except (_WrongOption, *_LIBRARY_ERRORS):
            continue
        return name
    return None


def _without_values(reason: str, values: Mapping[str, object]) -> str:
    """Remove option values from the library's message, as they may be secret."""
    for value in values.values():
        line = value.partition("\n")[0] if isinstance(value, str) else ""
        if line:
            reason = reason.replace(f'"{line}', '"…')
        if len(line) >= _SECRET_CHARACTERS:
            reason = reason.replace(line, "…")
    return reason


def _wrong_address(url_name: str, reason: str) -> UnsupportedSettings:
    folder = "a folder, " if url_name == "backup_url" else ""
    is_setting = url_name in ("blob_url", "backup_url")
    subject = f"The setting {url_name}" if is_setting else url_name.capitalize()
    return UnsupportedSettings(
        f"{subject} cannot be used: {reason}.",
        hint=(f"Set {variable_of(url_name)} to " if is_setting else "Give ")
        + f"{folder}s3://bucket/prefix, gs://bucket/prefix or "
        "az://container/prefix.",
    )


def _object_in(options: str | None, options_name: str) -> dict[str, object]:
    try:
        values = json.loads(options or "{}", object_pairs_hook=members_once)
    except DuplicateName as error:
        _refuse(options_name, f"it has {error.name!r} more than once", _ENDPOINT, error)
    except (ValueError, RecursionError) as error:
        _refuse(options_name, json_fault(error), _ENDPOINT, error)
    if not isinstance(values, dict):
        _refuse(options_name, "it is not a JSON object", _ENDPOINT)
    return values


def _refuse(name: str, reason: str, example: str, cause: Exception | None = None) -> NoReturn:
    raise UnsupportedSettings(
        f"The setting {name} cannot be used: {reason}.",
        hint=f"Set {variable_of(name)} to a JSON object such as {example}.",
    ) from cause


async def copy_into(file: BinaryIO, answer: GetResult) -> None:
    """Write an object to a local file, piece by piece.

    Raises BlobsFull when the file cannot be written, and the library's errors.
    """
    async for piece in answer.stream(min_chunk_size=_PIECE_BYTES):
        try:
            await asyncio.to_thread(file.write, memoryview(piece))
        except OSError as error:
            raise BlobsFull(
                f"an object of {answer.meta['size']:,} bytes cannot be kept while it is read: "
                f"{error.strerror}",
                hint="make room where temporary files lie, or name another place by TMPDIR",
            ) from error


def variable_of(setting: str) -> str:
    """The environment variable of a setting of an object store."""
    return f"FOOTNOTE_{setting.upper()}"


def store_message(error: Exception) -> str:
    """Return the message of a store's error, without the library's prefixes and debug output."""
    first_line = str(error).strip().partition("\n")[0]
    if lacks_credentials(error):
        return "it wants credentials, and neither the settings nor this machine have any"
    if "Account must be specified" in first_line:
        return "it lacks account_name"
    message = _EXCHANGE.sub("", _PREFACE.sub("", first_line))
    if match := _ANSWERED.search(message):
        return f"it answered {match[1].strip()}"
    if message.startswith("HTTP error"):
        return "it does not answer"
    return message.rstrip(".") or type(error).__name__


def lacks_credentials(error: Exception) -> bool:
    """Return whether no credentials were given and this machine has none of its own."""
    return any(address in str(error) for address in _METADATA_ADDRESSES)


def credentials_hint(url: str, options_name: str) -> str:
    """Return a hint how to give the store at the URL its credentials."""
    return (
        f"set {variable_of(options_name)} to a JSON object such as {_keys_of(url)}; a public one "
        'wants {"skip_signature": true}'
    )


def _keys_of(url: str) -> str:
    scheme = urlsplit(url).scheme
    return _KEYS["az" if scheme in _AZURE else "gs" if scheme == "gs" else "s3"]
