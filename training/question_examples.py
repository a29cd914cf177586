"""What is fitted to so that questions are put anew: the lines of `questions/` in several spellings, and ordinary questions of the reading sets.

`question_rewriting.py` fits to it, `question_check.py` judges on what is kept apart.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from question_lines import FollowUp, follow_ups, is_kept_apart

from footnote.answering import NOT_FOUND
from footnote.models.question_rewriting import KINDS, TaggedText
from footnote.models.question_tokens import (
    BEGINS,
    GOES_ON,
    CharSpan,
    EncodedText,
    EncodedTurns,
    encode_turns,
)
from footnote.models.tokenizing import UnigramPieces

PER_SOURCE = 240
"""Ordinary questions of a reading set."""
SOURCES = 5
"""One in so many reading sets is in no fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What is run, and what is wanted of it."""

    talk: EncodedTurns
    group: str
    apart: bool
    language: str
    wanted: str
    """The question alone."""
    kind: int
    """Number among `KINDS`."""
    labels: npt.NDArray[np.int64]
    """Of each token: number among `MARKS`, -1 of what is not judged."""


def examples(data: Path, tokenizer: UnigramPieces, draw: random.Random) -> list[Example]:
    """Everything that is fitted to or judged."""
    found = []

    def follow(step: FollowUp, group: str, *, apart: bool) -> None:
        talk = encode_turns(tokenizer, step.question.text, step.asked.text, step.answered.text)
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
            before = draw.choice([each for each in own if each != one] or [other])
            follow(FollowUp(kind="alone", question=TaggedText(text=one), asked=TaggedText(text=before), answered=TaggedText(text=""),
                            language=language, line=one, whole=one), "unlike", apart=apart)  # fmt: skip
    return found


def mark(labels: npt.NDArray[np.int64], said: EncodedText, stretches: Sequence[CharSpan]) -> None:
    """Write what each token of a text belongs to, whole words alike."""
    last: CharSpan | None = None
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
        found.append(replace(step, answered=TaggedText(text="")))
        found.append(replace(step, answered=TaggedText(text=NOT_FOUND)))
    restated = f"{step.asked.text.rstrip(' ?？')}: "
    places = [
        (start + len(restated), end + len(restated)) for start, end in step.answered.stretches
    ]
    found.append(
        replace(step, answered=TaggedText(text=restated + step.answered.text, stretches=places))
    )
    if step.kind == "replaces" and len(step.question.stretches) == len(step.asked.stretches) == 1:
        (first, last), (start, end) = step.question.stretches[0], step.asked.stretches[0]
        new, old = step.question.text[first:last], step.asked.text[start:end]
        asked = step.asked.text[:start] + new + step.asked.text[end:]
        question = step.question.text[:first] + old + step.question.text[last:]
        found.append(
            replace(
                step,
                question=TaggedText(text=question, stretches=[(first, first + len(old))]),
                asked=TaggedText(text=asked, stretches=[(start, start + len(new))]),
                answered=TaggedText(text=""),
            )
        )
    return found


def carelessly(step: FollowUp) -> FollowUp:
    """In small letters and without a question mark."""
    return replace(
        step,
        question=TaggedText(text=small(step.question.text), stretches=step.question.stretches),
        asked=TaggedText(text=small(step.asked.text), stretches=step.asked.stretches),
    )


def small(text: str) -> str:
    """As long as the text or shorter by its question mark alone, so that places stay."""
    lowered = text.lower()
    kept = lowered if len(lowered) == len(text) else text
    return kept.rstrip("?？ ") or kept
