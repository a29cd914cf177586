"""Fits the probe for operations: what a question asks of a column, from the states of its tokens (`probes.py` writes it)."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt
import torch
from attention_network import BATCH, Stretches, fitted, odds_of
from operation_texts import ENGLISH_WORDS, OPERATIONS, QUESTIONS
from operation_texts_of_groups import GROUPS, QUESTIONS_OF_GROUPS
from order_states import encoded

from footnote.models.attention_probe import AttentionProbe
from footnote.models.reader_probes import QUESTION_TOKENS, Probes

FALSE_OPERATIONS = 0.003
"""Of ordinary questions."""
FOLDS, FITS = 7, 3
OPERATING, UNLIKE = 0.45, 0.25
"""Of a batch: questions that ask for an operation, and those of like wording that do not; the rest are ordinary."""
OF_REPORTS = 0.5, 0.3
"""How often questions about reports are drawn beside written ones, with an operation and without."""
PER_SOURCE = 120
"""Ordinary questions of a reading set."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what it asks of a column."""

    text: str
    operation: str
    kind: str
    """`written`, `groups` (written, over a group of rows), `reports` or `reading`."""
    language: str
    wording: str
    """What is worded alike, in whatever language, is kept apart together."""


def operation_questions(data: Path, draw: random.Random) -> list[Question]:
    """Written questions with their places filled, those about reports, and ordinary ones."""
    found = []

    def add(text: str, operation: str, kind: str, language: str, wording: str) -> None:
        found.append(Question(text=text, operation=operation, kind=kind, language=language, wording=wording))  # fmt: skip

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
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        asked = [(r["lang"].split(">")[0], q["question"]) for r in rows for q in r["questions"]]
        for language, text in draw.sample(asked, min(PER_SOURCE, len(asked))):
            add(text, "none", "reading", language, text)
    return found


def operation_of(question: dict) -> str | None:
    """What the derivation of a question about a report does; None where it compares in an unknown direction."""
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
    return None if "<" in derived or ">" in derived else "none"


def question_states(probes: Probes, questions: Sequence[str]) -> Stretches:
    """The states of each question's tokens."""
    tokenizer = probes.tokenizer
    ids = [
        [tokenizer.begin, *tokenizer.pieces(f"query: {q}").ids[:QUESTION_TOKENS], tokenizer.end]
        for q in questions
    ]
    left = [np.zeros((0, 0), np.float16)] * len(ids)

    def take(row: int, states: Floats) -> None:
        left[row] = states[1:-1].astype(np.float16)

    encoded(probes, ids, take)
    ends = np.cumsum([0, *map(len, left)])
    return Stretches(
        states=np.concatenate(left), spans=np.stack([ends[:-1], ends[1:]], axis=1).astype(np.int64)
    )


def fit_operations(asked: Stretches, questions: Sequence[Question]) -> tuple[AttentionProbe, float]:
    """The probe and the probability from which it is believed; prints what it says to what a fit did not see."""
    labels = np.array([OPERATIONS.index(each.operation) for each in questions])
    kinds = np.array([each.kind for each in questions])
    languages = np.array([each.language for each in questions])
    written = list(QUESTIONS)
    least = {}
    for apart in ("language", "wording"):
        folds = np.array(
            [
                written.index(each.language) % FOLDS
                if apart == "language" and each.kind in ("written", "groups")
                else crc32(each.wording.encode()) % FOLDS
                for each in questions
            ]
        )
        chances = np.zeros((len(labels), len(OPERATIONS)), np.float32)
        for fold in range(FOLDS):
            own = np.flatnonzero(folds == fold)
            probe = _fitted(asked, labels, kinds, np.flatnonzero(folds != fold))
            odds = odds_of(probe, asked, own)
            exponents = np.exp(odds - odds.max(axis=1, keepdims=True))
            chances[own] = exponents / exponents.sum(axis=1, keepdims=True)
        said, sure = chances.argmax(axis=1), chances.max(axis=1)
        wrong = np.sort(sure[(kinds == "reading") & (said > 0)])[::-1]
        allowed = int(FALSE_OPERATIONS * (kinds == "reading").sum())
        least[apart] = max(0.5, float(wrong[allowed]) + 1e-4 if allowed < len(wrong) else 0.5)
        believed = np.where(sure >= least[apart], said, 0)
        print(f"operations, {apart} apart: probability from {least[apart]:.3f}")
        for kind in ("written", "groups", "reports", "reading"):
            print(f"  {kind}: {_judged(believed, labels, kinds == kind)}")
        for name in OPERATIONS[1:]:
            own = np.isin(kinds, ("written", "groups")) & (labels == OPERATIONS.index(name))
            print(f"  {name}: {_judged(believed, labels, own)}")
        for language in written:
            own = np.isin(kinds, ("written", "groups")) & (languages == language)
            print(f"  {language}: {_judged(believed, labels, own)}", flush=True)
    probe = _fitted(asked, labels, kinds, np.arange(len(labels)), range(FITS))
    # Wordings will be unknown, languages less so.
    return probe, least["wording"]


def _fitted(
    asked: Stretches,
    labels: npt.NDArray[np.int64],
    kinds: npt.NDArray[np.str_],
    rows: npt.NDArray[np.int64],
    seeds: Sequence[int] = (0,),
) -> AttentionProbe:
    """The probe of these rows; rare operations are drawn more often than they are there."""
    with_reports, without = OF_REPORTS
    counts = Counter(labels[rows].tolist())
    operating = rows[labels[rows] > 0]
    unlike = rows[(labels[rows] == 0) & (kinds[rows] != "reading")]
    ordinary = rows[kinds[rows] == "reading"]
    weights = np.array([counts[label] ** -0.5 for label in labels[operating]])
    weights *= np.where(kinds[operating] == "reports", with_reports, 1.0)
    weights_unlike = np.where(kinds[unlike] == "reports", without, 1.0)
    groups = (
        (operating, weights / weights.sum(), int(BATCH * OPERATING)),
        (unlike, weights_unlike / weights_unlike.sum(), int(BATCH * UNLIKE)),
        (ordinary, None, BATCH - int(BATCH * OPERATING) - int(BATCH * UNLIKE)),
    )

    def drawn(draw: np.random.Generator) -> npt.NDArray[np.int64]:
        return np.concatenate(
            [draw.choice(group, count, p=share) for group, share, count in groups]
        )

    def loss(said: torch.Tensor, batch: npt.NDArray[np.int64]) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(said, torch.from_numpy(labels[batch]))

    return fitted(asked, len(OPERATIONS), drawn, loss, seeds)


def _judged(
    believed: npt.NDArray[np.int64], labels: npt.NDArray[np.int64], own: npt.NDArray[np.bool_]
) -> str:
    """Of questions with an operation how many are heard right, of what is heard of them how much is another one, and of the
    others in how many one is heard."""
    asking, plain = own & (labels > 0), own & (labels == 0)
    parts = []
    if asking.any():
        heard = asking & (believed > 0)
        parts.append(f"right {(believed == labels)[asking].mean():.3f} of {asking.sum()}")
        parts.append(f"another {(believed != labels)[heard].mean():.3f}" if heard.any() else "")
    if plain.any():
        parts.append(f"false {(believed > 0)[plain].mean():.4f} of {plain.sum()}")
    return ", ".join(filter(None, parts))
