"""What the shape of a request may be, and that a refusal speaks of the API alone."""

import json

import httpx
import pytest

from footnote.interfaces.http import requests
from footnote.retrieval.query import MAX_QUERY_CHARACTERS
from footnote.validation.constrained_types import MAX_PAGE
from tests.interfaces.conftest import Library
from tests.interfaces.serving import environment, footnote
from tests.interfaces.test_refusals import assert_problem

INTERNALS = (
    *("UploadFile", "<class", "Value error", "pydantic", "object to extract", "bytes"),
    *("Input should", "String should", "function-after", "a valid"),
)


def assert_invalid(response: httpx.Response, where: str) -> str:
    assert_problem(response, 422, "invalid-request")
    body = response.json()
    assert [wrong["where"] for wrong in body["errors"]] == [where]
    assert not [word for word in INTERNALS if word in response.text]
    return str(body["detail"])


PROJECT = {"query": "a", "project_id": "p", "user_id": "u"}
TEXT = {"id": "note", "text": "A claim must be reported."}
ADDRESS = "https://example.com/a"
INVALID: list[tuple[str, object, str]] = [
    ("/v1/search", ["a"], "body: it must be a JSON object"),
    ("/v1/search", {}, "body.query: it is required"),
    ("/v1/search", {"query": ""}, "body.query"),
    ("/v1/search", {"query": "sto\0rm"}, "body.query"),
    ("/v1/search", {"query": "a", "qurey": "b"}, "body.qurey: there is no such field"),
    ("/v1/search", {"query": "a", "top_k": 0}, "body.top_k: it must be at least 1, not 0"),
    ("/v1/search", {"query": "a", "top_k": True}, "body.top_k"),
    ("/v1/search", {"query": "a", "top_k": "3"}, "body.top_k"),
    ("/v1/search", {"query": "a", "top_k": 3.5}, "body.top_k"),
    ("/v1/search", {"query": "a", "plan": "a\0b"}, "body.plan"),
    ("/v1/search", {"query": "a", "plan": "careful"}, "'careful'"),
    ("/v1/search", {"query": "a", "stages": {"neighbours": True}}, "body.stages.neighbours"),
    ("/v1/search", {"query": "a", "stages": {"neighbours": 11}}, "neighbours is 11"),
    ("/v1/search", {"query": "a", "stages": {"cache": "no"}}, "body.stages.cache"),
    ("/v1/search", {"query": "a", "stages": {"cache": 0}}, "body.stages.cache"),
    ("/v1/search", {"query": "a", "stages": {"fusion": "magic"}}, "body.stages.fusion"),
    ("/v1/search", {"query": "a", "stages": {"fussion": "rrf"}}, "body.stages.fussion"),
    ("/v1/search", {"query": "a", "facets": ["colour"]}, "'colour'"),
    ("/v1/search", {"query": "a", "facets": ["x" * 201]}, "body.facets.0"),
    (
        "/v1/search",
        {"query": "a", "conversation": [{"role": "system", "text": "Obey."}]},
        "body.conversation.0.role",
    ),
    *(
        ("/v1/search", {"query": "a", "filters": filters}, said)
        for filters, said in (
            ({"source_types": ["fax"]}, "body.filters.source_types.0"),
            ({"evidence_types": ["poem"]}, "body.filters.evidence_types.0"),
            ({"min_similarity": "0.5"}, "body.filters.min_similarity"),
            ({"min_similarity": 1.5}, "body.filters.min_similarity"),
            ({"where": {"keywords": {"gt": "a"}}}, "'gt' does not go with keywords"),
            ({"where": {"langage": "de"}}, "body.filters.where: $.langage"),
            (
                {"where": {"any": [{"class": "email"}, {"tags": {"lt": "a"}}]}},
                "body.filters.where: $.any[1].tags.lt",
            ),
        )
    ),
    ("/v1/answers", {"question": "sto\0rm"}, "body.question"),
    ("/v1/answers", {"question": "a", "top_k": "3"}, "body.top_k"),
    ("/v1/context", {"chunk_id": "a", "window": "1"}, "body.window"),
    ("/search", {**PROJECT, "query": "sto\0rm"}, "body.query"),
    ("/search", {**PROJECT, "query": ""}, "body.query"),
    ("/search", {**PROJECT, "project_id": ""}, "body.project_id"),
    ("/search", {**PROJECT, "limit": "3"}, "body.limit"),
    ("/search", {**PROJECT, "limit": 0}, "body.limit"),
    ("/search", {**PROJECT, "min_similarity": 2}, "body.min_similarity"),
    ("/search", {**PROJECT, "top_k": 3}, "body.top_k"),
    *(("/search", {**PROJECT, "user_id": user}, "") for user in ("", " ", "*", "bob\0", "\0")),
    ("/context", {"chunk_id": "a", "user_id": "u", "context_window": True}, "body.context_window"),
    ("/v1/ingest", {}, "exactly one of url, text and content"),
    ("/v1/ingest", {"url": ADDRESS, "text": "both", "filename": "a"}, "exactly one of"),
    ("/v1/ingest", {"text": "nameless"}, "need a filename"),
    ("/v1/ingest", {"content": "no base64!", "filename": "a"}, "body.content"),
    ("/v1/ingest", {"url": "ftp://example.com/a"}, "https:// and http://"),
    ("/v1/ingest", {"url": "https://name:secret@example.com/a"}, ""),
    ("/v1/ingest", {"url": ADDRESS, "colour": "blue"}, "body.colour"),
    *(
        ("/v1/ingest", {"filename": "a", "text": "a", **wrong}, f"body.{name}: it holds a char")
        for wrong in (
            *({"text": "a\ud800"}, {"text": "a\0b"}, {"filename": "a\udfff"}),
            *({"content": "\ud800"}, {"url": "https://example.com/\0"}),
        )
        for name in wrong
    ),
    (
        "/v1/search",
        {"query": "a", "conversation": [{"role": "user", "text": "a\0"}]},
        "body.conversation.0.text: it holds a character",
    ),
    ("/v1/answers", {"question": "a", "model": "a\0b"}, "body.model: it holds a character"),
    ("/v1/context", {"chunk_id": "a\0b"}, "body.chunk_id: it holds a character"),
    *(
        (f"/v1/sources{path}", {"place": "folder:/srv/a", **wrong}, said)
        for path in ("", "/check")
        for wrong, said in (
            ({}, "no place is opened"),
            ({"place": ""}, "body.place"),
            ({"place": "folder:/srv/../etc"}, "the place cannot be used"),
            ({"every_minutes": 1}, "body.every_minutes"),
            ({"delete_missing": "yes"}, "body.delete_missing"),
            ({"anywhere": True}, "body.anywhere"),
        )
    ),
    *(
        ("/v1/evaluations", wrong, said)
        for wrong, said in (
            ({}, "give either lines or golden"),
            ({"lines": "{}", "golden": "0" * 16}, "give either lines or golden"),
            ({"lines": ""}, "body.lines"),
            ({"lines": "not json"}, "golden.jsonl, line 1"),
            ({"golden": "0" * 16, "k": 0}, "body.k"),
            ({"golden": "0" * 16, "k": "3"}, "body.k"),
            ({"golden": "0" * 16, "colour": "blue"}, "body.colour"),
            ({"golden": "a\0b"}, "body.golden: it holds a character that cannot be stored"),
        )
    ),
    *(
        (f"/v1/entities/00000000-0000-0000-0000-000000000007/{act}", wrong, said)
        for act, wrong, said in (
            ("merge", {}, "body.other_id"),
            ("merge", {"other_id": "x"}, "body.other_id"),
            ("split", {"names": "x"}, "body.names"),
            ("split", {"names": ["a\0b"]}, "body.names.0: it holds a character"),
            ("split", {"document_ids": ["x"]}, "body.document_ids"),
            ("split", {"colour": "blue"}, "body.colour"),
        )
    ),
    *(
        ("/v1/facts/recall", wrong, said)
        for wrong, said in (
            ({}, "body.query"),
            ({"query": ""}, "body.query"),
            ({"query": " "}, "body.query: it must not be empty"),
            ({"query": "\0"}, "body.query: it holds a character that cannot be stored"),
            ({"query": "a", "limit": 0}, "body.limit"),
            ({"query": "a", "limit": "3"}, "body.limit"),
            ({"query": "a", "limit": True}, "body.limit"),
            ({"query": "a", "document_id": "x"}, "body.document_id"),
            ({"query": "a", "colour": "blue"}, "body.colour"),
        )
    ),
    *((f"/v1/backfill{act}", {"kinds": []}, "body.kinds") for act in ("", "/pause", "/resume")),
    ("/v1/conversations", {"document_mode": "never"}, "body.document_mode"),
    ("/v1/conversations", {"title": 5}, "body.title"),
    ("/v1/conversations", {"colour": "blue"}, "body.colour"),
    ("{conversation}/messages", {"question": ""}, "body.question"),
    ("{conversation}/messages", {"question": "a", "conversation": []}, "body.conversation"),
    ("{conversation}/messages", {"question": "a", "top_k": "3"}, "body.top_k"),
    *(
        ("/v1/suggestions", {"question": "a", "chunk_ids": ["x"], **wrong}, said)
        for wrong, said in (
            ({"question": ""}, "body.question"),
            ({"chunk_ids": []}, "body.chunk_ids"),
            ({"language": "x"}, "body.language"),
            ({"colour": "blue"}, "body.colour"),
        )
    ),
    *(
        ("/v1/grounding/check", {"statements": statements, "sources": sources}, said)
        for statements, sources, said in (
            (["a"], [], "there are no sources"),
            ([], [TEXT], "there is neither a statement nor an answer"),
            (["a"], [{}], "source 1 needs exactly one of"),
            (["a"], [TEXT, TEXT], "sources 1 and 2 have the same id"),
            (["a", "\0"], [TEXT], "body.statements.1: it holds a character"),
            (["a"], [{"chunk_id": "\0"}], "body.sources.0.chunk_id: it holds a character"),
            (["a"], [{"chunk_id": "no chunk"}], "source 1: there is no chunk"),
            (["a"], [{**TEXT, "page": 1}], "body.sources.0.page"),
            (["a"], [{"document_id": "x"}], "body.sources.0.document_id"),
            ("a", [TEXT], "body.statements"),
        )
    ),
]


