"""Records are served as they are, and come back as they went out."""

import json
from dataclasses import replace

import pytest

from footnote import domain
from footnote.domain.events import EventCursor, PushStatus
from footnote.interfaces.schemas import adapter, json_of, object_of
from tests.interfaces.records import (
    DOCUMENT_ID,
    NOON,
    a_document,
    a_passage,
    an_answer,
    an_evidence,
)


def test_a_document_keeps_its_values_and_the_types_of_its_metadata() -> None:
    written = object_of(a_document())
    assert written["document_id"] == str(a_document().document_id)
    assert written["metadata"] == {"year": 2025, "signed": True}
    assert written["status"] == "indexed"


def test_a_record_in_another_has_its_members_beside_the_others() -> None:
    received = domain.Received(document=a_document(), duplicate=True, new_version=False)
    written = object_of(received)
    assert (written["duplicate"], written["filename"]) == (True, "policy.pdf")
    assert "document" not in written
    family = domain.DocumentWithAttachments(document=a_document(), attachments=(a_document(),))
    assert object_of(family)["attachments"] == [object_of(a_document())]


def test_evidence_wins_over_its_passage_where_both_have_a_member() -> None:
    written = object_of(replace(an_evidence(), suspicious=True))
    assert (written["rank"], written["text"], written["page_start"]) == (1, a_passage().text, 3)
    assert written["suspicious"] is True
    assert not written.keys() & {"passage", "chunk_no"}


def test_an_answer_has_its_prose_with_markers() -> None:
    assert object_of(an_answer())["text"] == "A claim must be reported within 14 days. [1]"


def test_what_became_of_a_push_is_one_word() -> None:
    push = PushStatus(
        ingest_id=DOCUMENT_ID,
        state="received",
        url=None,
        failure=None,
        document_id=DOCUMENT_ID,
        document=a_document(),
        created_at=NOON,
        updated_at=NOON,
    )
    said = [push, replace(push, document=None), replace(push, state="fetching", document=None)]
    assert [each.status for each in said] == ["indexed", "deleted", "fetching"]
    assert object_of(push)["status"] == "indexed"
    assert not object_of(push).keys() & {"state", "document_id"}
    assert str(EventCursor(transaction_id=7, event_no=8)) == "7-8"


@pytest.mark.parametrize(
    "record",
    [
        a_document(),
        an_evidence(),
        an_answer(),
        domain.Received(document=a_document(), duplicate=False, new_version=True),
        domain.SearchResponse(query="x", evidence=(an_evidence(),)),
        domain.PassageContext(chunk=a_passage(), context_before=(a_passage(),), context_after=()),
        domain.CacheStats(exact_hits=1, misses=3),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_comes_back_as_it_went_out_but_for_what_is_not_told(record: object) -> None:
    written = json_of(record)
    back = adapter(type(record)).validate_json(written)
    assert json_of(back) == written
    assert adapter(type(record)).validate_python({**json.loads(written), "new": 1}) == back
