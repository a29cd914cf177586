"""How much of the structure of each format is found: headings, words and rows of tables.

    python bench/formats.py DATA
    python bench/formats.py DATA --kin --json
    python bench/formats.py DATA --without-office

DATA is a folder with files and, beside each, what it holds as Markdown (`FILE.expected.md`). With
`--kin` LibreOffice also saves each DOCX, PPTX and XLSX in the older and open formats, which must
then hold the same. `--without-office` reads as where LibreOffice is not installed.

A heading is right where the expected words stand in it in their order, a row where a row of a
table has all of its words. F1 is over headings, recall over words.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from reporting import finish, machine, progress, show

KIN = {
    ".docx": ("odt", "rtf", "doc"),
    ".pptx": ("odp", "ppt"),
    ".xlsx": ("ods", "xls"),
}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"(?<=\])\([^)]*\)")
_MARKUP = re.compile(r"\\[a-zA-Z]+|[*~_`\\$|{}#]|&lt;|&gt;|&amp;")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What was found in one file."""

    name: str
    error: str = ""
    headings_expected: int = 0
    headings_found: int = 0
    headings_right: int = 0
    words_expected: int = 0
    words_right: int = 0
    rows_expected: int = 0
    rows_right: int = 0
    seconds: float = 0.0


def words(text: str) -> list[str]:
    return _WORD.findall(_MARKUP.sub(" ", text).lower())


def rows_of(lines: Iterable[str]) -> list[Counter[str]]:
    """The words of each row of the Markdown tables among some lines, but of rows without any."""
    rows = [line for line in lines if line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line)]
    return [row for line in rows if (row := Counter(words(line)))]


def score(name: str, parsed: ParsedDocument, expected: str, seconds: float) -> Score:
    expected = _ADDRESS.sub("", _COMMENT.sub("", expected))
    titles = re.findall(r"^#+ +(.*)", _FENCED.sub("", expected), re.MULTILINE)
    wanted = [f" {' '.join(words(title))} " for title in titles if words(title)]
    headings = [block.text for block in parsed.blocks if block.kind is BlockKind.HEADING]
    left = [f" {' '.join(words(heading))} " for heading in headings]
    right = 0
    for title in wanted:
        if match := next((heading for heading in left if title in heading), None):
            left.remove(match)
            right += 1
    tables = [block.text for block in parsed.blocks if block.kind is BlockKind.TABLE]
    rows = rows_of(line for table in tables for line in table.splitlines())
    wanted_rows = rows_of(expected.splitlines())
    counted = Counter(words(expected))
    return Score(
        name=name,
        headings_expected=len(wanted),
        headings_found=len(headings),
        headings_right=right,
        words_expected=counted.total(),
        words_right=(counted & Counter(words(parsed.text))).total(),
        rows_expected=len(wanted_rows),
        rows_right=sum(any(set(row) <= set(found) for found in rows) for row in wanted_rows),
        seconds=seconds,
    )


def measure(path: Path, expected: str) -> Score:
    content = path.read_bytes()
    started = perf_counter()
    try:
        parsed = read_document(content, path.name, ReadingOptions(ocr="off"))
    except DocumentUnreadable as error:
        return Score(name=path.name, error=error.cause)
    return score(path.name, parsed, expected, perf_counter() - started)


def save_as_kin(sources: Sequence[Path], folder: Path) -> list[tuple[Path, Path]]:
    """Pairs of a file and the one it was made of."""
    pairs = []
    for ending, others in KIN.items():
        alike = [path for path in sources if path.suffix == ending]
        for other in others if alike else ():
            profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
            command = ["soffice", profile, "--headless", "--convert-to", other, "--outdir"]
            made = folder / other
            subprocess.run([*command, made, *alike], check=True, capture_output=True)
            pairs += [
                (target, path)
                for path in alike
                if (target := made / path.with_suffix(f".{other}").name).exists()
            ]
    return pairs


def summary(scores: Sequence[Score]) -> dict[str, float | int | None]:
    def total(field: str) -> int:
        return sum(int(getattr(each, field)) for each in scores)

    headings = total("headings_expected") + total("headings_found")
    expected = total("words_expected")
    return {
        "files": len(scores),
        "unreadable": sum(bool(each.error) for each in scores),
        "headings_f1": round(2 * total("headings_right") / headings, 3) if headings else None,
        "words_recall": round(total("words_right") / expected, 3) if expected else None,
        "rows_expected": total("rows_expected"),
        "rows_right": total("rows_right"),
        "seconds_a_file": round(sum(each.seconds for each in scores) / len(scores), 2),
    }


def expectation_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.expected.md")


def run(data: Path, *, kin: bool, with_office: bool) -> dict[str, object]:
    report: dict[str, object] = {"machine": machine()}
    sources = sorted(path for path in data.rglob("*") if expectation_of(path).is_file())
    scores: dict[str, list[Score]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, progress() as bars:
        pairs = [(path, path) for path in sources]
        derived = save_as_kin(sources, Path(folder)) if kin else []
        if not with_office:
            os.environ["PATH"] = ""
        bar = bars.add_task("read", total=len(pairs) + len(derived))
        for group, name in ((pairs, "{}"), (derived, "{} (kin)")):
            for path, source in group:
                ending = name.format(path.suffix.lstrip("."))
                scores[ending].append(measure(path, expectation_of(source).read_text("utf-8")))
                bars.advance(bar)
    report["formats"] = {name: summary(each) for name, each in scores.items()}
    report["files"] = {
        f"{name}/{each.name}": {
            field: getattr(each, field) for field in Score.__slots__ if field != "name"
        }
        for name, group in scores.items()
        for each in group
    }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--kin", action="store_true", help="older formats made by LibreOffice too")
    parser.add_argument("--without-office", action="store_true", help="as without LibreOffice")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    report = run(options.data, kin=options.kin, with_office=not options.without_office)
    formats = report["formats"]
    assert isinstance(formats, dict)
    show(
        "Structure found",
        ("format", "files", "unreadable", "headings F1", "words recall", "rows", "s a file"),
        [
            (
                name,
                str(each["files"]),
                str(each["unreadable"]),
                "–" if each["headings_f1"] is None else f"{each['headings_f1']:.3f}",
                "–" if each["words_recall"] is None else f"{each['words_recall']:.3f}",
                f"{each['rows_right']} of {each['rows_expected']}",
                f"{each['seconds_a_file']:.2f}",
            )
            for name, each in formats.items()
        ],
    )
    finish(report, options.json)


if __name__ == "__main__":
    main()
