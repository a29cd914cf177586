"""How questions are answered in workspaces of several languages.

    python bench/mixed_answers.py [--workspaces 7] [--half "only run"] [--json]

Workspaces as `mixed.py` draws them, of the papers of `training/written` that training keeps apart:
of those that `fit_reading.py` fits to, or of the others, which are only run. Right is an answer one
of whose quotes is of the paper and holds the answer's very words; questions about what no paper of
the workspace says are refused or answered.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from footnote.engine import WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from mixed import KINDS, Asked, Paper, drawn, is_to_fit, papers, questions
from reporting import finish, machine, progress, show

SEED = 23
MOST = (30, 22, 8)
"""Of a workspace, of each of `KINDS`."""
ABSENT, ABSENT_ACROSS = 10, 8
"""Questions about what none of its papers says, in their language and in another."""
HALVES = ("to fit", "only run")
ABSENT_KINDS = ("own language, absent", "main language, a paper that is not there")
OUTCOMES = ("right", "wrong", "refused")


def absent(
    main: str, there: Sequence[Paper], others: Sequence[Paper], draw: random.Random
) -> Iterator[tuple[str, Asked]]:
    """Questions that nothing in the workspace answers, each with its kind."""
    own = [
        Asked(text=text, language=each.language, quote="")
        for each in there
        for text in each.unanswered
    ]
    across = [
        asked
        for each in others
        if each.language != main
        for asked in each.asked
        if asked.language == main
    ]
    for kind, those, most in zip(ABSENT_KINDS, (own, across), (ABSENT, ABSENT_ACROSS), strict=True):
        yield from ((kind, each) for each in draw.sample(those, min(most, len(those))))


async def outcome(workspace: WorkspaceEngine, kind: str, asked: Asked) -> str:
    """One of `OUTCOMES`."""
    answer = await workspace.ask(asked.text)
    if not answer.found:
        return "refused"
    is_right = kind in KINDS and any(
        each.filename == asked.filename and asked.answer in each.quote for each in answer.citations
    )
    return "right" if is_right else "wrong"


async def main() -> None:
    """Ask, count and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workspaces", type=int, default=7)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    draw = random.Random(SEED)
    of_language: dict[str, list[Paper]] = defaultdict(list)
    for each in papers():
        if each.kept_apart and is_to_fit(each) is (options.half == HALVES[0]):
            of_language[each.language].append(each)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    async with bench_engine(options.models, None) as engine:
        with progress() as bars:
            for number in bars.track(range(options.workspaces), description="workspaces"):
                language, chosen = drawn(of_language, draw)
                workspace = await engine.workspace(
                    (await engine.create_workspace(f"mixed-{number}")).name
                )
                received = [
                    await workspace.receive(each.text.encode(), f"paper-{place:02}.md")
                    for place, each in enumerate(chosen)
                ]
                ids = [each.document.document_id for each in received]
                await work_until_resting(engine, workspace, ids, lambda _: None)
                names = {each.name for each in chosen}
                others = [
                    each
                    for those in of_language.values()
                    for each in those
                    if each.name not in names
                ]
                asked = [
                    *questions(language, chosen, draw, MOST),
                    *absent(language, chosen, others, draw),
                ]
                for kind, one in asked:
                    counts[kind][await outcome(workspace, kind, one)] += 1
    table = [
        [kind, str(counts[kind].total()), *(str(counts[kind][each]) for each in OUTCOMES)]
        for kind in (*KINDS, *ABSENT_KINDS)
    ]
    show(f"answers, {options.half}", ("", "questions", *OUTCOMES), table)
    finish({"machine": machine(), "half": options.half, "table": table}, options.json)


if __name__ == "__main__":
    asyncio.run(main())