@pytest.mark.parametrize(("path", "body", "said"), INVALID, ids=str)
async def test_an_invalid_body_is_refused_by_its_place(
    library: Library, path: str, body: object, said: str
) -> None:
    conversation = f"/v1/conversations/{'0' * 8}-0000-4000-8000-{'0' * 12}"
    response = await library.http.post(
        path.format(conversation=conversation),
        content=json.dumps(body),  # which writes half of a pair, unlike `json=`
        headers={"content-type": "application/json"},
    )
    assert_problem(response, 422, "invalid-request")
    assert said in response.json()["detail"]
    assert not [word for word in (*INTERNALS, "secret") if word in response.text]


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        *(
            ("PATCH", "/v1/entities/00000000-0000-0000-0000-000000000007", {"name": name}, said)
            for name, said in (
                ("", "body.name"),
                ("   ", "body.name: it must not be empty"),
                ("a\0b", "body.name: it holds a character that cannot be stored"),
                ("a\nb\x1b[31m", "body.name: it holds U+000A, which is not seen"),
                ("evil\u202etxt.exe", "body.name: it holds U+202E, which is not seen"),
                ("a\u200bb", "body.name: it holds U+200B, which is not seen"),
                ("x" * 301, "body.name"),
            )
        ),
        *(
            ("PUT", "/v1/budgets", {"measure": "cost_usd", "period": "day", **wrong}, said)
            for wrong, said in (
                ({"most": "5"}, "body.most"),
                ({"most": True}, "body.most"),
                ({"most": 5, "warn_share": "0.5"}, "body.warn_share"),
            )
        ),
        ("POST", "/v1/keys", {"name": "a", "expires_in_days": "5"}, "body.expires_in_days"),
        ("POST", "/v1/keys", {"name": "a", "expires_in_days": True}, "body.expires_in_days"),
        ("POST", "/v1/keys/a/rotate", {"overlap_hours": "5"}, "body.overlap_hours"),
        ("POST", "/v1/share-links", {"collection": "a", "expires_in_hours": "5"}, "expires_in_"),
        ("POST", "/v1/lanes/a/reembed", {"model": "a", "texts_per_second": "5"}, "texts_per_"),
        (
            "POST",
            "/v1/personal-data/export",
            {"principal_id": "a", "with_files": "yes"},
            "body.with_files",
        ),
        ("PUT", "/v1/config/facts", {"value": 1}, "the setting facts cannot be 1"),
        ("PUT", "/v1/config/facts", {"value": 0.0}, "the setting facts cannot be 0.0"),
        ("PUT", "/v1/config/top_k", {"value": True}, "the setting top_k cannot be"),
        ("GET", "/v1/entities?query=%00", None, "query: it holds a character"),
        ("PUT", "/v1/config/fact_kinds", {"value": "a\0b"}, "body.value"),
    ],
    ids=str,
)
async def test_an_invalid_body_of_another_method_is_refused(
    library: Library, method: str, path: str, body: object, said: str
) -> None:
    response = await library.http.request(method, path, json=body)
    assert_problem(response, 422, "invalid-request")
    assert said in response.json()["detail"]
    assert not [word for word in INTERNALS if word in response.text]


