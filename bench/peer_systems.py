"""The systems that `peers.py` compares: each is filled with the same corpus, then asked."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from uuid import UUID

import numpy as np

from footnote.domain import Lane, PlanChanges, SearchRequest, SearchResponse
from footnote.engine import Engine
from footnote.index.quantised import QuantisedVectors, int8_products
from footnote.jobs.maintenance import maintain
from footnote.ports import Embedder, Vector, Vectors
from footnote.retrieval.journal import Asker
from installation import Ready, put, settle

TOP = 10
CHUNKS_A_DOCUMENT = 1000
LANCE_INDEX_FROM = 10_000
"""Rows from which a vector index is built; below, LanceDB compares every vector, and well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What every system is given."""

    name: str
    language: str
    """ISO 639-1."""
    texts: Sequence[str]
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What every system is asked, already embedded."""

    text: str
    vector: Vector


Ask = Callable[[Question], Awaitable[list[int]]]
"""Gives the places of the ten best texts in the corpus, best first, having fetched the texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searchers:
    """The ways in which a filled system can be asked."""

    ways: Mapping[str, Ask]
    """`lexical`, `dense` and `hybrid`, as far as it has them, and others of its own."""
    setup: str
    """How it was set up, and why anything is missing."""

    @property
    def best(self) -> str:
        """Hybrid where there is such a thing, else the only recall."""
        return next(way for way in ("hybrid", "dense", "lexical") if way in self.ways)


Fill = Callable[[Corpus, Path], Awaitable[Searchers]]
"""Takes the corpus in, builds its indexes in the folder, and is ready to be asked."""


def systems(engine: Engine) -> tuple[dict[str, Fill], list[str]]:
    """Every installed system by name, and a sentence for each that is not."""
    fills: dict[str, Fill] = {"footnote": partial(fill_footnote, engine)}
    absent = []
    for name, fill in _PEERS.items():
        try:
            version(name)
        except PackageNotFoundError:
            absent.append(f"{name} is left out: it is not installed (make peers).")
        else:
            fills[name] = fill
    return fills, absent


@dataclass(slots=True)
class GivenVector:
    """Hands out the vector that comes with a question, in place of a model."""

    model: Embedder
    vector: Vector

    @property
    def lane(self) -> Lane:
        """The model's."""
        return self.model.lane

    @property
    def max_tokens(self) -> int:
        """The model's."""
        return self.model.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """As the model does."""
        return self.model.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the model does."""
        return await self.model.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:  # noqa: ARG002  # the vector is known
        """The vector of the question that is being asked."""
        return self.vector


async def fill_footnote(engine: Engine, corpus: Corpus, _folder: Path) -> Searchers:
    """The engine as it is installed, without the memory of earlier answers."""
    await engine.create_workspace(corpus.name)
    workspace = await engine.workspace(corpus.name)
    firsts: dict[UUID, int] = {}
    for first in range(0, len(corpus.texts), CHUNKS_A_DOCUMENT):
        texts = corpus.texts[first : first + CHUNKS_A_DOCUMENT]
        document = await put(
            engine,
            workspace.workspace,
            Ready(
                title=f"{corpus.name} {first}",
                language=corpus.language,
                texts=texts,
                terms=[engine.analyzer.terms(text, corpus.language) for text in texts],
                vectors=corpus.vectors[first : first + CHUNKS_A_DOCUMENT],
            ),
        )
        firsts[document] = first
    await maintain(engine, workspace.workspace.workspace_id)
    settle(engine)
    given = GivenVector(engine.embedder, corpus.vectors[0])
    stages = engine.search_stages
    stages = replace(stages, phrase=replace(stages.phrase, embedder=given))
    index = workspace.index_in(engine.lane)  # The engine's own wiring, around its model alone.
    asker = Asker(workspace_id=workspace.workspace.workspace_id, principal=workspace.principal)

    def asking(plan: str | None, changes: PlanChanges) -> Ask:
        async def ask(question: Question) -> list[int]:
            given.vector = question.vector
            request = SearchRequest(query=question.text, top_k=TOP, plan=plan, changes=changes)
            return places(await stages(request, index, asker), firsts)

        return ask

    return Searchers(
        ways={
            "lexical": asking("fast", PlanChanges(fusion="lexical_only", cache=False)),
            "dense": asking("fast", PlanChanges(fusion="dense_only", cache=False)),
            "hybrid": asking(None, PlanChanges(cache=False)),
            "fast": asking("fast", PlanChanges(cache=False)),
        },
        setup=f"row-level security, passages with provenance; hybrid is the default plan "
        f"({engine.settings.plan}), `fast` the plan without what no peer does",
    )


def places(response: SearchResponse, firsts: Mapping[UUID, int]) -> list[int]:
    """Where in the corpus the evidence stands."""
    assert not response.degraded, response.degraded
    return [firsts[each.passage.document_id] + each.passage.ordinal for each in response.evidence]


async def fill_lancedb(corpus: Corpus, folder: Path) -> Searchers:
    """Its full-text index, its default vector index and its default reranker."""
    # It warns of a column it adds by itself at every single search.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb  # noqa: PLC0415  # optional
    import pyarrow as pa  # noqa: PLC0415
    from lancedb.index import FTS, IvfPq  # noqa: PLC0415
    from lancedb.query import LanceHybridQueryBuilder  # noqa: PLC0415
    from lancedb.rerankers import RRFReranker  # noqa: PLC0415

    flat = pa.array(corpus.vectors.reshape(-1))
    table = lancedb.connect(folder / "lancedb").create_table(
        corpus.name,
        pa.table(
            {
                "place": pa.array(range(len(corpus.texts))),
                "text": pa.array(list(corpus.texts)),
                "vector": pa.FixedSizeListArray.from_arrays(flat, corpus.vectors.shape[1]),
            }
        ),
    )
    indexed = len(corpus.texts) >= LANCE_INDEX_FROM
    table.create_index("text", config=FTS())
    if indexed:
        table.create_index("vector", config=IvfPq(distance_type="cosine"))
    table.wait_for_index([index.name for index in table.list_indices()])
    table.optimize()
    shown = ["place", "text"]

    async def lexical(question: Question) -> list[int]:
        found = table.search(question.text, query_type="fts").limit(TOP).select(shown)
        return [int(place) for place in found.to_arrow()["place"].to_pylist()]

    async def dense(question: Question) -> list[int]:
        found = table.search(question.vector).distance_type("cosine").limit(TOP).select(shown)
        return [int(place) for place in found.to_arrow()["place"].to_pylist()]

    def both(question: Question) -> LanceHybridQueryBuilder:
        asked = table.search(query_type="hybrid").vector(question.vector).text(question.text)
        return asked.distance_type("cosine").rerank(RRFReranker()).limit(TOP).select(shown)

    async def hybrid(question: Question) -> list[int]:
        return [int(place) for place in both(question).to_arrow()["place"].to_pylist()]

    async def exact(question: Question) -> list[int]:
        found = both(question).bypass_vector_index()
        return [int(place) for place in found.to_arrow()["place"].to_pylist()]

    vectors = "IVF_PQ" if indexed else f"exact vectors below {LANCE_INDEX_FROM:,} rows"
    return Searchers(
        ways={"lexical": lexical, "dense": dense, "hybrid": hybrid, "exact": exact},
        setup=f"FTS, {vectors}, RRF reranker; `exact` is hybrid without the vector index, which "
        "its guide finds needless up to 100,000 rows",
    )


async def fill_chromadb(corpus: Corpus, folder: Path) -> Searchers:
    """A persistent client with the default HNSW."""
    import chromadb  # noqa: PLC0415  # optional

    client = chromadb.PersistentClient(
        str(folder / "chromadb"), chromadb.Settings(anonymized_telemetry=False)
    )
    collection = client.create_collection(
        f"bench-{corpus.name}",
        configuration={"hnsw": {"space": "cosine"}},
        embedding_function=None,
    )
    for batch in _batches(len(corpus.texts), client.get_max_batch_size()):
        collection.add(
            ids=[str(place) for place in batch],
            documents=[corpus.texts[place] for place in batch],
            embeddings=corpus.vectors[batch.start : batch.stop],
        )
    count = min(TOP, len(corpus.texts))

    async def dense(question: Question) -> list[int]:
        found = collection.query(
            query_embeddings=[question.vector], n_results=count, include=["documents", "distances"]
        )
        return [int(place) for place in found["ids"][0]]

    return Searchers(
        ways={"dense": dense},
        setup="HNSW; its full text filters without ranking, and hybrid search is not for local use",
    )


async def fill_bm25s(corpus: Corpus, _folder: Path) -> Searchers:
    """Lexical scores in memory, with stop words and stems as its guide has them."""
    import bm25s  # type: ignore[import-untyped]  # noqa: PLC0415  # no types; optional
    import Stemmer  # noqa: PLC0415  # optional

    stem = Stemmer.Stemmer("english")
    tokenize = partial(bm25s.tokenize, stopwords="en", stemmer=stem, show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(tokenize(list(corpus.texts)), show_progress=False)
    numbered = [{"place": place, "text": text} for place, text in enumerate(corpus.texts)]
    count = min(TOP, len(numbered))

    async def lexical(question: Question) -> list[int]:
        found, scores = retriever.retrieve(
            tokenize(question.text), corpus=numbered, k=count, show_progress=False
        )
        kept = zip(found[0], scores[0], strict=True)
        return [int(each["place"]) for each, score in kept if score > 0]

    return Searchers(ways={"lexical": lexical}, setup="in memory, no vectors")


async def fill_numpy(corpus: Corpus, _folder: Path) -> Searchers:
    """One matrix product over all vectors, the simplest thing that is exact."""
    matrix = np.ascontiguousarray(corpus.vectors)

    async def dense(question: Question) -> list[int]:
        found = nearest(matrix, question.vector)
        assert all(corpus.texts[place] is not None for place in found)
        return found

    return Searchers(ways={"dense": dense}, setup="in memory, exact, no words")


async def fill_int8(corpus: Corpus, _folder: Path) -> Searchers:
    """One look through all vectors in int8: the least that comparing every vector takes."""
    codes = QuantisedVectors.of(corpus.vectors).codes

    async def dense(question: Question) -> list[int]:
        asked = QuantisedVectors.of(question.vector[None]).codes[0]
        products = int8_products(codes, asked)
        count = min(TOP, products.size)
        best = np.argpartition(-products, count - 1)[:count]
        found = [int(place) for place in best[np.argsort(-products[best], kind="stable")]]
        assert all(corpus.texts[place] is not None for place in found)
        return found

    return Searchers(ways={"dense": dense}, setup="in memory, int8 without scales, no words")


def nearest(matrix: Vectors, vector: Vector) -> list[int]:
    """The places of the ten nearest rows, ties by place."""
    similarities = matrix @ vector
    count = min(TOP, similarities.size)
    best = np.argpartition(-similarities, count - 1)[:count]
    return [int(place) for place in best[np.lexsort((best, -similarities[best]))]]


def _batches(count: int, size: int) -> Iterator[range]:
    for first in range(0, count, size):
        yield range(first, min(first + size, count))


_PEERS: dict[str, Fill] = {
    "lancedb": fill_lancedb,
    "chromadb": fill_chromadb,
    "bm25s": fill_bm25s,
    "numpy": fill_numpy,
    "simsimd": fill_int8,
}
