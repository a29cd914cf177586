"""A follow-up question is put so that it can be searched alone, and its conversation is minded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Turn
from footnote.errors import ModelUnavailable
from footnote.models.testing import WordReader
from footnote.retrieval.followup import MAX_QUESTIONS, FollowUpRewriter
from footnote.retrieval.query import MAX_QUERY_CHARACTERS

STORM = "What is the deductible for storm damage?"


@dataclass(frozen=True)
class Behind:
    """Puts each question behind the one before, and remembers what it was given."""

    given: list[tuple[str, str, str]] = field(default_factory=list)

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> str:
        self.given.append((question, previous_question, previous_answer))
        return f"{previous_question} {question}"

    async def decompose(self, question: str) -> Sequence[str]:
        return (question,)


@dataclass(frozen=True)
class Away:
    """A model that cannot run."""

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> str:
        raise ModelUnavailable(
            f"no memory for {question!r}, {previous_question!r} and {previous_answer!r}"
        )

    async def decompose(self, question: str) -> Sequence[str]:
        raise ModelUnavailable(f"no memory for {question!r}")


def user(text: str) -> Turn:
    return Turn(role="user", text=text)


def assistant(text: str) -> Turn:
    return Turn(role="assistant", text=text)


async def test_each_question_is_put_alone_with_the_one_before_and_its_answer() -> None:
    behind = Behind()
    said = (user("a"), assistant("one [1]"), user("b"), assistant("two [2] and [3]."))
    assert await FollowUpRewriter(rewriter=behind)("c", said) == ("a b c", ())
    assert behind.given == [("b", "a", "one"), ("c", "a b", "two and.")]


async def test_of_two_messages_in_turn_the_first_is_a_question_without_an_answer() -> None:
    behind = Behind()
    await FollowUpRewriter(rewriter=behind)("c", (assistant("Hello."), user("a"), user("b")))
    assert behind.given == [("b", "a", ""), ("c", "a b", "")]


async def test_of_a_long_conversation_the_latest_questions_are_minded() -> None:
    behind = Behind()
    said = [user(f"q{number}") for number in range(40)]
    alone, _ = await FollowUpRewriter(rewriter=behind)("now", said)
    assert len(behind.given) == MAX_QUESTIONS
    assert alone.split()[0] == f"q{40 - MAX_QUESTIONS}"


@pytest.mark.parametrize("said", [(), (assistant("How can I help?"),), (user("  "),)])
async def test_a_question_behind_nothing_stays_as_it_is(said: tuple[Turn, ...]) -> None:
    behind = Behind()
    assert await FollowUpRewriter(rewriter=behind)("And for fire?", said) == ("And for fire?", ())
    assert not behind.given


@pytest.mark.parametrize(
    ("question", "stays"),
    [
        ("Lost keys: how much?", True),
        ("停车：在哪里？", True),
        ("?", True),
        ("🏳️‍🌈", True),
        ("And at 9:30?", False),
        ("And for fire?", False),
    ],
)
async def test_what_says_its_topic_first_or_nothing_at_all_stays_as_it_is(
    question: str, stays: bool
) -> None:
    rewriter = Behind()
    alone, _ = await FollowUpRewriter(rewriter=rewriter)(question, (user("a"),))
    assert (alone == question) == stays
    last, _ = await FollowUpRewriter(rewriter=rewriter)("c", (user("a"), user(question)))
    kept = stays and any(map(str.isalnum, question))
    assert last == (f"{question} c" if kept else f"a {question} c")


@pytest.mark.parametrize("rewriter", [None, Away(), WordReader()])
async def test_where_no_model_can_tell_the_question_stays_with_a_note(
    rewriter: Away | WordReader | None,
) -> None:
    alone, notes = await FollowUpRewriter(rewriter=rewriter)("And for fire?", (user(STORM),))
    assert alone == "And for fire?"
    assert [note.partition(":")[0] for note in notes] == ["condense"]


async def test_what_is_no_query_any_more_is_searched_as_it_was() -> None:
    excluded = " ".join(f"-w{number}" for number in range(40))
    said = (user(f"What is due {excluded} for storm?"),)
    alone, notes = await FollowUpRewriter(rewriter=Behind())("And for fire?", said)
    assert alone == "And for fire?"
    assert [note.partition(":")[0] for note in notes] == ["condense"]


@given(
    question=st.text(max_size=80),
    said=st.lists(
        st.builds(Turn, role=st.sampled_from(["user", "assistant"]), text=st.text(max_size=80))
    ),
)
async def test_any_conversation_leaves_something_that_can_be_asked(
    question: str, said: list[Turn]
) -> None:
    alone, notes = await FollowUpRewriter(rewriter=Behind())(question, said)
    assert alone.strip() or not question.strip()
    assert alone == question or not notes
    assert len(alone) <= MAX_QUERY_CHARACTERS