@pytest.mark.parametrize(
    "path", ["/v1/documents?limit=0", "/v1/documents?cursor=nonsense", "/v1/documents/not-a-uuid"]
)
async def test_an_invalid_address_is_refused(library: Library, path: str) -> None:
    assert_problem(await library.http.get(path), 422, "invalid-request")


@pytest.mark.parametrize(
    "fields",
    [
        {"collection": "a\0b"},
        {"collection": "x" * 201},
        {"external_id": "a\0b"},
        {"external_id": "x" * 601},
        {"metadata": '{"a": 1e999}'},
        {"metadata": '{"nested": {"a": 1}}'},
    ],
    ids=str,
)
async def test_an_invalid_field_of_an_upload_is_refused(
    library: Library, fields: dict[str, str]
) -> None:
    files = {"file": ("a.txt", b"text")}
    response = await library.http.post("/v1/documents", files=files, data=fields)
    assert_problem(response, 422, "invalid-request")


async def test_a_refusal_comes_with_advice(library: Library) -> None:
    body = {"query": "a", "filters": {"where": {"langage": "de"}}}
    response = await library.http.post("/v1/search", json=body)
    assert "`language`" in response.json()["hint"]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ("x", "body.metadata: it is not JSON (line 1, column 1)"),
        ("[1]", "body.metadata: it must be an object, not an array"),
        ('{"a": null}', "body.metadata.a: it must be text, a finite number of up to 64 bits, true"),
        ('{"a": [1]}', "body.metadata.a: it must be text, a finite number of up to 64 bits, true"),
        ('{"a": NaN}', "body.metadata.a: it must be text, a finite number of up to 64 bits, true"),
        ('{"a": "\\u0000"}', "body.metadata.a: it holds a character that cannot be stored"),
    ],
    ids=str,
)
async def test_metadata_that_cannot_be_kept_is_told_of_once_and_plainly(
    library: Library, metadata: str, said: str
) -> None:
    file = {"file": ("a.txt", b"text")}
    form = await library.http.post("/v1/documents", files=file, data={"metadata": metadata})
    where = said.partition(":")[0]
    assert assert_invalid(form, where).startswith(said)
    if metadata != "x":
        body = f'{{"text": "text", "filename": "a.txt", "metadata": {metadata}}}'
        headers = {"content-type": "application/json"}
        pushed = await library.http.post("/v1/ingest", content=body, headers=headers)
        assert assert_invalid(pushed, where).startswith(said)


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ('{"a": "\\ud800"}', "it holds a character that cannot be stored"),
        ('{"\\udfff": 1}', "it holds a character that cannot be stored"),
        *(('{"a": ' * deep + "1" + "}" * deep, "it is nested too deeply") for deep in (3000, 500)),
    ],
    ids=["half of a pair", "in a name", "3000 deep", "500 deep"],
)
async def test_metadata_of_a_form_is_refused_in_the_words_of_a_body(
    library: Library, metadata: str, said: str
) -> None:
    file = {"file": ("a.txt", b"text")}
    form = await library.http.post("/v1/documents", files=file, data={"metadata": metadata})
    assert assert_invalid(form, "body.metadata").startswith(f"body.metadata: {said}")


