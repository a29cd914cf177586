"""Export the wrapped data keys of all workspaces to a file, and import them after a restore."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from footnote.domain.encryption import BackedUpKeys, KeyExport, KeyImport
from footnote.engine.services import Services
from footnote.errors import Conflict, InvalidRequest, KeyUnavailable
from footnote.store.key_backup import all_stored_keys, restore_keys
from footnote.store.workspaces import list_workspaces
from footnote.validation.text import json_fault

FORMAT = "footnote-data-keys-1"
_CONTENT = TypeAdapter(
    tuple[BackedUpKeys, ...], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
)


async def export_keys(engine: Services, path: Path) -> KeyExport:
    """Write the wrapped data keys of all workspaces into a file that only its owner can read.

    An earlier export is replaced. Raises Conflict for a file that is something else, or holds a
    newer wrapping than the database does, and InvalidRequest where it cannot be written.
    """
    stored_keys = await all_stored_keys(engine.owner_url)
    if await asyncio.to_thread(path.exists):
        try:
            earlier = await asyncio.to_thread(_read, path)
        except InvalidRequest as error:
            raise Conflict(
                f"{path} is there, and is no export of keys", hint="name another file"
            ) from error
        if newer := _newer_workspaces(earlier, stored_keys):
            raise Conflict(
                f"{path} holds newer keys of {', '.join(newer)} than the database",
                hint="if the database was restored, run `footnote encryption import-keys` with it; "
                "else name another file",
            )
    try:
        digest = await asyncio.to_thread(write_keys, path, stored_keys)
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}", hint="check the path and its rights"
        ) from error
    keys = sum(len(workspace_keys.keys) for workspace_keys in stored_keys)
    return KeyExport(path=str(path), workspaces=len(stored_keys), keys=keys, sha256=digest)


def write_keys(path: Path, keys: tuple[BackedUpKeys, ...]) -> str:
    """Write an export of these keys, and return its checksum. Raises OSError."""
    content = json.loads(_CONTENT.dump_json(keys))
    digest = _digest(content)
    written = {
        "format": FORMAT,
        "exported_at": datetime.now(UTC).isoformat(),
        "workspaces": content,
        "sha256": digest,
    }
    _write(path, json.dumps(written, indent=1) + "\n")
    return digest


async def import_keys(engine: Services, path: Path) -> KeyImport:
    """Restore the keys of an export, each in place of an older wrapping of the same key.

    All are checked before any is changed; an import that is interrupted is finished by repeating
    it. Raises InvalidRequest for a file that is no export or was changed, Conflict where the
    database has a newer wrapping or another key, and KeyUnavailable for what the master key does
    not unwrap.
    """
    exported = await asyncio.to_thread(_read, path)
    stored = {
        workspace_keys.workspace_id: workspace_keys
        for workspace_keys in await all_stored_keys(engine.owner_url)
    }
    if newer := _newer_workspaces(tuple(stored.values()), exported):
        raise Conflict(
            f"the database has newer keys of {', '.join(newer)} than {path}",
            hint="import the newest export; this one is older than the database",
        )
    present = [exported_keys for exported_keys in exported if exported_keys.workspace_id in stored]
    for exported_keys in present:
        await _require_same(engine, stored[exported_keys.workspace_id], exported_keys)
    workspaces = {
        workspace.workspace_id: workspace for workspace in await list_workspaces(engine.owner_url)
    }
    restored = unchanged = 0
    for exported_keys in present:
        versions = {key.version: key.wrapped for key in stored[exported_keys.workspace_id].keys}
        changed = [key for key in exported_keys.keys if versions.get(key.version) != key.wrapped]
        unchanged += len(exported_keys.keys) - len(changed)
        restored += len(changed)
        await restore_keys(
            engine.database,
            engine.owner_url,
            workspaces[exported_keys.workspace_id],
            changed,
            lost=not versions,
        )
    exported_ids = {exported_keys.workspace_id for exported_keys in exported}
    return KeyImport(
        restored=restored,
        unchanged=unchanged,
        absent=tuple(
            exported_keys.workspace
            for exported_keys in exported
            if exported_keys.workspace_id not in stored
        ),
        unlisted=tuple(
            stored_keys.workspace
            for key, stored_keys in stored.items()
            if key not in exported_ids and stored_keys.keys
        ),
    )


async def _require_same(engine: Services, stored: BackedUpKeys, exported: BackedUpKeys) -> None:
    """Raise KeyUnavailable for a key that cannot be unwrapped, Conflict for a different key."""
    ring, versions = engine.database.keys, {key.version: key for key in stored.keys}
    for key in exported.keys:
        opened = await ring.unwrap(key.wrapped, key.master_key, exported.workspace_id)
        existing = versions.get(key.version)
        if existing is None or existing.wrapped == key.wrapped:
            continue
        with suppress(KeyUnavailable):  # As expected after a restore: what wrapped it is retired.
            if opened != await ring.unwrap(
                existing.wrapped, existing.master_key, exported.workspace_id
            ):
                raise Conflict(
                    f"the data key {key.version} of {exported.workspace} is another one here",
                    hint="the workspace went on after the export; import a newer one",
                )


def _newer_workspaces(
    candidates: tuple[BackedUpKeys, ...], reference: tuple[BackedUpKeys, ...]
) -> list[str]:
    """Return the workspaces with a key that was wrapped later than in `reference`."""
    reference_times = {
        (workspace_keys.workspace_id, key.version): key.wrapped_at
        for workspace_keys in reference
        for key in workspace_keys.keys
    }
    return [
        workspace_keys.workspace
        for workspace_keys in candidates
        if any(
            key.wrapped_at
            > reference_times.get((workspace_keys.workspace_id, key.version), key.wrapped_at)
            for key in workspace_keys.keys
        )
    ]


def _read(path: Path) -> tuple[BackedUpKeys, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise _invalid_export(path, "it is no text") from error
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid_export(path, json_fault(error)) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _invalid_export(path, f"its format is not {FORMAT}")
    content = document.get("workspaces")
    if _digest(content) != document.get("sha256"):
        raise _invalid_export(path, "its checksum is another one, so it was changed or cut off")
    try:
        return _CONTENT.validate_json(json.dumps(content))
    except ValidationError as error:
        raise _invalid_export(path, "it holds what no key is") from error


def _invalid_export(path: Path, why: str) -> InvalidRequest:
    return InvalidRequest(
        f"{path} is no export of keys: {why}",
        hint="give a file that `footnote encryption export-keys` wrote",
    )


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file atomically: to a temporary file, synced, then renamed."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
