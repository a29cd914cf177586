"""HTTP client for URLs named by users; it connects only to IP addresses that were checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import urljoin

import httpx

from footnote.errors import InvalidRequest, SourceUnreachable, how_to_raise
from footnote.ingestion.sources.reach import addresses_of, checked_url, require_reachable

MAX_REDIRECTS = 5
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
USER_AGENT = "footnote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Limits of a request: which addresses may be contacted, how long and how much."""

    allow_private: bool
    timeout_seconds: float
    """For the whole exchange, redirects included."""
    max_bytes: int
    require: Callable[[str], object] = lambda _: None
    """Raises InvalidRequest for an address that may not be spoken to, redirects included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The response to a request; its body is written to a file."""

    url: str
    """The last one, after redirects."""
    status: int
    headers: Mapping[str, str]


async def fetch(url: str, reach: Reach, headers: Mapping[str, str], into: BinaryIO) -> Fetched:
    """Send a GET request and write the body to a file, in pieces.

    Follows up to five redirects, each checked like the first URL. Raises InvalidRequest for what
    may not be fetched or is too large, SourceUnreachable if there is no answer in time.
    """
    try:
        async with asyncio.timeout(reach.timeout_seconds):
            return await _follow(url, reach, headers, into)
    except TimeoutError as error:
        raise SourceUnreachable(
            f"{url} did not answer completely within {reach.timeout_seconds:g} seconds",
            hint="try again, or "
            + how_to_raise("fetch", "FOOTNOTE_TIMEOUTS", reach.timeout_seconds, "seconds"),
        ) from error


async def post(url: str, reach: Reach, headers: Mapping[str, str], body: bytes) -> int:
    """The status an address answers a POST with; redirects are not followed.

    Raises as `fetch` does.
    """
    try:
        async with (
            asyncio.timeout(reach.timeout_seconds),
            _answer("POST", url, reach, headers, body) as answer,
        ):
            return answer.status_code
    except TimeoutError as error:
        raise SourceUnreachable(
            f"it did not answer within {reach.timeout_seconds:g} seconds"
        ) from error


async def _follow(url: str, reach: Reach, headers: Mapping[str, str], into: BinaryIO) -> Fetched:
    for _ in range(MAX_REDIRECTS + 1):
        async with _answer("GET", url, reach, headers) as answer:
            target = answer.headers.get("location")
            if answer.status_code in _REDIRECTS and target:
                next_url = urljoin(url, target)
                if url.startswith("https:") and not next_url.startswith("https:"):
                    raise InvalidRequest(
                        f"{url} leads to an address without TLS", hint="give the last address"
                    )
                url = next_url
                continue
            await _write(answer, reach.max_bytes, into)
            return Fetched(url=url, status=answer.status_code, headers=dict(answer.headers))
    raise InvalidRequest(
        f"the address leads on more than {MAX_REDIRECTS} times", hint="give the last address"
    )


@asynccontextmanager
async def _answer(
    method: str, url: str, reach: Reach, headers: Mapping[str, str], body: bytes | None = None
) -> AsyncIterator[httpx.Response]:
    """Send a request to an IP address that was checked, with the given host name.

    The name is resolved only once, which prevents DNS rebinding: a second, different answer of its
    DNS server is never asked for. For the same reason no proxy is used. Of several addresses the
    first that accepts a connection is used.
    """
    parts = checked_url(url)
    assert parts.hostname is not None, "checked"
    reach.require(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = await addresses_of(parts.hostname, port)
    require_reachable(parts.hostname, addresses, allow_private=reach.allow_private)
    all_headers = {
        **headers,
        "Host": parts.netloc,
        "User-Agent": USER_AGENT,
        "Accept-Encoding": "identity",
    }
    try:
        async with (
            httpx.AsyncClient(trust_env=False, timeout=reach.timeout_seconds) as client,
            AsyncExitStack() as stack,
        ):
            for address in addresses:
                request = client.stream(
                    method,
                    httpx.URL(url).copy_with(host=address),
                    headers=all_headers,
                    content=body,
                    extensions={"sni_hostname": parts.hostname},
                )
                try:
                    answer = await stack.enter_async_context(request)
                    break
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    if address == addresses[-1]:
                        raise
            yield answer
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        reason = str(error).strip() or type(error).__name__
        raise SourceUnreachable(f"{url} cannot be reached: {reason}") from error


async def _write(answer: httpx.Response, max_bytes: int, into: BinaryIO) -> None:
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise InvalidRequest(
            "the answer is compressed although it was asked for as it is",
            hint="download it and hand the file in",
        )
    size = 0
    async for piece in answer.aiter_raw():
        size += len(piece)
        if size > max_bytes:
            raise InvalidRequest(
                f"the answer has more than the {max_bytes:,} bytes allowed",
                hint=how_to_raise("bytes", "FOOTNOTE_DOCUMENT_LIMITS", max_bytes),
            )
        await asyncio.to_thread(into.write, piece)
