"""Requests to one server, repeated with back-off where that can do no harm."""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import BinaryIO

import httpx

from footnote.domain.replicas import Position
from footnote.errors import InvalidRequest, NotReady
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.failing import error_of, retry_after_seconds, unreachable

JsonValue = object
Params = Mapping[str, str | int | Sequence[str | int]]
"""The parameters of a query; a sequence repeats its parameter for each member."""
FileParts = Mapping[str, tuple[str, bytes | BinaryIO]]


class Repeat(IntEnum):
    """When a request may be sent once more."""

    UNSENT = 0
    """Only when it did not even reach the server."""
    REFUSED = 1
    """Also when the server refused it for the moment."""
    LOST = 2
    """Also when nobody knows whether it was done: doing it twice is doing it once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often, and after which pauses, a request is sent again."""

    retries: int = 3
    first_pause_seconds: float = 0.25
    longest_pause_seconds: float = 30.0

    def pause_seconds(self, attempt: int, requested: float | None = None) -> float:
        """The pause before an attempt, counted from 1; a pause that the server requested wins.

        Each is twice as long as the one before, and up to a quarter shorter by chance, so that
        clients that were refused together do not come back together.
        """
        if requested is not None:
            return min(requested, self.longest_pause_seconds)
        full_pause = min(
            self.first_pause_seconds * 2.0 ** (attempt - 1), self.longest_pause_seconds
        )
        return full_pause * random.uniform(0.75, 1.0)  # noqa: S311  # no secret hangs on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a request carries."""

    json: JsonValue = None
    params: Params = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """Of a form."""
    files: FileParts | None = None


NOTHING = Content()

WORKSPACE_HEADER = "Footnote-Workspace"
POSITION_HEADER = "Footnote-Position"
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # a token of RFC 9110
_HEADER_VALUE = re.compile(r"(?:[!-~](?:[ -~\t]*[!-~])?)?")  # RFC 9110, section 5.5; ASCII alone

_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_CUT = (httpx.NetworkError, httpx.RemoteProtocolError)


@dataclass(slots=True)
class LatestPosition:
    """The latest position of the database that a client has seen; replicas show nothing older."""

    position: Position | None = None

    def note(self, response: httpx.Response) -> None:
        """Note the position that a response has in its header, unless it is an earlier one."""
        header = response.headers.get(POSITION_HEADER)
        if header is not None:
            position = Position.of(header)
            self.position = position if self.position is None else max(self.position, position)

    @property
    def headers(self) -> dict[str, str]:
        """The headers by which a request tells the server its position."""
        return {} if self.position is None else {POSITION_HEADER: str(self.position)}


@dataclass(frozen=True, slots=True)
class Transport:
    """The connection to a server."""

    http: httpx.AsyncClient
    patience: Patience
    seen: LatestPosition = field(default_factory=LatestPosition)

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        if self.http.is_closed:
            raise NotReady("the client was closed", hint="open another: footnote.Client(…)")

    async def call(
        self,
        method: str,
        path: str,
        content: Content = NOTHING,
        *,
        repeat: Repeat,
        also_good: Sequence[int] = (),
    ) -> httpx.Response:
        """The response, read to its end. Raises the error that an unsuccessful status means."""
        response = await self._send(method, path, content, repeat, streamed=False)
        if response.is_success or response.status_code in also_good:
            return response
        raise error_of(response)

    async def json(
        self, method: str, path: str, content: Content = NOTHING, repeat: Repeat = Repeat.LOST
    ) -> Mapping[str, object]:
        """The JSON object of a response. Raises the error that its status means."""
        response = await self.call(method, path, content, repeat=repeat)
        return decoded(dict[str, object], response.json())

    @asynccontextmanager
    async def stream(
        self, method: str, path: str, content: Content = NOTHING, *, repeat: Repeat
    ) -> AsyncIterator[httpx.Response]:
        """A response to be read as it comes. Raises the error that its status means."""
        response = await self._send(method, path, content, repeat, streamed=True)
        try:
            if not response.is_success:
                await response.aread()
                raise error_of(response)
            yield response
        finally:
            await response.aclose()

    async def _send(
        self, method: str, path: str, content: Content, repeat: Repeat, *, streamed: bool
    ) -> httpx.Response:
        self.require_open()
        attempt = 0
        while True:
            attempt += 1
            request = self._request(method, path, content)
            requested: float | None = None
            try:
                response = await self.http.send(request, stream=streamed)
            except httpx.TransportError as error:
                may_retry = _may_repeat(error, repeat) and attempt <= self.patience.retries
                if not may_retry:
                    raise unreachable(request, error, attempt) from error
            else:
                self.seen.note(response)
                busy = response.status_code in (429, 503) and repeat >= Repeat.REFUSED
                if not busy or attempt > self.patience.retries:
                    return response
                requested = retry_after_seconds(response)
                await response.aclose()
            await asyncio.sleep(self.patience.pause_seconds(attempt, requested))

    def _request(self, method: str, path: str, content: Content) -> httpx.Request:
        headers = {**self.seen.headers, **checked_headers(content.headers)}
        try:
            return self.http.build_request(
                method,
                path,
                json=content.json,
                params=content.params or None,
                headers=headers,
                data=dict(content.fields) or None,
                files=content.files,
            )
        except (UnicodeEncodeError, httpx.InvalidURL) as error:
            raise InvalidRequest(
                f"a text of the request cannot be sent: {error}",
                hint="leave control characters and halves of characters out",
            ) from error
        except ValueError as error:  # what JSON has no word for
            raise InvalidRequest(
                "a number of the request is NaN or infinite", hint="give a finite number"
            ) from error


