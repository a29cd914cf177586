"""Files without line breaks or spaces, or of many columns, take no more memory than others."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from footnote.domain import ParsedDocument
from footnote.ingestion.chunking import ChunkPolicy, chunk_blocks
from footnote.ingestion.enrichment import enrich, words_of
from footnote.ingestion.parsing.reading import read_document
from footnote.language.scripts import without_data
from footnote.models.testing import HashEmbedder

MEGABYTE = 10**6
TARGET = 200
MAX_AT_ONCE = 200_000
"""Characters; a worker takes some 300 bytes for each."""


@dataclass
class Watched:
    """Counts words, and remembers how much it was given at once."""

    inner: HashEmbedder = field(default_factory=HashEmbedder)
    most: int = 0

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        self.most = max(self.most, sum(map(len, texts)))
        return self.inner.count_tokens(texts)


def read(content: str, filename: str) -> ParsedDocument:
    return read_document(content.encode(), filename)


LINES = [
    pytest.param("word " * (MEGABYTE // 5), "words.txt", id="one line of words"),
    pytest.param("x" * MEGABYTE, "letters.txt", id="one word"),
    pytest.param("Buoys are moored. " * (MEGABYTE // 18), "prose.txt", id="one line of sentences"),
    pytest.param(
        "\n".join(",".join(f"{row}-{each}" for each in range(40_000)) for row in range(3)),
        "wide.csv",
        id="a table of many columns",
    ),
    pytest.param(f"# {'heading ' * 50_000}\n\n" + "Text.\n\n" * 500, "a.md", id="a long heading"),
    pytest.param("x = 1" + " " * MEGABYTE + ";\n", "a.py", id="a line of spaces"),
]


@pytest.mark.parametrize(("content", "filename"), LINES)
def test_tokens_are_counted_in_slices(content: str, filename: str) -> None:
    tokenizer = Watched()
    chunks = chunk_blocks(read(content, filename), tokenizer, ChunkPolicy(target_tokens=TARGET))
    assert len(chunks) > 0
    assert tokenizer.most < MAX_AT_ONCE


@pytest.mark.parametrize(("content", "filename"), LINES)
def test_chunks_are_bounded_and_do_not_multiply_the_text(content: str, filename: str) -> None:
    parsed = read(content, filename)
    chunks = chunk_blocks(parsed, HashEmbedder(), ChunkPolicy(target_tokens=TARGET))
    found = [len(chunk.text) + sum(map(len, chunk.heading_path)) for chunk in chunks]
    assert max(found) <= 5 * 24 * TARGET
    assert sum(found) <= 2 * len(parsed.text) + MEGABYTE


@pytest.mark.parametrize(
    "run", ["x" * MEGABYTE, "QmFzZTY0+/" * (MEGABYTE // 10)], ids=["one letter", "base64"]
)
def test_an_unbroken_run_costs_little_to_embed(run: str) -> None:
    """A line of 3 MB without spaces was 7,000 chunks, and took minutes."""
    parsed = read(f"Annex.\n\nScan: data:image/png;base64,{run} of page 3", "run.txt")
    chunks = chunk_blocks(parsed, HashEmbedder(), ChunkPolicy(target_tokens=TARGET))
    assert len(chunks) < 230
    embedded = [without_data(chunk.text) for chunk in chunks]
    assert sum(map(len, embedded)) < 150 * len(chunks)
    assert embedded[0].startswith("Annex.")
    assert embedded[-1].endswith(" of page 3")


def test_what_scripts_write_without_spaces_is_no_data() -> None:
    for text in ("合同规定每月付款" * 200, "สัญญาระบุการชำระเงิน" * 100, "word " * 500, "a1-" * 100):
        assert without_data(text) == text
    assert without_data("Key: " + "0f" * 500 + ". End") == "Key: " + "0f" * 32 + ". End"


def test_a_long_text_is_divided_in_little_more_memory_than_it_takes_itself() -> None:
    parsed = read("Buoys are moored at the berth " * 35_000, "a.txt")
    words_of(read("The model that tells languages is loaded once.", "a.txt"))
    tracemalloc.start()
    try:
        words = words_of(parsed)
        chunks = chunk_blocks(parsed, HashEmbedder(), ChunkPolicy(target_tokens=TARGET))
        _, enriched = enrich(parsed, chunks, "a.txt", words=words)
        assert sum(len(chunk.embedded_text) for chunk in enriched) > len(parsed.text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * MEGABYTE


_ENRICHES = """
import sys
from footnote.ingestion.enrichment import words_of
from footnote.ingestion.naming import other_names
from footnote.ingestion.parsing.reading import read_document

for each in sys.argv[1:]:
    parsed = read_document((each * (10**6 // len(each)) + " buoys 7").encode(), "a.txt")
    words = words_of(parsed)
    assert other_names(parsed.blocks, "buoys.txt", "", words.language) == ("buoys",)
"""


def test_a_long_word_is_enriched_in_one_pass() -> None:
    """Each of its letters was tried as the first: 20 KB took seconds, and a megabyte hours."""
    words = ["x", "0f", "x-", "x_", "é’"]
    subprocess.run([sys.executable, "-c", _ENRICHES, *words], check=True, timeout=900)


_COUNTS = """
import resource
from footnote.models.counting import count_in_slices
from footnote.models.minilm import packaged_folder
from footnote.models.tokenizing import WordPieces

resource.setrlimit(resource.RLIMIT_AS, (4 * 1024**3, 4 * 1024**3))
count = WordPieces(packaged_folder() / "tokenizer.json").count
count_in_slices(count, ["warm up"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tokens, few = count_in_slices(count, ["buoys lie " * 200_000, "buoys lie"])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(tokens, few, (after - before) // 1024)
"""


def test_the_packaged_tokenizer_counts_a_line_of_two_megabytes_in_less_than_a_hundred() -> None:
    """It took 540 MB: the encodings of all words of the line at once."""
    ran = subprocess.run(
        [sys.executable, "-c", _COUNTS], capture_output=True, text=True, check=True, timeout=900
    )
    tokens, few, megabytes = map(int, ran.stdout.split())
    assert tokens == 200_000 * few
    assert megabytes < 100
