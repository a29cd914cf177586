"""`footnote login`: the commands of this user act as whoever a key or a token says."""

from __future__ import annotations

import sys

import typer
from rich.text import Text

from footnote.interfaces.cli.stored_token import FILE, MAX_CHARACTERS, store_token


def login() -> None:
    """Keep a key or a token for the commands of this user.

    It is asked for on the terminal, or read from standard input, and verified first.
    """
    from footnote import open as opened
    from footnote.domain.credentials import Caller, Presented
    from footnote.errors import InvalidRequest
    from footnote.interfaces.cli import present
    from footnote.interfaces.cli.command_runner import prepared, wait_for

    settings = prepared()
    if not settings.identity_ways:
        raise InvalidRequest(
            "nobody is asked who they are here, so there is nothing to log in to",
            hint="set FOOTNOTE_IDENTITY, for instance to keys",
        )
    if sys.stdin.isatty():
        token = typer.prompt("Key or token", hide_input=True)
    else:
        token = sys.stdin.read(MAX_CHARACTERS)
    presented = Presented(bearer=token.strip())

    async def verify() -> Caller:
        async with opened(settings) as engine:
            return await engine.caller(presented)

    caller = wait_for(verify())
    if not caller.workspaces:
        raise InvalidRequest(
            "the link shows a conversation, and no command acts in one",
            hint="log in with a key, a token, or a link to a collection",
        )
    store_token(settings.home / FILE, token.strip())
    principal, names = caller.identity.principal.principal_id, ", ".join(caller.workspaces)
    message = f"Commands now act as {present.plain(principal)} in {present.plain(names)}."
    present.notices().print(Text(message), soft_wrap=True)


def logout() -> None:
    """Forget what login kept; commands act as the operator of this installation again."""
    from footnote.interfaces.cli import present
    from footnote.interfaces.cli.command_runner import prepared

    (prepared().home / FILE).unlink(missing_ok=True)
    present.notices().print("Nobody is logged in.")
