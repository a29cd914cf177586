"""Made-up office papers of many kinds with questions and statements: minutes, mails, rules, contracts, price lists, manuals and others.

A paper is drawn as facts (`paper_facts.py`) and laid out as prose, a list, a form, questions and answers, a mail with what it replies
to, or a table. A passage that does not answer lacks the fact and has what comes nearest: the same of another subject, a sentence about
it that does not state it, its heading alone, or the same fact in a paper about somebody else.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Sequence

from alterations import bounds_swapped, denied
from confirmations import confirmation
from office_texts import CONTRADICTED, LANGUAGES, NEITHER, SUPPORTED, Asked, answer_at
from paper_facts import (
    Place,
    Spec,
    Stated,
    Value,
    drawn,
    fill,
    half,
    other_value,
    rows,
    said,
    specs,
    written,
)  # fmt: skip
from paper_sheets import Sheets

CONFIRMED = 0.15  # share of questions for a value that ask whether it is so
Part = tuple[str, dict[str, Place]]
WEIGHTS = (5, 1.2, 1.1, 1.1, 1.1, 1.1)


class Papers:
    """Draws questions with passages, and statements with quotes; `apart` draws what training never does."""

    def __init__(self, draw: random.Random, *, apart: bool = False) -> None:
        self.random, self.apart = draw, apart
        self.names, every = specs()
        self.specs: dict[str, list[Spec]] = {}
        for spec in every:
            self.specs.setdefault(spec.paper, []).append(spec)
        self.sheets = Sheets(draw, apart=apart)

    # Facts ------------------------------------------------------------------------------------------------------

    def languages(self) -> tuple[str, str]:
        """Of the question and of the passage: a quarter of questions draw theirs anew."""
        passage = self.random.choices(LANGUAGES, WEIGHTS)[0]
        anew = self.random.random() < 0.3
        return (self.random.choices(LANGUAGES, WEIGHTS)[0] if anew else passage), passage

    def scene(self, language: str, paper: str = "") -> list[Stated]:
        """The facts of one paper, each told apart from others of its kind."""
        paper = paper or self.random.choice(list(self.specs))
        name = drawn(self.random, self.names[paper], language)
        # One paper has one currency, and its dates lie within a year.
        amount, start = (
            drawn(self.random, "amount:5-9", language),
            drawn(self.random, "date", language),
        )
        facts = []
        for spec in self.specs[paper]:
            sort = spec.sort("s")
            count = self.random.randint(2, 5) if sort else 1
            taken: set[object] = set()
            for _ in range(count):
                for _ in range(20):
                    values = {
                        s: self.settled(self.value(each, language), amount, start)
                        for s, each in spec.slots
                    }
                    if (
                        spec.paper == "mail"
                        and spec.name == "away"
                        and values["v"][1] > values["w"][1]
                    ):
                        continue
                    own = {repr(v[1]) for v in values.values()}
                    fresh = {
                        (s, repr(v[1]))
                        for s, v in values.items()
                        if v[0] != "yesno" and not self.is_listed(spec, s)
                    }
                    if len(own) == len(values) and not fresh & taken:
                        break
                else:
                    break
                taken |= fresh
                facts.append(Stated(spec, (*values.items(), ("n", name))))
        return facts

    def settled(self, value: Value, amount: Value, start: Value) -> Value:
        """A value in the currency and the year of its paper."""
        if value[0] == "amount":
            return value[0], value[1], amount[2]
        if value[0] == "rate" and amount[2] != "CNY":
            return value[0], value[1], amount[2]
        if value[0] == "date":
            return value[0], start[1] + datetime.timedelta(self.random.randint(0, 240)), value[2]
        return value

    def is_listed(self, spec: Spec, slot: str) -> bool:
        """Whether a slot has so few values that facts may share one: who pays, how often."""
        sort = spec.sort(slot)
        return slot != "s" and (len(rows().get(sort, range(9))) < 7 or sort.startswith("count"))

    def value(self, sort: str, language: str) -> Value:
        pool = rows().get(sort)
        if pool:
            pool = half(pool, self.apart, lambda row: row[0][0])
            if len(pool) < 4:
                pool = rows()[sort]
        return drawn(self.random, sort, language, pool)

    def wording(self, fact: Stated, language: str, *marks: str) -> str | None:
        """One of the wordings that a fact has under the first of some marks."""
        found = said(language)[fact.spec.paper, fact.spec.name]
        for mark in marks:
            if found.get(mark):
                return self.random.choice(half(found[mark], self.apart))
        return None

    def statement(self, fact: Stated, language: str) -> Part:
        """The fact as a sentence."""
        mark = ":"
        if fact.spec.sort("v") == "yesno":
            mark = "+" if fact.value("v")[1] else "-"
        template = self.wording(fact, language, mark)
        assert template, (fact.spec, language)
        text, places = fill(self.random, template, fact, language)
        if "v" not in places and "b" in places and fact.spec.sort("v") == "yesno":
            places["v"] = places["b"]
        return text, places

    def label(self, fact: Stated, language: str) -> str | None:
        """What a form writes before the value."""
        template = self.wording(fact, language, "=")
        if not template:
            return None
        before = re.split("[:：] ?\\{", template)[0].strip()
        return fill(self.random, before, fact, language)[0]

    def frame(self, name: str, language: str) -> str:
        return self.random.choice(half(said(language)["frames", name][":"], self.apart))

    # Questions --------------------------------------------------------------------------------------------------

    def question(self, fact: Stated, slot: str, language: str) -> str | None:
        """A question for a slot, as people put it: plain, in keywords, with a preamble, or with the name before it."""
        template = self.wording(fact, language, "?" if slot == "v" else f"?{slot}")
        if not template:
            return None
        text = fill(self.random, template, fact, language)[0]
        pick = self.random.random()
        if pick < 0.1 and slot == "v":
            label = self.wording(fact, language, "=")
            if label and not label.startswith("{s}"):
                mark = {"zh": "？", "fr": " ?"}.get(language, "?")
                text = f"{'¿' * (language == 'es')}{self.label(fact, language)}{mark}"
        elif pick < 0.24:
            text = self.frame("preamble", language).replace("{q}", text)
        name = written(self.random, fact.value("n"), language)
        if name not in text and self.random.random() < 0.1:
            text = self.random.choice([f"{name}: {text}", f"{text} ({name})"])
        if self.random.random() < 0.1 and language != "zh":
            text = text.lower().rstrip("?¿ ").lstrip("¿")
        return text

    def asked(self, paper: str = "") -> tuple[str, str, str, Stated, list[Stated]]:
        """A question, the slot that answers it, the passage's language, the fact, and the facts of its paper."""
        while True:
            spoken, language = self.languages()
            facts = self.scene(language, paper)
            spec = self.random.choice(self.specs[facts[0].spec.paper])
            own = [f for f in facts if f.spec is spec]
            if not own:
                continue
            fact = self.random.choice(own)
            marks = said(spoken)[spec.paper, spec.name]
            slots = [("v" if m == "?" else m[1:]) for m in marks if m.startswith("?")]
            statable = said(language)[spec.paper, spec.name]
            lines = [t for m in ":+-" for t in half(statable.get(m, []), self.apart)]
            slots = [
                s
                for s in slots
                if spec.sort("v") == "yesno"
                or any(("[" if s == "b" else f"{{{s}") in t for t in lines)
            ]
            if not slots:
                continue
            slot = self.random.choice(slots)
            question = self.question(fact, slot, spoken)
            if question and slot == "v" and self.random.random() < CONFIRMED:
                question = self.confirming(fact, spoken, language) or question
            if question:
                return question, slot, language, fact, facts

    def confirming(self, fact: Stated, spoken: str, language: str) -> str | None:
        """A question whether the fact is so, put with its value or with another, which the fact's place decides as well."""
        if fact.spec.sort("v") == "yesno":
            return None
        asked = fact
        if self.random.random() < 0.5:
            asked = fact.but("v", other_value(self.random, fact, "v", language))
        text, places = self.statement(asked, spoken)
        if "\n" in text or not any(place[0] == "v" for place in places):
            return None
        return confirmation(self.random, text, spoken)

    # Layout -----------------------------------------------------------------------------------------------------

    def form_line(self, fact: Stated, language: str) -> Part | None:
        template = self.wording(fact, language, "=")
        return fill(self.random, template, fact, language) if template else None

    def laid_out(
        self,
        facts: Sequence[Stated],
        language: str,
        extra: Sequence[str] = (),
        slot: str = "",
        asked: str = "",
    ) -> tuple[str, list[dict[str, Place]]]:
        """The facts and extra sentences in one of several layouts, with the places of each fact's slots.

        The first fact has `slot` in what is written of it, or all its slots where that is "*"; `asked` is the question, which a list of
        questions and answers words otherwise.
        """
        layout = self.random.choices(
            ["prose", "lines", "bullets", "numbers", "form", "answers", "mail"],
            (5, 2, 2, 2, 3, 1.5, 5 if facts and facts[0].spec.paper == "mail" else 1),
        )[0]
        parts: list[Part] = []
        for number, fact in enumerate(facts):
            part = self.form_line(fact, language) if layout == "form" else None
            needed = (
                ()
                if number
                else [s for s, _ in fact.spec.slots]
                if slot == "*"
                else [slot] * bool(slot)
            )
            if part is None or any(s not in part[1] for s in needed):
                for _ in range(20):
                    part = self.statement(fact, language)
                    if all(s in part[1] for s in needed):
                        break
            assert part is not None
            text, places = part
            if layout != "form" and not text.endswith((".", "。", "?", "？", "!")):
                text += "。" if language == "zh" else "."
            if layout == "answers" and (put := self.heading_question(fact, language, asked)):
                text = put + "\n" + text
                places = {s: (a + len(put) + 1, b + len(put) + 1) for s, (a, b) in places.items()}
            parts.append((text, places))
        parts += [(text, {}) for text in extra]
        order = list(range(len(parts)))
        self.random.shuffle(order)
        return self.assembled(parts, order, layout, language, len(facts))

    def heading_question(self, fact: Stated, language: str, asked: str) -> str | None:
        template = self.wording(fact, language, "?", "?b")
        text = fill(self.random, template, fact, language)[0] if template else None
        return text if text != asked else None

    def assembled(
        self, parts: list[Part], order: list[int], layout: str, language: str, count: int
    ) -> tuple[str, list[dict[str, Place]]]:
        """The parts in an order, with the marks of a layout."""
        found: list[dict[str, Place]] = [{} for _ in parts]
        text = ""
        gap = "\n\n" if layout in ("answers",) else "\n"
        if layout == "prose":
            gap = "" if language == "zh" else " "
        bullet = self.random.choice(["- ", "* ", "• "])
        section = self.random.randint(1, 14)
        quoted = len(order)
        if layout == "mail":
            text = self.salutation("greeting", language) + self.random.choice(["\n\n", "\n"])
            gap = self.random.choice(["\n\n", " ", "\n"]) if language != "zh" else "\n"
            if len(order) > 1 and self.random.random() < 0.6:
                quoted = self.random.randint(1, len(order) - 1)
        for number, at in enumerate(order):
            if number:
                text += gap
            if number == quoted:
                text = text.rstrip() + "\n\n" + self.salutation("closing", language) + "\n"
                text += drawn(self.random, "person", language)[1] + "\n\n"
                text += self.salutation("wrote", language) + "\n"
                gap = "\n"
            lead = {"bullets": bullet, "numbers": f"{section}.{number + 1} "}.get(layout, "")
            if number >= quoted:
                lead = "> "
            text += lead
            found[at] = {s: (a + len(text), b + len(text)) for s, (a, b) in parts[at][1].items()}
            text += parts[at][0]
        if layout == "mail" and quoted == len(order):
            text += "\n\n" + self.salutation("closing", language)
        return text, found[:count]

    def salutation(self, name: str, language: str) -> str:
        """The first or last line of a mail, or the line before what it quotes."""
        template = self.frame(name, language)
        person = drawn(self.random, "person", language)
        day = drawn(self.random, "date", language)
        fact = Stated(Spec("", "", ()), (("v", person), ("w", day)))
        if name == "greeting":
            fact = Stated(fact.spec, (("v", (person[0], str(person[1]).split()[-1], "")),))
        return fill(self.random, template, fact, language)[0]

    def table(
        self, facts: Sequence[Stated], language: str, left_out: Stated | None, notes: Sequence[str]
    ) -> tuple[str, dict[Stated, Place]] | None:
        """Subjects by rows and kinds of facts by columns, with notes under it; None where that cannot be."""
        own = [f for f in facts if f.spec.sort("s") and self.wording(f, language, "=")]
        sorts = {f.spec.sort("s") for f in own}
        if not sorts or (left_out and left_out.spec.sort("s") not in sorts):
            return None
        sort = left_out.spec.sort("s") if left_out else self.random.choice(sorted(sorts))
        own = [f for f in own if f.spec.sort("s") == sort]
        subjects = list(dict.fromkeys(written(self.random, f.value("s"), language) for f in own))
        if len(subjects) < 2:
            return None
        columns = list(dict.fromkeys(f.spec for f in own))
        heads = []
        for spec in columns:
            template = said(language)[spec.paper, spec.name]["="][0]
            head = re.sub(r"[:：].*", "", template).replace("{s}", "").strip(" ,，-–()、")
            heads.append(head[:1].upper() + head[1:] if "{" not in head and head else self.frame("value", language))  # fmt: skip
        text = "| " + " | ".join([self.frame("item", language), *heads]) + " |\n|"
        text += " --- |" * (len(columns) + 1)
        found: dict[Stated, Place] = {}
        known = {(f.spec, written(self.random, f.value("s"), language)): f for f in own}
        for subject in subjects:
            text += f"\n| {subject[:1].upper()}{subject[1:]} |"
            for spec in columns:
                fact = known.get((spec, subject))
                text += " "
                if fact is None or fact is left_out:
                    text += self.random.choice(["–", ""])
                else:
                    cell = written(self.random, fact.value("v"), language)
                    found[fact] = (len(text), len(text) + len(cell))
                    text += cell
                text += " |"
        for note in notes:
            text += "\n" + self.frame("note", language).replace("{f}", note)
        return text, found

    def title(self, fact: Stated, language: str, name: Value | None = None) -> str:
        """What the paper is called."""
        named = fact if name is None else fact.but("n", name)
        template = self.random.choice(half(said(language)[fact.spec.paper, ""]["T"], self.apart))
        return fill(self.random, template, named, language)[0]

    def filler(self, paper: str, language: str) -> str:
        return self.random.choice(half(said(language)[paper, ""]["F"], self.apart))

    def near(self, fact: Stated, language: str) -> str:
        """A sentence about what the fact is about that does not state it."""
        template = self.wording(fact, language, "~")
        label = self.label(fact, language)
        if template is None or (label and self.random.random() < 0.2):
            if not label:
                return self.filler(fact.spec.paper, language)
            line = self.frame("unsaid", language).replace("{l}", label)
            return line.replace("{v}", str(self.random.randint(1, 9)))
        return fill(self.random, template, fact, language)[0]

    # Reading ----------------------------------------------------------------------------------------------------

    def answering(self, question: str, slot: str, language: str, fact: Stated, facts: list[Stated]) -> Asked:  # fmt: skip
        """The question with a passage that holds its fact among others."""
        paper, name = fact.spec.paper, written(self.random, fact.value("n"), language)
        others = [f for f in facts if f is not fact]
        notes = [self.filler(paper, language)] if self.random.random() < 0.5 else []
        place = None
        text = ""
        tabular = slot == "v" and fact.spec.sort("s") and fact.spec.sort("v") != "yesno"
        if tabular and self.random.random() < 0.3:
            made = self.table([fact, *others], language, None, notes)
            if made and fact in made[1]:
                text, place = made[0], made[1][fact]
        if place is None:
            alike = [f for f in others if f.spec is fact.spec]
            shown = self.random.sample(alike, min(len(alike), self.random.randint(0, 3)))
            rest = [f for f in others if f.spec is not fact.spec]
            shown += self.random.sample(
                rest, min(len(rest), self.random.choice([0, 1, 2, 2, 3, 4]))
            )
            text, found = self.laid_out([fact, *shown], language, notes, slot, question)
            place = found[0][slot]
        heading = self.title(fact, language)
        if name.lower() not in question.lower() and self.random.random() < 0.4:
            heading = ""
        return Asked(question=question, text=text, answer=answer_at(text, place), heading=heading)

    def missing(self, question: str, slot: str, language: str, fact: Stated, facts: list[Stated]) -> Asked:  # fmt: skip
        """The question with a passage that comes near and does not answer it."""
        name = fact.value("n")
        named = written(self.random, name, language).lower() in question.lower()
        answers = self.answers(fact, slot, language)
        others = [f for f in facts if f is not fact]
        alike = [f for f in others if f.spec is fact.spec]
        rest = [f for f in others if f.spec is not fact.spec]
        heading = self.title(fact, language)
        for _ in range(12):
            way = self.random.choices(
                ["alike", "near", "table", "elsewhere", "heading"], (4, 4, 1.5, 3, 1)
            )[0]
            text = ""
            if way == "elsewhere" and named:
                other = drawn(self.random, self.names[fact.spec.paper], language)
                stranger = [
                    f.but("n", other)
                    for f in self.scene(language, fact.spec.paper)
                    if f.spec is fact.spec
                ]
                shown = [f.but("n", other) for f in self.random.sample(rest, min(len(rest), 2))]
                text, _ = self.laid_out([*stranger[:2], *shown], language)
                heading = self.title(fact, language, other)
                if written(self.random, name, language).lower() in (text + heading).lower():
                    text = ""
            elif way == "table" and (made := self.table(facts, language, fact, [])):
                text = made[0]
            elif way == "heading":
                shown = self.random.sample(rest, min(len(rest), self.random.randint(1, 2)))
                template = self.heading_question(fact, language, "")
                lead = template if template else str(self.label(fact, language) or "")
                text = lead + "\n" + self.laid_out(shown, language, [self.near(fact, language)])[0]
            elif way in ("alike", "near"):
                shown = self.random.sample(alike, min(len(alike), self.random.randint(1, 3)))
                shown = shown if way == "alike" else []
                shown += self.random.sample(rest, min(len(rest), self.random.randint(1, 4)))
                extra = (
                    [self.near(fact, language)]
                    if way == "near" or self.random.random() < 0.3
                    else []
                )
                text, _ = self.laid_out(shown, language, extra)
            if text and not any(holds(text, answer) for answer in answers):
                if not named and self.random.random() < 0.4:
                    heading = ""
                return Asked(question=question, text=text, answer=None, heading=heading)
        text = (
            self.filler(fact.spec.paper, language) + "\n" + self.filler(fact.spec.paper, language)
        )
        return Asked(question=question, text=text, answer=None, heading=heading)

    def answers(self, fact: Stated, slot: str, language: str) -> list[str]:
        """How the answer may be written; nothing for words that say yes or no."""
        if slot == "b" or fact.spec.sort(slot[0]) == "yesno":
            return []
        value = fact.value(slot)
        part = int(slot[1:] or 0)
        return list({written(self.random, value, language, part) for _ in range(8)})

    def reading(self, paper: str = "") -> Asked:
        """A question with a passage: a little more than half answer."""
        if not paper and self.random.random() < 0.14:
            return self.sheets.reading(*self.languages())
        asked = self.asked(paper)
        if self.random.random() < 0.56:
            return self.answering(*asked)
        return self.missing(*asked)

    def choice(self, others: int = 7) -> list[Asked]:
        """A question with a passage that answers, then with others that do not."""
        asked = self.asked()
        return [self.answering(*asked), *(self.missing(*asked) for _ in range(others))]

    # Support ----------------------------------------------------------------------------------------------------

    def claim(self, paper: str = "") -> tuple[str, str, int]:
        """A statement, a quote, and whether it says so, denies it or neither."""
        while True:
            spoken, language = self.languages()
            facts = self.scene(language, paper)
            fact = self.random.choice(facts)
            label = self.random.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.38, 0.4, 0.22))[0]
            others = [f for f in facts if f is not fact]
            alike = [f for f in others if f.spec is fact.spec]
            shown = self.random.sample(others, min(len(others), self.random.randint(0, 2)))
            if alike and self.random.random() < 0.4:
                shown = [alike[0], *(f for f in shown if f is not alike[0])]
            told = self.told(fact, alike, label, spoken, language)
            if told is None:
                continue
            statement, stated = told
            shown = [f for f in shown if f is not fact]
            if stated:
                quote = self.laid_out([fact, *shown], language, slot="*")[0]
            else:
                extra = [self.near(fact, language)] if self.random.random() < 0.5 else []
                shown = shown or others[:1]
                quote = self.laid_out(shown, language, extra)[0]
            plain = statement.rstrip(".。")
            if label != SUPPORTED and plain in quote:
                continue
            return statement, quote, label

    def told(
        self, fact: Stated, alike: list[Stated], label: int, spoken: str, language: str
    ) -> tuple[str, bool] | None:
        """A statement that stands so to the fact, and whether the quote states the fact."""
        mark = {SUPPORTED: "!+", CONTRADICTED: "!-", NEITHER: "!0"}[label]
        written_out = self.wording(fact, spoken, mark)
        if written_out and self.random.random() < 0.5:
            return fill(self.random, written_out, fact, spoken)[0], True
        if label == NEITHER:
            return self.as_claim(fact, spoken), False
        if label == SUPPORTED:
            return self.as_claim(fact, spoken), True
        if self.random.random() < 0.12 and fact.spec.sort("v") != "yesno":
            way = bounds_swapped if self.random.random() < 0.6 else denied
            turned = way(self.random, self.statement(fact, spoken)[0], spoken)
            return (turned, True) if turned else None
        slots = [s for s, _ in fact.spec.slots if s != "s"]
        slot = self.random.choice(slots)
        value = other_value(self.random, fact, slot, language)
        if alike and self.random.random() < 0.3 and alike[0].value(slot)[1] != fact.value(slot)[1]:
            value = alike[0].value(slot)
        changed = fact.but(slot, value)
        for _ in range(6):
            text, places = self.statement(changed, spoken)
            if any(place[0] == slot for place in places):
                return text, True
        return None

    def as_claim(self, fact: Stated, language: str) -> str:
        """The fact as a sentence, as the line of a form, or as a question with its answer."""
        pick = self.random.random()
        if pick < 0.15 and fact.spec.sort("v") != "yesno":
            template = self.wording(fact, language, "?")
            if template:
                question = fill(self.random, template, fact, language)[0]
                return f"{question} {written(self.random, fact.value('v'), language)}"
        if pick < 0.3 and (line := self.form_line(fact, language)):
            return line[0]
        return self.statement(fact, language)[0]


def holds(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, as whole words where words are spaced."""
    pattern = re.escape(answer)
    if answer[:1].isascii():
        pattern = rf"(?<![\w.,]){pattern}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None
