"""A mailbox as a source: a message never changes, so what is known by its UID is not read."""

from __future__ import annotations

import asyncio
import imaplib
import ssl
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import BinaryIO

from footnote.domain import Received, SourceType
from footnote.domain.sources import KnownEntry, Labels, Offered, SourceLook
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, SourceUnreachable, how_to_raise
from footnote.ingestion.sources.mailboxes import MailboxAddress, folder_name
from footnote.jobs.sources.following import Listing

_FAILURES = (OSError, imaplib.IMAP4.error)
_PIECE_BYTES = 1024 * 1024


@dataclass(slots=True, kw_only=True)
class MailboxSource:
    """One folder of a mailbox, opened read-only."""

    address: MailboxAddress
    password: str = field(repr=False)
    timeout_seconds: float
    max_bytes: int
    _session: imaplib.IMAP4 | None = field(default=None, repr=False)

    async def look(self, limit: int, name_count: int) -> SourceLook:  # noqa: ARG002  # no names
        """Count the messages, up to `limit`. Raises SourceUnreachable."""
        try:
            _, uids = await asyncio.to_thread(self._list)
        finally:
            await self.close()
        return SourceLook(entries=min(len(uids), limit), more=len(uids) > limit)

    async def listing(self) -> Listing:
        """The messages that are there now. Raises SourceUnreachable."""
        validity, uids = await asyncio.to_thread(self._list)
        offered = tuple(
            Offered(external_id=f"{self.address.url}/{validity}/{uid}", mark=f"{validity}:{uid}")
            for uid in uids
        )
        return Listing(offered=offered, places=(self.address.url,))

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,  # noqa: ARG002  # its mark was compared already
    ) -> tuple[Received, Offered] | None:
        """Ingest a message with its attachments. Raises InvalidRequest, SourceUnreachable."""
        uid = offered.external_id.rpartition("/")[2]
        with TemporaryFile() as content:
            await asyncio.to_thread(self._fetch, uid, content)
            received = await workspace.receive_stream(
                content,
                f"{uid}.eml",
                collection=labels.collection,
                external_id=offered.external_id,
                tags=labels.tags,
                visibility=labels.visibility,
                shared_with=labels.shared_with,
                former=labels.former,
                source_type=SourceType.EMAIL,
            )
        return received, offered

    async def close(self) -> None:
        """Log out."""
        session, self._session = self._session, None
        if session is not None:
            await asyncio.to_thread(_log_out, session)

    def _list(self) -> tuple[str, list[str]]:
        try:
            self._session = session = self._connect()
            status, _ = session.select(folder_name(self.address.folder), readonly=True)
            if status != "OK":
                raise SourceUnreachable(
                    f"there is no folder {self.address.folder!r} in the mailbox",
                    hint="check its name; a slash or a full stop may part its levels",
                )
            _, validity = session.response("UIDVALIDITY")
            status, matches = session.uid("SEARCH", "ALL")
        except _FAILURES as error:
            raise self._unreachable(error) from error
        stamp = validity[0].decode() if validity and validity[0] else "0"
        return stamp, (matches[0] or b"").decode().split() if status == "OK" else []

    def _connect(self) -> imaplib.IMAP4:
        address = self.address
        session: imaplib.IMAP4
        if address.encrypted:
            session = imaplib.IMAP4_SSL(
                address.host,
                address.port,
                ssl_context=ssl.create_default_context(),
                timeout=self.timeout_seconds,
            )
        else:
            session = imaplib.IMAP4(address.host, address.port, timeout=self.timeout_seconds)
        try:
            session.login(address.user, self.password)
        except BaseException:
            _log_out(session)
            raise
        return session

    def _fetch(self, uid: str, into: BinaryIO) -> None:
        assert self._session is not None, "a listing comes first"
        try:
            _, response = self._session.uid("FETCH", uid, "(RFC822.SIZE)")
            size = _size_in(response)
            if size > self.max_bytes:
                raise InvalidRequest(
                    f"it has more than the {self.max_bytes:,} bytes allowed",
                    hint=how_to_raise("bytes", "FOOTNOTE_DOCUMENT_LIMITS", self.max_bytes),
                )
            length = _PIECE_BYTES
            # A server without partial fetch returns the whole message at once.
            while length == _PIECE_BYTES:
                length = into.write(self._piece(uid, into.tell()))
        except _FAILURES as error:
            raise self._unreachable(error) from error

    def _piece(self, uid: str, start: int) -> bytes:
        """Fetch part of a message from a byte offset (RFC 3501, 6.4.5); empty after its end."""
        assert self._session is not None, "a listing comes first"
        section = f"(BODY.PEEK[]<{start}.{_PIECE_BYTES}>)"
        _, parts = self._session.uid("FETCH", uid, section)
        for part in parts or ():
            if isinstance(part, tuple):
                return bytes(part[1])
            if b"BODY[]" in (part or b""):
                return b""  # An empty string may come as a quoted string instead of a literal.
        raise InvalidRequest("the message is gone", hint="run it once more")

    def _unreachable(self, error: Exception) -> SourceUnreachable:
        reason = str(error).strip() or type(error).__name__
        if self.password:
            # A server's error may repeat the command with the password.
            reason = reason.replace(self.password, "…")
        return SourceUnreachable(
            f"the mailbox {self.address.url} cannot be read: {reason}",
            hint="check the address, the password (of commands: FOOTNOTE_IMAP_PASSWORD) and that "
            "it answers",
        )


def _size_in(answer: list[object]) -> int:
    """Return the message size that the server reports; 0 if it reports none."""
    for line in answer or ():
        words = bytes(line).rstrip(b")").split() if isinstance(line, bytes) else []
        if b"RFC822.SIZE" in words[:-1] or b"(RFC822.SIZE" in words[:-1]:
            return int(words[-1]) if words[-1].isdigit() else 0
    return 0


def _log_out(session: imaplib.IMAP4) -> None:
    try:
        session.logout()
    except _FAILURES:
        session.shutdown()
