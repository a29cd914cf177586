"""Plan a restore by manifests alone: the runs that it reads, and the times it can recover to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from footnote.domain.backups import Backup, BackupKind, BackupMethod, Manifest, RestorableSpan
from footnote.errors import CiphertextDamaged, NotFound
from footnote.store.server_backups import UNFINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The parts that a restore reads."""

    bases: tuple[Manifest, ...]
    """A full run, and the incremental runs that build on it, in order."""
    log: dict[str, str]
    """Segment of the write-ahead log to the backup part that has it."""
    until: datetime | None
    """Recovery target time; None to replay the whole log."""
    last: Manifest
    """The run with the end of the log and the index of files."""
    before: Manifest | None
    """The run before `last`, whose index has the files deleted since."""
    newest: Manifest
    """The newest run, with all known erasures, destroyed workspaces and keys."""

    @property
    def at(self) -> datetime:
        """The time whose state the restore recovers."""
        return self.until or self.last.backup.covered_until


def plan_of(
    runs: Sequence[Manifest], *, backup_id: str | None = None, at: datetime | None = None
) -> Plan:
    """Plan the restore of a run, a time, or the newest state; `runs` are oldest first.

    Raises NotFound where no backup reaches it, and CiphertextDamaged where a run that it needs is
    missing.
    """
    if not runs:
        raise NotFound("there is no backup", hint="make one: footnote backup create")
    if at is not None:
        first, last = _runs_covering(runs, at)
    else:
        if backup_id and all(run.backup.backup_id != backup_id for run in runs):
            raise NotFound(
                f"there is no backup {backup_id}", hint="footnote backup list shows which there are"
            )
        last = _index_of(runs, backup_id) if backup_id else len(runs) - 1
        first = _base_of(runs, last)
    bases = [runs[first]]
    while bases[0].backup.kind is not BackupKind.FULL:
        bases.insert(0, runs[_index_of(runs, bases[0].backup.base or "")])
    return Plan(
        bases=tuple(bases),
        log=_log_parts(runs[first : last + 1]),
        until=at,
        last=runs[last],
        before=runs[last - 1] if last else None,
        newest=runs[-1],
    )


def spans_of(backups: Sequence[Backup]) -> tuple[RestorableSpan, ...]:
    """Return the spans open to point-in-time recovery; `backups` are oldest first."""
    spans: list[RestorableSpan] = []
    since = until = None
    for previous, backup in zip([None, *backups], backups, strict=False):
        unbroken = (
            previous is not None and backup.continues == previous.backup_id and since is not None
        )
        if not unbroken:
            if since is not None and until is not None and since < until:
                spans.append(RestorableSpan(since=since, until=until))
            since = backup.consistent_at if backup.method is BackupMethod.PHYSICAL else None
        until = backup.covered_until
    if since is not None and until is not None and since < until:
        spans.append(RestorableSpan(since=since, until=until))
    return tuple(spans)


def _runs_covering(runs: Sequence[Manifest], at: datetime) -> tuple[int, int]:
    """Return the indices of the newest base before a time and of the run whose log covers it."""
    for first in reversed(range(len(runs))):
        base = runs[first].backup
        if base.consistent_at is None or base.consistent_at > at or not runs[first].log_end:
            continue
        for last in range(first, len(runs)):
            if last > first and runs[last].backup.continues != runs[last - 1].backup.backup_id:
                break
            if runs[last].backup.covered_until >= at:
                return first, last
        break
    spans = spans_of([run.backup for run in runs])
    available = ", ".join(f"{span.since.isoformat()} to {span.until.isoformat()}" for span in spans)
    raise NotFound(
        f"no backup leads to {at.isoformat()}",
        hint=f"these spans can be restored: {available}"
        if available
        else "no log was kept: restore a run",
    )


def _base_of(runs: Sequence[Manifest], last: int) -> int:
    first = last
    while runs[first].backup.kind is BackupKind.LOG:
        before = runs[first - 1] if first else None
        if before is None or runs[first].backup.continues != before.backup.backup_id:
            raise _missing_backup(runs[first].backup.continues or "before it")
        first -= 1
    return first


def _index_of(runs: Sequence[Manifest], backup_id: str) -> int:
    for number, run in enumerate(runs):
        if run.backup.backup_id == backup_id:
            return number
    raise _missing_backup(backup_id)


def _missing_backup(backup_id: str) -> CiphertextDamaged:
    return CiphertextDamaged(
        f"there is no backup {backup_id}",
        hint="footnote backup list shows which there are",
    )


def _log_parts(runs: Sequence[Manifest]) -> dict[str, str]:
    """Map each log segment to its newest part; a finished one replaces a partial one."""
    parts: dict[str, str] = {}
    for run in runs:
        for name in run.log_parts:
            parts[name.rpartition("/")[2].removesuffix(UNFINISHED)] = name
    return parts
