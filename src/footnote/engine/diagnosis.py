"""Health checks of an installation, as far as a running server can make them without reloading."""

from __future__ import annotations

import asyncio
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from footnote.domain import Check, Health
from footnote.domain.encryption import BackedUpKeys
from footnote.domain.replicas import ReplicaStatus
from footnote.engine.backup_places import backup_check
from footnote.engine.configured_models import reader_from_settings
from footnote.engine.model_keys import model_keys_checks
from footnote.engine.services import WorkspaceAccess
from footnote.errors import DocumentUnreadable, FootnoteError, UnsupportedSettings
from footnote.ingestion.libreoffice import require_office
from footnote.ingestion.parsing.ocr import ocr_lacking, select_ocr
from footnote.ingestion.sandbox import mechanisms
from footnote.ingestion.sandbox.trial import try_out
from footnote.models.speech.installed import FFMPEG_INSTALL, decodes_everything, find_speech
from footnote.models.transcription import transcription_service
from footnote.security.secrets import FILE, is_readable_by_others, pepper_from
from footnote.settings import Settings
from footnote.store.data_keys import KeyRing
from footnote.store.diagnostics import ADVISED, examine_database, serves
from footnote.store.key_backup import all_stored_keys

_MIN_PYTHON = (3, 11)
_FREE_BYTES = 1024**3
"""Room for the database's first write-ahead log and the built model."""
_UNWRAPPED_AT_ONCE = 16
"""Workspaces whose keys are unwrapped concurrently."""
_MAX_NAMED_WORKSPACES = 5
"""Most workspaces named in the check whose keys cannot be unwrapped."""


async def examine_installation(workspace: WorkspaceAccess) -> Health:
    """Run the checks of `footnote doctor` in the running server, with a hint for each failure.

    For administrators of the whole workspace. Where callers prove who they are, an administrator of
    a workspace need not be the operator of the server: then details, which name folders and
    versions, are left out. Raises Forbidden.
    """
    engine = workspace.engine
    settings = engine.settings
    required = [
        python_check(),
        await asyncio.to_thread(room_in, settings.home),
        Check(name="embedding model", ok=True, detail=engine.lane.fingerprint),
        answer_models_check(engine.answer_models.names),
    ]
    required += await asyncio.to_thread(identity_secret_checks, settings)
    if engine.model is not None and has_separate_writer(settings):
        required.append(Check(name="language model", ok=True, detail=engine.model.name))
    if engine.reranker is not None:
        required.append(Check(name="reranker", ok=True, detail=engine.reranker.name))
    if settings.grounding_judge != "none":
        required.append(judge_check(settings))
    if settings.blob_url is not None:
        required.append(file_store_check(settings.blob_url))
    optional = [*optional_checks(settings), await reader_check(settings)]
    sandbox = await asyncio.to_thread(sandbox_check, settings)
    (required if settings.parser_sandbox == "required" else optional).append(sandbox)
    database_checks = await asyncio.to_thread(examine_database, engine.urls)
    for check in database_checks:
        (optional if check.name in ADVISED else required).append(check)
    if serves(database_checks):
        required.append(await master_key_check(engine.database.keys, engine.urls.owner))
    optional += replica_checks(engine.replicas.statuses())
    optional.append(await asyncio.to_thread(backup_check, settings))
    health = health_of(required, optional)
    if not settings.identity_ways:
        return health
    return replace(health, checks=tuple(replace(check, detail="") for check in health.checks))


