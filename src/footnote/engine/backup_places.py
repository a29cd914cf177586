"""The backup store that the settings name, and the check that its last backup is recent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from footnote.domain import Check
from footnote.engine.answer_models import plain
from footnote.errors import FootnoteError, UnsupportedSettings
from footnote.security.encryption.backup_parts import backup_cipher_from
from footnote.settings import Settings
from footnote.store.backup_store import BackupStore, backup_store_at

_MAX_AGE = timedelta(days=2)
"""Age of the last backup at which the check fails."""
_NO_KEY = "head -c 32 /dev/urandom | base64 > backup.key, then FOOTNOTE_BACKUP_KEY=backup.key"


def backup_store_from(settings: Settings) -> BackupStore:
    """Open the backup store of the settings. Raises UnsupportedSettings and BlobsUnavailable."""
    if settings.backup_url is None:
        raise UnsupportedSettings(
            "The setting backup_url says nowhere to keep backups.",
            hint="set FOOTNOTE_BACKUP_URL to a folder or an object store",
        )
    key = plain(settings.backup_key)
    if key is None:
        raise UnsupportedSettings(
            "The setting backup_key names no key, and backups are always encrypted.", hint=_NO_KEY
        )
    cipher = backup_cipher_from(key)
    return backup_store_at(settings.backup_url, plain(settings.backup_options), cipher)


def backup_check(settings: Settings) -> Check:
    """Check that the last backup is less than two days old. Blocks."""
    name = "backup"
    if settings.backup_url is None:
        return Check(name=name, ok=True, detail="FOOTNOTE_BACKUP_URL is not set")
    try:
        store = backup_store_from(settings)
        store.require_key()
        ids = store.ids()
        last = store.manifest(ids[-1]).backup if ids else None
    except FootnoteError as error:
        return Check(name=name, ok=False, detail=str(error), hint=error.hint)
    if last is None:
        return Check(
            name=name, ok=False, detail="none was made yet", hint="run footnote backup create"
        )
    age = datetime.now(UTC) - last.covered_until
    return Check(
        name=name,
        ok=age < _MAX_AGE,
        detail=f"the last one covers {last.covered_until:%Y-%m-%d %H:%M} UTC, "
        f"{age.total_seconds() / 3600:,.1f} hours ago",
        hint="run footnote backup create, and have it run each day",
    )
