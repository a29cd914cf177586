"""What is fitted to so that questions are put anew: the lines of `questions/` in several spellings, and ordinary questions of the reading sets.

`question_rewriting.py` fits to it, `question_check.py` judges on what is kept apart.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from operation_questions import operation_questions
from question_lines import (
    FollowUp,
    OverTable,
    follow_ups,
    is_kept_apart,
    over_tables,
)

from footnote.answering import NOT_FOUND
from footnote.models.question_rewriting import EXTREMES, KINDS, OPERATIONS, Marked
from footnote.models.question_tokens import (
    BEGINS,
    GOES_ON,
    Said,
    Stretch,
    Talk,
    talk_of,
    titles_talk,
)
from footnote.models.tokenizing import UnigramPieces

PER_SOURCE = 240
"""Ordinary questions of a reading set."""
SOURCES = 5
"""One in so many reading sets is in no fit."""
OF_REPORTS = 0.4
"""How often questions about reports are drawn beside written ones."""
OTHER_TABLES, STEM = 60, 4
"""Tables among which one of other things is looked for, and first letters of a word that tell it."""
ANY_ROW = (
    "name",
    "Name",
    "id",
    "no.",
    "Nr.",
    "item",
    "title",
    "Bezeichnung",
    "nom",
    "nombre",
    "nome",
    "名称",
    "название",
    "",
)
"""Titles that do not say what the rows are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What is run, and what is wanted of it."""

    talk: Talk
    group: str
    apart: bool
    language: str
    wanted: str | int
    """The question alone, what it asks of a column, or the number of the title that is meant, after the last one for none."""
    kind: int
    """Number among `KINDS`; -1 for a question that stands beside a table or is asked for what it asks of one."""
    labels: npt.NDArray[np.int64]
    """Of each token: number among `MARKS`, -1 of what is not judged."""
    places: tuple[Stretch, ...] = ()
    """Of a table's titles."""
    narrowing: npt.NDArray[np.int64] | None = None
    """Of each token, number among `MARKS`: whether it says which rows of a table are meant; None where that is not known."""
    extreme: int = -1
    """Which end of the column that is meant, number among `EXTREMES`; -1 for neither."""
    operation: int = -1
    """What it asks of a column, number among `OPERATIONS`; -1 where that is not judged."""
    weight: float = 1.0
    """How often it is drawn beside others of its group."""


def examples(data: Path, tokenizer: UnigramPieces, draw: random.Random) -> list[Example]:
    """Everything that is fitted to or judged."""
    found = []

    def follow(step: FollowUp, group: str, *, apart: bool) -> None:
        talk = talk_of(tokenizer, step.question.text, step.asked.text, step.answered.text)
        labels = np.full(len(talk.ids), -1)
        for said, marked in ((talk.question, step.question), (talk.asked, step.asked), (talk.answered, step.answered)):  # fmt: skip
            mark(labels, said, marked.stretches)
        found.append(Example(talk=talk, group=group, apart=apart, language=step.language, wanted=step.alone,
                             kind=KINDS.index(step.kind), labels=labels))  # fmt: skip

    for step in follow_ups():
        apart = is_kept_apart(step.line)
        group = "alone" if step.kind == "alone" else "moved"
        for each in [step] if apart else spellings(step):
            follow(each, group, apart=apart)
    tables = over_tables()
    for table in tables:
        apart = is_kept_apart(table.line)
        beside = other_rows(table, draw.sample(tables, OTHER_TABLES))
        for each in [table, *beside] if apart else [*arrangements(table, draw), *beside]:
            talk, places = titles_talk(tokenizer, each.question, each.row, each.titles)
            wanted = len(each.titles) if each.column is None else each.column
            ends = [end.value for end in EXTREMES]
            extreme = (
                ends.index(each.operation)
                if each.column is not None and each.operation in ends
                else -1
            )
            narrowing = np.full(len(talk.ids), -1)
            mark(narrowing, talk.question, each.narrowing)
            known = None if each in beside else narrowing
            # A cell that its table lost may be counted there: "How many work in the lab?"
            is_told = each not in beside and (
                each.operation != "none" or (each.column is None) == (table.column is None)
            )
            found.append(Example(talk=talk, group="column", apart=apart, language=each.language, wanted=wanted, kind=-1,
                                 labels=np.full(len(talk.ids), -1), places=tuple(places), extreme=extreme, narrowing=known,
                                 operation=OPERATIONS.index(each.operation) if is_told else -1))  # fmt: skip
    asked = operation_questions(data, draw)
    counts = Counter(each.operation for each in asked if not each.apart)
    for each in asked:
        talk = talk_of(tokenizer, each.text)
        # What is rare is drawn more often than it is there.
        weight = counts[each.operation] ** -0.5 * (OF_REPORTS if each.kind == "reports" else 1)
        found.append(Example(talk=talk, group="plain" if each.operation == "none" else "operating", apart=each.apart, language=each.language,
                             wanted=each.operation, kind=-1, labels=np.full(len(talk.ids), -1),
                             operation=OPERATIONS.index(each.operation), weight=weight))  # fmt: skip
    for number, path in enumerate(sorted((data / "reading").glob("*.jsonl.gz"))):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        asked = [(row["lang"].split(">")[0], [each["question"].strip() for each in row["questions"]]) for row in rows]  # fmt: skip
        asked = [each for each in asked if each[1]]
        apart = number % SOURCES == 0
        for language, own in draw.sample(asked, min(PER_SOURCE, len(asked))):
            one, other = draw.choice(own), draw.choice(draw.choice(asked)[1])
            talk = talk_of(tokenizer, one)
            found.append(Example(talk=talk, group="ordinary", apart=apart, language=language, wanted="none", kind=-1,
                                 labels=np.full(len(talk.ids), -1), operation=0))  # fmt: skip
            before = draw.choice([each for each in own if each != one] or [other])
            follow(FollowUp(kind="alone", question=Marked(text=one), asked=Marked(text=before), answered=Marked(text=""),
                            language=language, line=one, whole=one), "unlike", apart=apart)  # fmt: skip
    return found


