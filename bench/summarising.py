"""What summaries of documents cost, and how much of their document they say.

`said` is the cosine between the mean of the vectors of a summary's five sentences and that of all
sentences that were considered, the mean over documents; `said_by_first` the same for the first five
sentences, `said_by_any` for five drawn by chance. `alike` is the mean cosine between two sentences
of a summary, `alike_first` and `alike_any` likewise: lower says more different things.
"""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import footnote
from footnote.engine import WorkspaceEngine
from footnote.engine.summarising import summarising_of
from footnote.jobs.inline import work_until_resting
from footnote.jobs.summaries import summarise_slice
from footnote.knowledge.summaries import candidates_of
from footnote.knowledge.texts import DocumentText, blocks_of
from footnote.ports import Vectors
from footnote.settings import settings_from
from footnote.store.documents import published_text
from footnote.store.passages import passages_in_order
from installation import MODELS, share_models

SENTENCES = 5


def said(some: Vectors, whole: Vectors) -> float:
    """How much of the whole some of the sentences say."""
    one, other = some.mean(axis=0), whole.mean(axis=0)
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def alike(some: Vectors) -> float:
    """How alike two of the sentences are."""
    similar = some @ some.T
    return float(similar[~np.eye(len(some), dtype=bool)].mean())


async def over_summaries(folder: Path) -> dict[str, object]:
    """What summarising the files of a folder costs, and what comes of it."""
    with tempfile.TemporaryDirectory(prefix="footnote-summaries-") as home:
        share_models(MODELS, Path(home))
        async with footnote.open(settings_from(None, {"home": home})) as engine:
            workspace = await engine.workspace()
            ids = []
            for path in sorted(each for each in folder.rglob("*") if each.is_file()):
                received = await workspace.receive_file(path)
                ids.append(received.document.document_id)
            began = perf_counter()
            rested = await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
            ingested = perf_counter() - began
            pages = sum(max(1, each.page_count or 1) for each in rested.values())
            await workspace.change_setting("summaries", "rules")
            memory, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, perf_counter()
            while (at := await workspace.summary_progress()).done + at.failed < at.documents:
                await summarise_slice(workspace.engine, workspace.workspace_id)
            seconds = perf_counter() - began
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
            figures = await _compared(workspace)
    return {
        "documents": at.documents,
        "failed": at.failed,
        "pages": pages,
        "ingestion_seconds": round(ingested, 1),
        "seconds": round(seconds, 1),
        "seconds_per_1000_pages": round(seconds / pages * 1000, 1),
        "memory_mb": round(grown / 1024),
        **figures,
    }


async def _compared(workspace: WorkspaceEngine) -> dict[str, float]:
    """The figures of documents with more sentences than a summary has."""
    embedder = (await summarising_of(workspace)).embedder
    chance = np.random.default_rng(0)
    rows = []
    for document in (await workspace.documents(limit=500)).documents:
        async with workspace.system_scope() as scope:
            text = await published_text(scope, document.document_id, 20_000_000)
            passages = await passages_in_order(scope, document.document_id, 1_000_000)
        assert text is not None
        whole = DocumentText(
            text=text.text, title=document.title, language=None, blocks=blocks_of(passages)
        )
        found = candidates_of(whole)
        summary = await workspace.summary(document_id=document.document_id, sentences=SENTENCES)
        if len(found) < 2 * SENTENCES or len(summary.sentences) < SENTENCES:
            continue
        vectors = await embedder.embed_documents(
            [text.text[each.start : each.end] for each in found]
        )
        chosen = await embedder.embed_documents([each.text for each in summary.sentences])
        drawn = vectors[chance.permutation(len(found))[:SENTENCES]]
        several = (chosen, vectors[:SENTENCES], drawn)
        rows.append([said(each, vectors) for each in several] + [alike(each) for each in several])
    means = np.mean(rows, axis=0).round(3).tolist()
    names = ("said", "said_by_first", "said_by_any", "alike", "alike_first", "alike_any")
    return {"compared": len(rows), **dict(zip(names, means, strict=True))}
