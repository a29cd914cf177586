"""`footnote login`: the commands of this user act as whoever a key or a token says.

It is kept in a file of FOOTNOTE_HOME that only this user may read; FOOTNOTE_API_KEY wins over it.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path

import platformdirs
import typer
from rich.text import Text

FILE = "login.token"
VARIABLE = "FOOTNOTE_API_KEY"
_MAX_CHARACTERS = 16 * 1024


def login() -> None:
    """Keep a key or a token for the commands of this user.

    It is asked for on the terminal, or read from standard input, and verified first.
    """
    from footnote import open as opened
    from footnote.domain.credentials import Caller, Presented
    from footnote.errors import InvalidRequest
    from footnote.interfaces.cli import present
    from footnote.interfaces.cli.edge import prepared, wait_for

    settings = prepared()
    if not settings.identity_ways:
        raise InvalidRequest(
            "nobody is asked who they are here, so there is nothing to log in to",
            hint="set FOOTNOTE_IDENTITY, for instance to keys",
        )
    if sys.stdin.isatty():
        token = typer.prompt("Key or token", hide_input=True)
    else:
        token = sys.stdin.read(_MAX_CHARACTERS)
    presented = Presented(bearer=token.strip())

    async def verified() -> Caller:
        async with opened(settings) as engine:
            return await engine.caller(presented)

    caller = wait_for(verified())
    _keep(settings.home / FILE, token.strip())
    who, where = caller.identity.principal.principal_id, ", ".join(caller.workspaces)
    told = f"Commands now act as {present.plain(who)} in {present.plain(where)}."
    present.notices().print(Text(told), soft_wrap=True)


def logout() -> None:
    """Forget what login kept; commands act as the operator of this installation again."""
    from footnote.interfaces.cli import present
    from footnote.interfaces.cli.edge import prepared

    (prepared().home / FILE).unlink(missing_ok=True)
    present.notices().print("Nobody is logged in.")


def kept_token(home: Path | None = None) -> str | None:
    """What the commands of this user say who they are with; None where nobody logged in."""
    if given := os.environ.get(VARIABLE):
        return given
    folder = home or Path(os.environ.get("FOOTNOTE_HOME") or platformdirs.user_data_dir("footnote"))
    with suppress(OSError):
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor) as file:
            status = os.fstat(descriptor)
            if status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077:
                return file.read(_MAX_CHARACTERS)
    return None


def _keep(path: Path, token: str) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token)
    draft.replace(path)
