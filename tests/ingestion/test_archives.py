from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files
from tests.ingestion.test_reading import assert_lawful

MEMBERS = {"notes/plan.txt": b"The plan.\n\nBuild it.", "list.csv": b"a,b\n1,2\n"}
MIB = 1024 * 1024


def zipped(members: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(members: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def encrypted(content: bytes) -> bytes:
    """The archive with every member said to be encrypted."""
    changed = bytearray(content)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + flags] |= 1
            at = changed.find(mark, at + 4)
    return bytes(changed)


def limited(**limits: int) -> ReadingOptions:
    return ReadingOptions(archive=ArchiveLimits(**limits))


PACKERS: list[tuple[str, Callable[[Mapping[str, bytes]], bytes]]] = [
    ("a.zip", zipped),
    ("a.tar", tarred),
    ("a.tar.gz", lambda members: gzip.compress(tarred(members))),
    ("a.tar.bz2", lambda members: bz2.compress(tarred(members))),
    ("a.tar.xz", lambda members: lzma.compress(tarred(members))),
]


@pytest.mark.parametrize(("name", "pack"), PACKERS, ids=[name for name, _ in PACKERS])
@pytest.mark.parametrize("named", ["as it is", "wrongly"])
def test_each_member_of_an_archive_is_a_child(
    name: str, pack: Callable[[Mapping[str, bytes]], bytes], named: str
) -> None:
    parsed = read_document(pack(MEMBERS), name if named == "as it is" else "a.pdf")
    assert_lawful(parsed)
    assert {item.filename: item.content for item in parsed.attachments} == MEMBERS
    assert parsed.text == "- notes/plan.txt\n- list.csv"
    assert parsed.metadata["members"] == 2


def test_a_single_compressed_file_is_an_archive_of_one() -> None:
    (only,) = read_document(gzip.compress(b"words"), "logs/server.log.gz").attachments
    assert (only.filename, only.content) == ("server.log", b"words")


def test_a_pdf_that_comes_first_in_an_archive_does_not_make_it_one() -> None:
    pdf = files.handbook_pdf()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.pdf", pdf)
    for content in (target.getvalue(), tarred({"a.pdf": pdf})):
        (member,) = read_document(content, "x").attachments
        assert member.content == pdf


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/cron.txt", "etc/cron.txt"),
        ("/etc/cron.txt", "etc/cron.txt"),
        ("C:\\Users\\cron.txt", "Users/cron.txt"),
        ("a/./../b.txt", "a/b.txt"),
    ],
)
def test_a_member_leads_nowhere_outside(name: str, kept: str) -> None:
    for content in (zipped({name: b"x"}), tarred({name: b"x"})):
        (member,) = read_document(content, "x").attachments
        assert member.filename == kept


# Python's own zipfile ends a name at a null character, and cannot write an empty one.
@given(st.text(min_size=1, max_size=60).filter(lambda name: not name.startswith("\0")))
@settings(max_examples=60, deadline=None)
def test_no_name_of_a_member_is_a_way_out(name: str) -> None:
    content = zipped({name.encode("utf-8", "replace").decode(): b"x", "b.txt": b"y"})
    for member in read_document(content, "x.zip").attachments:
        parts = member.filename.split("/")
        assert ".." not in parts
        assert "" not in parts
        assert member.filename.isprintable()


def test_what_packing_programs_leave_behind_is_ignored() -> None:
    junk = ("__MACOSX/._plan.txt", ".DS_Store", "a/Thumbs.db", "._x", "folder/")
    parsed = read_document(zipped({**dict.fromkeys(junk, b"j"), "plan.txt": b"p"}), "a.zip")
    assert [member.filename for member in parsed.attachments] == ["plan.txt"]


def test_of_two_members_with_one_name_the_later_one_counts() -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for content in (b"old", b"newer"):
            info = tarfile.TarInfo("a.txt")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    (member,) = read_document(target.getvalue(), "a.tar").attachments
    assert member.content == b"newer"


