"""Says what this installation has, what it lacks, and how to get it."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Awaitable
from dataclasses import replace

from footnote.domain import Check, Health
from footnote.engine import database_urls
from footnote.engine.installation import room_in
from footnote.engine.lanes import embedders_from
from footnote.engine.opening import reader_from_settings
from footnote.errors import DocumentUnreadable, FootnoteError
from footnote.ingestion.libreoffice import require_office
from footnote.ingestion.parsing.ocr import select_ocr
from footnote.ingestion.sandbox import mechanisms
from footnote.ingestion.sandbox.trial import try_out
from footnote.models.speech.installed import FFMPEG_INSTALL, decodes_everything, find_speech
from footnote.settings import Settings
from footnote.store.diagnostics import ADVISED, examine_database
from footnote.store.embedded import start_embedded
from footnote.store.home import require_home, require_usable

_LEAST_PYTHON = (3, 11)


async def examine(settings: Settings) -> Health:
    """Look at everything Footnote stands on. Never raises: what is wrong is in the answer.

    `ready` is about what must be right; optional things may be missing and say so.
    """
    refused = _refused_home(settings)
    required = [_python(), refused or _home(settings)]
    optional = [_ocr(settings), _office(), _speech(settings)]
    sandbox = await asyncio.to_thread(_sandbox, settings)
    (required if settings.parser_sandbox == "required" else optional).append(sandbox)
    if not refused:
        # Both keep what they make in it.
        required.append(await _guarded("embedding model", _model(settings)))
        optional.append(await _guarded("reader", _reader(settings)))
        for check in await asyncio.to_thread(_database, settings):
            (optional if check.name in ADVISED else required).append(check)
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


def _refused_home(settings: Settings) -> Check | None:
    """What is wrong with a home that is used for nothing; None where nothing is."""
    try:
        (require_usable if settings.database_url is None else require_home)(settings.home)
    except FootnoteError as error:
        return Check(name="home", ok=False, detail=str(error), hint=error.hint)
    return None


def _home(settings: Settings) -> Check:
    found = room_in(settings.home)
    return replace(found, detail=f"{settings.home}: {found.detail}")


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
            detail="no question can be answered with quotes: "
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
        program = require_office()
    except DocumentUnreadable as error:
        return Check(name="office pages", ok=False, detail=error.cause, hint=error.advice)
    return Check(name="office pages", ok=True, detail=program)


def _sandbox(settings: Settings) -> Check:
    """What the kernel keeps a reader of files from, as a process that tries it finds."""
    name = "parser sandbox"
    if settings.parser_sandbox == "off":
        detail = "readers of files may reach the network and all files: it is switched off"
        return Check(name=name, ok=False, detail=detail, hint="set FOOTNOTE_PARSER_SANDBOX=auto")
    there, trial = mechanisms(), try_out("auto")
    has = [f"Landlock {there.landlock}"] if there.landlock else []
    has += ["seccomp"] if there.seccomp else []
    lacking = [
        what
        for what, refused in (
            ("open sockets", trial is not None and trial.network),
            ("write outside their folders", trial is not None and trial.writing),
            ("read other files", trial is not None and trial.reading),
        )
        if not refused
    ]
    by = " and ".join(has) or "neither Landlock nor seccomp is there"
    return Check(
        name=name,
        ok=not lacking,
        detail=f"{by}: readers of files can {', '.join(lacking)}"
        if lacking
        else f"{by}: readers of files can open no socket, and no file but programs and their own",
        hint="use Linux 5.13 or newer with Landlock and seccomp, in a container that allows them",
    )


def _speech(settings: Settings) -> Check:
    name = "recordings"
    if settings.transcriber_url is not None or settings.transcriber_model is not None:
        return Check(name=name, ok=True, detail="the transcriber that the settings name")
    try:
        files = find_speech(settings.speech)
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
    everything = decodes_everything()
    lacking = "; M4A, MP4 and WebM need ffmpeg, which is not installed here"
    return Check(
        name=name,
        ok=everything,
        detail=files.name if everything else files.name + lacking,
        hint=f"install it with: {FFMPEG_INSTALL}",
    )


async def _guarded(name: str, look: Awaitable[Check]) -> Check:
    try:
        return await look
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
