"""The documents of a workspace as tools for agents: one definition, a face for each library.

    from footnote.tools import bind

    async with footnote.open() as engine:
        tools = bind(await engine.workspace("acme"))
        agent = Agent("openai:gpt-5", toolsets=[tools.pydantic_ai()])

A model that uses them can name neither workspace nor principal.
"""

from __future__ import annotations

from footnote.engine.tools import EvidenceLedger, Refusal
from footnote.interfaces.tools.binding import DocumentTools, bind
from footnote.ports import Tool

__all__ = ["DocumentTools", "EvidenceLedger", "Refusal", "Tool", "bind"]
