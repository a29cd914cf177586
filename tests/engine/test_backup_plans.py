"""Manifests alone decide which runs are read, and which moments can be restored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from footnote.domain.backups import (
    BackedUpServer,
    Backup,
    BackupKind,
    BackupMethod,
    Manifest,
    RestorableSpan,
)
from footnote.engine.backup_plans import plan_of, spans_of
from footnote.errors import CiphertextDamaged, NotFound

FULL, INCREMENTAL, LOG = BackupKind.FULL, BackupKind.INCREMENTAL, BackupKind.LOG
SERVER = BackedUpServer(
    system_identifier="1",
    timeline=1,
    version=180004,
    embedded=True,
    database="footnote",
    superuser="postgres",
    application_login="footnote_app",
    owner_login="footnote_owner",
)


def at(minute: float) -> datetime:
    return datetime(2026, 11, 25, tzinfo=UTC) + timedelta(minutes=minute)


def run(
    minute: int,
    kind: BackupKind,
    *,
    base: int | None = None,
    continues: int | None = None,
    log: tuple[str, ...] = (),
    method: BackupMethod = BackupMethod.PHYSICAL,
) -> Manifest:
    """A run that began in that minute, whose base was complete half a minute later."""
    physical = method is BackupMethod.PHYSICAL
    return Manifest(
        backup=Backup(
            backup_id=str(minute),
            kind=kind,
            method=method,
            base=None if base is None else str(base),
            started_at=at(minute),
            finished_at=at(minute + 1),
            consistent_at=None if kind is LOG or not physical else at(minute + 0.5),
            covered_until=at(minute + 0.75),
            continues=None if continues is None else str(continues),
            footnote_version="1",
            schema="0001",
            server=SERVER,
            workspaces=1,
            documents=1,
            files=1,
            new_files=1,
            erasures=0,
            destroyed_workspaces=0,
            recorded_answers=0,
            parts=(),
            file_bytes=0,
        ),
        base_part=f"runs/{minute}/base",
        server_manifest="",
        log_parts=tuple(f"runs/{minute}/log/{each}" for each in log),
        log_end="0/1" if physical else "",
        file_index="",
        keys=(),
        erasures=(),
        destroyed=(),
        answers=(),
    )


RUNS = [
    run(10, FULL, log=("01", "02.partial")),
    run(20, INCREMENTAL, base=10, continues=10, log=("02", "03.partial")),
    run(30, LOG, base=20, continues=20, log=("03", "04.partial")),
    run(40, INCREMENTAL, base=20, log=("07.partial",)),
    run(50, LOG, base=40, continues=40, log=("07", "08.partial")),
]


def ids(runs: tuple[Manifest, ...]) -> list[str]:
    return [each.backup.backup_id for each in runs]


def test_without_more_the_newest_state_is_planned() -> None:
    plan = plan_of(RUNS)
    assert ids(plan.bases) == ["10", "20", "40"]
    assert plan.log == {"07": "runs/50/log/07", "08": "runs/50/log/08.partial"}
    assert (plan.until, plan.at) == (None, at(50.75))


def test_a_run_is_planned_with_the_chain_below_it() -> None:
    plan = plan_of(RUNS, backup_id="30")
    assert ids(plan.bases) == ["10", "20"]
    assert plan.log == {
        "02": "runs/20/log/02",
        "03": "runs/30/log/03",
        "04": "runs/30/log/04.partial",
    }
    assert plan.newest is RUNS[-1]


def test_a_moment_is_reached_from_the_newest_base_before_it() -> None:
    plan = plan_of(RUNS, at=at(15))
    assert (ids(plan.bases), plan.last.backup.backup_id) == (["10"], "20")
    assert plan.log["02"] == "runs/20/log/02"
    assert plan.until == plan.at == at(15)
    assert ids(plan_of(RUNS, at=at(25)).bases) == ["10", "20"]


@pytest.mark.parametrize("minute", [5, 10.2, 35, 60], ids=["before", "during", "gap", "after"])
def test_a_moment_without_a_log_is_refused_with_those_that_have_one(minute: float) -> None:
    with pytest.raises(NotFound, match="no backup leads") as refused:
        plan_of(RUNS, at=at(minute))
    assert at(10.5).isoformat() in (refused.value.hint or "")


def test_spans_end_where_the_log_has_a_gap() -> None:
    assert spans_of([each.backup for each in RUNS]) == (
        RestorableSpan(since=at(10.5), until=at(30.75)),
        RestorableSpan(since=at(40.5), until=at(50.75)),
    )


def test_dumps_are_restored_as_they_are_and_have_no_span() -> None:
    dumps = [run(10, FULL, method=BackupMethod.LOGICAL)]
    assert spans_of([each.backup for each in dumps]) == ()
    assert plan_of(dumps).log == {}
    with pytest.raises(NotFound, match="no backup leads"):
        plan_of(dumps, at=at(10.8))


def test_a_run_that_nobody_made_is_not_found() -> None:
    with pytest.raises(NotFound, match="no backup 99"):
        plan_of(RUNS, backup_id="99")


def test_a_chain_with_a_missing_run_is_refused() -> None:
    with pytest.raises(CiphertextDamaged, match="no backup 10"):
        plan_of(RUNS[1:])
    with pytest.raises(CiphertextDamaged):
        plan_of(RUNS[2:3])
    with pytest.raises(NotFound):
        plan_of([])
