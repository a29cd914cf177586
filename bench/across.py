"""How well an embedder finds paragraphs from questions, in each language and across languages.

    python bench/across.py --data ../shared/data
    python bench/across.py --data ../shared/data --embedder e5 --languages en de --json

XQuAD has the same paragraphs and questions in every language. Exact cosine over all paragraphs of
one language, as the dense recall scans them, and no other recall: nDCG@10 / recall@10 with the
questions of each language; then over the paragraphs of all languages, of which the right one is
there in one language alone. A paragraph is its text; its title stands in English everywhere.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.ports import Embedder, Vectors
from footnote.settings import Settings
from reading_sets import read_lines
from reporting import finish, machine, progress, show

AT = 10
LANGUAGES = ("en", "de", "es", "zh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The paragraphs and questions of one language, row for row the same in all."""

    passages: Vectors
    questions: Vectors
    gold: Sequence[int]
    """For each question the row of its paragraph."""


async def embedded(folder: Path, embedder: Embedder) -> Spoken:
    """The vectors of one set."""
    corpus = read_lines(folder / "corpus.jsonl")
    row_of = {str(each["_id"]): row for row, each in enumerate(corpus)}
    lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    right = dict(line.split("\t")[:2] for line in lines)
    queries = read_lines(folder / "queries.jsonl")
    passages = await embedder.embed_documents([str(each["text"]) for each in corpus])
    with progress() as bars:
        asked = [
            await embedder.embed_query(str(each["text"]))
            for each in bars.track(queries, description=folder.name)
        ]
    return Spoken(
        passages=passages,
        questions=np.stack(asked),
        gold=[row_of[right[str(each["_id"])]] for each in queries],
    )


def figures(
    questions: Vectors, passages: Vectors, gold: Sequence[int], others: Sequence[Vectors] = ()
) -> tuple[float, float]:
    """nDCG@10 and recall@10 where each question has one right paragraph.

    `others` are the same paragraphs in other languages, all of which but the right one are there.
    """
    similar = questions @ passages.T
    rows = np.arange(len(gold))
    own = similar[rows, gold]
    ranks = (similar > own[:, None]).sum(axis=1)
    for each in others:
        foreign = questions @ each.T
        ranks += (foreign > own[:, None]).sum(axis=1) - (foreign[rows, gold] > own)
    found = ranks < AT
    return float((found / np.log2(ranks + 2)).mean()), float(found.mean())


async def main() -> None:
    """Embed, compare and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with xquad-en and its like"
    )
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    parser.add_argument("--embedder", default="multilingual")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = await Embedders(
        specs=(parse_spec(options.embedder),), open=opener(choices)
    ).primary()
    spoken = {
        each: await embedded(options.data / f"xquad-{each}", embedder) for each in options.languages
    }
    report: dict[str, object] = {"embedder": options.embedder, "machine": machine()}
    for mixed in (False, True):
        rows = []
        for held, there in spoken.items():
            row = [held]
            others = [each.passages for each in spoken.values() if mixed and each is not there]
            for asked, here in spoken.items():
                ndcg, recall = figures(here.questions, there.passages, here.gold, others)
                report[f"{asked} of {held}{' among all' if mixed else ''}"] = {
                    "ndcg@10": round(ndcg, 4),
                    "recall@10": round(recall, 4),
                }
                row.append(f"{ndcg:.3f} / {recall:.3f}")
            rows.append(row)
        show(
            f"{options.embedder}, nDCG@10 / recall@10, "
            + ("among the paragraphs of all languages" if mixed else "in one language"),
            ("paragraphs", *(f"asked in {each}" for each in spoken)),
            rows,
        )
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
