"""Turns question sets into what the answering wing sees of them: readings, vectors, the truth.

A set is a folder in the retrieval format (`corpus.jsonl`, `queries.jsonl` with `answers` and their
character offsets, `qrels.tsv`). Each question is asked four times of the eight best passages by
Reciprocal Rank Fusion of exact dense and BM25 scores:

- answerable: the gold paragraph is in the corpus;
- without the paragraph: the same question, the gold paragraph taken out;
- without the fact: the gold paragraph stays, the sentences that hold the answer are taken out;
- without the attribute: so are, from all paragraphs, the sentences that hold the rarest plain word
  of the question: the documents speak of the thing, but not of what is asked about it.
"""

from __future__ import annotations

import json
import math
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import numpy.typing as npt

from footnote.answering.coefficients import Trust
from footnote.answering.ground import by_words, says_something
from footnote.answering.pipeline import EMBEDDED_STATEMENTS
from footnote.answering.question import Question, read_question
from footnote.answering.reading import Reading, rarity, read
from footnote.answering.select import shortlist
from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind, BlockSpan, Evidence, Passage, SourceType
from footnote.language.sentences import sentence_spans
from footnote.ports import Analyzer, Embedder, Vector, Vectors

Floats = npt.NDArray[np.float64]

EVIDENCE = 8
STATEMENTS = 24
"""More than the pipeline embeds, to learn from more statements."""
PARAGRAPHS_OF_AN_ARTICLE = 5
"""XQuAD's; its corpus keeps the paragraphs of an article together."""
SHUFFLED = 0.5
"""Share of questions whose evidence comes in random order: here the gold paragraph is first for 19
of 20 questions, which would teach the model to believe the order more than the words."""
VARIANTS = ("answerable", "without the paragraph", "without the fact", "without the attribute")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question in one variant, ready to be weighed."""

    variant: str
    held_out: bool
    question: Question
    readings: list[Reading]
    kept: list[Reading]
    target: Vector
    vectors: Vectors
    gold: list[bool]
    """For each kept reading, whether it holds the answer."""
    embedded: list[bool]
    """For each kept reading, whether the pipeline would embed it."""
    trusts: list[Trust]
    """For each kept reading, how far its vector can be believed."""
    weight: float = 1.0
    """How much the question counts when numbers are fitted."""


class RememberingAnalyzer:
    """Analyzes each text once; the same sentences come back for hundreds of questions."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._terms: dict[tuple[str, str | None], list[str]] = {}

    def terms(self, text: str, language: str | None) -> list[str]:
        key = (text, language)
        if key not in self._terms:
            self._terms[key] = self._analyzer.terms(text, language)
        return self._terms[key]

    def word_terms(self, words: Sequence[str], language: str | None) -> Sequence[tuple[str, ...]]:
        return self._analyzer.word_terms(words, language)

    def query_terms(self, text: str, languages: Sequence[str]) -> list[str]:
        return self._analyzer.query_terms(text, languages)

    def language_of(self, text: str, languages: Sequence[str]) -> str | None:
        return self._analyzer.language_of(text, languages)


