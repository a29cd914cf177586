"""Ingests hostile documents in a network namespace without a route, and counts what reaches out.

Run by `unshare`, with a folder and the folder of the models as arguments; prints what it found.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import struct
import sys
import threading
from contextlib import suppress
from pathlib import Path

import footnote
from footnote.errors import FootnoteError
from footnote.settings import Settings
from tests.attack.hostile_documents import INJECTION, SECRET, Targets, hostile_documents, injections

_COUNTED = {"Tcp": ("ActiveOpens",), "Udp": ("OutDatagrams",), "Ip": ("OutNoRoutes",)}
_SIOCSIFFLAGS, _UP = 0x8914, 1


def counters() -> dict[str, int]:
    """What this network namespace sent, or would have if it had a route."""
    lines = [line.split() for line in Path("/proc/net/snmp").read_text().splitlines()]
    found = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        kind = names[0].rstrip(":")
        for name in _COUNTED.get(kind, ()):
            found[f"{kind} {name}"] = int(values[names.index(name)])
    return found


def loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _UP))


class Server:
    """Counts who connects."""

    def __init__(self) -> None:
        self.asked = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            self.asked += 1
            connection.close()

    def reach(self) -> None:
        """What a document would do: ask the server, and an address outside."""
        host, port = self.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.recv(1)  # It is closed once it was counted.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside, suppress(OSError):
            outside.sendto(b"x", ("192.0.2.1", 53))


async def ingest(folder: Path, models: Path, server: Server) -> dict[str, dict[str, object]]:
    """What became of each document."""
    secret, marker = folder / "secret.txt", folder / "marker.txt"
    secret.write_text(SECRET)
    home = folder / "home"
    home.mkdir()
    (home / "models").symlink_to(models)
    documents = hostile_documents(Targets(server.url, secret, marker))
    if INJECTION.is_dir():
        documents |= injections()
    found: dict[str, dict[str, object]] = {}
    async with footnote.open(Settings(home=home, reader="none", pool_size=3)) as engine:
        workspace = await engine.workspace()
        ids = {}
        for name, content in documents.items():
            ids[name] = (await workspace.receive(content, name)).document.document_id
        rested = await footnote.work_until_resting(engine, workspace, list(ids.values()))
        names = {document_id: name for name, document_id in ids.items()}
        for document_id, document in rested.items():
            told: dict[str, object] = {"status": document.status.value, "text": "", "drawn": False}
            if document.failure is not None:
                told["cause"] = document.failure.cause
            if text := await workspace.text(document_id, most_characters=10_000):
                told["text"] = text.text
            with suppress(FootnoteError):
                told["drawn"] = bool((await workspace.page_image(document_id, 1)).content)
            found[names.get(document_id) or f"inside: {document.filename}"] = told
    return found


def main() -> None:
    """Ingest, count, and show that an attempt would have been counted."""
    folder, models = map(Path, sys.argv[1:3])
    loopback_up()
    server = Server()
    before = counters()
    found = asyncio.run(ingest(folder, models, server))
    after, asked = counters(), server.asked
    server.reach()
    json.dump(
        {
            "documents": found,
            "sent": {name: after[name] - before[name] for name in before},
            "asked": asked,
            "sent_by_an_attempt": {name: counters()[name] - after[name] for name in before},
            "asked_by_an_attempt": server.asked - asked,
            "written": (folder / "marker.txt").exists(),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
