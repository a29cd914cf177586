"""Measure the check of statements against sources, quotes found by itself.

Statements are those of `grounding_sets`; the source of each is its whole article, five paragraphs,
and for "of another article" those of the next one.

    python bench/grounding_check.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from footnote.answering.claim_extraction import claim_of
from footnote.answering.claim_verification import ClaimVerifier, Origin
from footnote.answering.source_texts import passages_of
from footnote.domain import Passage
from footnote.domain.grounding import ClaimCheck, ClaimVerdict
from footnote.index.analysis import TextAnalyzer
from footnote.models.readers import reader_from
from footnote.ports import Reader
from grounding_sets import FALSE_FORMS, TRUE_FORMS, Asked, Statement, read_set, statements_of

ELSEWHERE = "of another article"
SAME = "quote of the same article"
FORMS = (*TRUE_FORMS, *(each for each in FALSE_FORMS if "article" not in each), ELSEWHERE)


def articles_of(asked: Sequence[Asked], language: str) -> dict[str, list[Passage]]:
    """The passages of each article by its title."""
    texts: dict[str, list[str]] = defaultdict(list)
    for each in asked:
        if each.paragraph not in texts[each.title]:
            texts[each.title].append(each.paragraph)
    return {
        title: passages_of("\n\n".join(paragraphs), source=at, title=title, language=language)
        for at, (title, paragraphs) in enumerate(texts.items(), start=1)
    }


def expected(form: str) -> ClaimVerdict:
    """What is right for a statement of this form."""
    if form == ELSEWHERE:
        return ClaimVerdict.NOT_SUPPORTED
    return ClaimVerdict.SUPPORTED if form in TRUE_FORMS else ClaimVerdict.CONTRADICTED


async def judged(
    made: Sequence[Statement], articles: dict[str, list[Passage]], reader: Reader | None
) -> list[tuple[str, bool, ClaimCheck]]:
    """Form, whether held out, and the check of each statement."""
    titles = list(articles)
    work = []
    for each in made:
        if "article" not in each.form:
            work.append((each.form, each, articles[each.title]))
        elif each.form == SAME:
            other = titles[(titles.index(each.title) + 1) % len(titles)]
            work.append((ELSEWHERE, each, articles[other]))
    check = ClaimVerifier(analyzer=TextAnalyzer(), reader=reader, judge_seconds=1e6)
    origins = {
        passage.chunk_id: Origin(source_id="article", is_from_request=True)
        for passages in articles.values()
        for passage in passages
    }
    found = []
    for form, each, passages in work:
        checked = await check([claim_of(each.text)], [passages], origins)
        found.append((form, each.held_out, checked.claims[0]))
    return found


def show(found: Sequence[tuple[str, bool, ClaimCheck]], title: str) -> None:
    """A table by form of what is held out, and the shares of contradictions among what is not."""
    rows = [(form, check) for form, held_out, check in found if held_out]
    print(f"\n{title}: {len(rows)} statements held out\n")
    print(
        "| statement | number | supported | contradicted | not supported |\n|---|---|---|---|---|"
    )
    for form in FORMS:
        verdicts = Counter(check.verdict for own, check in rows if own == form)
        total = sum(verdicts.values())
        if total:
            shares = " | ".join(f"{verdicts[each] / total:.0%}" for each in ClaimVerdict)
            print(f"| {form} | {total} | {shares} |")
    share = {
        verdict: sum(check.verdict is verdict for form, check in rows if expected(form) is verdict)
        / max(1, sum(expected(form) is verdict for form, _ in rows))
        for verdict in ClaimVerdict
    }
    told = sum(
        (check.verdict is ClaimVerdict.SUPPORTED) == (form in TRUE_FORMS) for form, check in rows
    )
    print("\nright:", ", ".join(f"{each} {value:.3f}" for each, value in share.items()))
    print(f"supported or not: {told / max(1, len(rows)):.3f}")


async def main() -> None:
    """Read the sets and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=["en", "de", "es", "zh"])
    parser.add_argument("--statements", type=int, default=1200)
    parser.add_argument("--reader", default="packaged", help="weights that judge, or none")
    parser.add_argument("--models", type=Path)
    given = parser.parse_args()
    folder = given.models or Path(tempfile.mkdtemp())
    reader = reader_from(given.reader, models_folder=folder, threads=0)
    for language in given.languages:
        asked = read_set(given.data / f"xquad-{language}")
        articles = articles_of(asked, language)
        made = statements_of(asked, language, 1, 1)
        made = random.Random(5).sample(made, min(given.statements, len(made)))
        started = time.perf_counter()
        found = await judged(made, articles, reader)
        show(found, language)
        print(f"{1000 * (time.perf_counter() - started) / max(1, len(found)):.1f} ms a statement")


if __name__ == "__main__":
    asyncio.run(main())
