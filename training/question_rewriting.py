"""Fit what puts follow-up questions so that they stand alone, parts those that ask for several things and tells what is asked of which column, and put it into the reader's file.

    python training/question_rewriting.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--work FOLDER]

Two layers of their own above the six lowest ones, as Footnote itself computes these (so Footnote has to be installed), and linear heads: how a question
stands to the one before and what it asks of a column, by the state of its first mark, what each token belongs to, and which title of a table a question is about (`footnote.models.question_rewriting`).
They are fitted on the lines of `questions/` (`question_lines.py`), in several spellings, on questions over columns (`operation_questions.py`), and on ordinary questions of the reading sets, which stand alone
and ask for one thing and for no operation. One in seven lines and one in five sources are in no fit: `question_check.py` tells how it does on them.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from encoder import SHARED, Reader, weights_of
from export import quantised_layers
from operation_questions import operation_questions
from order_network import padded
from order_states import opened_probes
from question_lines import (
    FollowUp,
    OverTable,
    Several,
    follow_ups,
    is_kept_apart,
    over_tables,
    several,
)
from safetensors import safe_open
from safetensors.numpy import save_file

from footnote.models.batching import plan_batches
from footnote.models.question_rewriting import (
    EXTREMES,
    KINDS,
    OPERATIONS,
    Marked,
    RewritingHead,
)
from footnote.models.question_tokens import (
    BEGINS,
    GOES_ON,
    MARKS,
    PARTS,
    Said,
    Stretch,
    Talk,
    talk_of,
    titles_talk,
)
from footnote.models.tokenizing import UnigramPieces

LAYERS, STEPS = 3, 3000
RATE, HEAD_RATE, DECAY = 1.5e-4, 1.5e-3, 2e-2
BATCH = {
    "moved": 18,
    "alone": 6,
    "unlike": 5,
    "several": 10,
    "one": 6,
    "ordinary": 6,
    "joined": 2,
    "column": 16,
    "operating": 14,
    "plain": 8,
}
"""Texts of each kind."""
PER_SOURCE = 240
"""Ordinary questions of a reading set."""
SOURCES = 5
"""One in so many reading sets is in no fit."""
LEAST_PART, LEAST_COLUMN = 0.8, 0.6
"""Probabilities from which the parts of a question, and a column, are believed."""
FALSE_OPERATIONS = 0.01
"""Of ordinary questions, from which follows the probability from which an operation is believed; nothing is computed where no column is meant, too."""
OF_REPORTS = 0.4
"""How often questions about reports are drawn beside written ones."""
BLANKED = 0.08
"""Share of tokens that are hidden in a batch."""
RUN_TOKENS = 1024
OTHER_TABLES, STEM = 60, 4
"""Tables among which one of other things is looked for, and first letters of a word that tell it."""
ANY_ROW = (
    "name",
    "Name",
    "id",
    "no.",
    "Nr.",
    "item",
    "title",
    "Bezeichnung",
    "nom",
    "nombre",
    "nome",
    "名称",
    "название",
    "",
)
"""Titles that do not say what the rows are."""
JOINING = {"en": "and", "de": "und", "es": "y", "fr": "et", "it": "e", "pt": "e", "nl": "en", "sv": "och", "ru": "и", "pl": "i", "tr": "ve"}  # fmt: skip

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What is run, and what is wanted of it."""

    talk: Talk
    group: str
    apart: bool
    language: str
    wanted: str | tuple[str, ...] | int
    """The question alone, its parts, or the number of the title that is meant, after the last one for none."""
    kind: int
    """Number among `KINDS`; -1 for a question that is parted or stands beside a table."""
    labels: npt.NDArray[np.int64]
    """Of each token: number among `MARKS` or `PARTS`, -1 of what is not judged."""
    places: tuple[Stretch, ...] = ()
    """Of a table's titles."""
    narrowing: npt.NDArray[np.int64] | None = None
    """Of each token, number among `MARKS`: whether it says which rows of a table are meant; None where that is not known."""
    extreme: int = -1
    """Which end of the column that is meant, number among `EXTREMES`; -1 for neither."""
    operation: int = -1
    """What it asks of a column, number among `OPERATIONS`; -1 where that is not judged."""
    weight: float = 1.0
    """How often it is drawn beside others of its group."""


