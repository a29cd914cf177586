"""No spelling of a place leads out of those that the operator has opened."""

from __future__ import annotations

import os.path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import InvalidRequest
from footnote.ingestion.sources.places import allowed_locations, source_location

OPENED = allowed_locations(
    (
        *(
            "folder:/srv/documents/{workspace}",
            "s3://bucket/{workspace}",
            "https://wiki.example.org/open",
        ),
        *("imaps://mail.example.org", "https://[2606:2800:21f::1]:8443/a"),
    ),
    "acme",
)

INSIDE = (
    "folder:/srv/documents/acme",
    "folder:/srv/documents/acme/",
    "folder:/srv/documents/acme/a b/%2e%2e",  # in a folder, the name of a file
    "s3://bucket/acme/2025",
    "https://wiki.example.org/open",
    "https://WIKI.example.org:443/open/page?version=2",
    "https://wiki.example.org/open/M%C3%A4rz",
    "https://[2606:2800:21f::1]:8443/a/b",
    "imaps://ada@mail.example.org/INBOX",
    "imaps://ada@mail.example.org:993",
)
OUTSIDE = (
    "folder:/srv/documents",
    "folder:/srv/documents/acme2",
    "folder:/srv/documents/other",
    "folder:/srv/documents/acme/..",
    "folder:/srv/documents/acme/../other",
    "folder:/srv/documents/acme/./../../etc",
    "folder:/srv/documents/acme//../other",
    "folder://srv/documents/acme",
    "folder:srv/documents/acme",
    "folder:/srv/documents/acme\0/x",
    "folder:/srv/documents/acme\n",
    "folder:/SRV/documents/acme",
    "file:///srv/documents/acme",
    "/srv/documents/acme",
    "",
    "s3://bucket",
    "s3://bucket/acme2",
    "s3://bucket/acme/../other",
    "s3://bucket/acme/%2e%2e/other",
    "s3://bucket/acme%2f..%2fother",
    "s3://other/acme",
    "s3://key:secret@bucket/acme",
    "s3://bucket@other/acme",
    "s3://bucket/acme?endpoint=http://169.254.169.254",
    "gs://bucket/acme",
    "memory:///acme",
    "https://wiki.example.org/",
    "https://wiki.example.org/opened",
    "https://wiki.example.org/open/../closed",
    "https://wiki.example.org/open/%2e%2e/closed",
    "https://wiki.example.org/open/%2E%2E/closed",
    "https://wiki.example.org/open/.%2e/closed",
    "https://wiki.example.org/open%2f..%2fclosed",
    "https://wiki.example.org/open/%252e%252e/closed",
    "https://wiki.example.org/open/%5c..%5cclosed",
    "https://wiki.example.org/open/..\\closed",
    "https://wiki.example.org/open//../closed",
    "https://wiki.example.org/open/%ff",
    "https://wiki.example.org/open/%zz",
    "http://wiki.example.org/open",
    "https://wiki.example.org:8443/open",
    "https://wiki.example.org./open",
    "https://wiki.example.org@169.254.169.254/open",
    "https://wiki.example.org:443@10.0.0.1/open",
    "https://ada@wiki.example.org/open",
    "https://10.0.0.1/open",
    "https://2130706433/open",
    "https://0x7f000001/open",
    "https://127.1/open",
    "https://[::1]/open",
    "https://[::ffff:10.0.0.1]/open",
    "https://[fe80::1%25eth0]/open",
    "https://[2606:2800:21f:0:0:0:0:1]:8443/a",
    "https://evil.org#@wiki.example.org/open",
    "https://wiki.example.org\t/open",
    "https://\uff57iki.example.org/open",
    "https:///open",
    "https://wiki.example.org:0/open",
    "https://wiki.example.org:99999/open",
    "imaps://mail.example.org.evil.org",
    "imaps://ada:secret@mail.example.org",
    "imaps://mail.example.org@evil.org",
    "imap://ada@mail.example.org",
    "imaps://ada@mail.example.org/%2e%2e",
)


def is_opened(address: str) -> bool:
    try:
        place = source_location(address)
    except InvalidRequest:
        return False
    return any(each.holds(place) for each in OPENED)


@pytest.mark.parametrize("address", INSIDE)
def test_what_lies_inside_is_opened(address: str) -> None:
    assert is_opened(address)


@pytest.mark.parametrize("address", OUTSIDE, ids=ascii)
def test_what_lies_outside_is_not(address: str) -> None:
    assert not is_opened(address)


def test_a_password_is_not_said_again() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        source_location("imaps://ada:sesame@mail.example.org")
    assert "sesame" not in f"{refusal.value} {refusal.value.hint}"


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../other", "", "a\\b", "%2e%2e"])
def test_a_workspace_whose_name_is_more_than_a_name_has_no_place_of_its_own(name: str) -> None:
    assert allowed_locations(("folder:/srv/{workspace}",), name) == ()


@given(st.text(alphabet="/.%2eEfF5c\\ab", max_size=30))
def test_no_tail_leads_out_of_a_folder(tail: str) -> None:
    try:
        place = source_location(f"folder:/srv/documents/acme{tail}")
    except InvalidRequest:
        return
    path = place.address.removeprefix("folder:")
    assert os.path.normpath(path) == path.rstrip("/")
    assert OPENED[0].holds(place) == (
        path == "/srv/documents/acme" or path.startswith("/srv/documents/acme/")
    )
