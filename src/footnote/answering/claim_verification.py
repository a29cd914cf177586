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
"""The judge's name where there is none."""
CONTRADICTED = 0.5
"""Probability of a contradiction from which the verdict says so."""
OPPOSED_SHARE = 0.9
OTHER_SHARE = 0.2
"""Share of contradictions among unsupported claims, with and without an exact guard that finds a
conflicting value.

Of statements falsified by `bench/grounding_check.py` these were 256 of 256 and 132 of 209. The
constants are lower, because those statements differ by one altered detail, while most unsupported
claims elsewhere are about another subject.
"""
COMPARABLE = 0.75
"""Share of the best quote's coverage from which another one may support the claim."""
JOINED = 0.4
"""Share of a claim's terms that each of several quotes must hold for them to be taken together,
unless it is a row that the claim names: else a single word from elsewhere would make up for what
the best quote does not say."""
_PAIRS_AT_ONCE = 16
"""Claims with quotes that a judge reads in one go, so that running out of time loses little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a passage is from."""

    source_id: str
    given: bool = False
    """Whether its text came with the request, and is of no document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge says of a claim and its quotes."""

    supported: float
    opposing: float | None
    """Share of contradiction in what is not support; None where the judge does not tell."""


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
    """The claim as a judge reads it beside them."""
    verbatim: bool
    guarded: GuardResult

    @property
    def judged_text(self) -> str:
        """What a judge reads."""
        return "\n\n".join(each.judged_text for each in self.quotes)

    def odds(self, judged: Judged | None) -> VerdictProbabilities:
        """The probabilities, given what a judge said, if one did."""
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
    """Claims with their verdicts, and what was not done."""

    claims: tuple[ClaimCheck, ...]
    judge: str
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerifier:
    """Verifies claims against passages by exact values and, if available, by a model."""

    analyzer: Analyzer
    embedder: Embedder | None = None
    """Finds quotes that share no words with their claim; None leaves it to words."""
    reader: Reader | None = None
    judge: Judge | None = None
    """Asked in place of the reader; it tells support alone."""
    judge_seconds: float = 30.0
    """After which what is not judged yet is left to shared words and exact values."""

    async def __call__(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        origins: Mapping[str, Origin],
    ) -> Checked:
        """The claims in their order, each checked against the passages at its place.

        `origins` has the source of each passage by its chunk.
        """
        finder = QuoteRetriever(analyzer=self.analyzer, embedder=self.embedder)
        found = await self._found(claims, passages, finder)
        reader = ClaimReader(analyzer=self.analyzer)
        weighed = [
            await asyncio.to_thread(_weighed, claim.words, quotes, reader)
            for claim, quotes in zip(claims, found, strict=True)
        ]
        judged, notes = await self._judged(weighed)
        checks = tuple(
            _checked(
                at + 1,
                claim,
                [(each, judged.get((at, place))) for place, each in enumerate(own)],
                origins,
            )
            for at, (claim, own) in enumerate(zip(claims, weighed, strict=True))
        )
        return Checked(
            claims=checks,
            judge=self._judge_name if judged or not notes else RULES,
            degraded=(*finder.degraded, *notes),
        )

    @property
    def _judge_name(self) -> str:
        model = self.judge or self.reader
        return RULES if model is None else model.name

    async def _found(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], finder: QuoteRetriever
    ) -> list[list[QuoteCandidate]]:
        """The quotes of each claim, in order."""
        for own in passages:
            await asyncio.to_thread(finder.read, own)
        found = [
            await asyncio.to_thread(finder.retrieve_lexical, claim.words, own)
            for claim, own in zip(claims, passages, strict=True)
        ]
        weak = {
            at: claims[at].words
            for at, each in enumerate(found)
            if passages[at] and (not each or each[0].coverage < WEAK)
        }
        nearest = await finder.retrieve_dense(weak, passages)
        return [together(each, nearest.get(at, [])) for at, each in enumerate(found)]

    async def _judged(
        self, weighed: Sequence[Sequence[ScoredClaim]]
    ) -> tuple[dict[tuple[int, int], Judged], list[str]]:
        """What the judge says, by the places of claim and weighing, as far as it comes to it."""
        if self.reader is None and self.judge is None:
            return {}, []
        places = [
            (at, place)
            for at, own in enumerate(weighed)
            if not any(each.verbatim for each in own)
            for place in range(len(own))
        ]
        judged: dict[tuple[int, int], Judged] = {}
        try:
            async with asyncio.timeout(self.judge_seconds):
                for start in range(0, len(places), _PAIRS_AT_ONCE):
                    part = places[start : start + _PAIRS_AT_ONCE]
                    said = await self._asked(
                        [weighed[at][place].statement for at, place in part],
                        [weighed[at][place].judged_text for at, place in part],
                    )
                    judged |= dict(zip(part, said, strict=True))
        except ModelUnavailable as unavailable:
            return judged, [f"grounding: not judged, {unavailable}"]
        except TimeoutError:
            return judged, [
                f"grounding: {len(judged)} of {len(places)} claims with quotes were judged within "
                f"{self.judge_seconds:g} seconds, the others by words"
            ]
        return judged, []

    async def _asked(self, statements: Sequence[str], quotes: Sequence[str]) -> list[Judged]:
        if self.judge is not None:
            scores = await self.judge(statements, quotes)
            return [Judged(supported=each, opposing=None) for each in scores]
        assert self.reader is not None, "asked where there is a judge"
        return [
            Judged(
                supported=each.supported,
                opposing=each.contradicted / max(each.contradicted + each.neither, 1e-9),
            )
            for each in await self.reader.judge(statements, quotes)
        ]


