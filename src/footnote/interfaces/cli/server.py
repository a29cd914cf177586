"""Takes answers from the server that runs over the same home, where a command only reads.

`footnote serve` writes into FOOTNOTE_HOME where it listens and what decides its answers. A command
asks it only where version, user, machine and settings are the same, and takes only a whole answer
that it understands; in any other case the command opens an engine of its own, so that its output
and its errors do not depend on whether a server runs. See docs/decisions/0042.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

import platformdirs
import typer

from footnote import __version__
from footnote.interfaces.cli.options import root_options, workspace_name
from footnote.interfaces.cli.stored_token import stored_token

if TYPE_CHECKING:
    from footnote.domain import AnswerEvent

Record = TypeVar("Record")

FILE = "server.json"
WORKSPACE_HEADER = "Footnote-Workspace"
_PREFIX = "FOOTNOTE_"
_OF_TESTS = "FOOTNOTE_TEST_"
_OF_POSTGRES = "PG"
"""What variables begin with that libpq reads beside an address."""
_UNCHANGING = frozenset({"home", "address"})
"""Settings that change no answer: the file lies in the home, and says where the server listens."""
_SILENT_SECONDS = 60.0
"""After which a server that says nothing is given up; a stream of events beats every 15."""
_LOCK_TRIES = 20
_LOCK_PAUSE_SECONDS = 0.01
"""A command holds the lock for less while it looks whether a server does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """What a server says of itself."""

    version: str
    machine: str
    host: str
    port: int
    writes_answers: bool
    """Whether a model writes its answers, so that they are worth showing as they come."""
    deciding: Sequence[str]
    """The environment variables that decide what it answers."""
    other: Sequence[str]
    """The variables that are known and decide nothing."""
    salt: str
    digest: str
    """Of the salt and the deciding variables with their values, which may be secret."""


@contextmanager
def announced(home: Path, address: tuple[str, int], *, writes_answers: bool) -> Iterator[None]:
    """Let commands find the server at this address as long as the block lasts.

    The file is locked meanwhile, so that a file left behind is recognised. Of two servers over one
    home, commands find the first.
    """
    from footnote.settings import COMMAND_LINE_VARIABLES, Settings, variables_of
    from footnote.settings.kinds import BLEND_WEIGHTS

    names = {setting: variables_of(setting) for setting in Settings.model_fields}
    changing = {name for setting in names.keys() - _UNCHANGING for name in names[setting]}
    deciding = tuple(sorted(changing.union(BLEND_WEIGHTS)))
    unchanging = {name for setting in _UNCHANGING for name in names[setting]}
    other = unchanging | {*COMMAND_LINE_VARIABLES}
    salt = secrets.token_hex(16)
    record = ServerRecord(
        version=__version__,
        machine=os.uname().nodename,
        host=address[0],
        port=address[1],
        writes_answers=writes_answers,
        deciding=deciding,
        other=tuple(sorted(other)),
        salt=salt,
        digest=_digest(os.environ, deciding, salt),
    )
    path = home / FILE
    descriptor = _locked(path)
    if descriptor is None:
        yield
        return
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(asdict(record)).encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    """The file, open and locked; None where another server has it."""
    for _ in range(_LOCK_TRIES):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever had it before may have removed it in between.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                os.fchmod(descriptor, 0o600)
                return descriptor
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_SECONDS)
        os.close(descriptor)
    return None


def _digest(environment: Mapping[str, str], deciding: Sequence[str], salt: str) -> str:
    """A digest that two processes with the same variables share; paths are made absolute."""
    values = {
        name: str(Path(value).resolve()) if os.path.lexists(value) else value
        for name, value in environment.items()
        if value and (name in deciding or name.startswith(_OF_POSTGRES))
    }
    return hashlib.sha256(json.dumps([salt, values], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that would answer as this process does, and the workspace it is asked in."""

    record: ServerRecord
    workspace: str | None

    def get(
        self, kind: type[Record], path: str, params: Mapping[str, object] | None = None
    ) -> Record | None:
        """The record at a path; None where the server does not give it, for whatever reason."""
        query = {name: value for name, value in (params or {}).items() if value is not None}
        return self._read(kind, "GET", f"{path}?{urlencode(query)}" if query else path, None)

    def post(self, kind: type[Record], path: str, body: Mapping[str, object]) -> Record | None:
        """The answer to a body; None where the server does not give it, for whatever reason."""
        return self._read(kind, "POST", path, body)

    def events(self, path: str, body: Mapping[str, object]) -> Iterator[AnswerEvent]:
        """The events of an answer, as far as the server gives them; perhaps none."""
        from footnote.errors import FootnoteError
        from footnote.interfaces.answer_events import answer_event

        nothing_to_use = suppress(OSError, HTTPException, ValueError, FootnoteError)
        with nothing_to_use, self._request("POST", path, body) as response:
            if response.status != HTTPStatus.OK:
                return
            name = ""
            for line in response:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name in _SHOWN_EVENTS:
                    event = answer_event(name, json.loads(value))
                    if event is not None:
                        yield event

    def _read(
        self, kind: type[Record], method: str, path: str, body: Mapping[str, object] | None
    ) -> Record | None:
        from footnote.interfaces.schemas import adapter

        try:
            with self._request(method, path, body) as response:
                return (
                    adapter(kind).validate_json(response.read())
                    if response.status == HTTPStatus.OK
                    else None
                )
        except (OSError, HTTPException, ValueError):
            return None

    @contextmanager
    def _request(
        self, method: str, path: str, body: Mapping[str, object] | None
    ) -> Iterator[HTTPResponse]:
        headers = {"Content-Type": "application/json"}
        if self.workspace:
            headers[WORKSPACE_HEADER] = self.workspace
        if token := stored_token():
            headers["Authorization"] = f"Bearer {token}"
        http = HTTPConnection(self.record.host, self.record.port, timeout=_SILENT_SECONDS)
        with closing(http):
            http.request(method, path, None if body is None else json.dumps(body), headers)
            with http.getresponse() as response:
                yield response


_SHOWN_EVENTS = ("token", "tool", "done", "error")
"""What a terminal shows; sources, quotes and verdicts come again with the answer."""


def running_server(context: typer.Context, workspace: str | None) -> RunningServer | None:
    """The server that would answer as this process does. Raises InvalidRequest for no workspace.

    None where none runs, where it is not to be asked, or where anything about it is in doubt.
    """
    if not root_options(context).ask_server:
        return None
    home = os.environ.get("FOOTNOTE_HOME") or platformdirs.user_data_dir("footnote")
    record = _record_in(Path(home))
    if record is None:
        return None
    registered = {*record.deciding, *record.other}
    for name in os.environ:
        upper_name = name.upper()
        relevant = upper_name in registered or (
            upper_name.startswith(_PREFIX) and not upper_name.startswith(_OF_TESTS)
        )
        if relevant and name not in registered:
            return None  # Spelt in another way, or none that is known: the command says so.
    if (record.version, record.machine) != (__version__, os.uname().nodename):
        return None
    # Where it asks nobody who they are, the command says that a key is of no use.
    useless = not os.environ.get("FOOTNOTE_IDENTITY", "").strip() and stored_token(Path(home))
    if useless or record.digest != _digest(os.environ, record.deciding, record.salt):
        return None
    return RunningServer(record, workspace_name(context, workspace))


def _record_in(home: Path) -> ServerRecord | None:
    """What a living server of this user says in the home."""
    try:
        descriptor = os.open(home / FILE, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor) as file:
            status = os.fstat(descriptor)
            if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
                return None
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return ServerRecord(**json.load(file))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return None  # Nobody holds the lock: it was left behind.
