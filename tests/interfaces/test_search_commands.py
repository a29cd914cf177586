"""A search on the command line can say how it goes about it, and people can read what became."""

import json

import pytest

from tests.interfaces.conftest import Library
from tests.interfaces.serving import Ended, environment, footnote

CLAIM = "How soon must a claim be reported to the insurer?"


async def run(library: Library, *arguments: str) -> Ended:
    return await footnote(environment(library.settings), *arguments)


async def test_a_search_is_narrowed_planned_and_counted(library: Library) -> None:
    ended = await run(
        *(library, "search", "buoy claim", "--json", "--plan", "fast"),
        *("--set", "fusion=rrf", "--set", "across-headings=true"),
        *("--filter", '{"any": [{"tags": "marine"}, {"filename": "minutes.md"}]}'),
        *("--kind", "paragraph", "--kind", "list", "--source-type", "upload"),
        *("--document", library.ids["policy.md"], "--document", library.ids["prices.md"]),
        *("--min-similarity", "-1", "--facet", "collection", "--facet", "class"),
    )
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["plan"] == "fast"
    assert {each["filename"] for each in found["evidence"]} == {"policy.md"}
    assert "rrf" in {each["stage"] for each in found["evidence"][0]["explanation"]}
    assert found["facets"]["collection"] == [{"value": "insurance", "documents": 1}]
    assert list(found["facets"]) == ["collection", "class"]


async def test_people_read_why_and_what_each_stage_did(library: Library) -> None:
    ended = await run(
        *(library, "search", CLAIM, "--explain", "--facet", "collection", "-k", "3"),
        *("--set", "diversity=round_robin"),
    )
    assert ended.code == 0, ended.err
    words = " ".join(ended.out.split())
    assert "Ranked 1st: " in words
    assert "stage rank score detail" in words
    for stage in ("dense", "lexical", "adaptive", "duplicates", "round_robin"):
        assert stage in words
    assert "1 → 1" in words
    assert "the same in Marine policy POL-88213-X (100% alike)" in words
    assert "collection documents" in words
    assert "insurance 2" in words
    plainly = await run(library, "search", CLAIM, "-k", "3")
    assert "Ranked 1st" not in plainly.out
    assert "the same in" in plainly.out


async def test_what_was_searched_instead_is_said(library: Library) -> None:
    query = "deductibel for storm damage"
    ended = await run(library, "search", query)
    said = f"Searched for “deductible for storm damage” instead of “{query}”."
    assert ended.out.splitlines()[0] == said
    as_typed = await run(library, "search", query, "--set", "spelling=false")
    assert "instead of" not in as_typed.out
    answer = await run(library, "ask", f"How much is the {query}?")
    assert answer.out.startswith("Searched for “How much is the deductible for storm damage?”")
    assert "2,500 euros" in answer.out


async def test_a_phrase_that_stands_nowhere_is_told(library: Library) -> None:
    query = 'How much is the deductible for "damage by storm"?'
    answer = await run(library, "ask", query)
    assert "2,500 euros" in answer.out
    assert "no passage that may be searched holds “damage by storm”" in " ".join(answer.err.split())
    strictly = await run(library, "search", query, "--set", "exact_phrases=true")
    assert "2,500 euros" not in strictly.out
    assert "leave out the quotation marks" in " ".join(strictly.err.split())


@pytest.mark.parametrize("verb", ["search", "ask"])
async def test_a_whole_id_of_no_document_is_told_and_foreign_ones_look_the_same(
    library: Library, verb: str
) -> None:
    absent = "019ac000-0000-7000-8000-000000000000"
    foreign = library.ids["policy.md"]
    alike = []
    for called in (absent, foreign):
        ended = await run(library, "-w", "annex", verb, CLAIM, "--document", called)
        assert f"there is no document '{called}'" in " ".join(ended.err.split())
        alike.append((ended.code, ended.out, ended.err.replace(called, "…")))
    assert alike[0] == alike[1]
    known = await run(library, verb, CLAIM, "--document", foreign)
    assert (known.code, known.err) == (0, "")


async def test_where_nothing_answers_the_closest_passage_is_shown(library: Library) -> None:
    question = "Who decides about the deductible for storm damage to a moored buoy?"
    ended = await run(library, "ask", question)
    words = " ".join(ended.out.split())
    assert words.startswith("I could not find this in your documents. Closest passage: “The ded")
    assert "2,500 euros for each event.” [1] [1] Marine policy POL-88213-X (policy.md)" in words
    assert "Nearest to it" not in words


async def test_an_answer_is_narrowed_planned_and_explained(library: Library) -> None:
    narrow = ("--filter", '{"metadata.year": 2024}', "--plan", "thorough")
    ended = await run(library, "ask", CLAIM, *narrow, "--set", "fusion=rrf", "--explain")
    assert ended.code == 0, ended.err
    assert "(policy-2024.md)" in ended.out
    assert "(policy.md)" not in ended.out
    assert "Ranked 1st: " in " ".join(ended.out.split())
    assert "rrf" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said", "advice"),
    [
        (("--filter", '{"langage": "de"}'), "$.langage", "`language`"),
        (("--filter", '{"language": "de"'), "line 1, column 18, character 17", ""),
        (("--set", "fusion=magic"), "fusion=magic", "docs/retrieval.md"),
        (("--set", "neighbours=many"), "neighbours=many", ""),
        (("--set", "neighbors=1"), "'neighbors'", "neighbours"),
        (("--set", "spelling"), "'spelling'", "--set neighbours=1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
async def test_what_cannot_be_read_is_refused_with_advice(
    library: Library, arguments: tuple[str, ...], said: str, advice: str
) -> None:
    ended = await run(library, "search", "x", *arguments)
    assert (ended.code, ended.out) == (2, "")
    error, hint = ended.err.strip().splitlines()
    assert said in error
    assert advice in hint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plan", "careful"), "'careful'"),
        (("--set", "neighbours=11"), "neighbours is 11"),
        (("--facet", "colour"), "'colour'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
async def test_what_the_engine_refuses_is_an_error_with_advice(
    library: Library, arguments: tuple[str, ...], said: str
) -> None:
    ended = await run(library, "search", "x", *arguments, "--json")
    assert ended.code == 2
    error = json.loads(ended.out)["error"]
    assert error["code"] == "invalid-request"
    assert said in error["message"]
    assert error["hint"]
