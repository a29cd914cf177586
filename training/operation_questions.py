"""Questions with what each asks of a column, for what tells operations (`table_questions.py` fits it): written ones, those over groups of rows and over tables without their titles, and those about reports."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from operation_texts import ENGLISH_WORDS, QUESTIONS
from operation_texts_of_groups import GROUPS, QUESTIONS_OF_GROUPS
from question_lines import HELD_OUT, is_kept_apart
from table_lines import over_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what it asks of a column."""

    text: str
    operation: str
    kind: str
    """`written`, `groups` (written, over a group of rows), `tables` (the lines of `questions/`) or `reports`."""
    language: str
    apart: bool
    """Whether it is in no fit: what is worded alike, in whatever language, is kept apart together."""


def operation_questions(data: Path, draw: random.Random) -> list[Question]:
    """Written questions with their places filled, and those about reports."""
    found = []

    def add(text: str, operation: str, kind: str, language: str, wording: str) -> None:
        apart = crc32(wording.encode()) % HELD_OUT == 0
        found.append(Question(text=text, operation=operation, kind=kind, language=language, apart=apart))  # fmt: skip

    for place, report in enumerate(json.loads((data / "tables" / "tatqa-dev.json").read_text())):
        for question in report["questions"]:
            if name := operation_of(question):
                add(question["question"], name, "reports", "en", f"report {place // 20}")
    for language, by_name in QUESTIONS.items():
        # In English there are others.
        own = "en" if language == "en" else "others"
        for name, texts in by_name.items():
            for number, text in enumerate(texts):
                for _ in range(8 if "{" in text else 2):
                    filled = text
                    for slot, words in ENGLISH_WORDS.items():
                        filled = filled.replace(slot, draw.choice(words))
                    add(filled, name, "written", language, f"{own} {name} {number}")
    for language, by_name in QUESTIONS_OF_GROUPS.items():
        for name, texts in by_name.items():
            for number, text in enumerate(texts):
                for _ in range(4 if "{g}" in text else 1):
                    filled = text.replace("{g}", draw.choice(GROUPS[language]))
                    add(filled, name, "groups", language, f"groups {name} {number}")
    tables = [
        Question(
            text=each.question,
            operation=each.operation,
            kind="tables",
            language=each.language,
            apart=is_kept_apart(each.line),
        )
        for each in over_tables()
    ]
    return found + tables


def operation_of(question: dict) -> str | None:
    """What the derivation of a question about a report does: `other` where it calculates otherwise, None where it compares in an unknown direction."""
    derived = re.sub(r"[\s$,]", "", question["derivation"] or "")
    number = r"[\(\[]*-?[\d.]+\)?%?\)?"
    if question["answer_type"] == "count":
        return "count"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*", derived):
        return "sum"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*/\d", derived):
        return "average"
    if re.fullmatch(rf"{number}(>{number})+", derived):
        return "largest"
    if re.fullmatch(rf"{number}(<{number})+", derived):
        return "smallest"
    if re.search(r"[\d)%\]][+*/-]", derived):
        return "other"
    return None if "<" in derived or ">" in derived else "none"
