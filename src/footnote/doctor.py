"""Says what this installation has, what it lacks, and how to get it."""

from __future__ import annotations

import asyncio
import platform
import shutil
import sys
from collections.abc import Awaitable
from dataclasses import replace

from footnote.domain import Check, Health
from footnote.engine import database_urls
from footnote.engine.lanes import embedders_from
from footnote.engine.opening import reader_from_settings
from footnote.errors import DocumentUnreadable, FootnoteError
from footnote.ingestion.parsing.ocr import select_ocr
from footnote.ingestion.rendering.office import find_office
from footnote.settings import Settings
from footnote.store.embedded import start_embedded
from footnote.store.examination import examine_database

_LEAST_PYTHON = (3, 11)
_FREE_BYTES = 1024**3  # Room for the database's first write-ahead log and the built model.


async def examine(settings: Settings) -> Health:
    """Look at everything Footnote stands on. Never raises: what is wrong is in the answer.

    `ready` is about what must be right; optional things may be missing and say so.
    """
    required = [
        _python(),
        _home(settings),
        await _guarded("embedding model", _model(settings)),
        *await asyncio.to_thread(_database, settings),
    ]
    optional = [_ocr(settings), _office(), await _guarded("reader", _reader(settings))]
    checks = tuple(
        replace(check, hint=None) if check.ok else check for check in (*required, *optional)
    )
    return Health(ready=all(check.ok for check in required), checks=checks)


def _python() -> Check:
    return Check(
        name="python",
        ok=sys.version_info >= _LEAST_PYTHON,
        detail=f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        hint="install Python 3.11 or newer",
    )


def _home(settings: Settings) -> Check:
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(settings.home).free
    except OSError as error:
        return Check(
            name="home",
            ok=False,
            detail=f"{settings.home} cannot be used: {error.strerror}",
            hint="set FOOTNOTE_HOME to a folder you may write to",
        )
    return Check(
        name="home",
        ok=free >= _FREE_BYTES,
        detail=f"{settings.home}, {free / 1024**3:.1f} GiB free",
        hint="free some space, or set FOOTNOTE_HOME to a folder on another disk",
    )


async def _model(settings: Settings) -> Check:
    embedders = embedders_from(settings)
    try:
        embedder = await embedders.primary()
        return Check(name="embedding model", ok=True, detail=embedder.lane.fingerprint)
    finally:
        await embedders.close()


async def _reader(settings: Settings) -> Check:
    reader = reader_from_settings(settings)
    if reader is None:
        return Check(
            name="reader",
            ok=False,
            detail="answers are found by rules: "
            + ("it is switched off" if settings.reader == "none" else "its weights are missing"),
            hint="reinstall footnote-engine, and leave FOOTNOTE_READER at packaged",
        )
    try:
        return Check(name="reader", ok=True, detail=(await reader.opened()).name)
    finally:
        await reader.close()


def _database(settings: Settings) -> tuple[Check, ...]:
    server = None
    try:
        if settings.database_url is None:
            server = start_embedded(settings.home)
        return examine_database(*database_urls(settings, server))
    except FootnoteError as error:
        return (Check(name="database", ok=False, detail=str(error), hint=error.hint),)
    finally:
        if server is not None:
            server.release()


def _ocr(settings: Settings) -> Check:
    try:
        engine = select_ocr(settings.ocr, settings.ocr_languages)
    except DocumentUnreadable as error:
        return Check(name="text recognition", ok=False, detail=error.cause, hint=error.advice)
    return Check(name="text recognition", ok=True, detail=type(engine).__name__)


def _office() -> Check:
    try:
        program = find_office()
    except DocumentUnreadable as error:
        return Check(name="office pages", ok=False, detail=error.cause, hint=error.advice)
    return Check(name="office pages", ok=True, detail=program)


async def _guarded(name: str, look: Awaitable[Check]) -> Check:
    try:
        return await look
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
