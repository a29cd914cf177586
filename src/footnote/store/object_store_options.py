"""Checks the options of an object store before its library, which panics at some, is given them."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from urllib.parse import urlsplit

_SPAN = r"\d{1,9} ?(?:nsec|ns|usec|us|msec|ms|seconds?|sec|s|minutes?|min|m|hours?|hr|h|days?|d)"
_DURATIONS = re.compile(rf"{_SPAN}(?: ?{_SPAN})*")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_PROXIES = ("http", "https", "socks5", "socks5h")


class WrongOption(Exception):
    """An option has a name or a value that no object store takes; the value is not repeated."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the value of an option must be."""

    needed: str
    accepts: Callable[[object], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """Options under the names the library has for them, as text, apart by whom they are for."""

    store: dict[str, str] = field(default_factory=dict)
    client: dict[str, str | dict[str, str]] = field(default_factory=dict)
    """Those of the HTTP client; among the store's they make the library panic."""


def checked_options(given: Mapping[str, object], vendor: str) -> StoreOptions:
    """The options for a store of a vendor: `s3`, `gs` or `az`. Raises WrongOption."""
    known = STORE_OPTIONS[vendor]
    found = StoreOptions()
    for name, value in given.items():
        option = _option_of(name, vendor)
        kind = known.get(option) or CLIENT_OPTIONS.get(option)
        if kind is None:
            raise WrongOption(f"it holds {name!r}, and the store knows no such option{_like(name)}")
        if not kind.accepts(value):
            raise WrongOption(f"its option {name} must be {kind.needed}")
        if option in known:
            found.store[option] = _word(value)
        elif isinstance(value, dict):
            found.client[option] = value
        else:
            found.client[option] = _word(value)
    _allow_http(found)
    return found


def _allow_http(options: StoreOptions) -> None:
    plain = [
        name
        for name in _ADDRESSES
        if urlsplit(options.store.get(name, "")).scheme.lower() == "http"
    ]
    if plain and options.client.get("allow_http") == "false":
        raise WrongOption(f"its option {plain[0]} begins with http:// and allow_http is false")
    if plain:
        options.client["allow_http"] = "true"


def _option_of(name: str, vendor: str) -> str:
    """The name that the tables have: without the vendor, and one of those that mean the same."""
    plain = name.lower()
    for prefix in _PREFIXES[vendor]:
        plain = plain.removeprefix(prefix)
    return _ALIASES[vendor].get(plain, plain)


def _like(name: str) -> str:
    known = {*CLIENT_OPTIONS, *(each for options in STORE_OPTIONS.values() for each in options)}
    close = get_close_matches(name.lower(), sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.lower().startswith(("https://", "http://"))


def _is_proxy(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in _PROXIES and bool(parts.hostname)
    except ValueError:
        return False


def _is_certificate(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=value)
    except (ssl.SSLError, ValueError):
        return False
    return True


def _is_headers(value: object) -> bool:
    return isinstance(value, dict) and all(
        _HEADER_NAME.fullmatch(name) and _is_text(each) and each.isascii()
        for name, each in value.items()
    )


def _one_of(*values: str) -> _Kind:
    return _Kind(f"one of {', '.join(values)}", lambda value: value in values)


_TEXT = _Kind("text without line breaks", _is_text)
_SECRET = _Kind("text", lambda value: isinstance(value, str))
_FLAG = _Kind("true or false, without quotes", lambda value: isinstance(value, bool))
_COUNT = _Kind("a whole number", lambda value: type(value) is int and 0 <= value <= 10_000)
_DURATION = _Kind(
    'a duration such as "30s" or "2m 30s"',
    lambda value: isinstance(value, str) and bool(_DURATIONS.fullmatch(value.strip())),
)
_ADDRESS = _Kind("an address that begins with https:// or http://", _is_address)
_PROXY = _Kind("the address of a proxy, such as http://proxy.example:3128", _is_proxy)
_CERTIFICATE = _Kind("a certificate in PEM", _is_certificate)
_HEADERS = _Kind('an object of texts such as {"x-team": "papers"}', _is_headers)
_PAYER = _Kind(
    'true, false or "requester"', lambda value: value in (True, False, "requester", "REQUESTER")
)
_COPYING = _Kind(
    '"multipart", or begin with "header:" or "header-with-status:"',
    lambda value: (
        isinstance(value, str)
        and bool(
            re.fullmatch(r"multipart|header:[^:]+:.+|header-with-status:[^:]+:.+:\d{3}", value)
        )
    ),
)

CLIENT_OPTIONS = {
    "allow_http": _FLAG,
    "allow_invalid_certificates": _FLAG,
    "connect_timeout": _DURATION,
    "default_content_type": _TEXT,
    "default_headers": _HEADERS,
    "http1_only": _FLAG,
    "http2_keep_alive_interval": _DURATION,
    "http2_keep_alive_timeout": _DURATION,
    "http2_keep_alive_while_idle": _FLAG,
    "http2_only": _FLAG,
    "pool_idle_timeout": _DURATION,
    "pool_max_idle_per_host": _COUNT,
    "proxy_ca_certificate": _CERTIFICATE,
    "proxy_excludes": _TEXT,
    "proxy_url": _PROXY,
    "randomize_addresses": _FLAG,
    "read_timeout": _DURATION,
    "root_certificate": _CERTIFICATE,
    "timeout": _DURATION,
    "user_agent": _TEXT,
}
_S3 = {
    "access_key_id": _TEXT,
    "bucket": _TEXT,
    "checksum_algorithm": _one_of("SHA256", "sha256", "CRC64NVME", "crc64nvme"),
    "conditional_put": _one_of("etag", "disabled"),
    "container_authorization_token_file": _TEXT,
    "container_credentials_full_uri": _TEXT,
    "container_credentials_relative_uri": _TEXT,
    "copy_if_not_exists": _COPYING,
    "default_region": _TEXT,
    "disable_bulk_delete": _FLAG,
    "disable_tagging": _FLAG,
    "endpoint": _ADDRESS,
    "endpoint_url_sts": _ADDRESS,
    "imdsv1_fallback": _FLAG,
    "metadata_endpoint": _ADDRESS,
    "region": _TEXT,
    "request_payer": _PAYER,
    "role_arn": _TEXT,
    "role_session_name": _TEXT,
    "s3_express": _FLAG,
    "secret_access_key": _SECRET,
    "server_side_encryption": _one_of("AES256", "aws:kms", "aws:kms:dsse", "sse-c"),
    "session_token": _SECRET,
    "skip_signature": _FLAG,
    "sse_bucket_key_enabled": _FLAG,
    "sse_customer_key_base64": _SECRET,
    "sse_kms_key_id": _TEXT,
    "unsigned_payload": _FLAG,
    "virtual_hosted_style_request": _FLAG,
    "web_identity_token_file": _TEXT,
}
_GS = {
    "application_credentials": _TEXT,
    "base_url": _ADDRESS,
    "bearer_token": _SECRET,
    "bucket": _TEXT,
    "service_account": _TEXT,
    "service_account_key": _SECRET,
    "skip_signature": _FLAG,
}
_AZ = {
    "account_key": _SECRET,
    "account_name": _TEXT,
    "authority_host": _TEXT,
    "client_id": _TEXT,
    "client_secret": _SECRET,
    "container_name": _TEXT,
    "credential_type": _TEXT,
    "disable_tagging": _FLAG,
    "encryption_key": _SECRET,
    "endpoint": _ADDRESS,
    "fabric_cluster_identifier": _TEXT,
    "fabric_session_token": _SECRET,
    "fabric_token_service_url": _TEXT,
    "fabric_workload_host": _TEXT,
    "federated_token_file": _TEXT,
    "msi_endpoint": _ADDRESS,
    "msi_resource_id": _TEXT,
    "object_id": _TEXT,
    "sas_key": _SECRET,
    "skip_signature": _FLAG,
    "tenant_id": _TEXT,
    "token": _SECRET,
    "use_azure_cli": _FLAG,
    "use_emulator": _FLAG,
    "use_fabric_endpoint": _FLAG,
}
STORE_OPTIONS = {"s3": _S3, "gs": _GS, "az": _AZ}
_ADDRESSES = ("endpoint", "base_url")
_PREFIXES = {"s3": ("aws_",), "gs": ("google_",), "az": ("azure_storage_", "azure_")}
_ALIASES = {
    "s3": {
        "bucket_name": "bucket",
        "endpoint_url": "endpoint",
        "endpoint_url_s3": "endpoint",
        "sts_endpoint": "endpoint_url_sts",
        "token": "session_token",
    },
    "gs": {"bucket_name": "bucket", "service_account_path": "service_account"},
    "az": {
        "access_key": "account_key",
        "bearer_token": "token",
        "master_key": "account_key",
        "sas_token": "sas_key",
    },
}
"""Names that the vendor's own tools, or earlier versions of the library, have for the same."""