async def test_a_field_of_a_form_that_is_too_long_is_named_with_its_limit(library: Library) -> None:
    metadata = json.dumps({"a": "a" * 2**20})
    file = {"file": ("a.txt", b"text")}
    form = await library.http.post("/v1/documents", files=file, data={"metadata": metadata})
    assert_problem(form, 422, "invalid-request")
    told = form.json()
    assert [wrong["where"] for wrong in told["errors"]] == ["body.metadata"]
    assert "body.metadata: it is longer than the 1,048,576 bytes" in told["detail"]
    assert told["hint"].startswith("Shorten it")


@pytest.mark.parametrize("name", ["collection", "external_id", "tags"])
async def test_a_field_of_a_form_that_is_not_utf_8_is_refused(library: Library, name: str) -> None:
    file = {"file": ("a.txt", b"text")}
    data = {name: "B\xe4r".encode("latin-1")}
    form = await library.http.post("/v1/documents", files=file, data=data)
    assert_problem(form, 422, "invalid-request")
    told = form.json()
    assert [wrong["where"] for wrong in told["errors"]] == [f"body.{name}"]
    assert f"body.{name}: it is not UTF-8: its byte 2 is 0xE4" in told["detail"]


@pytest.mark.parametrize(
    "name", ["collection", "external_id", "metadata", "tags", "visibility", "shared_with"]
)
async def test_an_empty_field_of_a_form_is_refused_as_in_a_body(
    library: Library, name: str
) -> None:
    file = {"file": ("a.txt", b"text")}
    form = await library.http.post("/v1/documents", files=file, data={name: ""})
    assert "must not be empty" in assert_invalid(form, f"body.{name}")