def _weighed(
    words: str, quotes: Sequence[QuoteCandidate], reader: ClaimReader
) -> list[ScoredClaim]:
    """The claim with each quote alone, then with the relevant ones combined if that may change
    it."""
    single = [_beside(words, (each,), quotes[0], reader) for each in quotes]
    if any(each.verbatim or each.guarded.has_conflict for each in single):
        return single
    telling = [each for each in single if each.coverage >= JOINED or each.quotes[0].named]
    if len(telling) < 2:
        return single
    joined = tuple(each.quotes[0] for each in telling)
    return [*single, _beside(words, joined, quotes[0], reader)]


def _beside(
    words: str, quotes: tuple[QuoteCandidate, ...], first: QuoteCandidate, reader: ClaimReader
) -> ScoredClaim:
    passages = {each.passage.chunk_id: each.passage for each in quotes}
    held = pair_with_evidence(words, [each.citation for each in quotes], passages, reader)
    around = {text for each in quotes for text in (each.label, each.surroundings) if text}
    held = replace(held, around=tuple(reader(text, held.language) for text in sorted(around)))
    return ScoredClaim(
        quotes=quotes,
        coverage=float(first in quotes) if held.is_cross_lingual else held.coverage,
        statement=held.judged_statement,
        verbatim=is_verbatim(held),
        guarded=guard(held),
    )


def _checked(
    number: int,
    claim: Claim,
    weighed: Sequence[tuple[ScoredClaim, Judged | None]],
    origins: Mapping[str, Origin],
) -> ClaimCheck:
    """The verdict on a claim: its best support, and the strongest contradiction beside it."""
    if not weighed:
        return _unheard_of(number, claim)
    odds = [each.odds(judged) for each, judged in weighed]
    most = max(each.coverage for each, _ in weighed)
    # A quote that covers less of the claim than another does not decide by what it omits, unless a
    # model has read it.
    near = [at for at, (each, _) in enumerate(weighed) if each.coverage >= COMPARABLE * most]
    read = [at for at, (_, judged) in enumerate(weighed) if judged is not None]
    best = max({*near, *read}, key=lambda at: (odds[at].supported, -at))
    # Of contradicting quotes take the best match, not the strongest contradiction, which may be
    # about another subject.
    opposed = [at for at in near if odds[at].contradicted >= CONTRADICTED]
    against = min(opposed, default=max(near, key=lambda at: (odds[at].contradicted, -at)))
    supported = odds[best].supported
    contradicted = min(odds[against].contradicted, 1 - supported)
    verdict, probability = _verdict(supported, contradicted)
    deciding = against if verdict is ClaimVerdict.CONTRADICTED else best
    each, judged = weighed[deciding]
    guards: tuple[Guard, ...] = ()
    if verdict is not ClaimVerdict.SUPPORTED:
        guards = each.guarded.guards
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
        decided_by=_decided_by(each, judged, guards),
        guards=guards,
        quotes=_quotes(weighed, odds, deciding, verdict, origins),
    )


def _verdict(supported: float, contradicted: float) -> tuple[ClaimVerdict, float]:
    if supported >= SUPPORTED:
        return ClaimVerdict.SUPPORTED, supported
    if contradicted >= CONTRADICTED:
        return ClaimVerdict.CONTRADICTED, contradicted
    return ClaimVerdict.NOT_SUPPORTED, 1 - supported


def _decided_by(weighed: ScoredClaim, judged: Judged | None, guards: Sequence[Guard]) -> DecidedBy:
    if weighed.verbatim:
        return DecidedBy.VERBATIM
    if guards:
        return DecidedBy.GUARDS
    return DecidedBy.RULES if judged is None else DecidedBy.JUDGE


def _unheard_of(number: int, claim: Claim) -> ClaimCheck:
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


def _quotes(
    weighed: Sequence[tuple[ScoredClaim, Judged | None]],
    odds: Sequence[VerdictProbabilities],
    deciding: int,
    verdict: ClaimVerdict,
    origins: Mapping[str, Origin],
) -> tuple[ClaimQuote, ...]:
    """Each quote by itself, those that decide first; what supports together supports."""
    quotes: list[tuple[bool, ClaimQuote]] = []
    for (each, _), own in zip(weighed, odds, strict=True):
        if len(each.quotes) == 1:
            decides = any(each.quotes[0] is one for one in weighed[deciding][0].quotes)
            alone, _ = _verdict(own.supported, own.contradicted)
            supports = decides and verdict is ClaimVerdict.SUPPORTED
            relation = QuoteRelation.SUPPORTS if supports else _RELATIONS[alone]
            quotes.append((not decides, _quote(each.quotes[0], own, relation, origins)))
    if verdict is ClaimVerdict.CONTRADICTED:
        quotes.sort(key=lambda each: (each[0], -each[1].contradicted))
    else:
        quotes.sort(key=lambda each: (each[0], -each[1].supported))
    return tuple(each for _, each in quotes)


def _quote(
    found: QuoteCandidate,
    odds: VerdictProbabilities,
    relation: QuoteRelation,
    origins: Mapping[str, Origin],
) -> ClaimQuote:
    citation, passage = found.citation, found.passage
    origin = origins[passage.chunk_id]
    place = ClaimQuote(
        source_id=origin.source_id,
        quote=citation.quote,
        char_start=citation.char_start,
        char_end=citation.char_end,
        relation=relation,
        supported=odds.supported,
        contradicted=odds.contradicted,
        paragraph=citation.paragraph,
    )
    if origin.given:
        return place
    return replace(
        place,
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
