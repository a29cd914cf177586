"""How a reader puts questions that nothing of it was fitted to: follow-ups, questions for several things, and questions over tables.

    python training/question_check.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--show]

Lines of `questions/` that are kept apart (`question_lines.py`) have to come out as they were written, to the letter; ordinary questions of reading sets
that are in no fit, behind another one of their text, have to stay as they are.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from operation_questions import operation_questions
from question_examples import PER_SOURCE, SOURCES
from question_lines import follow_ups, is_kept_apart, several
from table_examples import OTHER_TABLES, other_rows
from table_lines import over_tables

from footnote.answering.filtered_rows import MIN_BOUND, MIN_BOUNDED
from footnote.answering.row_ranges import MIN_RANGE
from footnote.models.reader import PackagedReader, open_reader

Counts = dict[str, list[bool]]


def ordinary(data: Path, draw: random.Random) -> list[tuple[str, str]]:
    """Questions of reading sets kept apart, each behind another one of its text."""
    found = []
    for number, path in enumerate(sorted((data / "reading").glob("*.jsonl.gz"))):
        if number % SOURCES or path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [
                [each["question"].strip() for each in json.loads(line)["questions"]]
                for line in lines
            ]
        rows = [each for each in rows if each]
        chosen = draw.sample(rows, min(PER_SOURCE, len(rows)))
        found += [(draw.choice(own), draw.choice(own)) for own in chosen]
    return found


async def checked(reader: PackagedReader, data: Path, *, show: bool) -> Counts:
    """Whether each question comes out right, by what it is and its language."""
    counts: Counts = {}

    def count(name: str, language: str, said: object, wanted: object, asked: Sequence[str]) -> None:
        for key in (name, f"{name} {language}"):
            counts.setdefault(key, []).append(said == wanted)
        if show and said != wanted:
            print(f"{name}: {' | '.join(asked)}\n    wanted {wanted}\n    got    {said}")

    for step in follow_ups():
        if is_kept_apart(step.line):
            texts = step.question.text, step.asked.text, step.answered.text
            said = await reader.rewrite_follow_up(*texts)
            # Of several words that point back the next step says the second.
            count(step.kind, step.language, said, step.whole, texts)
    for question in several():
        if is_kept_apart(question.line):
            name = "several" if question.parts else "one"
            said = tuple(await reader.decompose(question.text))
            count(name, question.language, said, question.each, (question.text,))
    tables = over_tables()
    draw = random.Random(0)
    for table in tables:
        if is_kept_apart(table.line):
            for each in other_rows(table, draw.sample(tables, OTHER_TABLES)):
                meant = await reader.predict_column(each.question, each.columns)
                count("no column of other things", table.language, meant, None, (each.question, each.row, *each.titles))  # fmt: skip
            meant = await reader.predict_column(table.question, table.columns)
            beside = await reader.predict_operation(table.question, table.columns)
            heard = None if beside is None else beside.operation
            said = "none" if heard is None else heard.value
            place = "beside cells" if table.has_cells else "beside titles"
            name = f"{'no ' if table.operation == 'none' else ''}operation {place}"
            count(name, table.language, said, table.operation, (table.question, *table.titles))
            ranges = (
                {} if beside is None or not table.is_over_ranges else beside.range_probabilities
            )
            bounds = (
                {} if beside is None or not table.is_over_bounds else beside.operator_probabilities
            )
            for what, told, least, wanted in (
                ("range of rows", {one.value: chance for one, chance in ranges.items()}, MIN_RANGE, table.range),
                ("bound", {one.value: chance for one, chance in bounds.items()}, MIN_BOUND, table.bound),
            ):  # fmt: skip
                if not told or wanted is None:
                    continue
                likeliest = max(told, key=lambda each: told[each])
                kind = likeliest if told[likeliest] >= least else "none"
                name = f"no {what}" if wanted == "none" else what
                count(name, table.language, kind, wanted, (table.question, *table.titles))
                if kind not in ("none", wanted):
                    count(f"another {what}", table.language, kind, wanted, ())
            if beside is not None and bounds and table.bound != "none":
                most = max(beside.filter_column_probabilities)
                number = (
                    beside.filter_column_probabilities.index(most) if most >= MIN_BOUNDED else None
                )
                name = f"{'no ' if table.bounded is None else ''}column of a bound"
                count(name, table.language, number, table.bounded, (table.question, *table.titles))
                if None not in (number, table.bounded) and number != table.bounded:
                    count("another column of a bound", table.language, number, table.bounded, ())
            if heard is not None and table.operation not in ("none", said):
                count(f"another operation {place}", table.language, said, table.operation, ())
            name = f"{'no ' if table.column is None else ''}column {place}"
            number = None if meant is None else meant.number
            count(name, table.language, number, table.column, (table.question, *table.titles))
            if meant is not None:
                narrowing = [table.question[start:end] for start, end in table.narrowing]
                count("narrowed" if narrowing else "not narrowed", table.language, list(meant.filter_phrases), narrowing, (table.question,))  # fmt: skip
            if None not in (number, table.column) and number != table.column:
                count(f"another column {place}", table.language, number, table.column, ())
            elif meant is not None and table.operation in ("largest", "smallest"):
                asked = table.question, table.titles[meant.number]
                count("end", table.language, meant.extreme.value, table.operation, asked)
    for question in operation_questions(data, random.Random(0)):
        if question.apart:
            heard = await reader.operation(question.text)
            said = "none" if heard is None else heard.value
            name = "operation" if question.operation != "none" else "no operation"
            count(f"{name}, {question.kind}", question.language, said, question.operation, (question.text,))  # fmt: skip
            if heard is not None and question.operation not in ("none", said):
                count("another operation", question.language, said, question.operation, ())
    for one, before in ordinary(data, random.Random(0)):
        count("ordinary question, no operation", "", await reader.operation(one), None, (one,))
        count("ordinary question", "", tuple(await reader.decompose(one)), (one,), (one,))
        count(
            "ordinary follow-up",
            "",
            await reader.rewrite_follow_up(one, before, ""),
            one,
            (before, one),
        )
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="what comes out wrong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reader = open_reader(options.reader, Path(folder), 0)
        counts = asyncio.run(checked(reader, options.data, show=options.show))
    for name, right in sorted(counts.items()):
        print(f"{name.strip()}: right {sum(right)} of {len(right)}")


if __name__ == "__main__":
    main()