def examples(data: Path, tokenizer: UnigramPieces, draw: random.Random) -> list[Example]:
    """Everything that is fitted to or judged."""
    found = []

    def follow(step: FollowUp, group: str, *, apart: bool) -> None:
        talk = talk_of(tokenizer, step.question.text, step.asked.text, step.answered.text)
        labels = np.full(len(talk.ids), -1)
        for said, marked in ((talk.question, step.question), (talk.asked, step.asked), (talk.answered, step.answered)):  # fmt: skip
            mark(labels, said, marked.stretches)
        found.append(Example(talk=talk, group=group, apart=apart, language=step.language, wanted=step.alone,
                             kind=KINDS.index(step.kind), labels=labels))  # fmt: skip

    def divide(question: Several, group: str, *, apart: bool, operation: int = -1) -> None:
        talk = talk_of(tokenizer, question.text)
        labels = np.full(len(talk.ids), -1)
        mark(labels, talk.question, question.parts)
        if question.parts:
            first, last = question.parts[0][0], question.parts[-1][1]
            for at, (start, end) in enumerate(talk.question.offsets):
                row = talk.question.first + at
                between = labels[row] == 0 and start >= first and end <= last
                if between or any(start < stop and end > begin for begin, stop in question.dropped):
                    labels[row] = PARTS.index("dropped")
        found.append(Example(talk=talk, group=group, apart=apart, language=question.language,
                             wanted=question.each, kind=-1, labels=labels, operation=operation))  # fmt: skip

    for step in follow_ups():
        apart = is_kept_apart(step.line)
        group = "alone" if step.kind == "alone" else "moved"
        for each in [step] if apart else spellings(step):
            follow(each, group, apart=apart)
    for question in several():
        apart = is_kept_apart(question.line)
        group = "several" if question.parts else "one"
        for each in [question] if apart else [question, in_small_letters(question)]:
            divide(each, group, apart=apart)
    tables = over_tables()
    for table in tables:
        apart = is_kept_apart(table.line)
        beside = other_rows(table, draw.sample(tables, OTHER_TABLES))
        for each in [table, *beside] if apart else [*arrangements(table, draw), *beside]:
            talk, places = titles_talk(tokenizer, each.question, each.row, each.titles)
            wanted = len(each.titles) if each.column is None else each.column
            ends = [end.value for end in EXTREMES]
            extreme = (
                ends.index(each.operation)
                if each.column is not None and each.operation in ends
                else -1
            )
            narrowing = np.full(len(talk.ids), -1)
            mark(narrowing, talk.question, each.narrowing)
            known = None if each in beside else narrowing
            found.append(Example(talk=talk, group="column", apart=apart, language=each.language, wanted=wanted, kind=-1,
                                 labels=np.full(len(talk.ids), -1), places=tuple(places), extreme=extreme, narrowing=known))  # fmt: skip
    asked = operation_questions(data, draw)
    counts = Counter(each.operation for each in asked if not each.apart)
    for each in asked:
        talk = talk_of(tokenizer, each.text)
        # What is rare is drawn more often than it is there.
        weight = counts[each.operation] ** -0.5 * (OF_REPORTS if each.kind == "reports" else 1)
        found.append(Example(talk=talk, group="plain" if each.operation == "none" else "operating", apart=each.apart, language=each.language,
                             wanted=each.operation, kind=-1, labels=np.full(len(talk.ids), -1),
                             operation=OPERATIONS.index(each.operation), weight=weight))  # fmt: skip
    for number, path in enumerate(sorted((data / "reading").glob("*.jsonl.gz"))):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        asked = [(row["lang"].split(">")[0], [each["question"].strip() for each in row["questions"]]) for row in rows]  # fmt: skip
        asked = [each for each in asked if each[1]]
        apart = number % SOURCES == 0
        for language, own in draw.sample(asked, min(PER_SOURCE, len(asked))):
            one, other = draw.choice(own), draw.choice(draw.choice(asked)[1])
            divide(
                Several(text=one, parts=(), dropped=(), language=language, line=one),
                "ordinary",
                apart=apart,
                operation=0,
            )
            before = draw.choice([each for each in own if each != one] or [other])
            follow(FollowUp(kind="alone", question=Marked(text=one), asked=Marked(text=before), answered=Marked(text=""),
                            language=language, line=one, whole=one), "unlike", apart=apart)  # fmt: skip
            if language in JOINING and one != other and max(len(one), len(other)) < 90:
                divide(joined(one, other, language, draw), "joined", apart=apart)
    return found


