"""The blocking twin of the remote client: the same verbs, over the one bridge."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from anyio.from_thread import BlockingPortal, start_blocking_portal

from footnote.bridge import blocking, blocking_iterator
from footnote.interfaces.sdk.client import AsyncClient, RemoteVerbs
from footnote.interfaces.sdk.conversations import AsyncConversations


@dataclass(frozen=True, slots=True)
class Conversations:
    """`AsyncConversations`, blocking; `client.conversations`."""

    portal: BlockingPortal
    inner: AsyncConversations

    create = blocking(AsyncConversations.create)
    get = blocking(AsyncConversations.get)
    list = blocking(AsyncConversations.list)
    change = blocking(AsyncConversations.change)
    delete = blocking(AsyncConversations.delete)
    attach = blocking(AsyncConversations.attach)
    detach = blocking(AsyncConversations.detach)
    export = blocking(AsyncConversations.export)
    messages = blocking(AsyncConversations.messages)
    ask = blocking(AsyncConversations.ask)
    ask_stream = blocking_iterator(AsyncConversations.ask_stream)
    edit = blocking(AsyncConversations.edit)
    regenerate = blocking(AsyncConversations.regenerate)
    suggest = blocking(AsyncConversations.suggest)
    go_on_from = blocking(AsyncConversations.go_on_from)
    give_feedback = blocking(AsyncConversations.give_feedback)
    withdraw_feedback = blocking(AsyncConversations.withdraw_feedback)


class Client(RemoteVerbs):
    """`AsyncClient`, blocking.

        with footnote.Client("http://127.0.0.1:8080", workspace="acme") as client:
            print(client.ask("How soon must a claim be reported?").text)

    Call it from ordinary threads, not from within an event loop.
    """

    waits = True

    def __init__(
        self,
        base_url: str,
        *,
        workspace: str | None = None,
        timeout_seconds: float = 120.0,
        retries: int = 3,
        first_pause_seconds: float = 0.25,
        headers: Mapping[str, str] | None = None,
        api_key: str | None = None,
    ) -> None:
        """As of `AsyncClient`."""
        self.inner = AsyncClient(
            base_url,
            workspace=workspace,
            timeout_seconds=timeout_seconds,
            retries=retries,
            first_pause_seconds=first_pause_seconds,
            headers=headers,
            api_key=api_key,
        )
        until_closed = ExitStack()
        self.portal: BlockingPortal = until_closed.enter_context(start_blocking_portal())
        until_closed.callback(self.portal.call, self.inner.close)
        # At the latest when the program ends, while threads still run: later would wait for ever.
        self._close = weakref.finalize(self, until_closed.close)
        self.conversations = Conversations(self.portal, self.inner.conversations)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections and of the thread."""
        self._close()
