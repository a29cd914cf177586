"""Posts JSON to a service that scores texts, within a time-out and a bound on the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.redaction import redacted_bodies

Token = Callable[[], Awaitable[str]]
"""Gives what stands behind `Bearer`, fresh enough to be used at once."""
Body = Mapping[str, object]

MAX_ANSWER_BYTES = 8 * 1024**2
"""A thousand texts of 8 kB each, for the services that repeat them in their answer."""
_BUSY = (429, 503)
_PAUSE_UNLESS_TOLD_SECONDS = 0.5


@dataclass(slots=True, kw_only=True, eq=False)
class JsonEndpoint:
    """One URL that takes a JSON body by POST and gives JSON back.

    Redirects are not followed, so neither texts nor key reach a host that was not configured.
    Belongs to the event loop it is first used in.
    """

    name: str
    """What errors call the model behind it."""
    url: str
    timeout_seconds: float
    """For all bodies of one call together, pauses included."""
    token: Token | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal_hint: str = "check FOOTNOTE_RERANKER_API_KEY"
    """What to do when it does not let us in."""
    unfit_hint: str = "check FOOTNOTE_RERANKER_MODEL, and how many and how long texts it takes"
    """What to do when it does not take what is sent."""
    settings: str = "FOOTNOTE_RERANKER"
    """What the names of its settings begin with."""
    _client: httpx.AsyncClient | None = field(default=None, init=False, repr=False)

    async def post_each(self, bodies: Sequence[Body]) -> list[bytes]:
        """The answers to the bodies, posted one after the other. Raises ModelUnavailable.

        Personal data in them is redacted first, where that is wanted. A service that says 429 or
        503 is asked once more for each body, after the pause it asks for, if the time-out allows
        it.
        """
        bodies = await redacted_bodies(bodies)
        try:
            async with asyncio.timeout(self.timeout_seconds) as limit:
                return [await self._post(body, limit) for body in bodies]
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ModelUnavailable(
                f"{self.name} did not answer within {self.timeout_seconds:g} s",
                hint=f"see whether the service is well, or raise {self.settings}_TIMEOUT_SECONDS",
            ) from error
        except httpx.ConnectError as error:
            raise ModelUnavailable(
                f"{self.name} cannot be reached: {error}", hint=f"check {self.settings}_URL"
            ) from error
        except httpx.HTTPError as error:
            raise ModelUnavailable(
                f"{self.name} broke off its answer ({type(error).__name__})",
                hint="see whether the service is well",
            ) from error

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _post(self, body: Body, limit: asyncio.Timeout) -> bytes:
        status, headers, content = await self._exchange(body)
        if status in _BUSY:
            pause = pause_asked_for(headers, _PAUSE_UNLESS_TOLD_SECONDS)
            end = limit.when()
            if end is not None and asyncio.get_running_loop().time() + pause < end:
                await asyncio.sleep(pause)
                status, _, content = await self._exchange(body)
        if status != httpx.codes.OK:
            raise ModelUnavailable(f"{self.name} answered {status}", hint=self._hint(status))
        return content

    async def _exchange(self, body: Body) -> tuple[int, httpx.Headers, bytes]:
        if self._client is None:
            # This bounds each read; `asyncio.timeout` bounds the whole exchange.
            self._client = httpx.AsyncClient(timeout=self.timeout_seconds, follow_redirects=False)
        # Half a surrogate pair has no UTF-8; it becomes a question mark.
        payload = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "accept-encoding": "identity",
            **self.headers,
        }
        if self.token is not None:
            headers["authorization"] = f"Bearer {await self.token()}"
        async with self._client.stream(
            "POST", self.url, content=payload, headers=headers
        ) as response:
            content = bytearray()
            if response.status_code == httpx.codes.OK:
                async for part in response.aiter_bytes():
                    content += part
                    self._check_size(len(content))
            return response.status_code, response.headers, bytes(content)

    def _check_size(self, size: int) -> None:
        if size > MAX_ANSWER_BYTES:
            raise ModelUnavailable(
                f"{self.name} answered with more than {MAX_ANSWER_BYTES} bytes",
                hint=f"check that {self.settings}_URL is the address of its API",
            )

    def _hint(self, status: int) -> str:
        if status in (401, 403):
            return self.refusal_hint
        if status in _BUSY:
            return "it is busy or its quota is spent; try later"
        if status in (400, 413, 422):
            return self.unfit_hint
        if status < 500:
            return f"check {self.settings}_URL"
        return "see whether the service is well"


def unusable(name: str) -> ModelUnavailable:
    """The error for an answer that is not what the API promises; says nothing of its content."""
    return ModelUnavailable(
        f"{name} gave an answer that cannot be used: not one finite score for each text",
        hint="check that FOOTNOTE_RERANKER and FOOTNOTE_RERANKER_URL name the same kind of API",
    )


def scores_by_position(placed: Sequence[tuple[int, float]], count: int) -> list[float]:
    """The scores in the order of the texts.

    Raises ValueError unless each position below `count` occurs exactly once. A text that is
    missing could only be ranked by guess, and would make two orders into one unseen.
    """
    scores = dict(placed)
    if len(placed) != count or scores.keys() != set(range(count)):
        raise ValueError("not each text has exactly one score")
    return [scores[position] for position in range(count)]


def fixed_token(token: str, setting: str) -> Token:
    """Always this token. Raises UnsupportedSettings, naming the setting, if no header can hold it.

    An HTTP library that met such a token would repeat it in its error.
    """
    clean = token.strip()
    if not clean or not clean.isascii() or not clean.isprintable() or " " in clean:
        raise UnsupportedSettings(
            f"The value of {setting} cannot be an API key.",
            hint=f"Set {setting} to the key alone, without quotes or spaces.",
        )

    async def give() -> str:
        return clean

    return give


def checked_url(
    url: str, path: str, *, title: str = "reranker", settings: str = "FOOTNOTE_RERANKER"
) -> str:
    """The URL to post to: with `path` when it names a host alone, else as it stands.

    Raises UnsupportedSettings for one that is not http(s) or carries a password, which would
    end up in logs.
    """
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise UnsupportedSettings(
            f"The URL of the {title} cannot be used.",
            hint=f"Set {settings}_URL to an address like https://service.example/path, "
            f"and a password or key to {settings}_API_KEY.",
        )
    if parsed.path in ("", "/"):
        parsed = parsed.copy_with(path=path)
    return str(parsed)


def pause_asked_for(headers: httpx.Headers, unless_told_seconds: float) -> float:
    """Seconds of a Retry-After header (RFC 9110, 10.2.3), whose date is read by the sender's."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])
    except (ValueError, TypeError, KeyError):
        return unless_told_seconds
    return max(0.0, until.total_seconds())
