"""Compare a source's current listing with the entries known from earlier syncs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from footnote.domain.sources import Changes, KnownEntry, Offered


def changes_between(
    offered: Sequence[Offered],
    known: Sequence[KnownEntry],
    *,
    out_of_sight: Sequence[str] = (),
    read_again: Callable[[KnownEntry], bool] = lambda _: False,
) -> Changes:
    """Split a source's listing into unchanged, changed, unsettled and missing entries.

    Law: each thing offered is in exactly one of unchanged, to_read and waiting; each entry whose
    id is not offered, and lies below none of `out_of_sight`, is missing. An entry for which
    `read_again` holds is read although its mark is the same.
    """
    entries = {entry.external_id: entry for entry in known}
    unchanged: list[KnownEntry] = []
    to_read: list[Offered] = []
    waiting: list[Offered] = []
    for offer in offered:
        entry = entries.get(offer.external_id)
        if not offer.settled:
            waiting.append(offer)
        elif entry is None or not offer.mark or entry.mark != offer.mark or read_again(entry):
            to_read.append(offer)
        else:
            unchanged.append(entry)
    offered_ids = {offer.external_id for offer in offered}
    missing = (
        entry
        for entry in entries.values()
        if entry.external_id not in offered_ids
        and not any(is_below(entry.external_id, place) for place in out_of_sight)
    )
    return Changes(
        unchanged=tuple(unchanged),
        to_read=tuple(to_read),
        waiting=tuple(waiting),
        missing=tuple(missing),
    )


def is_below(external_id: str, place: str) -> bool:
    """Whether the id is the place or lies within it."""
    return external_id == place or external_id.startswith(f"{place.rstrip('/')}/")


def deletable(changes: Changes, known: int) -> tuple[KnownEntry, ...]:
    """Return the missing entries that may be deleted.

    If all of several known entries are missing at once, none may be: the disk is probably not
    mounted, or the server lists nothing.
    """
    return () if known > 1 and len(changes.missing) == known else changes.missing
