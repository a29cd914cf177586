"""Statements about limits beside a sentence that sets one: at least, at most, more than, less than, each in several wordings."""  # fmt: skip

from __future__ import annotations

import random

from office_texts import CONTRADICTED, NEITHER, SUPPORTED

LEAST, MOST, OVER, UNDER = range(4)
# By language: the wordings of each bound around a value, frames around a thing and a bound, things with their units,
# and numbers in words from two on.
WORDINGS = {
    "en": (
        ("at least {}", "no less than {}", "not less than {}", "a minimum of {}", "{} or more", "{} at the least"),
        ("at most {}", "no more than {}", "not more than {}", "a maximum of {}", "up to {}", "{} or less", "{} at the most"),
        ("more than {}", "over {}", "above {}"), ("less than {}", "under {}", "below {}"),
    ),
    "de": (
        ("mindestens {}", "nicht weniger als {}", "wenigstens {}", "{} oder mehr", "minimal {}"),
        ("höchstens {}", "nicht mehr als {}", "maximal {}", "bis zu {}", "{} oder weniger"),
        ("mehr als {}", "über {}"), ("weniger als {}", "unter {}"),
    ),
    "es": (
        ("al menos {}", "como mínimo {}", "no menos de {}", "por lo menos {}", "un mínimo de {}", "{} o más"),
        ("como máximo {}", "no más de {}", "a lo sumo {}", "un máximo de {}", "hasta {}", "{} o menos"),
        ("más de {}", "superior a {}"), ("menos de {}", "inferior a {}"),
    ),
    "fr": (
        ("au moins {}", "au minimum {}", "pas moins de {}", "un minimum de {}", "{} ou plus"),
        ("au plus {}", "au maximum {}", "pas plus de {}", "un maximum de {}", "jusqu'à {}", "{} ou moins"),
        ("plus de {}", "supérieur à {}"), ("moins de {}", "inférieur à {}"),
    ),
    "it": (
        ("almeno {}", "al minimo {}", "non meno di {}", "un minimo di {}", "come minimo {}", "{} o più"),
        ("al massimo {}", "non più di {}", "un massimo di {}", "fino a {}", "{} o meno"),
        ("più di {}", "superiore a {}"), ("meno di {}", "inferiore a {}"),
    ),
    "pt": (
        ("pelo menos {}", "no mínimo {}", "não menos de {}", "um mínimo de {}", "{} ou mais"),
        ("no máximo {}", "não mais de {}", "um máximo de {}", "até {}", "{} ou menos"),
        ("mais de {}", "superior a {}"), ("menos de {}", "inferior a {}"),
    ),
    "nl": (
        ("minstens {}", "ten minste {}", "niet minder dan {}", "minimaal {}", "{} of meer"),
        ("hoogstens {}", "ten hoogste {}", "niet meer dan {}", "maximaal {}", "tot {}", "{} of minder"),
        ("meer dan {}", "boven {}"), ("minder dan {}", "onder {}"),
    ),
    "zh": (
        ("至少{}", "不少于{}", "最少{}", "不低于{}", "{}以上"),
        ("最多{}", "至多{}", "不超过{}", "不多于{}", "{}以内"),
        ("超过{}", "多于{}"), ("少于{}", "不到{}"),
    ),
}  # fmt: skip
FRAMES = {
    "en": ("The {} is {}.", "The {} must be {}.", "The {} amounts to {}.", "For the {}, {} are agreed.", "A {} of {} applies."),
    "de": ("{}: {}.", "Für {} gelten {}.", "Vereinbart sind für {} {}.", "Bei {} sind es {}."),
    "es": ("{}: {}.", "Para {} se fija {}.", "En cuanto a {}, es {}.", "Se acuerda para {}: {}."),
    "fr": ("{} : {}.", "Pour {}, c'est {}.", "En ce qui concerne {}, il faut compter {}.", "Il est convenu pour {} : {}."),
    "it": ("{}: {}.", "Per {} si prevede {}.", "Quanto a {}, è {}.", "È concordato per {}: {}."),
    "pt": ("{}: {}.", "Para {} fixa-se {}.", "Quanto a {}, é {}.", "Acorda-se para {}: {}."),
    "nl": ("{}: {}.", "Voor {} geldt {}.", "Bij {} is het {}.", "Afgesproken voor {}: {}."),
    "zh": ("{}为{}。", "{}应为{}。", "规定{}为{}。", "{}：{}。"),
}  # fmt: skip
THINGS = {
    "en": "notice period/months|deposit/euros|stay/nights|team/members|order/pieces|load/kilograms|distance/metres|minimum age/years|break/minutes|fine/francs|lease/years|delay/days",
    "de": "die Kündigungsfrist/Monate|die Kaution/Euro|der Aufenthalt/Nächte|die Gruppe/Mitglieder|die Bestellung/Stück|die Last/Kilogramm|der Abstand/Meter|das Alter/Jahre|die Pause/Minuten|die Laufzeit/Jahre|der Verzug/Tage",
    "es": "el plazo/meses|el depósito/euros|la estancia/noches|el grupo/miembros|el pedido/piezas|la carga/kilogramos|la distancia/metros|la edad/años|la pausa/minutos|la demora/días",
    "fr": "le délai/mois|le dépôt/euros|le séjour/nuits|le groupe/membres|la commande/pièces|la charge/kilogrammes|la distance/mètres|l'âge/ans|la pause/minutes|le retard/jours",
    "it": "il termine/mesi|il deposito/euro|il soggiorno/notti|il gruppo/membri|l'ordine/pezzi|il carico/chilogrammi|la distanza/metri|l'età/anni|la pausa/minuti|il ritardo/giorni",
    "pt": "o prazo/meses|o depósito/euros|a estadia/noites|o grupo/membros|a encomenda/peças|a carga/quilogramas|a distância/metros|a idade/anos|a pausa/minutos|o atraso/dias",
    "nl": "de opzegtermijn/maanden|de borg/euro|het verblijf/nachten|de groep/leden|de bestelling/stuks|de last/kilogram|de afstand/meter|de leeftijd/jaar|de pauze/minuten|de vertraging/dagen",
    "zh": "通知期/个月|押金/欧元|住宿/晚|团队/名成员|订单/件|载重/公斤|距离/米|年龄/岁|休息/分钟|延误/天",
}  # fmt: skip
NUMBERS = {
    "en": "two three four five six seven eight nine ten eleven twelve", "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce", "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici", "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf", "zh": "两 三 四 五 六 七 八 九 十 十一 十二",
}  # fmt: skip
# What a bound that is said in a quote makes of another of the same value.
CONTRARY = {(LEAST, MOST), (MOST, LEAST), (LEAST, UNDER), (UNDER, LEAST), (MOST, OVER), (OVER, MOST), (OVER, UNDER), (UNDER, OVER)}  # fmt: skip
FOLLOWING = {(OVER, LEAST), (UNDER, MOST), *((each, each) for each in range(4))}


