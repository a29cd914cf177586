"""The packaged reader: one encoder over pairs of texts, run by ONNX Runtime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime
import structlog

from footnote.errors import LaneUnavailable, ModelUnavailable
from footnote.models.auxiliary_weights import AuxiliaryWeights, companions_of
from footnote.models.batching import plan_batches
from footnote.models.e5 import WORDS, e5_tokenizer, shared_files
from footnote.models.encoder_shape import READER_GRAPH_REVISION, Precision
from footnote.models.mention_head import named_spans, neighbourhoods
from footnote.models.model_store import available_cores, built, open_session
from footnote.models.question_decomposition import QuestionDecomposer
from footnote.models.question_rewriting import Rewriter
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.reader_pairs import Pair, pairs_of, windows_of
from footnote.models.reader_probes import Probes, TokenWindow
from footnote.models.reader_spans import disjoint, limited_by_best, spans_of
from footnote.models.reader_weights import Calibration, described_weights, read_weights
from footnote.models.table_questions import TableQuestions
from footnote.models.tokenizing import UnigramPieces
from footnote.ports import (
    AnswerSpan,
    ColumnPrediction,
    ColumnProbabilities,
    NamedSpan,
    Operation,
    PassageReading,
    PassageText,
    SupportProbabilities,
    TableOperationPrediction,
    TitledColumn,
)

RUN_TOKENS = 512
"""Most tokens of one run, padding included, as for the embedder."""
MIN_RUN_TOKENS = 128
"""A batch of fewer tokens is not divided among the threads."""
_KNOWN = (
    ("Where is the key?", "The shop opens at nine. The key is under the mat.", "mat"),
    ("Wie heißt der Hund?", "Der Hund heißt Bello und schläft im Garten.", "Bello"),
)
"""Questions so plain that only a broken model gives other answers."""

P = ParamSpec("P")
T = TypeVar("T")
_Floats = npt.NDArray[np.float32]
_log = structlog.get_logger(__name__)


def load_reader(file: Path, models_folder: Path, threads: int) -> PackagedReader:
    """Load the reader with these weights. Blocks: call it in a thread.

    The first call writes its graphs below `models_folder` (about 35 MB), beside the word
    embeddings that it shares with the embedder; later ones read them. `threads` of 0 uses one per
    core. Raises ModelUnavailable, also when it fails the questions of `_KNOWN`.
    """
    reader = open_reader(file, models_folder, threads)
    if missing := companions_of(file).lacking:
        _log.warning("the reader works without what is fitted to another one", lacking=missing)
    for question, text, answer in _KNOWN:
        best = reader.best_answer(question, text)
        if answer not in best:
            raise ModelUnavailable(
                f"the reader built from {file} answers {best!r} where it should say {answer!r}",
                hint=f"delete the reader's graphs below {models_folder} and start again, "
                "or set FOOTNOTE_READER=none",
            )
    return reader


def open_reader(
    file: Path, models_folder: Path, threads: int, precision: Precision = "int8"
) -> PackagedReader:
    """As `load_reader`, without testing its answers."""
    load_weights = cache(lambda: read_weights(file))

    def build(layers: range) -> bytes:
        from footnote.models.reader_graph import reader_graph  # noqa: PLC0415  # slow, needed once

        return bytes(reader_graph(load_weights(), precision, WORDS, layers).SerializeToString())

    try:
        shared = shared_files(models_folder)
        weights = described_weights(file)
        name = f"reader-{weights.digest[:12]}"
        probe_weights = weights.probes

        def open_part(layers: range) -> onnxruntime.InferenceSession:
            layer_range = f"{layers.start}-{layers.stop}"
            file_name = f"{name}-{layer_range}-{precision}-{READER_GRAPH_REVISION}.onnx"
            return open_session(built(shared.folder / file_name, partial(build, layers)))

        # A graph ends where the probes read its states, and where judging branches off reading.
        part_ends = {weights.shape.layers, weights.shared}
        part_ends |= {probe_weights.layers} if probe_weights is not None else set()
        part_bounds = pairwise([0, *sorted(part_ends - {0})])
        encoder = ReaderEncoder(
            reading=[(end, open_part(range(start, end))) for start, end in part_bounds],
            judging=(weights.shared, open_part(weights.judging)),
            ordering=open_part(weights.ordering) if weights.ordering else None,
            rewriting=open_part(weights.rewriting) if weights.rewriting else None,
            parting=open_part(weights.parting) if weights.parting else None,
            tables=open_part(weights.tables) if weights.tables else None,
        )
        tokenizer = e5_tokenizer(shared.tokenizer.resolve())
        probes = None
        if probe_weights is not None:
            probes = Probes(encoder=encoder, tokenizer=tokenizer, weights=probe_weights)
        rewriter = decomposer = table_questions = None
        if probe_weights is not None and weights.rewriter is not None:
            rewriter = Rewriter(
                encoder=encoder,
                tokenizer=tokenizer,
                head=weights.rewriter,
                layers=probe_weights.layers,
            )
            if weights.parts is not None:
                decomposer = QuestionDecomposer(head=weights.parts, rewriter=rewriter)
        if probe_weights is not None and weights.table_questions is not None:
            table_questions = TableQuestions(
                encoder=encoder,
                tokenizer=tokenizer,
                head=weights.table_questions,
                layers=probe_weights.layers,
            )
        return PackagedReader(
            name,
            encoder,
            tokenizer,
            weights.calibration,
            probes,
            rewriter=rewriter,
            parts=decomposer,
            table_questions=table_questions,
            companions=companions_of(file),
            threads=threads,
        )
    except LaneUnavailable as unavailable:
        raise ModelUnavailable(
            f"the reader cannot be loaded: {unavailable}", hint=unavailable.hint
        ) from unavailable


class PackagedReader:
    """A Reader over the packaged weights; implements `ports.Reader`.

    Each run uses one thread, as in the embedder.
    """

    def __init__(
        self,
        name: str,
        encoder: ReaderEncoder,
        tokenizer: UnigramPieces,
        calibration: Calibration,
        probes: Probes | None = None,
        *,
        rewriter: Rewriter | None = None,
        parts: QuestionDecomposer | None = None,
        table_questions: TableQuestions | None = None,
        companions: AuxiliaryWeights = AuxiliaryWeights(),  # noqa: B008  # it is frozen
        threads: int,
    ) -> None:
        self._name = name
        self._encoder = encoder
        self._tokenizer = tokenizer
        self._calibration = calibration
        self._probes = probes
        self._rewriter = rewriter
        self._parts = parts
        self._table_questions = table_questions
        self._head = companions.head
        self._unmet = companions.mismatch
        self._count = threads or available_cores()
        self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="reader")

    @property
    def name(self) -> str:
        """Name with the beginning of the weights' digest."""
        return self._name

    async def read(self, question: str, passages: Sequence[PassageText]) -> list[PassageReading]:
        """See `Reader.read`; passages beyond `READ_TOKENS` have no spans."""
        pairs = await self._in_thread(self.pairs, question, passages)
        runs = self._plan_runs(pairs)
        outputs = await asyncio.gather(*(self._in_thread(self._read_run, run) for run in runs))
        spans_by_passage: list[list[AnswerSpan]] = [[] for _ in passages]
        relevance = [float("-inf")] * len(passages)
        mismatches: dict[int, float] = {}
        for run, output in zip(runs, outputs, strict=True):
            for pair, spans, score, mismatch in zip(run, *output, strict=True):
                spans_by_passage[pair.text] += spans
                relevance[pair.text] = max(relevance[pair.text], score)
                # What one window lacks another may have, so the lowest counts.
                mismatches[pair.text] = min(mismatches.get(pair.text, mismatch), mismatch)
        return [
            _passage_reading(spans_by_passage[at], relevance[at], mismatches.get(at, 0.0))
            for at in range(len(passages))
        ]

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        """See `Reader.judge`; for a long quote the window with the least `neither` counts."""
        pairs = await self._in_thread(self._claim_pairs, statements, quotes)
        runs = self._plan_runs(pairs)
        outputs = await asyncio.gather(*(self._in_thread(self._judge_run, run) for run in runs))
        undecided = SupportProbabilities(supported=0.0, contradicted=0.0, neither=1.0)
        supports = [undecided] * len(statements)
        for run, output in zip(runs, outputs, strict=True):
            for pair, support in zip(run, output, strict=True):
                if support.neither < supports[pair.text].neither:
                    supports[pair.text] = support
        return supports

    async def injection_probabilities(self, texts: Sequence[str]) -> list[float] | None:
        """See `Reader.injection_probabilities`; a text without words has probability 0."""
        probes = self._probes
        if probes is None:
            return None
        windows = await self._in_thread(probes.windows, texts)
        batches = plan_batches([len(window.ids) for window in windows], RUN_TOKENS)
        runs = [[windows[at] for at in run] for run in batches]
        outputs = await asyncio.gather(
            *(self._in_thread(probes.injection_probabilities, run) for run in runs)
        )
        probabilities = [0.0] * len(texts)
        for run, window_probabilities in zip(runs, outputs, strict=True):
            for window, probability in zip(run, window_probabilities, strict=True):
                probabilities[window.text] = max(probabilities[window.text], probability)
        return probabilities

    async def operation(self, question: str) -> Operation | None:
        """See `Reader.operation`."""
        if self._table_questions is None:
            return None
        return await self._in_thread(self._table_questions.operation, question)

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> str | None:
        """See `QuestionRewriter.rewrite_follow_up`."""
        if self._rewriter is None:
            return None
        rewrite = self._rewriter.rewrite_follow_up
        return await self._in_thread(rewrite, question, previous_question, previous_answer)

    async def decompose(self, question: str) -> Sequence[str]:
        """See `QuestionRewriter.decompose`."""
        if self._parts is None:
            return (question,)
        return await self._in_thread(self._parts.decompose, question)

    async def predict_column(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnPrediction | None:
        """See `TableQuestionModel.predict_column`."""
        if self._table_questions is None:
            return None
        return await self._in_thread(self._table_questions.predict_column, question, columns)

    async def column_probabilities(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> ColumnProbabilities | None:
        """See `TableQuestionModel.column_probabilities`."""
        if self._table_questions is None:
            return None
        return await self._in_thread(self._table_questions.column_probabilities, question, columns)

    async def predict_operation(
        self, question: str, columns: Sequence[TitledColumn]
    ) -> TableOperationPrediction | None:
        """See `TableQuestionModel.predict_operation`."""
        if self._table_questions is None:
            return None
        return await self._in_thread(self._table_questions.predict_operation, question, columns)

    async def names(self, texts: Sequence[str]) -> list[list[NamedSpan]] | None:
        """See `NameFinder.names`."""
        probes, head = self._probes, self._head
        if probes is None or head is None:
            return None
        windows = await self._in_thread(probes.token_windows, texts)
        batches = plan_batches([len(window.ids) for window in windows], RUN_TOKENS)

        def run_batch(batch: Sequence[TokenWindow]) -> list[_Floats]:
            states = probes.states([window.ids for window in batch])
            return [
                head.odds(neighbourhoods(row[1 : len(window.ids) - 1]))
                for row, window in zip(states, batch, strict=True)
            ]

        outputs = await asyncio.gather(
            *(self._in_thread(run_batch, [windows[at] for at in batch]) for batch in batches)
        )
        logits: dict[int, _Floats] = {
            at: row
            for batch, rows in zip(batches, outputs, strict=True)
            for at, row in zip(batch, rows, strict=True)
        }
        return named_spans(windows, [logits[at] for at in range(len(windows))], texts)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def pairs(self, question: str, passages: Sequence[PassageText]) -> list[Pair]:
        """Pair each passage's windows with the question, within `READ_TOKENS`."""
        return pairs_of(self._tokenizer, question, passages)

    def best_answer(self, question: str, text: str) -> str:
        """Return the likeliest span of a short text, in the calling thread; empty without one."""
        pairs = self.pairs(question, [PassageText(text=text)])
        if not pairs:
            return ""
        spans, _, _ = self._read_run(pairs[:1])
        return text[spans[0][0].start : spans[0][0].end] if spans[0] else ""

    async def _in_thread(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call in one of the reader's threads."""
        run = partial(call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    def _claim_pairs(self, statements: Sequence[str], quotes: Sequence[str]) -> list[Pair]:
        """Pair each quote's windows with its statement."""
        return [
            pair
            for number, (statement, quote) in enumerate(zip(statements, quotes, strict=True))
            for pair in windows_of(
                self._tokenizer, f"claim: {statement}", PassageText(text=quote), number
            )
        ]

    def _plan_runs(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        """Divide the pairs into runs, so that even few pairs keep every thread busy."""
        counts = [len(pair.ids) for pair in pairs]
        share = max(MIN_RUN_TOKENS, -(-sum(counts) // self._count))
        return [[pairs[at] for at in run] for run in plan_batches(counts, min(RUN_TOKENS, share))]

    def _read_run(
        self, run: Sequence[Pair]
    ) -> tuple[list[list[AnswerSpan]], list[float], list[float]]:
        mismatches = [0.0] * len(run)

        def score_mismatch(layers: int, states: _Floats) -> None:
            if self._unmet is not None and self._unmet.layers == layers:
                for row, pair in enumerate(run):
                    mismatches[row] = self._unmet.odds(states[row, pair.words])

        span_logits, relevance = self._encoder.read([pair.ids for pair in run], score_mismatch)
        spans = []
        for row, pair in enumerate(run):
            pair_relevance = float(relevance[row, 0])
            probability = partial(self._calibration.probability, relevance=pair_relevance)
            spans.append(spans_of(pair.window, span_logits[row], probability))
        return spans, [float(logit) for logit in relevance[:, 0]], mismatches

    def _judge_run(self, run: Sequence[Pair]) -> list[SupportProbabilities]:
        support = self._encoder.judge([pair.ids for pair in run])
        probabilities = np.exp(
            (support - support.max(axis=1, keepdims=True)) / self._calibration.support_temperature
        )
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return [
            SupportProbabilities(
                supported=float(row[0]), contradicted=float(row[1]), neither=float(row[2])
            )
            for row in probabilities
        ]

    def run(self, batch: Sequence[Sequence[int]]) -> tuple[_Floats, _Floats, _Floats]:
        """Return the outputs of the heads for a batch of pairs: span, relevance, support.

        Runs in the calling thread. Raises ModelUnavailable when the model cannot run, for example
        for lack of memory.
        """
        return *self._encoder.read(batch), self._encoder.judge(batch)


def _passage_reading(spans: Sequence[AnswerSpan], relevance: float, unmet: float) -> PassageReading:
    best_spans = limited_by_best(disjoint(spans))
    return PassageReading(
        spans=best_spans,
        relevance=relevance,
        probability=best_spans[0].probability if best_spans else 0.0,
        mismatch=unmet,
    )