class RememberingEmbedder:
    """Embeds each text once, and keeps the vectors in a file for the next run."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self._known: dict[str, Vector] = {}
        if path.exists():
            self._known = pickle.loads(path.read_bytes())

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._embedder.lane.dimensions), dtype=np.float32)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self._embedder.embed_documents(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([await self._embedder.embed_query(text) for text in texts])

    def keep(self) -> None:
        self._path.write_bytes(pickle.dumps(self._known))


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def passage_of(identity: str, number: int, title: str, text: str, language: str) -> Passage:
    span = BlockSpan(
        char_start=0, char_end=len(text), page=None, paragraph=1, kind=BlockKind.PARAGRAPH
    )
    return Passage(
        chunk_id=identity,
        chunk_no=number,
        document_id=uuid5(NAMESPACE_URL, identity),
        version=1,
        ordinal=0,
        kind=BlockKind.PARAGRAPH,
        text=text,
        body_offset=0,
        char_start=0,
        char_end=len(text),
        spans=(span,),
        heading_path=(),
        page_start=None,
        page_end=None,
        paragraph_start=1,
        paragraph_end=1,
        document_title=title,
        filename="",
        collection="bench",
        source_type=SourceType.UPLOAD,
        language=language,
    )


def bm25(passages: Sequence[Passage], queries: Sequence[str], analyzer: Analyzer) -> Floats:
    """Scores of shape (queries, passages); Lucene's variant, k1 1.2, b 0.75."""
    counts = [Counter(analyzer.terms(each.text, each.language)) for each in passages]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    held = Counter(term for count in counts for term in count)
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(passages)))
    language = passages[0].language or ""
    for row, query in enumerate(queries):
        for term in analyzer.query_terms(query, [language]):
            if term in held:
                idf = math.log1p((len(passages) - held[term] + 0.5) / (held[term] + 0.5))
                found = np.array([count[term] for count in counts], dtype=np.float64)
                scores[row] += idf * found / (found + norm)
    return scores


def fused(dense: Floats, lexical: Floats) -> list[list[int]]:
    """Passages of each query, best first, by Reciprocal Rank Fusion with k = 60."""
    score = sum(
        1.0 / (61 + np.argsort(np.argsort(-side, axis=1, kind="stable"), axis=1))
        for side in (dense, lexical)
    )
    return [list(map(int, row)) for row in np.argsort(-score, axis=1, kind="stable")]


def without_sentences(passage: Passage, unwanted: Callable[[str], bool]) -> Passage:
    """The passage without some of its sentences."""
    text = passage.text
    kept = " ".join(text[a:b] for a, b in sentence_spans(text) if not unwanted(text[a:b]))
    return replace(
        passage_of(
            passage.chunk_id,
            passage.chunk_no,
            passage.document_title,
            kept,
            passage.language or "",
        ),
        document_id=passage.document_id,
    )


def rarest_attribute(
    question: Question, passages: Sequence[Passage], analyzer: Analyzer
) -> str | None:
    """The plain word of the question that stands in the fewest of these sentences, but in some."""
    language = passages[0].language
    found = Counter(
        term
        for passage in passages
        for start, end in sentence_spans(passage.text)
        for term in set(analyzer.terms(passage.text[start:end], language))
    )
    wanted = sorted(term for term in question.attributes(language) if found[term])
    return min(wanted, key=lambda term: found[term], default=None)


async def ask_all(
    folder: Path,
    embedder: RememberingEmbedder,
    analyzer: Analyzer,
    *,
    trust: Trust,
    asking: Path | None = None,
    every: int = 1,
) -> list[Asked]:
    """Every question of a set in every variant, or each n-th of them.

    `asking` is the folder of the same set in another language: its wordings are asked of what the
    search finds for the set's own.
    """
    language = folder.name.rpartition("-")[2]
    rows = read_lines(folder / "corpus.jsonl")
    passages = [
        passage_of(
            str(row["_id"]), number, str(row["title"]).replace("_", " "), str(row["text"]), language
        )
        for number, row in enumerate(rows)
    ]
    gold_of = dict(
        line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines()[1:]
    )
    queries = read_lines(folder / "queries.jsonl")
    texts = [str(query["text"]) for query in queries]
    targets = await embedder.embed_queries(texts)
    vectors = await embedder.embed([passage.text for passage in passages])
    dense = (targets @ vectors.T).astype(np.float64)
    rankings = fused(dense, bm25(passages, texts, analyzer))
    if asking is not None:
        wordings = {
            str(row["_id"]): str(row["text"]) for row in read_lines(asking / "queries.jsonl")
        }
        texts = [wordings[str(query["_id"])] for query in queries]
        targets = await embedder.embed_queries(texts)
    number_of = {passage.chunk_id: passage.chunk_no for passage in passages}
    chance = random.Random(0)
    asked: list[Asked] = []
    for row, (query, ranking) in list(enumerate(zip(queries, rankings, strict=True)))[::every]:
        gold = number_of[gold_of[str(query["_id"])]]
        answers = query["answers"]
        assert isinstance(answers, list)
        question = read_question(texts[row], [language], analyzer)
        said = str(answers[0]["text"])
        for variant, shown in variants(passages, ranking, gold, said, question, analyzer):
            if chance.random() < SHUFFLED:
                chance.shuffle(shown)
            evidence = [
                Evidence(
                    passage=passage,
                    rank=rank,
                    score=1.0 / (60 + rank),
                    similarity=float(targets[row] @ vectors[passage.chunk_no]),
                )
                for rank, passage in enumerate(shown, start=1)
            ]
            asked.append(
                await prepare(
                    question,
                    evidence,
                    variant=variant,
                    gold=gold,
                    answer=answers[0],
                    target=targets[row],
                    trust=trust,
                    embedder=embedder,
                    analyzer=analyzer,
                )
            )
    return asked


