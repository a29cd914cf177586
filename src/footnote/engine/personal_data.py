"""Everything about one person as an archive: for administrators, and for oneself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

from pydantic_core import to_json

from footnote.domain import Document, Principal, Role
from footnote.domain.conversations import Conversation
from footnote.domain.personal_data import ArchivePiece
from footnote.engine.archives import StreamedZip
from footnote.engine.conversations import conversation, messages
from footnote.engine.documents import original_file
from footnote.engine.services import WorkspaceAccess
from footnote.errors import BlobDamaged, NotFound
from footnote.store import personal_data as stored
from footnote.store.database import WorkspaceScope
from footnote.store.views import list_views
from footnote.validation.constrained_types import MAX_PAGE, AnyPrincipalId

P = ParamSpec("P")
R = TypeVar("R")

SCHEMA = 1
"""Of the files of an archive."""
_PIECE_BYTES = 64 * 1024
_UNSAFE_CHARACTERS = re.compile(r"[^\w.()+ -]+|^\.+")
_NAME_CHARACTERS = 100

Records = AsyncGenerator[tuple[object, tuple[UUID, ...]]]
"""Each record (a line of JSON), with the documents whose content it shows."""


async def export_person(
    workspace: WorkspaceAccess, principal_id: AnyPrincipalId, *, with_files: bool = False
) -> AsyncGenerator[ArchivePiece]:
    """Everything that is kept about a principal here, as a zip archive in pieces.

    It has JSON Lines and a manifest; with files, also those that the principal added. An archive of
    somebody of whom nothing is known has no records. For administrators of the whole workspace.
    Raises Forbidden.
    """
    # As that principal, who alone may read its conversations, with an administrator's access.
    person = replace(workspace, principal=Principal(principal_id=principal_id, role=Role.ADMIN))
    export = _Export(
        person=person, documents=workspace.system_scope, with_files=with_files, by_others=True
    )
    async with aclosing(export.pieces()) as pieces:
        async for piece in pieces:
            yield piece


async def export_self(
    workspace: WorkspaceAccess, *, with_files: bool = False
) -> AsyncGenerator[ArchivePiece]:
    """Everything that is kept about oneself, as `export_person`, of documents one may see.

    Raises Forbidden for a link.
    """
    workspace.refuse_guest("export what is known of somebody")
    export = _Export(
        person=workspace, documents=workspace.scope, with_files=with_files, by_others=False
    )
    async with aclosing(export.pieces()) as pieces:
        async for piece in pieces:
            yield piece


@dataclass(slots=True, kw_only=True)
class _Export:
    """One archive while it is written."""

    person: WorkspaceAccess
    """The workspace as the person whom it is about."""
    documents: Callable[[], AbstractAsyncContextManager[WorkspaceScope]]
    """Opens a transaction that sees the documents to be exported."""
    with_files: bool
    by_others: bool
    """Whether to include what others did about the person, who may not be meant to know."""
    archive: StreamedZip = field(default_factory=StreamedZip)
    not_kept: int = 0
    """Files that are not there any more."""

    @property
    def principal_id(self) -> str:
        return self.person.principal.principal_id

    async def pieces(self) -> AsyncGenerator[ArchivePiece]:
        """The archive, in pieces of some tens of kilobytes."""
        sections = {
            **{name: self._rows(name) for name in stored.ROWS},
            "conversations": self._conversations(),
            "messages": self._messages(),
            "documents": self._documents(),
            "views": self._views(),
            "audit": self._audit(),
        }
        for name, records in sections.items():
            async with aclosing(self._section(f"{name}.jsonl", records)) as pieces:
                async for piece in pieces:
                    yield piece
        if self.with_files:
            async with aclosing(self._files()) as pieces:
                async for piece in pieces:
                    yield piece
        with self.archive.file("manifest.json", of_records=False) as manifest:
            manifest.write(to_json(self._manifest(), indent=2))
        self.archive.close()
        yield ArchivePiece(content=self.archive.take())

    async def _section(self, name: str, records: Records) -> AsyncGenerator[ArchivePiece]:
        shown_ids: dict[UUID, None] = {}
        with self.archive.file(name, of_records=True) as file:
            async with aclosing(records):
                async for record, document_ids in records:
                    file.write_record(to_json(record))
                    shown_ids.update(dict.fromkeys(document_ids))
                    # Documents are in the audit log before anything of them is handed out.
                    if self.archive.waiting_bytes >= _PIECE_BYTES:
                        yield ArchivePiece(
                            content=self.archive.take(), document_ids=tuple(shown_ids)
                        )
                        shown_ids.clear()
        yield ArchivePiece(content=self.archive.take(), document_ids=tuple(shown_ids))

    async def _rows(self, section: str) -> Records:
        after: str | None = ""
        while after is not None:
            async with self.person.system_scope() as scope:
                rows, after = await stored.rows_about(scope, section, self.principal_id, after)
            for row in rows:
                yield row, ()

    async def _audit(self) -> Records:
        after: int | None = 0
        while after is not None:
            async with self.person.system_scope() as scope:
                entries, after = await stored.audit_about(
                    scope, self.principal_id, after, by_others=self.by_others
                )
            for entry in entries:
                yield entry, ()

    async def _documents(self) -> Records:
        async for added, document in self._pages_of_documents():
            yield {"added": added, **asdict(document)}, (document.document_id,)

    async def _pages_of_documents(self) -> AsyncGenerator[tuple[bool, Document]]:
        after: str | None = ""
        while after is not None:
            async with self.documents() as scope:
                page, after = await stored.documents_about(scope, self.principal_id, after)
            for entry in page:
                yield entry

    async def _conversations(self) -> Records:
        async for record in self._all_conversations():
            yield record, ()

    async def _all_conversations(self) -> AsyncGenerator[Conversation]:
        # By their ids: the order of their last use changes while they are read.
        after: str | None = ""
        while after is not None:
            async with self.person.system_scope() as scope:
                rows, after = await stored.rows_about(
                    scope, "conversation_ids", self.principal_id, after
                )
            for row in rows:
                details = await self._unless_deleted(conversation, row["conversation_id"])
                if details is not None:
                    yield details

    async def _views(self) -> Records:
        # As the person, whose views alone are read; they are few.
        async with self.person.scope() as scope:
            saved_views = await list_views(scope)
        for view in saved_views:
            yield view, ()

    async def _messages(self) -> Records:
        async for record in self._all_conversations():
            cursor: str | None = None
            while True:
                page = await self._unless_deleted(
                    messages,
                    record.conversation_id,
                    limit=MAX_PAGE,
                    cursor=cursor,
                    all_branches=True,
                )
                for message in () if page is None else page.messages:
                    used = () if message.answer is None else message.answer.evidence
                    line = {"conversation_id": record.conversation_id, **asdict(message)}
                    yield line, tuple(source.document_id for source in used)
                cursor = None if page is None else page.next_cursor
                if cursor is None:
                    break

    async def _unless_deleted(
        self,
        read: Callable[Concatenate[WorkspaceAccess, P], Coroutine[object, object, R]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R | None:
        try:
            return await read(self.person, *args, **kwargs)
        except NotFound:
            return None

    async def _files(self) -> AsyncGenerator[ArchivePiece]:
        async for added, document in self._pages_of_documents():
            if not added:
                continue
            try:
                opened = await original_file(self.person, document.document_id)
            except (NotFound, BlobDamaged):
                self.not_kept += 1
                continue
            name = _UNSAFE_CHARACTERS.sub("_", document.filename)[-_NAME_CHARACTERS:]
            path = f"files/{document.document_id}/{name or 'file'}"
            document_ids: tuple[UUID, ...] = (document.document_id,)
            with opened.content, self.archive.file(path, of_records=False) as file:
                while part := await asyncio.to_thread(opened.content.read, _PIECE_BYTES):
                    file.write(part)
                    yield ArchivePiece(content=self.archive.take(), document_ids=document_ids)
                    document_ids = ()

    def _manifest(self) -> object:
        return {
            "schema": SCHEMA,
            "principal": self.principal_id,
            "workspace": self.person.workspace.name,
            "made_at": datetime.now(UTC),
            "files": self.archive.files,
            "files_not_kept": self.not_kept,
            "left_out": dict(stored.LEFT_OUT),
        }