def mark(labels: npt.NDArray[np.int64], said: Said, stretches: Sequence[Stretch]) -> None:
    """Write what each token of a text belongs to, whole words alike."""
    last: Stretch | None = None
    for word in said.words:
        own = (said.offsets[word.start][0], said.offsets[word.stop - 1][1])
        held = [
            each
            for each in stretches
            if said.text[max(own[0], each[0]) : min(own[1], each[1])].strip()
        ]
        rows = range(said.first + word.start, said.first + word.stop)
        labels[rows.start : rows.stop] = GOES_ON if held else 0
        if held and held[0] != last:
            labels[rows.start] = BEGINS
        last = held[0] if held else None


def spellings(step: FollowUp) -> list[FollowUp]:
    """The step as it was written and otherwise: without its answer, with one that says the question's words again as whole sentences do, in small letters, the other way round."""
    found = [step, carelessly(step)]
    if step.answered.text and not step.answered.stretches:
        found.append(replace(step, answered=Marked(text="")))
    restated = f"{step.asked.text.rstrip(' ?？')}: "
    places = [
        (start + len(restated), end + len(restated)) for start, end in step.answered.stretches
    ]
    found.append(
        replace(step, answered=Marked(text=restated + step.answered.text, stretches=places))
    )
    if step.kind == "replaces" and len(step.question.stretches) == len(step.asked.stretches) == 1:
        (first, last), (start, end) = step.question.stretches[0], step.asked.stretches[0]
        new, old = step.question.text[first:last], step.asked.text[start:end]
        asked = step.asked.text[:start] + new + step.asked.text[end:]
        question = step.question.text[:first] + old + step.question.text[last:]
        found.append(
            replace(
                step,
                question=Marked(text=question, stretches=[(first, first + len(old))]),
                asked=Marked(text=asked, stretches=[(start, start + len(new))]),
                answered=Marked(text=""),
            )
        )
    return found


def arrangements(table: OverTable, draw: random.Random) -> list[OverTable]:
    """The question beside its titles in other orders, carelessly, and without the title that is meant."""
    found = [table, replace(table, question=small(table.question), row=draw.choice(ANY_ROW))]
    for _ in range(3):
        order = draw.sample(range(len(table.titles)), len(table.titles))
        order = order[: draw.randint(max(1, len(order) - 2), len(order))]
        titles = tuple(table.titles[at] for at in order)
        column = order.index(table.column) if table.column in order else None
        found.append(replace(table, titles=titles, column=column))
    if table.column is not None and len(table.titles) > 1:
        titles = tuple(each for each in table.titles if each != table.titles[table.column])
        found.append(replace(table, titles=titles, column=None))
    return found


def other_rows(table: OverTable, others: Sequence[OverTable]) -> list[OverTable]:
    """The question, where it says what its rows are, beside a table of other things: one with a like title, if there is one."""
    own = table.row.casefold()[:STEM]
    if len(own) < STEM or own not in table.question.casefold():
        return []
    words = set() if table.column is None else set(table.titles[table.column].casefold().split())
    unlike = [each for each in others if own not in each.row.casefold()]
    near = max(unlike, key=lambda each: len(words & set(" ".join(each.titles).casefold().split())))
    return [replace(table, row=each.row, titles=each.titles, column=None) for each in (near, unlike[0])]  # fmt: skip


def carelessly(step: FollowUp) -> FollowUp:
    """In small letters and without a question mark."""
    return replace(
        step,
        question=Marked(text=small(step.question.text), stretches=step.question.stretches),
        asked=Marked(text=small(step.asked.text), stretches=step.asked.stretches),
    )


def in_small_letters(question: Several) -> Several:
    """The same for a question with parts."""
    return replace(question, text=small(question.text))


def small(text: str) -> str:
    """As long as the text or shorter by its question mark alone, so that places stay."""
    lowered = text.lower()
    kept = lowered if len(lowered) == len(text) else text
    return kept.rstrip("?？ ") or kept


def joined(one: str, other: str, language: str, draw: random.Random) -> Several:
    """Two questions in one."""
    first, second = one.rstrip(" ?"), other.rstrip(" ?")
    between = draw.choice(["? ", f" {JOINING[language]} ", f", {JOINING[language]} ", f"? {JOINING[language].capitalize()} "])  # fmt: skip
    if "?" not in between or len(between) > 2:
        second = second[:1].lower() + second[1:]
    text = f"{first}{between}{second}?"
    begin = len(first) + len(between)
    return Several(text=text, parts=((0, len(first)), (begin, begin + len(second))), dropped=(), language=language, line=one)  # fmt: skip


