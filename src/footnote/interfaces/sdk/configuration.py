"""How a workspace on a remote server is set up: settings, models, lanes, MCP servers, webhooks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from uuid import UUID

from footnote.domain import LaneStatus, Reembedding
from footnote.domain.configuration import SettingChange, SettingValue, WorkspaceSetting
from footnote.domain.events import WEBHOOK_KINDS, WebhookEndpoint
from footnote.domain.models_in_use import EXTRACTIVE, McpServer, ModelsInUse
from footnote.errors import NotFound
from footnote.interfaces.schemas import JsonObject, decoded
from footnote.interfaces.sdk.transport import NOTHING, Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb

_SETTINGS = "/v1/config"
_SETTING_NAME = re.compile(r"[A-Za-z0-9_]+")  # Of another name there is none, nor a path.
_MODELS = "/v1/models"
_SERVERS = "/v1/mcp-servers"
_WEBHOOKS = "/v1/webhooks"
_LANE_NAME = re.compile(r"[^\s/.?#%]+")
_SERVER_NAME = re.compile(r"[a-z0-9-]+")  # Of another name there is none, nor a path.


@verb("GET", "/v1/config", "settings")
async def settings_in_use(client: Remote) -> tuple[WorkspaceSetting, ...]:
    """Every setting that the workspace may have of its own, as it holds."""


async def setting(client: Remote, name: str) -> WorkspaceSetting:
    """One of them, by its name or its environment variable. Raises NotFound."""
    return decoded(WorkspaceSetting, await client.transport.json("GET", _setting(name)))


async def change_setting(client: Remote, name: str, value: SettingValue) -> WorkspaceSetting:
    """Give the workspace a value of its own, from the next search on. Raises NotFound."""
    content = Content(json={"value": value})
    return decoded(WorkspaceSetting, await client.transport.json("PUT", _setting(name), content))


async def unset_setting(client: Remote, name: str) -> WorkspaceSetting:
    """Follow the installation again, from the next search on. Raises NotFound."""
    return decoded(WorkspaceSetting, await client.transport.json("DELETE", _setting(name)))


@verb("GET", "/v1/config/history", "changes")
async def setting_history(
    client: Remote, name: str | None = None, *, limit: int = 100
) -> tuple[SettingChange, ...]:
    """The latest changes of a setting, or of all, latest first. Raises NotFound."""


def _setting(name: str) -> str:
    if not _SETTING_NAME.fullmatch(name):
        raise NotFound(f"a workspace has no setting {name!r}")
    return f"{_SETTINGS}/{name}"


async def models_in_use(client: Remote) -> ModelsInUse:
    """Which models answer in the workspace."""
    return _in_use(await client.transport.json("GET", _MODELS))


async def use_models(client: Remote, names: Sequence[str]) -> ModelsInUse:
    """Answer with these of the configured models, in this order, or with `extractive` quotes."""
    content = Content(json={"use": list(names)})
    return _in_use(await client.transport.json("PUT", _MODELS, content))


async def reset_models(client: Remote) -> ModelsInUse:
    """Answer with what the installation is set to again."""
    return _in_use(await client.transport.json("DELETE", _MODELS))


async def add_mcp_server(
    client: Remote, name: str, url: str, headers: Mapping[str, str] | None = None
) -> McpServer:
    """Offer a server's tools to the workspace's agents, as `NAME_TOOL`."""
    content = Content(json={"name": name, "url": url, "headers": dict(headers or {})})
    await client.transport.call("POST", _SERVERS, content, repeat=Repeat.REFUSED)
    return McpServer(name=name, url=url, headers=dict(headers or {}))


async def mcp_servers(client: Remote) -> tuple[McpServer, ...]:
    """The servers whose tools the workspace's agents may use, by name.

    The values of their headers are empty: a server tells them nobody.
    """
    response = await client.transport.json("GET", _SERVERS)
    return tuple(
        McpServer(
            name=decoded(str, server["name"]),
            url=decoded(str, server["url"]),
            headers=dict.fromkeys(decoded(tuple[str, ...], server["header_names"]), ""),
        )
        for server in decoded(list[dict[str, object]], response["mcp_servers"])
    )


async def remove_mcp_server(client: Remote, name: str) -> None:
    """Offer its tools no more."""
    if not _SERVER_NAME.fullmatch(name):
        raise NotFound(
            f"there is no MCP server {name!r}",
            hint="`footnote mcp-servers list` or `GET /v1/mcp-servers` shows what there is",
        )
    path = f"{_SERVERS}/{name}"
    await client.transport.call("DELETE", path, repeat=Repeat.REFUSED)


async def add_webhook(
    client: Remote, url: str, kinds: Sequence[str] = WEBHOOK_KINDS
) -> tuple[WebhookEndpoint, str]:
    """Send events to an address from now on; gives it, and the secret that signs them.

    The secret is shown only this once.
    """
    content = Content(json={"url": url, "events": list(kinds)})
    added = await client.transport.json("POST", _WEBHOOKS, content, Repeat.REFUSED)
    return decoded(WebhookEndpoint, added), decoded(str, added["secret"])


async def webhooks(client: Remote) -> tuple[WebhookEndpoint, ...]:
    """The addresses to which events are sent, and whether they arrive."""
    response = await client.transport.json("GET", _WEBHOOKS)
    return decoded(tuple[WebhookEndpoint, ...], response["webhooks"])


async def try_webhook(client: Remote, endpoint_id: UUID) -> str | None:
    """Why the endpoint did not take a trial message; None when it did."""
    path = f"{_WEBHOOKS}/{endpoint_id}/test"
    delivery = await client.transport.json("POST", path, repeat=Repeat.REFUSED)
    return None if delivery["delivered"] else str(delivery["error"])


@verb("DELETE", "/v1/webhooks/{endpoint_id}", repeat=Repeat.REFUSED)
async def remove_webhook(client: Remote, endpoint_id: UUID) -> None:
    """Send no more events to an address."""


def _in_use(value: JsonObject) -> ModelsInUse:
    """The models of a response; a choice of quotes alone has a name in JSON, and no models here."""
    names = value["chosen"]
    chosen = None if names is None else decoded(tuple[str, ...], names)
    return ModelsInUse(
        configured=decoded(tuple[str, ...], value["configured"]),
        chosen=() if chosen == (EXTRACTIVE,) else chosen,
    )


@verb("GET", "/v1/lanes", "lanes")
async def lanes(client: Remote) -> tuple[LaneStatus, ...]:
    """The workspace's lanes with their models, and how far each is filled."""


