"""Made-up invoices and quotations, tables of figures by period, and numbered procedures, with questions about them.

Their facts hang together (sums, order of steps), so they are made here and only worded by the files in `papers`.
"""

from __future__ import annotations

import datetime
import random

from office_texts import LANGUAGES, MONTHS, Asked, Value, answer_at
from paper_facts import Place, Spec, Stated, drawn, fill, half, rows, said, written

MARKS = {"en": (",", "."), "de": (".", ","), "es": (".", ","), "fr": (" ", ","), "it": (".", ","), "zh": (",", ".")}  # fmt: skip
VAT = {"en": (20, 5), "de": (19, 7), "es": (21, 10), "fr": (20, 10), "it": (22, 10), "zh": (13, 6)}
PROCEDURES = ("steps_visitor", "steps_alarm", "steps_cleaning", "steps_claim", "steps_newcomer")


class Sheets:
    """Draws sheets with questions; `apart` draws wordings that training never does."""

    def __init__(self, draw: random.Random, *, apart: bool = False) -> None:
        self.random, self.apart = draw, apart

    def reading(self, spoken: str, language: str) -> Asked:
        """A question with a sheet: a little more than half answer."""
        answers = self.random.random() < 0.58
        return self.random.choice((self.invoice, self.table, self.procedure))(spoken, language, answers=answers)  # fmt: skip

    def question(self, paper: str, name: str, spoken: str, values: dict[str, Value]) -> str:
        templates = said(spoken)[paper, name]["?"]
        fact = Stated(Spec(paper, name, ()), tuple(values.items()))
        return fill(self.random, self.random.choice(half(templates, self.apart)), fact, spoken)[0]

    def heading(self, paper: str, language: str, name: Value) -> str:
        templates = half(said(language)[paper, ""]["T"], self.apart)
        fact = Stated(Spec(paper, "", ()), (("n", name),))
        return fill(self.random, self.random.choice(templates), fact, language)[0]

    def filler(self, paper: str, language: str) -> str:
        return self.random.choice(half(said(language)[paper, ""]["F"], self.apart))

    def label(self, name: str, language: str) -> str:
        """What an invoice writes before a value, with the mark after it."""
        return said(language)["invoice", name]["="][0].replace("{v}", "")

    def money(self, cents: int, language: str, currency: str) -> str:
        thousands, decimal = MARKS[language]
        whole = f"{cents // 100:,}".replace(",", thousands)
        number = f"{whole}{decimal}{cents % 100:02}"
        return f"{currency} {number}" if language in ("en", "zh") else f"{number} {currency}"

    def items(self) -> list:
        """Rows of goods and services."""
        pool = half(rows()["item"], self.apart, lambda row: row[0][0])
        if len(pool) < 4:
            pool = rows()["item"]
        return self.random.sample(pool, min(len(pool), self.random.randint(2, 5)))

    def invoice(self, spoken: str, language: str, *, answers: bool) -> Asked:
        """An invoice or quotation with lines, tax and total."""
        name = drawn(self.random, "firm", language)
        currency = self.random.choice(["EUR", "EUR", "GBP", "USD", "CHF"] if language != "zh" else ["CNY"])  # fmt: skip
        rate = self.random.choice(VAT[language])
        lines = []
        for item in self.items():
            count = self.random.randint(1, 40)
            cents = self.random.randint(3, 900) * self.random.choice((50, 100, 100))
            lines.append((("words", item, ""), count, cents, count * cents))
        day = drawn(self.random, "date", language)[1]
        due = day + datetime.timedelta(self.random.choice((10, 14, 30, 45, 60)))
        net = sum(line[3] for line in lines)
        vat = round(net * rate / 100)
        plain = {
            "number": written(self.random, drawn(self.random, "code", language), language),
            "date": written(self.random, ("date", day, ""), language),
            "due": written(self.random, ("date", due, ""), language),
            "net": self.money(net, language, currency),
            "rate": f"{rate} %" if language not in ("en", "zh") else f"{rate}%",
            "vat": self.money(vat, language, currency), "total": self.money(net + vat, language, currency),
        }  # fmt: skip
        asked = self.random.choice([*plain, "quantity", "unit", "line", "unit", "line", "total"])
        target = self.random.randrange(len(lines))
        question = self.question("invoice", asked, spoken, {"n": name, "s": lines[target][0]})
        left_out = "" if answers else asked
        in_lines = asked in ("quantity", "unit", "line")
        places: dict[str, Place] = {}
        text = ""

        def put(key: str, word: str) -> None:
            nonlocal text
            places[key] = (len(text), len(text) + len(word))
            text += word

        for key in ("number", "date", "due"):
            if key == left_out or (key != asked and self.random.random() < 0.3):
                continue
            text += self.label(key, language)
            put(key, plain[key])
            text += "\n"
        heads = [self.label(key, language).rstrip(" :：") for key in ("quantity", "unit", "line")]
        item_head = said(language)["frames", "item"][":"][0]
        in_table = self.random.random() < 0.6
        if in_table:
            text += "| " + " | ".join([item_head, *heads]) + " |\n|" + " --- |" * 4 + "\n"
        for number, (item, count, cents, amount) in enumerate(lines):
            if in_lines and not answers and number == target:
                continue
            word = written(self.random, item, language)
            text += f"| {word} | " if in_table else f"{word}: "
            put(f"quantity{number}", str(count))
            text += " | " if in_table else " x "
            put(f"unit{number}", self.money(cents, language, currency))
            text += " | " if in_table else " = "
            put(f"line{number}", self.money(amount, language, currency))
            text += " |\n" if in_table else "\n"
        for key in ("net", "rate", "vat", "total"):
            # Without one of net, tax and total the others would still say what was asked by a sum.
            if key == left_out or (key != asked and self.random.random() < 0.1):
                continue
            text += self.label(key, language)
            put(key, plain[key])
            text += "\n"
        if self.random.random() < 0.4:
            text += self.filler("invoice", language)
        place = places.get(f"{asked}{target}" if in_lines else asked)
        answer = answer_at(text, place) if answers and place else None
        if not answers and not in_lines and plain[asked] in text:
            return self.invoice(spoken, language, answers=answers)
        heading = self.heading("invoice", language, name)
        return Asked(question=question, text=text.rstrip(), answer=answer, heading=heading)

    def periods(self, language: str) -> list[str]:
        """Years, quarters or months, as the heads of columns."""
        at = LANGUAGES.index(language)
        first, kind = self.random.randint(2014, 2029), self.random.random()
        if kind < 0.5:
            return [str(first + i) for i in range(self.random.randint(2, 4))]
        if kind < 0.75:
            quarter = "{y}年第{q}季度" if language == "zh" else "{q}T {y}" if language in ("es", "fr", "it") else "Q{q} {y}"  # fmt: skip
            return [quarter.format(q=q, y=first) for q in range(1, 5)]
        begin = self.random.randint(0, 8)
        return [
            f"{m + 1}月" if language == "zh" else MONTHS[at][m] for m in range(begin, begin + 4)
        ]

    def table(self, spoken: str, language: str, *, answers: bool) -> Asked:
        """Figures by rows and periods; a question for one cell."""
        name = drawn(self.random, "firm", language)
        pool = half(rows()["account"], self.apart, lambda row: row[0][0])
        pool = pool if len(pool) > 4 else rows()["account"]
        subjects = self.random.sample(pool, min(len(pool), self.random.randint(3, 7)))
        columns = self.periods(language)
        target, column = self.random.randrange(len(subjects)), self.random.randrange(len(columns))
        top = self.random.choice((400, 9000, 90000, 3000000))
        figures = self.random.sample(range(12, top), len(subjects) * len(columns))
        values = {
            "n": name,
            "s": ("words", subjects[target], ""),
            "w": ("text", columns[column], ""),
        }
        question = self.question("table", "cell", spoken, values)
        # What is missing is the row, the column, or the figure alone.
        lost = "" if answers else self.random.choice(("row", "row", "column", "cell"))
        shown = [c for i, c in enumerate(columns) if not (lost == "column" and i == column)]
        caption = said(language)["table", "caption"][":"]
        unit = ("text", self.random.choice(["EUR", "CHF", "USD", "GBP"]), "")
        text = ""
        if self.random.random() < 0.5:
            fact = Stated(Spec("table", "caption", ()), (("v", unit),))
            text = fill(self.random, self.random.choice(caption), fact, language)[0] + "\n"
        text += "| " + " | ".join(
            [self.random.choice(["", *said(language)["frames", "item"][":"]]), *shown]
        )
        text += " |\n|" + " --- |" * (len(shown) + 1)
        place = None
        for i, row in enumerate(subjects):
            if lost == "row" and i == target:
                continue
            text += f"\n| {written(self.random, ('words', row, ''), language)} |"
            for j in range(len(columns)):
                if lost == "column" and j == column:
                    continue
                cell = f"{figures[i * len(columns) + j]:,}".replace(",", MARKS[language][0])
                if self.random.random() < 0.05:
                    cell = f"({cell})"
                if (i, j) == (target, column):
                    cell = "–" if lost == "cell" else cell
                    place = (len(text) + 1, len(text) + 1 + len(cell))
                text += f" {cell} |"
        if self.random.random() < 0.4:
            text += "\n" + self.random.choice(["* ", "", "¹ "]) + self.filler("table", language)
        heading = self.heading("table", language, name) if self.random.random() < 0.7 else ""
        given = answer_at(text, place) if answers and place else None
        return Asked(question=question, text=text, answer=given, heading=heading)

    def procedure(self, spoken: str, language: str, *, answers: bool) -> Asked:
        """Numbered steps; a question for the first, the last, the next or a numbered one."""
        steps = rows()[self.random.choice(PROCEDURES)]
        asked = self.random.choice(("first", "last", "after", "after", "step"))
        at = {"first": 0, "last": len(steps) - 1}.get(asked, self.random.randint(1, len(steps) - 1))
        values: dict[str, Value] = {
            "n": drawn(self.random, "firm", language), "s": ("words", steps[at - 1], ""), "k": ("text", str(at + 1), ""),
        }  # fmt: skip
        question = self.question("procedure", asked, spoken, values)
        first, shown = 0, list(steps)
        if not answers:
            if asked in ("first", "step"):
                first = at + 1  # a later part of the same procedure
            shown = list(steps[first:]) if first else list(steps[:at])
            if not shown:
                shown, first = list(steps[:1]), len(steps)
            if first >= len(steps):
                first, shown = len(steps), list(rows()["steps_alarm" if steps != rows()["steps_alarm"] else "steps_claim"][:3])  # fmt: skip
        style = self.random.choice(("{k}. {s}", "{k}) {s}", "{k}. {s}."))
        text, place = "", None
        if self.random.random() < 0.4:
            text = self.filler("procedure", language) + "\n"
        for number, step in enumerate(shown, first):
            word = written(self.random, ("words", step, ""), language)
            word = word[:1].upper() + word[1:]
            line = style.replace("{k}", str(number + 1)).replace("{s}", word)
            if answers and number == at:
                begin = len(text) + line.index(word)
                place = (begin, begin + len(word))
            text += line + "\n"
        given = answer_at(text, place) if place else None
        return Asked(question=question, text=text.rstrip(), answer=given, heading=self.heading("procedure", language, values["n"]))  # fmt: skip
