"""Wrap data keys by the key management services of Amazon and Google.

A wrapped key is bound to the workspace: by the encryption context in AWS KMS, by additional
authenticated data in Cloud KMS. The services rotate and destroy the versions of their keys
themselves.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

import httpx

from footnote.errors import KeyUnavailable, UnsupportedSettings, how_to_install

GOOGLE_KMS = "https://cloudkms.googleapis.com"
_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsKey:
    """A key of AWS KMS, with the credentials that boto3 finds on this machine."""

    key_id: str
    """Its id, ARN or alias."""
    region: str | None = None
    endpoint: str | None = None
    """Replaces the region's endpoint: one in a VPC, or another service with the API of KMS."""

    @property
    def name(self) -> str:
        return f"aws-kms:{self.key_id}"

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        return await asyncio.to_thread(self._encrypt, key, workspace_id)

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        return await asyncio.to_thread(self._decrypt, wrapped, workspace_id)

    async def rotate(self) -> None:
        raise _service_rotates("AWS KMS")

    async def retire_old(self) -> None:
        raise _service_rotates("AWS KMS")

    def _encrypt(self, key: bytes, workspace_id: UUID) -> bytes:
        answer = self._call(
            "encrypt", Plaintext=key, EncryptionContext={"workspace": str(workspace_id)}
        )
        return answer["CiphertextBlob"]

    def _decrypt(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        answer = self._call(
            "decrypt", CiphertextBlob=wrapped, EncryptionContext={"workspace": str(workspace_id)}
        )
        return answer["Plaintext"]

    def _call(self, operation: str, **arguments: object) -> Mapping[str, bytes]:
        try:
            # Here alone, so that the extra is needed by those who use it.
            import boto3  # noqa: PLC0415
            from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415
        except ImportError as error:
            raise KeyUnavailable(
                "AWS KMS needs boto3, which is not installed", hint=how_to_install("aws-kms")
            ) from error
        try:
            # A session of its own: the default one is not safe in threads.
            client = boto3.session.Session().client(
                "kms", region_name=self.region, endpoint_url=self.endpoint
            )
            answer: Mapping[str, bytes] = getattr(client, operation)(KeyId=self.key_id, **arguments)
        except (BotoCoreError, ClientError) as error:
            raise KeyUnavailable(
                f"AWS KMS does not {operation} with key {self.key_id}: {error}",
                hint="check the region and credentials of this machine, and the key's policy",
            ) from error
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleKey:
    """A key of Cloud KMS, by its resource name."""

    resource: str
    """projects/P/locations/L/keyRings/R/cryptoKeys/K."""
    token: Callable[[], Awaitable[str]]
    """Returns an access token for this machine's service account."""
    endpoint: str = GOOGLE_KMS

    @property
    def name(self) -> str:
        return f"gcp-kms:{self.resource}"

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        answer = await self._post("encrypt", "plaintext", key, workspace_id)
        return _member(answer, "ciphertext")

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        answer = await self._post("decrypt", "ciphertext", wrapped, workspace_id)
        return _member(answer, "plaintext")

    async def rotate(self) -> None:
        raise _service_rotates("Cloud KMS")

    async def retire_old(self) -> None:
        raise _service_rotates("Cloud KMS")

    async def _post(
        self, operation: str, member: str, content: bytes, workspace_id: UUID
    ) -> Mapping[str, object]:
        """Call one operation of the key. Raises KeyUnavailable."""
        headers = {"Authorization": f"Bearer {await self.token()}"}
        body = {
            member: base64.b64encode(content).decode(),
            "additionalAuthenticatedData": base64.b64encode(workspace_id.bytes).decode(),
        }
        try:
            async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS) as client:
                response = await client.post(
                    f"{self.endpoint}/v1/{self.resource}:{operation}", json=body, headers=headers
                )
            response.raise_for_status()
            answer: Mapping[str, object] = response.json()
        except httpx.HTTPStatusError as error:
            raise KeyUnavailable(
                f"Cloud KMS refuses to {operation} with {self.resource} "
                f"({error.response.status_code})",
                hint="the account needs the role cloudkms.cryptoKeyEncrypterDecrypter on the key",
            ) from error
        except (httpx.HTTPError, ValueError) as error:
            raise KeyUnavailable(
                f"Cloud KMS cannot be used ({type(error).__name__})",
                hint="check the network, and FOOTNOTE_MASTER_KEY",
            ) from error
        return answer


def _member(answer: Mapping[str, object], name: str) -> bytes:
    value = answer.get(name)
    if not isinstance(value, str):
        raise KeyUnavailable(f"Cloud KMS answers without {name}", hint="check FOOTNOTE_MASTER_KEY")
    return base64.b64decode(value)


def _service_rotates(service: str) -> UnsupportedSettings:
    return UnsupportedSettings(
        f"{service} makes and destroys the versions of its keys itself.",
        hint="rotate the key there and run: footnote encryption rotate-master --no-new-version; "
        "then destroy the old version there",
    )
