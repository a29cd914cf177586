"""How good the evidence is: nDCG, recall and MRR at 10, whole documents as chunks.

    python bench/quality.py                              every set in ../shared/data
    python bench/quality.py xquad-de xquad-es --json
    python bench/quality.py xquad-en xquad-de xquad-zh --across

Documents go into a real index in Postgres and are found by the engine's own search, each set in
a workspace of its own. `lexical`, `dense` and `fused` (Reciprocal Rank Fusion) show the parts,
`default` whatever the settings choose; `--also` adds other fusions and plans for comparison. A set
is a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; a two-letter suffix of its name is
its language.

By default a document is its title, a line break and its text; a title in another language than the
text (XQuAD's are all English) is left out, since it belongs to no translation. What exceeds the
model's window is cut, as the engine's lane does. `--titles` and `--long mean` change that; `mean`
is a rule of this benchmark that the engine does not have.

`--across` also asks the questions of each language of the documents in every other one: sets with
one name but for the language have the same questions and documents, as XQuAD's do.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from pathlib import Path
from time import perf_counter
from typing import Literal

import ir_measures
import numpy as np
from rich.progress import Progress

from footnote.domain import BlockKind, PlanChanges, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.ingestion.chunking import ChunkPolicy, chunk_blocks
from footnote.ingestion.enrichment import EnrichmentParts, enrich
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from footnote.ports import Embedder, Tokenizer, Vectors
from installation import MODELS, Ready, put, temporary_engine
from reporting import finish, machine, progress, show
from retrieval_sets import JudgedDocument, RetrievalSet, names_in, read_set

AT = 10
MARKS = 2  # [CLS] and [SEP] take their place in the window.
UNEVEN = 14  # Parts of equal length in characters differ a little in tokens.
MEASURES = {
    "ndcg@10": ir_measures.nDCG @ AT,
    "recall@10": ir_measures.R @ AT,
    "mrr@10": ir_measures.RR @ AT,
}
_ALONE = PlanChanges(spelling=False, cache=False)
MODES: Mapping[str, tuple[str | None, PlanChanges]] = {
    "lexical": ("fast", replace(_ALONE, fusion="lexical_only")),
    "dense": ("fast", replace(_ALONE, fusion="dense_only")),
    "fused": ("fast", replace(_ALONE, fusion="rrf")),
    "blend": ("fast", replace(_ALONE, fusion="weighted_blend")),
    "fast": ("fast", PlanChanges(cache=False)),
    "default": (None, PlanChanges(cache=False)),
}
"""By name, the plan and what is changed of it."""
ALWAYS = ("lexical", "dense", "fused", "default")
DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DOCUMENTS_A_PUBLICATION = 200
"""One transaction each; what is found does not depend on it."""

WHOLE = 100_000
"""Tokens no document of a set has."""

Long = Literal["cut", "mean"]
Context = Literal["none", "ingestion"]
Figures = dict[str, float]
Run = dict[str, list[str]]
"""For each query, the documents found, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How documents are indexed."""

    long: Long
    context: Context
    across: bool
    """Whether questions of one language are asked of the documents in another as well."""


async def fill(
    engine: Engine,
    workspace: WorkspaceEngine,
    judged: RetrievalSet,
    options: Options,
    bars: Progress,
) -> dict[tuple[str, int], str]:
    """Index every document as one chunk; gives each document's name in the set."""
    names: dict[tuple[str, int], str] = {}
    bar = bars.add_task(f"{judged.name}: index", total=len(judged.documents))
    for batch in _batches(judged.documents):
        texts = [document.whole for document in batch]
        embedded = texts
        if options.context == "ingestion":
            embedded = [in_context(document, engine.embedder) for document in batch]
        published = await put(
            engine,
            workspace.workspace,
            Ready(
                title=judged.name,
                language=judged.language,
                texts=texts,
                terms=[engine.analyzer.terms(text, judged.language) for text in texts],
                vectors=await vectors_of(engine.embedder, embedded, options.long),
            ),
        )
        names |= {
            (str(published), ordinal): document.identity for ordinal, document in enumerate(batch)
        }
        bars.advance(bar, len(batch))
    return names