def mark(labels: npt.NDArray[np.int64], said: Said, stretches: Sequence[Stretch]) -> None:
    """Write what each token of a text belongs to, whole words alike."""
    last: Stretch | None = None
    for word in said.words:
        own = (said.offsets[word.start][0], said.offsets[word.stop - 1][1])
        held = [
            each
            for each in stretches
            if said.text[max(own[0], each[0]) : min(own[1], each[1])].strip()
        ]
        rows = range(said.first + word.start, said.first + word.stop)
        labels[rows.start : rows.stop] = GOES_ON if held else 0
        if held and held[0] != last:
            labels[rows.start] = BEGINS
        last = held[0] if held else None


def spellings(step: FollowUp) -> list[FollowUp]:
    """The step as it was written and otherwise: without its answer, with none in the documents, with one that says the question's words again as whole sentences do, in small letters, the other way round."""
    found = [step, carelessly(step)]
    if step.answered.text and not step.answered.stretches:
        found.append(replace(step, answered=Marked(text="")))
        found.append(replace(step, answered=Marked(text=NOT_FOUND)))
    restated = f"{step.asked.text.rstrip(' ?？')}: "
    places = [
        (start + len(restated), end + len(restated)) for start, end in step.answered.stretches
    ]
    found.append(
        replace(step, answered=Marked(text=restated + step.answered.text, stretches=places))
    )
    if step.kind == "replaces" and len(step.question.stretches) == len(step.asked.stretches) == 1:
        (first, last), (start, end) = step.question.stretches[0], step.asked.stretches[0]
        new, old = step.question.text[first:last], step.asked.text[start:end]
        asked = step.asked.text[:start] + new + step.asked.text[end:]
        question = step.question.text[:first] + old + step.question.text[last:]
        found.append(
            replace(
                step,
                question=Marked(text=question, stretches=[(first, first + len(old))]),
                asked=Marked(text=asked, stretches=[(start, start + len(new))]),
                answered=Marked(text=""),
            )
        )
    return found


def arrangements(table: OverTable, draw: random.Random) -> list[OverTable]:
    """The question beside its titles in other orders, carelessly, and without the title that is meant."""
    found = [table, replace(table, question=small(table.question), row=draw.choice(ANY_ROW))]
    for _ in range(3):
        order = draw.sample(range(len(table.titles)), len(table.titles))
        order = order[: draw.randint(max(1, len(order) - 2), len(order))]
        titles = tuple(table.titles[at] for at in order)
        column = order.index(table.column) if table.column in order else None
        found.append(replace(table, titles=titles, column=column))
    if table.column is not None and len(table.titles) > 1:
        titles = tuple(each for each in table.titles if each != table.titles[table.column])
        found.append(replace(table, titles=titles, column=None))
    return found


def other_rows(table: OverTable, others: Sequence[OverTable]) -> list[OverTable]:
    """The question, where it says what its rows are, beside a table of other things: one with a like title, if there is one."""
    own = table.row.casefold()[:STEM]
    if len(own) < STEM or own not in table.question.casefold():
        return []
    words = set() if table.column is None else set(table.titles[table.column].casefold().split())
    unlike = [each for each in others if own not in each.row.casefold()]
    near = max(unlike, key=lambda each: len(words & set(" ".join(each.titles).casefold().split())))
    return [replace(table, row=each.row, titles=each.titles, column=None) for each in (near, unlike[0])]  # fmt: skip


def carelessly(step: FollowUp) -> FollowUp:
    """In small letters and without a question mark."""
    return replace(
        step,
        question=Marked(text=small(step.question.text), stretches=step.question.stretches),
        asked=Marked(text=small(step.asked.text), stretches=step.asked.stretches),
    )


def small(text: str) -> str:
    """As long as the text or shorter by its question mark alone, so that places stay."""
    lowered = text.lower()
    kept = lowered if len(lowered) == len(text) else text
    return kept.rstrip("?？ ") or kept
