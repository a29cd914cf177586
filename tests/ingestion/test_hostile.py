from __future__ import annotations

import gzip
import os
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from footnote.errors import DocumentUnreadable
from footnote.ingestion.media import LANGUAGES, TEXT_TYPES
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files, mailfiles
from tests.ingestion.corpus_markup import ASCIIDOC_GUIDE, RST_GUIDE
from tests.ingestion.corpus_texts import LATEX_PAPER
from tests.ingestion.test_archives import tarred, zipped
from tests.ingestion.test_markup import book, cause_of_failure

CAREFUL = ReadingOptions(ocr="off", archive=ArchiveLimits(max_bytes=8 * 1024 * 1024))
SUFFIXES = sorted({*TEXT_TYPES, *LANGUAGES, "", ".txt", ".pdf", ".zip", ".tar.gz", ".msg", ".epub"})
MARKS = [
    b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF-1.7\n", b"<html>", b"<?xml version='1.0'?>",
    b"From: a@b\nTo: c@d\n", b"From x\nA: b\n", b"{", b"[", b"\xff\xfe", b"\xfe\xff",
    b"\x00\x00\xfe\xff", b"GIF89a", b"BM", b"RIFF....WEBP", b"\x00\x00\x00\x1cftypavif",
    b"II*\x00", b"---\n", b".. ", b"|===\n", b"\\begin{", b"WEBVTT\n",
]  # fmt: skip
GOOD = {
    "a.zip": zipped({"a/b.txt": b"words", "c.csv": b"a,b\n"}),
    "a.tar.gz": gzip.compress(tarred({"a/b.txt": b"words " * 50})),
    "a.eml": files.letter_eml(),
    "a.msg": mailfiles.CompoundFile(
        mailfiles.outlook_item("A", "body", files={"x.txt": b"words"})
    ).to_bytes(),
    "a.mbox": mailfiles.box(mailfiles.plain_message(), mailfiles.plain_message("B")),
    "a.mht": mailfiles.saved_page("<p>words</p>", files.picture(["x"])),
    "a.epub": book({"a.xhtml": "<p>words</p>", "b.xhtml": "<h1>B</h1>"}),
    "a.rst": RST_GUIDE.encode(),
    "a.adoc": ASCIIDOC_GUIDE.encode(),
    "a.tex": LATEX_PAPER.encode(),
    "a.png": files.picture(["words"]),
}


def read_or_fail(content: bytes, name: str) -> None:
    """Whatever else it raises fails the test."""
    try:
        parsed = read_document(content, name, CAREFUL)
    except DocumentUnreadable as failure:
        if not (failure.cause and failure.advice):
            raise AssertionError("a failure must say why and what to do") from failure
        return
    for block in parsed.blocks:
        assert parsed.text[block.char_start : block.char_end] == block.text
    for before, after in pairwise(parsed.blocks):
        assert before.char_end < after.char_start


