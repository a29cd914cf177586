"""How well markers are bound to quotes, and which texts are taken for orders to a model.

    python bench/citing.py --data FOLDER

FOLDER holds XQuAD sets (`xquad-en`, …), other retrieval sets, and `injection`. A statement is an
XQuAD question with its answer; a model is taken to cite its paragraph, and once another one at
random. No model is asked, and no vectors are used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path

from footnote.answering.attribution import Attribution
from footnote.answering.suspicion import gives_orders
from footnote.domain import Evidence
from footnote.index.analysis import TextAnalyzer
from grounding_sets import Asked
from grounding_sets import read_set as read_answered
from reading_sets import passage_of
from reporting import finish, machine, show
from retrieval_sets import names_in, read_set

SOURCES = 5
PLAIN_REQUESTS = 5
"""The first kinds of attack in the set, such as "Explain the theory of relativity."."""


def evidence_of(paragraphs: Sequence[str], language: str) -> list[Evidence]:
    return [
        Evidence(passage=passage_of(str(rank), rank, "", text, language), rank=rank, score=1 / rank)
        for rank, text in enumerate(paragraphs, start=1)
    ]


async def bound(asked: Sequence[Asked], language: str, chance: random.Random) -> dict[str, float]:
    """Shares of statements: quoted from their paragraph, from another; quotes with the answer."""
    paragraphs = list(dict.fromkeys(each.paragraph for each in asked))
    quoted = held = strayed = characters = 0
    for each in asked:
        others = [text for text in chance.sample(paragraphs, SOURCES) if text != each.paragraph]
        evidence = evidence_of([each.paragraph, *others[: SOURCES - 1]], language)
        attribution = Attribution(evidence, TextAnalyzer())
        statement = f"{each.question.rstrip('?？¿ ')}: {each.answer}."
        quotes = [quote.quote for quote in await attribution.quotes(1, statement)]
        quoted += bool(quotes)
        held += any(each.answer in quote for quote in quotes)
        characters += sum(map(len, quotes))
        strayed += bool(await attribution.quotes(2, statement))
    count = len(asked)
    return {
        "statements": count,
        "quoted": round(quoted / count, 4),
        "quote_holds_answer": round(held / count, 4),
        "quoted_from_another": round(strayed / count, 4),
        "quote_characters": round(characters / max(1, quoted), 1),
        "paragraph_characters": round(sum(map(len, paragraphs)) / len(paragraphs), 1),
    }


def orders(folder: Path) -> dict[str, tuple[int, int]]:
    """How many texts are taken for orders, of how many."""
    attacks = json.loads((folder / "injection" / "text_attack_train.json").read_text("utf-8"))
    lines = (folder / "injection" / "email-train.jsonl").read_text("utf-8").splitlines()
    mails = [str(json.loads(line)["context"]) for line in lines]
    planted = {
        kind: [f"{mails[at % len(mails)]}\n{order}" for at, order in enumerate(attacks[kind])]
        for kind in attacks
    }
    kinds = list(planted)
    texts = {
        "orders about the reply, in e-mails": [
            each for kind in kinds[PLAIN_REQUESTS:] for each in planted[kind]
        ],
        "plain requests, in e-mails": [
            each for kind in kinds[:PLAIN_REQUESTS] for each in planted[kind]
        ],
        "e-mails": mails,
    }
    for name in names_in(folder):
        texts[name] = [each.whole for each in read_set(folder / name).documents]
    return {name: (sum(map(gives_orders, each)), len(each)) for name, each in texts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=300, help="of each language")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    on = machine()
    found: dict[str, dict[str, float]] = {}
    for name in names_in(options.data):
        if name.startswith("xquad-"):
            chance = random.Random(options.seed)
            asked = read_answered(options.data / name)
            sample = chance.sample(asked, min(options.questions, len(asked)))
            found[name] = asyncio.run(bound(sample, name[-2:], chance))
    suspected = orders(options.data)
    columns = list(next(iter(found.values()), {}))
    rows = [[name, *(str(each[column]) for column in columns)] for name, each in found.items()]
    show("Markers bound to quotes", ["set", *columns], rows)
    shares = [[name, f"{seen} of {count}"] for name, (seen, count) in suspected.items()]
    show("Texts taken for orders", ["texts", "marked"], shares)
    finish({"machine": on, "bound": found, "suspected": suspected}, options.json)


if __name__ == "__main__":
    main()
