"""Every error has a status, an exit code and a name, in one table."""

import inspect

import pytest

from footnote import errors
from footnote.domain import Stage
from footnote.interfaces.cli.options import EXIT_CODES
from footnote.interfaces.failures import FAILURES, failure_of

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.FootnoteError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_finds_its_failure(kind: type[errors.FootnoteError]) -> None:
    error = (
        kind(stage=Stage.PARSE, cause="it is broken", advice="send another")
        if issubclass(kind, errors.DocumentFailed)
        else kind("no")
    )
    failure = failure_of(error)
    assert 400 <= failure.status < 600
    assert f"{failure.exit_code} " in EXIT_CODES


def test_what_a_retry_can_heal_is_unavailable_and_not_refused() -> None:
    for kind, failure in FAILURES.items():
        assert (failure.status in {429, 503}) == (kind.retryable or kind is errors.NotReady)


def test_each_status_and_exit_code_is_the_promised_one() -> None:
    promised = {
        errors.InvalidRequest: (422, 2),
        errors.NotFound: (404, 3),
        errors.Conflict: (409, 2),
        errors.LaneMismatch: (409, 4),
        errors.LaneUnavailable: (503, 4),
        errors.ModelUnavailable: (503, 4),
        errors.StoreUnavailable: (503, 4),
        errors.NotReady: (503, 4),
    }
    for kind, expected in promised.items():
        assert (FAILURES[kind].status, FAILURES[kind].exit_code) == expected
