"""Score weights on documents that training never saw: spans, answerability, relevance and support.

    python training/evaluate.py --data ../shared/data --weights reader.pt [--questions 150] [--quantised]

XQuAD (four languages, all questions): token F1 and exact match given the paragraph, in the normal form of SQuAD and, for F1,
also in that of MLQA, which leaves out the language's own articles; and the AUC of "does this paragraph answer" against
another paragraph of the same article. WiCE claims (development half): AUC and balanced accuracy of "supported" against the
rest. Altered sentences of paragraphs kept apart: balanced accuracy of "supported" against altered numbers, names, denials.
Made-up office papers with nouns and wordings kept apart, and written papers kept apart: AUC, span F1, the passage that answers first among eight, and statements; of statements that were
written one by one also contradicted against neither.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from encoder import Reader, weights_of
from export import MATRICES, quantised
from office_texts import Office
from paper_texts import Papers
from torch import Tensor
from written_papers import WrittenPapers

from examples import CONTRADICTED, NEITHER, SUPPORTED, Examples

LANGUAGES = ("en", "de", "es", "zh")
LONGEST_SPAN = 30  # tokens
ENGLISH_ARTICLES = "a|an|the"
# Left out of answers in these languages by the evaluation of MLQA (Lewis et al., ACL 2020).
ARTICLES = {
    "de": "ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des",
    "es": "un|una|unos|unas|el|la|los|las",
}


def in_batches(pairs: list[list[int]]) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """The numbers, token ids and attention of pairs of like length."""
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i]))
    for at in range(0, len(order), 16):
        batch = order[at : at + 16]
        width = max(len(pairs[i]) for i in batch)
        ids = torch.ones(len(batch), width, dtype=torch.long)
        attention = torch.zeros_like(ids)
        for row, i in enumerate(batch):
            ids[row, : len(pairs[i])] = torch.tensor(pairs[i])
            attention[row, : len(pairs[i])] = 1
        yield batch, ids, attention


def heads(reader: Reader, pairs: list[list[int]]) -> list[tuple[np.ndarray, float]]:
    """Of the token ids of each pair that is read: span logits (tokens, 2) and the relevance logit."""
    found: dict[int, tuple[np.ndarray, float]] = {}
    for batch, ids, attention in in_batches(pairs):
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            spans, relevance = (out.float().numpy() for out in reader.read(ids, attention))
        for row, i in enumerate(batch):
            found[i] = spans[row, : len(pairs[i])], float(relevance[row])
    return [found[i] for i in range(len(pairs))]


def judged(reader: Reader, pairs: list[list[int]]) -> np.ndarray:
    """Of the token ids of each pair that is judged: support logits (3)."""
    found = np.zeros((len(pairs), 3), np.float32)
    for batch, ids, attention in in_batches(pairs):
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            found[batch] = reader.judge(ids, attention).float().numpy()
    return found


def best_span(logits: np.ndarray) -> tuple[tuple[int, int], float]:
    """First and last token of the span with the largest sum of logits, and that sum."""
    score = logits[:, 0][:, None] + logits[:, 1][None, :]
    allowed = np.triu(np.ones(score.shape, bool))
    score = np.where(allowed & ~np.triu(allowed, LONGEST_SPAN), score, -1e9)
    first, last = divmod(int(score.argmax()), len(logits))
    return (first, last), float(score.max())


def encoded(
    reader: Reader, prefix: str, pairs: list[tuple[str, str]], length: int = 384
) -> list[tuple[list[int], int, list[tuple[int, int]]]]:
    """Of each pair of texts: token ids, the number of the second text's first, and where its tokens stand."""
    found = []
    for first, second in pairs:
        ids = [0, *reader.tokenizer.encode(prefix + first).ids[:72], 2, 2]
        body = reader.tokenizer.encode(second)
        room = length - len(ids) - 1
        found.append(([*ids, *body.ids[:room], 2], len(ids), body.offsets[:room]))
    return found


