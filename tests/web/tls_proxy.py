"""TLS before a server, as a deployment has it: with a certificate that nobody vouches for."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "localhost"
_PIECE_BYTES = 64 * 1024


@dataclass(slots=True)
class TlsProxy:
    """Passes bytes on, both ways, without looking at them."""

    port: int = 0
    behind: int = 0
    """The port of the server, once it is known."""

    @property
    def address(self) -> str:
        return f"https://{NAME}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        try:
            behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", self.behind)
        except OSError:  # a browser connects ahead, and may do so when the server has gone
            writer.close()
            return
        ways = [
            asyncio.ensure_future(_pass_on(reader, behind_writer)),
            asyncio.ensure_future(_pass_on(behind_reader, writer)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for each in (writer, behind_writer):
            each.close()
            with suppress(OSError):
                await each.wait_closed()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(_PIECE_BYTES):
            writer.write(piece)
            await writer.drain()


@asynccontextmanager
async def tls_proxy(folder: Path) -> AsyncIterator[TlsProxy]:
    """A proxy on a free port of this computer; its certificate is put into the folder."""
    proxy = TlsProxy()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=context)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()


def _certificate(folder: Path) -> Path:
    """A file with a key and the certificate that it signed for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file
