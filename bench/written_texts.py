"""Texts that people wrote as files to ingest, and questions that people asked about them.

A set is a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, as `reading_sets.py` reads
it. The texts of one title are one Markdown file. Questions are asked where the set has `answers`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reading_sets import read_lines
from retrieval_sets import read_set

TEXTS_A_FILE = 50
"""At most: a set without titles would be one document."""
_OTHER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenQuestion:
    """A question, the text that answers it, and with which words."""

    text: str
    source: str
    answers: tuple[str, ...]

    def is_right(self, quote: str) -> bool:
        """Whether a quote is of that text and holds an answer's words, punctuation aside."""
        bare = _bare(quote)
        return bare in _bare(self.source) and any(_bare(each) in bare for each in self.answers)


def written_files(sets: Sequence[Path], folder: Path) -> list[Path]:
    """The texts of the sets as files in a folder; which language they are in stands nowhere."""
    paths = []
    for place in sets:
        titled: dict[str, list[str]] = defaultdict(list)
        for each in read_set(place).documents:
            titled[each.title].append(each.text.strip())
        parts = [
            (title, texts[start : start + TEXTS_A_FILE])
            for title, texts in titled.items()
            for start in range(0, len(texts), TEXTS_A_FILE)
        ]
        for number, (title, texts) in enumerate(parts):
            path = folder / f"{place.name}-{number:04d}.md"
            heading = (f"# {title}",) if title else ()
            path.write_text("\n\n".join((*heading, *texts)) + "\n", encoding="utf-8")
            paths.append(path)
    return paths


def text_count(sets: Sequence[Path]) -> int:
    return sum(len(read_set(place).documents) for place in sets)


def written_questions(sets: Sequence[Path]) -> Iterator[WrittenQuestion]:
    """Every question of the sets that has an answer, in their order."""
    for place in sets:
        known = read_set(place)
        texts = {each.identity: each.text for each in known.documents}
        for row in read_lines(place / "queries.jsonl"):
            said = row.get("answers")
            if isinstance(said, list) and said:
                yield WrittenQuestion(
                    text=str(row["text"]),
                    source=texts[next(iter(known.judgements[str(row["_id"])]))],
                    answers=tuple(str(each["text"]) for each in said),
                )


def _bare(text: str) -> str:
    """Letters and digits alone, in small letters."""
    return _OTHER.sub("", text).casefold()