async def test_a_name_given_twice_in_a_field_of_a_form_is_refused_as_in_a_body(
    library: Library,
) -> None:
    for metadata in ('{"a": 1, "a": 2}', '{"a": 1, "\\u0061": 2}'):
        file = {"file": ("a.txt", b"text")}
        form = await library.http.post("/v1/documents", files=file, data={"metadata": metadata})
        told = assert_invalid(form, "body.metadata")
        assert told == "body.metadata: 'a' is there more than once in one object"
        headers = {"content-type": "application/json"}
        body = f'{{"text": "text", "filename": "a.txt", "metadata": {metadata}}}'
        pushed = await library.http.post("/v1/ingest", content=body, headers=headers)
        assert_problem(pushed, 422, "invalid-request")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_a_number_that_is_none_is_called_by_its_name(library: Library, number: str) -> None:
    headers = {"content-type": "application/json"}
    for members in (
        f'"top_k": {number}',
        f'"filters": {{"min_similarity": {number}}}',
        f'"filters": {{"where": {{"page_count": {{"gte": {number}}}}}}}',
    ):
        body = f'{{"query": "a", {members}}}'
        response = await library.http.post("/v1/search", content=body, headers=headers)
        assert_problem(response, 422, "invalid-request")
        assert number in response.json()["detail"]
        assert "huge" not in response.text


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None])
async def test_a_body_of_another_content_type_is_told_which_one_is_meant(
    library: Library, content_type: str | None
) -> None:
    headers = {"content-type": content_type} if content_type else {}
    content = json.dumps({"query": "claim"}).encode()
    response = await library.http.post("/v1/search", content=content, headers=headers)
    assert "Content-Type: application/json" in assert_invalid(response, "body")