def read(reader: Reader, pairs: list[tuple[str, str]]) -> list[tuple[str, float, float]]:
    """Of each question and passage: the best span's text, its score against "none", the relevance logit."""
    inputs = encoded(reader, "query: ", pairs)
    outputs = heads(reader, [ids for ids, *_ in inputs])
    found = []
    for (_, text), (_, first_token, offsets), (spans, relevance) in zip(
        pairs, inputs, outputs, strict=True
    ):
        n = len(offsets)
        (a, b), score = best_span(spans[first_token : first_token + n])
        answer = text[offsets[a][0] : offsets[b][1]].strip()
        found.append((answer, score - float(spans[0].sum()), relevance))
    return found


def words(text: str, by_character: bool, language: str = "en") -> list[str]:
    """SQuAD's normal form: words without articles and marks, or characters."""
    if by_character:
        return list(re.sub(r"[\W_]", "", text))
    kept = re.sub(r"[^\w\s]", "", text.lower())
    return re.sub(rf"\b({ARTICLES.get(language, ENGLISH_ARTICLES)})\b", " ", kept).split()


def overlap(a: str, b: str, by_character: bool, language: str = "en") -> float:
    """Token F1 of two answers."""
    left, right = words(a, by_character, language), words(b, by_character, language)
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right)) if common else 0.0


