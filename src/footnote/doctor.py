"""Checks what this installation has, what it lacks, and how to get it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace

from footnote.domain import Check, Health
from footnote.engine import database_urls
from footnote.engine.answer_models import answer_models_from, plain
from footnote.engine.backup_places import backup_check
from footnote.engine.configured_models import (
    judge_from_settings,
    language_model_from_settings,
    reader_from_settings,
    reranker_from_settings,
)
from footnote.engine.diagnosis import (
    answer_models_check,
    file_store_check,
    has_separate_writer,
    health_of,
    identity_secret_checks,
    judge_check,
    master_key_check,
    optional_checks,
    python_check,
    reader_check,
    room_in,
    sandbox_check,
)
from footnote.engine.encryption import key_ring_from
from footnote.engine.lanes import embedders_from
from footnote.errors import FootnoteError
from footnote.settings import Settings
from footnote.store.blobs import blobs_from
from footnote.store.diagnostics import ADVISED, examine_database, examine_replicas, serves
from footnote.store.embedded import start_embedded
from footnote.store.home import require_home, require_usable


async def examine(settings: Settings) -> Health:
    """Check everything that Footnote depends on. Never raises: faults are in the result.

    `ready` depends on the required checks; optional parts may be missing and are reported.
    """
    refused = _refused_home(settings)
    required = [python_check(), refused or _home(settings)]
    required.append(await _guarded("answer models", _answer_models(settings)))
    required += await asyncio.to_thread(identity_secret_checks, settings)
    if has_separate_writer(settings):
        required.append(await _guarded("language model", _language_model(settings)))
    if settings.reranker != "none":
        required.append(await _guarded("reranker", _reranker(settings)))
    if settings.grounding_judge != "none":
        required.append(await _guarded("grounding judge", _judge(settings)))
    if settings.blob_url is not None:
        required.append(await _guarded("file store", _file_store(settings, settings.blob_url)))
    optional = optional_checks(settings)
    sandbox = await asyncio.to_thread(sandbox_check, settings)
    (required if settings.parser_sandbox == "required" else optional).append(sandbox)
    if not refused:
        # Both store files in it.
        required.append(await _guarded("embedding model", _model(settings)))
        optional.append(await _guarded("reader", _reader(settings)))
        for check in await _database(settings):
            advised = check.name in ADVISED or check.name.startswith("replica ")
            (optional if advised else required).append(check)
    optional.append(await asyncio.to_thread(backup_check, settings))
    return health_of(required, optional)


def _refused_home(settings: Settings) -> Check | None:
    """The failed check of an unusable home; None for a usable one."""
    try:
        (require_usable if settings.database_url is None else require_home)(settings.home)
    except FootnoteError as error:
        return Check(name="home", ok=False, detail=str(error), hint=error.hint)
    return None


def _home(settings: Settings) -> Check:
    check = room_in(settings.home)
    return replace(check, detail=f"{settings.home}: {check.detail}")


async def _model(settings: Settings) -> Check:
    embedders = embedders_from(settings)
    try:
        embedder = await embedders.primary()
        return Check(name="embedding model", ok=True, detail=embedder.lane.fingerprint)
    finally:
        await embedders.close()


async def _answer_models(settings: Settings) -> Check:
    models = answer_models_from(settings)
    await models.close()
    return answer_models_check(models.names)


async def _language_model(settings: Settings) -> Check:
    model = language_model_from_settings(settings)
    assert model is not None, "one is named"
    await model.close()
    return Check(name="language model", ok=True, detail=model.name)


async def _reranker(settings: Settings) -> Check:
    reader = reader_from_settings(settings)
    reranker = reranker_from_settings(settings, reader)
    assert reranker is not None, "one is named"
    await reranker.close()
    return Check(name="reranker", ok=True, detail=reranker.name)


async def _judge(settings: Settings) -> Check:
    reader, model = reader_from_settings(settings), None
    if settings.grounding_judge == "language_model":
        model = language_model_from_settings(settings)
    judge = judge_from_settings(settings, reader, model)
    if judge is not None:
        await judge.close()
    return judge_check(settings)


async def _file_store(settings: Settings, url: str) -> Check:
    blobs_from(settings.home / "blobs", url, plain(settings.blob_options))
    return file_store_check(url)


async def _reader(settings: Settings) -> Check:
    reader = reader_from_settings(settings)
    if reader is None:
        return await reader_check(settings)
    try:
        return await reader_check(settings, (await reader.opened()).name)
    finally:
        await reader.close()


async def _database(settings: Settings) -> tuple[Check, ...]:
    server = None
    try:
        if settings.database_url is None:
            server = await asyncio.to_thread(start_embedded, settings.home)
        urls = database_urls(settings, server)
        checks = await asyncio.to_thread(examine_database, urls)
        if serves(checks):
            checks = (*checks, await _guarded("master key", _master_key(settings, urls.owner)))
        replicas = settings.replica_database_urls.split()
        return (*checks, *await asyncio.to_thread(examine_replicas, urls.application, replicas))
    except FootnoteError as error:
        return (Check(name="database", ok=False, detail=str(error), hint=error.hint),)
    finally:
        if server is not None:
            await asyncio.to_thread(server.release)


async def _master_key(settings: Settings, owner_url: str) -> Check:
    return await master_key_check(key_ring_from(settings), owner_url)


async def _guarded(name: str, check: Awaitable[Check]) -> Check:
    try:
        return await check
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
