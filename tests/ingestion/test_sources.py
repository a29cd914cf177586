"""What follows from a listing: the laws of change, of what is left out, of whom we speak to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.sources import KnownEntry, Offered
from footnote.errors import InvalidRequest
from footnote.ingestion.sources.changes import changes_between, deletable, is_below
from footnote.ingestion.sources.ignoring import Ignoring
from footnote.ingestion.sources.reach import checked_url, require_reachable, why_forbidden

IDS = st.sampled_from([f"/shelf/{name}" for name in "abcdefgh"])
MARKS = st.sampled_from(["", "1:1", "2:2"])


def an_entry(external_id: str, mark: str = "1:1", *, failed: bool = False) -> KnownEntry:
    return KnownEntry(
        external_id=external_id,
        mark=mark,
        content_sha256="00" * 32,
        document_id=UUID(int=1),
        failed=failed,
        tags=(),
    )


OFFERS = st.lists(
    st.builds(Offered, external_id=IDS, mark=MARKS, settled=st.booleans()),
    unique_by=lambda each: each.external_id,
)
ENTRIES = st.lists(
    st.builds(an_entry, IDS, MARKS, failed=st.booleans()), unique_by=lambda each: each.external_id
)


@given(OFFERS, ENTRIES)
def test_each_thing_has_exactly_one_fate(offered: list[Offered], known: list[KnownEntry]) -> None:
    changes = changes_between(offered, known)
    fates = [
        *(each.external_id for each in changes.unchanged),
        *(each.external_id for each in changes.to_read),
        *(each.external_id for each in changes.waiting),
    ]
    assert sorted(fates) == sorted(each.external_id for each in offered)
    gone = {each.external_id for each in known} - {each.external_id for each in offered}
    assert {each.external_id for each in changes.missing} == gone


@given(st.lists(IDS, unique=True))
def test_what_was_remembered_as_it_is_offered_is_not_read(ids: list[str]) -> None:
    offered = [Offered(external_id=each, mark="5:5") for each in ids]
    changes = changes_between(offered, [an_entry(each, "5:5") for each in ids])
    assert (changes.to_read, changes.waiting, changes.missing) == ((), (), ())


def test_a_mark_that_says_nothing_is_read_again() -> None:
    changes = changes_between([Offered(external_id="/a", mark="")], [an_entry("/a", "")])
    assert [each.external_id for each in changes.to_read] == ["/a"]


def test_a_failed_document_is_read_again_where_that_is_asked_for() -> None:
    offered = [Offered(external_id="/a", mark="1:1")]
    known = [an_entry("/a", failed=True)]
    again = changes_between(offered, known, read_again=lambda entry: entry.failed)
    assert again.to_read
    assert not changes_between(offered, known).to_read


def test_what_is_out_of_sight_is_not_gone() -> None:
    known = [an_entry("/shelf/closed/a"), an_entry("/shelf/closedness")]
    changes = changes_between([], known, out_of_sight=["/shelf/closed"])
    assert [each.external_id for each in changes.missing] == ["/shelf/closedness"]


def test_a_source_that_lost_everything_at_once_is_not_believed() -> None:
    two = changes_between([], [an_entry("/a"), an_entry("/b")])
    assert deletable(two, known=2) == ()
    one = changes_between([], [an_entry("/a")])
    assert len(deletable(one, known=1)) == 1
    half = changes_between(
        [Offered(external_id="/a", mark="1:1")], [an_entry("/a"), an_entry("/b")]
    )
    assert [each.external_id for each in deletable(half, known=2)] == ["/b"]


def test_a_neighbour_with_a_longer_name_is_not_below() -> None:
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert not is_below("/ab", "/a")


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("report.pdf", False),
        (".git", True),
        ("deep/.hidden", True),
        ("deep/~$budget.xlsx", True),
        ("film.part", True),
        ("part", False),
    ],
)
def test_what_no_folder_means_to_hold_is_left_out(path: str, left_out: bool) -> None:
    assert Ignoring()(path, is_folder=False) is left_out


def test_the_last_pattern_that_speaks_decides() -> None:
    ignoring = Ignoring().with_lines(["# logs", "", "*.log", "!keep.log", "/drafts/*.md", "old/"])
    assert ignoring("deep/a.log", is_folder=False)
    assert not ignoring("deep/keep.log", is_folder=False)
    assert ignoring("drafts/a.md", is_folder=False)
    assert not ignoring("a.md", is_folder=False)
    assert ignoring("deep/old", is_folder=True)
    assert not ignoring("old", is_folder=False)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_what_is_not_public_is_not_spoken_to(address: str) -> None:
    assert why_forbidden(address, allow_private=False)


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "::"])
def test_where_clouds_keep_secrets_is_never_spoken_to(address: str) -> None:
    assert why_forbidden(address, allow_private=True)


@given(st.ip_addresses(v=4))
def test_an_address_in_another_dress_is_judged_as_itself(address: IPv4Address) -> None:
    plain = bool(why_forbidden(str(address), allow_private=False))
    mapped = IPv6Address(b"\0" * 10 + b"\xff\xff" + address.packed)
    translated = IPv6Address(bytes.fromhex("0064ff9b") + b"\0" * 8 + address.packed)
    for dressed in (mapped, translated):
        assert bool(why_forbidden(str(dressed), allow_private=False)) is plain


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/x",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@example.com/",
        "https://example.com:99999/",
        "https://exam ple.com/",
        "https://[::1",
        "nonsense",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        checked_url(url)
    said = str(caught.value)
    assert "secret" not in said
    assert "Port" not in said
    assert url in said or url.startswith("https://user") or " " in url


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        ("ftp://example.com/x", "begins with ftp:"),
        ("FILE:///etc/passwd", "begins with file:"),
        ("javascript:alert(1)", "begins with javascript:"),
        ("example.com/x", "has no https:// before it"),
    ],
)
def test_another_scheme_is_named_with_those_that_work(url: str, begins: str) -> None:
    with pytest.raises(InvalidRequest, match=begins) as caught:
        checked_url(url)
    assert "only https:// and http://" in str(caught.value)


@pytest.mark.parametrize("allow_private", [True, False])
def test_a_refused_address_is_told_which_setting_allows_it_or_that_none_does(
    allow_private: bool,
) -> None:
    with pytest.raises(InvalidRequest, match=r"169\.254\.169\.254") as never:
        require_reachable("metadata.example", ["169.254.169.254"], allow_private=allow_private)
    assert "no setting allows" in str(never.value.hint)
    require_reachable("one.example", ["1.1.1.1"], allow_private=allow_private)
    if allow_private:
        require_reachable("home.example", ["10.0.0.7"], allow_private=True)
        return
    with pytest.raises(InvalidRequest, match=r"home\.example may not be reached") as private:
        require_reachable("home.example", ["1.1.1.1", "10.0.0.7"], allow_private=False)
    assert "FOOTNOTE_ALLOW_PRIVATE_URLS=true" in str(private.value.hint)
