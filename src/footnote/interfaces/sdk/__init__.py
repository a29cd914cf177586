"""A remote server with the verbs of the engine."""

from __future__ import annotations

from footnote.interfaces.sdk.client import AsyncClient
from footnote.interfaces.sdk.sync_client import Client

__all__ = ["AsyncClient", "Client"]
