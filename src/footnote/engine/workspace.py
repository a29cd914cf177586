"""Declare the verbs of a workspace, shared by the asynchronous and the blocking interface.

Each verb is a function of its noun's module whose first argument is the workspace. Here it gets its
name, its kind of act in the audit log, the right it needs, a check of its arguments, and a blocking
twin. A role in any collection admits to reading and writing verbs, which check the right in their
collection themselves. The right to administer is checked here, in the whole workspace unless
`whole=False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Right
from footnote.domain.audit import Act
from footnote.engine import (
    access,
    answer_models,
    answer_statistics,
    answers,
    audit,
    conversation_export,
    conversation_search,
    diagnosis,
    document_batches,
    document_map,
    evaluations,
    events,
    exchange_answers,
    exchanges,
    grounding,
    listing,
    pages,
    pushing,
    receiving,
    sources,
)
from footnote.engine import backfill as backfill_verbs

# Verbs of the same names are bound below.
from footnote.engine import clusters as cluster_verbs
from footnote.engine import collections as collection_verbs
from footnote.engine import configuration as configuration_verbs
from footnote.engine import conversations as conversation_verbs
from footnote.engine import documents as document_verbs
from footnote.engine import entities as entity_verbs
from footnote.engine import erasure as erasure_verbs
from footnote.engine import facts as fact_verbs
from footnote.engine import graph as graph_verbs
from footnote.engine import keys as key_verbs
from footnote.engine import lanes as lane_verbs
from footnote.engine import legal_holds as hold_verbs
from footnote.engine import people as people_verbs
from footnote.engine import personal_data as personal_data_verbs
from footnote.engine import retention as retention_verbs
from footnote.engine import search as search_verbs
from footnote.engine import sharing as sharing_verbs
from footnote.engine import suggestions as suggestion_verbs
from footnote.engine import summaries as summary_verbs
from footnote.engine import usage as usage_verbs
from footnote.engine import views as view_verbs
from footnote.engine import webhooks as webhook_verbs
from footnote.engine import workspace_sources as workspace_source_verbs
from footnote.engine.services import Services, WorkspaceAccess
from footnote.engine.verbs import StreamVerb, Verb
from footnote.store.database import SYSTEM
from footnote.store.pushes import workspace_of


class WorkspaceVerbs:
    """The verbs by noun."""

    __slots__ = ()

    receive = Verb(receiving.receive, Act.CHANGED, Right.WRITE)
    receive_file = Verb(receiving.receive_file, Act.CHANGED, Right.WRITE)
    receive_stream = Verb(receiving.receive_stream, Act.CHANGED, Right.WRITE)
    has_room = Verb(receiving.has_room, Act.OBSERVED, Right.READ)
    push_url = Verb(pushing.push_url, Act.CHANGED, Right.WRITE)
    push_content = Verb(pushing.push_content, Act.CHANGED, Right.WRITE)
    push_status = Verb(pushing.push_status, Act.OBSERVED, Right.READ)

    documents = Verb(listing.documents, Act.READ, Right.READ)
    select_documents = Verb(listing.select_documents, Act.READ, Right.READ)
    document_map = Verb(document_map.document_map, Act.READ, Right.READ)
    similar_documents = Verb(listing.similar_documents, Act.READ, Right.READ)
    versions = Verb(listing.versions, Act.READ, Right.READ)
    document_passages = Verb(listing.document_passages, Act.READ, Right.READ)
    document = Verb(document_verbs.document, Act.READ, Right.READ)
    children = Verb(document_verbs.children, Act.READ, Right.READ)
    statuses = Verb(document_verbs.statuses, Act.OBSERVED, Right.READ)
    stats = Verb(document_verbs.stats, Act.OBSERVED, Right.READ)
    document_called = Verb(document_verbs.document_called, Act.READ, Right.READ)
    unknown_collections = Verb(document_verbs.unknown_collections, Act.OBSERVED, Right.READ)
    original = Verb(document_verbs.original, Act.READ, Right.READ)
    original_file = Verb(document_verbs.original_file, Act.READ, Right.READ)
    text = Verb(document_verbs.text, Act.READ, Right.READ)
    passages = Verb(document_verbs.passages, Act.READ, Right.READ)
    change_document = Verb(document_verbs.change_document, Act.CHANGED, Right.WRITE)
    change_documents = Verb(document_batches.change_documents, Act.CHANGED, Right.WRITE)
    delete_document = Verb(document_verbs.delete_document, Act.DELETED, Right.WRITE)
    delete_documents = Verb(document_batches.delete_documents, Act.DELETED, Right.WRITE)
    retry = Verb(document_verbs.retry, Act.CHANGED, Right.WRITE)
    retry_all = Verb(document_verbs.retry_all, Act.CHANGED, Right.WRITE)
    retry_failed = Verb(document_verbs.retry_failed, Act.CHANGED, Right.WRITE)

    source_entries = Verb(sources.source_entries, Act.OBSERVED, Right.WRITE)
    remember_source_entry = Verb(sources.remember_source_entry, Act.CHANGED, Right.WRITE)
    rename_source_entry = Verb(sources.rename_source_entry, Act.CHANGED, Right.WRITE)
    remove_source_entry = Verb(sources.remove_source_entry, Act.CHANGED, Right.WRITE)

    workspace_sources = Verb(workspace_source_verbs.workspace_sources, Act.READ, Right.ADMINISTER)
    workspace_source = Verb(workspace_source_verbs.workspace_source, Act.READ, Right.ADMINISTER)
    source_places = Verb(workspace_source_verbs.source_places, Act.OBSERVED, Right.ADMINISTER)
    admitted_source = Verb(workspace_source_verbs.admitted_source, Act.READ, Right.ADMINISTER)
    add_source = Verb(workspace_source_verbs.add_source, Act.CHANGED, Right.ADMINISTER)
    follow_source_now = Verb(
        workspace_source_verbs.follow_source_now, Act.CHANGED, Right.ADMINISTER
    )
    pause_source = Verb(workspace_source_verbs.pause_source, Act.CHANGED, Right.ADMINISTER)
    remove_source = Verb(workspace_source_verbs.remove_source, Act.DELETED, Right.ADMINISTER)

    views = Verb(view_verbs.views, Act.READ, Right.READ)
    keep_view = Verb(view_verbs.keep_view, Act.CHANGED, Right.READ)
    remove_view = Verb(view_verbs.remove_view, Act.DELETED, Right.READ)

    grants = Verb(access.grants, Act.READ, Right.ADMINISTER, whole=False)
    grant_role = Verb(access.grant_role, Act.CHANGED, Right.ADMINISTER, whole=False)
    revoke_role = Verb(access.revoke_role, Act.CHANGED, Right.ADMINISTER, whole=False)
    document_access = Verb(access.document_access, Act.READ, Right.READ)
    set_document_access = Verb(access.set_document_access, Act.CHANGED, Right.WRITE)
    explain_access = Verb(access.explain_access, Act.READ, Right.ADMINISTER, whole=False)

    collections = Verb(collection_verbs.collections, Act.READ, Right.ADMINISTER, whole=False)
    delete_collection = Verb(
        collection_verbs.delete_collection, Act.DELETED, Right.ADMINISTER, whole=False
    )

    share_collection = Verb(
        sharing_verbs.share_collection, Act.CHANGED, Right.ADMINISTER, whole=False
    )
    share_conversation = Verb(sharing_verbs.share_conversation, Act.CHANGED, Right.READ)
    share_links = Verb(sharing_verbs.share_links, Act.READ, Right.READ)
    revoke_share_link = Verb(sharing_verbs.revoke_share_link, Act.CHANGED, Right.READ)

    create_key = Verb(key_verbs.create_key, Act.CHANGED, Right.ADMINISTER)
    keys = Verb(key_verbs.keys, Act.READ, Right.ADMINISTER)
    rotate_key = Verb(key_verbs.rotate_key, Act.CHANGED, Right.ADMINISTER)
    revoke_key = Verb(key_verbs.revoke_key, Act.CHANGED, Right.ADMINISTER)

    users = Verb(people_verbs.users, Act.READ, Right.ADMINISTER)
    user = Verb(people_verbs.user, Act.READ, Right.ADMINISTER)
    add_user = Verb(people_verbs.add_user, Act.CHANGED, Right.ADMINISTER)
    change_user = Verb(people_verbs.change_user, Act.CHANGED, Right.ADMINISTER)
    remove_user = Verb(people_verbs.remove_user, Act.DELETED, Right.ADMINISTER)
    user_groups = Verb(people_verbs.user_groups, Act.READ, Right.ADMINISTER)
    user_group = Verb(people_verbs.user_group, Act.READ, Right.ADMINISTER)
    add_user_group = Verb(people_verbs.add_user_group, Act.CHANGED, Right.ADMINISTER)
    change_user_group = Verb(people_verbs.change_user_group, Act.CHANGED, Right.ADMINISTER)
    remove_user_group = Verb(people_verbs.remove_user_group, Act.DELETED, Right.ADMINISTER)

    search = Verb(search_verbs.search, Act.SEARCHED, Right.READ)
    context = Verb(search_verbs.context, Act.READ, Right.READ)

    page_image = Verb(pages.page_image, Act.READ, Right.READ)
    page_fingerprint = Verb(pages.page_fingerprint, Act.OBSERVED, Right.READ)
    page_rectangles = Verb(pages.page_rectangles, Act.READ, Right.READ)
    pages_of_quote = Verb(pages.pages_of_quote, Act.READ, Right.READ)

    ask = Verb(answers.ask, Act.SEARCHED, Right.READ)
    ask_stream = StreamVerb(answers.ask_stream, Act.SEARCHED, Right.READ)
    agent_stream = StreamVerb(answers.agent_stream, Act.SEARCHED, Right.READ)
    suggest_questions = Verb(suggestion_verbs.suggest_questions, Act.SEARCHED, Right.READ)
    check_grounding = Verb(grounding.check_grounding, Act.SEARCHED, Right.READ)

    facts = Verb(fact_verbs.facts, Act.READ, Right.READ)
    fact = Verb(fact_verbs.fact, Act.READ, Right.READ)
    recall_facts = Verb(fact_verbs.recall_facts, Act.SEARCHED, Right.READ)
    fact_conflicts = Verb(fact_verbs.fact_conflicts, Act.READ, Right.READ)
    fact_changes = Verb(fact_verbs.fact_changes, Act.READ, Right.READ)
    fact_progress = Verb(fact_verbs.fact_progress, Act.OBSERVED, Right.READ)
    decide_fact = Verb(fact_verbs.decide_fact, Act.CHANGED, Right.WRITE)
    extract_facts = Verb(fact_verbs.extract_facts, Act.CHANGED, Right.ADMINISTER)

    clusters = Verb(cluster_verbs.clusters, Act.READ, Right.READ)
    cluster = Verb(cluster_verbs.cluster, Act.READ, Right.READ)
    cluster_progress = Verb(cluster_verbs.cluster_progress, Act.OBSERVED, Right.READ)
    entities = Verb(entity_verbs.entities, Act.READ, Right.READ)
    entity = Verb(entity_verbs.entity, Act.READ, Right.READ)
    entity_called = Verb(entity_verbs.entity_called, Act.READ, Right.READ)
    entity_mentions = Verb(entity_verbs.entity_mentions, Act.READ, Right.READ)
    merge_entities = Verb(entity_verbs.merge_entities, Act.CHANGED, Right.ADMINISTER)
    split_entity = Verb(entity_verbs.split_entity, Act.CHANGED, Right.ADMINISTER)
    rename_entity = Verb(entity_verbs.rename_entity, Act.CHANGED, Right.ADMINISTER)
    entity_decisions = Verb(entity_verbs.entity_decisions, Act.READ, Right.ADMINISTER)
    undo_entity_decision = Verb(entity_verbs.undo_entity_decision, Act.CHANGED, Right.ADMINISTER)
    entity_progress = Verb(entity_verbs.entity_progress, Act.OBSERVED, Right.READ)
    extract_entities = Verb(entity_verbs.extract_entities, Act.CHANGED, Right.ADMINISTER)
    graph = Verb(graph_verbs.graph, Act.READ, Right.READ)

    backfill = Verb(backfill_verbs.backfill, Act.OBSERVED, Right.READ)
    start_backfill = Verb(backfill_verbs.start_backfill, Act.CHANGED, Right.ADMINISTER)
    pause_backfill = Verb(backfill_verbs.pause_backfill, Act.CHANGED, Right.ADMINISTER)
    resume_backfill = Verb(backfill_verbs.resume_backfill, Act.CHANGED, Right.ADMINISTER)

    summary = Verb(summary_verbs.summary, Act.READ, Right.READ)
    summary_progress = Verb(summary_verbs.summary_progress, Act.OBSERVED, Right.READ)

    models_in_use = Verb(answer_models.models_in_use, Act.OBSERVED, Right.READ)
    use_models = Verb(answer_models.use_models, Act.CHANGED, Right.ADMINISTER)
    reset_models = Verb(answer_models.reset_models, Act.CHANGED, Right.ADMINISTER)
    mcp_servers = Verb(answer_models.mcp_servers, Act.READ, Right.ADMINISTER)
    add_mcp_server = Verb(answer_models.add_mcp_server, Act.CHANGED, Right.ADMINISTER)
    remove_mcp_server = Verb(answer_models.remove_mcp_server, Act.CHANGED, Right.ADMINISTER)

    conversations = Verb(conversation_verbs.conversations, Act.READ, Right.READ)
    find_conversations = Verb(conversation_search.find_conversations, Act.READ, Right.READ)
    conversation = Verb(conversation_verbs.conversation, Act.READ, Right.READ)
    create_conversation = Verb(conversation_verbs.create_conversation, Act.CHANGED, Right.READ)
    change_conversation = Verb(conversation_verbs.change_conversation, Act.CHANGED, Right.READ)
    delete_conversation = Verb(conversation_verbs.delete_conversation, Act.DELETED, Right.READ)
    attach_document = Verb(conversation_verbs.attach_document, Act.CHANGED, Right.READ)
    detach_document = Verb(conversation_verbs.detach_document, Act.CHANGED, Right.READ)
    messages = Verb(conversation_verbs.messages, Act.READ, Right.READ)
    all_messages = Verb(conversation_verbs.all_messages, Act.READ, Right.READ)
    go_on_from = Verb(conversation_verbs.go_on_from, Act.CHANGED, Right.READ)
    give_feedback = Verb(conversation_verbs.give_feedback, Act.CHANGED, Right.READ)
    withdraw_feedback = Verb(conversation_verbs.withdraw_feedback, Act.CHANGED, Right.READ)
    export_conversation = Verb(conversation_verbs.export_conversation, Act.EXPORTED, Right.READ)
    export_docx = Verb(conversation_export.export_docx, Act.EXPORTED, Right.READ)
    export_pdf = Verb(conversation_export.export_pdf, Act.EXPORTED, Right.READ)
    golden_candidates = StreamVerb(conversation_verbs.golden_candidates, Act.EXPORTED, Right.READ)

    ask_in_conversation = Verb(exchange_answers.ask_in_conversation, Act.SEARCHED, Right.READ)
    ask_in_conversation_stream = StreamVerb(
        exchange_answers.ask_in_conversation_stream, Act.SEARCHED, Right.READ
    )
    edit_question = Verb(exchange_answers.edit_question, Act.SEARCHED, Right.READ)
    regenerate_answer = Verb(exchange_answers.regenerate_answer, Act.SEARCHED, Right.READ)
    next_question = Verb(exchanges.next_question, Act.READ, Right.READ)
    edited_question = Verb(exchanges.edited_question, Act.READ, Right.READ)
    question_again = Verb(exchanges.question_again, Act.READ, Right.READ)
    answered = Verb(exchange_answers.answered, Act.SEARCHED, Right.READ)
    answered_stream = StreamVerb(exchange_answers.answered_stream, Act.SEARCHED, Right.READ)

    suggest_in_conversation = Verb(
        suggestion_verbs.suggest_in_conversation, Act.SEARCHED, Right.READ
    )

    follow_events = StreamVerb(events.follow_events, Act.OBSERVED, Right.READ)
    webhooks = Verb(webhook_verbs.webhooks, Act.READ, Right.ADMINISTER)
    add_webhook = Verb(webhook_verbs.add_webhook, Act.CHANGED, Right.ADMINISTER)
    webhook_and_secret = Verb(webhook_verbs.webhook_and_secret, Act.READ, Right.ADMINISTER)
    remove_webhook = Verb(webhook_verbs.remove_webhook, Act.CHANGED, Right.ADMINISTER)

    settings_in_use = Verb(configuration_verbs.settings_in_use, Act.OBSERVED, Right.READ)
    setting = Verb(configuration_verbs.setting, Act.OBSERVED, Right.READ)
    setting_history = Verb(configuration_verbs.setting_history, Act.READ, Right.READ)
    change_setting = Verb(configuration_verbs.change_setting, Act.CHANGED, Right.ADMINISTER)
    unset_setting = Verb(configuration_verbs.unset_setting, Act.CHANGED, Right.ADMINISTER)

    retention_rules = Verb(retention_verbs.retention_rules, Act.READ, Right.ADMINISTER)
    set_retention = Verb(retention_verbs.set_retention, Act.CHANGED, Right.ADMINISTER)
    remove_retention = Verb(retention_verbs.remove_retention, Act.CHANGED, Right.ADMINISTER)
    retention_preview = Verb(retention_verbs.retention_preview, Act.READ, Right.ADMINISTER)
    apply_retention = Verb(retention_verbs.apply_retention, Act.DELETED, Right.ADMINISTER)

    erase_document = Verb(erasure_verbs.erase_document, Act.DELETED, Right.ADMINISTER, whole=False)
    erase_collection = Verb(erasure_verbs.erase_collection, Act.DELETED, Right.ADMINISTER)
    erase_principal = Verb(erasure_verbs.erase_principal, Act.DELETED, Right.ADMINISTER)
    erasures = Verb(erasure_verbs.erasures, Act.READ, Right.ADMINISTER)
    verify_erasure = Verb(erasure_verbs.verify_erasure, Act.READ, Right.ADMINISTER)
    replay_erasures = Verb(erasure_verbs.replay_erasures, Act.DELETED, Right.ADMINISTER)

    legal_holds = Verb(hold_verbs.legal_holds, Act.READ, Right.ADMINISTER)
    set_legal_hold = Verb(hold_verbs.set_legal_hold, Act.CHANGED, Right.ADMINISTER)
    lift_legal_hold = Verb(hold_verbs.lift_legal_hold, Act.CHANGED, Right.ADMINISTER)

    citations = Verb(answer_statistics.citations, Act.READ, Right.ADMINISTER, whole=False)
    unanswered_questions = Verb(answer_statistics.unanswered_questions, Act.READ, Right.ADMINISTER)
    export_unanswered = Verb(answer_statistics.export_unanswered, Act.EXPORTED, Right.ADMINISTER)
    keep_evaluation = Verb(evaluations.keep_evaluation, Act.CHANGED, Right.ADMINISTER)
    evaluation_runs = Verb(evaluations.evaluation_runs, Act.READ, Right.ADMINISTER)
    evaluation_run = Verb(evaluations.evaluation_run, Act.READ, Right.ADMINISTER)
    delete_evaluation = Verb(evaluations.delete_evaluation, Act.DELETED, Right.ADMINISTER)
    start_evaluation = Verb(evaluations.start_evaluation, Act.CHANGED, Right.ADMINISTER)
    started_evaluations = Verb(evaluations.started_evaluations, Act.OBSERVED, Right.ADMINISTER)
    started_evaluation = Verb(evaluations.started_evaluation, Act.OBSERVED, Right.ADMINISTER)
    cancel_evaluation = Verb(evaluations.cancel_evaluation, Act.CHANGED, Right.ADMINISTER)

    usage = Verb(usage_verbs.usage, Act.READ, Right.ADMINISTER)
    usage_by_person = Verb(usage_verbs.usage_by_person, Act.READ, Right.ADMINISTER)
    budgets = Verb(usage_verbs.budgets, Act.READ, Right.ADMINISTER)
    set_budget = Verb(usage_verbs.set_budget, Act.CHANGED, Right.ADMINISTER)
    remove_budget = Verb(usage_verbs.remove_budget, Act.CHANGED, Right.ADMINISTER)

    export_person = StreamVerb(personal_data_verbs.export_person, Act.EXPORTED, Right.ADMINISTER)
    export_self = StreamVerb(personal_data_verbs.export_self, Act.EXPORTED, Right.READ)

    audit_entries = Verb(audit.audit_entries, Act.READ, Right.ADMINISTER)
    export_audit = StreamVerb(audit.export_audit, Act.EXPORTED, Right.ADMINISTER)
    verify_audit = Verb(audit.verify_audit, Act.READ, Right.ADMINISTER)

    examine_installation = Verb(diagnosis.examine_installation, Act.READ, Right.ADMINISTER)

    lanes = Verb(lane_verbs.lanes, Act.OBSERVED, Right.READ)
    reembed = Verb(lane_verbs.reembed, Act.CHANGED, Right.ADMINISTER)
    reembedding = Verb(lane_verbs.reembedding, Act.OBSERVED, Right.READ)
    cancel_reembedding = Verb(lane_verbs.cancel_reembedding, Act.CHANGED, Right.ADMINISTER)
    rollback_lane = Verb(lane_verbs.rollback_lane, Act.CHANGED, Right.ADMINISTER)
    purge_lanes = Verb(lane_verbs.purge_lanes, Act.CHANGED, Right.ADMINISTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceEngine(WorkspaceVerbs, WorkspaceAccess):
    """The verbs of one workspace, as one principal; it cannot see any other."""


async def as_system(engine: Services, workspace_id: UUID) -> WorkspaceEngine:
    """Open a workspace as the system principal of background jobs. Raises NotFound."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        workspace = await workspace_of(scope)
    return WorkspaceEngine(
        engine=engine, workspace=workspace, principal=SYSTEM, credential="system"
    )
