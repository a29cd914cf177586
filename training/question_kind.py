"""Fit what tells from the states of a question's tokens which document of a series it is for, and whether it wants a figure.

    PYTHONPATH=training python training/question_kind.py --data ../shared/data --out src/footnote/models/question_kind.safetensors

Which document: attention pooling over what the sixth layer of the packaged e5 leaves of a question's tokens, as `attention_network.py` fits it for injections, here in numpy; it learns whether a figure is wanted beside it, which is not looked at.
A figure: the logistic regression of `global_questions.py` over the question's vector, which tells that better, as the other worse. They learn from `question_kind_texts.py`,
from questions about financial reports of `tables`, of which it is known whether a table answers them, and from real questions of `reading`, which are about no series.
It is judged with languages kept apart and with wordings kept apart; the thresholds are the lowest at which, with wordings kept apart, as few ordinary questions as named below are taken for others.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt
from global_questions import fitted as logistic
from question_kind_texts import KINDS, PERIODS, QUESTIONS, STATED, WHO, WORDS
from safetensors.numpy import save_file

from footnote.models.attention_probe import AttentionProbe
from footnote.models.e5 import MAX_TOKENS, QUERY_PREFIX, load_e5
from footnote.models.question_kind import STATES_OUTPUT

FILLED = 5
"""Of a wording in a language, as often its places are filled."""
OF_A_FILE = 75
FALSE_PERIODS = 0.004
"""Of real questions, that are taken for questions about the newest or oldest document."""
FALSE_FIGURES = 0.03
"""Of real questions whose answer is no figure, that are taken for questions for one."""
FOLDS, FITS = 7, 3
INNER, HEADS, HIDDEN = 64, 4, 32
STEPS, BATCH, RATE, DECAY = 500, 64, 2e-3, 5e-2
DROP, DROP_MORE = 0.2, 0.3
WRITTEN, REPORTS = 0.6, 0.15
"""Of a batch; the others are real questions."""
_FIGURE = re.compile(r"[^\w]*\d[\d.,]*(?:\s*(?:%|percent|million|billion))?[^\w]*")
_YEAR = re.compile(r"[^\w]*(?:1\d|20)\d\d[^\w]*")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with what is known of it."""

    text: str
    period: int
    figure: int
    """1 where it asks for a figure, 0 where not, -1 where that is not known."""
    kind: str
    """`written`, `reports` or `reading`."""
    language: str
    wording: str
    """What is worded alike, in whatever language, is kept apart together."""


def questions(data: Path, draw: random.Random) -> list[Question]:
    """All that is fitted to."""
    found = []
    for language, wordings in QUESTIONS.items():
        words = WORDS[language]
        for number, (text, (period, figure)) in enumerate(zip(wordings, KINDS, strict=True)):
            filled = {
                text.format(
                    **{name: draw.choice(each) for name, each in words.items()},
                    who=draw.choice(WHO),
                    period=draw.choice(STATED),
                )
                for _ in range(FILLED)
            }
            found += [
                Question(
                    text=draw.choice((each, each, each.lower())),
                    period=PERIODS.index(period),
                    figure=-1 if figure is None else int(figure),
                    kind="written",
                    language=language,
                    wording=str(number),
                )
                for each in sorted(filled)
            ]
    for place, report in enumerate(json.loads((data / "tables" / "tatqa-dev.json").read_text())):
        found += [
            Question(
                text=each["question"],
                period=0,
                figure=_figure_of_report(each),
                kind="reports",
                language="en",
                wording=f"report {place // 20}",
            )
            for each in report["questions"]
        ]
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        if path.name.endswith("unlabelled.jsonl.gz"):
            continue
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        asked = [(row["lang"].split(">")[0], each) for row in rows for each in row["questions"]]
        for language, each in draw.sample(asked, min(OF_A_FILE, len(asked))):
            answers = " ".join(answer["text"] for answer in each["answers"][:1])
            found.append(
                Question(
                    text=each["question"],
                    period=0,
                    figure=-1 if re.search(r"\d", answers) or not answers else 0,
                    kind="reading",
                    language=language,
                    wording=each["question"],
                )
            )
    return found


