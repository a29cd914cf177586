"""Facts of office papers and how each language words them, read from the folder `papers`.

`kinds.txt` lists the facts of each kind of paper with the sorts of their values, `words.txt` the nouns and clauses in all languages,
and `en.txt` and its like the wordings. There `T` are titles, `F` sentences that state no fact, and after `@fact`: `:` a statement, `+`
and `-` one that says yes and no, `=` the line of a form, `?` questions for the first value, `?w` for the second, `?s` for the subject, `?b`
for what stands in brackets, `~` sentences near the fact that do not state it, and `!+`, `!-`, `!0` statements that it supports,
contradicts or leaves open. `{s}` is the subject, `{v}`, `{w}`, `{x}` are values, `{n}` the name in the title, `{o}` another value like
`{v}`; `{v1}` is the second part of a row of words, and `:g`, `:d` ask for a case.
"""

from __future__ import annotations

import datetime
import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import office_wordings as wordings
from office_texts import ITEMS, LANGUAGES, MONTHS, Value, declined, drawn_value, is_held_out, worded

FOLDER = Path(__file__).parent / "papers"
Row = tuple[tuple[str, ...], ...]  # the parts of a row of words, by language
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Spec:
    """What a kind of fact takes: the sorts of its subject and of its values."""

    paper: str
    name: str
    slots: tuple[tuple[str, str], ...]

    def sort(self, slot: str) -> str:
        return dict(self.slots).get(slot, "")


@dataclass(frozen=True, slots=True)
class Stated:
    """One fact of a paper: its values by slot, "n" the name in the paper's title among them."""

    spec: Spec
    values: tuple[tuple[str, Value], ...]

    def value(self, slot: str) -> Value:
        return dict(self.values)[slot[0]]

    def but(self, slot: str, value: Value) -> Stated:
        """The fact with another value."""
        return Stated(self.spec, tuple((s, value if s == slot else v) for s, v in self.values))


Wordings = dict[tuple[str, str], dict[str, list[str]]]


@cache
def rows() -> dict[str, list[Row]]:
    """The lists of `words.txt` and those of `office_texts`, each row with its parts by language."""
    found: dict[str, list[Row]] = {
        sort: [tuple(tuple(re.split("[~]", form)) for form in forms) for forms in items]
        for sort, items in ITEMS.items()
    }
    name = ""
    for line in (FOLDER / "words.txt").read_text("utf-8").splitlines():
        if line.startswith("% "):
            name = line[2:]
            found[name] = []
        elif line and not line.startswith("#"):
            row = tuple(tuple(form.split("/")) for form in line.split("|"))
            assert len(row) == len(LANGUAGES), line
            assert len({len(parts) for parts in row}) == 1, line
            found[name].append(row)
    return found


