"""Routes for the addresses that are told of a workspace's events."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from footnote.domain.events import TOLD_KINDS, NewWebhook
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import ALWAYS, TheWorkspace
from footnote.interfaces.schemas import Delivery, WebhookList
from footnote.jobs.webhooks import try_webhook

router = APIRouter(tags=["events"], route_class=ExactRoute)


class AddWebhook(requests.Request):
    """An address and what it is to be told of."""

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    events: tuple[Annotated[str, Field(max_length=100)], ...] = Field(
        TOLD_KINDS, max_length=10, description="All of them if absent."
    )


@router.post(
    "/v1/webhooks",
    status_code=201,
    summary="Have an address told of events",
    response_model=NewWebhook,
    responses={
        201: {"description": "It is told from now on"},
        **ALWAYS,
        **examples.problem_responses("bad-request"),
    },
)
async def add_endpoint(
    workspace: TheWorkspace,
    wanted: AddWebhook,
) -> NewWebhook:
    """Add an address; the answer has the secret that signs its messages, this once."""
    endpoint, secret = await workspace.add_webhook(wanted.url, wanted.events)
    return NewWebhook(endpoint=endpoint, secret=secret)


@router.get(
    "/v1/webhooks",
    summary="Who is told of events?",
    response_model=WebhookList,
    responses={
        200: {"description": "All of them"},
        **ALWAYS,
    },
)
async def list_webhooks(workspace: TheWorkspace) -> WebhookList:
    """Every address with how telling it fares."""
    return WebhookList(webhooks=await workspace.webhooks())


@router.post(
    "/v1/webhooks/{webhook_id}/test",
    summary="Send a trial message",
    response_model=Delivery,
    responses={
        200: {"description": "How it was taken"},
        **ALWAYS,
    },
)
async def send_trial(workspace: TheWorkspace, webhook_id: UUID) -> Delivery:
    """Send an event `webhook.test` now, once; if it is taken, a disabled address is told again."""
    error = await try_webhook(workspace, webhook_id)
    return Delivery(delivered=error is None, error=error)


@router.delete(
    "/v1/webhooks/{webhook_id}",
    status_code=204,
    summary="Tell an address nothing any more",
    response_description="It is told nothing any more.",
    responses=ALWAYS,
)
async def delete_webhook(workspace: TheWorkspace, webhook_id: UUID) -> None:
    """Remove an address."""
    await workspace.remove_webhook(webhook_id)
