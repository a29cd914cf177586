"""Connections that end when their client sends a request too slowly."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from dataclasses import dataclass
from typing import ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from footnote.interfaces.http.guard import HEAD_TOO_LARGE
from footnote.interfaces.http.problems import Refused

MIN_BYTES_PER_SECOND = 500
"""The slowest a body may come; the same as in Apache's mod_reqtimeout."""

_QUOTED_BYTES = re.compile(r""":? (?:bytearray\()?b(?:'|").*""", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a client may take to send a request."""

    head_seconds: float
    """From the connection, or the first byte of a further request, to the end of the headers."""
    body_seconds: float
    """The period over which a body must keep to `MIN_BYTES_PER_SECOND`."""


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 over h11, with time limits for what a client sends.

    An answer may take as long, and be streamed as long, as it likes.
    """

    patience: ClassVar[Patience]
    _timer: asyncio.TimerHandle | None = None
    _awaited: object = None
    _received_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's too
        """Wait for a request.

        Nagle's algorithm is off: asyncio leaves it on for sockets of `socket.create_server`, which
        do not name their protocol, and each body would wait for its head's acknowledgement, 40 ms.
        """
        super().connection_made(transport)
        accepted: socket.socket = transport.get_extra_info("socket")
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._wait_for(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read data."""
        self._received_bytes += len(data)
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._update_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what h11 could not read, as a problem with the status that h11 suggests."""
        error = sys.exception()
        status = getattr(error, "error_status_hint", 400)
        if status == HEAD_TOO_LARGE.status_code:
            self._refuse(HEAD_TOO_LARGE)
        else:
            # h11's message, without the bytes that it quotes as Python literals.
            reason = _QUOTED_BYTES.sub("", str(error or msg))
            self._refuse(Refused(status, f"The request is not HTTP: {reason}."))

    def _update_timer(self) -> None:
        """Start the timer of what is awaited now, unless it runs already.

        How long a connection may rest between two requests uvicorn sees to.
        """
        state = self.conn.their_state
        awaited = state if state in (h11.IDLE, h11.SEND_BODY) else None
        unread, _ = self.conn.trailing_data
        served_before = cast("RequestResponseCycle | None", self.cycle) is not None
        is_idle = awaited is h11.IDLE and served_before and not unread
        if is_idle or self.transport.is_closing():
            awaited = None
        if awaited is not self._awaited:
            self._wait_for(awaited)

    def _wait_for(self, awaited: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._awaited = awaited
        if awaited is h11.IDLE:
            self._timer = self.loop.call_later(self.patience.head_seconds, self._on_head_timeout)
        elif awaited is h11.SEND_BODY:
            seconds = self.patience.body_seconds
            self._timer = self.loop.call_later(seconds, self._check_body_rate, self._received_bytes)

    def _on_head_timeout(self) -> None:
        unread, _ = self.conn.trailing_data
        if unread:
            self._refuse(Refused(408, "The headers did not come in time."))
        else:
            self.transport.close()

    def _check_body_rate(self, received_before: int) -> None:
        """Refuse a body that came too slowly, unless the server itself did not read on."""
        received = self._received_bytes - received_before
        min_bytes = MIN_BYTES_PER_SECOND * self.patience.body_seconds
        server_paused = self.flow.read_paused or self.conn.they_are_waiting_for_100_continue
        if server_paused or received >= min_bytes:
            self._wait_for(h11.SEND_BODY)
        else:
            self._refuse(Refused(408, "The body did not come in time."))

    def _refuse(self, refused: Refused) -> None:
        """Answer with a problem, unless an answer has begun, and close the connection."""
        self.logger.info("%s", refused.detail)
        self._wait_for(None)
        cycle = cast("RequestResponseCycle | None", self.cycle)  # none before the first request
        if cycle is not None and not cycle.response_complete:
            # What reads the body learns that the client has left.
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


def patient_protocol(limits: Patience) -> type[PatientProtocol]:
    """The protocol with these limits; uvicorn makes one for each connection."""

    class Protocol(PatientProtocol):
        patience = limits

    return Protocol
