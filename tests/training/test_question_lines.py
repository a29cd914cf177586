"""Lines of written questions say what is moved, step by step, and wrong ones are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from footnote.models.question_decomposition import MAX_PARTS

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))

import question_lines


def written(folder: Path, name: str, line: str) -> Path:
    (folder / name).write_text(f"@ en\n{line}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("line", "kind", "steps"),
    [
        (
            "What is due for [storm]? | EUR 500 | And for [fire]?",
            "replaces",
            ["What is due for fire?"],
        ),
        ("Who clears the snow? | Jo | And [in May]?", "replaces", ["Who clears the snow in May?"]),
        (
            "Who sold {the mill}? | Jo | When was {it} built?",
            "refers",
            ["When was the mill built?"],
        ),
        (
            "Who sold {1:the mill}? | {2:Anna Lind} | When did {2:she} buy {1:it}?",
            "refers",
            ["When did Anna Lind buy it?", "When did Anna Lind buy the mill?"],
        ),
        ("What is {the fine}? | Two euros | Since when?", "refers", ["Since when? the fine"]),
        ("When is it open? | 9~12 | Who pays?", "alone", ["Who pays?"]),
    ],
)
def test_a_line_says_each_step(tmp_path: Path, line: str, kind: str, steps: list[str]) -> None:
    found = question_lines.follow_ups(written(tmp_path, "follow-x.txt", line))
    assert [(each.kind, each.alone) for each in found] == [(kind, alone) for alone in steps]
    assert {each.whole for each in found} == {steps[-1]}
    for each in found:
        assert not set("[]{}") & set(f"{each.question.text}{each.asked.text}{each.answered.text}")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("When does it [begin] and [end]?", ("When does it begin?", "When does it end?")),
        ("The rent of ~both~ [A] and [B]?", ("The rent of A?", "The rent of B?")),
        ("What are the terms and conditions?", ("What are the terms and conditions?",)),
    ],
)
def test_a_line_says_its_parts(tmp_path: Path, line: str, parts: tuple[str, ...]) -> None:
    [found] = question_lines.several(written(tmp_path, "parts-x.txt", line))
    assert found.each == parts


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("follow-x.txt", "Who pays? | And when?"),
        ("follow-x.txt", "Who pays? | Jo | When is {it} due?"),
        ("follow-x.txt", "Who {pays? | Jo | When?"),
        ("follow-x.txt", "Who sold {1:it}? | Jo | When did {2:she} go?"),
        ("parts-x.txt", "Who is [it]?"),
        ("parts-x.txt", "Who [is it?"),
        ("parts-x.txt", "~Please~ who is it?"),
    ],
)
def test_a_line_that_says_something_else_is_named(tmp_path: Path, name: str, line: str) -> None:
    folder = written(tmp_path, name, line)
    with pytest.raises(ValueError, match=f"{name}, line 2: "):
        (question_lines.follow_ups if name.startswith("follow") else question_lines.several)(folder)


def test_what_was_written_is_as_described() -> None:
    steps, questions = question_lines.follow_ups(), question_lines.several()
    assert {each.kind for each in steps} == {"replaces", "refers", "alone"}
    assert all(each.alone.strip() for each in steps)
    assert all(1 <= len(each.each) <= MAX_PARTS for each in questions)
    lines = [each.line for each in (*steps, *questions)]
    assert 0.1 < sum(map(question_lines.is_kept_apart, lines)) / len(lines) < 0.2