class Rewriting(torch.nn.Module):
    """The layers and heads as they are fitted."""

    def __init__(self, reader: Reader, dropout: float = 0.15) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(each) for each in reader.layers[SHARED : SHARED + LAYERS]
        )
        width = reader.word.weight.shape[1]
        self.kinds = torch.nn.Linear(width, len(KINDS))
        self.labels = torch.nn.Linear(width, len(MARKS) + len(PARTS))
        self.columns = torch.nn.Linear(width, 2)
        self.extremes = torch.nn.Linear(width, len(EXTREMES))
        self.operations = torch.nn.Linear(width, len(OPERATIONS))
        self.narrowing = torch.nn.Linear(width, len(MARKS))
        self.drop = torch.nn.Dropout(dropout)

    def forward(
        self, states: torch.Tensor, attention: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Log-odds of kinds, (texts, kinds), of what each token belongs to, (texts, tokens, marks and parts), of what it says for a column, for none, for the ends of its column and for which rows are meant, (texts, tokens, 7), and of operations, (texts, operations)."""
        mask = (1 - attention[:, None, None, :]) * -1e4
        x = self.drop(states)
        for layer in self.layers:
            x = layer(x, mask)
        x = self.drop(x.float())
        return (
            self.kinds(x[:, 0]),
            self.labels(x),
            torch.cat([self.columns(x), self.extremes(x), self.narrowing(x)], dim=2),
            self.operations(x[:, 0]),
        )

    @property
    def heads(self) -> dict[str, torch.nn.Linear]:
        """By their names in the reader's file."""
        return {
            "kinds": self.kinds,
            "labels": self.labels,
            "columns": self.columns,
            "extremes": self.extremes,
            "operations": self.operations,
            "narrowing": self.narrowing,
        }

    def quantise(self) -> dict[str, npt.NDArray[np.generic]]:
        """Take the weights of the layers in 7 bits and return all as the reader's file has them."""
        tensors = quantised_layers(self.layers, "rewriting")
        with torch.no_grad():
            for name, head in self.heads.items():
                tensors[f"rewriting.{name}"] = np.ascontiguousarray(head.weight.numpy().T)
                tensors[f"rewriting.{name}_bias"] = head.bias.numpy().copy()
        return tensors


def fitted(
    reader: Reader, known: Sequence[Example], states: Sequence[npt.NDArray[np.float16]], seed: int
) -> Rewriting:
    """What is learnt of the examples that are not kept apart."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    network = Rewriting(reader)
    groups = {
        group: [at for at, each in enumerate(known) if each.group == group and not each.apart]
        for group in BATCH
    }
    weights = {group: [known[at].weight for at in each] for group, each in groups.items()}
    print({group: len(each) for group, each in groups.items()}, flush=True)
    heads = [each for head in network.heads.values() for each in head.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": network.layers.parameters(), "lr": RATE}, {"params": heads, "lr": HEAD_RATE}],
        weight_decay=DECAY,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, HEAD_RATE], total_steps=STEPS, pct_start=0.1)  # fmt: skip
    recent: dict[str, list[float]] = {
        "kind": [],
        "marks": [],
        "parts": [],
        "columns": [],
        "ends": [],
        "operations": [],
        "narrowing": [],
    }
    for step in range(1, STEPS + 1):
        batch = [
            at
            for group, count in BATCH.items()
            for at in draw.choices(groups[group], weights[group], k=count)
        ]
        given, attention = padded([states[at].astype(np.float32) for at in batch])
        given *= torch.rand(given.shape[:2])[:, :, None] >= BLANKED
        kinds = torch.tensor([known[at].kind for at in batch])
        labels = torch.full(given.shape[:2], -1)
        for row, at in enumerate(batch):
            labels[row, : len(known[at].labels)] = torch.from_numpy(known[at].labels)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said, tokens, columns, operations = network(given, attention)
        asked = torch.tensor([known[at].operation for at in batch])
        follows = kinds >= 0
        tables = [
            (columns[row].float(), known[at]) for row, at in enumerate(batch) if known[at].places
        ]
        by_table = [
            torch.nn.functional.cross_entropy(
                column_odds(*each)[None], torch.tensor([each[1].wanted])
            )
            for each in tables
        ]
        ends = [
            torch.nn.functional.cross_entropy(
                extreme_odds(*each)[None], torch.tensor([each[1].extreme])
            )
            for each in tables
            if each[1].extreme >= 0
        ]
        rows_told = [
            loss_of(
                each[:, 4:][None],
                torch.from_numpy(padded_labels(example.narrowing, len(each)))[None],
            )
            for each, example in tables
            if example.narrowing is not None
        ]
        parts = {
            "kind": torch.nn.functional.cross_entropy(said.float()[follows], kinds[follows], label_smoothing=0.05),
            "marks": loss_of(tokens[follows][:, :, : len(MARKS)], labels[follows]),
            "parts": loss_of(tokens[~follows][:, :, len(MARKS) :], labels[~follows]),
            "columns": torch.stack(by_table).mean(),
            "ends": torch.stack([*ends, torch.zeros(())]).mean(),
            "narrowing": torch.stack(rows_told).mean(),
            "operations": torch.nn.functional.cross_entropy(operations.float(), asked, ignore_index=-1, label_smoothing=0.05),
        }  # fmt: skip
        loss = (
            0.5 * parts["kind"]
            + 3 * parts["marks"]
            + 3 * parts["parts"]
            + 2 * parts["narrowing"]
            + parts["columns"]
            + 0.5 * (parts["ends"] + parts["operations"])
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        for name, each in parts.items():
            recent[name].append(each.item())
        if step % 200 == 0:
            print(f"  step {step}: " + ", ".join(f"{name} {np.mean(each[-200:]):.4f}" for name, each in recent.items()), flush=True)  # fmt: skip
    return network.eval()


def padded_labels(labels: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.int64]:
    """As many labels as there are tokens in a batch, what is beyond the text being not judged."""
    found = np.full(length, -1)
    found[: len(labels)] = labels
    return found


def loss_of(odds: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of tokens that are judged."""
    return torch.nn.functional.cross_entropy(
        odds.float().flatten(0, 1), labels.flatten(), ignore_index=-1
    )


def column_odds(columns: torch.Tensor, example: Example) -> torch.Tensor:
    """Log-odds of each title, and of none at the end, by what is said of the tokens."""
    said = example.talk.asked
    own = [columns[said.tokens_of(place), 0].mean() for place in example.places]
    return torch.stack([*own, columns[0, 1]])


def extreme_odds(columns: torch.Tensor, example: Example) -> torch.Tensor:
    """Log-odds of the ends of the column that is meant."""
    place = example.places[example.wanted]
    return columns[example.talk.asked.tokens_of(place), 2:4].mean(dim=0)


def states_of(probes, known: Sequence[Example]) -> list[npt.NDArray[np.float16]]:
    """What the shared layers leave of each example's tokens."""
    left: list[npt.NDArray[np.float16]] = [np.zeros((0, 0), np.float16)] * len(known)

    def run(rows: list[int]) -> None:
        batch = [known[row].talk.ids for row in rows]
        for row, states in zip(rows, probes.states(batch), strict=True):
            left[row] = states[: len(known[row].talk.ids)].astype(np.float16)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(each.talk.ids) for each in known], RUN_TOKENS)))
    return left


