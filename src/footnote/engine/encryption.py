"""The keys of an installation, as its settings name them."""

from __future__ import annotations

from footnote.engine.answer_models import plain
from footnote.errors import KeyUnavailable, ModelUnavailable
from footnote.models.google_token import ApplicationDefaultToken
from footnote.ports import MasterKey
from footnote.security.encryption.master_keys import KeyedCiphers, master_key_from
from footnote.settings import Settings
from footnote.store.data_keys import KeyRing

MADE_KEY = "master.key"
"""The file in home that is the master key where the settings name none."""


def key_ring_from(settings: Settings) -> KeyRing:
    """The keys as the settings have them; nothing is read or reached yet.

    Raises UnsupportedSettings.
    """
    token = ApplicationDefaultToken()

    async def google_token() -> str:
        try:
            return await token()
        except ModelUnavailable as error:
            raise KeyUnavailable(
                f"Cloud KMS cannot be used: {error}",
                hint="install the extra vertex, and let this machine log in: gcloud auth "
                "application-default login",
            ) from error

    def named(text: str | None) -> MasterKey:
        return master_key_from(
            text,
            made_at=settings.home / MADE_KEY,
            vault_token=plain(settings.vault_token),
            google_token=google_token,
        )

    masters = [named(plain(settings.master_key))]
    if settings.previous_master_key is not None:
        masters.append(named(plain(settings.previous_master_key)))
    return KeyRing(KeyedCiphers(masters), required=settings.encryption == "on")
