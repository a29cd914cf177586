"""A file that is broken fails with a sentence, whatever its library stumbled over."""

from __future__ import annotations

import builtins
import bz2
import gzip
import io
import lzma
import re
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from io import BytesIO

import pytest

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.failures import plain_cause
from footnote.ingestion.parsing.subprocess import ChildParser
from tests.ingestion import corpus_office, files, mailfiles
from tests.ingestion.office_files import open_document
from tests.ingestion.test_archives import tarred, zipped
from tests.ingestion.test_markup import book

WORDS = {"a/b.txt": b"words " * 50, "c.csv": b"a,b\n" * 50}
WHOLE: dict[str, Callable[[], bytes]] = {
    "a.zip": lambda: zipped(WORDS),
    "a.tar": lambda: tarred(WORDS),
    "a.tar.gz": lambda: gzip.compress(tarred(WORDS)),
    "a.tar.bz2": lambda: bz2.compress(tarred(WORDS)),
    "a.tar.xz": lambda: lzma.compress(tarred(WORDS)),
    "a.txt.gz": lambda: gzip.compress(b"words " * 300),
    "a.docx": files.contract_docx,
    "a.pptx": files.deck_pptx,
    "a.xlsx": files.prices_xlsx,
    "a.odt": lambda: open_document("text", "<text:p>words</text:p>"),
    "a.epub": lambda: book({"a.xhtml": "<p>words</p>", "b.xhtml": "<h1>B</h1>"}),
    "a.doc": corpus_office.FILES["DOC"]["rules.doc"],
    "a.xls": lambda: mailfiles.CompoundFile({"Workbook": b"\x09\x08\x10\x00" * 900}).to_bytes(),
    "a.msg": lambda: mailfiles.CompoundFile(
        mailfiles.outlook_item("A", "body", files={"x.txt": b"words"})
    ).to_bytes(),
    "a.pdf": files.handbook_pdf,
    "a.png": lambda: files.picture(["words"]),
    "a.jpg": lambda: files.picture(["words"], "JPEG"),
}
_JARGON = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b|\bBad[A-Z]\w+|0x[0-9a-f]+|\berror\)")
_EXCEPTIONS = {
    name for name, each in vars(builtins).items() if isinstance(each, type) and name != "Warning"
    if issubclass(each, BaseException)
}  # fmt: skip


@pytest.fixture(scope="module")
async def read() -> AsyncIterator[ChildParser]:
    async with ChildParser(ocr="off") as parser:
        yield parser


def broken(content: bytes) -> Iterator[tuple[str, bytes]]:
    """What a file becomes that is cut short, scribbled over or robbed of its parts."""
    for share in (0.03, 0.1, 0.5, 0.9):
        yield f"cut at {share:.0%}", content[: int(len(content) * share)]
    flipped = bytearray(content)
    flipped[len(content) // 3 :: 37] = bytes(
        byte ^ 0x5A for byte in flipped[len(content) // 3 :: 37]
    )
    yield "scribbled over", bytes(flipped)
    if zipfile.is_zipfile(io.BytesIO(content)):
        yield "robbed", _repacked(content, lambda name, part: None if _is_main(name) else part)
        yield (
            "unclosed",
            _repacked(content, lambda name, part: b"<a><b" if _is_main(name) else part),
        )


def _is_main(name: str) -> bool:
    return name.endswith(("xml", "xhtml", "opf", "txt")) and name != "[Content_Types].xml"


def _repacked(content: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            part = change(name, old.read(name))
            if part is not None:
                new.writestr(name, part)
    return into.getvalue()


async def failure_of(read: ChildParser, content: bytes, name: str) -> DocumentUnreadable | None:
    try:
        await read(BytesIO(content), name)
    except DocumentUnreadable as failure:
        return failure
    return None


@pytest.mark.parametrize("name", WHOLE)
async def test_a_broken_file_fails_in_plain_words(name: str, read: ChildParser) -> None:
    noticed = 0
    for how, content in broken(WHOLE[name]()):
        failure = await failure_of(read, content, name)
        if failure is None:
            continue  # the rest of it could be read
        noticed += 1
        said = f"{failure.cause} {failure.advice}"
        assert not _JARGON.search(said), f"{how}: {said}"
        assert not _EXCEPTIONS & set(re.findall(r"\w+", said)), f"{how}: {said}"
        assert failure.stage is Stage.PARSE
        assert failure.cause, how
        assert failure.advice, how
    assert noticed


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (zipfile.BadZipFile("File is not a zip file"), "damaged: it is no complete ZIP package"),
        (EOFError("Compressed file ended"), "damaged: it ends too early"),
        (OSError("incomplete OLE sector"), "damaged: it ends too early"),
        (lzma.LZMAError("Corrupt"), "damaged: its compressed data is damaged"),
        (
            KeyError("There is no item named 'word/x.xml' in"),
            "damaged: word/x.xml is missing in it",
        ),
        (SyntaxError("unclosed token: line 1, column 3"), "damaged"),
        (ValueError("<object at 0x7f00aa>"), "damaged"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), "damaged: its text is in no encoding"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)
def test_what_an_exception_says_is_put_in_a_sentence(error: Exception, said: str) -> None:
    raw = f"damaged ({type(error).__name__}: {error})"
    failure = DocumentUnreadable(stage=Stage.PARSE, cause=raw, advice="send it again")
    failure.__cause__ = error
    assert plain_cause(failure).startswith(said)
    assert not _JARGON.search(plain_cause(failure))


def test_a_cause_in_our_own_words_stays() -> None:
    failure = DocumentUnreadable(stage=Stage.PARSE, cause="it has 9 pages (5 allowed)", advice="x")
    failure.__cause__ = ValueError("9")
    assert plain_cause(failure) == "it has 9 pages (5 allowed)"
