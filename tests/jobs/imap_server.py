"""A small server that speaks as much IMAP4rev1 (RFC 3501) as reading a folder takes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Mailbox:
    """One folder of one user, and what a client did with it."""

    user: str = "ada"
    password: str = "pass word"
    folder: str = "INBOX"
    validity: int = 1
    messages: dict[int, bytes] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def fetched(self) -> list[int]:
        """The UIDs of the messages whose bodies were read."""
        return [
            int(match[1])
            for line in self.said
            if (match := re.search(r"UID FETCH (\d+) \(BODY\.PEEK\[\]<0\.", line))
        ]

    def answer(self, command: str) -> tuple[list[bytes], str]:
        """Untagged answers, and the status of the tagged one."""
        word, _, rest = command.partition(" ")
        if word == "CAPABILITY":
            return [b"CAPABILITY IMAP4rev1"], "OK"
        if word == "LOGIN":
            good = rest == f'{self.user} "{self.password}"'
            return [], "OK" if good else "NO"
        if word == "EXAMINE":
            there = rest == f'"{self.folder}"'
            count = f"{len(self.messages)} EXISTS".encode()
            stamp = f"OK [UIDVALIDITY {self.validity}] valid".encode()
            return ([count, stamp], "OK [READ-ONLY]") if there else ([], "NO")
        if command == "UID SEARCH ALL":
            return [b"SEARCH " + " ".join(map(str, self.messages)).encode()], "OK"
        if match := re.fullmatch(r"UID FETCH (\d+) \((.+)\)", command):
            return self._fetch(int(match[1]), match[2]), "OK"
        if word == "LOGOUT":
            return [b"BYE"], "OK"
        return [], "BAD"

    def _fetch(self, uid: int, what: str) -> list[bytes]:
        message = self.messages.get(uid)
        if message is None:
            return []
        size = str(len(message)).encode()
        if what == "RFC822.SIZE":
            return [b"1 FETCH (UID %d RFC822.SIZE %s)" % (uid, size)]
        start, length = map(int, re.findall(r"\d+", what))
        piece = message[start : start + length]
        if not piece:
            return [b'1 FETCH (UID %d BODY[]<%d> "")' % (uid, start)]
        return [b"1 FETCH (UID %d BODY[]<%d> {%d}\r\n%s)" % (uid, start, len(piece), piece)]


@asynccontextmanager
async def imap_server(mailbox: Mailbox) -> AsyncIterator[Mailbox]:
    """The server, for the length of a block."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"* OK ready\r\n")
        try:
            while line := (await reader.readline()).decode().rstrip("\r\n"):
                tag, _, command = line.partition(" ")
                mailbox.said.append(command)
                answers, status = mailbox.answer(command)
                for answer in answers:
                    writer.write(b"* " + answer + b"\r\n")
                writer.write(f"{tag} {status} done\r\n".encode())
                await writer.drain()
                if command == "LOGOUT":
                    break
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    mailbox.port = server.sockets[0].getsockname()[1]
    try:
        yield mailbox
    finally:
        server.close()
        await server.wait_closed()
