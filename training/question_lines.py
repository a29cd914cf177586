"""Follow-up questions and questions for several things, written by hand in `questions/`, a line each.

    python training/question_lines.py

checks the files and counts what is in them. Before the lines of a language stands `@ en`. In `follow-*.txt` a line is a question, its
answer and the next question, parted by ` | `. Square brackets mark what the next question puts in the place of what, braces the words that
point back and what they mean, with numbers where there are several; a next question without marks stands alone, or, where something
before it is in braces, leaves that out:

    What is the deductible for [storm damage]? | EUR 500. | And for [fire]?
    Who sold {1:the mill}? | {2:Anna Lind} | When did {2:she} buy {1:it}?
    What is {the penalty for late payment}? | Two percent a month. | From when on?

In `parts-*.txt` a line is a question; where it asks for several things or compares them, each stands in square brackets. What is outside of
these and not between them belongs to each of them, but for what stands between tildes; what is between them to none, but for what stands in braces:

    Does [the 2023 policy] {allow more dogs} than [the 2025 policy]?

One in `HELD_OUT` lines, by its text, is in no fit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from footnote.models.question_decomposition import MAX_PARTS, split_question
from footnote.models.question_rewriting import TaggedText, apply_rewrite
from footnote.models.question_tokens import CharSpan

FOLDER = Path(__file__).parent / "questions"
HELD_OUT = 7
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_BRACES = re.compile(r"\{(?:(\d):)?([^{}]+)\}")
_MARKED = re.compile(r"\[[^\[\]]+\]|\{[^{}]+\}|~[^~]+~")
_STRAY = re.compile(r"[\[\]{}~]")
_STRAY_OF_TALK = re.compile(r"[\[\]{}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question behind another one and its answer, with what is moved between them."""

    kind: str
    """One of `footnote.models.question_rewriting.KINDS`."""
    question: TaggedText
    asked: TaggedText
    answered: TaggedText
    language: str
    line: str
    whole: str
    """The question after the last step."""

    @property
    def alone(self) -> str:
        """The question after this step."""
        return apply_rewrite(self.kind, self.question, self.asked, self.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """A question, and what of it belongs to one of its parts or to none."""

    text: str
    parts: tuple[CharSpan, ...]
    dropped: tuple[CharSpan, ...]
    language: str
    line: str

    @property
    def each(self) -> tuple[str, ...]:
        """Its parts, or itself."""
        return split_question(self.text, self.parts, self.dropped)


def is_kept_apart(line: str) -> bool:
    """Whether nothing is fitted to what was written in this line."""
    return sha256(line.encode()).digest()[0] % HELD_OUT == 0


def follow_ups(folder: Path = FOLDER) -> list[FollowUp]:
    """The steps that the lines of a folder say, in the order of its files. Raises ValueError for a line that is not as described."""
    return [
        step
        for place, language, line in _lines(folder, "follow-*.txt")
        for step in _steps(place, language, line)
    ]


def several(folder: Path = FOLDER) -> list[Several]:
    """The questions of a folder, in the order of its files. Raises ValueError for a line that is not as described."""
    found = []
    for place, language, line in _lines(folder, "parts-*.txt"):
        text, marked, at = "", defaultdict[str, list[CharSpan]](list), 0
        for mark in _MARKED.finditer(line):
            text += line[at : mark.start()]
            inner = mark[0][1:-1]
            marked[mark[0][0]].append((len(text), len(text) + len(inner)))
            text += inner
            at = mark.end()
        text += line[at:]
        parts, kept, dropped = marked["["], marked["{"], marked["~"]
        if _STRAY.search(text) or len(parts) == 1 or len(parts) > MAX_PARTS:
            raise ValueError(f"{place}: {line}")
        if parts:
            dropped = sorted([*dropped, *_between(text, parts, kept)])
        elif kept or dropped:
            raise ValueError(f"{place}: {line}")
        found.append(
            Several(
                text=text, parts=tuple(parts), dropped=tuple(dropped), language=language, line=line
            )
        )
    return found


def _between(text: str, parts: Sequence[CharSpan], kept: Sequence[CharSpan]) -> Iterator[CharSpan]:
    """The words that stand between the parts and do not belong to all of them."""
    ends = sorted([*parts, *(each for each in kept if each[0] < parts[-1][0])])
    for (_, start), (end, _) in pairwise(ends):
        held = text[start:end]
        if held.strip():
            first = start + len(held) - len(held.lstrip())
            yield first, first + len(held.strip())


def _lines(folder: Path, pattern: str) -> Iterator[tuple[str, str, str]]:
    seen = set()
    for path in sorted(folder.glob(pattern)):
        language = ""
        for number, written in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = written.strip()
            if line.startswith("@ "):
                language = line[2:].strip()
            elif line and line not in seen:
                seen.add(line)
                yield f"{path.name}, line {number}", language, line


def _steps(place: str, language: str, line: str) -> Iterator[FollowUp]:
    fields = [each.strip() for each in line.split("|")]
    if len(fields) != 3:
        raise ValueError(f"{place}: {line}")
    asked, answered, question = fields
    if _BRACKETS.search(question):
        kind = "replaces"
        steps = [(bracketed(question), bracketed(asked), TaggedText(text=answered))]
    elif _BRACES.search(asked) or _BRACES.search(answered):
        kind, steps = "refers", []
        while True:
            first = _BRACES.search(question)
            number = first and first[1]
            step = (_braced(question, first), _braced(asked, number), _braced(answered, number))
            if not (step[1].stretches or step[2].stretches):
                raise ValueError(f"{place}: {line}")
            steps.append(step)
            if first is None:
                break
            alone = apply_rewrite(kind, *step)
            # What is still marked stands behind what was put in.
            rest = question[first.end() :]
            question = alone[: len(alone) - len(_plain(rest))] + rest
            if not _BRACES.search(question):
                break
    else:
        kind, steps = (
            "alone",
            [(TaggedText(text=question), TaggedText(text=asked), TaggedText(text=answered))],
        )
    for step in steps:
        if not step[0].text or any(_STRAY_OF_TALK.search(each.text) for each in step):
            raise ValueError(f"{place}: {line}")
    whole = apply_rewrite(kind, *steps[-1])
    for one, two, three in steps:
        yield FollowUp(kind=kind, question=one, asked=two, answered=three, language=language, line=line, whole=whole)  # fmt: skip


def _plain(text: str) -> str:
    return _BRACES.sub(lambda mark: mark[2], text)


def bracketed(text: str) -> TaggedText:
    """A text without its square brackets, and what they hold."""
    plain, places, at = "", [], 0
    for mark in _BRACKETS.finditer(text):
        plain += text[at : mark.start()]
        places.append((len(plain), len(plain) + len(mark[1])))
        plain += mark[1]
        at = mark.end()
    return TaggedText(text=plain + text[at:], stretches=places)


def _braced(text: str, wanted: re.Match[str] | str | None) -> TaggedText:
    """The text with the stretches of this number, or with this one alone."""
    plain, places, at = "", [], 0
    for mark in _BRACES.finditer(text):
        plain += text[at : mark.start()]
        same = mark.span() == wanted.span() if isinstance(wanted, re.Match) else mark[1] == wanted
        if same:
            places.append((len(plain), len(plain) + len(mark[2])))
        plain += mark[2]
        at = mark.end()
    return TaggedText(text=plain + text[at:], stretches=places)


def main() -> None:
    steps, questions = follow_ups(), several()
    told = Counter((each.language, each.kind) for each in steps)
    for language in sorted({each.language for each in steps}):
        counts = ", ".join(
            f"{kind} {told[language, kind]}" for kind in ("replaces", "refers", "alone")
        )
        print(f"{language}: {counts}")
    parted = Counter((each.language, len(each.each)) for each in questions)
    for (language, count), number in sorted(parted.items()):
        print(f"{language}: {number} questions for {count}")
    apart = sum(is_kept_apart(each.line) for each in [*steps, *questions])
    print(
        f"{len(steps)} steps and {len(questions)} questions with and without parts, {apart} of them kept apart"
    )


if __name__ == "__main__":
    main()