@cache
def specs() -> tuple[dict[str, str], list[Spec]]:
    """The sort of name in each paper's title, and the kinds of facts."""
    names: dict[str, str] = {}
    found: list[Spec] = []
    paper = ""
    for line in (FOLDER / "kinds.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper, names[paper] = line[3:].split()
            names[paper] = line.split()[-1]
        elif line and not line.startswith("#"):
            name, *slots = line.split()
            pairs = tuple((slot[0], slot[2:]) for slot in slots)
            found.append(Spec(paper, name, pairs))
    return names, found


@cache
def said(language: str) -> Wordings:
    """The wordings of a language, by paper and fact; those of the paper itself under the fact ""."""
    found: Wordings = {}
    marks: dict[str, list[str]] = {}
    paper = ""
    for line in (FOLDER / f"{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper = line[3:].strip()
            marks = found.setdefault((paper, ""), {})
        elif line.startswith("@"):
            marks = found.setdefault((paper, line[1:].strip()), {})
        elif line:
            mark, _, text = line.partition(" ")
            many = mark in "TF~" or mark.startswith("?")
            marks.setdefault(mark, []).extend(text.split(" | ") if many else [text])
    return found


# Names in titles, by sort and language; "{n}" is a made-up word, "{l}" a last name, "{c}" a code.
NAMES = {
    "club": ("{n} Sports Club|the {l} Association", "Sportverein {n}|Verein {l}", "Club Deportivo {n}|Asociación {l}", "Club sportif {n}|Association {l}", "Circolo {n}|Associazione {l}", "{n}俱乐部|{n}协会"),
    "firm": ("{n} Ltd|{l} & {l}|{n} Logistics", "{n} GmbH|{l} & {l}|{n} AG", "{n} S.L.|{l} y {l}", "{n} SARL|{l} et {l}", "{n} S.r.l.|{l} e {l}", "{n}公司|{n}集团"),
    "insurer": ("{n} Mutual|{l} Insurance", "{n} Versicherung|{l} Versicherung", "Seguros {n}", "{n} Assurances", "{n} Assicurazioni", "{n}保险"),
    "flat": ("{p}",) * 6,
    "shop": ("{n} Centre|{l}'s Shop|{n} Museum", "{n}-Zentrum|{l} am Markt|Museum {n}", "Centro {n}|Casa {l}", "Centre {n}|Maison {l}", "Centro {n}|Casa {l}", "{n}中心|{n}博物馆"),
    "forum": ("{n} Forum|{n} Days|{l} Seminar", "{n}-Forum|{n}-Tage|{l}-Seminar", "Foro {n}|Jornadas {n}", "Forum {n}|Journées {n}", "Forum {n}|Giornate {n}", "{n}论坛|{n}研讨会"),
    "clinic": ("{n} Clinic|{l} Practice", "Klinik {n}|Praxis {l}", "Clínica {n}|Consulta {l}", "Clinique {n}|Cabinet {l}", "Clinica {n}|Studio {l}", "{n}诊所|{n}医院"),
    "device": ("{n} {c}|{c}|{n}",) * 6,
    "site": ("{n} plant|{l} warehouse", "Werk {n}|Lager {l}", "planta {n}|almacén {l}", "usine {n}|entrepôt {l}", "stabilimento {n}|magazzino {l}", "{n}工厂|{n}仓库"),
    "team": ("{n} team|{l} working group", "Team {n}|Arbeitskreis {l}", "equipo {n}|grupo {l}", "équipe {n}|groupe {l}", "gruppo {n}|gruppo {l}", "{n}小组|{n}团队"),
    "fund": ("{n} Fund|{l} Foundation", "{n}-Fonds|{l}-Stiftung", "Fondo {n}|Fundación {l}", "Fonds {n}|Fondation {l}", "Fondo {n}|Fondazione {l}", "{n}基金|{n}基金会"),
    "project": ("Project {n}|{n}", "Projekt {n}|{n}", "proyecto {n}|{n}", "projet {n}|{n}", "progetto {n}|{n}", "{n}项目"),
}  # fmt: skip
# Written with a number and a unit: bounds, step, and the unit by language.
UNITS = {
    "kilos": (2, 60, "kg", "kg", "kg", "kg", "kg", "公斤"), "degrees": (18, 60, "°C", "°C", "°C", "°C", "°C", "℃"),
    "decibels": (32, 88, "dB", "dB", "dB", "dB", "dB", "分贝"), "gigabytes": (2, 64, "GB", "GB", "GB", "Go", "GB", "GB"),
}  # fmt: skip
DRUGS = "Velpax Norimin Calvadol Tresanil Omirexa Duvalin Pelatrin Kestanol Rilovan Zumadex Atrivel Lomidan".split()
WEEKDAYS = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "lunes martes miércoles jueves viernes sábado domingo".split(),
    "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
)


def drawn(draw: random.Random, sort: str, language: str, pool: list | None = None) -> Value:
    """A value of a sort; `pool` are the rows that a list of words is drawn from."""
    name, _, _bounds = sort.partition(":")
    if name in rows():
        return "words", draw.choice(pool or rows()[name]), ""
    if name in UNITS:
        low, high = UNITS[name][:2]
        return name, draw.randint(low, high), ""
    if name in NAMES:
        pattern = draw.choice(NAMES[name][LANGUAGES.index(language)].split("|"))
        made = re.sub(r"\{(\w)\}", lambda m: named_part(draw, m[1]), pattern)
        return "text", made, ""
    made = {
        "room": lambda: draw.choice(["{}.{:02}", "{}{:02}", "B {}{}"]).format(draw.randint(1, 6), draw.randint(1, 29)),
        "rate": lambda: f"0.{draw.randint(20, 69)}",
        "digits": lambda: f"{draw.randint(100, 999)} {draw.randint(1000, 9999)}",
        "hotline": lambda: f"0800 {draw.randint(100, 999)} {draw.randint(10, 99)}",
        "version": lambda: f"{draw.randint(1, 12)}.{draw.randint(0, 19)}" + draw.choice(["", "", f".{draw.randint(1, 9)}"]),
        "year": lambda: str(draw.randint(2012, 2029)),
        "town": lambda: draw.choice(wordings.TOWNS),
        "drug": lambda: draw.choice(DRUGS),
    }.get(name)  # fmt: skip
    if name == "rate":
        return "rate", made(), draw.choice(("EUR", "GBP", "CHF"))
    if name == "version":
        return "version", made(), ""
    if made:
        return "text", made(), ""
    value = drawn_value(draw, sort, language == "zh" and draw.random() < 0.7)
    if sort.startswith("amount") and language == "zh" and draw.random() < 0.7:
        return value[0], value[1], "CNY"
    if value[0] == "date":
        # With the year, without it, or with the day of the week.
        return value[0], value[1], draw.choice(("", "", "", "short", "weekday"))
    return value


def named_part(draw: random.Random, part: str) -> str:
    if part == "n":
        return draw.choice(wordings.NAMES)
    if part == "l":
        return draw.choice(wordings.LAST)
    if part == "c":
        letters = "".join(draw.choice("ABCDEFHKLMNPRSTVX") for _ in range(2))
        return f"{letters}-{draw.randint(1, 99) * 10}"
    return f"{draw.choice(wordings.STREETS)} {draw.randint(1, 140)}"


def written(draw: random.Random, value: Value, language: str, part: int = 0, case: str = "") -> str:
    """A value as a language writes it; of a row of words one part."""
    sort, one, two = value
    at = LANGUAGES.index(language)
    if sort == "words":
        parts = one[at]
        return declined(parts[min(part, len(parts) - 1)], language, case)
    if sort == "text":
        return str(one)
    if sort == "version":
        if language == "zh":
            return f"{one}版"
        return f"{('version', 'Version', 'la versión', 'la version', 'la versione')[at]} {one}"
    if sort == "rate":
        number = one if language in ("en", "zh") else one.replace(".", ",")
        sign = {"EUR": "€", "USD": "$", "GBP": "£", "CHF": "CHF "}[two]
        return f"{sign}{number}" if language in ("en", "zh") else f"{number} {sign.strip()}"
    if sort in UNITS:
        unit = UNITS[sort][2 + at]
        return f"{one}{unit}" if language == "zh" else f"{one} {unit}"
    if sort == "amount" and two == "CNY":
        return f"{one:,}元" if language == "zh" else f"{one:,} CNY"
    if sort == "date" and two:
        return short_date(one, two, language, at)
    return worded(draw, value, language, case)


def short_date(day: datetime.date, style: str, language: str, at: int) -> str:
    """A date without its year, or with the day of the week."""
    if language == "zh":
        plain = f"{day.month}月{day.day}日"
        return plain + (f"（星期{'一二三四五六日'[day.weekday()]}）" if style == "weekday" else "")
    month = MONTHS[at][day.month - 1]
    plain = {"en": f"{day.day} {month}", "de": f"{day.day}. {month}", "es": f"{day.day} de {month}"}.get(
        language, f"{day.day} {month}"
    )  # fmt: skip
    if style == "short" or language == "it":
        return plain
    weekday = WEEKDAYS[at][day.weekday()]
    comma = "," if language in ("en", "de") else ""
    return f"{weekday}{comma} {plain}"


JOINS = {
    "es": [(r"\b([Dd])e $", "el ", r"\1el "), (r"\b([Aa]) $", "el ", r"\1l "), (r"\by $", "(?=i[^aeou])", "e ")],
    "fr": [(r"\b([Dd])e $", "le ", r"\1u "), (r"\bà $", "le ", "au "), (r"\b([Dd])e $", "les ", r"\1es "), (r"\bà $", "les ", "aux "),
           (r"\b([DdQqSs](?:e|ue|i)) $", "(?=[aeiouyéèêàâîAEIOUÉÈÊ])", None)],
    "it": [(r"\b(il|dal|al|del|nel) $", r"(?=(?:8|11)\b(?![.,/:]))", None),
           (r"\b([Dd])i $", "(il |lo |la |l'|i |gli |le )", None), (r"\ba $", "(il |lo |la |l'|i |gli |le )", None)],
}  # fmt: skip
ELIDED = {"il": "l'", "dal": "dall'", "al": "all'", "del": "dell'", "nel": "nell'"}
ARTICLES = {"il ": "l ", "lo ": "llo ", "la ": "lla ", "l'": "ll'", "i ": "i ", "gli ": "gli ", "le ": "lle "}  # fmt: skip


def joined(text: str, word: str, language: str) -> tuple[str, str]:
    """The text so far and the word after it, as they meet: "de" and "el" as "del"."""
    for before, begin, new in JOINS.get(language, ()):
        left, right = re.search(before, text), re.match(begin, word)
        if not left or not right:
            continue
        if new is not None:
            return text[: left.start()] + left.expand(new), word[right.end() :]
        if language == "fr":
            preposition = left[1]
            if preposition.lower() == "si" and not word.startswith(("il ", "ils ")):
                continue
            return text[: left.start()] + preposition[:-1] + "'", word
        if left[0].strip() in ELIDED:
            return text[: left.start()] + ELIDED[left[0].strip()], word
        stem = "a" if left[0].strip() == "a" else left[1] + "e"
        return text[: left.start()] + stem + ARTICLES[right[0]], word[right.end() :]
    return text, word


def fill(
    draw: random.Random, template: str, fact: Stated, language: str
) -> tuple[str, dict[str, Place]]:
    """The wording with its values, and where its slots stand; "b" is what is in brackets."""
    text, places, opened = "", {}, 0
    for part in re.split(r"(\{\w\d?(?::\w)?\}|\[|\])", template):
        if part == "[":
            opened = len(text)
        elif part == "]":
            places["b"] = (opened, len(text))
        elif part.startswith("{"):
            slot, case = part[1:].rstrip("}").partition(":")[::2]
            value = other_value(draw, fact, "v", language) if slot[0] == "o" else fact.value(slot)
            word = written(draw, value, language, int(slot[1:] or 0), case)
            if not text:
                word = word[:1].upper() + word[1:]
            text, word = joined(text, word, language)
            begin = len(text)
            places.setdefault(slot, (begin, begin + len(word.rstrip("'"))))
            text += word
        else:
            text += part
    if text.endswith(("..", ".”.")) and not text.endswith("..."):
        text = text[:-1]
    return text[:1].upper() + text[1:], places


def other_value(draw: random.Random, fact: Stated, slot: str, language: str) -> Value:
    """A value like that of a slot, but told apart from it."""
    sort, old = fact.spec.sort(slot), fact.value(slot)
    if sort == "yesno":
        return old[0], not old[1], old[2]
    for _ in range(50):
        new = drawn(draw, sort, language)
        if new[1] != old[1]:
            return (new[0], new[1], old[2]) if old[0] in ("amount", "date") else new
    raise AssertionError((fact.spec, slot))


def half(choices: list, apart: bool, key=str) -> list:
    """Of wordings or nouns those for training, or those kept `apart`; all where there are none."""
    return [c for c in choices if is_held_out(key(c)) == apart] or list(choices)
