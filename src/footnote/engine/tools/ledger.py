"""Numbers evidence over all the calls of one run, so that what a model cites can be found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from footnote.domain import Evidence, Passage


@dataclass(slots=True)
class EvidenceLedger:
    """The evidence of one run; what tools show as `[n]` is the n-th.

    The same chunk keeps its number, also where a later call shows more of its document around
    it. Law: `ledger.evidence[n - 1].rank == n`.
    """

    _evidence: list[Evidence] = field(default_factory=list)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All that was shown, by number."""
        return tuple(self._evidence)

    def number(self, evidence: Evidence) -> int:
        """The number under which the evidence is shown."""
        for place, known in enumerate(self._evidence):
            if known.passage.chunk_id != evidence.passage.chunk_id:
                continue
            if _covers(known.passage, evidence.passage):
                return known.rank
            if _covers(evidence.passage, known.passage):
                self._evidence[place] = replace(evidence, rank=known.rank)
                return known.rank
        rank = len(self._evidence) + 1
        self._evidence.append(replace(evidence, rank=rank))
        return rank


def _covers(outer: Passage, inner: Passage) -> bool:
    return outer.char_start <= inner.char_start and inner.char_end <= outer.char_end
