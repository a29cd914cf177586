"""Written papers: files are as described, and answers stand where they are said to."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

from office_texts import CONTRADICTED, NEITHER, SUPPORTED
from written_papers import WrittenPapers, papers_of, read_papers

PAPER = """@@@ House rules | en | rules
Dogs wait outside, guide dogs excepted.

Bikes stand in the yard.

%%%
> Dogs wait outside, guide dogs excepted.
? Can I bring my poodle? => Dogs wait outside
?de Darf mein Hund hinein? => Dogs wait outside
- Do cats wait outside?
-de Warten Katzen draußen?
> Bikes stand in the yard.
? Where do I leave my bike? => in the yard
+ Bicycles belong in the yard.
!*de Nach der Hausordnung stehen Räder im Keller.
~ Bikes are locked.
"""


def test_a_paper_is_read_with_its_facts() -> None:
    (paper,) = papers_of(PAPER, "rules.txt")
    assert (paper.title, paper.language, paper.kind) == ("House rules", "en", "rules")
    assert [fact.quote for fact in paper.facts] == [
        "Dogs wait outside, guide dogs excepted.",
        "Bikes stand in the yard.",
    ]
    assert paper.facts[0].asked == (
        ("Can I bring my poodle?", "Dogs wait outside"),
        ("Darf mein Hund hinein?", "Dogs wait outside"),
    )
    assert paper.facts[0].unanswered == ("Do cats wait outside?", "Warten Katzen draußen?")
    assert paper.facts[1].unanswered == ()
    assert [(each.text, each.label, each.under) for each in paper.facts[1].stated] == [
        ("Bicycles belong in the yard.", SUPPORTED, False),
        ("Nach der Hausordnung stehen Räder im Keller.", CONTRADICTED, True),
        ("Bikes are locked.", NEITHER, False),
    ]


COLLECTION = f"""@@@@ Two houses
{PAPER}
@@@ The other house | en | rules
Dogs live in the kitchen there, and are quiet as long as nobody rings at the door.

%%%
> Dogs live in the kitchen there, and are quiet as long as nobody rings at the door.
? Where do the dogs of the other house live? => in the kitchen
- Do cats live in the other house?
"""


def test_papers_of_a_collection_are_kept_apart_together_and_mistaken_for_each_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "houses.txt").write_text(COLLECTION)
    papers = read_papers(tmp_path)
    assert [each.collection for each in papers] == ["Two houses"] * 2
    (apart,) = {each.kept_apart for each in papers}
    drawn = WrittenPapers(random.Random(4), apart=apart, folder=tmp_path)
    (stranger,) = {
        each.text
        for each in (drawn.elsewhere("Can I bring dogs?", *drawn.facts[0]) for _ in range(100))
        if "outside" not in each.text and "yard" not in each.text
    }
    assert stranger == papers[1].text


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("> Bikes stand in the yard.", "> Bikes stand outside."),
        ("=> in the yard", "=> in the shed"),
        ("? Where do I", "& Where do I"),
        ("| en |", ""),
        ("%%%", "%%"),
    ],
    ids=["quote", "answer", "mark", "head", "facts"],
)
def test_what_is_not_as_described_is_named(what: str, instead: str) -> None:
    with pytest.raises(ValueError, match=r"rules\.txt, “House rules"):
        list(papers_of(PAPER.replace(what, instead), "rules.txt"))


def test_all_files_are_as_described_and_no_paper_comes_twice() -> None:
    papers = read_papers()
    texts = [paper.text for paper in papers]
    assert len(set(texts)) == len(texts)
    assert all(paper.facts for paper in papers)
    assert any(fact.stated for paper in papers for fact in paper.facts)
    assert any(paper.collection for paper in papers)
    assert any(paper.kept_apart for paper in papers)
    assert not all(paper.kept_apart for paper in papers)


@pytest.mark.parametrize("apart", [False, True], ids=["training", "apart"])
def test_answers_stand_where_they_are_said_to_and_half_of_the_questions_have_one(
    apart: bool,
) -> None:
    papers = WrittenPapers(random.Random(1), apart=apart)
    drawn = [papers.reading() for _ in range(1_000)]
    assert 0.4 < sum(each.answer is not None for each in drawn) / len(drawn) < 0.6
    for each in drawn:
        assert each.question.strip()
        assert each.text.strip()
        if each.answer:
            start, words = each.answer["start"], each.answer["text"]
            assert each.text[start : start + len(words)] == words


def test_claims_are_supported_by_the_fact_that_answers_and_by_no_other() -> None:
    papers = WrittenPapers(random.Random(2))
    known = {
        f"{question} {answer}": fact.quote
        for _, fact in papers.facts
        for question, answer in fact.asked
    }
    labels = set()
    for _ in range(1_000):
        said, quote, label = papers.claim()
        labels.add(label)
        if label == SUPPORTED:
            assert known[said] in quote
    assert labels == {SUPPORTED, NEITHER}


TABLE = """@@@ Prices of 2024 | en | list
## Rooms

| Room | Price |
|---|---|
| Attic | 90 |
| Cellar | 40 |

%%%
> | Cellar | 40 |
+* In 2024 the cellar cost 40.
!* The cellar cost 90 in 2024.
~ The cellar is dry.
"""


def test_a_statement_is_drawn_with_a_row_spelled_out_or_its_table_and_with_the_heading_it_needs(
    tmp_path: Path,
) -> None:
    (tmp_path / "prices.txt").write_text(TABLE)
    (paper,) = read_papers(tmp_path)
    papers = WrittenPapers(random.Random(5), apart=paper.kept_apart, folder=tmp_path)
    drawn = [papers.statement() for _ in range(300)]
    assert {label for *_, label in drawn} == {SUPPORTED, CONTRADICTED, NEITHER}
    row = "Room: Cellar, Price: 40"
    table = "| Room | Price |\n|---|---|\n| Attic | 90 |\n| Cellar | 40 |"
    heading = "Prices of 2024 › Rooms"
    assert {quote for said, quote, _ in drawn if "2024" in said} == {
        f"{heading}\n{row}",
        f"{heading}\n{table}",
    }
    assert row in {quote for *_, quote, label in drawn if label == NEITHER}


def test_a_choice_has_its_answer_first_and_nowhere_else() -> None:
    papers = WrittenPapers(random.Random(3))
    for _ in range(100):
        first, *others = papers.choice()
        assert first.answer
        assert all(each.answer is None for each in others)
        assert all(each.question == first.question for each in others)
