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
    listing,
    pages,
    personal_data,
    privacy,
    sharing,
    sources,
)

# Verbs of the same names are bound below.
from footnote.interfaces.sdk import clusters as cluster_verbs
from footnote.interfaces.sdk import documents as document_verbs
from footnote.interfaces.sdk import entities as entity_verbs
from footnote.interfaces.sdk import facts as fact_verbs
from footnote.interfaces.sdk import summaries as summary_verbs
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
from footnote.validation.arguments import checks_arguments


@checks_arguments
class AsyncClient:
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

    # --- files go in ------------------------------------------------------------------------

    receive = document_verbs.receive
    receive_file = document_verbs.receive_file
    wait_until_resting = document_verbs.wait_until_resting
    documents = listing.documents
    document = document_verbs.document
    children = document_verbs.children
    statuses = document_verbs.statuses
    versions = listing.versions
    document_passages = listing.document_passages
    document_map = listing.document_map
    similar_documents = listing.similar_documents
    change_document = listing.change_document
    change_documents = listing.change_documents
    delete_documents = listing.delete_documents
    views = listing.views
    keep_view = listing.keep_view
    remove_view = listing.remove_view
    delete_document = document_verbs.delete_document
    erase_document = document_verbs.erase_document
    retry = document_verbs.retry
    retry_all = document_verbs.retry_all
    retry_failed = document_verbs.retry_failed

    # --- evidence is found, answers come out ------------------------------------------------

    search = answering.search
    context = answering.context

    page_image = pages.page_image
    page_rectangles = pages.page_rectangles
    pages_of_quote = pages.pages_of_quote

    ask = answering.ask
    ask_stream = answering.ask_stream
    agent_stream = answering.agent_stream
    suggest_questions = answering.suggest_questions
    check_grounding = answering.check_grounding

    # --- what answers, and who is told ------------------------------------------------------

    grants = access.grants
    grant_role = access.grant_role
    revoke_role = access.revoke_role
    document_access = access.document_access
    set_document_access = access.set_document_access
    explain_access = access.explain_access
    share_collection = sharing.share_collection
    share_conversation = sharing.share_conversation
    share_links = sharing.share_links
    revoke_share_link = sharing.revoke_share_link
    shared = sharing.shared

    settings_in_use = configuration.settings_in_use
    setting = configuration.setting
    change_setting = configuration.change_setting
    unset_setting = configuration.unset_setting
    setting_history = configuration.setting_history
    models_in_use = configuration.models_in_use
    use_models = configuration.use_models
    reset_models = configuration.reset_models
    add_mcp_server = configuration.add_mcp_server
    mcp_servers = configuration.mcp_servers
    remove_mcp_server = configuration.remove_mcp_server
    add_webhook = configuration.add_webhook
    webhooks = configuration.webhooks
    try_webhook = configuration.try_webhook
    remove_webhook = configuration.remove_webhook

    # --- who asks, what was done, and what was used -----------------------------------------

    identity = administering.identity
    create_key = administering.create_key
    keys = administering.keys
    rotate_key = administering.rotate_key
    revoke_key = administering.revoke_key
    audit_entries = administering.audit_entries
    verify_audit = administering.verify_audit
    usage = administering.usage
    usage_by_person = administering.usage_by_person
    collections = administering.collections
    delete_collection = administering.delete_collection
    examine_installation = administering.examine_installation
    citations = administering.citations
    unanswered_questions = administering.unanswered_questions
    export_unanswered = administering.export_unanswered
    entities = entity_verbs.entities
    entity = entity_verbs.entity
    entity_mentions = entity_verbs.entity_mentions
    merge_entities = entity_verbs.merge_entities
    split_entity = entity_verbs.split_entity
    rename_entity = entity_verbs.rename_entity
    entity_decisions = entity_verbs.entity_decisions
    undo_entity_decision = entity_verbs.undo_entity_decision
    entity_progress = entity_verbs.entity_progress
    extract_entities = entity_verbs.extract_entities
    graph = entity_verbs.graph

    facts = fact_verbs.facts
    fact = fact_verbs.fact
    recall_facts = fact_verbs.recall_facts
    decide_fact = fact_verbs.decide_fact
    fact_conflicts = fact_verbs.fact_conflicts
    fact_changes = fact_verbs.fact_changes
    fact_progress = fact_verbs.fact_progress
    extract_facts = fact_verbs.extract_facts

    clusters = cluster_verbs.clusters
    cluster = cluster_verbs.cluster
    cluster_progress = cluster_verbs.cluster_progress
    backfill = administering.backfill
    start_backfill = administering.start_backfill
    pause_backfill = administering.pause_backfill
    resume_backfill = administering.resume_backfill
    summary = summary_verbs.summary
    summary_progress = summary_verbs.summary_progress

    evaluation_runs = evaluations.evaluation_runs
    evaluation_run = evaluations.evaluation_run
    compare_evaluations = evaluations.compare_evaluations
    delete_evaluation = evaluations.delete_evaluation
    start_evaluation = evaluations.start_evaluation
    started_evaluations = evaluations.started_evaluations
    started_evaluation = evaluations.started_evaluation
    cancel_evaluation = evaluations.cancel_evaluation
    workspace_sources = sources.workspace_sources
    source_places = sources.source_places
    workspace_source = sources.workspace_source
    check_source = sources.check_source
    add_source = sources.add_source
    follow_source_now = sources.follow_source_now
    pause_source = sources.pause_source
    remove_source = sources.remove_source
    budgets = administering.budgets
    set_budget = administering.set_budget
    remove_budget = administering.remove_budget

    # --- how long it is kept ----------------------------------------------------------------

    erase_collection = privacy.erase_collection
    erase_principal = privacy.erase_principal
    erasures = privacy.erasures
    verify_erasure = privacy.verify_erasure
    replay_erasures = privacy.replay_erasures
    legal_holds = privacy.legal_holds
    set_legal_hold = privacy.set_legal_hold
    lift_legal_hold = privacy.lift_legal_hold
    retention_rules = privacy.retention_rules
    set_retention = privacy.set_retention
    remove_retention = privacy.remove_retention
    retention_preview = privacy.retention_preview
    apply_retention = privacy.apply_retention
    export_person = personal_data.export_person
    export_self = personal_data.export_self

    # --- how it is --------------------------------------------------------------------------

    async def stats(self) -> WorkspaceStats:
        """What the workspace holds, and how searching it goes."""
        return decoded(WorkspaceStats, await self.transport.json("GET", "/stats"))

    async def health(self) -> Health:
        """Whether the server can serve at this moment; raises only where it cannot be reached."""
        response = await self.transport.call(
            "GET", "/health", repeat=Repeat.UNSENT, also_good=(503,)
        )
        return decoded(Health, response.json())

    lanes = configuration.lanes
    reembed = configuration.reembed
    reembedding = configuration.reembedding
    cancel_reembedding = configuration.cancel_reembedding
    rollback_lane = configuration.rollback_lane
    purge_lanes = configuration.purge_lanes
