"""A URL as a source; it is read again only if a conditional request says that it changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from tempfile import TemporaryFile
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered, SourceLook
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, SourceUnreachable
from footnote.ingestion.sources.reach import checked_url
from footnote.jobs.sources.fetching import Fetched, Reach, fetch
from footnote.jobs.sources.following import Listing

_VALIDATORS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSource:
    """One URL."""

    url: str
    reach: Reach

    async def look(self, limit: int, name_count: int) -> SourceLook:  # noqa: ARG002  # it is one
        """Fetch the URL, and return its file name. Raises InvalidRequest and SourceUnreachable."""
        with TemporaryFile() as content:
            fetched = await fetch_document(self.url, self.reach, content)
        assert fetched is not None, "nothing was said of what is known"
        return SourceLook(entries=1, names=(filename_of(fetched),))

    async def listing(self) -> Listing:
        """The address itself; whether it changed is asked when it is read."""
        checked_url(self.url)
        return Listing(offered=(Offered(external_id=self.url, mark=""),), places=(self.url,))

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,
    ) -> tuple[Received, Offered] | None:
        """Ingest the response; None if the server says that nothing changed."""
        earlier_mark = before.mark if before else ""
        with TemporaryFile() as content:
            fetched = await fetch_document(self.url, self.reach, content, earlier_mark)
            if fetched is None:
                return None
            received = await workspace.receive_stream(
                content,
                filename_of(fetched),
                collection=labels.collection,
                external_id=self.url,
                tags=labels.tags,
                visibility=labels.visibility,
                shared_with=labels.shared_with,
                former=labels.former,
            )
        mark = mark_of(fetched.headers)
        return received, Offered(external_id=offered.external_id, mark=mark)

    async def close(self) -> None:
        """Do nothing: no resource is kept open."""


async def fetch_document(url: str, reach: Reach, into: BinaryIO, mark: str = "") -> Fetched | None:
    """Fetch the URL and write its content to a file; None if it has not changed since the mark.

    Raises InvalidRequest if a retry would fail again, else SourceUnreachable.
    """
    conditions = {_VALIDATORS[name]: value for name, value in json.loads(mark or "{}").items()}
    fetched = await fetch(url, reach, {"Accept": "*/*", **conditions}, into)
    if fetched.status == _NOT_MODIFIED:
        return None
    if fetched.status in (408, 425, 429) or fetched.status >= 500:
        raise SourceUnreachable(f"{url} answered {fetched.status}", hint="try again later")
    if fetched.status != 200:
        raise InvalidRequest(
            f"{url} answered {fetched.status}", hint="check that it can be read without logging in"
        )
    return fetched


def mark_of(headers: Mapping[str, str]) -> str:
    """Return the response's validators (ETag, Last-Modified) as JSON; empty if it has none."""
    validators = {name: headers[name] for name in _VALIDATORS if name in headers}
    return json.dumps(validators, sort_keys=True) if validators else ""


def filename_of(fetched: Fetched) -> str:
    """Return the server's name of the file, else the URL's last path segment, else the host."""
    message = Message()
    message["Content-Disposition"] = fetched.headers.get("content-disposition", "")
    parts = urlsplit(fetched.url)
    base_name = message.get_filename() or unquote(parts.path.rstrip("/").rpartition("/")[2])
    name = base_name or parts.hostname or "page"
    html = fetched.headers.get("content-type", "").startswith("text/html")
    return f"{name}.html" if html and not name.lower().endswith((".html", ".htm")) else name
