"""Run one backup: files, the database, files again, then keys and erasures.

Files are copied before and after the database, so that every file the database refers to is
included, whether it was added or deleted meanwhile.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from footnote.domain.backups import (
    BackedUpServer,
    Backup,
    BackupKind,
    BackupMethod,
    BackupPart,
    Manifest,
    RecordedAnswer,
)
from footnote.engine.answer_models import plain
from footnote.engine.backup_notes import destroyed_since, erasures_for
from footnote.engine.opening import database_urls
from footnote.errors import Conflict, Forbidden, NotFound, StoreUnavailable
from footnote.settings import Settings
from footnote.store import server_backups
from footnote.store.backup_store import BackupStore
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres, start_embedded
from footnote.store.file_backups import FileCopies, files_at, read_index, write_index
from footnote.store.owner_view import OwnerView
from footnote.store.server_backups import Connection, Server, ServerTools
from footnote.store.system_user import packaged_binaries
from footnote.telemetry.switching import installed_version

Tell = Callable[[str], None]
"""Callback for progress messages."""

_POSTGRES_MAJOR = 18
"""Major version of the bundled PostgreSQL programs, which cannot combine base backups of
another."""
_FULL_AFTER = timedelta(days=7)
_TELL_SECONDS = 2.0


def silent(_: str) -> None:
    """Discard a progress message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupOptions:
    """How a backup is made."""

    full: bool = False
    log: bool = False
    """Whether to read only the write-ahead log since the last run, if it is continuous."""
    logical: bool = False
    point_in_time: bool = True
    """Whether a replication slot retains the server's log until the next run has read it."""
    adopt: bool = False
    """Whether to continue in a backup store that has backups of another server."""


class ThrottledProgress:
    """Reports the progress of a long operation, at most every two seconds."""

    def __init__(self, tell: Tell, words: str) -> None:
        self._tell, self._words, self._next = tell, words, time.monotonic() + _TELL_SECONDS
        self._count = 0

    def __call__(self, count: int) -> None:
        """Report the total so far."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _TELL_SECONDS
            self._tell(self._words.format(count))

    def more(self, count: int) -> None:
        """Add to the total, and report it."""
        self._count += count
        self(self._count)


def run_backup(
    settings: Settings,
    store: BackupStore,
    options: BackupOptions,
    answers: tuple[RecordedAnswer, ...],
    tell: Tell,
) -> Backup:
    """Make a backup where the settings say. Blocks; raises as `create_backup` does."""
    ids = store.ids()
    previous = store.manifest(ids[-1]) if ids else None
    with _source(settings) as (tools, owner, embedded), tools.connected() as connection:
        server_backups.lock_backups(connection)
        if embedded is not None:
            server_backups.prepare_own_server(connection)
        server = server_backups.server_of(connection)
        if previous is not None and not options.adopt:
            _require_same_server(previous.backup.server, server, store)
        started = server_backups.server_time(connection)
        run = _Run(
            backup_id=f"{started.astimezone(UTC):%Y%m%dT%H%M%S}{started.microsecond // 1000:03d}Z",
            started=started,
            covered_until=started,
            store=store,
            tools=tools,
            owner=owner,
            connection=connection,
            server=server,
            options=options,
            previous=previous,
            tell=tell,
        )
        folder = settings.home / "blobs" if settings.blob_url is None else None
        files = FileCopies(
            source=files_at(
                settings.home / "blobs", settings.blob_url, plain(settings.blob_options)
            ),
            source_folder=folder,
            backups=store,
            known={} if previous is None else read_index(store, previous.file_index),
        )
        progress = ThrottledProgress(tell, "copied {:,} files")
        files.copy(progress)
        run.read_database()
        files.copy(progress)
        identity = _identity(settings, server, embedded)
        manifest = run.manifest(files, identity, answers)
        store.keep(manifest)
        run.let_go_of_log()
    return manifest.backup


@contextmanager
def _source(settings: Settings) -> Iterator[tuple[ServerTools, OwnerView, EmbeddedPostgres | None]]:
    """Yield the backup tools, the table owner's view, and the embedded server if there is one."""
    if settings.database_url is not None:
        owner = database_urls(settings, None).owner
        url = settings.backup_database_url or owner
        yield ServerTools(binaries=packaged_binaries(), url=url), OwnerView(owner), None
        return
    if not (settings.home / "postgres" / "PG_VERSION").is_file():
        raise NotFound(f"there is no database in {settings.home}", hint="check FOOTNOTE_HOME")
    server = start_embedded(settings.home)
    try:
        tools = ServerTools(binaries=server.binaries, url=server.url(SUPERUSER))
        yield tools, OwnerView(database_urls(settings, server).owner), server
    finally:
        server.release()


