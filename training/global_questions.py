"""Fit what tells a question about the whole of many documents from one about something in them.

    PYTHONPATH=training python training/global_questions.py --data ../shared/data --out src/footnote/models/whole_questions.safetensors --held-out bench/whole_questions.jsonl

A logistic regression over the vector that the packaged e5 gives a question. It learns from the questions in `global_questions.jsonl` and the wordings in `global_wordings.py` and, as questions about something
particular, from real ones of `reading`. A fifth of what is written, whole patterns with all their variants, and the real questions of other files are left out of fitting; the threshold is the lowest at which
at most one in two hundred particular questions among these is taken for one about the whole. `--held-out` then tells how it does on questions that neither saw:
lines of {"lang", "whole", "question"}.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from global_wordings import WORDINGS
from safetensors.numpy import save_file

from footnote.models.e5 import load_e5

Floats = npt.NDArray[np.float64]
OF_A_PATTERN = 12
OF_A_FILE = 400
LEFT_OUT = 5
"""Each so manieth pattern is for choosing the threshold."""
DEVELOPMENT_FILES = (
    "qed-dev",
    "omosqa-fr",
    "covidqa",
    "cmrc2018.",
    "arcd",
    "squad-es-dev",
    "squad2-dev-half",
    "tydiqa-goldp-dev",
    "piaf",
)
FALSE_ALARMS = 1 / 200
RIDGE = 1e-2
ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what it is known to be."""

    question: str
    language: str
    whole: bool
    fitted: bool
    real: bool = False


def written(random_: random.Random) -> list[Asked]:
    """Variants of the wordings."""
    found = []
    for language, of in WORDINGS.items():
        for whole, patterns in ((True, of.whole), (False, of.particular)):
            for number, pattern in enumerate(patterns):
                seen = {
                    pattern.format(
                        docs=random_.choice(of.docs),
                        about=random_.choice(of.about),
                        thing=random_.choice(of.things),
                    )
                    for _ in range(OF_A_PATTERN)
                }
                fitted = (number + 2) % LEFT_OUT != 0
                found += [Asked(each, language, whole, fitted) for each in sorted(seen)]
    for number, each in enumerate(read(Path(__file__).with_suffix(".jsonl"))):
        found.append(replace(each, fitted=(number + 2) % LEFT_OUT != 0))
    return found


def read(path: Path) -> list[Asked]:
    """Questions of a file of lines of {"lang", "whole", "question"}."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [Asked(each["question"], each["lang"], each["whole"], fitted=False) for each in rows]


def real(folder: Path, random_: random.Random) -> list[Asked]:
    """Real questions about a paragraph, of every file a few."""
    found = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        questions = []
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                asked = [
                    each if isinstance(each, str) else each["question"] for each in row["questions"]
                ]
                questions += [(each, row["lang"]) for each in asked]
        chosen = random_.sample(questions, min(OF_A_FILE, len(questions)))
        fitted = not path.name.startswith(DEVELOPMENT_FILES)
        found += [Asked(text, lang, whole=False, fitted=fitted, real=True) for text, lang in chosen]
    return found


def fitted(vectors: Floats, whole: Floats) -> tuple[Floats, float]:
    """Weights and bias by Newton's method; both classes weigh the same."""
    design = np.column_stack([vectors, np.ones(len(vectors))])
    weights = np.where(whole > 0, 0.5 / whole.sum(), 0.5 / (1 - whole).sum())
    penalty = np.diag([*[RIDGE / vectors.shape[1]] * vectors.shape[1], 0.0])
    found = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (weights * (chance - whole)) + penalty @ found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curve + 1e-12 * np.eye(len(curve)), slope)
    return found[:-1], float(found[-1])


def told(name: str, asked: Sequence[Asked], scores: Floats, threshold: float) -> None:
    """Print which of these are taken for questions about the whole."""
    groups: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for each, score in zip(asked, scores, strict=True):
        for language in (each.language, "all"):
            groups[language, each.whole].append(bool(score >= threshold))
    for language in sorted({key[0] for key in groups}):
        parts = []
        for whole in (True, False):
            hits = groups.get((language, whole))
            if hits:
                parts.append(f"{'whole' if whole else 'particular'} {sum(hits)} of {len(hits)}")
        print(f"{name} {language}: taken for whole: {', '.join(parts)}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--models", type=Path, default=Path.home() / ".footnote" / "models")
    options = parser.parse_args()
    random_ = random.Random(7)
    asked = written(random_) + real(options.data / "reading", random_)
    encoder = load_e5(options.models, "int8", 2, 4096)
    try:
        vectors = np.stack([await encoder.embed_query(each.question) for each in asked])
        whole = np.array([each.whole for each in asked], np.float64)
        use = np.array([each.fitted for each in asked])
        weights, bias = fitted(vectors[use].astype(np.float64), whole[use])
        scores = vectors @ weights + bias
        wrong = np.sort(scores[~use & (whole == 0)])[::-1]
        threshold = float(np.nextafter(wrong[int(len(wrong) * FALSE_ALARMS)], np.inf))
        development = [each for each in asked if not each.fitted]
        told("development", development, scores[~use], threshold)
        save_file(
            {
                "weight": weights.astype(np.float32),
                "bias": np.array([bias - threshold], np.float32),
            },
            options.out,
        )
        print(options.out, hashlib.sha256(options.out.read_bytes()).hexdigest())
        if options.held_out is not None:
            others = read(options.held_out)
            found = np.stack([await encoder.embed_query(each.question) for each in others])
            told("held out", others, found @ weights + bias, threshold)
    finally:
        encoder.close()


if __name__ == "__main__":
    asyncio.run(main())
