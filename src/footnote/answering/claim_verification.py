"""Verify claims against passages: give each a verdict, quotes and the guards that decided."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from footnote.answering.claim_evidence import ClaimReader, is_verbatim, pair_with_evidence
from footnote.answering.claim_extraction import Claim
from footnote.answering.claim_guards import GuardResult, guard
from footnote.answering.claim_quotes import WEAK, QuoteCandidate, QuoteRetriever, together
from footnote.answering.support import SUPPORTED, support_of
from footnote.domain import Passage
from footnote.domain.grounding import (
    ClaimCheck,
    ClaimQuote,
    ClaimVerdict,
    DecidedBy,
    Guard,
    QuoteRelation,
)
from footnote.errors import ModelUnavailable
from footnote.ports import Analyzer, Embedder, Judge, Reader

RULES = "rules"
"""The judge's name without a model."""
CONTRADICTED = 0.5
"""Minimum probability of the verdict "contradicted"."""
OPPOSED_SHARE = 0.9
OTHER_SHARE = 0.2
"""Share of contradictions among unsupported claims, with and without an exact guard that finds a
conflicting value.

Of statements falsified by `bench/grounding_check.py` these were 256 of 256 and 132 of 209. The
constants are lower, because those statements differ by one altered detail, while most unsupported
claims elsewhere are about another subject.
"""
COMPARABLE = 0.75
"""Minimum coverage of a further quote that may support the claim, as a share of the best one's."""
JOINED = 0.4
"""Share of a claim's terms that each of several quotes must hold for them to be taken together,
unless it is a row that the claim names: else a single word from elsewhere would make up for what
the best quote does not say."""
_PAIRS_AT_ONCE = 16
"""Claims with quotes that a judge reads in one batch, so that a timeout loses little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source of a passage."""

    source_id: str
    is_from_request: bool = False
    """Whether the text came with the request, not from a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's result for a claim and its quotes."""

    supported: float
    opposing: float | None
    """Share of contradiction in what is not support; None if the judge does not report it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictProbabilities:
    """The probabilities that the quotes support and that they contradict a claim, 0…1."""

    supported: float
    contradicted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredClaim:
    """A claim with one quote, or with several quotes combined, and its guard results."""

    quotes: tuple[QuoteCandidate, ...]
    coverage: float
    """Share of the claim's terms in the quotes, 0…1. Across languages, where terms do not match:
    1 if the quotes include the first retrieved one, else 0."""
    statement: str
    """The claim for a judge."""
    verbatim: bool
    guarded: GuardResult

    @property
    def judged_text(self) -> str:
        """The quotes for a judge."""
        return "\n\n".join(quote.judged_text for quote in self.quotes)

    def odds(self, judged: Judged | None) -> VerdictProbabilities:
        """The probabilities, with the judge's result if there is one."""
        if self.verbatim:
            return VerdictProbabilities(supported=1.0, contradicted=0.0)
        supported = support_of(
            None if judged is None else judged.supported,
            self.coverage,
            guarded=bool(self.guarded.guards),
        )
        share = OPPOSED_SHARE if self.guarded.has_conflict else OTHER_SHARE
        if judged is not None and judged.opposing is not None:
            share = max(share, judged.opposing) if self.guarded.has_conflict else judged.opposing
        return VerdictProbabilities(supported=supported, contradicted=(1 - supported) * share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Claims with their verdicts, and notes on what was not done."""

    claims: tuple[ClaimCheck, ...]
    judge: str
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerifier:
    """Verifies claims against passages by exact values and, if available, by a model."""

    analyzer: Analyzer
    embedder: Embedder | None = None
    """Finds quotes that share no words with their claim; None uses words only."""
    reader: Reader | None = None
    judge: Judge | None = None
    """Used instead of the reader; it only reports support."""
    judge_seconds: float = 30.0
    """Timeout of the judge; further claims are decided by shared words and exact values."""

    async def __call__(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        origins: Mapping[str, Origin],
    ) -> Checked:
        """Check each claim against the passages at the same index.

        `origins` has the source of each passage by chunk id.
        """
        retriever = QuoteRetriever(analyzer=self.analyzer, embedder=self.embedder)
        quotes_by_claim = await self._retrieve_quotes(claims, passages, retriever)
        reader = ClaimReader(analyzer=self.analyzer)
        scored_claims = [
            await asyncio.to_thread(_score_claim, claim.words, quotes, reader)
            for claim, quotes in zip(claims, quotes_by_claim, strict=True)
        ]
        results, notes = await self._judge_claims(scored_claims)
        checks = tuple(
            _check_claim(
                index + 1,
                claim,
                [(entry, results.get((index, position))) for position, entry in enumerate(scored)],
                origins,
            )
            for index, (claim, scored) in enumerate(zip(claims, scored_claims, strict=True))
        )
        return Checked(
            claims=checks,
            judge=self._judge_name if results or not notes else RULES,
            degraded=(*retriever.degraded, *notes),
        )

    @property
    def _judge_name(self) -> str:
        model = self.judge or self.reader
        return RULES if model is None else model.name

    async def _retrieve_quotes(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], finder: QuoteRetriever
    ) -> list[list[QuoteCandidate]]:
        """The quotes of each claim, in order."""
        for sources in passages:
            await asyncio.to_thread(finder.read, sources)
        candidates = [
            await asyncio.to_thread(finder.retrieve_lexical, claim.words, sources)
            for claim, sources in zip(claims, passages, strict=True)
        ]
        weak_claims = {
            index: claims[index].words
            for index, quotes in enumerate(candidates)
            if passages[index] and (not quotes or quotes[0].coverage < WEAK)
        }
        nearest = await finder.retrieve_dense(weak_claims, passages)
        return [together(quotes, nearest.get(index, [])) for index, quotes in enumerate(candidates)]

    async def _judge_claims(
        self, claims: Sequence[Sequence[ScoredClaim]]
    ) -> tuple[dict[tuple[int, int], Judged], list[str]]:
        """The judgements, by the positions of claim and scored claim, as far as time allows."""
        if self.reader is None and self.judge is None:
            return {}, []
        pairs = [
            (index, position)
            for index, scored in enumerate(claims)
            if not any(claim.verbatim for claim in scored)
            for position in range(len(scored))
        ]
        judgements: dict[tuple[int, int], Judged] = {}
        try:
            async with asyncio.timeout(self.judge_seconds):
                for start in range(0, len(pairs), _PAIRS_AT_ONCE):
                    batch = pairs[start : start + _PAIRS_AT_ONCE]
                    results = await self._judge_pairs(
                        [claims[index][position].statement for index, position in batch],
                        [claims[index][position].judged_text for index, position in batch],
                    )
                    judgements |= dict(zip(batch, results, strict=True))
        except ModelUnavailable as unavailable:
            return judgements, [f"grounding: not judged, {unavailable}"]
        except TimeoutError:
            return judgements, [
                f"grounding: {len(judgements)} of {len(pairs)} claims with quotes were judged "
                f"within {self.judge_seconds:g} seconds, the others by words"
            ]
        return judgements, []

    async def _judge_pairs(self, statements: Sequence[str], quotes: Sequence[str]) -> list[Judged]:
        if self.judge is not None:
            scores = await self.judge(statements, quotes)
            return [Judged(supported=score, opposing=None) for score in scores]
        assert self.reader is not None, "asked where there is a judge"
        return [
            Judged(
                supported=odds.supported,
                opposing=odds.contradicted / max(odds.contradicted + odds.neither, 1e-9),
            )
            for odds in await self.reader.judge(statements, quotes)
        ]


def _score_claim(
    words: str, quotes: Sequence[QuoteCandidate], reader: ClaimReader
) -> list[ScoredClaim]:
    """The claim with each quote alone, then with the relevant quotes combined if that can change
    it."""
    scored = [_score_with_quotes(words, (quote,), quotes[0], reader) for quote in quotes]
    if any(claim.verbatim or claim.guarded.has_conflict for claim in scored):
        return scored
    joined = [claim for claim in scored if claim.coverage >= JOINED or claim.quotes[0].is_named_row]
    if len(joined) < 2:
        return scored
    joined_quotes = tuple(claim.quotes[0] for claim in joined)
    return [*scored, _score_with_quotes(words, joined_quotes, quotes[0], reader)]


def _score_with_quotes(
    words: str, quotes: tuple[QuoteCandidate, ...], first: QuoteCandidate, reader: ClaimReader
) -> ScoredClaim:
    passages = {quote.passage.chunk_id: quote.passage for quote in quotes}
    pair = pair_with_evidence(words, [quote.citation for quote in quotes], passages, reader)
    surroundings = {text for quote in quotes for text in (quote.label, quote.surroundings) if text}
    pair = replace(pair, around=tuple(reader(text, pair.language) for text in sorted(surroundings)))
    return ScoredClaim(
        quotes=quotes,
        coverage=float(first in quotes) if pair.is_cross_lingual else pair.coverage,
        statement=pair.judged_statement,
        verbatim=is_verbatim(pair),
        guarded=guard(pair),
    )


def _check_claim(
    number: int,
    claim: Claim,
    judged: Sequence[tuple[ScoredClaim, Judged | None]],
    origins: Mapping[str, Origin],
) -> ClaimCheck:
    """The verdict on a claim: its best support, and the strongest comparable contradiction."""
    if not judged:
        return _check_without_quotes(number, claim)
    odds = [scored.odds(judgement) for scored, judgement in judged]
    top = max(scored.coverage for scored, _ in judged)
    # A quote with lower coverage does not decide by what it omits, unless a model has read it.
    comparable = [i for i, (scored, _) in enumerate(judged) if scored.coverage >= COMPARABLE * top]
    read_by_judge = [i for i, (_, judgement) in enumerate(judged) if judgement is not None]
    supporting = max({*comparable, *read_by_judge}, key=lambda i: (odds[i].supported, -i))
    # Of contradicting quotes take the best match, not the strongest contradiction, which may be
    # about another subject.
    opposing = [i for i in comparable if odds[i].contradicted >= CONTRADICTED]
    contradicting = min(opposing, default=max(comparable, key=lambda i: (odds[i].contradicted, -i)))
    supported = odds[supporting].supported
    contradicted = min(odds[contradicting].contradicted, 1 - supported)
    verdict, probability = _verdict(supported, contradicted)
    deciding = contradicting if verdict is ClaimVerdict.CONTRADICTED else supporting
    scored, judgement = judged[deciding]
    guards: tuple[Guard, ...] = ()
    if verdict is not ClaimVerdict.SUPPORTED:
        guards = scored.guarded.guards
    return ClaimCheck(
        number=number,
        text=claim.text,
        char_start=claim.start,
        char_end=claim.end,
        verdict=verdict,
        probability=probability,
        supported=supported,
        contradicted=contradicted,
        neither=max(0.0, 1 - supported - contradicted),
        decided_by=_decided_by(scored, judgement, guards),
        guards=guards,
        quotes=_claim_quotes(judged, odds, deciding, verdict, origins),
    )


def _verdict(supported: float, contradicted: float) -> tuple[ClaimVerdict, float]:
    if supported >= SUPPORTED:
        return ClaimVerdict.SUPPORTED, supported
    if contradicted >= CONTRADICTED:
        return ClaimVerdict.CONTRADICTED, contradicted
    return ClaimVerdict.NOT_SUPPORTED, 1 - supported


def _decided_by(scored: ScoredClaim, judged: Judged | None, guards: Sequence[Guard]) -> DecidedBy:
    if scored.verbatim:
        return DecidedBy.VERBATIM
    if guards:
        return DecidedBy.GUARDS
    return DecidedBy.RULES if judged is None else DecidedBy.JUDGE


def _check_without_quotes(number: int, claim: Claim) -> ClaimCheck:
    return ClaimCheck(
        number=number,
        text=claim.text,
        char_start=claim.start,
        char_end=claim.end,
        verdict=ClaimVerdict.NOT_SUPPORTED,
        probability=1.0,
        supported=0.0,
        contradicted=0.0,
        neither=1.0,
        decided_by=DecidedBy.NO_QUOTE,
    )


def _claim_quotes(
    judged: Sequence[tuple[ScoredClaim, Judged | None]],
    odds: Sequence[VerdictProbabilities],
    deciding: int,
    verdict: ClaimVerdict,
    origins: Mapping[str, Origin],
) -> tuple[ClaimQuote, ...]:
    """Each quote by itself, the deciding ones first; all quotes of a joint support are
    supporting."""
    quotes: list[tuple[bool, ClaimQuote]] = []
    for (scored, _), probabilities in zip(judged, odds, strict=True):
        if len(scored.quotes) == 1:
            decides = any(scored.quotes[0] is quote for quote in judged[deciding][0].quotes)
            own_verdict, _ = _verdict(probabilities.supported, probabilities.contradicted)
            supports = decides and verdict is ClaimVerdict.SUPPORTED
            relation = QuoteRelation.SUPPORTS if supports else _RELATIONS[own_verdict]
            quotes.append((not decides, _quote(scored.quotes[0], probabilities, relation, origins)))
    if verdict is ClaimVerdict.CONTRADICTED:
        quotes.sort(key=lambda entry: (entry[0], -entry[1].contradicted))
    else:
        quotes.sort(key=lambda entry: (entry[0], -entry[1].supported))
    return tuple(quote for _, quote in quotes)


def _quote(
    candidate: QuoteCandidate,
    odds: VerdictProbabilities,
    relation: QuoteRelation,
    origins: Mapping[str, Origin],
) -> ClaimQuote:
    citation, passage = candidate.citation, candidate.passage
    origin = origins[passage.chunk_id]
    claim_quote = ClaimQuote(
        source_id=origin.source_id,
        quote=citation.quote,
        char_start=citation.char_start,
        char_end=citation.char_end,
        relation=relation,
        supported=odds.supported,
        contradicted=odds.contradicted,
        paragraph=citation.paragraph,
    )
    if origin.is_from_request:
        return claim_quote
    return replace(
        claim_quote,
        page=citation.page,
        document_id=citation.document_id,
        version=passage.version,
        chunk_id=citation.chunk_id,
        document_title=citation.document_title,
        filename=citation.filename,
        heading_path=citation.heading_path,
        start_seconds=citation.start_seconds,
        end_seconds=citation.end_seconds,
    )


_RELATIONS = {
    ClaimVerdict.SUPPORTED: QuoteRelation.SUPPORTS,
    ClaimVerdict.CONTRADICTED: QuoteRelation.CONTRADICTS,
    ClaimVerdict.NOT_SUPPORTED: QuoteRelation.NEAR,
}