def limit_claim(draw: random.Random) -> tuple[str, str, int]:
    """A statement, a quote that sets one or two limits, and what it makes of the statement."""
    language = draw.choice(sorted(WORDINGS))
    things = [each.split("/") for each in THINGS[language].split("|")]
    (thing, unit), (other, other_unit) = draw.sample(things, 2)
    value = (
        draw.randint(2, 12)
        if draw.random() < 0.7
        else draw.choice((14, 15, 20, 30, 45, 60, 90, 250, 500))
    )
    bound = draw.randrange(4)
    label = draw.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.42, 0.42, 0.16))[0]
    quote = sentence(draw, language, thing, bound, value, unit)
    if draw.random() < 0.5:
        second = sentence(draw, language, other, draw.randrange(4), draw.randint(2, 90), other_unit)
        quote = draw.choice((f"{quote} {second}", f"{second} {quote}"))
        settled = {thing, other}
    else:
        settled = {thing}
    if label == NEITHER:
        strange = draw.choice([each for each in things if each[0] not in settled])
        return (
            sentence(draw, language, strange[0], draw.randrange(4), value, strange[1]),
            quote,
            label,
        )
    wanted = FOLLOWING if label == SUPPORTED else CONTRARY
    said = draw.choice([second for first, second in sorted(wanted) if first == bound])
    return sentence(draw, language, thing, said, value, unit), quote, label


def sentence(
    draw: random.Random, language: str, thing: str, bound: int, value: int, unit: str
) -> str:
    """A sentence that sets the limit, its number in digits or in words."""
    words = NUMBERS[language].split()
    number = words[value - 2] if value <= 12 and draw.random() < 0.5 else str(value)
    gap = "" if language == "zh" else " "
    limit = draw.choice(WORDINGS[language][bound]).format(f"{number}{gap}{unit}")
    said = draw.choice(FRAMES[language]).format(thing, limit)
    return said[:1].upper() + said[1:]
