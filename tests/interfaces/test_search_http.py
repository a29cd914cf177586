"""A search over HTTP can say how it goes about it and where it looks, and is told what became."""

from typing import Any

import httpx

from tests.interfaces.conftest import Library
from tests.interfaces.test_refusals import assert_problem

CLAIM = "How soon must a claim be reported to the insurer?"


async def searched(library: Library, query: str = CLAIM, **more: object) -> dict[str, Any]:
    response = await library.http.post("/v1/search", json={"query": query, **more})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def refused(library: Library, **more: object) -> httpx.Response:
    response = await library.http.post("/v1/search", json={"query": CLAIM, **more})
    assert_problem(response, 422, "invalid-request")
    return response


def files(found: dict[str, Any]) -> set[str]:
    return {each["filename"] for each in found["evidence"]}


async def test_evidence_says_why_it_is_there(library: Library) -> None:
    found = await searched(library)
    assert found["plan"] == "balanced"
    assert 0 <= found["confidence"] <= 1
    for each in found["evidence"]:
        assert each["why"].startswith(f"Ranked {each['rank']}")
        assert each["explanation"][-1]["rank_after"] == each["rank"]
        assert each["explanation"][-1]["score_after"] == each["score"]


async def test_a_plan_and_changes_of_its_stages_are_followed(library: Library) -> None:
    fast = await searched(library, plan="fast")
    assert fast["plan"] == "fast"
    assert "adaptive" in {each["stage"] for each in fast["evidence"][0]["explanation"]}
    changed = await searched(library, plan="fast", stages={"fusion": "rrf", "diversity": "mmr"})
    assert {"rrf", "mmr"} <= {each["stage"] for each in changed["evidence"][0]["explanation"]}


async def test_what_a_plan_cannot_do_is_named(library: Library) -> None:
    stages = {"condense": True, "queries": 3, "rerank": True, "corrections": 1}
    conversation = [{"role": "user", "text": "Tell me about claims."}]
    found = await searched(library, stages=stages, conversation=conversation)
    assert {note.split(":")[0] for note in found["degraded"]} == {
        "condense",
        "queries",
        "rerank",
        "correct",
    }
    assert found["evidence"]


async def test_a_condition_restricts_the_documents(library: Library) -> None:
    assert files(await searched(library)) >= {"policy.md"}
    for where, expected in (
        ({"collection": "board"}, {"minutes.md", "prices.md", "secret.md"}),
        ({"tags": "marine"}, {"policy.md"}),
        ({"metadata.year": {"lt": 2025}}, {"policy-2024.md"}),
        ({"any": [{"tags": "marine"}, {"filename": "minutes.md"}]}, {"policy.md", "minutes.md"}),
    ):
        found = await searched(library, query="buoy claim", filters={"where": where})
        assert files(found) <= expected, where
        assert found["evidence"], where


async def test_kinds_of_chunk_and_a_least_similarity_restrict_the_passages(
    library: Library,
) -> None:
    tables = await searched(library, query="price", filters={"evidence_types": ["table"]})
    assert {each["kind"] for each in tables["evidence"]} == {"table"}
    near = await searched(library, filters={"min_similarity": 0.4})
    assert near["evidence"]
    assert all(each["similarity"] >= 0.4 for each in near["evidence"])
    assert (await searched(library, filters={"min_similarity": 1.0}))["evidence"] == []


async def test_facets_are_counted_within_the_filters(library: Library) -> None:
    found = await searched(
        library,
        facets=["collection", "metadata.year"],
        filters={"where": {"collection": "insurance"}},
    )
    assert found["facets"] == {
        "collection": [{"value": "insurance", "documents": 2}],
        "metadata.year": [
            {"value": "2024", "documents": 1},
            {"value": "2025", "documents": 1},
        ],
    }
    assert (await searched(library))["facets"] == {}


