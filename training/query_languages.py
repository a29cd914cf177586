"""Takes the mean of the questions of each language, which is taken out of the vectors of questions.

    python training/query_languages.py --data ../shared/data/reading --models FOLDER

Vectors of a language share a direction, so that a question is nearer to anything in its own language than to what
answers it in another. The mean is that of the vectors that the lane `multilingual` makes of questions of the reading sets, and of the written
papers in languages that those lack. Writes `src/footnote/models/query_languages.safetensors`; `query_languages.md` is the card, and
`bench/across.py` what it is judged by.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from written_papers import read_papers

from footnote.models.aligned import ALIGNMENT_FILE, LANGUAGES_FILE, read_alignment
from footnote.models.e5 import load_e5
from footnote.models.minilm import load_minilm
from footnote.settings import Settings

QUESTIONS = 80
"""Of each language, or as many as there are."""
FEWEST = 20
SEED = 7
SOURCES = {
    "en": ("squad-train-parts", "covidqa", "nq-open-oracle"),
    "es": ("squad-es-dev",),
    "it": ("squad-it-test",),
    "sv": ("squad2-sv-dev",),
    "fr": ("piaf",),
    "pt": ("squad1-pt-sample", "faquad"),
    "zh": ("cmrc2018-train",),
    "zh-Hant": ("drcd",),
    "ja": ("jsquad", "jaquad"),
    "fa": ("pquad",),
    "ar": ("arcd",),
    "th": ("iapp-thai",),
    "no": ("norquad",),
    "he": ("heq",),
    "tr": ("tquad2",),
    "vi": ("vi-mailong25",),
    "id": ("facqa",),
    "ko": ("tydiqa-goldp-train",),
    "sw": ("tydiqa-goldp-train",),
    "kk": ("kazqad-dev",),
    "am": ("amqa",),
    "uk": ("omosqa-uk",),
}  # fmt: skip
TARGET = Path(__file__).resolve().parents[1] / "src/footnote/models" / LANGUAGES_FILE


def languages_of(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Each language with questions in it."""
    draw = random.Random(SEED)
    for language, names in SOURCES.items():
        rows = []
        for name in names:
            with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    if row["questions"] and (len(names) > 1 or row["lang"] == language):
                        rows.append(row)
        rows = draw.sample(rows, min(QUESTIONS, len(rows)))
        yield language, [draw.choice(row["questions"])["question"] for row in rows]
    written: dict[str, list[str]] = {}
    for paper in read_papers():
        if not paper.kept_apart and paper.language not in SOURCES:
            written.setdefault(paper.language, []).extend(fact.asked[0][0] for fact in paper.facts)
    for language, questions in written.items():
        if len(questions) >= FEWEST:
            yield language, draw.sample(questions, min(QUESTIONS, len(questions)))


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    options = parser.parse_args()
    choices = (options.models, "int8", 2, 8192)
    minilm = await asyncio.to_thread(load_minilm, *choices)
    e5 = await asyncio.to_thread(load_e5, *choices)
    alignment = read_alignment(files("footnote.models").joinpath(ALIGNMENT_FILE).read_bytes())
    means = []
    for language, questions in languages_of(options.data):
        asked = []
        for question in questions:
            vector = await e5.embed_query(question)
            native = alignment.is_english(vector)
            asked.append(await minilm.embed_query(question) if native else alignment.query(vector))
        means.append(np.mean(asked, axis=0))
        print(language, len(questions), flush=True)
    minilm.close()
    e5.close()
    save_file({"centres": np.stack(means).astype(np.float32)}, TARGET)
    print(TARGET, hashlib.sha256(TARGET.read_bytes()).hexdigest())


if __name__ == "__main__":
    asyncio.run(main())
