"""A prefix of an object store as a source: an object with the same ETag is not read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from tempfile import TemporaryFile

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered, SourceLook
from footnote.engine import WorkspaceEngine
from footnote.errors import (
    FootnoteError,
    InvalidRequest,
    SourceUnreachable,
    UnsupportedSettings,
    how_to_raise,
)
from footnote.ingestion.sources.ignoring import Ignoring
from footnote.jobs.sources.following import Listing
from footnote.store.object_stores import (
    copy_into,
    credentials_hint,
    lacks_credentials,
    store_message,
)

_IGNORING = Ignoring()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSource:
    """The objects below a prefix."""

    url: str
    """URL of the prefix, without a trailing slash."""
    store: ObjectStore
    max_bytes: int

    async def look(self, limit: int, name_count: int) -> SourceLook:
        """Count at most `limit` objects; name `name_count` of them. Raises as `listing` does."""
        names: list[str] = []
        async for offered in self._offered():
            names.append(offered.external_id.removeprefix(f"{self.url}/"))
            if len(names) > limit:
                break
        return SourceLook(
            entries=min(len(names), limit), more=len(names) > limit, names=tuple(names[:name_count])
        )

    async def listing(self) -> Listing:
        """List the objects; hidden and partly uploaded ones are left out.

        Raises SourceUnreachable, and UnsupportedSettings if the store requires credentials.
        """
        offered = [entry async for entry in self._offered()]
        return Listing(offered=tuple(offered), places=(self.url,))

    async def _offered(self) -> AsyncIterator[Offered]:
        try:
            async for batch in obstore.list(self.store, chunk_size=1000):
                for meta in batch:
                    if any(_IGNORING(part, is_folder=False) for part in meta["path"].split("/")):
                        continue
                    stamp = f"{meta['size']}:{meta['last_modified'].isoformat()}"
                    yield Offered(
                        external_id=f"{self.url}/{meta['path']}", mark=meta["e_tag"] or stamp
                    )
        except (OSError, ValueError, BaseError) as error:
            raise _unreachable(self.url, error) from error

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,  # noqa: ARG002  # its mark was compared already
    ) -> tuple[Received, Offered] | None:
        """Ingest an object, and return it with the ETag of the bytes that were read."""
        path = offered.external_id.removeprefix(f"{self.url}/")
        with TemporaryFile() as content:
            try:
                answer = await obstore.get_async(self.store, path)
                if answer.meta["size"] > self.max_bytes:
                    raise InvalidRequest(
                        f"it has more than the {self.max_bytes:,} bytes allowed",
                        hint=how_to_raise("bytes", "FOOTNOTE_DOCUMENT_LIMITS", self.max_bytes),
                    )
                await copy_into(content, answer)
            except FileNotFoundError as error:
                raise InvalidRequest("it is gone", hint="run it once more") from error
            except (OSError, ValueError, BaseError) as error:
                raise _unreachable(self.url, error) from error
            received = await workspace.receive_stream(
                content,
                path.rpartition("/")[2],
                collection=labels.collection,
                external_id=offered.external_id,
                tags=labels.tags,
                visibility=labels.visibility,
                shared_with=labels.shared_with,
                former=labels.former,
            )
        mark = answer.meta["e_tag"] or offered.mark
        return received, Offered(external_id=offered.external_id, mark=mark)

    async def close(self) -> None:
        """Do nothing: no resource is kept open."""


def _unreachable(url: str, error: Exception) -> FootnoteError:
    missing = isinstance(error, FileNotFoundError)
    reason = "there is no such bucket or container" if missing else store_message(error)
    message = f"{url} cannot be read: {reason}"
    if lacks_credentials(error):
        return UnsupportedSettings(message, hint=credentials_hint(url, "source_options"))
    return SourceUnreachable(
        message, hint="check the address, FOOTNOTE_SOURCE_OPTIONS and that it answers"
    )
