"""A principal's or a group's name is what people see of it, and nothing that only looks like it."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from footnote.validation.constrained_types import AnyPrincipalId, GroupName, PrincipalId, Subject
from footnote.validation.text import name_fault

GOOD = [
    "ann",
    "Ann O'Hara-Müller",
    "ann@example.com",
    "auth0|64f1",
    "CN=Ann,OU=Claims,DC=example,DC=com",
    "8f14e45f-ceea-467f-a0e6-5e2d1e2c5f10",
    "王小明",
    "नमस्ते",
    "قسم",
    "service:ingest 1f2e3d4c",
]
LOOK_ALIKE = {
    "space before": " ann",
    "space behind": "ann ",
    "two spaces": "ann  lee",
    "no-break space": "ann\u00a0lee",
    "thin space": "ann\u2009lee",
    "ideographic space": "ann\u3000lee",
    "tab": "ann\tlee",
    "line break": "ann\n",
    "line separator": "ann\u2028",
    "escape": "ann\x1b[2K",
    "right-to-left override": "\u202enna",
    "right-to-left mark": "ann\u200f",
    "isolate": "ann\u2066",
    "zero width space": "an\u200bn",
    "zero width joiner": "an\u200dn",
    "byte order mark": "\ufeffann",
    "soft hyphen": "an\u00adn",
    "hangul filler": "ann\u3164",
    "halfwidth hangul filler": "ann\uffa0",
    "grapheme joiner": "an\u034fn",
    "variation selector": "ann\ufe0f",
    "ideographic variation selector": "ann\U000e0101",
    "tag": "ann\U000e0061",
    "braille blank": "ann\u2800",
    "decomposed": "Mu\u0308ller",
    "compatibility spelling": "\u212bsa",
    "private use": "ann\ue000",
    "not assigned": "ann\u0378",
}


@pytest.mark.parametrize("name", GOOD)
def test_names_of_all_scripts_are_taken(name: str) -> None:
    assert name_fault(name) is None
    for kind in (PrincipalId, GroupName, Subject):
        assert TypeAdapter(kind).validate_python(name) == name


@pytest.mark.parametrize("name", LOOK_ALIKE.values(), ids=LOOK_ALIKE)
def test_what_looks_like_another_name_is_refused(name: str) -> None:
    assert name_fault(name)
    for kind in (PrincipalId, GroupName, Subject):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(name)
    with pytest.raises(ValidationError):
        TypeAdapter(Subject).validate_python(f"group:{name}")
    # What was stored before names were held to this can still be looked for and taken away.
    assert TypeAdapter(AnyPrincipalId).validate_python(name) == name


def test_what_is_wrong_is_said_without_repeating_it() -> None:
    assert name_fault("ann\u200f") == (
        "it holds U+200F, which is not seen: a name has letters, digits, signs and single spaces "
        "within"
    )
    assert name_fault("ann ") == "it begins or ends with a space, or has two in a row"
    assert name_fault("Mu\u0308ller") == "it is not in NFC, the composed form of Unicode"
