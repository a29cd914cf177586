"""Two lanes meet only when their vectors are comparable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.errors import LaneMismatch
from footnote.models.testing import HashEmbedder
from footnote.store.workspaces import assert_same_lane

LANE = HashEmbedder().lane


def test_the_same_lane_passes_whatever_languages_it_claims() -> None:
    assert_same_lane(LANE, replace(LANE, languages=("en",)))


@pytest.mark.parametrize("change", [{"revision": "2"}, {"dimensions": 65}, {"model": "other"}])
def test_another_lane_is_refused_and_both_are_named(change: dict[str, str]) -> None:
    other = replace(LANE, **change)  # type: ignore[arg-type]
    with pytest.raises(LaneMismatch) as raised:
        assert_same_lane(LANE, other)
    assert LANE.fingerprint in str(raised.value)
    assert other.fingerprint in str(raised.value)
    assert raised.value.hint