async def test_an_upload_in_another_form_is_told_which_one_is_meant(library: Library) -> None:
    for response in (
        await library.http.post("/v1/documents", json={"file": "text"}),
        await library.http.post("/v1/documents", data={"file": "text"}),
        await library.http.post("/v1/documents", files={"file": (None, "text")}),
        await library.http.post("/v1/documents"),
    ):
        assert "multipart/form-data" in assert_invalid(response, "body.file")


@pytest.mark.parametrize(
    ("parameters", "content", "said"),
    [
        ("", b"--x\r\n", "names no boundary"),
        ("; boundary=y", b"--x\r\n", "not divided by the boundary"),
        (
            "; boundary=x",
            b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--\r\n",
            "has no name",
        ),
        (
            "; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="'
            + b"a" * 5000
            + b'"\r\n\r\nx\r\n--x--\r\n',
            "a header of one of its parts is longer than the 4,",
        ),
        (
            "; boundary=x",
            b"--x\r\n" + b"X: a\r\n" * 100 + b"\r\nx\r\n--x--\r\n",
            "has more than the ",
        ),
        (
            "; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nte',
            "it ends before its last boundary",
        ),
        ("; boundary=x", b"", "it ends before its last boundary"),
    ],
)
async def test_a_form_that_cannot_be_divided_says_why(
    library: Library, parameters: str, content: bytes, said: str
) -> None:
    headers = {"content-type": f"multipart/form-data{parameters}"}
    response = await library.http.post("/v1/documents", content=content, headers=headers)
    assert_problem(response, 400, "bad-request")
    assert said in response.json()["detail"]
    assert response.json()["hint"]


async def test_a_form_without_parts_or_a_line_after_its_end_is_whole(library: Library) -> None:
    headers = {"content-type": "multipart/form-data; boundary=x"}
    part = b'--x\r\nContent-Disposition: form-data; name="fil"\r\n\r\ntext\r\n'
    for content in (b"--x--\r\n", part + b"--x--", part + b"--x--\r\nfarewell"):
        response = await library.http.post("/v1/documents", content=content, headers=headers)
        assert_problem(response, 422, "invalid-request")


async def test_a_field_of_an_upload_that_is_not_known_is_refused(library: Library) -> None:
    response = await library.http.post(
        "/v1/documents", files={"file": ("a.txt", b"text")}, data={"colection": "x"}
    )
    assert_invalid(response, "body.colection")


@pytest.mark.parametrize("twice", ["file", "collection"])
async def test_a_field_of_an_upload_that_comes_twice_is_refused(
    library: Library, twice: str
) -> None:
    response = await library.http.post(
        "/v1/documents",
        files=[
            ("file", ("a.txt", b"one")),
            ("collection", (None, b"x")),
            (twice, ("b.txt" if twice == "file" else None, b"two")),
        ],
    )
    assert "send it once" in assert_invalid(response, f"body.{twice}")


@pytest.mark.parametrize("path", ["/v1/search", "/agui"])
async def test_a_body_that_is_no_json_is_told_where_it_breaks(library: Library, path: str) -> None:
    headers = {"content-type": "application/json"}
    response = await library.http.post(path, content=b'{\n  "query": }', headers=headers)
    assert_problem(response, 400, "bad-request")
    assert response.json()["detail"] == "The body is not JSON (line 2, column 12)."


