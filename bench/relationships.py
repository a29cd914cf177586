"""How far names of one sentence are related, and whether the sentence says so: Re-DocRED.

    python bench/relationships.py --data ../shared/data

The entities are those of the corpus, so that only pairs are judged. Nothing is fitted on it. A pair
is right where annotators found any relation between the two; its evidence is right where the
sentence that is shown first is one of those that they named for such a relation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from footnote.domain.entities import EntityKind, ExtractedEntity
from footnote.knowledge.relationships import pairs_of
from named_texts import KINDS, joined
from reporting import finish, show

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)


def judged(each: Mapping[str, Any]) -> tuple[list[tuple[float, bool, bool]], int, int]:
    """Of a document its pairs (weight, related, evidence right), and how many are related.

    The last figure counts those of them that stand in one sentence somewhere.
    """
    starts = np.cumsum([0, *(len(sentence) for sentence in each["sents"])])
    text, places = joined([token for sentence in each["sents"] for token in sentence])
    ends = [places[int(end) - 1][1] for end in starts[1:]]
    entities, numbers = [], []
    sentences: list[set[int]] = []
    for number, entity in enumerate(each["vertexSet"]):
        named = [mention for mention in entity if mention["type"] in KINDS]
        if not named:
            continue
        spans = []
        for mention in named:
            first, last = (int(starts[mention["sent_id"]]) + at for at in mention["pos"])
            spans.append((places[first][0], places[last - 1][1]))
        numbers.append(number)
        sentences.append({mention["sent_id"] for mention in named})
        entities.append(
            ExtractedEntity(
                kind=EntityKind(KINDS[named[0]["type"]]),
                name=named[0]["name"],
                forms=(named[0]["name"],),
                normals=(named[0]["name"].lower(),),
                spans=tuple(sorted(set(spans))),
                confidence=1.0,
            )
        )
    at = {number: place for place, number in enumerate(numbers)}
    evidence: dict[tuple[int, int], set[int]] = {}
    for label in each["labels"]:
        if label["h"] in at and label["t"] in at and label["h"] != label["t"]:
            first, second = sorted((at[label["h"]], at[label["t"]]))
            evidence.setdefault((first, second), set()).update(label.get("evidence", ()))
    found = []
    for pair in pairs_of(text, entities):
        ends_at = pair.spans[0][1]
        shown = next(number for number, end in enumerate(ends) if ends_at <= end)
        named_for = evidence.get((pair.first, pair.second))
        found.append((pair.weight, named_for is not None, shown in (named_for or ())))
    together = sum(
        bool(sentences[one] & sentences[other])
        for one, other in combinations(range(len(entities)), 2)
        if (one, other) in evidence
    )
    return found, len(evidence), together


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    chosen = parser.parse_args()
    file = chosen.data / "facts" / "redocred-dev.json"
    pairs: list[tuple[float, bool, bool]] = []
    related = together = 0
    for each in json.loads(file.read_text()):
        found, all_related, in_one = judged(each)
        pairs += found
        related += all_related
        together += in_one
    report = []
    for weight in WEIGHTS:
        kept = [each for each in pairs if each[0] >= weight]
        right = [each for each in kept if each[1]]
        report.append(
            {
                "least_weight": weight,
                "pairs": len(kept),
                "related": len(right) / len(kept),
                "found": len(right) / related,
                "found_in_one_sentence": len(right) / together,
                "evidence": sum(each[2] for each in right) / len(right),
            }
        )
    show(
        f"{related} related pairs, {together} of them in one sentence",
        list(report[0]),
        [[f"{value:.3f}".removesuffix(".000") for value in each.values()] for each in report],
    )
    finish({"related_pairs": related, "in_one_sentence": together, "pairs": report}, chosen.json)


if __name__ == "__main__":
    main()