def _require_same_server(expected: BackedUpServer, server: Server, store: BackupStore) -> None:
    if expected.system_identifier != server.system_identifier:
        raise Conflict(
            f"{store.place} has backups of another database server",
            hint="name another place by FOOTNOTE_BACKUP_URL; if a dump of them was restored into "
            "this server, go on with --adopt",
        )


def _identity(
    settings: Settings, server: Server, embedded: EmbeddedPostgres | None
) -> BackedUpServer:
    urls = database_urls(settings, embedded)
    return BackedUpServer(
        system_identifier=server.system_identifier,
        timeline=server.timeline,
        version=server.version,
        embedded=embedded is not None,
        database=server.database,
        superuser=server.superuser,
        application_login=server_backups.login_of(urls.application),
        owner_login=server_backups.login_of(urls.owner),
    )


@dataclass(slots=True, kw_only=True)
class _Run:
    """The state of one backup run."""

    backup_id: str
    started: datetime
    store: BackupStore
    tools: ServerTools
    owner: OwnerView
    connection: Connection
    server: Server
    options: BackupOptions
    previous: Manifest | None
    tell: Tell
    covered_until: datetime
    kind: BackupKind = BackupKind.FULL
    method: BackupMethod = BackupMethod.PHYSICAL
    base: str | None = None
    continues: str | None = None
    consistent_at: datetime | None = None
    base_part: str | None = None
    server_manifest: str | None = None
    documents: int = 0
    named_files: frozenset[str] = frozenset()
    """Blob keys that the documents name."""
    log_end: str = ""
    log_parts: list[str] = field(default_factory=list)
    parts: list[BackupPart] = field(default_factory=list)

    def read_database(self) -> None:
        """Back up the database by the method that the server and the login's rights allow."""
        self.method = self._method()
        if self.method is BackupMethod.LOGICAL:
            self.tell("dumping the tables")
            with self._counted_now():
                self.covered_until = server_backups.server_time(self.connection)
            report_bytes = ThrottledProgress(self.tell, "read {:,} bytes of the database").more
            part = self.store.write(f"runs/{self.backup_id}/dump", self.tools.dump(report_bytes))
            self.base_part = part.name
            self.parts.append(part)
            return
        keeps_log = self.options.point_in_time
        previous = self.previous
        if (
            previous is not None
            and keeps_log
            and self._same_history(previous.backup)
            and server_backups.slot_reaches(self.connection, previous.log_end)
        ):
            self.continues = previous.backup.backup_id
        if not keeps_log:
            server_backups.drop_slot(self.connection)
        elif self.continues is None:
            server_backups.renew_slot(self.connection)
        if self.options.log and self.continues is not None and previous is not None:
            last = previous.backup
            self.kind = BackupKind.LOG
            self.base = last.base if last.kind is BackupKind.LOG else last.backup_id
        else:
            self._take_base()
        with self._counted_now():
            self.covered_until, end = server_backups.marked_position(self.connection)
        if keeps_log:
            self._keep_log(end)
            self.log_end = end

    @contextmanager
    def _counted_now(self) -> Iterator[None]:
        """Count documents and files as they are on entry, after the block has run."""
        with self.owner.snapshot() as snapshot:
            yield
            self.documents = snapshot.documents()
            self.named_files = frozenset(snapshot.files())

    def let_go_of_log(self) -> None:
        """Advance the replication slot, so that the server drops log that is backed up."""
        if self.log_end:
            server_backups.advance_slot(self.connection, self.log_end)

    def _method(self) -> BackupMethod:
        server = self.server
        if server.replicates and not server.standby and not self.options.logical:
            if server.version // 10_000 == _POSTGRES_MAJOR:
                return BackupMethod.PHYSICAL
            self.tell(f"the server is not PostgreSQL {_POSTGRES_MAJOR}: its tables are dumped")
        if server.reads_all:
            return BackupMethod.LOGICAL
        raise Forbidden(
            f"the login {server.login} may neither make base backups nor read all rows",
            hint=f"let an administrator run: ALTER ROLE {server.login} REPLICATION, or give "
            "FOOTNOTE_BACKUP_DATABASE_URL a login that has that right or BYPASSRLS",
        )

    def _same_history(self, previous: Backup) -> bool:
        history = (previous.method, previous.server.system_identifier, previous.server.timeline)
        return history == (self.method, self.server.system_identifier, self.server.timeline)

    def _take_base(self) -> None:
        # `since` is the run that an incremental one builds on; None makes a full one.
        previous = self.previous
        if self.options.full or previous is None or not self._same_history(previous.backup):
            since = None
        else:
            if previous.backup.kind is BackupKind.LOG and previous.backup.base is not None:
                previous = self.store.manifest(previous.backup.base)
            first = previous
            while first.backup.kind is BackupKind.INCREMENTAL and first.backup.base is not None:
                first = self.store.manifest(first.backup.base)
            since = None if self.started - first.backup.started_at > _FULL_AFTER else previous
        if since is not None:
            try:
                self._keep_base(since)
            except StoreUnavailable as error:
                self.tell(f"{error}; so all of the database is read")
                since = None
        if since is None:
            self.kind, self.base = BackupKind.FULL, None
            self._keep_base(None)
        self.consistent_at = server_backups.server_time(self.connection)

    def _keep_base(self, since: Manifest | None) -> None:
        previous_manifest = None
        if since is not None and since.server_manifest is not None:
            previous_manifest = b"".join(self.store.read(since.server_manifest))
            self.kind, self.base = BackupKind.INCREMENTAL, since.backup.backup_id
        self.tell(f"reading the database ({self.kind})")
        report_bytes = ThrottledProgress(self.tell, "read {:,} bytes of the database").more
        base = self.tools.base(self.backup_id, previous_manifest, report_bytes)
        part = self.store.write(f"runs/{self.backup_id}/base", base)
        manifest_part = self.store.write(f"runs/{self.backup_id}/server_manifest", [base.manifest])
        self.base_part, self.server_manifest = part.name, manifest_part.name
        self.parts += [part, manifest_part]

    def _keep_log(self, end: str) -> None:
        self.tell("reading the write-ahead log")
        with tempfile.TemporaryDirectory(prefix="footnote-log-") as name:
            self.tools.log_into(Path(name), end)
            for segment in server_backups.segments_in(Path(name)):
                with segment.open("rb") as file:
                    pieces = iter(lambda: file.read(1024 * 1024), b"")  # read at once
                    part = self.store.write(f"runs/{self.backup_id}/log/{segment.name}", pieces)
                self.log_parts.append(part.name)
                self.parts.append(part)

    def manifest(
        self,
        files: FileCopies,
        server: BackedUpServer,
        answers: tuple[RecordedAnswer, ...],
    ) -> Manifest:
        """Return the manifest of the run."""
        previous, owner = self.previous, self.owner
        if self.kind is BackupKind.LOG and previous is not None and files.found == files.known:
            index = previous.file_index
        else:
            index = f"runs/{self.backup_id}/files"
            self.parts.append(write_index(self.store, index, files.found))
        keys = tuple(owner.keys(workspace) for workspace in owner.workspaces())
        erasures = erasures_for(previous, keys, owner)
        destroyed = destroyed_since(previous, keys, self.covered_until)
        return Manifest(
            backup=Backup(
                backup_id=self.backup_id,
                kind=self.kind,
                method=self.method,
                base=self.base,
                started_at=self.started,
                finished_at=server_backups.server_time(self.connection),
                consistent_at=self.consistent_at,
                covered_until=self.covered_until,
                continues=self.continues,
                footnote_version=installed_version(),
                schema=owner.schema(),
                server=server,
                workspaces=len(keys),
                documents=self.documents,
                files=len(self.named_files & files.found.keys()),
                new_files=len(self.named_files & files.new),
                erasures=len(erasures),
                destroyed_workspaces=len(destroyed),
                recorded_answers=len(answers),
                parts=tuple(self.parts),
                file_bytes=files.new_bytes,
            ),
            base_part=self.base_part,
            server_manifest=self.server_manifest,
            log_parts=tuple(self.log_parts),
            log_end=self.log_end,
            file_index=index,
            keys=keys,
            erasures=erasures,
            destroyed=destroyed,
            answers=answers,
        )
