"""The blocking twin of the remote client: the same verbs, over the one bridge."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from anyio.from_thread import BlockingPortal, start_blocking_portal

from footnote.bridge import blocking, blocking_iterator
from footnote.interfaces.sdk.client import AsyncClient
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


class Client:
    """`AsyncClient`, blocking.

        with footnote.Client("http://127.0.0.1:8080", workspace="acme") as client:
            print(client.ask("How soon must a claim be reported?").text)

    Call it from ordinary threads, not from within an event loop.
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

    receive = blocking(AsyncClient.receive)
    receive_file = blocking(AsyncClient.receive_file)
    wait_until_resting = blocking(AsyncClient.wait_until_resting)
    documents = blocking(AsyncClient.documents)
    document = blocking(AsyncClient.document)
    children = blocking(AsyncClient.children)
    statuses = blocking(AsyncClient.statuses)
    versions = blocking(AsyncClient.versions)
    document_passages = blocking(AsyncClient.document_passages)
    document_map = blocking(AsyncClient.document_map)
    similar_documents = blocking(AsyncClient.similar_documents)
    change_document = blocking(AsyncClient.change_document)
    change_documents = blocking(AsyncClient.change_documents)
    delete_documents = blocking(AsyncClient.delete_documents)
    views = blocking(AsyncClient.views)
    keep_view = blocking(AsyncClient.keep_view)
    remove_view = blocking(AsyncClient.remove_view)
    delete_document = blocking(AsyncClient.delete_document)
    erase_document = blocking(AsyncClient.erase_document)
    retry = blocking(AsyncClient.retry)
    retry_all = blocking(AsyncClient.retry_all)
    retry_failed = blocking(AsyncClient.retry_failed)
    search = blocking(AsyncClient.search)
    context = blocking(AsyncClient.context)
    page_image = blocking(AsyncClient.page_image)
    page_rectangles = blocking(AsyncClient.page_rectangles)
    pages_of_quote = blocking(AsyncClient.pages_of_quote)
    ask = blocking(AsyncClient.ask)
    ask_stream = blocking_iterator(AsyncClient.ask_stream)
    agent_stream = blocking_iterator(AsyncClient.agent_stream)
    suggest_questions = blocking(AsyncClient.suggest_questions)
    check_grounding = blocking(AsyncClient.check_grounding)
    grants = blocking(AsyncClient.grants)
    grant_role = blocking(AsyncClient.grant_role)
    revoke_role = blocking(AsyncClient.revoke_role)
    document_access = blocking(AsyncClient.document_access)
    set_document_access = blocking(AsyncClient.set_document_access)
    explain_access = blocking(AsyncClient.explain_access)
    share_collection = blocking(AsyncClient.share_collection)
    share_conversation = blocking(AsyncClient.share_conversation)
    share_links = blocking(AsyncClient.share_links)
    revoke_share_link = blocking(AsyncClient.revoke_share_link)
    shared = blocking(AsyncClient.shared)

    settings_in_use = blocking(AsyncClient.settings_in_use)
    setting = blocking(AsyncClient.setting)
    change_setting = blocking(AsyncClient.change_setting)
    unset_setting = blocking(AsyncClient.unset_setting)
    setting_history = blocking(AsyncClient.setting_history)
    models_in_use = blocking(AsyncClient.models_in_use)
    use_models = blocking(AsyncClient.use_models)
    reset_models = blocking(AsyncClient.reset_models)
    add_mcp_server = blocking(AsyncClient.add_mcp_server)
    mcp_servers = blocking(AsyncClient.mcp_servers)
    remove_mcp_server = blocking(AsyncClient.remove_mcp_server)
    add_webhook = blocking(AsyncClient.add_webhook)
    webhooks = blocking(AsyncClient.webhooks)
    try_webhook = blocking(AsyncClient.try_webhook)
    remove_webhook = blocking(AsyncClient.remove_webhook)
    erase_collection = blocking(AsyncClient.erase_collection)
    erase_principal = blocking(AsyncClient.erase_principal)
    erasures = blocking(AsyncClient.erasures)
    verify_erasure = blocking(AsyncClient.verify_erasure)
    replay_erasures = blocking(AsyncClient.replay_erasures)
    legal_holds = blocking(AsyncClient.legal_holds)
    set_legal_hold = blocking(AsyncClient.set_legal_hold)
    lift_legal_hold = blocking(AsyncClient.lift_legal_hold)
    retention_rules = blocking(AsyncClient.retention_rules)
    set_retention = blocking(AsyncClient.set_retention)
    remove_retention = blocking(AsyncClient.remove_retention)
    retention_preview = blocking(AsyncClient.retention_preview)
    apply_retention = blocking(AsyncClient.apply_retention)
    export_person = blocking_iterator(AsyncClient.export_person)
    export_self = blocking_iterator(AsyncClient.export_self)

    identity = blocking(AsyncClient.identity)
    create_key = blocking(AsyncClient.create_key)
    keys = blocking(AsyncClient.keys)
    rotate_key = blocking(AsyncClient.rotate_key)
    revoke_key = blocking(AsyncClient.revoke_key)
    audit_entries = blocking(AsyncClient.audit_entries)
    verify_audit = blocking(AsyncClient.verify_audit)
    usage = blocking(AsyncClient.usage)
    usage_by_person = blocking(AsyncClient.usage_by_person)
    collections = blocking(AsyncClient.collections)
    delete_collection = blocking(AsyncClient.delete_collection)
    examine_installation = blocking(AsyncClient.examine_installation)
    citations = blocking(AsyncClient.citations)
    unanswered_questions = blocking(AsyncClient.unanswered_questions)
    export_unanswered = blocking(AsyncClient.export_unanswered)
    entities = blocking(AsyncClient.entities)
    entity = blocking(AsyncClient.entity)
    entity_mentions = blocking(AsyncClient.entity_mentions)
    merge_entities = blocking(AsyncClient.merge_entities)
    split_entity = blocking(AsyncClient.split_entity)
    rename_entity = blocking(AsyncClient.rename_entity)
    entity_decisions = blocking(AsyncClient.entity_decisions)
    undo_entity_decision = blocking(AsyncClient.undo_entity_decision)
    entity_progress = blocking(AsyncClient.entity_progress)
    extract_entities = blocking(AsyncClient.extract_entities)
    graph = blocking(AsyncClient.graph)

    facts = blocking(AsyncClient.facts)
    fact = blocking(AsyncClient.fact)
    recall_facts = blocking(AsyncClient.recall_facts)
    decide_fact = blocking(AsyncClient.decide_fact)
    fact_conflicts = blocking(AsyncClient.fact_conflicts)
    fact_changes = blocking(AsyncClient.fact_changes)
    fact_progress = blocking(AsyncClient.fact_progress)
    extract_facts = blocking(AsyncClient.extract_facts)
    clusters = blocking(AsyncClient.clusters)
    cluster = blocking(AsyncClient.cluster)
    cluster_progress = blocking(AsyncClient.cluster_progress)
    backfill = blocking(AsyncClient.backfill)
    start_backfill = blocking(AsyncClient.start_backfill)
    pause_backfill = blocking(AsyncClient.pause_backfill)
    resume_backfill = blocking(AsyncClient.resume_backfill)
    summary = blocking(AsyncClient.summary)
    summary_progress = blocking(AsyncClient.summary_progress)

    evaluation_runs = blocking(AsyncClient.evaluation_runs)
    evaluation_run = blocking(AsyncClient.evaluation_run)
    compare_evaluations = blocking(AsyncClient.compare_evaluations)
    delete_evaluation = blocking(AsyncClient.delete_evaluation)
    start_evaluation = blocking(AsyncClient.start_evaluation)
    started_evaluations = blocking(AsyncClient.started_evaluations)
    started_evaluation = blocking(AsyncClient.started_evaluation)
    cancel_evaluation = blocking(AsyncClient.cancel_evaluation)
    workspace_sources = blocking(AsyncClient.workspace_sources)
    source_places = blocking(AsyncClient.source_places)
    workspace_source = blocking(AsyncClient.workspace_source)
    check_source = blocking(AsyncClient.check_source)
    add_source = blocking(AsyncClient.add_source)
    follow_source_now = blocking(AsyncClient.follow_source_now)
    pause_source = blocking(AsyncClient.pause_source)
    remove_source = blocking(AsyncClient.remove_source)
    budgets = blocking(AsyncClient.budgets)
    set_budget = blocking(AsyncClient.set_budget)
    remove_budget = blocking(AsyncClient.remove_budget)

    stats = blocking(AsyncClient.stats)
    health = blocking(AsyncClient.health)
    lanes = blocking(AsyncClient.lanes)
    reembed = blocking(AsyncClient.reembed)
    reembedding = blocking(AsyncClient.reembedding)
    cancel_reembedding = blocking(AsyncClient.cancel_reembedding)
    rollback_lane = blocking(AsyncClient.rollback_lane)
    purge_lanes = blocking(AsyncClient.purge_lanes)
