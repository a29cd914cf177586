"""Questions about the written papers of `training/written` that training keeps apart."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from footnote.evaluation.golden import GoldenQuestion, read_golden
from office_search import Found, search_papers
from reading import Asked, over_evidence

Written = tuple[str, str, str, Sequence[Mapping[str, str]]]
"""The collection and the file of a paper, a question, and where that is answered."""

TRAINING = Path(__file__).parent.parent / "training"
QUESTIONS = 320
"""Of those that the papers answer; half as many of those that they do not."""
TOGETHER = 12
"""Papers by themselves that a question is asked of: written for one of them, it may be answered by
others where there are many. Those of a collection are asked together."""


async def search_written(models: Path) -> tuple[Found, list[GoldenQuestion]]:
    """What is found among the papers that are kept apart, of a sample of their questions, the same
    one each time."""
    sys.path.append(str(TRAINING))
    from written_papers import read_papers  # noqa: PLC0415  # training is no package of ours

    papers = [
        each for each in read_papers() if each.kept_apart and any(fact.asked for fact in each.facts)
    ]
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        asked: list[Written] = []
        unanswered: list[Written] = []
        named = sorted({each.collection for each in papers if each.collection})
        by_themselves = 0
        for number, paper in enumerate(papers):
            name = f"paper-{number:03}.md"
            if paper.collection:
                collection = f"collection-{named.index(paper.collection)}"
            else:
                collection = f"papers-{by_themselves // TOGETHER}"
                by_themselves += 1
            (documents / collection).mkdir(parents=True, exist_ok=True)
            (documents / collection / name).write_text(
                f"# {paper.title}\n\n{paper.text}\n", encoding="utf-8"
            )
            for fact in paper.facts:
                relevant = [{"document": name, "quote": fact.quote}]
                asked += [(collection, name, question, relevant) for question, _ in fact.asked]
                unanswered += [(collection, name, question, ()) for question in fact.unanswered]
        draw = random.Random(11)
        drawn = draw.sample(asked, min(QUESTIONS, len(asked)))
        drawn += draw.sample(unanswered, min(QUESTIONS // 2, len(unanswered)))
        golden = Path(folder) / "questions.jsonl"
        golden.write_text(
            "".join(
                json.dumps(
                    {
                        "id": f"{name}-{number}",
                        "question": question,
                        "answerable": bool(relevant),
                        "relevant": relevant,
                        "filters": {"collections": [collection]},
                    }
                )
                + "\n"
                for number, (collection, name, question, relevant) in enumerate(drawn)
            )
        )
        found = await search_papers(models, "written", documents, golden)
        return found, list(read_golden(golden).questions)


def asked_of_written(
    found: Found, questions: list[GoldenQuestion], passages: int
) -> list[tuple[str, Asked]]:
    """Each with the paper that it was written for, also where that does not answer."""
    return [
        (each.identity.rpartition("-")[0], each)
        for each in over_evidence(found, questions, passages)
    ]
