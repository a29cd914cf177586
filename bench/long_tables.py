"""How questions over all rows of a table are answered, by how long the table is.

    python bench/long_tables.py [--rows 12 60 300 2000] [--reader FILE]

Each table is drawn by program and stands in a workspace beside a page of prose: staff with a
department, a salary, a date and days of leave. Sums, averages, extremes and counts over all rows or
a department are asked for, in English and German, and the answer is known exactly. Right is an
answer that has the number or the names; the rest is refused or wrong. Seconds are of one question
on this machine, the search included.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, progress, show

DEPARTMENTS = ("Sales", "Plant", "Lab", "Support")
GIVEN = ("Anna", "Ben", "Carla", "Dirk", "Eva", "Finn", "Gita", "Hugo", "Ines", "Jon")
FAMILY = ("Ahl", "Berg", "Cole", "Dorn", "Ek", "Falk", "Graf", "Holm", "Ivers", "Jung")
PROSE = "# House rules\n\nSalaries are paid on the 25th. Leave is asked for by email.\n"
OUTCOMES = ("right", "refused", "wrong")


@dataclass(frozen=True, slots=True)
class Worker:
    """A row."""

    name: str
    department: str
    salary: int
    hired: str
    leave: int


def drawn(rows: int) -> list[Worker]:
    """As many workers, the same ones each time; no two earn the same or were hired on one day."""
    chance = random.Random(rows)
    salaries = chance.sample(range(24_000, 24_000 + 10 * rows), rows)
    days = chance.sample(range(rows * 3), rows)
    return [
        Worker(
            name=f"{chance.choice(GIVEN)} {chance.choice(FAMILY)} {number}",
            department=chance.choice(DEPARTMENTS),
            salary=salary,
            hired=f"{1980 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}",
            leave=chance.randint(20, 34),
        )
        for number, (salary, day) in enumerate(zip(salaries, days, strict=True), 1)
    ]


def asked_of(workers: Sequence[Worker]) -> list[tuple[str, str]]:
    """Questions, each with what its answer has to hold."""

    def of(department: str) -> list[Worker]:
        return [each for each in workers if each.department == department]

    def mean(numbers: Sequence[int]) -> str:
        mean = f"{sum(numbers) / len(numbers):.2f}"
        return mean.removesuffix(".00")

    paid: Callable[[Worker], int] = lambda each: each.salary  # noqa: E731
    lab, support = of("Lab"), of("Support")
    return [
        ("What is the total salary?", f": {sum(map(paid, workers))} "),
        ("Wie hoch ist die Summe aller salary?", f": {sum(map(paid, workers))} "),
        ("What do we pay on average?", f": {mean([each.salary for each in workers])} "),
        ("What is the average salary in the Lab?", f": {mean([each.salary for each in lab])} "),
        ("Who has the highest salary?", max(workers, key=paid).name),
        ("Who earns the least in Support?", min(support, key=paid).name),
        ("Wer verdient am meisten?", max(workers, key=paid).name),
        ("Who was hired first?", min(workers, key=lambda each: each.hired).name),
        ("Who was hired most recently?", max(workers, key=lambda each: each.hired).name),
        ("How many days of leave are there all together?", f": {sum(e.leave for e in workers)} "),
        ("How many people work in the Lab?", f": {len(lab)} "),
        ("How many workers are in Sales?", f": {len(of('Sales'))} "),
    ]


async def measured(
    rows: int, models: Path, reader: str
) -> tuple[Counter[str], list[tuple[str, str]], float]:
    """What came of the questions over a table, what was said to those not right, and seconds."""
    workers = drawn(rows)
    lines = [
        f"{each.name},{each.department},{each.salary},{each.hired},{each.leave}" for each in workers
    ]
    table = "\n".join(["name,department,salary,hired,leave (days)", *lines])
    counts: Counter[str] = Counter()
    said, seconds = [], []
    async with bench_engine(models, None, reader=reader) as engine:
        workspace = await engine.workspace((await engine.create_workspace("long")).name)
        files = (("staff.csv", table), ("rules.md", PROSE))
        received = [await workspace.receive(text.encode(), name) for name, text in files]
        ids = [each.document.document_id for each in received]
        await work_until_resting(engine, workspace, ids, lambda _: None)
        for question, held in asked_of(workers):
            began = perf_counter()
            answer = await workspace.ask(question)
            seconds.append(perf_counter() - began)
            right = answer.found and held in f"{answer.text} "
            outcome = "right" if right else "wrong" if answer.found else "refused"
            counts[outcome] += 1
            if not right:
                said.append((question, f"{answer.text[:80]} {' '.join(answer.degraded)}".strip()))
    return counts, said, median(seconds)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[12, 60, 300, 2000])
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--reader", default="packaged", help="weights of the reader")
    parser.add_argument("--said", action="store_true", help="what was said where it is not right")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    report: dict[str, object] = {}
    lines = []
    with progress() as bars:
        for rows in bars.track(options.rows, description="tables"):
            counts, said, seconds = await measured(rows, options.models, options.reader)
            lines.append((f"{rows:,}", *(f"{counts[each]}" for each in OUTCOMES), f"{seconds:.2f}"))
            report[str(rows)] = {**counts, "seconds_p50": round(seconds, 3)}
            for question, told in said if options.said else ():
                bars.console.print(f"{rows}: {question} → {told}", markup=False)
    show("Questions over all rows of a table", ("rows", *OUTCOMES, "seconds, median"), lines)
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