def test_links_and_devices_are_named_and_not_followed() -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, kind in (("passwd", tarfile.SYMTYPE), ("tty", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    parsed = read_document(target.getvalue(), "a.tar")
    assert parsed.text == "- passwd (a link, not followed)\n- tty (no file)"
    assert not parsed.attachments
    linked = zipfile.ZipInfo("passwd")
    linked.external_attr = (stat.S_IFLNK | 0o777) << 16
    zip_target = io.BytesIO()
    with zipfile.ZipFile(zip_target, "w") as packed:
        packed.writestr(linked, "/etc/passwd")
        packed.writestr("a.txt", "words")
    parsed = read_document(zip_target.getvalue(), "a.zip")
    assert [member.filename for member in parsed.attachments] == ["a.txt"]


def test_an_encrypted_member_fails_alone() -> None:
    content = bytearray(encrypted(zipped({"secret.pdf": b"x" * 50})))
    with zipfile.ZipFile(io.BytesIO(content), "a"):
        pass
    target = io.BytesIO(bytes(content))
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("open.txt", "words")
    secret, plain = read_document(target.getvalue(), "a.zip").attachments
    assert (plain.filename, plain.content) == ("open.txt", b"words")
    with pytest.raises(DocumentUnreadable, match="password"):
        read_document(bytes(secret.content), secret.filename)


def test_a_wholly_encrypted_archive_fails() -> None:
    with pytest.raises(DocumentUnreadable, match="password"):
        read_document(encrypted(zipped(MEMBERS)), "a.zip")


@pytest.mark.parametrize("pack", [pack for _, pack in PACKERS], ids=[name for name, _ in PACKERS])
def test_a_bomb_is_a_failed_document(pack: Callable[[Mapping[str, bytes]], bytes]) -> None:
    bomb = pack({"zeros.txt": bytes(40 * MIB)})
    with pytest.raises(DocumentUnreadable, match="unpacks to more than") as raised:
        read_document(bomb, "a.zip", limited(max_bytes=10 * MIB))
    assert "smaller archives" in raised.value.advice


def test_a_bomb_is_known_by_its_ratio() -> None:
    with pytest.raises(DocumentUnreadable, match="200 times its size"):
        read_document(zipped({"zeros.txt": bytes(40 * MIB)}), "a.zip")


def test_a_bomb_in_an_inner_archive_is_found_from_outside() -> None:
    inner = zipped({f"{number}.txt": bytes(6 * MIB) for number in range(8)})
    with pytest.raises(DocumentUnreadable, match="times its size"):
        read_document(zipped({"a.zip": inner, "b.zip": inner}), "outer.zip")


def test_archives_inside_archives_have_an_end() -> None:
    content = zipped({"a.txt": b"words"})
    for depth in range(3):
        nested = content
        content = zipped({f"{depth}.zip": content})
    assert read_document(nested, "a.zip").attachments
    with pytest.raises(DocumentUnreadable, match="deeper than 3"):
        read_document(content, "a.zip")


def test_an_archive_of_too_many_files_is_refused() -> None:
    many = zipped({f"{number}.txt": b"x" for number in range(12)})
    with pytest.raises(DocumentUnreadable, match="more than 10 files"):
        read_document(many, "a.zip", limited(max_members=10))
    with pytest.raises(DocumentUnreadable, match="more than 10 files"):
        read_document(zipped({"a.zip": many}), "a.zip", limited(max_members=10))


def test_a_sparse_member_is_counted_by_what_it_claims() -> None:
    info = tarfile.TarInfo("sparse")
    info.size = 1 << 40
    header = info.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(DocumentUnreadable, match="unpacks to more"):
        read_document(header + bytes(4096), "a.tar")


@pytest.mark.parametrize("content", [zipped({}), tarred({}), zipped({".DS_Store": b"x"})])
def test_an_empty_archive_fails(content: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match=r"holds no file|type is unknown"):
        read_document(content, "a.zip")


def test_what_came_before_the_damage_is_kept() -> None:
    whole = tarred({"a.txt": b"first " * 100, "b.bin": random.Random(1).randbytes(100_000)})
    parsed = read_document(gzip.compress(whole)[:60_000], "a.tar.gz")
    assert parsed.attachments[0].content == b"first " * 100
    assert "damaged" in parsed.text


SIX = {f"{number}.txt": b"words %d" % number for number in range(6)}
MEMBER_BYTES = 1024
"""A header and a block of content."""


@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        (lambda whole: overwritten(whole, 3 * MEMBER_BYTES + 20, b"\xff"), 3),
        (lambda whole: overwritten(whole, 3 * MEMBER_BYTES, bytes(512)), 3),
        (lambda whole: whole[: 3 * MEMBER_BYTES], 3),
        (lambda whole: whole[: 3 * MEMBER_BYTES + 200], 3),
        (lambda whole: whole[: 6 * MEMBER_BYTES], 6),
    ],
    ids=["a header", "a header of zeros", "cut before a header", "cut in a header", "no end"],
)
@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "compressed"])
def test_a_tar_that_is_damaged_between_members_says_so(
    damage: Callable[[bytes], bytes], kept: int, packed: Callable[[bytes], bytes]
) -> None:
    parsed = read_document(packed(damage(tarred(SIX))), "a.tar")
    assert [member.filename for member in parsed.attachments] == list(SIX)[:kept]
    assert parsed.text.endswith("- … (the archive is damaged from here on)")