def area(positive: np.ndarray, negative: np.ndarray) -> float:
    """AUC: how often a positive scores above a negative."""
    difference = positive[:, None] - negative[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def balanced(positive: np.ndarray, negative: np.ndarray) -> float:
    """Balanced accuracy at the best threshold of the other half, twice crossed."""
    total = []
    for half in (0, 1):
        p, n, test_p, test_n = (
            positive[half::2],
            negative[half::2],
            positive[1 - half :: 2],
            negative[1 - half :: 2],
        )
        cuts = np.unique(np.concatenate([p, n]))
        best = max(cuts, key=lambda c: (p >= c).mean() + (n < c).mean())
        total.append(((test_p >= best).mean() + (test_n < best).mean()) / 2)
    return float(np.mean(total))


def xquad_set(folder: Path) -> tuple[dict[str, dict], dict[str, str], list[dict]]:
    """Paragraphs by id, for each question the id of its paragraph, and the questions."""
    corpus = {row["_id"]: row for row in map(json.loads, (folder / "corpus.jsonl").open())}
    lines = (folder / "qrels.tsv").read_text().splitlines()[1:]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    return corpus, dict(line.split("\t")[:2] for line in lines), queries


def xquad(folder: Path, reader: Reader, language: str) -> dict[str, float]:
    """Span and answerability figures on one language, over all its questions."""
    corpus, right, chosen = xquad_set(folder / f"xquad-{language}")
    draw = random.Random(1)
    pairs, siblings = [], []
    for query in chosen:
        own = right[query["_id"]]
        others = [i for i in corpus if i.split("-")[0] == own.split("-")[0] and i != own]
        pairs.append((query["text"], corpus[own]["text"]))
        siblings.append((query["text"], corpus[draw.choice(others)]["text"]))
    found, missed = read(reader, pairs), read(reader, siblings)
    golds = [[a["text"] for a in q["answers"]] for q in chosen]
    f1, bare = (
        [
            max(overlap(f[0], g, language == "zh", articles) for g in gold)
            for f, gold in zip(found, golds, strict=True)
        ]
        for articles in ("en", language)
    )
    exact = [
        max(words(f[0], language == "zh") == words(g, language == "zh") for g in gold)
        for f, gold in zip(found, golds, strict=True)
    ]
    column = lambda rows, i: np.array([row[i] for row in rows])
    return {
        "f1": float(np.mean(f1)), "f1_mlqa": float(np.mean(bare)), "exact": float(np.mean(exact)),
        "auc_span": area(column(found, 1), column(missed, 1)),
        "auc_relevance": area(column(found, 2), column(missed, 2)),
        "auc_both": area(column(found, 1) + 2 * column(found, 2), column(missed, 1) + 2 * column(missed, 2)),
    }  # fmt: skip


def supported(reader: Reader, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Log odds that the quote supports the statement."""
    return supported_odds(judged(reader, [ids for ids, *_ in encoded(reader, "claim: ", pairs)]))


def supported_odds(logits: np.ndarray) -> np.ndarray:
    """Of rows of support logits the log odds of "supported" against the rest."""
    return logits[:, SUPPORTED] - np.logaddexp(logits[:, CONTRADICTED], logits[:, 2])


def claims(folder: Path, reader: Reader) -> dict[str, float]:
    """WiCE: supported against the rest, given the proving sentences (or what shares most words with the claim)."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    pairs, labels = [], []
    for row in map(json.loads, (folder / "claims" / "wice-claim-dev.jsonl").open()):
        shown = row["supporting_sentences"][0] if row["supporting_sentences"] else []
        if not shown:
            asked = set(row["claim"].lower().split())
            shown = sorted(
                range(len(row["evidence"])),
                key=lambda i: -len(asked & set(row["evidence"][i].lower().split())),
            )[:3]
        pairs.append((row["claim"], " ".join(row["evidence"][i] for i in sorted(shown))))
        labels.append(row["label"] == "supported")
    for label, score in zip(labels, supported(reader, pairs), strict=True):
        scores[label].append(float(score))
    positive, negative = np.array(scores[True]), np.array(scores[False])
    return {
        "auc": area(positive, negative),
        "balanced": balanced(positive, negative),
        "n": len(pairs),
    }


def altered(examples: Examples, reader: Reader, count: int = 400) -> dict[str, float]:
    """Sentences as they stand against altered ones, of paragraphs kept apart."""
    positive, negative = [], []
    while len(positive) + len(negative) < count:
        pair = examples.altered_sentence()
        if pair is not None and pair.support in (SUPPORTED, CONTRADICTED):
            (positive if pair.support == SUPPORTED else negative).append(pair.ids)
    p, n = (supported_odds(judged(reader, rows)) for rows in (positive, negative))
    return {"auc": area(p, n), "balanced": balanced(p, n)}


def office(reader: Reader, count: int, papers: Office | Papers | WrittenPapers) -> dict[str, float]:
    """Made-up office papers: the choice among eight passages, the span in the one that answers, statements."""
    first, f1, positive, negative = [], [], [], []
    for _ in range(count):
        shown = papers.choice()
        pairs = [
            [0, *reader.tokenizer.encode("query: " + each.question).ids[:72], 2, 2]
            + (reader.tokenizer.encode(each.heading).ids[:32] if each.heading else [])
            for each in shown
        ]
        bodies = [reader.tokenizer.encode(each.text) for each in shown]
        outputs = heads(
            reader, [[*p, *b.ids[: 383 - len(p)], 2] for p, b in zip(pairs, bodies, strict=True)]
        )
        scores = []
        for number, (spans, relevance) in enumerate(outputs):
            offsets = bodies[number].offsets[: 383 - len(pairs[number])]
            begin = len(pairs[number])
            (a, b), best = best_span(spans[begin : begin + len(offsets)])
            scores.append(best - float(spans[0].sum()) + 2 * relevance)
            if number == 0:
                answer = shown[0].answer
                assert answer, "the first passage answers"
                said = shown[0].text[offsets[a][0] : offsets[b][1]]
                f1.append(overlap(said, answer["text"], not re.search("[a-z]", answer["text"])))
        first.append(scores[0] > max(scores[1:]))
        positive.append(scores[0])
        negative += scores[1:]
    claims = [papers.claim() for _ in range(2 * count)]
    odds = supported(reader, [(said, quote) for said, quote, _ in claims])
    right = np.array([label == SUPPORTED for *_, label in claims])
    return {
        "auc": area(np.array(positive), np.array(negative)), "f1": float(np.mean(f1)), "first": float(np.mean(first)),
        "claims_auc": area(odds[right], odds[~right]), "claims_balanced": balanced(odds[right], odds[~right]),
    }  # fmt: skip


def statements(reader: Reader, count: int) -> dict[str, float]:
    """Statements about written papers that are kept apart: supported against the rest, and contradicted against neither."""
    papers = WrittenPapers(random.Random(3), apart=True)
    drawn = [papers.statement() for _ in range(count)]
    pairs = encoded(reader, "claim: ", [(said, quote) for said, quote, _ in drawn])
    rows = judged(reader, [ids for ids, *_ in pairs])
    odds, against = supported_odds(rows), rows[:, CONTRADICTED] - rows[:, NEITHER]
    labels = np.array([label for *_, label in drawn])
    right, wrong = labels == SUPPORTED, labels == CONTRADICTED
    return {
        "auc": area(odds[right], odds[~right]), "balanced": balanced(odds[right], odds[~right]),
        "contradicted_auc": area(against[wrong], against[labels == NEITHER]),
    }  # fmt: skip


def quantise(reader: Reader) -> None:
    """Give the layers the weights that they ship with."""
    with torch.no_grad():
        for layer in (*reader.layers, *reader.judging):
            for name in MATRICES:
                weight = getattr(layer, name).weight
                whole, scale = quantised(weight.numpy())
                weight.copy_(torch.from_numpy(whole * scale[:, None]))


def ranked(folder: Path, reader: Reader, language: str, count: int) -> dict[str, float]:
    """nDCG@10 of the paragraph that answers among its article's others and five of another one."""
    corpus, right, queries = xquad_set(folder / f"xquad-{language}")
    draw = random.Random(2)
    gains = []
    for query in draw.sample(queries, min(count, len(queries))):
        own = right[query["_id"]]
        article = [i for i in corpus if i.split("-")[0] == own.split("-")[0] and i != own]
        shown = [own, *article, *draw.sample([i for i in corpus if i not in (own, *article)], 5)]
        scores = [
            row[2] for row in read(reader, [(query["text"], corpus[i]["text"]) for i in shown])
        ]
        rank = sum(score > scores[0] for score in scores[1:])
        gains.append(1 / np.log2(rank + 2) if rank < 10 else 0.0)
    return {"ndcg": float(np.mean(gains)), "first": float(np.mean([g == 1 for g in gains]))}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument(
        "--quantised", action="store_true", help="with the weights in 7 bits, as they ship"
    )
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    reader = Reader()
    print("untrained heads:", reader.take(weights_of(options.weights)))
    if options.quantised:
        quantise(reader)
    reader.eval()
    for language in LANGUAGES:
        figures = xquad(options.data, reader, language)
        print(language, {k: round(v, 3) for k, v in figures.items()}, flush=True)
    print("claims", {k: round(v, 3) for k, v in claims(options.data, reader).items()}, flush=True)
    for language in LANGUAGES:
        found = ranked(options.data, reader, language, options.questions // 4)
        print("relevance", language, {k: round(v, 3) for k, v in found.items()}, flush=True)
    for name, source in (("office", Office), ("papers", Papers), ("written", WrittenPapers)):
        found = office(reader, options.questions, source(random.Random(3), apart=True))
        print(name, {k: round(v, 3) for k, v in found.items()}, flush=True)
    print(
        "statements",
        {k: round(v, 3) for k, v in statements(reader, 10 * options.questions).items()},
        flush=True,
    )
    for language in ("en", "es", "fr", "zh", "no", "ja"):
        examples = Examples(options.data, reader.tokenizer, 1)
        examples.keep_apart()
        examples.speak(language)
        found = altered(examples, reader, 2 * options.questions)
        print("altered", language, {k: round(v, 3) for k, v in found.items()}, flush=True)


if __name__ == "__main__":
    main()