@given(st.sampled_from(SUFFIXES), st.sampled_from(MARKS), st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_arbitrary_bytes_are_read_or_fail(suffix: str, mark: bytes, content: bytes) -> None:
    read_or_fail(mark + content, f"a{suffix}")


@given(st.sampled_from(SUFFIXES), st.binary(max_size=400))
@settings(max_examples=3, deadline=None)
def test_arbitrary_bytes_that_libreoffice_opens_are_read_or_fail(
    suffix: str, content: bytes
) -> None:
    """Few: LibreOffice takes a second for each, whatever it is called."""
    read_or_fail(b"{\\rtf1" + content, f"a{suffix}")


@given(
    st.sampled_from(SUFFIXES),
    st.text("\n\n\n  -*=#|.:_`[]{}<>\\/&%$@+~\"'abc1é\t", max_size=300),
)
@settings(max_examples=300, deadline=None)
def test_arbitrary_marks_are_read_or_fail(suffix: str, text: str) -> None:
    read_or_fail(text.encode(), f"a{suffix}")


PIECES = (
    "\n|\n\n|  |    |- |* |. |1. |==|+|+-|+---+\n|[[|]]|{|}|$|$$|\\|\\begin{tabular}{l}|"
    "\\end{tabular}|\\item|\\section{|\\footnote{|\\begin{itemize}|\\end{itemize}|&|`|``|"
    "::|::\n|.. |.. note::|"
    ".. list-table::\n|   * - |:a: b\n|word|----\n|====\n|===== =====\n|<|<table>|<tr>|"
    "<td rowspan=3>|<td colspan=2>|</table>|<ul><li>|<dl><dt>|</dl>|<math>|</math>|<pre>|<h2>|"
    "</h2>|<a href='http://x.y'>|</a>|\t|---\n|+++\n|#|//|\"|'|def f():\n|class A:\n|"
    "From a\nB: c\n|"
    'Content-Type: text/html\n|--x\n|\x0c|[|,|;|link:a[b]|<<x>>|[cols="1,2"]\n|term:: d\n|~|é'
).split("|")
PIECES += ["|", "|===\n", "| a |\n", "2+|", ".3+|", "|a|", "|b|_", ".. |a| replace:: |b|\n"]
PIECES += ["\\multirow{2}{*}{", "\\multicolumn{2}{c}{", "\\\\", "\\hline", "\n: ", ",", ",,\n"]
PIECES += ["\\cite", "\\href{", "\\frac", "\\textcolor", "\\'", "\\verb", "\\newcommand"]
PIECES += ['"""', "{\n", "};\n", "(", ")", "fn a() {\n", "create table a\n", "begin", "end;"]
TEXT_SUFFIXES = sorted(
    set(TEXT_TYPES) | {".txt", ".py", ".c", ".js", ".rs", ".go", ".sql", ".toml"}
)


@given(st.sampled_from(TEXT_SUFFIXES), st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_text_is_taken_for_damaged(suffix: str, pieces: list[str]) -> None:
    assert "damaged" not in cause_of_failure("".join(pieces).encode(), f"a{suffix}")


@given(
    st.sampled_from(sorted(GOOD)),
    st.integers(0, 1_000_000),
    st.lists(st.tuples(st.integers(0, 1_000_000), st.integers(0, 255)), max_size=6),
)
@example(name="a.epub", cut=1, changes=[(11927, 5)])
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_files_are_read_or_fail(
    name: str, cut: int, changes: list[tuple[int, int]]
) -> None:
    content = bytearray(GOOD[name])
    for place, value in changes:
        content[place % len(content)] = value
    end = len(content) if cut % 2 else cut % (len(content) + 1)
    read_or_fail(bytes(content[:end]), name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_many_random_bytes_are_read_or_fail(suffix: str) -> None:
    read_or_fail(os.urandom(60_000), f"a{suffix}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xml", b"<a>" * 20_000),
        ("a.html", b"<table><tr><td>" * 20_000),
        ("a.html", b"<math>" * 20_000 + b"x"),
        ("a.md", b"> " * 2_000 + b"x"),
        ("a.md", b"[" * 20_000 + b"x"),
        ("a.rst", b"\n".join(b" " * depth + b"- x\n" for depth in range(0, 400, 2))),
        ("a.adoc", b"====\n" + b"=====\n" * 2_000 + b"x"),
        ("a.tex", b"\\begin{itemize}\\item " * 5_000 + b"x"),
        ("a.tex", b"\\footnote{" * 5_000 + b"x"),
        ("a.eml", b"From: a@b\nTo: c@d\nContent-Type: multipart/mixed; boundary=x\n\n"
                  + b"--x\nContent-Type: multipart/mixed; boundary=x\n\n" * 500 + b"words"),
        ("a.json", b'{"a":' * 900 + b"1" + b"}" * 900),
        ("a.csv", b'"' * 50_001),
        ("a.c", b"a b(" * 20_000),
        ("a.js", b"f(" * 20_000 + b"{"),
    ],
)  # fmt: skip
def test_what_is_nested_or_repeated_absurdly_is_read_or_fails(name: str, content: bytes) -> None:
    read_or_fail(content, name)
