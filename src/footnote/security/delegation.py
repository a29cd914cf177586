"""Delegate access to collections to the customer's own backend; any error denies.

To the backend, collections are projects: `GET {backend}/api/customer/projects/{id}` with the
caller's own credentials answers 200 if the caller may see the project.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx
import structlog
from pydantic import TypeAdapter, ValidationError

from footnote.domain.credentials import Presented

ANSWER_SECONDS = 3.0
"""A search waits for it, so that a backend that hangs denies soon."""
_MAX_CACHED = 10_000
_MAX_BYTES = 1024 * 1024
_OBJECT = TypeAdapter(dict[str, object])


@dataclass(slots=True, kw_only=True)
class Delegation:
    """A backend that decides per caller and collection, cached for a short time.

    Only grants are cached, so that a new grant takes effect at once.
    """

    url: str
    paths: Mapping[str, str]
    """URL paths by role, as in X-User-Role; `{id}` stands for the collection."""
    http: httpx.AsyncClient
    remember_seconds: float
    clock: Callable[[], float] = time.monotonic
    _admitted: OrderedDict[bytes, float] = field(default_factory=OrderedDict)
    """Expiry of each cached grant, by the hash of caller and collection."""

    async def admits(self, presented: Presented, collection: str) -> bool:
        """Return whether the caller may see the collection; an error of the backend denies."""
        path = self._path_of(presented.user_role, collection)
        if path is None or presented.bearer is None:
            return False
        caller = (presented.bearer, presented.user_id or "", presented.user_role or "", collection)
        key = hashlib.sha256(repr(caller).encode()).digest()
        now = self.clock()
        if self._admitted.get(key, 0.0) > now:
            return True
        if not await self._ask_backend(path, presented, collection):
            self._admitted.pop(key, None)
            return False
        self._admitted[key] = now + self.remember_seconds
        self._admitted.move_to_end(key)
        while len(self._admitted) > _MAX_CACHED:
            self._admitted.popitem(last=False)
        return True

    def _path_of(self, role: str | None, collection: str) -> str | None:
        """Return the URL path to request; None for a role without one, or a name that would change
        the path."""
        template = self.paths.get(role or "")
        if template is None and role is None and len(self.paths) == 1:
            [template] = self.paths.values()
        if template is None or collection in ("", ".", ".."):
            return None
        return template.replace("{id}", quote(collection, safe=""))

    async def _ask_backend(self, path: str, presented: Presented, collection: str) -> bool:
        """Return whether the backend answers 200 with an object; its id, if any, must match."""
        headers = {"Authorization": f"Bearer {presented.bearer}", "Accept": "application/json"}
        if presented.user_id is not None:
            headers["X-User-Id"] = presented.user_id
        if presented.user_role is not None:
            headers["X-User-Role"] = presented.user_role
        log = structlog.get_logger(__name__)
        try:
            async with (
                asyncio.timeout(ANSWER_SECONDS),
                self.http.stream("GET", self.url.rstrip("/") + path, headers=headers) as answer,
            ):
                if answer.status_code != httpx.codes.OK:
                    log.info("the backend denies", collection=collection, status=answer.status_code)
                    return False
                content = b""
                async for piece in answer.aiter_bytes():
                    content += piece
                    if len(content) > _MAX_BYTES:
                        log.warning("the backend answers too much, so it denies")
                        return False
            project = _OBJECT.validate_json(content)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValidationError) as error:
            # Only the class of the error: pydantic's messages quote the body.
            log.warning(
                "the backend cannot be asked, so it denies",
                collection=collection,
                error=type(error).__name__,
            )
            return False
        return str(project.get("id", collection)) == collection