async def master_key_check(keys: KeyRing, owner_url: str) -> Check:
    """Whether the master key at hand unwraps the data keys of all workspaces."""
    name = "master key"
    stored = [
        workspace_keys for workspace_keys in await all_stored_keys(owner_url) if workspace_keys.keys
    ]
    semaphore = asyncio.Semaphore(_UNWRAPPED_AT_ONCE)

    async def refusal(stored_keys: BackedUpKeys) -> tuple[str, FootnoteError] | None:
        async with semaphore:
            error = await keys.refusal(stored_keys)
        return None if error is None else (stored_keys.workspace, error)

    refused = [
        failure for failure in await asyncio.gather(*map(refusal, stored)) if failure is not None
    ]
    if not refused:
        detail = f"workspaces whose data keys it unwraps: {len(stored):,}"
        return Check(name=name, ok=True, detail=detail if stored else "nothing is under one yet")
    names = ", ".join(workspace for workspace, _ in refused[:_MAX_NAMED_WORKSPACES])
    ellipsis = ", …" if len(refused) > _MAX_NAMED_WORKSPACES else ""
    return Check(
        name=name,
        ok=False,
        detail=f"data keys of {len(refused):,} of {len(stored):,} workspaces ({names}{ellipsis}) "
        f"cannot be unwrapped: {refused[0][1]}",
        hint="bring back the master key that they are under, or name it in FOOTNOTE_MASTER_KEY; "
        "see footnote encryption status",
    )


def replica_checks(replicas: Sequence[ReplicaStatus]) -> list[Check]:
    """Whether each replica is read, how far behind it is, and how much it served."""
    return [
        Check(
            name=f"replica {replica.name}",
            ok=replica.fit,
            detail=f"{replica.detail}; served {replica.reads:,} reads",
            hint=None if replica.fit else "the primary is read; see docs/replicas.md",
            optional=True,
        )
        for replica in replicas
    ]


def health_of(required: list[Check], optional: list[Check]) -> Health:
    """Combine the checks: ready if all required ones pass; only failed ones keep their hint."""
    marked = (replace(check, optional=True) for check in optional)
    checks = tuple(
        replace(check, hint=None) if check.ok else check for check in (*required, *marked)
    )
    return Health(ready=all(check.ok for check in required), checks=checks)


def optional_checks(settings: Settings) -> list[Check]:
    """Return the checks of optional parts, which a server can do without."""
    checks = [_ocr(settings), _office(), _speech(settings), *model_keys_checks(settings)]
    path = settings.home / FILE
    if settings.identity_ways and settings.identity_secret is None and path.is_file():
        open_to_others = is_readable_by_others(settings.home)
        checks.append(
            Check(
                name="identity secret's file",
                ok=not open_to_others,
                detail=f"{'others' if open_to_others else 'no others'} may read or change {path}",
                hint=f"run: chmod 600 {path}",
            )
        )
    return checks


def identity_secret_checks(settings: Settings) -> list[Check]:
    """Check the secret that keys and sessions are verified with; empty without authentication."""
    if not settings.identity_ways:
        return []
    name, path = "identity secret", settings.home / FILE
    secret = settings.identity_secret
    if secret is None and not (path.exists() or path.is_symlink()):
        detail = f"no {path} yet; if keys were handed out before, bring theirs back"
        return [Check(name=name, ok=True, detail=detail)]
    try:
        pepper_from(None if secret is None else secret.get_secret_value(), settings.home)
    except UnsupportedSettings as error:
        return [Check(name=name, ok=False, detail=str(error), hint=error.hint)]
    detail = str(path) if secret is None else "set by FOOTNOTE_IDENTITY_SECRET"
    return [Check(name=name, ok=True, detail=detail)]


async def reader_check(settings: Settings, loaded: str = "loaded") -> Check:
    """Check that the reader, which finds quotes, and the models fitted to it are present."""
    name, reader = "reader", reader_from_settings(settings)
    if reader is None:
        return Check(
            name=name,
            ok=False,
            detail="no question can be answered with quotes: "
            + ("it is switched off" if settings.reader == "none" else "its weights are missing"),
            hint="reinstall footnote-engine, and leave FOOTNOTE_READER at packaged",
        )
    try:
        companions = await reader.companions()
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
    finally:
        await reader.close()
    spared = companions.screened and settings.reader == "packaged"
    details = [loaded, *(f"without {part}" for part in companions.lacking)]
    details += [] if spared else ["it looks through every passage that is indexed"]
    return Check(
        name=name,
        ok=not companions.lacking,
        detail="; ".join(details),
        hint="fit each to this reader, and put it beside its weights: training/README.md",
    )