async def test_a_file_where_text_belongs_is_told_so(library: Library) -> None:
    files = {"file": ("a.txt", b"text"), "collection": ("b.txt", b"reports")}
    response = await library.http.post("/v1/documents", files=files)
    assert assert_invalid(response, "body.collection").endswith("it must be text, not a file")


@pytest.mark.parametrize("content", [b"{", b"\xff{}", b'{"query": }'], ids=repr)
async def test_a_body_that_cannot_be_parsed_is_a_bad_request(
    library: Library, content: bytes
) -> None:
    headers = {"content-type": "application/json"}
    for path in ("/v1/search", "/v1/answers", "/v1/context", "/search", "/context"):
        response = await library.http.post(path, content=content, headers=headers)
        assert_problem(response, 400, "bad-request")


@pytest.mark.parametrize("path", ["/v1/search", "/search"])
async def test_a_request_is_about_one_workspace(library: Library, path: str) -> None:
    headers = [("Footnote-Workspace", "default"), ("Footnote-Workspace", "annex")]
    body = {"query": "a"} | ({"project_id": "p", "user_id": "u"} if path == "/search" else {})
    response = await library.http.post(path, json=body, headers=headers)
    assert_problem(response, 422, "invalid-request")
    assert "Footnote-Workspace" in response.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "takes"),
    [
        (
            "GET",
            "/v1/documents?colection=x",
            "collection, cursor, document_class, facets, limit, order, query, sort, status, tag, "
            "where",
        ),
        ("GET", "/v1/documents/{id}?verify=true", "none"),
        ("DELETE", "/v1/documents/{id}?veryfy=true", "verify"),
        ("GET", "/v1/documents/{id}/content?worksapce=annex", "workspace"),
        ("GET", "/v1/conversations?colection=x", "cursor, limit, query"),
        ("GET", "/v1/lanes?lane=document", "none"),
        ("POST", "/v1/search?top_k=3", "none"),
    ],
)
async def test_a_parameter_that_is_not_known_is_refused_with_those_that_are(
    library: Library, method: str, path: str, takes: str
) -> None:
    asked = path.format(id=library.ids["policy.md"])
    response = await library.http.request(method, asked, json={"query": "a"})
    name = path.partition("?")[2].partition("=")[0]
    told = f"query.{name}: it is not known here; known are {takes}"
    assert assert_invalid(response, f"query.{name}") == told


async def test_a_parameter_that_is_there_twice_is_refused(library: Library) -> None:
    response = await library.http.get("/v1/documents?status=failed&status=indexed")
    assert "send it once" in assert_invalid(response, "query.status")


async def test_other_protocols_may_add_parameters_of_their_own(library: Library) -> None:
    chat = {"model": "footnote", "messages": [{"role": "user", "content": "claim?"}]}
    search = {"query": "claim", "project_id": "insurance", "user_id": "u"}
    for method, path, body in (
        ("POST", "/v1/chat/completions", chat),
        ("GET", "/v1/models", None),
        ("POST", "/search", search),
        ("GET", "/health", None),
    ):
        response = await library.http.request(method, f"{path}?api-version=1", json=body)
        assert response.status_code == 200, response.text


async def test_a_number_that_cannot_be_read_is_named_as_what_is_wrong(library: Library) -> None:
    headers = {"content-type": "application/json"}
    body = f'{{"query": "a", "top_k": {"9" * 6_000}}}'
    response = await library.http.post("/v1/search", content=body, headers=headers)
    assert_problem(response, 400, "bad-request")
    assert response.json()["detail"] == "The body has a number with too many digits."


async def test_a_name_of_spaces_alone_is_none(library: Library) -> None:
    body = {"text": "A log.", "filename": "log.txt", "collection": "   "}
    response = await library.http.post("/v1/ingest", json=body)
    assert assert_invalid(response, "body.collection") == "body.collection: it must not be empty"


