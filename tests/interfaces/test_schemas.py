"""The JSON shapes hold what the records hold."""

import json
from dataclasses import fields, replace

import pytest
from pydantic import BaseModel

from footnote import domain
from footnote.domain import grounding
from footnote.interfaces import schemas
from footnote.interfaces.http import answer_examples, examples, projects, requests
from tests.interfaces.records import a_document, a_passage, an_answer, an_evidence

PAIRS: list[tuple[type, type[BaseModel], set[str]]] = [
    (domain.Failure, schemas.Failure, set()),
    (domain.Document, schemas.Document, set()),
    (domain.Passage, schemas.Passage, {"chunk_no"}),
    (domain.Evidence, schemas.Evidence, {"passage"}),
    (domain.StageRecord, schemas.StageRecord, set()),
    (domain.NearDuplicate, schemas.NearDuplicate, set()),
    (domain.Neighbour, schemas.Neighbour, set()),
    (domain.FacetCount, schemas.FacetCount, set()),
    (domain.SearchResponse, schemas.SearchResults, set()),
    (domain.PassageContext, schemas.PassageContext, set()),
    (domain.Citation, schemas.Citation, set()),
    (domain.AnswerSentence, schemas.AnswerSentence, set()),
    (domain.ClosestPassage, schemas.ClosestPassage, set()),
    (domain.Answer, schemas.Answer, set()),
    (domain.Lane, schemas.Lane, set()),
    (domain.LaneStatus, schemas.LaneStatus, set()),
    (domain.Reembedding, schemas.Reembedding, set()),
    (domain.CacheStats, schemas.CacheStats, set()),
    (domain.WorkspaceStats, schemas.Stats, set()),
    (domain.Workspace, schemas.Workspace, set()),
    (domain.Check, schemas.Check, set()),
    (domain.Health, schemas.Health, set()),
    (domain.DocumentPage, schemas.DocumentList, set()),
    (domain.BlockSpan, schemas.Span, set()),
    (grounding.GroundingCheck, schemas.GroundingCheck, set()),
    (grounding.ClaimCheck, schemas.ClaimCheck, set()),
    (grounding.ClaimQuote, schemas.ClaimQuote, set()),
    (grounding.Guard, schemas.Guard, set()),
]


@pytest.mark.parametrize(("record", "shape", "kept_inside"), PAIRS, ids=str)
def test_a_shape_has_every_field_of_its_record(
    record: type, shape: type[BaseModel], kept_inside: set[str]
) -> None:
    names = {field.name for field in fields(record)}
    assert names - kept_inside <= set(shape.model_fields)


def test_a_document_keeps_its_values_and_the_types_of_its_metadata() -> None:
    shape = schemas.Document.from_domain(a_document()).model_dump(mode="json")
    assert shape["document_id"] == str(a_document().document_id)
    assert shape["metadata"] == {"year": 2025, "signed": True}
    assert shape["status"] == "indexed"


def test_a_received_document_says_whether_it_was_known() -> None:
    received = domain.Received(document=a_document(), duplicate=True, new_version=False)
    shape = schemas.ReceivedDocument.from_received(received)
    assert (shape.duplicate, shape.new_version, shape.filename) == (True, False, "policy.pdf")


def test_a_document_carries_its_attachments() -> None:
    child = a_document(filename="note.pdf")
    shape = schemas.DocumentWithAttachments.from_family(a_document(), (child,))
    assert [attachment.filename for attachment in shape.attachments] == ["note.pdf"]


def test_evidence_puts_its_passage_and_its_scores_side_by_side() -> None:
    shape = schemas.Evidence.from_evidence(an_evidence())
    assert (shape.rank, shape.text, shape.page_start) == (1, a_passage().text, 3)
    assert shape.explanation[0].detail == {"dense_rank": 1}


def test_an_answer_has_its_prose_with_markers() -> None:
    shape = schemas.Answer.from_domain(replace(an_answer(), degraded=("dense: no model",)))
    assert shape.text == "A claim must be reported within 14 days. [1]"
    assert shape.degraded == ("dense: no model",)


@pytest.mark.parametrize(
    ("shape", "example"),
    [
        (schemas.Document, examples.DOCUMENT),
        (schemas.ReceivedDocument, examples.RECEIVED),
        (schemas.DocumentList, examples.DOCUMENT_LIST),
        (schemas.DocumentWithAttachments, examples.DOCUMENT_DETAIL),
        (schemas.SearchResults, examples.SEARCH_RESULTS),
        (schemas.PassageContext, examples.PASSAGE_CONTEXT),
        (schemas.ProjectResults, examples.PROJECT_RESULTS),
        (schemas.ProjectContext, examples.PROJECT_CONTEXT),
        (schemas.Answer, answer_examples.ANSWER),
        (schemas.Stats, examples.STATS),
        (schemas.Health, examples.READY),
        (schemas.Health, examples.STARTING),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "example",
)
def test_an_example_is_a_whole_instance_of_its_shape(
    shape: type[BaseModel], example: dict[str, object]
) -> None:
    assert shape.model_validate_json(_json(example)).model_dump(mode="json") == example


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        pytest.param(shape, example.get("value"), id=f"{shape.__name__} {name}")
        for shape, several in (
            (requests.Search, examples.SEARCHES),
            (requests.Context, examples.CONTEXTS),
            (requests.Question, answer_examples.QUESTIONS),
            (projects.ProjectSearch, examples.PROJECT_SEARCHES),
            (projects.ProjectContextRequest, examples.PROJECT_CONTEXTS),
        )
        for name, example in several.items()
    ],
)
def test_an_example_of_a_request_is_accepted(shape: type[BaseModel], given: object) -> None:
    request = shape.model_validate_json(json.dumps(given))
    if isinstance(request, requests.Search):
        request.to_domain(8)
    if isinstance(request, requests.Question):
        request.filters.to_domain()
    if isinstance(request, projects.ProjectSearch):
        projects.filters_of(request)


def test_the_stages_of_a_request_are_those_of_a_plan() -> None:
    names = {field.name for field in fields(domain.PlanChanges)}
    assert set(requests.Stages.model_fields) == names
    assert requests.Stages().to_domain() == domain.PlanChanges()


def _json(value: dict[str, object]) -> str:
    return json.dumps(value)
