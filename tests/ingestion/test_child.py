from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import struct
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from footnote.domain import Attachment, ParsedDocument
from footnote.errors import DocumentFailed, DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.children import ChildLimits
from footnote.ingestion.frames import lengths_of, progress_of
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.parsing.serialization import from_message, to_message
from footnote.ingestion.parsing.subprocess import ChildParser
from tests.ingestion import files

SHARED = Path(os.environ.get("FOOTNOTE_TEST_DATA", "../shared/data")) / "documents"

SLOW = b"a *b* [c](d) `e` ~f~\n\n" * 400_000
"""Nine megabytes of short styled paragraphs: legal, and far more than a second's work."""


def children() -> set[int]:
    """The processes of this one that read files."""
    found = set()
    for each in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it is not waited for yet, or has just been
            if "footnote.ingestion.parsing.child" in each.cmdline():
                found.add(each.pid)
    return found


async def started_since(before: set[int]) -> set[int]:
    while not (started := children() - before):  # noqa: ASYNC110 - no one tells of a new process
        await asyncio.sleep(0)
    return started


def through_the_pipe(parsed: ParsedDocument) -> ParsedDocument:
    message = to_message(parsed)
    body = b"".join(message.body)
    assert len(body) == message.body_bytes
    return from_message(message.record, body)


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        pytest.param(files.handbook_pdf(), "a.pdf", id="pages and tables"),
        pytest.param(files.letter_eml(), "a.eml", id="attachments and metadata"),
        pytest.param("Grüße 😀.\n\nZwei.".encode(), "a.md", id="unicode"),
    ],
)
def test_a_document_survives_the_pipe(content: bytes, filename: str) -> None:
    parsed = read_document(content, filename)
    assert through_the_pipe(parsed) == parsed


BLOCK = {"kind": "paragraph", "text": "", "char_start": 0, "char_end": 3, "paragraph": 1}
PICTURE = {"content": "", "media_type": "image/jpeg", "after": 1, "paragraph": 1}
ATTACHED = {"filename": "a", "media_type": "b", "content": ""}


@pytest.mark.parametrize(
    ("document", "record"),
    [
        pytest.param({}, {"sizes": ["3"]}, id="size is no number"),
        pytest.param({}, {"sizes": []}, id="no size"),
        pytest.param({}, {"sizes": [99]}, id="text outside the body"),
        pytest.param({}, {"sizes": [4, -1]}, id="negative size"),
        pytest.param({}, {"sizes": [3, 3]}, id="content of nothing"),
        pytest.param({}, {"paths": [3]}, id="malformed path"),
        pytest.param({"blocks": [BLOCK | {"char_end": 99}]}, {}, id="block outside the text"),
        pytest.param({"blocks": [BLOCK | {"kind": "nonsense"}]}, {}, id="unknown kind"),
        pytest.param({"blocks": [BLOCK] * 2}, {}, id="overlap"),
        pytest.param({"blocks": [3]}, {}, id="malformed block"),
        pytest.param({"metadata": {"a": []}}, {}, id="malformed metadata"),
        pytest.param({"attachments": [ATTACHED]}, {"sizes": [3, 10]}, id="attachment outside"),
        pytest.param({"pictures": [PICTURE]}, {"sizes": [3, 99]}, id="picture outside the body"),
        pytest.param(
            {"pictures": [PICTURE | {"after": 2}]}, {"sizes": [3, 3]}, id="picture without a place"
        ),
    ],
)
def test_a_lying_child_is_not_believed(
    document: dict[str, object], record: dict[str, object]
) -> None:
    honest = {"text": "", "blocks": [BLOCK | {"start_seconds": 1.5}], "media_type": "text/plain"}

    def received(document: dict[str, object], record: dict[str, object]) -> ParsedDocument:
        told = {"document": honest | document, "paths": [], "sizes": [3]} | record
        return from_message(json.dumps(told).encode(), b"abcjpg")

    assert received({}, {}).text == "abc"
    parsed = received({"pictures": [PICTURE]}, {"sizes": [3, 3]})
    assert (parsed.pictures[0].content, parsed.blocks[0].start_seconds) == (b"jpg", 1.5)
    with pytest.raises(ValueError):
        received(document, record)


def test_a_frame_that_claims_to_be_endless_is_refused() -> None:
    with pytest.raises(ValueError, match="a frame of"):
        lengths_of(struct.pack(">cIQ", b"a", 2**32 - 1, 0))


async def test_a_child_reads_like_the_reader_itself() -> None:
    async with ChildParser() as parser:
        content = files.letter_eml()
        parsed = await parser(BytesIO(content), "letter.eml")
    assert parsed == read_document(content, "letter.eml")
    assert isinstance(parsed.attachments[0], Attachment)


async def test_a_refusal_leaves_the_child_alive() -> None:
    async with ChildParser() as parser:
        with pytest.raises(DocumentUnreadable, match="password"):
            await parser(BytesIO(files.handbook_pdf(password="x")), "a.pdf")
        before = children()
        assert (await parser(BytesIO(b"# ok"), "a.md")).text == "ok"
        assert children() == before


async def test_a_file_that_takes_too_long_fails_alone() -> None:
    async with ChildParser(timeout_seconds=2) as parser:
        with pytest.raises(DocumentUnreadable, match="longer than 2 seconds"):
            await parser(BytesIO(SLOW * 3), "slow.md")
    async with ChildParser() as parser:
        assert (await parser(BytesIO(b"# ok"), "a.md")).text == "ok"


