"""The verbs of one workspace on a remote server."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from footnote.domain import Health, WorkspaceStats
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk import (
    access,
    administering,
    answering,
    configuration,
    evaluations,
    knowledge,
    listing,
    pages,
    personal_data,
    privacy,
    sharing,
    sources,
)

# Verbs of the same names are bound below.
from footnote.interfaces.sdk import documents as document_verbs
from footnote.interfaces.sdk.conversations import AsyncConversations
from footnote.interfaces.sdk.transport import (
    Patience,
    Repeat,
    Transport,
    bearer_header,
    check_way,
    checked_headers,
    workspace_header,
)
from footnote.interfaces.sdk.verbs import Remote, StreamTwin, Twin, verb
from footnote.validation.arguments import checks_arguments


@verb("GET", "/stats")
async def _stats(client: Remote) -> WorkspaceStats:
    """What the workspace holds, and how searching it goes."""


async def _health(client: Remote) -> Health:
    """Whether the server can serve at this moment; raises only where it cannot be reached."""
    response = await client.transport.call("GET", "/health", repeat=Repeat.UNSENT, also_good=(503,))
    return decoded(Health, response.json())


class RemoteVerbs:
    """The verbs of a workspace on a remote server, which both clients share."""

    # --- files go in ------------------------------------------------------------------------

    receive = Twin(document_verbs.receive)
    receive_file = Twin(document_verbs.receive_file)
    wait_until_resting = Twin(document_verbs.wait_until_resting)
    documents = Twin(listing.documents)
    document = Twin(document_verbs.document)
    children = Twin(document_verbs.children)
    statuses = Twin(document_verbs.statuses)
    versions = Twin(listing.versions)
    document_passages = Twin(listing.document_passages)
    document_map = Twin(listing.document_map)
    similar_documents = Twin(listing.similar_documents)
    change_document = Twin(listing.change_document)
    change_documents = Twin(listing.change_documents)
    delete_documents = Twin(listing.delete_documents)
    views = Twin(listing.views)
    keep_view = Twin(listing.keep_view)
    remove_view = Twin(listing.remove_view)
    delete_document = Twin(document_verbs.delete_document)
    erase_document = Twin(document_verbs.erase_document)
    retry = Twin(document_verbs.retry)
    retry_all = Twin(document_verbs.retry_all)
    retry_failed = Twin(document_verbs.retry_failed)

    # --- evidence is found, answers come out ------------------------------------------------

    search = Twin(answering.search)
    context = Twin(answering.context)

    page_image = Twin(pages.page_image)
    page_rectangles = Twin(pages.page_rectangles)
    pages_of_quote = Twin(pages.pages_of_quote)

    ask = Twin(answering.ask)
    ask_stream = StreamTwin(answering.ask_stream)
    agent_stream = StreamTwin(answering.agent_stream)
    suggest_questions = Twin(answering.suggest_questions)
    check_grounding = Twin(answering.check_grounding)

    # --- what answers, and who is told ------------------------------------------------------

    grants = Twin(access.grants)
    grant_role = Twin(access.grant_role)
    revoke_role = Twin(access.revoke_role)
    document_access = Twin(access.document_access)
    set_document_access = Twin(access.set_document_access)
    explain_access = Twin(access.explain_access)
    share_collection = Twin(sharing.share_collection)
    share_conversation = Twin(sharing.share_conversation)
    share_links = Twin(sharing.share_links)
    revoke_share_link = Twin(sharing.revoke_share_link)
    shared = Twin(sharing.shared)

    settings_in_use = Twin(configuration.settings_in_use)
    setting = Twin(configuration.setting)
    change_setting = Twin(configuration.change_setting)
    unset_setting = Twin(configuration.unset_setting)
    setting_history = Twin(configuration.setting_history)
    models_in_use = Twin(configuration.models_in_use)
    use_models = Twin(configuration.use_models)
    reset_models = Twin(configuration.reset_models)
    add_mcp_server = Twin(configuration.add_mcp_server)
    mcp_servers = Twin(configuration.mcp_servers)
    remove_mcp_server = Twin(configuration.remove_mcp_server)
    add_webhook = Twin(configuration.add_webhook)
    webhooks = Twin(configuration.webhooks)
    try_webhook = Twin(configuration.try_webhook)
    remove_webhook = Twin(configuration.remove_webhook)

    # --- who asks, what was done, and what was used -----------------------------------------

    identity = Twin(administering.identity)
    create_key = Twin(administering.create_key)
    keys = Twin(administering.keys)
    rotate_key = Twin(administering.rotate_key)
    revoke_key = Twin(administering.revoke_key)
    audit_entries = Twin(administering.audit_entries)
    verify_audit = Twin(administering.verify_audit)
    usage = Twin(administering.usage)
    usage_by_person = Twin(administering.usage_by_person)
    collections = Twin(administering.collections)
    delete_collection = Twin(administering.delete_collection)
    examine_installation = Twin(administering.examine_installation)
    citations = Twin(administering.citations)
    unanswered_questions = Twin(administering.unanswered_questions)
    export_unanswered = Twin(administering.export_unanswered)
    entities = Twin(knowledge.entities)
    entity = Twin(knowledge.entity)
    entity_mentions = Twin(knowledge.entity_mentions)
    merge_entities = Twin(knowledge.merge_entities)
    split_entity = Twin(knowledge.split_entity)
    rename_entity = Twin(knowledge.rename_entity)
    entity_decisions = Twin(knowledge.entity_decisions)
    undo_entity_decision = Twin(knowledge.undo_entity_decision)
    entity_progress = Twin(knowledge.entity_progress)
    extract_entities = Twin(knowledge.extract_entities)
    graph = Twin(knowledge.graph)

    facts = Twin(knowledge.facts)
    fact = Twin(knowledge.fact)
    recall_facts = Twin(knowledge.recall_facts)
    decide_fact = Twin(knowledge.decide_fact)
    fact_conflicts = Twin(knowledge.fact_conflicts)
    fact_changes = Twin(knowledge.fact_changes)
    fact_progress = Twin(knowledge.fact_progress)
    extract_facts = Twin(knowledge.extract_facts)

    clusters = Twin(knowledge.clusters)
    cluster = Twin(knowledge.cluster)
    cluster_progress = Twin(knowledge.cluster_progress)
    backfill = Twin(administering.backfill)
    start_backfill = Twin(administering.start_backfill)
    pause_backfill = Twin(administering.pause_backfill)
    resume_backfill = Twin(administering.resume_backfill)
    summary = Twin(knowledge.summary)
    summary_progress = Twin(knowledge.summary_progress)

    evaluation_runs = Twin(evaluations.evaluation_runs)
    evaluation_run = Twin(evaluations.evaluation_run)
    compare_evaluations = Twin(evaluations.compare_evaluations)
    delete_evaluation = Twin(evaluations.delete_evaluation)
    start_evaluation = Twin(evaluations.start_evaluation)
    started_evaluations = Twin(evaluations.started_evaluations)
    started_evaluation = Twin(evaluations.started_evaluation)
    cancel_evaluation = Twin(evaluations.cancel_evaluation)
    workspace_sources = Twin(sources.workspace_sources)
    source_places = Twin(sources.source_places)
    workspace_source = Twin(sources.workspace_source)
    check_source = Twin(sources.check_source)
    add_source = Twin(sources.add_source)
    follow_source_now = Twin(sources.follow_source_now)
    pause_source = Twin(sources.pause_source)
    remove_source = Twin(sources.remove_source)
    budgets = Twin(administering.budgets)
    set_budget = Twin(administering.set_budget)
    remove_budget = Twin(administering.remove_budget)

    # --- how long it is kept ----------------------------------------------------------------

    erase_collection = Twin(privacy.erase_collection)
    erase_principal = Twin(privacy.erase_principal)
    erasures = Twin(privacy.erasures)
    verify_erasure = Twin(privacy.verify_erasure)
    replay_erasures = Twin(privacy.replay_erasures)
    legal_holds = Twin(privacy.legal_holds)
    set_legal_hold = Twin(privacy.set_legal_hold)
    lift_legal_hold = Twin(privacy.lift_legal_hold)
    retention_rules = Twin(privacy.retention_rules)
    set_retention = Twin(privacy.set_retention)
    remove_retention = Twin(privacy.remove_retention)
    retention_preview = Twin(privacy.retention_preview)
    apply_retention = Twin(privacy.apply_retention)
    export_person = StreamTwin(personal_data.export_person)
    export_self = StreamTwin(personal_data.export_self)

    # --- how it is --------------------------------------------------------------------------

    stats = Twin(_stats)
    health = Twin(_health)
    lanes = Twin(configuration.lanes)
    reembed = Twin(configuration.reembed)
    reembedding = Twin(configuration.reembedding)
    cancel_reembedding = Twin(configuration.cancel_reembedding)
    rollback_lane = Twin(configuration.rollback_lane)
    purge_lanes = Twin(configuration.purge_lanes)


@checks_arguments
class AsyncClient(RemoteVerbs):
    """One workspace of a remote server: the verbs of `WorkspaceEngine`, with the same records.

        async with footnote.AsyncClient("http://127.0.0.1:8080", workspace="acme") as client:
            answer = await client.ask("How soon must a claim be reported?")

    What can be repeated without harm is repeated up to `retries` times when the server cannot be
    reached or is busy. Every verb raises what the engine raises, and NotReady when the server
    gives no answer. It may be used by one event loop.
    """

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
        """`timeout_seconds` is how long the server may be silent; raises InvalidRequest.

        `api_key` may also be a token; unset takes the variable FOOTNOTE_API_KEY.
        """
        patience = Patience(retries=retries, first_pause_seconds=first_pause_seconds)
        check_way(base_url, timeout_seconds, patience)
        self.transport = Transport(
            httpx.AsyncClient(
                base_url=base_url,
                headers={
                    **bearer_header(api_key),
                    **checked_headers(headers or {}),
                    **workspace_header(workspace),
                },
                timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, 10.0)),
            ),
            patience,
        )
        self.conversations = AsyncConversations(self.transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        self.transport.require_open()

    async def close(self) -> None:
        """Let go of the connections."""
        await self.transport.http.aclose()