def answer_models_check(names: Sequence[str]) -> Check:
    """Report the models that answer; their settings were accepted."""
    detail = ", ".join(names) or "none: answers quote documents"
    return Check(name="answer models", ok=True, detail=detail)


def judge_check(settings: Settings) -> Check:
    """Report the model that checks answers; its settings were accepted."""
    detail: str = settings.grounding_judge
    if detail == "reader" and settings.reader == "none":
        detail = "none, since FOOTNOTE_READER is none: exact values and shared words decide"
    return Check(name="grounding judge", ok=True, detail=detail)


def file_store_check(url: str) -> Check:
    """Report where files are stored, if not in the home; its options were accepted."""
    return Check(name="file store", ok=True, detail=url)


def has_separate_writer(settings: Settings) -> bool:
    """Return whether the language model is configured apart from the answer models."""
    return settings.language_model is not None and settings.answer_models is not None


def room_in(home: Path) -> Check:
    """Check that the folder of an installation can be used and has room."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(home).free
    except OSError as error:
        return Check(
            name="home",
            ok=False,
            detail=f"it cannot be used: {error.strerror}",
            hint="set FOOTNOTE_HOME to a folder you may write to",
        )
    ok = free >= _FREE_BYTES
    return Check(
        name="home",
        ok=ok,
        detail=f"{free / 1024**3:.1f} GiB free",
        hint=None if ok else "free some space, or set FOOTNOTE_HOME to a folder on another disk",
    )


def python_check() -> Check:
    """Whether Python is new enough."""
    return Check(
        name="python",
        ok=sys.version_info >= _MIN_PYTHON,
        detail=f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        hint="install Python 3.11 or newer",
    )


def _ocr(settings: Settings) -> Check:
    chosen = (settings.ocr_engine, settings.ocr_languages)
    if lacking := ocr_lacking(*chosen):
        detail, hint = lacking
        return Check(name="text recognition", ok=False, detail=detail, hint=hint)
    return Check(name="text recognition", ok=True, detail=type(select_ocr(*chosen)).__name__)


def _office() -> Check:
    try:
        program = require_office()
    except DocumentUnreadable as error:
        return Check(name="office pages", ok=False, detail=error.cause, hint=error.advice)
    return Check(name="office pages", ok=True, detail=program)


def sandbox_check(settings: Settings) -> Check:
    """Check what the parser sandbox blocks, by trying it in a confined process."""
    name = "parser sandbox"
    if settings.parser_sandbox == "off":
        detail = "readers of files may reach the network and all files: it is switched off"
        return Check(name=name, ok=False, detail=detail, hint="set FOOTNOTE_PARSER_SANDBOX=auto")
    available, trial = mechanisms(), try_out("auto")
    present = [f"Landlock {available.landlock}"] if available.landlock else []
    present += ["seccomp"] if available.seccomp else []
    lacking = [
        action
        for action, blocked in (
            ("open sockets", trial is not None and trial.network),
            ("write outside their folders", trial is not None and trial.writing),
            ("read other files", trial is not None and trial.reading),
        )
        if not blocked
    ]
    protection = " and ".join(present) or "neither Landlock nor seccomp is there"
    return Check(
        name=name,
        ok=not lacking,
        detail=f"{protection}: readers of files can {', '.join(lacking)}"
        if lacking
        else f"{protection}: readers of files can open no socket, and no file but programs and "
        "their own",
        hint="use Linux 5.13 or newer with Landlock and seccomp, in a container that allows them",
    )


def _speech(settings: Settings) -> Check:
    name = "recordings"
    try:
        if transcription_service(settings.speech) is not None:
            return Check(name=name, ok=True, detail="the service that FOOTNOTE_SPEECH names")
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
