"""Says whether two lanes may meet: vectors of one are comparable, vectors of two are not."""

from __future__ import annotations

from footnote.domain import Lane
from footnote.errors import LaneMismatch


def assert_same_lane(stored: Lane, at_hand: Lane) -> None:
    """Raise LaneMismatch unless vectors of the two lanes are comparable."""
    if stored.fingerprint == at_hand.fingerprint:
        return
    raise LaneMismatch(
        f"the workspace holds vectors of lane {stored.fingerprint}, "
        f"but the model at hand makes {at_hand.fingerprint}",
        hint=f"configure the model of {stored.fingerprint}, "
        "or re-embed the workspace with the model at hand",
    )
