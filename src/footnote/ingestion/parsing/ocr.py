"""Recognise words with boxes and confidence in pixels, by whichever OCR engine is installed."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from statistics import median
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from footnote.errors import DocumentUnreadable, how_to_install
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.geometry import (
    Box,
    Line,
    PageItem,
    Word,
    cells_of,
    find_tables,
    line_of,
)
from footnote.ingestion.parsing.word_gaps import with_gaps
from footnote.ports import OcrChoice

Pixels = npt.NDArray[np.uint8]
"""An image of shape (height, width, 3), red first."""

ALL_LANGUAGES = "auto"
"""In place of Tesseract's language codes: all installed languages."""
TESSERACT_INSTALL = "apt-get install tesseract-ocr"
RAPIDOCR_INSTALL = how_to_install("ocr")
RAPIDOCR_PACKAGES = ("footnote_models.rapidocr", "rapidocr_onnxruntime")
"""Where to import RapidOCR from: our package of models, or the original package."""
_ONLY_PICTURES = "it has no text, only pictures, and "
_RAPIDOCR_REQUIREMENTS = ("cv2", "pyclipper", "shapely", "yaml")
"""Modules of the extra `ocr` that RapidOCR imports."""
_SIZE_OF_HEIGHT = 0.75
"""Font size as a share of the height of a recognised line's box."""
_DOUBTFUL_CONFIDENCE = 0.6
"""Confidence below which a page may be turned, and a line of a picture is left out."""
_SURE_CONFIDENCE = 0.9
_SMALL_HEIGHT = 20
"""Median height in pixels below which words are too small to be read well."""
_LEGIBLE_HEIGHT = 36
_MAX_ENLARGEMENT = 3.0
_MAX_ENLARGED_PIXELS = 60_000_000
_MIN_PICTURE_LETTERS = 8
_MIN_SURE_SHARE = 0.5
_MAX_CELL_CHARACTERS = 34
"""Average characters above which cells are columns of prose, read one after the other."""


class Ocr(Protocol):
    """An engine that reads text from an image."""

    def lines(self, pixels: Pixels) -> list[Line]:
        """Lines in reading order, in pixels, each word with a confidence in 0…1."""
        ...


@lru_cache(maxsize=4)
def select_ocr(choice: OcrChoice, languages: str) -> Ocr:
    """Return the engine of that name; `auto` takes Tesseract if installed, else RapidOCR.

    Raises DocumentUnreadable with the install command if there is no engine, or Tesseract lacks the
    data of a language.
    """
    return _engine_factory(choice, languages)()


def ocr_lacking(choice: OcrChoice, languages: str) -> tuple[str, str] | None:
    """Return why no engine fits the choice and the languages, and the remedy; None if one does."""
    try:
        _engine_factory(choice, languages)
    except DocumentUnreadable as error:
        return error.cause.removeprefix(_ONLY_PICTURES), error.advice
    return None


def _engine_factory(choice: OcrChoice, languages: str) -> Callable[[], Ocr]:
    if choice == "off":
        raise _no_ocr("OCR is switched off", "set FOOTNOTE_OCR=auto")
    tesseract = shutil.which("tesseract")
    if choice != "rapidocr" and tesseract:
        # The program is the installed tesseract, the arguments are ours, there is no shell.
        command = [tesseract, "--list-langs"]
        result = subprocess.run(command, capture_output=True, check=False, text=True)
        names = {line.strip() for line in result.stdout.splitlines()[1:]} - {"", "osd", "equ"}
        installed = sorted(names, key=lambda name: (name != "eng", name))
        if languages == ALL_LANGUAGES:
            languages = "+".join(installed) or "eng"
        elif missing := [language for language in languages.split("+") if language not in names]:
            raise _no_ocr(
                f"Tesseract has no data for {', '.join(missing)}",
                f"install it with: {TESSERACT_INSTALL}-{missing[0].replace('_', '-')}, or name in "
                f"FOOTNOTE_OCR some of {', '.join(installed) or 'those that tesseract has'}",
            )
        return partial(Tesseract, tesseract, languages)
    package = None if choice == "tesseract" else installed_rapidocr()
    if package:
        return partial(RapidOcr, package)
    advice = {
        "tesseract": f"install it with: {TESSERACT_INSTALL}",
        "rapidocr": f"install it with: {RAPIDOCR_INSTALL}",
    }.get(choice, f"install one with: {TESSERACT_INSTALL}, or: {RAPIDOCR_INSTALL}")
    raise _no_ocr(
        "no OCR engine is installed" if choice == "auto" else f"{choice} is not installed", advice
    )


def installed_rapidocr() -> str | None:
    """Return the package to import RapidOCR from; None unless all its imports are installed."""
    if not all(find_spec(name) for name in _RAPIDOCR_REQUIREMENTS):
        return None
    return next(
        (
            name
            for name in RAPIDOCR_PACKAGES
            if find_spec(name.partition(".")[0]) and find_spec(name)
        ),
        None,
    )