def least_operation(
    network: Rewriting, known: Sequence[Example], states: Sequence[npt.NDArray[np.float16]]
) -> float:
    """The probability that one is heard with in `FALSE_OPERATIONS` of the ordinary questions kept apart."""
    own = [at for at, each in enumerate(known) if each.group == "ordinary" and each.apart]
    chances = []
    for rows in (own[at : at + 64] for at in range(0, len(own), 64)):
        with torch.no_grad():
            said = network(*padded([states[at].astype(np.float32) for at in rows]))[3].softmax(
                dim=1
            )
        chances += said[:, 1:].max(dim=1).values.tolist()
    least = float(np.quantile(chances, 1 - FALSE_OPERATIONS))
    print(f"operations: probability from {least:.3f}, of {len(own)} ordinary questions", flush=True)
    return max(0.5, least)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--reader", type=Path, required=True, help="written anew, with the layers and heads"
    )
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, SHARED, Path(folder))
        known = examples(options.data, probes.tokenizer, random.Random(options.seed))
        print(f"{len(known)} examples, {Counter(each.group for each in known)}", flush=True)
        states = states_of(probes, known)
    reader = Reader()
    reader.take(weights_of(options.reader))
    network = fitted(reader, known, states, options.seed)
    tensors = network.quantise()
    with safe_open(options.reader, "numpy") as opened:
        metadata = dict(opened.metadata())
        tensors |= {
            name: opened.get_tensor(name)
            for name in opened.keys()  # noqa: SIM118
            if not name.startswith("rewriting.")
        }
    least = least_operation(network, known, states)
    tensors["rewriting.least"] = np.array([LEAST_PART, LEAST_COLUMN, least], np.float32)
    RewritingHead.of(tensors)
    save_file(tensors, options.out or options.reader, metadata)
    print(f"wrote {options.out or options.reader}")


if __name__ == "__main__":
    main()
