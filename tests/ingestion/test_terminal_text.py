"""What a terminal wrote is a text, without what only a terminal acts on."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.ingestion.media import PLAIN, sniff_media_type
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.receive import examine
from footnote.ingestion.terminal_codes import without_terminal_codes

COLOURED = "\n".join(
    f"\x1b[2m2025-03-06T10:00:{second:02}Z\x1b[0m \x1b[1;32mINFO\x1b(B\x1b[m pump::valve: "
    f"valve {second} opened at \x1b[38;5;208m{second * 3} bar\x1b[0m"
    for second in range(40)
)
LINKED = (
    "\x1b]0;the title\x07\x1b]8;;https://a.example/x\x1b\\run 17\x1b]8;;\x1b\\ has failed\n" * 9
)
SPINNING = "|\x08/\x08-\x08\\\x08|\x1b[2K\r\x1b[?25hThe backup is complete.\x07\n" * 30
OVERSTRUCK = "N\x08NA\x08AM\x08ME\x08E\n       _\x08p_\x08u_\x08m_\x08p - opens a valve\n" * 5


@pytest.mark.parametrize("name", ["app.log", "app.txt", "typescript"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (COLOURED, "2025-03-06T10:00:07Z INFO pump::valve: valve 7 opened at 21 bar"),
        (LINKED, "run 17 has failed"),
        (SPINNING, "The backup is complete."),
        (OVERSTRUCK, "pump - opens a valve"),
    ],
    ids=["colours", "links", "progress", "overstrikes"],
)
def test_a_log_of_a_terminal_is_text(text: str, said: str, name: str) -> None:
    content = text.encode()
    assert examine(BytesIO(content), name, 1_000_000).media_type == PLAIN
    parsed = read_document(content, name)
    assert said in parsed.text
    for left in ("\x1b", "[0m", "[32m", "[1;32m", "]8;;", "\x08", "\x07", "[2K", "the title"):
        assert left not in parsed.text


def test_what_is_no_text_does_not_become_one() -> None:
    assert sniff_media_type(bytes(range(1, 32)) * 40, "app.log") is None
    assert sniff_media_type(b"\x1b[0m\x01\x02\x03\x04\x05\x06" * 100, "app.log") is None


def test_japanese_with_escapes_is_still_japanese() -> None:
    text = "解約の予告期間は三か月です。\n" * 5
    assert "予告期間" in read_document(text.encode("iso2022_jp"), "notice.txt").text


@given(st.text(alphabet="ab \n[0m]8;\x1b\x07\x08", max_size=60))
def test_a_text_without_codes_is_left_as_it_is(text: str) -> None:
    kept = without_terminal_codes(text)
    if not set(text) & set("\x1b\x07\x08"):
        assert kept == text
    assert len(kept) <= len(text)
