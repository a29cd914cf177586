"""Fit what makes probabilities of the heads' numbers, on paragraphs that training never saw.

    python training/calibrate.py --data ../shared/data --weights reader.pt --out calibration.json [--pairs 1500]

Answers: a logistic regression over the best span's score against "none" and the relevance logit; the label is whether
the passage answers and that span touches the answer. Support: a temperature (Guo et al., ICML 2017). The weights are
taken in 7 bits, as they ship. Prints the area under the curve and the expected calibration error of each half, fitted
on the other; what is written is fitted on both.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from encoder import Reader, weights_of
from evaluate import area, best_span, heads, judged, quantise

from examples import Examples, Pair

BINS = 10
TEMPERATURES = np.geomspace(0.4, 4.0, 60)


def scored(pair: Pair, logits: np.ndarray) -> tuple[float, bool]:
    """The score of the best span against "none", and whether it touches the answer."""
    (first, last), score = best_span(logits[pair.second : -1])
    hit = pair.span is not None and (
        first + pair.second <= pair.span[1] and pair.span[0] <= last + pair.second
    )
    return score - float(logits[0].sum()), hit


def logistic(signals: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Coefficients by Newton's method, the bias last, with a small penalty."""
    rows = np.c_[signals, np.ones(len(signals))]
    weights = np.zeros(rows.shape[1])
    for _ in range(60):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        curvature = (rows.T * (likely * (1 - likely) + 1e-6)) @ rows + 1e-3 * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, rows.T @ (likely - labels) + 1e-3 * weights)
    return weights


def calibration_error(likely: np.ndarray, labels: np.ndarray) -> float:
    """Mean distance of confidence and accuracy over ten bins of equal width."""
    bins = np.minimum((likely * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(likely[bins == each].mean() - labels[bins == each].mean()) * (bins == each).mean()
            for each in np.unique(bins)
        )
    )


def softmax(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities of rows of logits."""
    scaled = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    return scaled / scaled.sum(axis=1, keepdims=True)


def temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The one with the least negative log-likelihood."""
    at = np.arange(len(labels))
    return float(
        min(TEMPERATURES, key=lambda t: -np.log(softmax(logits, t)[at, labels] + 1e-9).mean())
    )


def draw(kind: Callable[[], Pair | None], count: int) -> list[Pair]:
    """So many pairs of a kind."""
    found: list[Pair] = []
    while len(found) < count:
        pair = kind()
        if pair is not None:
            found.append(pair)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=1500, help="of each kind")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    reader = Reader()
    reader.take(weights_of(options.weights))
    quantise(reader)
    reader.eval()
    # Passages whole, as far as they fit: at run time nothing is cut around the answer.
    examples = Examples(options.data, reader.tokenizer, 11, whole=1.0)
    examples.keep_apart()

    pairs = draw(examples.reading, options.pairs)
    outputs = heads(reader, [pair.ids for pair in pairs])
    best = [scored(pair, spans) for pair, (spans, _) in zip(pairs, outputs, strict=True)]
    signals = np.array([(score, out[1]) for (score, _), out in zip(best, outputs, strict=True)])
    hits = np.array([float(hit) for _, hit in best])
    half = np.arange(len(pairs)) % 2
    likely = np.zeros(len(pairs))
    for each in (0, 1):
        weights = logistic(signals[half != each], hits[half != each])
        likely[half == each] = 1 / (
            1 + np.exp(-(signals[half == each] @ weights[:-1] + weights[-1]))
        )
    print(
        f"answers: AUC {area(likely[hits == 1], likely[hits == 0]):.3f}, "
        f"calibration error {calibration_error(likely, hits):.3f}, right {hits.mean():.3f}"
    )
    weights = logistic(signals, hits)
    if weights[1] < 0:
        # Both say nearly the same: relevance that speaks against an answer would blow up the score's weight.
        score, bias = logistic(signals[:, :1], hits)
        weights = np.array([score, 0.0, bias])

    claims = draw(examples.support, options.pairs)
    logits = judged(reader, [pair.ids for pair in claims])
    labels = np.array([pair.support for pair in claims])
    half, carried = np.arange(len(claims)) % 2, np.zeros(len(claims))
    for each in (0, 1):
        carried[half == each] = softmax(
            logits[half == each], temperature(logits[half != each], labels[half != each])
        )[:, 0]
    supported = (labels == 0).astype(float)
    print(
        f"support: AUC {area(carried[labels == 0], carried[labels != 0]):.3f}, "
        f"calibration error {calibration_error(carried, supported):.3f}, "
        f"right of three {(logits.argmax(axis=1) == labels).mean():.3f}"
    )
    fitted = {
        "answer": {"weights": [round(float(w), 4) for w in weights[:2]], "bias": round(float(weights[2]), 4)},
        "support": {"temperature": round(temperature(logits, labels), 3)},
    }  # fmt: skip
    options.out.write_text(json.dumps(fitted))
    print(fitted)


if __name__ == "__main__":
    main()
