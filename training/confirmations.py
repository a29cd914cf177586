"""Turns statements into questions that ask whether they are so, in six languages.

What is written here decides by the statement's form alone: its verb comes first where it is one of a few that stand
second in a plain sentence (English, German), and otherwise a phrase is set around the statement as people do.
"""

from __future__ import annotations

import random
import re

# Verbs that change places with a short subject.
ENGLISH = re.compile(
    r"^(?P<subject>(?:[\w'’.&-]+ ){1,7}?)(?P<verb>is|are|was|were|has|have|must|may|can|will|shall|should) (?P<rest>[^:;]+)$"
)
GERMAN = re.compile(
    r"^(?P<subject>(?:[\w'’.&-]+ ){1,6}?)(?P<verb>ist|sind|war|waren|wird|werden|hat|haben|muss|müssen|darf|dürfen|kann|können|"
    r"beträgt|betragen|gilt|gelten|beginnt|endet|läuft|kostet|zahlt|trägt|liegt|steht|findet|erhält|übernimmt) (?P<rest>[^:;]+)$"
)
ARTICLES = {"The", "A", "An", "All", "Every", "Each", "This", "Our", "Your", "Their", "Its", "It", "There", "Staff", "Employees",
            "Der", "Die", "Das", "Ein", "Eine", "Alle", "Jeder", "Jede", "Es", "Diese", "Dieser", "Dieses", "Unsere", "Unser"}  # fmt: skip
AROUND = {
    "en": ("Is it true that {s}?", "{S}, correct?", "Is it right that {s}?", "{S} – is that so?", "Does it say that {s}?"),
    "de": ("{S}, richtig?", "Stimmt das: {S}?", "{S}, oder?", "Ist das richtig: {S}?"),
    "es": ("¿{S}?", "¿Es cierto que {s}?", "{S}, ¿verdad?", "¿Es correcto que {s}?"),
    "fr": ("Est-ce que {s} ?", "{S} ?", "Est-il vrai que {s} ?", "{S}, c'est bien ça ?"),
    "it": ("{S}?", "È vero che {s}?", "{S}, giusto?", "È corretto che {s}?"),
    "zh": ("{S}吗？", "{S}，对吗？", "{S}，是吗？", "是不是{S}？"),
}  # fmt: skip


def confirmation(draw: random.Random, statement: str, language: str) -> str:
    """The question whether a statement of one sentence is so."""
    plain = statement.strip().rstrip(".。!！")
    pattern = {"en": ENGLISH, "de": GERMAN}.get(language)
    found = pattern.match(plain) if pattern and draw.random() < 0.75 else None
    if found:
        return f"{found['verb'].capitalize()} {lowered(found['subject'])}{found['rest']}?"
    return draw.choice(AROUND[language]).format(s=lowered(plain), S=plain)


def lowered(text: str) -> str:
    """Begun with a small letter where its first word is an article or the like, which no name is."""
    first = text.split(" ", 1)[0]
    articles = ARTICLES | {
        "El",
        "La",
        "Los",
        "Las",
        "Un",
        "Una",
        "Le",
        "Les",
        "Une",
        "Il",
        "Lo",
        "Gli",
        "I",
    }
    return text[:1].lower() + text[1:] if first in articles else text