def variants(
    passages: Sequence[Passage],
    ranking: Sequence[int],
    gold: int,
    said: str,
    question: Question,
    analyzer: Analyzer,
) -> Iterator[tuple[str, list[Passage]]]:
    """The evidence of each variant; `said` is the answer's text."""
    others = [number for number in ranking if number != gold][:EVIDENCE]
    yield VARIANTS[1], [passages[number] for number in others]
    best = ranking[:EVIDENCE]
    if gold not in best:
        return
    yield VARIANTS[0], [passages[number] for number in best]
    factless = [
        without_sentences(passages[number], lambda sentence: said in sentence)
        if number == gold
        else passages[number]
        for number in best
    ]
    yield VARIANTS[2], factless
    rarest = rarest_attribute(question, factless, analyzer)
    if rarest is not None:
        yield (
            VARIANTS[3],
            [
                without_sentences(
                    passage,
                    lambda sentence, p=passage: rarest in analyzer.terms(sentence, p.language),  # type: ignore[misc]  # a bound default has no declared type
                )
                for passage in factless
            ],
        )


async def prepare(
    question: Question,
    evidence: Sequence[Evidence],
    *,
    variant: str,
    gold: int,
    answer: Mapping[str, object],
    target: Vector,
    trust: Trust,
    embedder: RememberingEmbedder,
    analyzer: Analyzer,
) -> Asked:
    """What the pipeline does before it weighs, and which statements are right."""
    start = int(str(answer["start"]))
    end = start + len(str(answer["text"]))
    return await prepare_readings(
        question,
        read(candidates_of(evidence), analyzer),
        variant=variant,
        held_out=gold // PARAGRAPHS_OF_AN_ARTICLE % 2 == 1,
        target=target,
        gold_of=lambda each: (
            variant == VARIANTS[0]
            and each.candidate.evidence.passage.chunk_no == gold
            and each.candidate.start < end
            and start < each.candidate.end
        ),
        trust_of=lambda _: trust,
        weight=1.0,
        embedder=embedder,
    )


async def prepare_readings(
    question: Question,
    readings: list[Reading],
    *,
    variant: str,
    held_out: bool,
    target: Vector,
    gold_of: Callable[[Reading], bool],
    trust_of: Callable[[Reading], Trust],
    weight: float,
    embedder: RememberingEmbedder,
) -> Asked:
    """The statements that could be embedded, with their vectors and what is right of them."""
    telling = [reading for reading in readings if says_something(question, reading)]
    scores = by_words(question, telling, rarity(readings))
    ranks = [reading.candidate.evidence.rank for reading in telling]
    likely = shortlist(scores, ranks, STATEMENTS)
    embedded = set(shortlist(scores, ranks, EMBEDDED_STATEMENTS))
    kept = [telling[position] for position in likely]
    return Asked(
        variant=variant,
        held_out=held_out,
        question=question,
        readings=readings,
        kept=kept,
        target=target,
        vectors=await embedder.embed([each.candidate.embedded_text for each in kept]),
        gold=[gold_of(each) for each in kept],
        embedded=[position in embedded for position in likely],
        trusts=[trust_of(each) for each in kept],
        weight=weight,
    )