async def test_a_misspelt_query_is_mended_and_says_so(library: Library) -> None:
    found = await searched(library, query="deductibel for storm damage")
    assert found["corrected_query"] == "deductible for storm damage"
    assert found["query"] == "deductibel for storm damage"
    assert found["evidence"][0]["filename"] == "policy.md"
    as_typed = await searched(
        library, query="deductibel for storm damage", stages={"spelling": False}
    )
    assert as_typed["corrected_query"] is None


async def test_a_phrase_that_stands_nowhere_is_searched_by_its_words(library: Library) -> None:
    query = '"damage by storm" deductible'
    found = await searched(library, query=query)
    assert found["evidence"][0]["filename"] == "policy.md"
    [note] = found["degraded"]
    assert note.startswith("phrases: no passage that may be searched holds “damage by storm”, so")
    strictly = await searched(library, query=query, stages={"exact_phrases": True})
    assert strictly["evidence"] == []
    [note] = strictly["degraded"]
    assert "leave out the quotation marks" in note


async def test_a_passage_that_says_the_same_is_listed_with_the_other(library: Library) -> None:
    [best, *_] = (await searched(library))["evidence"]
    [other] = best["near_duplicates"]
    both = {best["document_id"], other["document_id"]}
    assert both == {library.ids["policy.md"], library.ids["policy-2024.md"]}
    assert 0.85 <= other["overlap"] <= 1
    context = await library.http.post("/v1/context", json={"chunk_id": other["chunk_id"]})
    assert context.status_code == 200


async def test_neighbours_are_merged_into_a_passage(library: Library) -> None:
    found = await searched(
        library,
        query="deductible for storm damage",
        stages={"neighbours": 1, "across_headings": True},
    )
    best = found["evidence"][0]
    assert "premium is due" in best["text"]
    assert {each["distance"] for each in best["neighbours"]} >= {1}
    assert all(each["score"] < best["score"] for each in best["neighbours"])


async def test_a_search_that_was_made_before_is_answered_from_the_cache(library: Library) -> None:
    query = "When is the premium due?"
    annex = {"Footnote-Workspace": "annex"}
    before = (await library.http.get("/stats")).json()["search_cache"]
    elsewhere = (await library.http.get("/stats", headers=annex)).json()["search_cache"]
    first, again = await searched(library, query), await searched(library, query)
    anew = await searched(library, query, stages={"cache": False})
    assert [first["cached"], again["cached"], anew["cached"]] == [None, "exact", None]
    assert first["evidence"] == again["evidence"]
    after = (await library.http.get("/stats")).json()["search_cache"]
    assert after["exact_hits"] == before["exact_hits"] + 1
    assert after["misses"] == before["misses"] + 1
    assert after["hit_rate"] > 0
    assert (await library.http.get("/stats", headers=annex)).json()["search_cache"] == elsewhere


async def test_an_answer_is_taken_from_where_one_says(library: Library) -> None:
    async def asked(**more: object) -> dict[str, Any]:
        response = await library.http.post("/v1/answers", json={"question": CLAIM, **more})
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    answer = await asked(plan="thorough", filters={"where": {"metadata.year": 2024}})
    assert answer["found"]
    assert {each["filename"] for each in answer["citations"]} == {"policy-2024.md"}
    assert files(answer) == {"policy-2024.md"}
    rrf = await asked(stages={"fusion": "rrf"})
    assert "rrf" in {each["stage"] for each in rrf["evidence"][0]["explanation"]}
    assert not (await asked(filters={"where": {"collection": "board"}}))["found"]
    wrong = {"question": CLAIM, "plan": "careful"}
    assert_problem(await library.http.post("/v1/answers", json=wrong), 422, "invalid-request")


async def test_a_misspelt_question_is_answered_as_it_was_meant(library: Library) -> None:
    question = "How much is the deductibel for storm damage to a buoy?"
    answer = (await library.http.post("/v1/answers", json={"question": question})).json()
    assert answer["question"] == question
    assert answer["corrected_question"] == "How much is the deductible for storm damage to a buoy?"
    assert "2,500 euros" in answer["text"]
