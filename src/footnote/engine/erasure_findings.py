"""Counts of the data found before and after its erasure, for the certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from footnote.domain import ErasureCheck
from footnote.store.erasure import BLOBS, Family, Findings
from footnote.store.quotes import LABELS, StoredText

RETAINED = {
    "events": "tells others that it is gone: its id, and no name",
    "usage": "says what it cost: its id, and no content",
    "audit log": "says who did what with it: its id, and no content",
}
NOT_REACHED = (
    "backups and write-ahead logs made before: destroy them, or carry this erasure out again after "
    "one is restored (footnote erasure replay)",
    "pages of the database that hold deleted rows until they are vacuumed and used again",
    "the place it was handed in from: a source that still offers it hands it in again",
    "what somebody downloaded or was sent, and services that texts of it were sent to",
    "what was asked or answered about it in other words, without quoting it",
)
SEALED = (
    "backups have its texts and files encrypted: they cannot be read once the data key was renewed "
    "and the master key of before was retired"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureFindings:
    """The data of an erasure that a search found, before or after it."""

    findings: Findings
    written: tuple[StoredText, ...]
    """Texts of people and answers that quote it."""
    of_principal: Mapping[str, int]

    @property
    def counts(self) -> dict[str, int]:
        """Number of findings by place."""
        text_counts = dict.fromkeys(LABELS.values(), 0)
        for text in self.written:
            text_counts[LABELS[text.place]] += 1
        principal_counts = {
            f"{name} of the principal": count for name, count in self.of_principal.items()
        }
        return {**self.findings.counts, **text_counts, **principal_counts}


def checks_of(
    before: ErasureFindings, after: ErasureFindings, family: Family
) -> tuple[ErasureCheck, ...]:
    """The checks of a certificate: for each place, how much there was, and how much is left."""
    counts_before = before.counts | {BLOBS: len(family.blob_keys)}
    return tuple(
        ErasureCheck(
            place=place,
            held=counts_before.get(place, 0),
            left=left,
            kept=RETAINED.get(place, "") if left else "",
        )
        for place, left in after.counts.items()
    )
