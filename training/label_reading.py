"""Label the questions of `squad2-en-mt-unlabelled` with a reader, which only has to choose among the marked spans.

    python training/label_reading.py --data ../shared/data --weights reader.pt --out labelled.jsonl.gz [--paragraphs 6000]

Each paragraph of that set comes with the spans that answer some of its questions, but not with which answers which, and
a third of its questions have no answer there. A reader gives each span and "none" a probability, and a question is kept
where one of them has nearly all of it. What comes out has the form of the other reading sets (`train.py --labelled`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
import torch
from encoder import Reader, weights_of
from evaluate import heads

SURE_OF_A_SPAN = 0.6
SURE_OF_NONE = 0.95  # a wrong "none" teaches the reader to be timid
AROUND = 4
"""How many tokens a span may begin before and end behind the marked one, which was found again after two translations
and often lacks a word or has one too many."""
AT_ONCE = 200  # paragraphs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--paragraphs", type=int, default=6000)
    options = parser.parse_args()
    torch.set_flush_denormal(True)
    torch.set_num_threads(2)
    reader = Reader()
    reader.take(weights_of(options.weights))
    with gzip.open(options.data / "reading" / "squad2-en-mt-unlabelled.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    # Whole runs of ten from everywhere, for neighbours are what near misses are drawn from.
    runs = len(rows) // 10
    every = max(1, runs * 10 // options.paragraphs)
    rows = [row for at, row in enumerate(rows) if (at // 10) % every == 0]
    kept = {"span": 0, "none": 0, "left out": 0}
    with gzip.open(options.out, "wt") as out:
        for at in range(0, len(rows), AT_ONCE):
            part = rows[at : at + AT_ONCE]
            for row, labelled in zip(part, labels(reader, part, kept), strict=True):
                answered = [each for each in labelled if each["answers"]]
                # A third of the questions has no answer, as in the set itself: a reader finds too many of them.
                rest = [each for each in labelled if not each["answers"]][
                    : (len(answered) + 1) // 2
                ]
                held = {key: row[key] for key in ("lang", "context", "source")}
                held["questions"] = [*answered, *rest]
                out.write(json.dumps(held, ensure_ascii=False) + "\n")
            print(f"{at + len(part)} of {len(rows)} paragraphs: {kept}", flush=True)


def labels(reader: Reader, rows: list[dict], kept: dict[str, int]) -> list[list[dict]]:
    """The questions of each paragraph that the reader is sure about, with the span that answers."""
    asked, pairs = [], []
    for number, row in enumerate(rows):
        body = reader.tokenizer.encode(row["context"])
        for question in row["questions"]:
            ids = [0, *reader.tokenizer.encode("query: " + question).ids[:72], 2, 2]
            room = 384 - len(ids) - 1
            asked.append((number, question, len(ids), body.offsets[:room]))
            pairs.append([*ids, *body.ids[:room], 2])
    found: list[list[dict]] = [[] for _ in rows]
    for (number, question, first, offsets), (logits, _) in zip(
        asked, heads(reader, pairs), strict=True
    ):
        spans, scores = [], [float(logits[0].sum())]
        for candidate in rows[number]["candidates"]:
            start, end = candidate["start"], candidate["start"] + len(candidate["text"])
            inside = [i for i, (a, b) in enumerate(offsets) if b > start and a < end and b > a]
            if inside:
                spans.append(candidate)
                scores.append(float(logits[first + inside[0], 0] + logits[first + inside[-1], 1]))
        odds = np.exp(np.array(scores) - max(scores))
        odds /= odds.sum()
        best = int(odds.argmax())
        if best and odds[best] >= SURE_OF_A_SPAN:
            answer = likeliest(rows[number]["context"], spans[best - 1], offsets, logits[first:])
            found[number].append({"question": question, "answers": [answer]})
            kept["span"] += 1
        elif best == 0 and odds[0] >= SURE_OF_NONE:
            found[number].append({"question": question, "answers": [], "impossible": True})
            kept["none"] += 1
        else:
            kept["left out"] += 1
    return found


def likeliest(text: str, marked: dict, offsets: list[tuple[int, int]], logits: np.ndarray) -> dict:
    """The span that the reader takes for the answer among those that share a token with the marked one and go at most
    `AROUND` tokens beyond it; `logits` (tokens, 2) are of the text's tokens."""
    start, end = marked["start"], marked["start"] + len(marked["text"])
    inside = [i for i, (a, b) in enumerate(offsets) if b > start and a < end and b > a]
    low, high = max(0, inside[0] - AROUND), min(len(offsets) - 1, inside[-1] + AROUND)
    _, begin, last = max(
        (float(logits[i, 0] + logits[j, 1]), i, j)
        for i in range(low, inside[-1] + 1)
        for j in range(max(i, inside[0]), high + 1)
    )
    said = text[offsets[begin][0] : offsets[last][1]]
    return {"text": said.strip(), "start": offsets[begin][0] + len(said) - len(said.lstrip())}


if __name__ == "__main__":
    main()
