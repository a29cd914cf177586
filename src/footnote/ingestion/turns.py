"""Share a limited resource fairly among its owners, however often each asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class _Share:
    """A share that an owner holds or waits for."""

    owner: Hashable
    weight: int
    reserved: bool = False
    """Whether it is taken from the reserve."""
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class FairSemaphore:
    """A weighted semaphore that is fair between owners.

    The owner who holds least is next; among equals, the request that waited longest. No request
    overtakes a large one that waits, except from the reserve: an owner who holds nothing takes a
    small share from it at once, so that many shares of one owner never block another. A weight
    above the capacity counts as all of it. Bound to the event loop of its first use.
    """

    def __init__(self, capacity: int, reserve: int = 0) -> None:
        self._capacity = capacity
        self._free = {False: capacity, True: reserve}
        self._held: Counter[Hashable] = Counter()
        self._waiting: list[_Share] = []

    @asynccontextmanager
    async def hold(
        self,
        owner: Hashable,
        weight: int = 1,
        *,
        waiting: AbstractContextManager[None] | None = None,
    ) -> AsyncIterator[HeldShare]:
        """Wait for a share, inside the context `waiting`, and hold it for the duration of the
        block."""
        share = _Share(owner, min(weight, self._capacity))
        self._waiting.append(share)
        self._grant()
        try:
            with waiting or nullcontext():
                await share.granted.wait()
            yield HeldShare(self, share)
        finally:
            if share.granted.is_set():
                self._add(share, -share.weight)
            else:
                self._waiting.remove(share)
            self._grant()

    def _grant(self) -> None:
        overtaking = False
        # The order is stable: among equals it is that of arrival.
        for share in sorted(self._waiting, key=lambda share: self._held[share.owner]):
            if not overtaking and share.weight <= self._free[False]:
                share.reserved = False
            elif not self._held[share.owner] and share.weight <= self._free[True]:
                share.reserved = True
            else:
                overtaking = True
                continue
            self._waiting.remove(share)
            self._add(share, share.weight)
            share.granted.set()

    def _add(self, share: _Share, weight: int) -> None:
        self._free[share.reserved] -= weight
        self._held[share.owner] += weight
        if not self._held[share.owner]:
            del self._held[share.owner]


@dataclass(frozen=True, slots=True)
class HeldShare:
    """A share that is held."""

    _turns: FairSemaphore
    _share: _Share

    def grow(self, weight: int) -> None:
        """Raise the weight to this, if it is higher, without waiting: the resource is in use
        already."""
        increase = weight - self._share.weight
        if increase > 0:
            self._turns._add(self._share, increase)
            self._share.weight = weight


def _unlimited() -> FairSemaphore:
    return FairSemaphore(2**62)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The resources shared by the documents being ingested; unlimited by default."""

    memory: FairSemaphore = field(default_factory=_unlimited)
    """Bytes, held from fetching the file to publishing the version."""
    parsing: FairSemaphore = field(default_factory=_unlimited)
    """Files being parsed."""
    computing: FairSemaphore = field(default_factory=_unlimited)
    """Threads that chunk, count and analyse."""
    embedding: FairSemaphore = field(default_factory=_unlimited)
    """Texts being embedded."""