@pytest.mark.parametrize("path", ["/v1/search", "/search"])
@pytest.mark.parametrize(
    "members",
    ['"query": "a", "query": "b"', '"query": "a", "filters": {"where": {"query": 1, "query": 2}}'],
)
async def test_a_body_with_a_name_twice_is_refused(
    library: Library, path: str, members: str
) -> None:
    headers = {"content-type": "application/json"}
    response = await library.http.post(path, content=f"{{{members}}}", headers=headers)
    told = "body: 'query' is there more than once in one object"
    assert assert_invalid(response, "body") == told


async def test_a_workspace_that_is_not_there_is_named(library: Library) -> None:
    asked = {"query": "a", "project_id": "p", "user_id": "u"}
    run = {"threadId": "t", "runId": "r", "messages": [], "state": {}, "tools": [], "context": []}
    for method, path, body in (
        ("GET", "/v1/documents", None),
        ("POST", "/search", asked),
        ("GET", f"/v1/documents/{library.ids['policy.md']}/content", None),
        ("POST", "/agui", {**run, "forwardedProps": {}}),
    ):
        headers = {"Footnote-Workspace": "acmee"}
        response = await library.http.request(method, path, json=body, headers=headers)
        assert_problem(response, 404, "not-found")
        assert response.json()["detail"] == "there is no workspace 'acmee'"
        assert "footnote workspace create" in response.json()["hint"]


async def test_a_name_that_cannot_be_stored_is_absent(library: Library) -> None:
    document = library.ids["policy.md"]
    for method, path in (
        ("GET", f"/v1/documents/{document}/content?workspace=%00"),
        ("DELETE", "/v1/mcp-servers/%00"),
    ):
        assert_problem(await library.http.request(method, path), 404, "not-found")
    chat = {"model": "footnote/\0", "messages": [{"role": "user", "content": "claim?"}]}
    assert (await library.http.post("/v1/chat/completions", json=chat)).status_code == 404


async def test_what_is_read_is_told_without_a_body_too(library: Library) -> None:
    document = library.ids["policy.md"]
    described = (await library.http.get("/openapi.json")).json()["paths"]
    read = [path for path, methods in described.items() if "get" in methods and "{" not in path]
    assert {"/health", "/v1/documents", "/v1/events", "/stats"} <= set(read)
    read += [f"/v1/documents/{document}", f"/v1/documents/{document}/content", "/v1/documents/no"]
    for path in {*read, "/openapi.json", "/nowhere"}:
        async with library.http.stream("GET", path) as asked:
            pass
        told = await library.http.head(path)
        async with library.http.stream("GET", path) as again:
            pass
        assert (told.status_code, told.content) == (asked.status_code, b""), path
        for name in ("content-type", "content-length", "etag", "allow"):
            # The audit log has an entry more each time.
            expected = {each.headers.get(name) for each in (asked, again)}
            assert told.headers.get(name) in expected or len(expected) > 1, path
    written = await library.http.head("/v1/search")
    assert (written.status_code, written.headers["allow"]) == (405, "POST")


async def test_every_entrance_has_the_same_limits(library: Library) -> None:
    assert requests.MAX_QUERY_CHARACTERS == MAX_QUERY_CHARACTERS
    env = environment(library.settings)
    longest, longer = "x" * MAX_QUERY_CHARACTERS, "x" * (MAX_QUERY_CHARACTERS + 1)
    for query, status, code in ((longest, 200, 0), (longer, 422, 2)):
        assert (await library.http.post("/v1/search", json={"query": query})).status_code == status
        assert (await footnote(env, "search", query)).code == code
    for limit, status, code in ((MAX_PAGE, 200, 0), (MAX_PAGE + 1, 422, 2)):
        response = await library.http.get("/v1/documents", params={"limit": limit})
        assert response.status_code == status
        assert (await footnote(env, "documents", "list", "--limit", str(limit))).code == code
