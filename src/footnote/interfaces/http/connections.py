"""Connections of the server that end when their client is too slow to ask."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import dataclass
from typing import ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from footnote.interfaces.http.guard import HEAD_TOO_LARGE
from footnote.interfaces.http.problems import Refused

MIN_BYTES_PER_SECOND = 500
"""What a body must keep to; as much as Apache's mod_reqtimeout asks for."""

_QUOTED_BYTES = re.compile(r""":? (?:bytearray\()?b(?:'|").*""", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a client may take to ask."""

    head_seconds: float
    """From the connection, or the end of the answer before, to the end of the headers."""
    body_seconds: float
    """In each such stretch of time a body must keep to `MIN_BYTES_PER_SECOND`."""


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 over h11, with an end to its patience.

    Timed is only what a client sends: an answer may take as long, and be streamed as long, as it
    likes.
    """

    patience: ClassVar[Patience]
    _timer: asyncio.TimerHandle | None = None
    _awaited: object = None
    _received_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's too
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._mind_the_time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any longer."""
        self._wait_for(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        self._received_bytes += len(data)
        super().data_received(data)
        self._mind_the_time()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._mind_the_time()

    def send_400_response(self, msg: str) -> None:
        """Refuse what h11 could not read, in the shape and with the status that it deserves."""
        error = sys.exception()
        status = getattr(error, "error_status_hint", 400)
        if status == HEAD_TOO_LARGE.status_code:
            self._refuse(HEAD_TOO_LARGE)
        else:
            # What h11 says, without the bytes it quotes as Python writes them.
            said = _QUOTED_BYTES.sub("", str(error or msg))
            self._refuse(Refused(status, f"The request is not HTTP: {said}."))

    def _mind_the_time(self) -> None:
        """Start the clock for what is awaited now; for what was awaited before it runs on."""
        state = self.conn.their_state
        wanted = state if state in (h11.IDLE, h11.SEND_BODY) else None
        if self.transport.is_closing():
            wanted = None
        if wanted is not self._awaited:
            self._wait_for(wanted)

    def _wait_for(self, wanted: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._awaited = wanted
        if wanted is h11.IDLE:
            self._timer = self.loop.call_later(self.patience.head_seconds, self._head_is_late)
        elif wanted is h11.SEND_BODY:
            seconds = self.patience.body_seconds
            self._timer = self.loop.call_later(seconds, self._judge_body, self._received_bytes)

    def _head_is_late(self) -> None:
        unread, _ = self.conn.trailing_data
        if unread:
            self._refuse(Refused(408, "The headers did not come in time."))
        else:
            self.transport.close()

    def _judge_body(self, received_before: int) -> None:
        """End a body that came too slowly, unless it was us who did not read on."""
        received = self._received_bytes - received_before
        enough = MIN_BYTES_PER_SECOND * self.patience.body_seconds
        our_turn = self.flow.read_paused or self.conn.they_are_waiting_for_100_continue
        if our_turn or received >= enough:
            self._wait_for(h11.SEND_BODY)
        else:
            self._refuse(Refused(408, "The body did not come in time."))

    def _refuse(self, refused: Refused) -> None:
        """Answer with a problem, unless an answer is under way, and close the connection."""
        self.logger.info("%s", refused.detail)
        self._wait_for(None)
        cycle = cast("RequestResponseCycle | None", self.cycle)  # none before the first request
        if cycle is not None and not cycle.response_complete:
            # Whoever reads the body hears that nobody is there any more.
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            refusal = refused.response({"Connection": "close"})
            for event in (
                h11.Response(status_code=refusal.status_code, headers=refusal.raw_headers),
                h11.Data(data=bytes(refusal.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def patient_protocol(wanted: Patience) -> type[PatientProtocol]:
    """The protocol with that much patience; uvicorn makes one for each connection."""

    class Protocol(PatientProtocol):
        patience = wanted

    return Protocol
