"""A server on loopback that speaks OpenAI's transcription API by a script, for any test."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from .openai_server import CUT_BYTES, Reply

TRANSCRIPTIONS = "/v1/audio/transcriptions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A recording as the server received it."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    form: Mapping[str, str]
    filename: str
    media_type: str
    content: bytes


def heard(
    *segments: tuple[float, float, str], language: str = "en", **more: Sequence[float]
) -> Reply:
    """The recording is written down; `more` gives further numbers of the segments, in turn."""
    told = [
        {"id": number, "start": start, "end": end, "text": text}
        | {name: values[number] for name, values in more.items()}
        for number, (start, end, text) in enumerate(segments)
    ]
    body = {
        "task": "transcribe",
        "language": language,
        "duration": segments[-1][1] if segments else 1.0,
        "text": "".join(text for _, _, text in segments),
        "segments": told,
    }
    return Reply(body=json.dumps(body).encode())


class TranscriptionServer:
    """`with TranscriptionServer(heard((0, 1, "hello"))) as server: …` serves at `server.url`."""

    def __init__(self, *replies: Reply) -> None:
        self.posted: list[Posted] = []
        self._replies = list(replies)
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, posted: Posted) -> Reply:
        self.posted.append(posted)
        reply = self._replies.pop(0) if self._replies else Reply(status=500)
        if reply.held:
            self._closing.wait()
        return reply


def _handler_of(server: TranscriptionServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer(_posted(self.path, headers, content))
            try:
                self._send(reply)
            except ConnectionError:
                self.close_connection = True  # The client gave up waiting.

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body[:CUT_BYTES] if reply.broken else reply.body)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
            """Say nothing."""

    return Handler


def _posted(path: str, headers: Mapping[str, str], content: bytes) -> Posted:
    """The parts of a form."""
    head = f"Content-Type: {headers['content-type']}\r\n\r\n".encode()
    form: dict[str, str] = {}
    filename, media_type, recording = "", "", b""
    for part in BytesParser(policy=HTTP).parsebytes(head + content).iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        if part.get_filename() is None:
            form[str(name)] = payload.decode()
        else:
            filename, media_type = str(part.get_filename()), part.get_content_type()
            recording = payload
    return Posted(
        path=path,
        headers=headers,
        form=form,
        filename=filename,
        media_type=media_type,
        content=recording,
    )
