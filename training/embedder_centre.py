"""Finds the mean vector of unrelated passages in many languages, the centre of e5.

    python training/embedder_centre.py --data ../shared/data/reading --models ~/models

Writes `src/footnote/models/e5_centre.json`. Every language counts the same. The passages are those
of the reading sets, whose sources and licences are listed beside them; only their mean is kept.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from footnote.domain import Lane
from footnote.models import e5
from footnote.models.bert_graph import build_graph
from footnote.models.e5_file import read_packaged
from footnote.models.model_store import built, open_session
from footnote.models.sentence_encoder import Loaded, Reading, SentenceEncoder
from footnote.models.tokenizing import UnigramPieces

SEED = 0
PASSAGES = 24
"""Of each language; where it has fewer, all of them."""
CHARACTERS = 600
TARGET = Path(__file__).resolve().parents[1] / "src/footnote/models" / e5.CENTRE_FILE


def passages(folder: Path) -> Mapping[str, Sequence[str]]:
    """Passages by language, chosen by chance from all files together."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        for language, text in _rows(path):
            found.setdefault(language, set()).add(text[:CHARACTERS])
    chance = random.Random(SEED)
    return {
        language: chance.sample(sorted(texts), min(PASSAGES, len(texts)))
        for language, texts in sorted(found.items())
    }


def uncentred(models: Path) -> SentenceEncoder:
    """The model as it is published, in fp32."""
    package = read_packaged()
    shared = e5.shared_files(models, lambda: package)
    graph = built(
        shared.folder / "uncentred.onnx",
        lambda: build_graph(package.weights(), package.shape, "fp32", e5.WORDS).SerializeToString(),
    )
    lane = Lane(
        name="document", provider="training", model=e5.MODEL, dimensions=e5.WIDTH, revision="1"
    )
    tokenizer = UnigramPieces(shared.tokenizer.read_bytes())
    reading = Reading(
        max_tokens=e5.MAX_TOKENS,
        document_prefix=e5.DOCUMENT_PREFIX,
        cased=True,
    )
    loaded = Loaded(session=open_session(graph), tokenizer=tokenizer)
    return SentenceEncoder(lane, lambda: loaded, reading, threads=1, batch_tokens=8192)


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["lang"].rpartition(">")[2], row["context"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--models", type=Path, required=True, help="folder of built models")
    options = parser.parse_args()
    model = uncentred(options.models)
    chosen = passages(options.data)
    means = [model.encode(texts).mean(axis=0) for texts in chosen.values()]
    model.close()
    centre = np.mean(means, axis=0)
    counts = {language: len(texts) for language, texts in chosen.items()}
    content = {
        "model": e5.MODEL,
        "passages": counts,
        "seed": SEED,
        "centre": [round(float(value), 6) for value in centre],
    }
    TARGET.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: length {np.linalg.norm(centre):.3f}, {len(counts)} languages")


if __name__ == "__main__":
    main()
