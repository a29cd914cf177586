"""Choose the kind of source by the scheme of an address."""

from __future__ import annotations

from pydantic import SecretStr

from footnote.errors import InvalidRequest
from footnote.ingestion.sources.mailboxes import mailbox_at
from footnote.ingestion.sources.reach import checked_url
from footnote.jobs.sources.fetching import Reach
from footnote.jobs.sources.mailbox import MailboxSource
from footnote.jobs.sources.objects import ObjectSource
from footnote.jobs.sources.web import WebSource
from footnote.settings import Settings
from footnote.store.object_stores import names_a_bucket, store_at

OBJECT_SCHEMES = ("s3", "gs", "az")


def source_at(address: str, settings: Settings) -> WebSource | ObjectSource | MailboxSource:
    """The source at the address; nothing is reached yet. Raises InvalidRequest."""
    scheme = address.partition("://")[0].lower()
    if scheme in ("http", "https"):
        checked_url(address)
        return WebSource(url=address, reach=reach_of(settings))
    if scheme in OBJECT_SCHEMES:
        url = address.rstrip("/")
        if not names_a_bucket(url):
            raise InvalidRequest(
                f"the address {address} names no bucket or container",
                hint=f"give one like {scheme}://reports/2025",
            )
        options = _plain(settings.source_options)
        return ObjectSource(
            url=url,
            store=store_at(url, options, "the address", "source_options"),
            max_bytes=settings.limits.bytes,
        )
    if scheme in ("imap", "imaps"):
        return MailboxSource(
            address=mailbox_at(address),
            password=_plain(settings.imap_password) or "",
            timeout_seconds=settings.seconds.fetch,
            max_bytes=settings.limits.bytes,
        )
    raise InvalidRequest(
        f"nothing can be taken in from {scheme}://",
        hint="give https://, s3://, gs://, az:// or imaps://",
    )


def reach_of(settings: Settings) -> Reach:
    """Return the limits for fetching URLs from the settings."""
    return Reach(
        allow_private=settings.allow_private_urls,
        timeout_seconds=settings.seconds.fetch,
        max_bytes=settings.limits.bytes,
    )


def _plain(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
