"""The chain of an audit log shows whatever was done to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid5

import pytest

from footnote.domain.audit import NO_ENTRIES, Act, AuditDraft, AuditEntry, AuditHead, Outcome
from footnote.security.audit import Verifier, canonical_json, chained, hash_of_entry

WORKSPACE = UUID(int=7)
NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)


def log(length: int = 5) -> list[AuditEntry]:
    drafts = [
        AuditDraft(
            act_id=uuid5(WORKSPACE, str(number)),
            recorded_at=NOON + timedelta(microseconds=number),
            principal="ann",
            credential="key:1",
            act=Act.SEARCHED,
            verb="search",
            outcome=Outcome.DONE,
            subject={"collection": "hr"},
            documents=(UUID(int=number),),
            passages=(f"{number}:1:0",),
        )
        for number in range(length)
    ]
    return list(chained(WORKSPACE, NO_ENTRIES, [(each, "what about Müller?") for each in drafts]))


def faults(entries: Sequence[AuditEntry], *kept: AuditHead) -> list[tuple[int, str]]:
    verifier = Verifier(WORKSPACE, kept)
    for each in entries:
        verifier.look_at(each)
    verifier.finish()
    return [(each.entry_no, each.what) for each in verifier.faults]


def head(entry: AuditEntry) -> AuditHead:
    return AuditHead(entry_no=entry.entry_no, entry_hash=entry.entry_hash)


def test_what_was_chained_is_intact_also_from_a_head_on() -> None:
    entries = log()
    assert faults(entries, head(entries[2])) == []
    more = list(chained(WORKSPACE, head(entries[-1]), [(entries[0], None)]))
    assert faults([*entries, *more]) == []
    assert [each.entry_no for each in (*entries, *more)] == [1, 2, 3, 4, 5, 6]


CHANGES: dict[str, Callable[[AuditEntry], AuditEntry]] = {
    "principal": lambda each: replace(each, principal="bob"),
    "credential": lambda each: replace(each, credential="key:2"),
    "time": lambda each: replace(each, recorded_at=each.recorded_at + timedelta(microseconds=1)),
    "act": lambda each: replace(each, act=Act.READ),
    "verb": lambda each: replace(each, verb="ask"),
    "outcome": lambda each: replace(each, outcome=Outcome.FAILED),
    "error": lambda each: replace(each, error="NotFound"),
    "act id": lambda each: replace(each, act_id=UUID(int=1)),
    "subject": lambda each: replace(each, subject={"collection": "it"}),
    "documents": lambda each: replace(each, documents=()),
    "passages": lambda each: replace(each, passages=("other",)),
    "digest": lambda each: replace(each, query=None, query_digest="0" * 64),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_member_of_an_entry_is_covered(change: Callable[[AuditEntry], AuditEntry]) -> None:
    entries = log()
    entries[2] = change(entries[2])
    assert faults(entries) == [(3, "it was changed")]


def test_a_changed_entry_with_a_hash_made_to_fit_breaks_the_one_after_it() -> None:
    entries = log()
    forged = replace(entries[2], principal="bob")
    entries[2] = replace(forged, entry_hash=hash_of_entry(WORKSPACE, forged))
    assert faults(entries) == [(4, "it does not follow the entry before it")]


def test_removed_and_swapped_entries_are_found() -> None:
    entries = log()
    assert faults(entries[:1] + entries[3:])[0] == (4, "entries 2 to 3 are missing before it")
    assert faults(entries[1:])[0] == (2, "entry 1 is missing before it")
    assert faults([entries[0], entries[2], entries[1], *entries[3:]])


def test_only_a_kept_head_shows_that_the_end_is_missing_or_written_anew() -> None:
    entries = log()
    kept = head(entries[4])
    assert faults(entries[:3]) == []
    assert faults(entries[:3], kept) == [(5, "the log ends at entry 3, before it")]
    anew = list(chained(WORKSPACE, head(entries[2]), [(entries[3], None), (entries[4], None)]))
    assert faults([*entries[:3], *anew]) == []
    assert faults([*entries[:3], *anew], kept) == [
        (5, "it is not the entry whose hash was kept elsewhere")
    ]


def test_a_query_can_be_erased_but_not_changed() -> None:
    entries = log()
    entries[1] = replace(entries[1], query=None, query_salt=None)
    assert faults(entries) == []
    entries[3] = replace(entries[3], query="what about Meyer?")
    assert faults(entries) == [(4, "its query was changed")]


def test_the_same_query_has_another_digest_each_time() -> None:
    assert len({each.query_digest for each in log()}) == 5


def test_a_log_does_not_pass_for_that_of_another_workspace() -> None:
    verifier = Verifier(UUID(int=8))
    verifier.look_at(log()[0])
    assert [each.what for each in verifier.faults] == ["it was changed"]


def test_a_time_is_hashed_as_the_moment_it_is() -> None:
    entry = log()[0]
    elsewhere = entry.recorded_at.astimezone(timezone(timedelta(hours=2)))
    there = replace(entry, recorded_at=elsewhere)
    assert hash_of_entry(WORKSPACE, there) == entry.entry_hash


def test_canonical_json_has_one_spelling() -> None:
    # RFC 8785, 3.2.2 and 3.2.3: sorted names, no spaces, characters as they are.
    written = canonical_json({"b": ["é", 1, None, True], "a": {"d": "\n", "c": "\u20ac"}})
    assert written.decode() == '{"a":{"c":"€","d":"\\n"},"b":["é",1,null,true]}'


def test_only_the_first_faults_are_kept() -> None:
    verifier = Verifier(WORKSPACE, max_faults=3)
    for each in log(10):
        verifier.look_at(replace(each, verb="other"))
    assert len(verifier.faults) == 3
