"""A try that lost the database does not count, unless that happens again and again."""

from __future__ import annotations

from procrastinate import RetryStrategy
from procrastinate.jobs import Job

from footnote.domain import Stage
from footnote.errors import DocumentInterrupted, StoreFull, StoreUnavailable
from footnote.jobs.running_jobs import MAX_LOSSES, WorkerRetryStrategy


def a_job(job_id: int = 7, attempts: int = 0) -> Job:
    return Job(
        id=job_id,
        queue="ingest",
        lock=None,
        queueing_lock=None,
        task_name="ingest_document",
        attempts=attempts,
    )


def test_a_job_that_lost_the_database_is_spared_and_tried_at_once() -> None:
    spared: list[int] = []
    again = WorkerRetryStrategy(RetryStrategy(max_attempts=3), spared.append)
    lost = StoreUnavailable("the server went away")
    for _ in range(MAX_LOSSES):
        assert again.get_retry_decision(exception=lost, job=a_job()) is not None
    assert spared == [7] * MAX_LOSSES


def test_a_job_that_takes_the_database_with_it_each_time_comes_to_its_end() -> None:
    spared: list[int] = []
    again = WorkerRetryStrategy(RetryStrategy(max_attempts=3), spared.append)
    lost = StoreUnavailable("the server went away")
    for _ in range(MAX_LOSSES):
        again.get_retry_decision(exception=lost, job=a_job())
    assert again.get_retry_decision(exception=lost, job=a_job(attempts=3)) is None
    assert len(spared) == MAX_LOSSES
    assert again.get_retry_decision(exception=lost, job=a_job(8, attempts=3)) is not None


def test_a_full_disk_is_waited_for_however_long_and_other_failures_count() -> None:
    spared: list[int] = []
    again = WorkerRetryStrategy(RetryStrategy(max_attempts=3), spared.append)
    for _ in range(2 * MAX_LOSSES):
        assert again.get_retry_decision(exception=StoreFull("full"), job=a_job()) is not None
    assert len(spared) == 2 * MAX_LOSSES
    broken = DocumentInterrupted(stage=Stage.EMBED, cause="it broke", advice="try again")
    assert again.get_retry_decision(exception=broken, job=a_job(9, attempts=3)) is None
    assert 9 not in spared
