"""What a reader finds for questions, right and wrong, with the statement around it: claims for the head that decides.

    python training/found_answers.py --data ../shared/data --weights reader.pt --out found.jsonl.gz [--questions 16000]

The head that judges is asked, before an answer is given, whether a statement bears out "question answer". What it must
tell apart is not a drawn answer from another drawn one but what the reader takes for an answer: here are its best spans
in passages that answer, and in passages that come near and do not. What comes out is read by `train.py --found`.
"""  # fmt: skip

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch
from alterations import UNSPACED
from encoder import Reader, weights_of
from evaluate import best_span, heads, overlap
from office_texts import NEITHER, SUPPORTED, Asked
from written_papers import spelled_out

from examples import LONGEST, Examples, window

AT_ONCE = 512  # questions
LEAST = -6.0
"""Of a span's score against "none", where nothing answers: what is below never becomes an answer."""
SAME, OTHER = 0.6, 0.2
"""Token F1 with the right answer from which a span is right, and up to which it is wrong."""
FROM_SETS = 0.3  # share of the questions that reading sets ask


@dataclass(frozen=True, slots=True)
class Read:
    """A question as it is asked of a passage, and the right answer if it is there."""

    question: str
    heading: str
    text: str
    answer: str | None
    language: str


def drawn(examples: Examples) -> Read | None:
    """A question with a passage that answers it (half of them), or with one that comes near."""
    draw = examples.random
    if draw.random() < FROM_SETS:
        passage, question, passages = examples.question()
        room = examples.characters(passage.language)
        answers = question["answers"] if not question.get("impossible") else []
        heading = examples.heading(passage, passages)
        if answers and draw.random() < 0.45:
            miss = examples.near_miss(question, passage, passages)
            if miss is None:
                return None
            text, _ = window(draw, miss, None, room)
            return Read(question["question"], heading, text, None, passage.language)
        answer = draw.choice(answers) if answers else None
        text, _ = window(draw, passage.text, answer, room)
        said = answer["text"] if answer else None
        return Read(question["question"], heading, text, said, passage.language)
    papers = examples.written
    paper, fact = draw.choice(papers.facts)
    asked: Asked
    if draw.random() < 0.3 and fact.unanswered:
        question = draw.choice(fact.unanswered)
        way = papers.shown if draw.random() < 0.7 else None
        asked = way(question, paper, fact, None) if way else papers.elsewhere(question, paper, fact)
    else:
        question, answer = draw.choice(fact.asked)
        if draw.random() < 0.35:
            asked = papers.elsewhere(question, paper, fact)
        else:
            asked = papers.shown(question, paper, fact, answer)
    said = asked.answer["text"] if asked.answer else None
    return Read(asked.question, asked.heading or paper.title, asked.text, said, paper.language)


def statement_around(text: str, start: int, end: int) -> str:
    """The sentence, the list's item or the table's row around a stretch, as one that answers is shown."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    if line.startswith("|"):
        above = text[:first].rsplit("\n\n", maxsplit=1)[-1].splitlines()
        head = above[0] if above and above[0].startswith("|") else ""
        return spelled_out(head, line)
    begins = [0, *(each.end() for each in re.finditer(r"[.!?]\s+(?=\w)|[。！？]", line))]
    ends = [*begins[1:], len(line)]
    low = max(at for at in begins if at <= start - first)
    high = min((at for at in ends if at >= end - first), default=len(line))
    return line[low:high].strip(" -*")


def found(
    reader: Reader, examples: Examples, asked: list[Read], counted: Counter[str]
) -> list[dict]:
    """The claims that the reader makes of the passages, with their quotes and whether these bear them out."""
    pairs, places = [], []
    for each in asked:
        pair = examples.pack("query: " + each.question, each.text, None, heading=each.heading)
        assert pair is not None
        offsets = reader.tokenizer.encode(each.text).offsets[: LONGEST - 1 - pair.second]
        pairs.append(pair.ids)
        places.append((pair.second, offsets))
    rows = []
    for each, (first, offsets), (spans, _) in zip(asked, places, heads(reader, pairs), strict=True):
        if not offsets:
            continue
        (a, b), score = best_span(spans[first : first + len(offsets)])
        start, end = offsets[a][0], offsets[b][1]
        answer = each.text[start:end].strip()
        right = (
            overlap(answer, each.answer, each.language in UNSPACED, each.language)
            if each.answer
            else 0.0
        )
        if OTHER < right < SAME or not answer:
            counted["left out: half right"] += 1
            continue
        if not right and score - float(spans[0].sum()) < LEAST:
            counted["left out: far from an answer"] += 1
            continue
        label = SUPPORTED if right >= SAME else NEITHER
        counted["right" if label == SUPPORTED else "wrong"] += 1
        quote = f"{each.heading}\n{statement_around(each.text, start, end)}".lstrip()
        rows.append({"claim": f"{each.question} {answer}", "quote": quote, "support": label})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=16_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_flush_denormal(True)
    torch.set_num_threads(2)
    reader = Reader()
    reader.take(weights_of(options.weights))
    examples = Examples(options.data, reader.tokenizer, options.seed)
    counted: Counter[str] = Counter()
    with gzip.open(options.out, "wt") as out:
        for at in range(0, options.questions, AT_ONCE):
            asked = [each for _ in range(AT_ONCE) if (each := drawn(examples)) is not None]
            for row in found(reader, examples, asked, counted):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(f"{at + AT_ONCE} of {options.questions} questions: {dict(counted)}", flush=True)


if __name__ == "__main__":
    main()
