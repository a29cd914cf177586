"""A server on loopback that speaks OpenAI's transcription API by a script, for any test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from types import TracebackType
from typing import Self

from tests.wire.loopback import Connection, Loopback, Received

from .openai_server import Reply, send

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
        self._loopback = Loopback(self._answer)

    @property
    def url(self) -> str:
        return f"{self._loopback.origin}/v1"

    def __enter__(self) -> Self:
        self._loopback.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loopback.__exit__(kind, error, traceback)

    def _answer(self, received: Received, connection: Connection) -> None:
        self.posted.append(_posted(received.path, received.headers, received.content))
        send(self._replies.pop(0) if self._replies else Reply(status=500), connection)


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
