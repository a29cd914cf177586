"""Made-up passages of office papers with questions and statements about them: a seeded generator without end.

Facts are drawn first (a party's notice, a course's price, who does what by when) and then worded, so that a question and its
passage can be in two languages, an altered statement is surely false, and a passage that does not answer comes as near as one
likes: the other party's clause, another attribute, another thing, the subject without the fact, a table of contents.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256

import office_wordings as wordings
from alterations import bounds_swapped, denied

LANGUAGES = wordings.LANGUAGES
SUPPORTED, CONTRADICTED, NEITHER = 0, 1, 2
HELD_OUT = 5
"""Of so many wordings and nouns one is kept for evaluation."""

Forms = tuple[str, ...]  # a noun or phrase in each of LANGUAGES
Value = tuple[str, object, object]
Sentence = tuple[str, dict[str, tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fact: what it is about, what its values are, and its wordings by language and mark."""

    name: str
    subject: str
    values: tuple[str, ...]
    lines: dict[tuple[str, str], list[str]] = field(hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a fact is about, in each language."""

    sort: str
    forms: Forms


@dataclass(frozen=True, slots=True)
class Fact:
    """A subject, and what is so of it."""

    kind: Kind
    subject: Subject
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the passages that were made for it."""

    question: str
    text: str
    answer: dict | None
    heading: str


def kinds_of(text: str) -> list[Kind]:
    """The kinds written down in `office_wordings.KINDS`."""
    kinds: list[Kind] = []
    for line in filter(None, text.splitlines()):
        if line.startswith("## "):
            name, subject, *values = line[3:].split()
            kinds.append(Kind(name, subject, tuple(values), {}))
            continue
        found = re.match(r"(\w\w)(:|\?[ws]?|=|\+:|-:) ?(.+)", line)
        assert found, line
        kinds[-1].lines.setdefault((found[1], found[2]), []).append(found[3])
    return kinds


def forms_of(text: str) -> list[Forms]:
    """Nouns or phrases, one a line, in the order of LANGUAGES."""
    rows = [tuple(line.split("|")) for line in text.strip().splitlines()]
    assert all(len(row) == len(LANGUAGES) for row in rows), rows
    return rows


KINDS = kinds_of(wordings.KINDS)
ITEMS = {
    "cost": forms_of(wordings.COSTS), "peril": forms_of(wordings.PERILS), "act": forms_of(wordings.ACTS), "task": forms_of(wordings.TASKS),
    "post": forms_of(wordings.POSTS), "cause": forms_of(wordings.CAUSES), "remedy": forms_of(wordings.REMEDIES), "event": forms_of(wordings.EVENTS),
    "condition": forms_of(wordings.CONDITIONS), "consequence": forms_of(wordings.CONSEQUENCES), "change": forms_of(wordings.CHANGES), "reason": forms_of(wordings.REASONS),
}  # fmt: skip
PARTIES = [
    forms_of("\n".join(block.splitlines()[1:]))
    for block in re.split(r"\n(?=\w+\n)", wordings.PARTIES.strip())
]
THINGS = [tuple(line.split("|")) for line in wordings.THINGS.strip().splitlines()]
TITLES = {sort: tuple(text.split("|")) for sort, text in wordings.TITLES.items()}


@cache
def is_held_out(text: str) -> bool:
    """Whether a wording or noun is kept for evaluation, by its hash."""
    return sha256(text.encode()).digest()[0] % HELD_OUT == 0


def declined(word: str, language: str, case: str) -> str:
    """A noun with its article in another case: genitive, dative, accusative, or an infinitive with "zu"."""
    plain, _, ending = word.partition("/") if language == "de" else (word, "", "")
    if "~" in plain:
        return plain.split("~")[1 if case == "z" else 0]
    article, _, noun = plain.partition(" ")
    if language == "en" and case == "g":
        return plain + ("'" if plain.endswith("s") else "'s")
    if language == "de" and case and article in ("der", "das", "die") and noun:
        if article == "die":
            return ("die " if case == "a" else "der ") + noun
        if case == "a":
            return ("den " if article == "der" else "das ") + noun + ending
        if case == "d":
            return "dem " + noun + ending
        named = noun.split()  # "des Kurses Aspen": the noun is declined, its name is not
        own = named[0] + (ending or ("es" if named[0].endswith(("s", "t", "d")) else "s"))
        return " ".join(["des", own, *named[1:]])
    if case in ("g", "d"):
        preposition = {"es": ("de ", "a "), "fr": ("de ", "à "), "it": ("di ", "a ")}.get(language)
        if preposition:
            joined = preposition[case == "d"] + plain
            for pattern, merged in MERGED[language]:
                joined = re.sub("^" + pattern, merged, joined)
            return joined
    return plain


MERGED = {
    "es": [("de el ", "del "), ("a el ", "al ")],
    "fr": [("de le ", "du "), ("à le ", "au "), ("de les ", "des "), ("à les ", "aux ")],
    "it": [("di il ", "del "), ("a il ", "al "), ("di lo ", "dello "), ("a lo ", "allo "), ("di la ", "della "), ("a la ", "alla "),
           ("di l'", "dell'"), ("a l'", "all'"), ("di i ", "dei "), ("di le ", "delle ")],
}  # fmt: skip

UNITS = {
    "day": ("days", "Tage", "días", "jours", "giorni", "天"), "bday": ("working days", "Werktage", "días hábiles", "jours ouvrables", "giorni lavorativi", "个工作日"),
    "week": ("weeks", "Wochen", "semanas", "semaines", "settimane", "周"), "month": ("months", "Monate", "meses", "mois", "mesi", "个月"),
    "year": ("years", "Jahre", "años", "ans", "anni", "年"), "hour": ("hours", "Stunden", "horas", "heures", "ore", "小时"),
    "minute": ("minutes", "Minuten", "minutos", "minutes", "minuti", "分钟"),
}  # fmt: skip
NUMBERS = (
    "two three four five six seven eight nine ten eleven twelve".split(),
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(),
    "dos tres cuatro cinco seis siete ocho nueve diez once doce".split(),
    "deux trois quatre cinq six sept huit neuf dix onze douze".split(),
    "due tre quattro cinque sei sette otto nove dieci undici dodici".split(),
    "两 三 四 五 六 七 八 九 十 十一 十二".split(),
)  # fmt: skip
MONTHS = (
    "January February March April May June July August September October November December".split(),
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
)  # fmt: skip
CURRENCIES = ("EUR", "USD", "GBP", "CHF")


def drawn_value(draw: random.Random, spec: str, chinese: bool) -> Value:
    """A value of the sort that a kind asks for; parties and listed things are drawn elsewhere."""
    sort, _, bounds = spec.partition(":")
    if sort == "period":
        low, high, unit = re.fullmatch(
            r"(\d+)-(\d+):(\w+)", draw.choice(bounds.split(","))
        ).groups()
        number = draw.randint(int(low), int(high))
        if unit == "day" and number > 20:
            number = draw.choice(
                [n for n in (21, 28, 30, 45, 60, 90) if n <= int(high)] or [number]
            )
        return sort, number, unit
    if sort == "amount":
        low, high = map(int, bounds.split("-"))
        number = int(low * (high / low) ** draw.random())
        step = 10 ** max(0, len(str(number)) - draw.randint(1, 3))
        return sort, max(low, number // step * step), draw.choice(CURRENCIES)
    if sort in ("percent", "count"):
        low, high = map(int, bounds.split("-"))
        half = 0.5 if sort == "percent" and draw.random() < 0.3 else 0
        return sort, draw.randint(low, high) + half, ""
    if sort == "date":
        day = datetime.date(draw.randint(2019, 2031), 1, 1) + datetime.timedelta(
            draw.randint(0, 364)
        )
        return sort, day, ""
    if sort == "time":
        return sort, (draw.randint(7, 20), draw.choice((0, 0, 15, 30, 45))), ""
    if sort == "range":
        return (
            sort,
            (draw.randint(7, 11), draw.choice((0, 30)), draw.randint(15, 21), draw.choice((0, 30))),
            "",
        )
    if sort == "person":
        if chinese:
            return sort, draw.choice(wordings.CHINESE), ""
        last = draw.choice(wordings.LAST)
        return (
            sort,
            draw.choice(
                [
                    f"{draw.choice(wordings.FIRST)} {last}",
                    f"{draw.choice('ABCDEFGHJKLMPRST')}. {last}",
                    last,
                ]
            ),
            "",
        )
    if sort == "phone":
        digits = "".join(str(draw.randint(0, 9)) for _ in range(7))
        return (
            sort,
            draw.choice(
                [
                    f"+{draw.randint(30, 49)} {digits[:2]} {digits[2:]}",
                    f"0{draw.randint(11, 99)} {digits[:3]} {digits[3:5]} {digits[5:]}",
                    digits[:4],
                ]
            ),
            "",
        )
    if sort == "code":
        letters = "".join(draw.choice("ABCDEFHKLMNPRSTVX") for _ in range(draw.randint(1, 3)))
        return (
            sort,
            draw.choice(
                [
                    f"{letters}-{draw.randint(100, 99999)}",
                    f"{letters}{draw.randint(10, 999)}",
                    f"{draw.randint(2018, 2030)}/{draw.randint(10, 9999)}",
                ]
            ),
            "",
        )
    if sort == "place":
        return (
            sort,
            f"{draw.choice(wordings.STREETS)} {draw.randint(1, 180)}, {draw.choice(wordings.TOWNS)}",
            "",
        )
    if sort == "yesno":
        return sort, draw.random() < 0.5, ""
    raise AssertionError(spec)


def worded(draw: random.Random, value: Value, language: str, case: str = "") -> str:
    """A value as it is written in a language."""
    sort, one, two = value
    at = LANGUAGES.index(language)
    if sort == "words":
        return declined(one[at], language, case)
    if sort == "period":
        unit = UNITS[two][at]
        if language == "de" and case == "d" and unit.endswith("e"):
            unit += "n"
        number, gap = str(one), " " if language != "zh" else ""
        if one <= 12 and draw.random() < 0.5:
            number = NUMBERS[at][one - 2]
            if language == "en" and draw.random() < 0.2:
                number += f" ({one})"
        said = number + gap + unit
        return said + "'" if language == "en" and case == "g" else said
    if sort == "amount":
        mark = {"en": ",", "de": ".", "es": ".", "fr": " ", "it": ".", "zh": ","}[language]
        mark = "'" if two == "CHF" and language in ("de", "fr", "it") else mark
        number = f"{one:,}".replace(",", mark)
        if draw.random() < 0.3:
            number += "." + "00" if language in ("en", "zh") else ",00"
        sign = {"EUR": "€", "USD": "$", "GBP": "£", "CHF": "CHF "}[two]
        if language in ("en", "zh"):
            return draw.choice([f"{sign}{number}", f"{two} {number}", f"{number} {two}"])
        return f"{number} {draw.choice([sign.strip(), two])}"
    if sort in ("percent", "count"):
        number = f"{one:g}" if language in ("en", "zh") else f"{one:g}".replace(".", ",")
        if sort == "count":
            return number
        return number + {
            "en": draw.choice(["%", " per cent", " %"]),
            "de": draw.choice([" %", " Prozent"]),
            "zh": "%",
        }.get(language, " %")
    if sort == "date":
        day, month, year = one.day, one.month, one.year
        if language == "zh":
            return f"{year}年{month}月{day}日"
        name = MONTHS[at][month - 1]
        plain = {
            "en": draw.choice([f"{day} {name} {year}", f"{name} {day}, {year}", one.isoformat()]),
            "de": draw.choice([f"{day}. {name} {year}", f"{day:02}.{month:02}.{year}", f"{day}.{month}.{year}"]),
            "es": f"{day} de {name} de {year}",
        }  # fmt: skip
        return plain.get(
            language, draw.choice([f"{day} {name} {year}", f"{day:02}/{month:02}/{year}"])
        )
    if sort == "time":
        return clock(draw, *one, language)
    if sort == "range":
        low, high = (
            clock(draw, one[0], one[1], language, plain=True),
            clock(draw, one[2], one[3], language, plain=True),
        )
        return (
            low
            + {"en": draw.choice([" to ", "–"]), "de": " bis ", "zh": "至"}.get(
                language, draw.choice([" - ", "–"])
            )
            + high
        )
    return str(one)


def clock(draw: random.Random, hour: int, minute: int, language: str, plain: bool = False) -> str:
    """A time of day; `plain` in 24 hours without a word beside it."""
    if plain:
        return (
            f"{hour}:{minute:02}"
            if language != "fr"
            else f"{hour} h {minute:02}".removesuffix(" 00")
        )
    if language == "en":
        half = "am" if hour < 12 else "pm"
        short = f"{(hour - 1) % 12 + 1}" + (f":{minute:02}" if minute else "")
        return draw.choice([f"{hour}:{minute:02}", f"{short} {half}", f"{short} {half[0]}.m."])
    if language == "de":
        return f"{hour}:{minute:02} Uhr" if minute or draw.random() < 0.5 else f"{hour} Uhr"
    if language == "fr":
        return f"{hour} h" + (f" {minute:02}" if minute else "")
    return f"{hour}:{minute:02}"


class Office:
    """Draws questions with passages, and statements with quotes; `apart` draws what training never does."""

    def __init__(self, draw: random.Random, *, apart: bool = False) -> None:
        self.random, self.apart = draw, apart

    def pool(self, choices: Sequence, key: Callable = str) -> list:
        """Of nouns or wordings those of this half, or all where it has none."""
        return [c for c in choices if is_held_out(key(c)) == self.apart] or list(choices)

    # Facts ------------------------------------------------------------------------------------------------------

    def scene(self, language: str) -> list[Fact]:
        """Facts of one paper, no two of the same kind with equal values."""
        chinese = language == "zh" and self.random.random() < 0.7
        kind = self.random.choice(["party"] * 4 + ["thing"] * 4 + ["other"] * 7)
        parties = self.random.choice(self.pool(PARTIES, lambda pair: pair[0][0]))
        if kind == "party":
            subjects = [Subject("party", forms) for forms in parties]
            kinds = [k for k in KINDS if k.subject == "party"]
            kinds = self.random.sample(kinds, self.random.randint(4, 7))
        elif kind == "thing":
            *shapes, fields = self.random.choice(THINGS)
            names = self.pool(wordings.NAMES)
            names = self.random.sample(names, min(5, len(names)))
            if self.random.random() < 0.3:
                names = [
                    f"{self.random.choice('ABEFKMPSTX')}{self.random.randint(1, 99) * 10}"
                    + self.random.choice(["", "-L", "i"])
                    for _ in names
                ]
            if self.random.random() < 0.1:
                names = [str(2019 + i) for i in range(5)] if "project" in shapes[0] else names
            subjects = [
                Subject("thing", tuple(s.replace("{n}", n) for s in shapes))
                for n in dict.fromkeys(names)
            ]
            kinds = [k for k in KINDS if k.subject == "thing" and k.name in fields.split()]
            kinds = self.random.sample(kinds, min(len(kinds), self.random.randint(3, 6)))
        else:
            kinds = [self.random.choice([k for k in KINDS if k.subject not in ("party", "thing")])]
            sort = kinds[0].subject
            if sort == "code":
                codes = {drawn_value(self.random, "code", False)[1] for _ in range(7)}
                subjects = [
                    Subject("code", (str(c),) * len(LANGUAGES)) for c in sorted(codes, key=str)
                ]
                self.random.shuffle(subjects)
            else:
                rows = self.pool(ITEMS[sort], lambda row: row[0])
                if len(rows) < 4:
                    rows = list(ITEMS[sort])
                subjects = [
                    Subject(sort, forms)
                    for forms in self.random.sample(rows, min(len(rows), self.random.randint(4, 8)))
                ]
        facts = []
        for each in kinds:
            columns = [self.distinct(spec, len(subjects), parties, chinese) for spec in each.values]
            rows = list(
                zip(*columns, strict=False)
            )  # as many subjects as there are distinct values
            if each.name == "fault":
                rows = [
                    (v, ("words", ITEMS["remedy"][ITEMS["cause"].index(v[1])], ""))
                    for v, *_ in rows
                ]
            facts += [Fact(each, s, values) for s, values in zip(subjects, rows, strict=False)]
        return facts

    def distinct(self, spec: str, count: int, parties: list[Forms], chinese: bool) -> list[Value]:
        """So many values of a sort, which differ where the sort has so many."""
        if spec == "party":
            return [("words", self.random.choice(parties), "") for _ in range(count)]
        if spec in ITEMS:
            return [
                ("words", row, "")
                for row in self.random.sample(ITEMS[spec], min(count, len(ITEMS[spec])))
            ]
        if spec == "yesno":
            return [drawn_value(self.random, spec, chinese) for _ in range(count)]
        found: dict[str, Value] = {}
        for _ in range(30 * count):
            value = drawn_value(self.random, spec, chinese)
            found.setdefault(told_apart(value), value)
            if len(found) == count:
                break
        return list(found.values())

    # Wording ----------------------------------------------------------------------------------------------------

    def template(self, fact: Fact, language: str, mark: str) -> str | None:
        """One of a kind's wordings."""
        if mark == ":" and fact.values[0][0] == "yesno":
            mark = "+:" if fact.values[0][1] else "-:"
        lines = fact.kind.lines.get((language, mark))
        return self.random.choice(self.pool(lines)) if lines else None

    def fill(self, template: str, fact: Fact, language: str) -> Sentence:
        """The wording with its values, and where subject and values stand; "v" is the bracket where there is one."""
        at = LANGUAGES.index(language)
        text, places, opened = "", {}, None
        for part in re.split(r"(\{\w(?::\w)?\}|\[|\])", template):
            if part == "[":
                opened = len(text)
            elif part == "]":
                places["v"] = (opened, len(text))
                opened = None
            elif part.startswith("{"):
                slot, case = part[1], part[3:-1]
                said = (
                    declined(fact.subject.forms[at], language, case)
                    if slot == "s"
                    else worded(self.random, fact.values["vw".index(slot)], language, case)
                )
                if not text:
                    said = said[:1].upper() + said[1:]
                # What is an answer leaves its possessive mark out.
                places.setdefault(slot, (len(text), len(text) + len(said.rstrip("'"))))
                text += said
            else:
                text += part
        if text.endswith("..") and not text.endswith("..."):
            text = text[:-1]  # "8 p.m." ends a sentence too
        return text[:1].upper() + text[1:], places

    def statement(self, fact: Fact, language: str) -> Sentence:
        """The fact as a sentence."""
        template = self.template(fact, language, ":")
        assert template, (fact.kind.name, language)
        return self.fill(template, fact, language)

    def question(self, fact: Fact, language: str, slot: str) -> str | None:
        """A question whose answer is a slot of the fact."""
        template = self.template(fact, language, "?" if slot == "v" else f"?{slot}")
        return self.fill(template, fact, language)[0] if template else None

    def label(self, fact: Fact, language: str) -> str | None:
        """What a form calls the kind of fact."""
        return (fact.kind.lines.get((language, "="), [None]))[0]

    def filler(self, language: str) -> str:
        return self.random.choice(self.pool(wordings.FILLERS[language]))

    def unsaid(self, fact: Fact, language: str) -> str:
        """A line that names what a fact is about without saying it."""
        subject = fact.subject.forms[LANGUAGES.index(language)]
        label = self.label(fact, language)
        name = (
            f"{label} ({declined(subject, language, '')})"
            if label
            else declined(subject, language, "")
        )
        line = self.random.choice(self.pool(wordings.UNSAID[language]))
        said = line.format(l=name, n=self.random.randint(1, 9))
        return said[:1].upper() + said[1:]

    def title(self, fact: Fact, language: str) -> str:
        """What the paper might be called; often nothing, and of a thing also its name."""
        at = LANGUAGES.index(language)
        title = TITLES[fact.subject.sort][at]
        drawn = self.random.random()
        if drawn < 0.4:
            return ""
        if drawn < 0.6 or fact.subject.sort in ("party", "thing"):
            return title
        return f"{title} › {self.random.choice([f'{self.random.randint(1, 12)}', title, str(self.random.randint(2019, 2030))])}"

    def passage(
        self, facts: Sequence[Fact], language: str, extra: Sequence[str] = ()
    ) -> tuple[str, list[dict]]:
        """The facts one after another, and the places of each one's slots, in one of several layouts."""
        stop = "。" if language == "zh" else "."
        parts: list[tuple[str, dict]] = []
        labelled = all(self.label(f, language) for f in facts) and facts
        form = labelled and self.random.random() < 0.4
        one = len({f.subject for f in facts}) == 1
        for fact in facts:
            if form:
                subject = declined(fact.subject.forms[LANGUAGES.index(language)], language, "")
                name = str(self.label(fact, language)) + (
                    "" if one and fact.subject.sort == "thing" else f" ({subject})"
                )
                lead = name + self.random.choice(
                    [": ", " : "] if language == "fr" else ["："] if language == "zh" else [": "]
                )
                said = worded(self.random, fact.values[0], language)
                parts.append((lead + said, {"v": (len(lead), len(lead) + len(said))}))
            else:
                text, places = self.statement(fact, language)
                parts.append((text if text.endswith((".", "。")) else text + stop, places))
        parts += [(text, {}) for text in extra]
        order = list(range(len(parts)))
        if extra:
            self.random.shuffle(order)
        layout = (
            self.random.choice(["lines", "bullets"])
            if form
            else self.random.choice(["prose", "prose", "lines", "bullets", "clauses", "letters"])
        )
        section, text, found = self.random.randint(1, 19), "", [{} for _ in parts]
        gap = (
            ""
            if layout == "prose" and language == "zh"
            else " "
            if layout == "prose"
            else self.random.choice(["\n", "\n", "\n\n"])
        )
        for number, at in enumerate(order, 1):
            said, places = parts[at]
            text += gap if text else ""
            text += {
                "bullets": "- ",
                "clauses": f"{section}.{number} ",
                "letters": f"{chr(96 + min(number, 26))}) ",
            }.get(layout, "")
            found[at] = {slot: (a + len(text), b + len(text)) for slot, (a, b) in places.items()}
            text += said
        return text, found[: len(facts)]

    def table(self, facts: Sequence[Fact], language: str) -> tuple[str, dict[Fact, dict]]:
        """Things by rows and kinds of facts by columns; a fact that is not given has an empty cell or a dash."""
        at = LANGUAGES.index(language)
        subjects = list(dict.fromkeys(f.subject for f in facts))
        kinds = list({f.kind.name: f for f in facts}.values())
        known = {(f.subject, f.kind.name): f for f in facts}
        text = (
            "| "
            + " | ".join(
                [
                    self.random.choice(["", "#", "Name"]),
                    *(str(self.label(f, language)) for f in kinds),
                ]
            )
            + " |\n"
        )
        text += "|" + " --- |" * (len(kinds) + 1)
        found = {}
        for subject in subjects:
            text += "\n| " + declined(subject.forms[at], language, "")
            for each in kinds:
                text += " | "
                fact = known.get((subject, each.kind.name))
                said = (
                    worded(self.random, fact.values[0], language)
                    if fact
                    else self.random.choice(["", "–"])
                )
                if fact:
                    found[fact] = {"v": (len(text), len(text) + len(said))}
                text += said
            text += " |"
        return text, found

    # Reading ----------------------------------------------------------------------------------------------------

    def languages(self) -> tuple[str, str]:
        """Of the question and of the passage: one in five in two languages."""
        weights = (5, 1.1, 1, 1, 1, 1)
        passage = self.random.choices(LANGUAGES, weights)[0]
        return (
            self.random.choices(LANGUAGES, weights)[0] if self.random.random() < 0.25 else passage
        ), passage

    def asked(self) -> tuple[str, str, str, Fact, list[Fact]]:
        """A question, the slot that answers it, the passage's language, the fact, and the facts of its paper."""
        while True:
            spoken, language = self.languages()
            facts = self.scene(language)
            fact = self.random.choice(facts)
            slots = [
                s
                for s in ("v", "w", "s")
                if fact.kind.lines.get((spoken, "?" if s == "v" else f"?{s}"))
            ]
            slot = self.random.choice(slots)
            alike = [
                f
                for f in facts
                if f.kind is fact.kind and f is not fact and f.values[0] == fact.values[0]
            ]
            if slot == "s" and alike:
                continue  # several subjects answer it
            said = self.question(fact, spoken, slot)
            if said:
                return said, slot, language, fact, facts

    def answering(
        self, said: str, slot: str, language: str, fact: Fact, facts: list[Fact]
    ) -> Asked:
        """The question with a passage that holds its fact among others."""
        others = [f for f in facts if f is not fact]
        near = [f for f in others if f.kind is fact.kind or f.subject == fact.subject]
        tabular = fact.subject.sort == "thing" and slot == "v" and self.label(fact, language)
        if tabular and self.random.random() < 0.3:
            table = [f for f in facts if self.label(f, language)]
            text, cells = self.table(table, language)
            place = cells[fact][slot]
        else:
            alone = fact.subject.sort == "thing" and self.random.random() < 0.4
            if alone:
                near = [f for f in others if f.subject == fact.subject]
            shown = [fact, *self.random.sample(near, min(len(near), self.random.randint(2, 6)))]
            self.random.shuffle(shown)
            extra = [self.filler(language)] if self.random.random() < 0.25 else []
            text, found = self.passage(shown, language, extra)
            place = found[shown.index(fact)].get(slot)
            if place is None:  # a form shows no subject
                return self.answering(said, slot, language, fact, facts)
            if alone:
                name = declined(fact.subject.forms[LANGUAGES.index(language)], language, "")
                return Asked(
                    question=said,
                    text=text,
                    answer=answer_at(text, place),
                    heading=name[:1].upper() + name[1:],
                )
        return Asked(
            question=said,
            text=text,
            answer=answer_at(text, place),
            heading=self.title(fact, language),
        )

    def missing(self, said: str, language: str, fact: Fact, facts: list[Fact]) -> Asked:
        """The question with a passage of the same paper, or of another one, that comes near and does not answer it."""
        same_kind = [f for f in facts if f.kind is fact.kind and f.subject != fact.subject]
        same_subject = [f for f in facts if f.kind is not fact.kind and f.subject == fact.subject]
        far = [f for f in facts if f.kind is not fact.kind and f.subject != fact.subject]
        way = self.random.choices(
            ["kind", "subject", "thing", "vague", "contents", "table"], (4, 3, 3, 1.5, 1, 1)
        )[0]
        heading, extra = self.title(fact, language), []
        if (
            way == "table"
            and fact.subject.sort == "thing"
            and all(self.label(f, language) for f in facts)
        ):
            text, _ = self.table([f for f in facts if f is not fact], language)
            return Asked(question=said, text=text, answer=None, heading=heading)
        if way == "thing" and fact.subject.sort == "thing":
            other = self.random.choice(same_kind or far)
            shown = [f for f in facts if f.subject == other.subject]
            heading = declined(other.subject.forms[LANGUAGES.index(language)], language, "")
            heading = heading[:1].upper() + heading[1:]
        elif way == "contents":
            rows = self.random.sample(facts, min(len(facts), self.random.randint(3, 7)))
            lines = list(dict.fromkeys(self.contents_line(f, language) for f in [fact, *rows]))
            self.random.shuffle(lines)
            text = "\n".join(
                f"{i} {line} {self.random.choice(['', '....'])} {i * 3}"
                for i, line in enumerate(lines, 1)
            )
            return Asked(question=said, text=text, answer=None, heading=heading)
        elif way == "vague":
            shown = self.random.sample(far or same_kind, min(2, len(far or same_kind)))
            extra = [self.unsaid(fact, language), self.filler(language)]
        else:
            first = same_subject if way == "subject" and same_subject else same_kind
            shown = self.random.sample(first, min(len(first), self.random.randint(1, 4)))
            shown += self.random.sample(far, min(len(far), self.random.randint(0, 3)))
            extra = [self.unsaid(fact, language)] if self.random.random() < 0.15 else []
        self.random.shuffle(shown)
        return Asked(
            question=said,
            text=self.passage(shown, language, extra)[0],
            answer=None,
            heading=heading,
        )

    def contents_line(self, fact: Fact, language: str) -> str:
        name = self.label(fact, language) or declined(
            fact.subject.forms[LANGUAGES.index(language)], language, ""
        )
        return name[:1].upper() + name[1:]

    def reading(self) -> Asked:
        """A question with a passage: a little more than half answer."""
        asked = self.asked()
        if self.random.random() < 0.55:
            return self.answering(*asked)
        said, _, language, fact, facts = asked
        return self.missing(said, language, fact, facts)

    def choice(self, others: int = 7) -> list[Asked]:
        """A question with a passage that answers, then with others that do not."""
        asked = self.asked()
        said, _, language, fact, facts = asked
        return [
            self.answering(*asked),
            *(self.missing(said, language, fact, facts) for _ in range(others)),
        ]

    # Support ----------------------------------------------------------------------------------------------------

    def claim(self) -> tuple[str, str, int]:
        """A statement, a quote of one to three sentences, and whether it says so, denies it or neither."""
        while True:
            spoken, language = self.languages()
            facts = self.scene(language)
            fact = self.random.choice(facts)
            label = self.random.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.4, 0.4, 0.2))[0]
            others = [f for f in facts if f is not fact]
            self.random.shuffle(others)
            others.sort(
                key=lambda f: (
                    (f.kind is not fact.kind) + (f.subject != fact.subject) + self.random.random()
                )
            )
            told, shown = fact, [fact, *others[: self.random.randint(0, 2)]]
            quote = ""
            if label == NEITHER:
                shown = others[: self.random.randint(1, 3)]
            if label == CONTRADICTED:
                way = self.random.random()
                if way < 0.15 and fact.values[0][0] != "yesno":
                    # The same words with "at most" for "at least", or denied.
                    sentence = self.statement(fact, language)[0]
                    said = (bounds_swapped if self.random.random() < 0.6 else denied)(
                        self.random, sentence, language
                    )
                    if said is None:
                        continue
                    return (
                        said,
                        " ".join([sentence, *(self.statement(f, language)[0] for f in shown[1:])]),
                        label,
                    )
                altered = self.altered(fact, others, swap=way < 0.35)
                if altered is None:
                    continue
                told, against = altered
                shown = list(dict.fromkeys([fact, *against, *shown]))[:3]
            if not shown:
                continue
            self.random.shuffle(shown)
            quote = self.passage(shown, language)[0]
            if self.random.random() < 0.2 and (question := self.question(told, spoken, "v")):
                value = told.values[0]
                if value[0] != "yesno" and (label != CONTRADICTED or value != fact.values[0]):
                    return f"{question} {worded(self.random, value, spoken)}", quote, label
            return self.statement(told, spoken)[0], quote, label

    def altered(
        self, fact: Fact, others: Sequence[Fact], *, swap: bool
    ) -> tuple[Fact, list[Fact]] | None:
        """The fact made false, and what else the quote has to say for that: another value, or another's value."""
        alike = [f for f in others if f.kind is fact.kind and f.values != fact.values]
        if swap:
            if not alike:
                return None
            # Another's values said of this subject; that one's own sentence stands beside it.
            other = alike[0]
            return replace(fact, values=other.values), [other]
        at = self.random.randrange(len(fact.values))
        sort, one, two = fact.values[at]
        if sort == "yesno":
            new: Value = (sort, not one, two)
        elif sort == "words":
            choices = [f.values[at] for f in alike if f.values[at] != fact.values[at]]
            if not choices:
                return None
            new = self.random.choice(choices)
        elif sort == "period" and self.random.random() < 0.3:
            new = (
                sort,
                one,
                self.random.choice([u for u in UNITS if u != two and {u, two} != {"day", "bday"}]),
            )
        elif sort == "amount" and self.random.random() < 0.2:
            new = (sort, one, self.random.choice([c for c in CURRENCIES if c != two]))
        elif sort == "amount" and self.random.random() < 0.3:
            new = (sort, self.random.choice([one * 10, one + 1, one * 2]), two)
        elif sort == "period":
            new = (
                sort,
                self.random.choice([n for n in range(max(2, one - 4), one + 5) if n != one]),
                two,
            )
        elif sort == "date" and self.random.random() < 0.6:
            shift = self.random.choice([-365, -30, -7, -1, 1, 2, 7, 31, 365, 366])
            new = (sort, one + datetime.timedelta(shift), two)
        else:
            new = drawn_value(self.random, fact.kind.values[at], False)
        if told_apart(new) == told_apart(fact.values[at]):
            return None
        values = list(fact.values)
        values[at] = new
        return replace(fact, values=tuple(values)), []


def told_apart(value: Value) -> str:
    """What two values differ by: of a person the last name, else all."""
    return str(value[1]).split()[-1] if value[0] == "person" else repr(value)


def answer_at(text: str, place: tuple[int, int]) -> dict:
    """The answer as the reading sets write it."""
    return {"text": text[place[0] : place[1]], "start": place[0]}
