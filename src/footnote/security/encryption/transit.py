"""Wrap data keys by the transit engine of Vault, OpenBao or a service with the same API."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

import httpx

from footnote.errors import KeyUnavailable

_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitKey:
    """A named key of a transit engine (`ports.MasterKey`); the workspace is associated data."""

    address: str
    """Such as https://vault.example:8200."""
    mount: str
    key: str
    token: str = field(repr=False)
    namespace: str = ""

    @property
    def name(self) -> str:
        return f"vault:{self.mount}/{self.key}"

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        answer = await self._post(
            f"encrypt/{self.key}",
            {"plaintext": _encoded(key), "associated_data": _encoded(workspace_id.bytes)},
        )
        return _text(answer, "ciphertext").encode()

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        answer = await self._post(
            f"decrypt/{self.key}",
            {
                "ciphertext": wrapped.decode("ascii", "replace"),
                "associated_data": _encoded(workspace_id.bytes),
            },
        )
        return base64.b64decode(_text(answer, "plaintext"))

    async def rotate(self) -> None:
        await self._post(f"keys/{self.key}/rotate", {})

    async def retire_old(self) -> None:
        latest = (await self._ask("GET", f"keys/{self.key}")).get("latest_version")
        await self._post(
            f"keys/{self.key}/config",
            {"min_decryption_version": latest, "min_encryption_version": latest},
        )
        # Refusing old versions can be undone; removing them cannot.
        await self._post(f"keys/{self.key}/trim", {"min_available_version": latest})

    async def _post(self, path: str, body: Mapping[str, object]) -> Mapping[str, object]:
        return await self._ask("POST", path, body)

    async def _ask(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> Mapping[str, object]:
        """Send a request and return the response's `data`. Raises KeyUnavailable."""
        headers = {"X-Vault-Token": self.token}
        if self.namespace:
            headers["X-Vault-Namespace"] = self.namespace
        try:
            async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, trust_env=False) as client:
                response = await client.request(
                    method, f"{self.address}/v1/{self.mount}/{path}", json=body, headers=headers
                )
        except httpx.HTTPError as error:
            raise KeyUnavailable(
                f"the transit engine at {self.address} does not answer ({type(error).__name__})",
                hint="check FOOTNOTE_MASTER_KEY, and that it runs and is unsealed",
            ) from error
        if response.is_error:
            raise KeyUnavailable(
                f"the transit engine refuses {path} ({response.status_code}): {_reason(response)}",
                hint="check the token in FOOTNOTE_MASTER_KEY and what its policy lets it do with "
                "the key",
            )
        if not response.content:
            return {}
        members = response.json().get("data")
        return members if isinstance(members, dict) else {}


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _text(answer: Mapping[str, object], member: str) -> str:
    value = answer.get(member)
    if not isinstance(value, str):
        raise KeyUnavailable(
            f"the transit engine answers without {member}",
            hint="check that FOOTNOTE_MASTER_KEY names the mount of a transit engine",
        )
    return value


def _reason(response: httpx.Response) -> str:
    try:
        errors = response.json().get("errors")
    except ValueError:
        errors = None
    return "; ".join(map(str, errors)) if errors else "without a reason"
