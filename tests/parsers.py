"""Processes that read files, which the tests of a process share where these are not the subject."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain
from typing import Any

from footnote.ingestion.parsing.subprocess import ChildParser

_IDLE: dict[asyncio.AbstractEventLoop, dict[str, list[ChildParser]]] = {}
"""By the loop on which they are kept, and what they were opened with."""


@asynccontextmanager
async def keeping_parsers() -> AsyncIterator[None]:
    """Keep those of this loop until the block is left."""
    idle = _IDLE[asyncio.get_running_loop()] = {}
    try:
        yield
    finally:
        del _IDLE[asyncio.get_running_loop()]
        for parser in chain.from_iterable(idle.values()):
            await parser.aclose()


@asynccontextmanager
async def kept_parser(**options: Any) -> AsyncIterator[ChildParser]:
    """One that was opened with these options, or a fresh one where none are kept."""
    idle = _IDLE.get(asyncio.get_running_loop())
    if idle is None:
        async with ChildParser(**options) as parser:
            yield parser
        return
    alike = idle.setdefault(repr(options), [])
    parser = alike.pop() if alike else ChildParser(**options)
    try:
        yield parser
    finally:
        alike.append(parser)