def _no_ocr(cause: str, advice: str) -> DocumentUnreadable:
    return unreadable(_ONLY_PICTURES + cause, advice)


def items_of_image(pixels: Pixels, ocr: Ocr) -> list[PageItem]:
    """Return the lines and tables of an image in reading order; a doubtful one is also read
    turned."""
    return find_tables(_rows(turned_lines(pixels, ocr)[0]), [])


def turned_lines(pixels: Pixels, ocr: Ocr) -> tuple[list[Line], int]:
    """Return an image's lines, and the quarter turns to the left with the highest confidence.

    The boxes are those of the turned image.
    """
    best, factor = _read_enlarged(pixels, ocr)
    turn = best_turn = 0
    while _weighted_confidence(best) < _DOUBTFUL_CONFIDENCE and turn < 3:
        turn += 1
        turned = _read(np.ascontiguousarray(np.rot90(pixels, turn)), ocr)
        if _weighted_confidence(turned) > _weighted_confidence(best):
            best, factor, best_turn = turned, 1.0, turn
    return [_scaled(line, 1 / factor) for line in best], best_turn


def items_of_picture(pixels: Pixels, ocr: Ocr) -> list[PageItem]:
    """Return the lines and tables of a picture beside text; empty for one without words.

    OCR finds letters in leaves and waves, so lines of low confidence are left out.
    """
    lines, factor = _read_enlarged(pixels, ocr)
    sure = [
        _scaled(line, 1 / factor)
        for line in lines
        if (line.confidence or 0.0) >= _DOUBTFUL_CONFIDENCE and sum(map(str.isalnum, line.text)) > 1
    ]
    letters = sum(character.isalnum() for line in sure for character in line.text)
    all_letters = sum(character.isalnum() for line in lines for character in line.text)
    if letters < _MIN_PICTURE_LETTERS or letters < _MIN_SURE_SHARE * all_letters:
        return []
    return find_tables(_rows(sure), [])


def _read_enlarged(pixels: Pixels, ocr: Ocr) -> tuple[list[Line], float]:
    """Return the lines, and the factor by which the image was enlarged for small letters."""
    lines = _read(pixels, ocr)
    heights = [
        word.box.height for line in lines for word in line.words if word.box.width > word.box.height
    ]
    height = median(heights) if heights else _LEGIBLE_HEIGHT
    if height >= _SMALL_HEIGHT or _weighted_confidence(lines) > _SURE_CONFIDENCE:
        return lines, 1.0
    factor = min(_LEGIBLE_HEIGHT / max(height, 1.0), _MAX_ENLARGEMENT)
    rows, columns, _ = pixels.shape
    if rows * columns * factor**2 > _MAX_ENLARGED_PIXELS:
        return lines, 1.0
    size = round(columns * factor), round(rows * factor)
    image = Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.LANCZOS)
    larger = _read(np.asarray(image, dtype=np.uint8), ocr)
    return (
        (larger, factor)
        if _weighted_confidence(larger) > _weighted_confidence(lines)
        else (lines, 1.0)
    )


def _scaled(line: Line, factor: float) -> Line:
    if factor == 1.0:
        return line
    return line_of(
        [
            word._replace(box=Box(*(edge * factor for edge in word.box)), size=word.size * factor)
            for word in line.words
        ]
    )


def _read(pixels: Pixels, ocr: Ocr) -> list[Line]:
    return [line for line in ocr.lines(pixels) if line.text.strip()]


def _weighted_confidence(lines: Sequence[Line]) -> float:
    """Return the mean confidence weighted by length, halved if most of the text runs vertically.

    1 if nothing was read.
    """
    words = [word for line in lines for word in line.words]
    length = sum(len(word.text) for word in words)
    if not length:
        return 1.0
    confidence = sum((word.confidence or 0.0) * len(word.text) for word in words) / length
    upright = sum(len(line.text) for line in lines if line.box.width > line.box.height)
    return confidence if upright > length / 2 else confidence / 2


def _rows(lines: Sequence[Line]) -> list[Line]:
    """Join lines that are side by side, unless they are columns of prose."""
    rows: list[list[Word]] = []
    for line in sorted(lines, key=lambda line: line.box.top + line.box.bottom):
        if rows and _is_beside(line_of(rows[-1]), line):
            rows[-1].extend(line.words)
        else:
            rows.append(list(line.words))
    joined = [line_of(words) for words in rows]
    split = [cells_of(row) for row in joined]
    cells = [cell for row in split if len(row) > 1 for cell in row]
    if cells and sum(len(cell.text) for cell in cells) / len(cells) > _MAX_CELL_CHARACTERS:
        return list(lines)
    return joined


