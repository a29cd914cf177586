"""Fit the reader's probes and put them into its file: what gives orders to a model, and what is asked of a column.

    python training/probes.py --data ../shared/data --reader src/footnote/models/reader.safetensors [--layers 6] [--seed 0]

Both are linear on states of one of the lower layers, as Footnote itself computes them (so Footnote has to be installed): on mean
and maximum over the tokens of a sentence, in its context, for orders; on the mean over a question's tokens for operations. Printed are figures
for texts that a fit did not see: by language (the fit saw none of that language's), by what is wanted of the model (the fit saw
no such order), and the planted instructions of BIPIA. The threshold for orders lets through the share `FALSE_ALARMS` of the
sentences kept apart. The probes that are written are fitted on everything.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from operation_texts import ENGLISH_WORDS, OPERATIONS, QUESTIONS
from order_texts import ADDRESSES, HARMLESS, MORE_HARMLESS, MORE_ORDERS, NAMES, ORDERS, WORDS
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy.optimize import minimize

from footnote.language.sentences import sentence_spans
from footnote.models.batching import plan_batches
from footnote.models.e5 import WORDS as EMBEDDINGS
from footnote.models.e5 import shared_files
from footnote.models.model_store import open_session
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.reader_graph import reader_graph
from footnote.models.reader_probes import (
    QUESTION_TOKENS,
    UNIT_TOKENS,
    Probes,
    summaries,
    widened,
)
from footnote.models.reader_weights import ProbeWeights, read_weights
from footnote.models.tokenizing import UnigramPieces

FALSE_ALARMS = 0.001
"""Of ordinary sentences; a chunk has about ten."""
OTHER_SHARES = (0.0005, 0.002, 0.005)
"""For which the share of orders seen is printed as well."""
FALSE_OPERATIONS = 0.003
"""Of ordinary questions."""
BACKGROUNDS = 70
"""Paragraphs of each source."""
COPIES = 3
"""Of a written sentence: once alone, else within other texts."""
RUN_TOKENS = 1024
ORDER_PENALTY, OPERATION_PENALTY = 1e-2, 3e-3
FOLDS = 7

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A stretch of a text with its label and where it is from."""

    text: int
    start: int
    end: int
    label: int
    kind: str
    """`order`, `planted`, `harmless` or `background`."""
    family: str
    """What it wants, or its source: what is kept apart is kept apart with all of its family."""
    language: str


