"""A scripted model over real HTTP, which stands where that of a vendor would.

The fixture `wire_server` (tests/conftest.py) is one with an empty script:

    async def test_…(wire_server: WireServer) -> None:
        wire_server.script(calls("search_documents", '{"query": "rent"}'), says("It is ", "900."))
        ...  # ask at wire_server.openai_url (…/v1), or that of another vendor's wire
        assert wire_server.asked[1].tool_results == ["…"]

Each request takes the next reply of the script, streamed if the request asks for it; beyond the
last it is told 500. `WireServer(respond=function)` lets the request decide instead. Replies:
`says`, `calls`, `calls_each`, `fails(429)`, `cut_off`, `endless`, `falls_silent`, `SLOW`.
`says("a", "b", waits_after=1)` holds the second piece back until `server.release()`.
`await server.asked[0].was_left()` is whether the client went away before the reply was whole.
`loopback.py` is the bare server, for other protocols.
"""

from .loopback import unreachable_origin
from .replies import (
    SLOW,
    Call,
    Reply,
    calls,
    calls_each,
    cut_off,
    endless,
    fails,
    falls_silent,
    says,
)
from .server import Asked, WireServer

__all__ = [
    "SLOW",
    "Asked",
    "Call",
    "Reply",
    "WireServer",
    "calls",
    "calls_each",
    "cut_off",
    "endless",
    "fails",
    "falls_silent",
    "says",
    "unreachable_origin",
]
