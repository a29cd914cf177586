"""Back up stored files incrementally, and restore those wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from footnote.domain.backups import BackupPart
from footnote.errors import BlobsUnavailable, CiphertextDamaged
from footnote.store.backup_store import BackupStore
from footnote.store.home import private_folder
from footnote.store.object_stores import store_at, store_message
from footnote.store.read_ahead import read_ahead

_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFile:
    """A stored file in a backup."""

    key: str
    version: str
    """Tag that differs from an earlier file under the same key, such as one before
    re-encryption."""
    part: BackupPart


Files = Mapping[str, BackupFile]
"""Stored files by blob key."""


def files_at(folder: Path, url: str | None, options: str | None) -> ObjectStore:
    """Return the store of files; nothing is contacted yet. Raises UnsupportedSettings."""
    if url is None:
        private_folder(folder)
        return LocalStore(folder, mkdir=True)
    return store_at(url, options, "blob_url", "blob_options")


@dataclass(slots=True)
class FileCopies:
    """Copies stored files into backups."""

    source: ObjectStore
    source_folder: Path | None
    backups: BackupStore
    known: Files
    found: dict[str, BackupFile] = field(default_factory=dict)
    """All files seen during the run."""
    new: set[str] = field(default_factory=set)
    """Keys of the files copied during the run."""
    new_bytes: int = 0

    def copy(self, report: Callable[[int], None]) -> None:
        """Copy files that no backup has yet; `report` receives the number copied so far."""
        for key, version in self._listed():
            existing = self.found.get(key) or self.known.get(key)
            if existing is not None and existing.version == version:
                self.found[key] = existing
                continue
            name = f"files/{self.backups.cipher.name_of(f'{key} {version}')}"
            try:
                part = self.backups.write(name, self._content(key), compress=False)
            except FileNotFoundError:
                continue  # Deleted meanwhile, with its document.
            self.found[key] = BackupFile(key=key, version=version, part=part)
            self.new.add(key)
            self.new_bytes += part.bytes
            report(len(self.new))

    def _listed(self) -> Iterator[tuple[str, str]]:
        if self.source_folder is not None and not self.source_folder.is_dir():
            return
        try:
            for batch in obstore.list(self.source):
                for entry in batch:
                    tag = entry["e_tag"] or entry["last_modified"].isoformat()
                    yield entry["path"], f"{tag} {entry['size']}"
        except (OSError, BaseError) as error:
            raise _unreachable(error) from error

    def _content(self, key: str) -> Iterator[bytes]:
        try:
            for piece in obstore.get(self.source, key).stream(min_chunk_size=_READ_BYTES):
                yield bytes(piece)
        except FileNotFoundError:
            raise
        except (OSError, BaseError) as error:
            raise _unreachable(error) from error


def write_index(backups: BackupStore, name: str, files: Files) -> BackupPart:
    """Write the file index of a run."""
    lines = (json.dumps(asdict(files[key])).encode() + b"\n" for key in sorted(files))
    return backups.write(name, lines)


def read_index(backups: BackupStore, name: str) -> dict[str, BackupFile]:
    """Read the file index of a run. Raises CiphertextDamaged."""
    rows = map(json.loads, b"".join(backups.read(name)).splitlines())
    return {row["key"]: BackupFile(**{**row, "part": BackupPart(**row["part"])}) for row in rows}


def restore_files(
    backups: BackupStore,
    target: ObjectStore,
    files: Files,
    keys: Iterable[str],
    report: Callable[[int], None],
) -> tuple[int, tuple[str, ...]]:
    """Restore the files with these keys; return their number, and the keys that no backup has."""
    done, missing = 0, []
    for key in keys:
        stored = files.get(key)
        if stored is None:
            missing.append(key)
            continue
        plain = backups.read(stored.part.name, compressed=False, part=stored.part)
        try:
            with read_ahead(plain) as pieces:
                obstore.put(target, key, pieces, chunk_size=5 * _READ_BYTES)
        except CiphertextDamaged:
            raise
        except (OSError, BaseError) as error:
            raise _unreachable(error) from error
        done += 1
        report(done)
    return done, tuple(missing)


def is_empty(target: ObjectStore, folder: Path | None) -> bool:
    """Whether there are no stored files."""
    if folder is not None and not folder.is_dir():
        return True
    try:
        return not any(batch for batch in obstore.list(target, chunk_size=1))
    except (OSError, BaseError) as error:
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> BlobsUnavailable:
    return BlobsUnavailable(
        f"the stored files cannot be reached: {store_message(error)}",
        hint="check FOOTNOTE_BLOB_URL and FOOTNOTE_BLOB_OPTIONS, or the disk of FOOTNOTE_HOME",
    )