async def reembed(
    client: Remote, model: str, *, lane: str = "document", texts_per_second: float | None = None
) -> LaneStatus:
    """Begin to embed the workspace with another model."""
    content = Content(json={"model": model, "texts_per_second": texts_per_second})
    return decoded(
        LaneStatus,
        await client.transport.json("POST", f"{_path_of(lane)}/reembed", content, Repeat.UNSENT),
    )


async def reembedding(client: Remote, lane: str = "document") -> Reembedding:
    """The latest change of the lane."""
    return decoded(Reembedding, await client.transport.json("GET", f"{_path_of(lane)}/reembed"))


async def cancel_reembedding(client: Remote, lane: str = "document") -> LaneStatus:
    """Stop what is under way; what was embedded is kept."""
    path = f"{_path_of(lane)}/reembed"
    return decoded(LaneStatus, await client.transport.json("DELETE", path, NOTHING, Repeat.UNSENT))


async def rollback_lane(client: Remote, lane: str = "document") -> LaneStatus:
    """Go back to the lane before the last switch."""
    path = f"{_path_of(lane)}/rollback"
    return decoded(LaneStatus, await client.transport.json("POST", path, NOTHING, Repeat.UNSENT))


@verb("POST", "/v1/lanes/purge", "lanes")
async def purge_lanes(client: Remote, *, at_once: bool = False) -> tuple[LaneStatus, ...]:
    """Remove lanes that are not kept any longer, or all but the current; return the rest."""


def _path_of(lane: str) -> str:
    if not _LANE_NAME.fullmatch(lane):
        raise NotFound(f"there is no lane {lane!r}")
    return f"/v1/lanes/{lane}"