async def test_a_file_that_takes_too_much_computing_fails_alone() -> None:
    async with ChildParser(cpu_seconds=1) as parser:
        with pytest.raises(DocumentUnreadable, match="more than 1 seconds of computing"):
            await parser(BytesIO(SLOW), "slow.md")
        assert (await parser(BytesIO(b"# ok"), "a.md")).text == "ok"


def test_computing_is_bounded_by_twice_the_time_out_unless_said_otherwise() -> None:
    limits = ChildLimits(timeout_seconds=300.0, memory_bytes=1, slow_advice="")
    assert limits.most_cpu_seconds == 600
    assert replace(limits, timeout_seconds=0.1).most_cpu_seconds == 1
    assert replace(limits, cpu_seconds=7).most_cpu_seconds == 7


def computed_seconds(pid: int) -> float:
    """What a process has computed so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_what_a_child_computed_for_one_file_is_not_held_against_the_next() -> None:
    content = SLOW[: len(SLOW) // 200]
    before = children()
    async with ChildParser() as parser:
        await parser(BytesIO(content), "a.md")
        [pid] = children() - before
        # More than a file takes on whatever machine, with what is loaded for the first.
        limit = math.ceil(computed_seconds(pid))
    before = children()
    async with ChildParser(cpu_seconds=limit) as parser:
        await parser(BytesIO(content), "a.md")
        [pid] = children() - before
        while computed_seconds(pid) <= limit + 1:
            await parser(BytesIO(content), "a.md")
        await parser(BytesIO(content), "a.md")
        assert children() - before == {pid}


async def test_pages_are_told_of_as_they_are_read() -> None:
    told: list[tuple[int, int]] = []
    async with ChildParser() as parser:
        parsed = await parser(
            BytesIO(files.handbook_pdf()),
            "a.pdf",
            lambda done, total: told.append((done, total)),
        )
    assert told == [(page, parsed.page_count) for page in range(parsed.page_count or 0)]


@pytest.mark.parametrize(
    "notice",
    [
        {},
        {"total": 1},
        {"done": 2, "total": 1},
        {"done": -1, "total": 1},
        {"done": "1", "total": 2},
    ],
)
def test_progress_that_cannot_be_is_refused(notice: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        progress_of(json.dumps(notice).encode())


async def test_a_file_that_takes_too_much_memory_fails_alone() -> None:
    async with ChildParser(memory_bytes=700 * 1024**2) as parser:
        with pytest.raises(DocumentUnreadable, match=r"memory|crashed"):
            await parser(BytesIO(b"a,b\n" * 30_000_000), "big.csv")
        assert (await parser(BytesIO(b"# ok"), "a.md")).text == "ok"


@pytest.mark.parametrize("late", [False, True], ids=["at once", "told late"])
async def test_a_reader_ended_by_the_system_may_be_tried_again(
    monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    if late:
        end_is_told_late(monkeypatch)
    async with ChildParser() as parser:
        before = children()
        reading = asyncio.create_task(parser(BytesIO(SLOW), "slow.md"))
        for pid in await started_since(before):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(DocumentInterrupted) as raised:
            await reading
        assert raised.value.retryable
        assert (await parser(BytesIO(b"# ok"), "a.md")).text == "ok"


def end_is_told_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have asyncio, as on a busy machine, tell of an end after a child was waited for in vain."""
    watcher = getattr(asyncio, "ThreadedChildWatcher", None)
    if watcher is None or sys.version_info >= (3, 12):
        pytest.skip("no thread waits for children here")
    given_up = threading.Event()
    watch, kill = watcher._do_waitpid, os.killpg

    def watch_late(*given: object) -> None:
        given_up.wait()
        watch(*given)

    def give_up(pid: int, number: int) -> None:
        given_up.set()
        kill(pid, number)

    monkeypatch.setattr(watcher, "_do_waitpid", watch_late)
    monkeypatch.setattr(os, "killpg", give_up)


async def test_a_cancelled_reading_leaves_no_process_behind() -> None:
    async with ChildParser() as parser:
        before = children()
        reading = asyncio.create_task(parser(BytesIO(SLOW), "slow.md"))
        await started_since(before)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert children() - before == set()


async def test_several_files_are_read_at_once() -> None:
    async with ChildParser(processes=2) as parser:
        texts = [f"# title {number}" for number in range(12)]
        parsed = await asyncio.gather(*(parser(BytesIO(text.encode()), "a.md") for text in texts))
    assert [document.text for document in parsed] == [f"title {number}" for number in range(12)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared test documents are not here")
async def test_no_foreign_document_crashes_or_hangs_the_parser() -> None:
    failures = {}
    async with ChildParser(ocr="off", timeout_seconds=60, processes=2) as parser:
        for path in sorted(SHARED.rglob("*")):
            if not path.is_file() or path.name.endswith(".expected.md"):
                continue
            try:
                assert (await parser(BytesIO(path.read_bytes()), path.name)).blocks
            except DocumentFailed as failure:
                failures[path.relative_to(SHARED).as_posix()] = failure.cause
    assert not [cause for cause in failures.values() if "crash" in cause or "longer" in cause]
    readable = {"pdf", "docx", "pptx", "xlsx", "csv", "html", "md", "email", "doc", "xls", "epub"}
    lost = {
        name
        for name in failures
        if name.split("/")[0] in readable and "pictures" not in failures[name]
    }
    assert lost == set()
