"""Golden files are read, or refused with the line, the field and the remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind, Comparison, Operator, SearchFilters, SourceType
from footnote.errors import InvalidRequest
from footnote.evaluation.golden import (
    UNSORTED,
    GoldenSpan,
    documents_of,
    read_golden,
)
from tests.evaluation.factories import a_question, a_span, write_golden

EXAMPLES = Path(__file__).parents[2] / "examples"
FULL = {
    "id": "q1",
    "question": "How soon?",
    "kind": "fact",
    "language": "en",
    "answerable": True,
    "relevant": [{"document": "policy.pdf", "page": 3, "quote": "within 14 days"}],
    "answer": "Within 14 days.",
    "reviewed_by": "anybody",
}


def refusal(path: Path) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        read_golden(path)
    return caught.value


def test_every_field_is_read_and_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    [question] = read_golden(write_golden(tmp_path / "g.jsonl", FULL)).questions
    assert (question.identity, question.kind, question.language) == ("q1", "fact", "en")
    assert question.answerable
    assert question.relevant == (GoldenSpan(document="policy.pdf", page=3, quote="within 14 days"),)
    assert question.answer == "Within 14 days."


def test_the_shortest_questions_need_only_their_words(tmp_path: Path) -> None:
    path = write_golden(
        tmp_path / "g.jsonl", {"question": "Who?", "relevant": ["a.pdf"]}, {"question": "Why?"}
    )
    first, second = read_golden(path).questions
    assert (first.identity, first.kind, first.answerable) == ("line 1", UNSORTED, True)
    assert first.relevant == (GoldenSpan(document="a.pdf"),)
    assert (second.identity, second.answerable) == ("line 2", False)


def test_filters_become_those_of_a_search(tmp_path: Path) -> None:
    filters = {
        "collections": ["contracts"],
        "source_types": ["email"],
        "evidence_types": ["table"],
        "where": {"language": "de"},
        "min_similarity": 0.2,
    }
    path = write_golden(tmp_path / "g.jsonl", {**FULL, "filters": filters})
    assert read_golden(path).questions[0].filters == SearchFilters(
        collections=("contracts",),
        source_types=(SourceType.EMAIL,),
        evidence_types=(BlockKind.TABLE,),
        where=Comparison(field="language", operator=Operator.EQUALS, value="de"),
        min_similarity=0.2,
    )


def test_the_golden_set_of_the_examples_is_read_whole() -> None:
    golden = read_golden(EXAMPLES / "golden.jsonl")
    lines = (EXAMPLES / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(golden.questions) == len(lines)
    assert sum(not each.answerable for each in golden.questions) == 13


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"question": None}, "question is missing", id="no question"),
        pytest.param({"question": " "}, "question is empty", id="empty question"),
        pytest.param({"question": 7}, "question is 7", id="number as question"),
        pytest.param({"answerable": "yes"}, 'answerable is "yes"', id="word as truth"),
        pytest.param({"answerable": False}, "relevant names documents", id="places but none"),
        pytest.param({"relevant": []}, "relevant names no document", id="no place"),
        pytest.param({"relevant": "policy.pdf"}, 'relevant is "policy.pdf"', id="no list"),
        pytest.param({"relevant": [3]}, "relevant[0] is 3", id="number as place"),
        pytest.param({"relevant": [{"page": 3}]}, "relevant[0].document is missing", id="where"),
        pytest.param(
            {"relevant": ["a.pdf", {"document": "b.pdf", "page": "iv"}]},
            'relevant[1].page is "iv"',
            id="page as text",
        ),
        pytest.param(
            {"relevant": [{"document": "b.pdf", "page": 0}]}, "relevant[0].page is 0", id="page 0"
        ),
        pytest.param(
            {"relevant": [{"document": "b.pdf", "page": True}]},
            "relevant[0].page is true",
            id="page as truth",
        ),
        pytest.param({"filters": {"year": 2024}}, "filters.year is no filter", id="no filter"),
        pytest.param(
            {"filters": {"source_types": ["fax"]}}, 'filters.source_types[0] is "fax"', id="type"
        ),
        pytest.param(
            {"filters": {"document_ids": ["x"]}}, 'filters.document_ids[0] is "x"', id="no id"
        ),
        pytest.param(
            {"filters": {"min_similarity": "high"}}, 'filters.min_similarity is "high"', id="high"
        ),
        pytest.param(
            {"filters": {"where": {"colour": "red"}}}, "filters.where is no condition", id="where"
        ),
    ],
)
def test_a_wrong_field_is_refused_with_its_line_and_a_remedy(
    tmp_path: Path, changes: dict[str, object], field: str
) -> None:
    path = write_golden(tmp_path / "g.jsonl", FULL, {**FULL, "id": "q2", **changes})
    error = refusal(path)
    assert str(error).startswith(f"g.jsonl, line 2: {field}")
    assert error.hint


def test_a_line_that_is_no_json_is_refused_with_its_place(tmp_path: Path) -> None:
    path = write_golden(tmp_path / "g.jsonl", FULL)
    path.write_text(path.read_text() + '\n{"question": Who?}\n')
    assert str(refusal(path)).startswith("g.jsonl, line 3: character 14 is not JSON")


@pytest.mark.parametrize("line", ["[]", '"Who?"', "null"])
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text(line)
    assert "line 1: the line is" in str(refusal(path))


def test_an_id_is_used_once(tmp_path: Path) -> None:
    path = write_golden(tmp_path / "g.jsonl", FULL, FULL)
    assert str(refusal(path)) == "g.jsonl, line 2: id repeats line 1"


def test_a_file_that_is_absent_empty_or_no_text_is_refused(tmp_path: Path) -> None:
    assert "cannot be read" in str(refusal(tmp_path / "absent.jsonl"))
    (tmp_path / "empty.jsonl").write_text("\n\n")
    assert "has no question" in str(refusal(tmp_path / "empty.jsonl"))
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in str(refusal(tmp_path / "binary.jsonl"))


def test_the_digest_changes_with_the_questions_alone(tmp_path: Path) -> None:
    first = read_golden(write_golden(tmp_path / "a.jsonl", FULL))
    same = read_golden(write_golden(tmp_path / "b.jsonl", {**FULL, "reviewed_by": "nobody"}))
    other = read_golden(write_golden(tmp_path / "c.jsonl", {**FULL, "question": "How late?"}))
    assert first.digest == same.digest
    assert first.digest != other.digest


def test_expected_documents_come_with_who_expects_them() -> None:
    questions = [
        a_question(a_span("a.pdf", 1), a_span("a.pdf", 2), identity="q1"),
        a_question(a_span("b.pdf"), a_span("a.pdf"), identity="q2"),
        a_question(identity="q3"),
    ]
    assert documents_of(questions) == {"a.pdf": ["q1", "q2"], "b.pdf": ["q2"]}


TEXT = st.text("aé💧 \n\x00\ud800", max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "question": JSON,
        "kind": JSON,
        "answerable": JSON,
        "relevant": st.lists(
            st.fixed_dictionaries({}, optional={"document": JSON, "page": JSON, "quote": JSON})
        )
        | JSON,
        "filters": JSON,
    },
)


@given(ROWS)
def test_whatever_a_line_holds_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    try:
        [question] = read_golden(path).questions
    except InvalidRequest as error:
        is_sound = "line 1" in str(error)
    else:
        is_sound = question.answerable == bool(question.relevant)
    assert is_sound