def _figure_of_report(question: dict) -> int:
    """Whether the answer is a figure of a table; not known where a figure stands in the text."""
    if question["answer_type"] in ("arithmetic", "count"):
        return 1
    answer = question["answer"] if isinstance(question["answer"], list) else [question["answer"]]
    figures = [bool(_FIGURE.fullmatch(str(each).strip("$() "))) for each in answer]
    years = [bool(_YEAR.fullmatch(str(each))) for each in answer]
    if any(years):
        return -1
    return int(all(figures)) if question["answer_from"] != "text" or not any(figures) else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """The states of questions' tokens, one question after the other."""

    states: npt.NDArray[np.float16]
    ends: npt.NDArray[np.int64]
    """One past the last token of each."""
    centre: Floats
    spread: Floats

    def padded(self, rows: Sequence[int]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """States and mask of these questions, as long as the longest."""
        starts = np.concatenate([[0], self.ends[:-1]])[rows]
        lengths = self.ends[rows] - starts
        states = np.zeros((len(lengths), int(lengths.max()), self.states.shape[1]), np.float32)
        mask = np.zeros(states.shape[:2], bool)
        for at, (first, length) in enumerate(zip(starts, lengths, strict=True)):
            own = self.states[first : first + length].astype(np.float32)
            states[at, :length], mask[at, :length] = (own - self.centre) / self.spread, True
        return states, mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """One fit; its outputs are log-odds of each period, and of a figure."""

    inner: Floats
    inner_bias: Floats
    heads: Floats
    hidden: Floats
    hidden_bias: Floats
    odds: Floats
    bias: Floats

    def __call__(self, states: Floats, mask: npt.NDArray[np.bool_]) -> Floats:
        """Of shape (questions, periods + 1)."""
        inner = np.maximum(states @ self.inner + self.inner_bias, 0)
        pooled = (_shares(inner @ self.heads, mask).transpose(0, 2, 1) @ inner).reshape(
            len(mask), -1
        )
        return np.maximum(pooled @ self.hidden + self.hidden_bias, 0) @ self.odds + self.bias


def _shares(scores: Floats, mask: npt.NDArray[np.bool_]) -> Floats:
    scores = np.where(mask[:, :, None], scores, -1e4)
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True)


def fitted(
    stretches: Stretches,
    asked: Sequence[Question],
    rows: npt.NDArray[np.int64],
    seeds: Sequence[int],
) -> list[Network]:
    """Networks of these rows, by AdamW with dropout; the rate rises, then falls."""
    kinds = np.array([each.kind for each in asked])
    period = np.array([each.period for each in asked])
    figure = np.array([each.figure for each in asked], np.float32)
    groups = [rows[kinds[rows] == kind] for kind in ("written", "reports", "reading")]
    sizes = [int(BATCH * WRITTEN), int(BATCH * REPORTS)]
    sizes.append(BATCH - sum(sizes))
    width, outputs = len(stretches.centre), len(PERIODS) + 1
    shapes = ((width, INNER), (INNER,), (INNER, HEADS), (HEADS * INNER, HIDDEN), (HIDDEN,), (HIDDEN, outputs), (outputs,))  # fmt: skip
    found = []
    for seed in seeds:
        draw = np.random.default_rng(seed)
        weights = [
            draw.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
            if len(shape) > 1
            else np.zeros(shape, np.float32)
            for shape in shapes
        ]
        means = [np.zeros_like(each) for each in weights]
        squares = [np.zeros_like(each) for each in weights]
        for step in range(1, STEPS + 1):
            batch = np.concatenate([draw.choice(g, n) for g, n in zip(groups, sizes, strict=True)])
            states, mask = stretches.padded(batch)
            states *= (draw.random((BATCH, 1, width), np.float32) > DROP) / np.float32(1 - DROP)
            drop = (draw.random((BATCH, HIDDEN), np.float32) > DROP_MORE) / np.float32(
                1 - DROP_MORE
            )
            slopes = _slopes(weights, states, mask, drop, period[batch], figure[batch])
            rate = RATE * min(step / (0.2 * STEPS), (STEPS - step) / (0.8 * STEPS) + 1e-3)
            for place, each in enumerate(slopes):
                means[place] += 0.1 * (each - means[place])
                squares[place] += 0.001 * (each**2 - squares[place])
                mean, square = means[place] / (1 - 0.9**step), squares[place] / (1 - 0.999**step)
                weights[place] -= rate * (mean / (np.sqrt(square) + 1e-8) + DECAY * weights[place])
        found.append(Network(**dict(zip(Network.__slots__, weights, strict=True))))
    return found


