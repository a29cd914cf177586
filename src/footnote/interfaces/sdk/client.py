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
    check_connection,
    checked_headers,
    workspace_header,
)
from footnote.interfaces.sdk.verbs import Remote, RemoteStream, RemoteVerb, verb
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

    receive = RemoteVerb(document_verbs.receive)
    receive_file = RemoteVerb(document_verbs.receive_file)
    wait_until_resting = RemoteVerb(document_verbs.wait_until_resting)
    documents = RemoteVerb(listing.documents)
    document = RemoteVerb(document_verbs.document)
    children = RemoteVerb(document_verbs.children)
    statuses = RemoteVerb(document_verbs.statuses)
    versions = RemoteVerb(listing.versions)
    document_passages = RemoteVerb(listing.document_passages)
    document_map = RemoteVerb(listing.document_map)
    similar_documents = RemoteVerb(listing.similar_documents)
    change_document = RemoteVerb(listing.change_document)
    change_documents = RemoteVerb(listing.change_documents)
    delete_documents = RemoteVerb(listing.delete_documents)
    views = RemoteVerb(listing.views)
    keep_view = RemoteVerb(listing.keep_view)
    remove_view = RemoteVerb(listing.remove_view)
    delete_document = RemoteVerb(document_verbs.delete_document)
    erase_document = RemoteVerb(document_verbs.erase_document)
    retry = RemoteVerb(document_verbs.retry)
    retry_all = RemoteVerb(document_verbs.retry_all)
    retry_failed = RemoteVerb(document_verbs.retry_failed)

    # --- evidence is found, answers come out ------------------------------------------------

    search = RemoteVerb(answering.search)
    context = RemoteVerb(answering.context)

    page_image = RemoteVerb(pages.page_image)
    page_rectangles = RemoteVerb(pages.page_rectangles)
    pages_of_quote = RemoteVerb(pages.pages_of_quote)

    ask = RemoteVerb(answering.ask)
    ask_stream = RemoteStream(answering.ask_stream)
    agent_stream = RemoteStream(answering.agent_stream)
    suggest_questions = RemoteVerb(answering.suggest_questions)
    check_grounding = RemoteVerb(answering.check_grounding)

    # --- what answers, and who is told ------------------------------------------------------

    grants = RemoteVerb(access.grants)
    grant_role = RemoteVerb(access.grant_role)
    revoke_role = RemoteVerb(access.revoke_role)
    document_access = RemoteVerb(access.document_access)
    set_document_access = RemoteVerb(access.set_document_access)
    explain_access = RemoteVerb(access.explain_access)
    share_collection = RemoteVerb(sharing.share_collection)
    share_conversation = RemoteVerb(sharing.share_conversation)
    share_links = RemoteVerb(sharing.share_links)
    revoke_share_link = RemoteVerb(sharing.revoke_share_link)
    shared = RemoteVerb(sharing.shared)

    settings_in_use = RemoteVerb(configuration.settings_in_use)
    setting = RemoteVerb(configuration.setting)
    change_setting = RemoteVerb(configuration.change_setting)
    unset_setting = RemoteVerb(configuration.unset_setting)
    setting_history = RemoteVerb(configuration.setting_history)
    models_in_use = RemoteVerb(configuration.models_in_use)
    use_models = RemoteVerb(configuration.use_models)
    reset_models = RemoteVerb(configuration.reset_models)
    add_mcp_server = RemoteVerb(configuration.add_mcp_server)
    mcp_servers = RemoteVerb(configuration.mcp_servers)
    remove_mcp_server = RemoteVerb(configuration.remove_mcp_server)
    add_webhook = RemoteVerb(configuration.add_webhook)
    webhooks = RemoteVerb(configuration.webhooks)
    try_webhook = RemoteVerb(configuration.try_webhook)
    remove_webhook = RemoteVerb(configuration.remove_webhook)

    # --- who asks, what was done, and what was used -----------------------------------------

    identity = RemoteVerb(administering.identity)
    create_key = RemoteVerb(administering.create_key)
    keys = RemoteVerb(administering.keys)
    rotate_key = RemoteVerb(administering.rotate_key)
    revoke_key = RemoteVerb(administering.revoke_key)
    audit_entries = RemoteVerb(administering.audit_entries)
    verify_audit = RemoteVerb(administering.verify_audit)
    usage = RemoteVerb(administering.usage)
    usage_by_person = RemoteVerb(administering.usage_by_person)
    collections = RemoteVerb(administering.collections)
    delete_collection = RemoteVerb(administering.delete_collection)
    examine_installation = RemoteVerb(administering.examine_installation)
    citations = RemoteVerb(administering.citations)
    unanswered_questions = RemoteVerb(administering.unanswered_questions)
    export_unanswered = RemoteVerb(administering.export_unanswered)
    entities = RemoteVerb(knowledge.entities)
    entity = RemoteVerb(knowledge.entity)
    entity_mentions = RemoteVerb(knowledge.entity_mentions)
    merge_entities = RemoteVerb(knowledge.merge_entities)
    split_entity = RemoteVerb(knowledge.split_entity)
    rename_entity = RemoteVerb(knowledge.rename_entity)
    entity_decisions = RemoteVerb(knowledge.entity_decisions)
    undo_entity_decision = RemoteVerb(knowledge.undo_entity_decision)
    entity_progress = RemoteVerb(knowledge.entity_progress)
    extract_entities = RemoteVerb(knowledge.extract_entities)
    graph = RemoteVerb(knowledge.graph)

    facts = RemoteVerb(knowledge.facts)
    fact = RemoteVerb(knowledge.fact)
    recall_facts = RemoteVerb(knowledge.recall_facts)
    decide_fact = RemoteVerb(knowledge.decide_fact)
    fact_conflicts = RemoteVerb(knowledge.fact_conflicts)
    fact_changes = RemoteVerb(knowledge.fact_changes)
    fact_progress = RemoteVerb(knowledge.fact_progress)
    extract_facts = RemoteVerb(knowledge.extract_facts)

    clusters = RemoteVerb(knowledge.clusters)
    cluster = RemoteVerb(knowledge.cluster)
    cluster_progress = RemoteVerb(knowledge.cluster_progress)
    backfill = RemoteVerb(administering.backfill)
    start_backfill = RemoteVerb(administering.start_backfill)
    pause_backfill = RemoteVerb(administering.pause_backfill)
    resume_backfill = RemoteVerb(administering.resume_backfill)
    summary = RemoteVerb(knowledge.summary)
    summary_progress = RemoteVerb(knowledge.summary_progress)

    evaluation_runs = RemoteVerb(evaluations.evaluation_runs)
    evaluation_run = RemoteVerb(evaluations.evaluation_run)
    compare_evaluations = RemoteVerb(evaluations.compare_evaluations)
    delete_evaluation = RemoteVerb(evaluations.delete_evaluation)
    start_evaluation = RemoteVerb(evaluations.start_evaluation)
    started_evaluations = RemoteVerb(evaluations.started_evaluations)
    started_evaluation = RemoteVerb(evaluations.started_evaluation)
    cancel_evaluation = RemoteVerb(evaluations.cancel_evaluation)
    workspace_sources = RemoteVerb(sources.workspace_sources)
    source_places = RemoteVerb(sources.source_places)
    workspace_source = RemoteVerb(sources.workspace_source)
    check_source = RemoteVerb(sources.check_source)
    add_source = RemoteVerb(sources.add_source)
    follow_source_now = RemoteVerb(sources.follow_source_now)
    pause_source = RemoteVerb(sources.pause_source)
    remove_source = RemoteVerb(sources.remove_source)
    budgets = RemoteVerb(administering.budgets)
    set_budget = RemoteVerb(administering.set_budget)
    remove_budget = RemoteVerb(administering.remove_budget)

    # --- how long it is kept ----------------------------------------------------------------

    erase_collection = RemoteVerb(privacy.erase_collection)
    erase_principal = RemoteVerb(privacy.erase_principal)
    erasures = RemoteVerb(privacy.erasures)
    verify_erasure = RemoteVerb(privacy.verify_erasure)
    replay_erasures = RemoteVerb(privacy.replay_erasures)
    legal_holds = RemoteVerb(privacy.legal_holds)
    set_legal_hold = RemoteVerb(privacy.set_legal_hold)
    lift_legal_hold = RemoteVerb(privacy.lift_legal_hold)
    retention_rules = RemoteVerb(privacy.retention_rules)
    set_retention = RemoteVerb(privacy.set_retention)
    remove_retention = RemoteVerb(privacy.remove_retention)
    retention_preview = RemoteVerb(privacy.retention_preview)
    apply_retention = RemoteVerb(privacy.apply_retention)
    export_person = RemoteStream(personal_data.export_person)
    export_self = RemoteStream(personal_data.export_self)

    # --- how it is --------------------------------------------------------------------------

    stats = RemoteVerb(_stats)
    health = RemoteVerb(_health)
    lanes = RemoteVerb(configuration.lanes)
    reembed = RemoteVerb(configuration.reembed)
    reembedding = RemoteVerb(configuration.reembedding)
    cancel_reembedding = RemoteVerb(configuration.cancel_reembedding)
    rollback_lane = RemoteVerb(configuration.rollback_lane)
    purge_lanes = RemoteVerb(configuration.purge_lanes)


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
        check_connection(base_url, timeout_seconds, patience)
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