def in_context(document: JudgedDocument, tokenizer: Tokenizer) -> str:
    """What ingestion would embed of the document as one chunk: title, keywords and text."""
    draft = Draft(kind=BlockKind.PARAGRAPH, text=document.text)
    parsed = assemble(Reading(drafts=(draft,), title=document.title or None), "", "text/plain")
    chunks = chunk_blocks(parsed, tokenizer, ChunkPolicy(target_tokens=WHOLE))
    if len(chunks) != 1:
        return document.whole
    parts = EnrichmentParts(title=bool(document.title))
    return enrich(parsed, chunks, "", parts=parts)[1][0].embedded_text


async def vectors_of(embedder: Embedder, texts: Sequence[str], long: Long) -> Vectors:
    """Vectors of whole documents: as the lane gives them, or means over parts that fit its window.

    A mean is taken by tokens over as many parts of about equal length as a document needs.
    """
    if long == "cut":
        return await embedder.embed_documents(texts)
    room = embedder.max_tokens - MARKS - UNEVEN
    counts = embedder.count_tokens(texts)
    parts = [
        _parts(text, math.ceil(count / room)) for text, count in zip(texts, counts, strict=True)
    ]
    flat = [part for pieces in parts for part in pieces]
    weights = np.array(embedder.count_tokens(flat), dtype=np.float32)
    vectors = await embedder.embed_documents(flat) * np.maximum(weights, 1)[:, None]
    starts = np.cumsum([0, *(len(pieces) for pieces in parts[:-1])])
    sums = np.add.reduceat(vectors, starts, axis=0)
    unit: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return unit


