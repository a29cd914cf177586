"""Open the master key that a setting names, and make the ciphers of workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from uuid import UUID

from footnote.errors import UnsupportedSettings
from footnote.ports import Cipher, IndexSecrets, MasterKey
from footnote.security.encryption.index_secrets import KeyedIndexSecrets
from footnote.security.encryption.kms import GOOGLE_KMS, AwsKey, GoogleKey
from footnote.security.encryption.local_keys import EnvironmentKey, KeyFile, key_of
from footnote.security.encryption.records import AesGcmCipher
from footnote.security.encryption.transit import TransitKey

_INLINE_PREFIX = "base64:"
_FORMS = (
    "a path, base64:…, vault://TOKEN@host:8200/transit/KEY, aws-kms://alias/KEY?region=… or "
    "gcp-kms://projects/P/locations/L/keyRings/R/cryptoKeys/K"
)


@dataclass(frozen=True, slots=True)
class KeyedCiphers:
    """The ciphers of an installation, and its master keys (`ports.Ciphers`)."""

    masters: Sequence[MasterKey]

    def cipher(self, workspace_id: UUID, keys: Mapping[int, bytes], current: int) -> Cipher:
        return AesGcmCipher.of(workspace_id, keys, current)

    def index_secrets(self, secret: bytes) -> IndexSecrets:
        return KeyedIndexSecrets.of(secret)

    async def lacks_master(self) -> bool:
        return self._made is not None and not await asyncio.to_thread(self._made.path.exists)

    async def make_master(self) -> None:
        assert self._made is not None, "only such a key is ever lacking"
        await asyncio.to_thread(self._made.make)

    @property
    def _made(self) -> KeyFile | None:
        """The key file that Footnote creates, if that is the key which wraps; else None."""
        first = self.masters[0]
        return first if isinstance(first, KeyFile) and first.is_made else None


def master_key_from(
    setting: str | None,
    *,
    made_at: Path,
    google_token: Callable[[], Awaitable[str]],
) -> MasterKey:
    """Return the master key that a setting names, without connecting to anything.

    Without a setting it is a file at `made_at`, which Footnote creates at the first use. Raises
    UnsupportedSettings for an invalid value or key file; the message does not contain the value, as
    it may be the key.
    """
    if setting is None:
        return KeyFile(made_at, is_made=True)
    if setting.startswith(_INLINE_PREFIX):
        return EnvironmentKey(key_of(setting.removeprefix(_INLINE_PREFIX), "FOOTNOTE_MASTER_KEY"))
    if "://" not in setting:
        file = KeyFile(Path(setting).expanduser())
        file.require()
        return file
    try:
        url = urlsplit(setting)
    except ValueError as error:
        raise _unknown() from error
    location = f"{url.netloc}{url.path}".rstrip("/")
    options = {name: values[-1] for name, values in parse_qs(url.query).items()}
    match url.scheme:
        case "vault" | "vault+http":
            return _transit(url, options)
        case "aws-kms" if location:
            return AwsKey(
                key_id=location, region=options.get("region"), endpoint=options.get("endpoint")
            )
        case "gcp-kms" if location.startswith("projects/"):
            endpoint = options.get("endpoint", GOOGLE_KMS)
            return GoogleKey(resource=location, token=google_token, endpoint=endpoint)
        case _:
            raise _unknown()


def _transit(url: SplitResult, options: Mapping[str, str]) -> TransitKey:
    mount, _, key = url.path.strip("/").rpartition("/")
    token, _, host = url.netloc.rpartition("@")
    if not (host and mount and key):
        raise _unknown()
    if not token:
        raise UnsupportedSettings(
            "The master key is in a transit engine, and there is no token for it.",
            hint="put it before the host in FOOTNOTE_MASTER_KEY: vault://TOKEN@host:8200/transit/KEY",
        )
    scheme = "http" if url.scheme == "vault+http" else "https"
    return TransitKey(
        address=f"{scheme}://{host}",
        mount=mount,
        key=key,
        token=unquote(token),
        namespace=options.get("namespace", ""),
    )


def _unknown() -> UnsupportedSettings:
    return UnsupportedSettings(
        "The setting master_key names no master key.", hint=f"Set FOOTNOTE_MASTER_KEY to {_FORMS}."
    )