def _slopes(
    weights: Sequence[Floats],
    states: Floats,
    mask: npt.NDArray[np.bool_],
    drop: Floats,
    period: npt.NDArray[np.int64],
    figure: Floats,
) -> list[Floats]:
    """The slopes of the loss by each of the weights."""
    inner_weight, inner_bias, heads, hidden_weight, hidden_bias, odds, bias = weights
    inner = np.maximum(states @ inner_weight + inner_bias, 0)
    shares = _shares(inner @ heads, mask)
    pooled = (shares.transpose(0, 2, 1) @ inner).reshape(len(mask), -1)
    hidden = np.maximum(pooled @ hidden_weight + hidden_bias, 0)
    kept = hidden * drop
    slope = _slope(kept @ odds + bias, period, figure)
    by_hidden = (slope @ odds.T) * drop * (hidden > 0)
    by_pooled = (by_hidden @ hidden_weight.T).reshape(len(mask), HEADS, INNER)
    by_shares = inner @ by_pooled.transpose(0, 2, 1)
    by_scores = shares * (by_shares - (shares * by_shares).sum(axis=1, keepdims=True))
    by_inner = (shares @ by_pooled + by_scores @ heads.T) * (inner > 0) * mask[:, :, None]
    flat = by_inner.reshape(-1, INNER)
    return [
        states.reshape(-1, states.shape[2]).T @ flat,
        flat.sum(axis=0),
        inner.reshape(-1, INNER).T @ by_scores.reshape(-1, HEADS),
        pooled.T @ by_hidden,
        by_hidden.sum(axis=0),
        kept.T @ slope,
        slope.sum(axis=0),
    ]


def _slope(odds: Floats, period: npt.NDArray[np.int64], figure: Floats) -> Floats:
    """The slope of the loss by the log-odds; a figure that is not known has none."""
    chances, figures = _chances(odds)
    chances[np.arange(len(period)), period] -= 1
    known = figure >= 0
    by_figure = np.where(known, figures - figure, 0) / max(1, known.sum())
    return np.column_stack([chances / len(period), by_figure]).astype(np.float32)


def _chances(odds: Floats) -> tuple[Floats, Floats]:
    exponents = np.exp(odds[:, :-1] - odds[:, :-1].max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True), 1 / (1 + np.exp(-odds[:, -1]))


def periods_said(
    networks: Sequence[Network], stretches: Stretches, rows: npt.NDArray[np.int64]
) -> Floats:
    """The chance of each period."""
    found = []
    for start in range(0, len(rows), 256):
        padded = stretches.padded(rows[start : start + 256])
        found.append(np.mean([each(*padded) for each in networks], axis=0))
    return _chances(np.concatenate(found))[0]


def threshold_of(period: Floats, asked: Sequence[Question]) -> float:
    """From which chance a period other than any is believed."""
    real = np.array([each.kind == "reading" for each in asked])
    dated = np.where(period.argmax(axis=1) > 0, period.max(axis=1), 0.0)
    return max(0.5, float(np.quantile(dated[real], 1 - FALSE_PERIODS)))


def figure_threshold_of(odds: Floats, asked: Sequence[Question]) -> float:
    """From which log-odds a figure is believed."""
    plain = np.array([each.kind == "reading" and each.figure == 0 for each in asked])
    return float(np.quantile(odds[plain], 1 - FALSE_FIGURES))


def figures_fitted(
    vectors: Floats, asked: Sequence[Question], rows: npt.NDArray[np.int64]
) -> tuple[Floats, float]:
    """Weights and bias of what tells a figure from a vector."""
    figures = np.array([each.figure for each in asked], np.float64)
    known = rows[figures[rows] >= 0]
    return logistic(vectors[known].astype(np.float64), figures[known])