def _parts(text: str, count: int) -> list[str]:
    """The text in at most `count` parts of about equal length, cut at spaces where it has any."""
    cuts = [0]
    for number in range(1, count):
        middle = len(text) * number // count
        space = text.rfind(" ", cuts[-1] + 1, middle + 1)
        cuts.append(space if space > cuts[-1] else middle)
    pieces = [text[start:end].strip() for start, end in pairwise([*cuts, len(text)])]
    return [piece for piece in pieces if piece] or [text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """A set that lies in a workspace of its own."""

    judged: RetrievalSet
    workspace: WorkspaceEngine
    names: Mapping[tuple[str, int], str]
    """Each document's name in the set."""


async def ask(
    indexed: Indexed, queries: Mapping[str, str], modes: Sequence[str], bars: Progress
) -> dict[str, Run]:
    """What each mode finds, through the stages of the engine."""
    workspace, names = indexed.workspace, indexed.names
    runs: dict[str, Run] = {mode: {} for mode in modes}
    bar = bars.add_task(f"{indexed.judged.name}: ask", total=len(queries))
    for query_id, text in queries.items():
        for mode in modes:
            plan, changes = MODES[mode]
            request = SearchRequest(query=text, top_k=AT, plan=plan, changes=changes)
            response = await workspace.search(request)
            away = [each for each in response.degraded if not each.startswith("phrases:")]
            assert not away, away
            runs[mode][query_id] = [
                names[str(found.passage.document_id), found.passage.ordinal]
                for found in response.evidence
            ]
        bars.advance(bar)
    return runs


def judge(run: Run, judgements: Mapping[str, Mapping[str, int]]) -> Figures:
    """The measures of a run; places count, not scores, so that equal scores keep our order."""
    places = {
        query: {name: -float(place) for place, name in enumerate(found)}
        for query, found in run.items()
    }
    values = ir_measures.calc_aggregate(list(MEASURES.values()), judgements, places)
    return {name: round(float(values[measure]), 4) for name, measure in MEASURES.items()}


def pairs(sets: Sequence[Indexed]) -> Iterator[tuple[Indexed, Indexed]]:
    """Which set's questions may be asked of which other set's documents."""
    for asked, searched in permutations(sets, 2):
        one, other = asked.judged, searched.judged
        if one.judgements == other.judgements and one.language != other.language:
            yield asked, searched


async def ask_across(
    sets: Sequence[Indexed], modes: Sequence[str], bars: Progress
) -> dict[str, dict[str, Figures]]:
    """The measures of each mode, by the languages of questions and documents."""
    found = {}
    for asked, searched in pairs(sets):
        runs = await ask(searched, asked.judged.queries, modes, bars)
        found[f"{asked.judged.language} > {searched.judged.language}"] = {
            mode: judge(run, searched.judged.judgements) for mode, run in runs.items()
        }
    return found


async def measure(
    sets: Sequence[RetrievalSet],
    options: Options,
    modes: Sequence[str],
    models: Path,
    embedder: str | None,
) -> dict[str, object]:
    report: dict[str, object] = {"machine": machine()}
    results: dict[str, dict[str, Figures]] = {}
    seconds: dict[str, float] = {}
    filled: list[Indexed] = []
    chosen = {} if embedder is None else {"embedding_models": embedder}
    async with temporary_engine(models, **chosen) as engine:
        with progress() as bars:
            for judged in sets:
                started = perf_counter()
                await engine.create_workspace(judged.name)
                workspace = await engine.workspace(judged.name)
                names = await fill(engine, workspace, judged, options, bars)
                indexed = Indexed(judged=judged, workspace=workspace, names=names)
                filled.append(indexed)
                runs = await ask(indexed, judged.queries, modes, bars)
                results[judged.name] = {
                    mode: judge(run, judged.judgements) for mode, run in runs.items()
                }
                seconds[judged.name] = round(perf_counter() - started, 1)
            if options.across:
                report["across"] = await ask_across(filled, ("dense", "default"), bars)
        report["default_fusion"] = engine.settings.fusion
        report["lane"] = engine.lane.fingerprint
    return report | {"sets": results, "seconds": seconds}


def _batches(documents: Sequence[JudgedDocument]) -> Iterator[Sequence[JudgedDocument]]:
    for start in range(0, len(documents), DOCUMENTS_A_PUBLICATION):
        yield documents[start : start + DOCUMENTS_A_PUBLICATION]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help="default: all in the folder")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the sets")
    parser.add_argument(
        "--titles", choices=("always", "own-language", "never"), default="own-language"
    )
    parser.add_argument(
        "--also",
        nargs="*",
        choices=sorted(MODES.keys() - set(ALWAYS)),
        default=[],
        help="more modes",
    )
    parser.add_argument("--long", choices=("cut", "mean"), default="cut")
    parser.add_argument(
        "--context",
        choices=("none", "ingestion"),
        default="none",
        help="what is embedded before the text beside the title: nothing, or as ingestion does",
    )
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--embedder", metavar="NAME", help="default: the settings' own")
    parser.add_argument("--across", action="store_true", help="ask across languages as well")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    known = names_in(options.data)
    chosen = options.sets or known
    if not chosen or set(chosen) - set(known):
        sys.exit(f"No such retrieval set in {options.data}; there are: {', '.join(known) or '-'}.")
    sets = [read_set(options.data / name, options.titles) for name in chosen]
    report = asyncio.run(
        measure(
            sets,
            Options(long=options.long, context=options.context, across=options.across),
            (*ALWAYS, *options.also),
            options.models,
            options.embedder,
        )
    )
    report |= {"titles": options.titles, "long": options.long, "context": options.context}
    results = report["sets"]
    assert isinstance(results, dict)
    show(
        "Quality, whole documents as chunks",
        ("set", "mode", *MEASURES),
        [
            (name, mode, *(f"{figures[measure]:.3f}" for measure in MEASURES))
            for name, modes in results.items()
            for mode, figures in modes.items()
        ],
    )
    if options.across:
        across = report["across"]
        assert isinstance(across, dict)
        show(
            "Questions of one language, documents in another",
            ("languages", "mode", *MEASURES),
            [
                (pair, mode, *(f"{figures[measure]:.3f}" for measure in MEASURES))
                for pair, modes in across.items()
                for mode, figures in modes.items()
            ],
        )
    finish(report, options.json)


if __name__ == "__main__":
    main()
