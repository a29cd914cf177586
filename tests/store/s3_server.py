"""A server that speaks the protocol of S3, in a process of its own on this computer."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest

from tests.interfaces.serving import reserved_port

_PATIENCE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class S3Server:
    """Where it answers."""

    url: str

    @property
    def options(self) -> str:
        """What a client of it must be told."""
        return json.dumps(
            {
                "endpoint": self.url,
                "access_key_id": "someone",
                "secret_access_key": "a secret",
                "region": "us-east-1",
            }
        )

    def make_bucket(self, name: str) -> str:
        """Make a bucket, and return its URL."""
        httpx.put(f"{self.url}/{name}", timeout=_PATIENCE_SECONDS).raise_for_status()
        return f"s3://{name}"


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """The server, for the length of a block; skips where the package is missing."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        pytest.skip("moto[server] is not installed")
    with reserved_port() as port, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=said,
            stderr=said,
            env={**os.environ, "MOTO_ALLOW_NONEXISTENT_REGION": "1"},
        )
        try:
            _wait_for(port)
            yield S3Server(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait(timeout=600)


def _wait_for(port: int) -> None:
    transport = httpx.HTTPTransport(retries=12)  # pauses that double, from half a second
    with httpx.Client(transport=transport, timeout=_PATIENCE_SECONDS) as client:
        client.get(f"http://127.0.0.1:{port}/")
