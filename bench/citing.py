"""How well markers are bound to quotes, and which texts are taken for orders to a model.

    python bench/citing.py --data FOLDER
    python bench/citing.py --data FOLDER --questions 0 --screened 300

FOLDER holds XQuAD sets (`xquad-en`, …), other retrieval sets, and `injection`. A statement is an
XQuAD question with its answer; a model is taken to cite its paragraph, and once another one at
random. No language model is asked, and no vectors are used. Orders are looked for in 300 texts of
each set; with `--screened` the reader looks in so many, once in all and once in what the embedder
does not clear, and the same texts are embedded once more below a title, a heading and keywords, as
passages are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time

from footnote.answering.attribution import Attribution
from footnote.answering.injection_detection import INJECTION_THRESHOLD, InjectionDetector
from footnote.domain import Evidence
from footnote.index.analysis import TextAnalyzer
from footnote.ingestion.injection_screening import ending
from footnote.models.aligned import load_aligned
from footnote.models.batching import BATCH_TOKENS
from footnote.models.reader import load_reader
from footnote.models.readers import packaged_file
from grounding_sets import Asked
from grounding_sets import read_set as read_answered
from installation import MODELS
from reading_sets import passage_of
from reporting import finish, machine, show
from retrieval_sets import names_in, read_set

SOURCES = 5
LOOKED_AT = 300
"""Texts of each set in which orders are looked for."""
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


def texts_by_kind(folder: Path) -> dict[str, list[str]]:
    """Texts with orders and without."""
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
    return texts


def titled(text: str, other: str) -> str:
    """A text as it is embedded in a document: below words of another one, and some of its own."""
    words = text.split()
    keywords = ", ".join(words[:: max(1, len(words) // 6)][:6])
    title, heading = " ".join(other.split()[:5]), " ".join(words[:4])
    return f"[Document: {title}] [Section: {heading}] [Keywords: {keywords}]\n{text}"


async def suspected_of(
    texts: Mapping[str, Sequence[str]], models: Path
) -> dict[str, tuple[int, int]]:
    """Of each set how many are taken for orders, and of how many."""
    weights = packaged_file()
    assert weights is not None, "the reader comes with Footnote"
    reader = load_reader(weights, models, 0)
    suspicion = InjectionDetector(reader=reader)
    found = {}
    for name, each in texts.items():
        some = random.Random(0).sample(list(each), min(LOOKED_AT, len(each)))
        found[name] = sum(await suspicion(some)), len(some)
    await reader.close()
    return found


async def screened(
    texts: Mapping[str, Sequence[str]], most: int, models: Path
) -> dict[str, dict[str, float]]:
    """Of each set how many the reader marks, reading all and what the embedder leaves to it, and
    how much that is: shares of the characters."""
    found = {}
    embedder = load_aligned(models, "int8", 0, BATCH_TOKENS)
    weights = packaged_file()
    assert weights is not None, "the reader comes with Footnote"
    reader = load_reader(weights, models, 0)
    for name, each in texts.items():
        some = random.Random(0).sample(list(each), min(most, len(each)))
        below = await embedder.embed_and_screen([titled(one, each[0]) for one in some])
        started = process_time()
        made = await embedder.embed_and_screen(some)
        embedded = process_time()
        marked = [
            chance >= INJECTION_THRESHOLD
            for chance in await reader.injection_probabilities(some) or ()
        ]
        read = process_time()
        parts = [
            ending(text, len(text) - clear)
            for text, clear in zip(some, made.cleared_characters, strict=True)
        ]
        again = await reader.injection_probabilities(parts) or ()
        rest = process_time()
        both = [
            yes and chance >= INJECTION_THRESHOLD for yes, chance in zip(marked, again, strict=True)
        ]
        whole = sum(map(len, some))
        headed = sum(len(titled(one, each[0])) for one in some)
        found[name] = {
            "texts": len(some),
            "read": round(sum(map(len, parts)) / whole, 4),
            "read below a title": round(1 - sum(below.cleared_characters) / headed, 4),
            "marked by the reader": sum(marked),
            "of them marked": sum(both),
            "embedding, CPU s": round(embedded - started, 2),
            "reading all": round(read - embedded, 2),
            "reading what is not clear": round(rest - read, 2),
        }
    await reader.close()
    embedder.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=300, help="of each language")
    parser.add_argument("--screened", type=int, default=0, metavar="TEXTS", help="of each set")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    on = machine()
    found: dict[str, dict[str, float]] = {}
    for name in names_in(options.data):
        if name.startswith("xquad-") and options.questions:
            chance = random.Random(options.seed)
            asked = read_answered(options.data / name)
            sample = chance.sample(asked, min(options.questions, len(asked)))
            found[name] = asyncio.run(bound(sample, name[-2:], chance))
    texts = texts_by_kind(options.data)
    suspected = asyncio.run(suspected_of(texts, options.models))
    columns = list(next(iter(found.values()), {}))
    rows = [[name, *(str(each[column]) for column in columns)] for name, each in found.items()]
    show("Markers bound to quotes", ["set", *columns], rows)
    shares = [[name, f"{seen} of {count}"] for name, (seen, count) in suspected.items()]
    show("Texts taken for orders", ["texts", "marked"], shares)
    told = {}
    if options.screened:
        told = asyncio.run(screened(texts, options.screened, options.models))
        names = list(next(iter(told.values())))
        rows = [[name, *(str(each[column]) for column in names)] for name, each in told.items()]
        show("Texts that the reader reads for orders", ["texts of", *names], rows)
    finish({"machine": on, "bound": found, "suspected": suspected, "screened": told}, options.json)


if __name__ == "__main__":
    main()
