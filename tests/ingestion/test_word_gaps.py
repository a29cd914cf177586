"""Words that a recogniser runs together are parted where the picture of the line shows gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from footnote.ingestion.parsing.ocr import Pixels, installed_rapidocr, select_ocr, turned_lines
from footnote.ingestion.parsing.word_gaps import Grey, with_gaps, word_gaps
from tests.ingestion import pdf_files

LETTER = [
    "We are billing you as follows for the work that was carried out",
    "on your vessel in March. If it is not paid by then, we shall ask",
    "for interest of five % a year from the day on which it was due.",
]


def line_picture(text: str, *, size: int = 28, dark: bool = False) -> tuple[list[float], Grey]:
    """A line as it is printed, and where the middle of each character is."""
    font = ImageFont.load_default(size)
    width = int(font.getlength(text)) + 20
    image = Image.new("L", (width, 2 * size), 20 if dark else 235)
    ImageDraw.Draw(image).text((10, size // 3), text, font=font, fill=235 if dark else 20)
    ends = [10 + font.getlength(text[:at]) for at in range(len(text) + 1)]
    return [(a + b) / 2 for a, b in pairwise(ends)], np.asarray(image)


def glued(text: str, centres: Sequence[float]) -> tuple[str, list[float]]:
    """The text without its spaces, and what is left of the places."""
    kept = [at for at, character in enumerate(text) if character != " "]
    return "".join(text[at] for at in kept), [centres[at] for at in kept]


@pytest.mark.parametrize("text", LETTER)
@pytest.mark.parametrize("dark", [False, True], ids=["on white", "on black"])
def test_spaces_come_back_where_the_picture_has_them(text: str, dark: bool) -> None:
    centres, picture = line_picture(text, dark=dark)
    run_together, places = glued(text, centres)
    assert with_gaps(run_together, places, picture) == text
    assert with_gaps(text, centres, picture) == text


@pytest.mark.parametrize(
    "text", ["INVOICE", "Tolliver", "QB-P3-0147", "15,600.00", "illness", "claim4711"]
)
def test_one_word_stays_one_word(text: str) -> None:
    centres, picture = line_picture(text)
    assert with_gaps(text, centres, picture) == text


def test_a_script_without_spaces_gets_none() -> None:
    picture = line_picture("ab cd ef gh")[1]
    text = "解約の予告期間は三か月"
    assert with_gaps(text, [10.0 * at for at in range(len(text))], picture) == text


def test_an_empty_picture_has_no_gaps() -> None:
    assert word_gaps(np.full((20, 200), 255, dtype=np.uint8)) == []


@given(
    text=st.text(alphabet="abc dé1,漢", max_size=12),
    centres=st.lists(st.floats(0, 60), max_size=12).map(sorted),
    seed=st.integers(0, 1000),
)
def test_whatever_comes_only_spaces_are_added(text: str, centres: list[float], seed: int) -> None:
    picture = np.random.default_rng(seed).integers(0, 256, (12, 60), dtype=np.uint8)
    made = with_gaps(text, centres, picture)
    assert made.replace(" ", "") == text.replace(" ", "")
    assert made.split() == made.split(" ") or text.split() != text.split(" ")


def scanned(font: str, size: float, dpi: int, *, turns: int = 0) -> Pixels:
    """The letter as a scanner of this resolution sees it, grey and grainy."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for number, line in enumerate(LETTER):
            canvas.drawString(40, 150 - 1.7 * size * number, line)

    page = pypdfium2.PdfDocument(pdf_files.pdf(draw, size=(460, 190)))[0]
    grey = np.asarray(page.render(scale=dpi / 72).to_pil().convert("L")).astype(float)
    grain = np.random.default_rng(7).normal(0, 8, grey.shape)
    seen = np.clip(0.8 * grey + 30 + grain, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.rot90(np.stack([seen] * 3, axis=-1), turns))


def word_accuracy(read: Sequence[str]) -> float:
    got, wanted = (Counter(" ".join(lines).split()) for lines in (read, LETTER))
    return (got & wanted).total() / max(got.total(), wanted.total())


RAPIDOCR = pytest.mark.skipif(installed_rapidocr() is None, reason="no rapidocr here")


@RAPIDOCR
@pytest.mark.parametrize(
    ("font", "size", "dpi"),
    [
        *(("Helvetica", 10, 100), ("Helvetica", 10, 150), ("Times-Roman", 10, 150)),
        *(("Courier", 8, 150), ("Helvetica", 11, 200)),
    ],
)
def test_a_scanned_english_letter_is_read_in_words(font: str, size: float, dpi: int) -> None:
    lines, _ = turned_lines(scanned(font, size, dpi), select_ocr("rapidocr", "eng"))
    assert word_accuracy([line.text for line in lines]) >= 0.9


@RAPIDOCR
def test_a_page_on_its_head_is_left_as_the_engine_reads_it() -> None:
    # Where the engine says that its characters stand is not exact there.
    lines, _ = turned_lines(scanned("Helvetica", 10, 150, turns=2), select_ocr("rapidocr", "eng"))
    read = {"".join(line.text.split()) for line in lines}
    assert "We arebillingyou".replace(" ", "") in next(each for each in read if "billing" in each)
    assert all(len(line.text.split()) < 12 for line in lines)