def check_connection(base_url: str, timeout_seconds: float, patience: Patience) -> None:
    """Raise InvalidRequest for an address, timeout or patience that cannot be used."""
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise InvalidRequest(f"{base_url!r} is no address", hint="give it as http://127.0.0.1:8080")
    if not 0 < timeout_seconds < math.inf:
        raise InvalidRequest(
            f"timeout_seconds is {timeout_seconds:g}", hint="give a finite number above 0"
        )
    if patience.retries < 0 or not 0 <= patience.first_pause_seconds < math.inf:
        raise InvalidRequest(
            f"it cannot be tried {patience.retries} times again, "
            f"{patience.first_pause_seconds:g} seconds later",
            hint="give retries and first_pause_seconds from 0 on",
        )


def workspace_header(name: str | None) -> dict[str, str]:
    """The header that names a workspace. Raises InvalidRequest."""
    if name is None:
        return {}
    if not name or not _HEADER_VALUE.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} cannot name a workspace",
            hint="names have lower-case letters, digits, '-', '_' and '.'",
        )
    return {WORKSPACE_HEADER: name}


def bearer_header(api_key: str | None) -> dict[str, str]:
    """The header with the key or token, or that of the environment. Raises InvalidRequest."""
    key = api_key if api_key is not None else os.environ.get("FOOTNOTE_API_KEY")
    return checked_headers({"Authorization": f"Bearer {key}"}) if key else {}


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers that can be sent. Raises InvalidRequest."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise InvalidRequest(
                f"no header can be called {name!r}", hint="give one such as Authorization"
            )
        if not _HEADER_VALUE.fullmatch(value):
            # The value is not repeated: it may be a key.
            raise InvalidRequest(
                f"the value of the header {name} cannot be sent",
                hint="give printable ASCII without space around it",
            )
    return dict(headers)


def _may_repeat(error: httpx.TransportError, repeat: Repeat) -> bool:
    if isinstance(error, _UNSENT):
        return True
    return repeat >= Repeat.LOST and isinstance(error, _CUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """One event of a stream, with the id that the stream stands at after it."""

    event: str
    data: str
    """Empty where the stream only said where it stands."""
    id: str


async def server_sent_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[ServerSentEvent]:
    """The events in the bytes of a stream (WHATWG HTML, section 9.2); comments are passed over."""
    name, data, last_id = "", list[str](), ""
    async with aclosing(_lines(chunks)) as lines:
        async for line in lines:
            field_name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            match field_name:
                case "event":
                    name = value
                case "data":
                    data.append(value)
                case "id":
                    last_id = value
                case "" if not line:
                    yield ServerSentEvent(event=name or "message", data="\n".join(data), id=last_id)
                    name, data = "", []
                case _:
                    continue


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[str]:
    """Lines that end in LF or CRLF; an incomplete line at the end is dropped."""
    incomplete = b""
    async for chunk in chunks:
        *complete, incomplete = (incomplete + chunk).split(b"\n")
        for line in complete:
            yield line.removesuffix(b"\r").decode("utf-8", "replace")