def told(
    name: str, period: Floats, figure: Floats, asked: Sequence[Question]
) -> tuple[float, float]:
    """Print how it does on what a fit did not see, and give the thresholds."""
    least, least_figure = threshold_of(period, asked), figure_threshold_of(figure, asked)
    labels = np.array([each.period for each in asked])
    figures = np.array([each.figure for each in asked])
    kinds = np.array([each.kind for each in asked])
    languages = np.array([each.language for each in asked])
    believed = np.where(period.max(axis=1) >= least, period.argmax(axis=1), 0)
    asks = figure >= least_figure

    def line(title: str, own: npt.NDArray[np.bool_]) -> None:
        parts = []
        for number, word in enumerate(PERIODS):
            chosen = own & (labels == number)
            if chosen.any():
                right = (believed[chosen] == number).mean()
                parts.append(f"{word} {right:.3f} of {chosen.sum()}")
        for value, word in ((1, "figure"), (0, "no figure")):
            chosen = own & (figures == value)
            if chosen.any():
                parts.append(f"{word} {(asks[chosen] == value).mean():.3f} of {chosen.sum()}")
        print(f"  {title}: right {', '.join(parts)}", flush=True)

    print(f"{name} apart: period from {least:.3f}, figure from log-odds of {least_figure:.3f}")
    for kind in ("written", "reports", "reading"):
        line(kind, kinds == kind)
    for language in QUESTIONS:
        line(language, (kinds == "written") & (languages == language))
    if name == "wording":
        for number, (text, _) in enumerate(zip(QUESTIONS["en"], KINDS, strict=True)):
            own = np.array([e.kind == "written" and e.wording == str(number) for e in asked])
            line(text, own)
    return least, least_figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What e5 leaves of questions."""

    states: npt.NDArray[np.float16]
    """Of their tokens, one question after the other."""
    ends: npt.NDArray[np.int64]
    """One past the last token of each."""
    vectors: Floats


def embedded(texts: Sequence[str], models: Path, kept: Path | None) -> Embedded:
    """What e5 leaves of the questions, read from `kept` if they are the same."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    if kept is not None and kept.exists():
        with np.load(kept) as file:
            if str(file["digest"]) == digest:
                return Embedded(**{name: file[name] for name in Embedded.__slots__})
    encoder = load_e5(models, "int8", 2, 4096)
    loaded = encoder.open()
    states, vectors = [], []
    for ids in loaded.tokenizer.encode([QUERY_PREFIX + text for text in texts], MAX_TOKENS):
        row = np.array([ids], np.int32)
        given = {"input_ids": row, "attention_mask": np.ones_like(row)}
        left, vector = loaded.session.run([STATES_OUTPUT, "embedding"], given)
        states.append(left[1:-1].astype(np.float16))
        vectors.append(vector[0])
    encoder.close()
    made = Embedded(
        states=np.concatenate(states),
        ends=np.cumsum([len(each) for each in states]),
        vectors=np.stack(vectors),
    )
    if kept is not None:
        np.savez(kept, states=made.states, ends=made.ends, vectors=made.vectors, digest=digest)
    return made


def probe_of(networks: Sequence[Network], stretches: Stretches) -> AttentionProbe:
    """The networks for states as they are."""
    inner = [each.inner / stretches.spread[:, None] for each in networks]
    biases = [
        (each.inner_bias - stretches.centre @ own)[None]
        for each, own in zip(networks, inner, strict=True)
    ]
    return AttentionProbe(
        inner=np.stack(inner),
        inner_bias=np.stack(biases),
        heads=np.stack([each.heads for each in networks]),
        hidden=np.stack([each.hidden for each in networks]),
        hidden_bias=np.stack([each.hidden_bias[None] for each in networks]),
        odds=np.stack([each.odds for each in networks]),
        bias=np.mean([each.bias for each in networks], axis=0),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path.home() / ".footnote" / "models")
    parser.add_argument("--states", type=Path, help="a file that keeps the questions' states")
    options = parser.parse_args()
    asked = questions(options.data, random.Random(7))
    left = embedded([each.text for each in asked], options.models, options.states)
    sample = left.states[::5].astype(np.float32)
    stretches = Stretches(
        states=left.states,
        ends=left.ends,
        centre=sample.mean(axis=0),
        spread=sample.std(axis=0) + np.float32(1e-3),
    )
    languages = list(QUESTIONS)
    least, least_figure = 0.5, 0.0
    for name in ("language", "wording"):
        folds = np.array(
            [
                languages.index(each.language) % FOLDS
                if name == "language" and each.kind == "written"
                else int(each.wording) % FOLDS
                if each.kind == "written"
                else crc32(each.wording.encode()) % FOLDS
                for each in asked
            ]
        )
        period = np.zeros((len(asked), len(PERIODS)), np.float32)
        figure = np.zeros(len(asked), np.float32)
        for fold in range(FOLDS):
            others, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            weights, bias = figures_fitted(left.vectors, asked, others)
            figure[own] = left.vectors[own] @ weights + bias
            networks = fitted(stretches, asked, others, (0,))
            period[own] = periods_said(networks, stretches, own)
        least, least_figure = told(name, period, figure, asked)
    everything = np.arange(len(asked))
    weights, bias = figures_fitted(left.vectors, asked, everything)
    probe = probe_of(fitted(stretches, asked, everything, range(FITS)), stretches)
    save_file(
        probe.tensors("period")
        | {
            "least": np.array([least], np.float32),
            "figure": weights.astype(np.float32),
            "figure_bias": np.array([bias - least_figure], np.float32),
        },
        options.out,
    )
    print(options.out, hashlib.sha256(options.out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
