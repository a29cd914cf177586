"""Post JSON to a service that scores texts, with a time-out and a limit on the response size."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx

from footnote.errors import ModelUnavailable
from footnote.models.redaction import redacted_bodies

Token = Callable[[], Awaitable[str]]
"""Returns the bearer token, valid at the time of the call."""
Body = Mapping[str, object]

MAX_ANSWER_BYTES = 8 * 1024**2
"""Room for a thousand texts of 8 kB each, for services that repeat them in their response."""
_BUSY = (429, 503)
_DEFAULT_PAUSE_SECONDS = 0.5


@dataclass(slots=True, kw_only=True, eq=False)
class JsonEndpoint:
    """A URL that takes a JSON body by POST and returns JSON.

    Redirects are not followed, so neither texts nor key reach a host that was not configured.
    Belongs to the event loop it is first used in.
    """

    name: str
    """The model's name in errors."""
    url: str
    timeout_seconds: float
    """Limit for all bodies of one call together, pauses included."""
    token: Token | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal_hint: str = "check FOOTNOTE_MODEL_KEYS"
    """Advice when access is denied."""
    unfit_hint: str = (
        "check the model in FOOTNOTE_RERANKER, and how many and how long texts it takes"
    )
    """Advice when the request is rejected."""
    setting: str = "FOOTNOTE_RERANKER"
    """The setting with its address."""
    _client: httpx.AsyncClient | None = field(default=None, init=False, repr=False)

    async def post_each(self, bodies: Sequence[Body]) -> list[bytes]:
        """Post the bodies one after the other; return the responses. Raises ModelUnavailable.

        Personal data in them is redacted first, if redaction is on. After 429 or 503 a body is sent
        once more, after the pause that the service asks for, if the time-out allows it.
        """
        bodies = await redacted_bodies(bodies)
        try:
            async with asyncio.timeout(self.timeout_seconds) as limit:
                return [await self._post(body, limit) for body in bodies]
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ModelUnavailable(
                f"{self.name} did not answer within {self.timeout_seconds:g} s",
                hint="see whether the service is well, or take a faster one",
            ) from error
        except httpx.ConnectError as error:
            raise ModelUnavailable(
                f"{self.name} cannot be reached: {error}",
                hint=f"check the address in {self.setting}",
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
            pause = retry_after_seconds(headers, _DEFAULT_PAUSE_SECONDS)
            end = limit.when()
            if end is not None and asyncio.get_running_loop().time() + pause < end:
                await asyncio.sleep(pause)
                status, _, content = await self._exchange(body)
        if status != httpx.codes.OK:
            raise ModelUnavailable(f"{self.name} answered {status}", hint=self._hint(status))
        return content

    async def _exchange(self, body: Body) -> tuple[int, httpx.Headers, bytes]:
        if self._client is None:
            # This limits each read; `asyncio.timeout` limits the whole exchange.
            self._client = httpx.AsyncClient(timeout=self.timeout_seconds, follow_redirects=False)
        # A lone surrogate has no UTF-8; it becomes a question mark.
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
                hint=f"check that {self.setting} has the address of its API",
            )

    def _hint(self, status: int) -> str:
        if status in (401, 403):
            return self.refusal_hint
        if status in _BUSY:
            return "it is busy or its quota is spent; try later"
        if status in (400, 413, 422):
            return self.unfit_hint
        if status < 500:
            return f"check the address in {self.setting}"
        return "see whether the service is well"


def unusable(name: str) -> ModelUnavailable:
    """Return the error for an invalid response; it reveals nothing of the response's content."""
    return ModelUnavailable(
        f"{name} gave an answer that cannot be used: not one finite score for each text",
        hint="check that FOOTNOTE_RERANKER names the kind of API that is at its address",
    )


def scores_by_position(placed: Sequence[tuple[int, float]], count: int) -> list[float]:
    """Return the scores in the order of the texts.

    Raises ValueError unless each position below `count` occurs exactly once. A missing text could
    only be ranked by a guess, which would silently mix two orders.
    """
    scores = dict(placed)
    if len(placed) != count or scores.keys() != set(range(count)):
        raise ValueError("not each text has exactly one score")
    return [scores[position] for position in range(count)]


def fixed_token(token: str) -> Token:
    """Return a function that always returns this token."""

    async def give() -> str:
        return token

    return give


def posted_to(url: str, path: str) -> str:
    """Return the URL to post to: with `path` if it is a host alone, else unchanged."""
    parsed = httpx.URL(url)
    return str(parsed.copy_with(path=path) if parsed.path in ("", "/") else parsed)


def retry_after_seconds(headers: httpx.Headers, unless_told_seconds: float) -> float:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3).

    A date in it is compared with the response's own Date header.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])
    except (ValueError, TypeError, KeyError):
        return unless_told_seconds
    return max(0.0, until.total_seconds())
