"""Questions about the written papers of `training/written` that training keeps apart."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import mixed
from footnote.evaluation.golden import GoldenQuestion, read_golden
from office_search import Found, search_papers
from reading import Asked, over_evidence

Written = tuple[str, str, str, Sequence[Mapping[str, str]]]
"""The collection and the file of a paper, a question, and where that is answered."""

TRAINING = Path(__file__).parent.parent / "training"
QUESTIONS = 320
"""Of those that the papers answer; half as many of those that they do not."""
MIXED = 160
"""Of each half of the questions over papers in several languages."""
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
        collections = sorted({each.collection for each in papers if each.collection})
        by_themselves = 0
        for paper in papers:
            name = named(paper.title)
            if paper.collection:
                collection = f"collection-{collections.index(paper.collection)}"
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
        return await _searched(models, "written", documents, drawn)


async def search_mixed(models: Path) -> tuple[Found, list[GoldenQuestion]]:
    """The same of papers by themselves in several languages at once, for the half of those that are
    kept apart that answers are fitted to; `mixed_answers.py` only runs the other.

    Of the questions a half are in their paper's language and a half in that of another one.
    """
    draw = random.Random(12)
    papers = [each for each in mixed.papers() if each.kept_apart and mixed.is_to_fit(each)]
    draw.shuffle(papers)
    own: list[Written] = []
    across: list[Written] = []
    unanswered: list[Written] = []
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        for start in range(0, len(papers), TOGETHER):
            together = papers[start : start + TOGETHER]
            collection = f"papers-{start // TOGETHER}"
            (documents / collection).mkdir(parents=True)
            languages = {each.language for each in together}
            for paper in together:
                # Called by its title in both samples, so that one fold has its questions.
                name = named(paper.name)
                (documents / collection / name).write_text(paper.text, encoding="utf-8")
                for each in paper.asked:
                    relevant = [{"document": name, "quote": each.quote}]
                    question = (collection, name, each.text, relevant)
                    if each.language == paper.language:
                        own.append(question)
                    elif each.language in languages:
                        across.append(question)
                unanswered += [(collection, name, each, ()) for each in paper.unanswered]
        drawn = [
            question
            for those, count in ((own, MIXED), (across, MIXED), (unanswered, MIXED // 2))
            for question in draw.sample(those, min(count, len(those)))
        ]
        return await _searched(models, "mixed", documents, drawn)


def asked_of_written(
    found: Found, questions: list[GoldenQuestion], passages: int
) -> list[tuple[str, Asked]]:
    """Each with the paper that it was written for, also where that does not answer."""
    return [
        (each.identity.rpartition("-")[0], each)
        for each in over_evidence(found, questions, passages)
    ]


def named(title: str) -> str:
    """The file of the paper of this title."""
    return f"paper-{sha256(title.encode()).hexdigest()[:12]}.md"


async def _searched(
    models: Path, name: str, documents: Path, drawn: Sequence[Written]
) -> tuple[Found, list[GoldenQuestion]]:
    golden = documents.parent / "questions.jsonl"
    golden.write_text(
        "".join(
            json.dumps(
                {
                    "id": f"{file}-{number}",
                    "question": question,
                    "answerable": bool(relevant),
                    "relevant": relevant,
                    "filters": {"collections": [collection]},
                }
            )
            + "\n"
            for number, (collection, file, question, relevant) in enumerate(drawn)
        )
    )
    found = await search_papers(models, name, documents, golden)
    return found, list(read_golden(golden).questions)