def _is_beside(row: Line, line: Line) -> bool:
    shared = min(row.box.bottom, line.box.bottom) - max(row.box.top, line.box.top)
    is_apart = all(
        line.box.left >= word.box.right or line.box.right <= word.box.left for word in row.words
    )
    return is_apart and shared > 0.5 * min(row.box.height, line.box.height)


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The `tesseract` program, asked for words with boxes (TSV)."""

    program: str
    languages: str = "eng"

    def lines(self, pixels: Pixels) -> list[Line]:
        """Lines in Tesseract's reading order. Raises DocumentUnreadable when it fails."""
        height, width, _ = pixels.shape
        picture = f"P6 {width} {height} 255\n".encode() + np.ascontiguousarray(pixels).tobytes()
        command = [self.program, "-", "-", "-l", self.languages, "--psm", "3", "tsv"]
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        # The program is the installed tesseract, the arguments are ours, there is no shell.
        result = subprocess.run(
            command, input=picture, capture_output=True, check=False, env=environment
        )
        if result.returncode:
            message = " ".join(result.stderr.decode("utf-8", "replace").split())[-200:]
            raise _no_ocr(
                f"Tesseract failed ({message})",
                f"check that its data for “{self.languages}” is installed (tesseract --list-langs)",
            )
        lines: list[Line] = []
        rows = csv.DictReader(
            io.StringIO(result.stdout.decode("utf-8", "replace")),
            delimiter="\t",
            quoting=csv.QUOTE_NONE,
        )
        words = [row for row in rows if row["level"] == "5" and (row["text"] or "").strip()]
        keys = ("block_num", "par_num", "line_num")
        for _, group in groupby(words, key=lambda row: tuple(row[key] for key in keys)):
            members = list(group)
            height = max(int(row["height"]) for row in members)
            words_of_line = []
            for row in members:
                left, top = int(row["left"]), int(row["top"])
                box = Box(left, top, left + int(row["width"]), top + int(row["height"]))
                confidence = min(max(float(row["conf"]) / 100, 0.0), 1.0)
                size = _SIZE_OF_HEIGHT * height
                words_of_line.append(Word(row["text"], box, size, confidence=confidence))
            lines.append(line_of(words_of_line))
        return lines


class RapidOcr:
    """PP-OCR models run by ONNX Runtime, both as packaged by RapidOCR."""

    def __init__(self, package: str) -> None:
        self._engine = import_module(package).RapidOCR(intra_op_num_threads=1)

    def lines(self, pixels: Pixels) -> list[Line]:
        """Return phrases from top to bottom, each a line of one word, with spaces as in the
        picture."""
        blue_first = np.ascontiguousarray(pixels[:, :, ::-1])
        # Its classifier of upside-down lines is wrong for some lines of an upright page, and a line
        # turned by mistake is lost; so it is used only where nothing can be read without it.
        results, _ = self._engine(blue_first, use_cls=False, return_word_box=True)
        upright = bool(results)
        if not results:
            results, _ = self._engine(blue_first, use_cls=True, return_word_box=True)
        image = Image.fromarray(np.ascontiguousarray(pixels))
        lines = []
        for corners, recognized, confidence, characters, *_ in results or []:
            text = recognized
            if upright:
                # The line within these corners, cut out and made level: the darkest channel of
                # each pixel.
                upper_left, upper_right, lower_right, lower_left = (
                    np.asarray(corner) for corner in corners
                )
                width = max(round(float(np.linalg.norm(upper_right - upper_left))), 1)
                height = max(round(float(np.linalg.norm(lower_left - upper_left))), 1)
                quad = [*upper_left, *lower_left, *lower_right, *upper_right]
                level = image.transform(
                    (width, height), Image.Transform.QUAD, quad, Image.Resampling.BILINEAR
                )
                darkest: Pixels = np.asarray(level, dtype=np.uint8).min(axis=2)
                text = with_gaps(recognized, _centres(corners, characters), darkest)
            xs, ys = [point[0] for point in corners], [point[1] for point in corners]
            box = Box(min(xs), min(ys), max(xs), max(ys))
            size = _SIZE_OF_HEIGHT * min(box.height, box.width)
            lines.append(line_of([Word(text, box, size, confidence=float(confidence))]))
        return lines


Corners = Sequence[Sequence[float]]
"""Corners of a box that may be turned: points (x, y) clockwise from the upper left."""


def _centres(corners: Corners, characters: Sequence[Corners]) -> list[float]:
    """Return the distance of each character's middle from the start of its line, in pixels."""
    start, end = np.asarray(corners[0]), np.asarray(corners[1])
    run = (end - start) / max(float(np.linalg.norm(end - start)), 1.0)
    return [
        float((np.mean(np.asarray(character), axis=0) - start) @ run) for character in characters
    ]
