"""What of Cloud KMS we use, as its reference describes it, on this computer."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.wire.loopback import Connection, Loopback, Received


@dataclass
class GoogleKms:
    """Encrypts and decrypts with one key; https://cloud.google.com/kms/docs/reference/rest."""

    asked: list[Received] = field(default_factory=list)
    _key: AESGCM = field(default_factory=lambda: AESGCM(bytes(32)))

    def __post_init__(self) -> None:
        self._server = Loopback(self._answer)

    @property
    def url(self) -> str:
        return self._server.origin

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.__exit__(kind, error, traceback)

    def _answer(self, received: Received, connection: Connection) -> None:
        self.asked.append(received)
        body = json.loads(received.content)
        bound = base64.b64decode(body["additionalAuthenticatedData"])
        nonce = bytes(12)
        try:
            if received.path.endswith(":encrypt"):
                plain = base64.b64decode(body["plaintext"])
                answer = {"ciphertext": self._key.encrypt(nonce, plain, bound)}
            else:
                sealed = base64.b64decode(body["ciphertext"])
                answer = {"plaintext": self._key.decrypt(nonce, sealed, bound)}
        except InvalidTag:
            connection.send(400, b'{"error": {"code": 400, "status": "INVALID_ARGUMENT"}}')
            return
        encoded = {name: base64.b64encode(value).decode() for name, value in answer.items()}
        connection.send(200, json.dumps(encoded).encode())