@pytest.mark.parametrize("zero_blocks", [1, 2, 20])
def test_a_tar_is_whole_with_one_block_of_zeros_at_its_end(zero_blocks: int) -> None:
    content = tarred(SIX)[: 6 * MEMBER_BYTES] + bytes(512 * zero_blocks)
    parsed = read_document(content, "a.tar")
    assert parsed.text == "\n".join(f"- {name}" for name in SIX)


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "compressed"])
@pytest.mark.parametrize("count", [2, 50])
def test_archives_that_are_joined_are_read_to_the_last(
    packed: Callable[[bytes], bytes], count: int
) -> None:
    joined = b"".join(packed(tarred({f"{number}.txt": b"words"})) for number in range(count))
    parsed = read_document(joined, "a.tar")
    assert parsed.text == "\n".join(f"- {number}.txt" for number in range(count))
    assert len(parsed.attachments) == count


@pytest.mark.parametrize(
    "rest", [b"\xff" * 512, b"no header", tarred(SIX)[:200]], ids=["noise", "a line", "cut"]
)
def test_what_follows_the_end_of_a_tar_and_is_none_is_said(rest: bytes) -> None:
    parsed = read_document(tarred({"a.txt": b"words"}) + rest, "a.tar")
    assert parsed.text == "- a.txt\n- … (the archive is damaged from here on)"


def test_a_tar_whose_padding_is_cut_is_whole() -> None:
    parsed = read_document(tarred({"a.txt": b"words"})[:-100], "a.tar")
    assert parsed.text == "- a.txt"


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_of_long_names_is_whole(form: int) -> None:
    name = "/".join(["harbour" * 10] * 3) + ".txt"
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as archive:
        info = tarfile.TarInfo(name)
        info.size = 5
        archive.addfile(info, io.BytesIO(b"words"))
    assert read_document(target.getvalue(), "a.tar").text == f"- {name}"


def overwritten(content: bytes, at: int, by: bytes) -> bytes:
    return content[:at] + by + content[at + len(by) :]


def test_a_damaged_member_is_only_named() -> None:
    content = bytearray(zipped({"a.txt": b"words", "b.txt": b"other words that are longer"}))
    start = content.find(b"other") if b"other" in content else content.find(b"b.txt") + 6
    content[start : start + 3] = struct.pack("3s", b"\xff\xff\xff")
    parsed = read_document(bytes(content), "a.zip")
    assert [member.filename for member in parsed.attachments] == ["a.txt"]
    assert "b.txt (damaged" in parsed.text


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}\.txt", fullmatch=True), st.binary(min_size=1)))
@settings(max_examples=30, deadline=None)
def test_packing_and_reading_gives_back_the_members(members: dict[str, bytes]) -> None:
    if not members:
        return
    for _, pack in PACKERS:
        read = read_document(pack(members), "a.zip").attachments
        assert {item.filename: item.content for item in read} == members


def test_an_archive_tells_of_a_file_that_a_later_one_of_its_name_replaces() -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for content in (b"The walrus.", b"The seals."):
            info = tarfile.TarInfo("ok.txt")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    parsed = read_document(target.getvalue(), "a.tar")
    assert [each.content for each in parsed.attachments] == [b"The seals."]
    assert "- ok.txt (an earlier file of this name, which it replaces)" in parsed.text
