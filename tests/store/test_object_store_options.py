"""A wrong option of an object store is refused by name, and none makes its library panic."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import obstore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from footnote.errors import UnsupportedSettings
from footnote.jobs.sources.addresses import source_at
from footnote.settings import Settings
from footnote.store.blobs import StoredBlobs, blobs_from

STUBS = Path(obstore.__file__).parent / "_store"
URLS = {"s3": "s3://bucket/prefix", "gs": "gs://bucket", "az": "az://container"}
NEEDED: dict[str, dict[str, object]] = {"s3": {}, "gs": {}, "az": {"account_name": "someone"}}
CONFIGURATIONS = {
    "s3": ("_aws", "S3Config"),
    "gs": ("_gcs", "GCSConfig"),
    "az": ("_azure", "AzureConfig"),
}
WRONG: list[dict[str, object]] = [
    {"allow_http": "maybe"},
    {"aws_allow_http": 1.5},
    {"ALLOW_HTTP": []},
    {"skip_signature": "nonsense"},
    {"virtual_hosted_style_request": None},
    {"timeout": "soon"},
    {"timeout": 5},
    {"connect_timeout": "-5s"},
    {"pool_max_idle_per_host": "many"},
    {"pool_max_idle_per_host": True},
    {"region": ["eu"]},
    {"secret_access_key": {"a": "b"}},
    {"root_certificate": "nonsense"},
    {"default_headers": {"a b": "c"}},
    {"default_headers": {"a": "b\n"}},
    {"user_agent": "a\nb"},
    {"checksum_algorithm": "md5"},
    {"server_side_encryption": "nonsense"},
    {"endpoint": "minio:9000"},
]


def names_in_the_stubs(file: str, kind: str) -> Iterator[str]:
    tree = ast.parse((STUBS / f"{file}.pyi").read_text(encoding="utf-8"))
    [found] = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == kind]
    for each in found.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id


def refusal(url: str, options: object) -> UnsupportedSettings | None:
    try:
        blobs_from(Path("unused"), url, json.dumps(options))
    except UnsupportedSettings as error:
        return error
    return None


def test_a_value_that_an_option_cannot_have_is_refused_by_the_name_of_the_option() -> None:
    for options in WRONG:
        [name] = options
        error = refusal("s3://bucket", {"access_key_id": "a", "secret_access_key": "b"} | options)
        assert f"its option {name}" in str(error), options
        assert "FOOTNOTE_BLOB_OPTIONS" in str(error and error.hint)


@pytest.mark.parametrize("vendor", URLS)
def test_a_source_refuses_what_blobs_refuse_and_names_its_own_setting(vendor: str) -> None:
    options = {**NEEDED[vendor], "allow_http": "maybe"}
    assert "its option allow_http" in str(refusal(URLS[vendor], options))
    with pytest.raises(UnsupportedSettings, match="its option allow_http") as caught:
        source_at(URLS[vendor], Settings(source_options=SecretStr(json.dumps(options))))
    assert "FOOTNOTE_SOURCE_OPTIONS" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("vendor", "options"),
    [
        ("s3", {"access_key_id": "a", "secret_access_key": ["hunter2"]}),
        ("s3", {"skip_signature": "hunter2"}),
        ("s3", {"user_agent": "hunter2\n"}),
        ("az", {"account_name": "a", "account_key": "hunter2"}),
        ("gs", {"service_account_key": "hunter2"}),
    ],
)
def test_the_value_of_a_refused_option_is_not_repeated(
    vendor: str, options: dict[str, object]
) -> None:
    error = refusal(URLS[vendor], options)
    assert error is not None
    assert "hunter2" not in f"{error} {error.hint}"


def test_an_unknown_option_is_told_with_the_closest_there_is() -> None:
    error = refusal("s3://bucket", {"alow_http": True})
    assert "holds 'alow_http', and the store knows no such option; did you mean allow_http?" in str(
        error
    )


def test_options_of_the_http_client_are_taken() -> None:
    options = {
        "endpoint": "http://127.0.0.1:9",
        "AWS_REGION": "us-east-1",
        "skip_signature": True,
        "allow_http": True,
        "timeout": "2m 30s",
        "pool_max_idle_per_host": 5,
        "default_headers": {"x-team": "papers"},
    }
    assert isinstance(blobs_from(Path("unused"), "s3://bucket", json.dumps(options)), StoredBlobs)


def test_an_endpoint_that_is_not_encrypted_contradicts_a_client_that_must_not_speak_so() -> None:
    error = refusal("s3://bucket", {"endpoint": "http://127.0.0.1:9", "allow_http": False})
    assert "its option endpoint begins with http:// and allow_http is false" in str(error)


def test_an_address_that_the_store_refuses_is_told_of_the_address() -> None:
    assert "The setting blob_url cannot be used" in str(refusal("s3://bucket//", {}))


@pytest.mark.parametrize("vendor", URLS)
def test_every_option_of_the_library_is_known_and_none_makes_it_panic(vendor: str) -> None:
    names = [
        *names_in_the_stubs(*CONFIGURATIONS[vendor]),
        *names_in_the_stubs("_client", "ClientConfig"),
    ]
    assert len(names) > 20
    values: tuple[object, ...] = ("nonsense", "true", True, 5, None, [], {"a": "b"})
    for name in names:
        for value in values:
            error = refusal(URLS[vendor], {**NEEDED[vendor], name: value})
            assert "no such option" not in str(error), name


NAMES = sorted(
    {name for each in CONFIGURATIONS.values() for name in names_in_the_stubs(*each)}
    | {
        f"{prefix}{name}"
        for prefix in ("", "aws_", "google_", "azure_")
        for name in names_in_the_stubs("_client", "ClientConfig")
    }
)
WORDS = ["true", "5s", "http://x", "https://x", "etag", "multipart", "AES256", "sse-c"]
VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(WORDS)


@settings(deadline=None, max_examples=50)
@given(
    vendor=st.sampled_from(sorted(URLS)),
    options=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4),
)
def test_whatever_the_options_are_a_store_opens_or_is_refused_in_our_words(
    vendor: str, options: dict[str, object]
) -> None:
    error = refusal(URLS[vendor], options)
    assert error is None or "Generic" not in str(error)