def backgrounds(data: Path, draw: random.Random, each: int) -> list[tuple[str, str, str]]:
    """Stretches of ordinary texts, with source and language; guidance that tells people what to do is drawn oftener."""
    found = []
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        source = path.name.removesuffix(".jsonl.gz")
        if source.endswith("unlabelled"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        for row in draw.sample(
            rows, min(each * (4 if source.startswith("omosqa") else 1), len(rows))
        ):
            text = row["context"]
            at = text.rfind(" ", 0, draw.randrange(max(1, len(text) - 600))) + 1
            found.append(
                (source, row["lang"].split(">")[-1], text[at : at + draw.randint(150, 600)])
            )
    for path in sorted((data / "documents").glob("*/*.expected.md")):
        text = path.read_text()
        found += [
            (path.name, "en", text[at : at + 600]) for at in range(0, min(len(text), 4800), 600)
        ]
    with (data / "injection" / "email-train.jsonl").open() as lines:
        found += [("mail", "en", json.loads(line)["context"][:900]) for line in lines]
    for report in json.loads((data / "tables" / "tatqa-dev.json").read_text())[:100]:
        found.append(("tatqa", "en", " ".join(p["text"] for p in report["paragraphs"])[:600]))
    return [each for each in found if each[2].strip()]


def order_sentences(
    data: Path, draw: random.Random, each: int = BACKGROUNDS
) -> tuple[list[str], list[Sentence]]:
    """Texts, and the labelled sentences in them; so many ordinary paragraphs of each source."""
    texts: list[str] = []
    found: list[Sentence] = []
    ordinary = backgrounds(data, draw, each)
    by_language: dict[str, list[str]] = {}
    for _, language, text in ordinary:
        by_language.setdefault(language, []).append(text)

    def add(text: str, start: int, end: int, *told: object) -> None:
        label, kind, family, language = told
        found.append(Sentence(text=len(texts), start=start, end=end, label=label, kind=kind, family=family,
                              language=language))  # fmt: skip
        texts.append(text)

    def written(sentence: str, label: int, kind: str, family: str, language: str) -> None:
        for copy in range(COPIES):
            filled = sentence.replace("{x}", draw.choice(NAMES)).replace("{w}", draw.choice(WORDS))
            filled = filled.replace("{u}", draw.choice(ADDRESSES))
            if copy == 0:
                add(filled, 0, len(filled), label, kind, family, language)
                continue
            around = draw.choice(by_language.get(language) or by_language["en"])
            add(
                *planted(around[: draw.randint(100, 500)], filled, draw),
                label,
                kind,
                family,
                language,
            )

    for kind, label, families in (("order", 1, ORDERS), ("harmless", 0, HARMLESS)):
        for family, sentences in families.items():
            for language, sentence in sentences.items():
                written(sentence, label, kind, family, language)
    for family, more in MORE_ORDERS.items():
        for sentence in more:
            written(sentence, 1, "order", family, "en")
    for number, sentence in enumerate(MORE_HARMLESS):
        written(sentence, 0, "harmless", f"more {number % FOLDS}", "en")
    attacks = json.loads((data / "injection" / "text_attack_train.json").read_text())
    mails = [text for source, _, text in ordinary if source == "mail"]
    # The first five kinds are plain requests, such as "Explain the theory of relativity."
    for family in list(attacks)[5:]:
        for sentence in attacks[family]:
            add(*planted(draw.choice(mails)[:600], sentence, draw), 1, "planted", family, "en")
    for source, language, text in ordinary:
        found += [
            Sentence(text=len(texts), start=start, end=end, label=0, kind="background", family=source,
                     language=language)
            for start, end in sentence_spans(text)
        ]  # fmt: skip
        texts.append(text)
    return texts, found


def planted(text: str, sentence: str, draw: random.Random) -> tuple[str, int, int]:
    """The text with the sentence between two of its own, and where it then stands."""
    starts = [start for start, _ in sentence_spans(text)] + [len(text)]
    at = draw.choice(starts)
    mark = draw.choice((" ", "\n", "\n\n"))
    before = text[:at].rstrip() + mark if at else ""
    after = mark + text[at:] if at < len(text) else ""
    return before + sentence + after, len(before), len(before) + len(sentence)


def operation_questions(data: Path, draw: random.Random) -> list[tuple[str, str, str, str, int]]:
    """Questions with operation, kind, language and the number of their group."""
    found = []
    for place, report in enumerate(json.loads((data / "tables" / "tatqa-dev.json").read_text())):
        named = [(each["question"], operation_of(each)) for each in report["questions"]]
        found += [(asked, name, "reports", "en", place // 20) for asked, name in named if name]
    for place, (language, by_name) in enumerate(QUESTIONS.items()):
        for name, questions in by_name.items():
            for question in questions:
                for _ in range(8 if "{" in question else 2):
                    filled = question
                    for slot, words in ENGLISH_WORDS.items():
                        filled = filled.replace(slot, draw.choice(words))
                    found.append((filled, name, "written", language, place))
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        questions = [(r["lang"].split(">")[0], q["question"]) for r in rows for q in r["questions"]]
        for language, question in draw.sample(questions, min(120, len(questions))):
            found.append((question, "none", "reading", language, draw.randrange(FOLDS)))
    return found


def operation_of(question: dict) -> str | None:
    """What the derivation of a question about a report does; None where it compares in an unknown direction."""
    derived = re.sub(r"[\s$,]", "", question["derivation"] or "")
    number = r"[\(\[]*-?[\d.]+\)?%?\)?"
    if question["answer_type"] == "count":
        return "count"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*", derived):
        return "sum"
    if re.fullmatch(rf"{number}(\+{number})+[\)\]]*/\d", derived):
        return "average"
    if re.fullmatch(rf"{number}(>{number})+", derived):
        return "largest"
    if re.fullmatch(rf"{number}(<{number})+", derived):
        return "smallest"
    return None if "<" in derived or ">" in derived else "none"


def encoded(
    probes: Probes, ids: Sequence[Sequence[int]], take: Callable[[int, Floats], None]
) -> None:
    """Hand the states of each row of tokens to `take`."""

    def run(rows: list[int]) -> None:
        for row, states in zip(rows, probes.states([ids[row] for row in rows]), strict=True):
            take(row, states[: len(ids[row])])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, plan_batches([len(row) for row in ids], RUN_TOKENS)))


def order_states(
    probes: Probes, texts: list[str], sentences: list[Sentence]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What is judged of each sentence, and which sentences were read."""
    pieces = [probes.tokenizer.pieces(text) for text in texts]
    ids = [[probes.tokenizer.begin, *each.ids[:382], probes.tokenizer.end] for each in pieces]
    by_text: dict[int, list[int]] = {}
    for number, each in enumerate(sentences):
        by_text.setdefault(each.text, []).append(number)
    means = np.zeros((len(sentences), len(probes.weights.orders[0])), dtype=np.float32)
    there = np.zeros(len(sentences), dtype=bool)

    def take(row: int, states: Floats) -> None:
        for number in by_text.get(row, ()):
            one = sentences[number]
            inside = [
                i + 1
                for i, (start, end) in enumerate(pieces[row].offsets[:382])
                if start < one.end and end > one.start
            ]
            if inside:
                first, last = widened(inside[0], inside[:UNIT_TOKENS][-1] + 1, len(ids[row]) - 1)
                [means[number]], there[number] = summaries(states, [(first, last)]), True

    encoded(probes, ids, take)
    return means, there


def question_states(probes: Probes, questions: Sequence[str]) -> Floats:
    """The mean state of each question."""
    tokenizer = probes.tokenizer
    ids = [
        [tokenizer.begin, *tokenizer.pieces(f"query: {q}").ids[:QUESTION_TOKENS], tokenizer.end]
        for q in questions
    ]
    means = np.zeros((len(ids), probes.weights.operations[0].shape[1]), dtype=np.float32)

    def take(row: int, states: Floats) -> None:
        means[row] = states[1:-1].mean(axis=0)

    encoded(probes, ids, take)
    return means


def fit(
    rows: Floats, labels: Sequence[int], weights: Floats, classes: int, penalty: float
) -> tuple[Floats, Floats]:
    """Multinomial logistic regression: (width, classes) and biases, for rows as they are."""
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    scaled = ((rows - centre) / spread).astype(np.float32)
    hot = np.eye(classes, dtype=np.float32)[np.asarray(labels)]
    share = (weights / weights.sum()).astype(np.float32)
    cut = rows.shape[1] * classes

    def loss(parameters: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        single = parameters.astype(np.float32)
        matrix = single[:cut].reshape(-1, classes)
        odds = scaled @ matrix + single[cut:]
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        value = (
            -(share * np.log((chances * hot).sum(axis=1) + 1e-9)).sum()
            + penalty * (matrix**2).sum() / 2
        )
        slope = (chances - hot) * share[:, None]
        return float(value), np.concatenate(
            [(scaled.T @ slope + penalty * matrix).ravel(), slope.sum(axis=0)]
        ).astype(float)

    found = minimize(
        loss, np.zeros(cut + classes), jac=True, method="L-BFGS-B", options={"maxiter": 80}
    ).x
    matrix = found[:cut].reshape(-1, classes) / spread[:, None]
    return matrix.astype(np.float32), (found[cut:] - centre @ matrix).astype(np.float32)


def odds_of(rows: Floats, fitted: tuple[Floats, Floats]) -> Floats:
    """Log-odds of the second of two classes."""
    found: Floats = rows @ (fitted[0][:, 1] - fitted[0][:, 0]) + (fitted[1][1] - fitted[1][0])
    return found


def fit_orders(rows: Floats, sentences: list[Sentence]) -> tuple[Floats, float]:
    """The probe for orders, its threshold in its bias; prints what it says to what a fit did not see."""
    labels = np.array([each.label for each in sentences])
    kinds = np.array([each.kind for each in sentences])
    # Either side weighs as much; ordinary sentences, of which there are most, as much as the written ones.
    weights = np.array(
        [{"order": 1.0, "planted": 1.0, "harmless": 1.0}.get(kind, 0.0) for kind in kinds]
    )
    weights[kinds == "background"] = weights[labels == 1].sum() / max(
        1, (kinds == "background").sum()
    )
    languages = {
        name: at % FOLDS for at, name in enumerate(sorted({each.language for each in sentences}))
    }
    families = {
        name: at % FOLDS for at, name in enumerate(sorted({each.family for each in sentences}))
    }
    apart = {
        "language": np.array([languages[each.language] for each in sentences]),
        "family": np.array([families[each.family] for each in sentences]),
    }
    held = {}
    for name, folds in apart.items():
        held[name] = np.zeros(len(sentences), dtype=np.float32)
        for fold in range(FOLDS):
            rest, own = folds != fold, folds == fold
            held[name][own] = odds_of(
                rows[own], fit(rows[rest], labels[rest], weights[rest], 2, ORDER_PENALTY)
            )
    ordinary = kinds == "background"
    # Documents and orders will be unknown, languages less so.
    shipped = float(np.quantile(held["family"][ordinary], 1 - FALSE_ALARMS))
    for name, odds in held.items():
        threshold = float(np.quantile(odds[ordinary], 1 - FALSE_ALARMS))
        above = odds >= threshold
        print(f"orders, {name} apart: seen {above[labels == 1].mean():.3f}, of BIPIA's {above[kinds == 'planted'].mean():.3f}; "
              f"false {above[ordinary].mean():.5f} of ordinary sentences, {above[kinds == 'harmless'].mean():.3f} of look-alikes; "
              f"AUC {area(odds[labels == 1], odds[labels == 0]):.4f}, against look-alikes "
              f"{area(odds[labels == 1], odds[kinds == 'harmless']):.4f}")  # fmt: skip
        for share in OTHER_SHARES:
            at = float(np.quantile(odds[ordinary], 1 - share))
            print(
                f"  with {share} of ordinary sentences: seen {(odds[labels == 1] >= at).mean():.3f}, "
                f"look-alikes {(odds[kinds == 'harmless'] >= at).mean():.3f}"
            )
        for value in sorted(
            {getattr(each, name) for each in sentences if each.kind != "background"}
        ):
            own = np.array([getattr(each, name) == value for each in sentences])
            parts = [
                f"{word} {above[chosen].mean():.3f} of {chosen.sum()}"
                for word, chosen in (("seen", own & (labels == 1)), ("look-alikes", own & (kinds == "harmless")),
                                     ("ordinary", own & ordinary))
                if chosen.any()
            ]  # fmt: skip
            print(f"  {value}: {', '.join(parts)}")
    fitted = fit(rows, labels, weights, 2, ORDER_PENALTY)
    return fitted[0][:, 1] - fitted[0][:, 0], float(fitted[1][1] - fitted[1][0]) - shipped


def fit_operations(
    rows: Floats, questions: list[tuple[str, str, str, str, int]]
) -> tuple[Floats, Floats, float]:
    """The probe for operations and the probability from which it is believed; prints as `fit_orders`."""
    labels = np.array([OPERATIONS.index(each[1]) for each in questions])
    kinds = np.array([each[2] for each in questions])
    counts = Counter(labels.tolist())
    weights = np.array([counts[label] ** -0.5 for label in labels], dtype=np.float32)
    folds = np.array([each[4] % FOLDS for each in questions])
    chances = np.zeros((len(rows), len(OPERATIONS)), dtype=np.float32)
    for fold in range(FOLDS):
        matrix, biases = fit(
            rows[folds != fold],
            labels[folds != fold],
            weights[folds != fold],
            len(OPERATIONS),
            OPERATION_PENALTY,
        )
        odds = rows[folds == fold] @ matrix + biases
        exponents = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances[folds == fold] = exponents / exponents.sum(axis=1, keepdims=True)
    said, sure = chances.argmax(axis=1), chances.max(axis=1)
    ordinary = (kinds == "reading") & (said > 0)
    wrong = np.sort(sure[ordinary])[::-1]
    allowed = int(FALSE_OPERATIONS * (kinds == "reading").sum())
    least = max(0.5, float(wrong[allowed]) + 1e-4 if allowed < len(wrong) else 0.5)
    believed = np.where(sure >= least, said, 0)
    print(f"operations, language apart: probability from {least:.3f}")
    for kind in ("written", "reports", "reading"):
        own, asked = kinds == kind, labels > 0
        right = (
            f"right {(believed == labels)[own & asked].mean():.3f} of {(own & asked).sum()}, "
            if (own & asked).any()
            else ""
        )
        wrongly = own & asked & (believed > 0)
        other = f"another {(believed != labels)[wrongly].mean():.3f}, " if wrongly.any() else ""
        print(
            f"  {kind}: {right}{other}false {(believed > 0)[own & ~asked].mean():.4f} of {(own & ~asked).sum()}"
        )
    for language in QUESTIONS:
        own = (kinds == "written") & np.array([each[3] == language for each in questions])
        print(f"  {language}: right {(believed == labels)[own & (labels > 0)].mean():.3f} of {(own & (labels > 0)).sum()}, "
              f"false {(believed > 0)[own & (labels == 0)].mean():.3f} of {(own & (labels == 0)).sum()}")  # fmt: skip
    matrix, biases = fit(rows, labels, weights, len(OPERATIONS), OPERATION_PENALTY)
    return matrix.T, biases, least


def area(positive: Floats, negative: Floats) -> float:
    """AUC: how often a positive scores above a negative."""
    order = np.sort(negative)
    return float(
        (
            (np.searchsorted(order, positive) + np.searchsorted(order, positive, side="right")) / 2
        ).mean()
        / len(order)
    )


def opened_probes(reader: Path, layers: int, folder: Path) -> Probes:
    """The lower layers of a reader, with probes that say nothing yet."""
    weights = read_weights(reader)
    shared = shared_files(folder)
    graph = shared.folder / f"fitting-{weights.digest[:12]}-{layers}.onnx"
    part = reader_graph(weights, "int8", EMBEDDINGS, range(layers))
    graph.write_bytes(part.SerializeToString())
    width = weights.shape.width
    nothing = ProbeWeights(
        layers=layers,
        orders=(np.zeros(2 * width, np.float32), 0.0),
        operations=(
            np.zeros((len(OPERATIONS), width), np.float32),
            np.zeros(len(OPERATIONS), np.float32),
        ),
        names=OPERATIONS,
        least=1.0,
    )
    tokenizer = UnigramPieces(shared.tokenizer.read_bytes())
    encoder = ReaderEncoder(parts=((layers, open_session(graph)),))
    return Probes(encoder=encoder, tokenizer=tokenizer, weights=nothing)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True, help="written anew, with the probes")
    parser.add_argument("--out", type=Path, help="instead of --reader")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    texts, sentences = order_sentences(options.data, draw)
    questions = operation_questions(options.data, draw)
    with tempfile.TemporaryDirectory() as folder:
        probes = opened_probes(options.reader, options.layers, Path(folder))
        rows, there = order_states(probes, texts, sentences)
        asked = question_states(probes, [each[0] for each in questions])
    kept = [each for each, has in zip(sentences, there, strict=True) if has]
    order, bias = fit_orders(rows[there], kept)
    operation, biases, least = fit_operations(asked, questions)
    with safe_open(options.reader, "numpy") as opened:
        metadata = dict(opened.metadata())
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    tensors |= {
        "orders.weight": np.ascontiguousarray(order, np.float32),
        "orders.bias": np.array([bias], np.float32),
        "operation.weight": np.ascontiguousarray(operation, np.float32),
        "operation.bias": np.ascontiguousarray(biases, np.float32),
    }
    calibration = json.loads(metadata["calibration"])
    calibration["probes"] = {
        "layers": options.layers,
        "operations": OPERATIONS,
        "least": round(least, 4),
    }
    metadata["calibration"] = json.dumps(calibration)
    save_file(tensors, options.out or options.reader, metadata)
    print(f"wrote {options.out or options.reader}")


if __name__ == "__main__":
    main()
