"""A sentence made false: another number, another name of its kind, the opposite word, a denial, names exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NAME = re.compile(r"(?<=[a-zß-ÿ,] )[A-ZÀ-Þ][a-zß-ÿ]{2,}(?: [A-ZÀ-Þ][a-zß-ÿ]{2,})?")
# A footnote mark such as [1] is no number.
NUMBER = re.compile(r"(?<![\[\d])\d+(?:[.,]\d+)*")
UNSPACED = {"zh", "zh-Hant", "ja", "th"}

# The words that say the contrary when they are exchanged, by language; both ways.
BOUNDS = {
    "en": "at least/at most|no more than/no less than|more than/less than|before/after|minimum/maximum|no later than/no earlier than",
    "de": "mindestens/höchstens|mehr als/weniger als|spätestens/frühestens|bis zum/ab dem|innerhalb von/erst nach",
    "es": "al menos/como máximo|más de/menos de|antes/después|por lo menos/a lo sumo|hasta/desde",
    "fr": "au moins/au plus|plus de/moins de|avant/après|au maximum/au minimum|au plus tard/au plus tôt|jusqu'à/à partir de",
    "it": "almeno/al massimo|più di/meno di|prima/dopo|fino al/a partire dal|entro/non prima di",
    "pt": "pelo menos/no máximo|mais de/menos de|antes/depois",
    "no": "minst/høyst|mer enn/mindre enn|før/etter",
    "sv": "minst/högst|mer än/mindre än|före/efter|över/under",
    "zh": "至少/至多|以上/以下|之前/之后|不超过/不少于|多于/少于|以内/以后",
    "zh-Hant": "至少/至多|以上/以下|之前/之後|多於/少於",
    "ja": "以上/以下|前に/後に|より多い/より少ない|以前/以降",
    "ru": "не менее/не более|более/менее|до/после|раньше/позже",
    "tr": "en az/en fazla|önce/sonra|daha fazla/daha az",
    "id": "setidaknya/paling banyak|lebih dari/kurang dari|sebelum/sesudah",
    "vi": "ít nhất/nhiều nhất|trước/sau|nhiều hơn/ít hơn",
    "ar": "على الأقل/على الأكثر|قبل/بعد|أكثر من/أقل من",
    "fa": "حداقل/حداکثر|قبل از/بعد از|بیشتر از/کمتر از",
    "th": "อย่างน้อย/อย่างมาก|ก่อน/หลัง|มากกว่า/น้อยกว่า",
    "he": "לפחות/לכל היותר|לפני/אחרי|יותר מ/פחות מ",
}  # fmt: skip
OPPOSITES = {
    "en": "first/last|largest/smallest|north/south|northern/southern|east/west|eastern/western|increased/decreased|won/lost|higher/lower|highest/lowest|oldest/youngest|early/late|always/never|all/none of the|most/few|began/ended|rich/poor|accepted/rejected|with/without|allowed/forbidden|public/private|included/excluded|earlier/later|larger/smaller|male/female|daily/monthly|summer/winter|major/minor|buyer/seller|tenant/landlord|employee/employer",
    "de": "erste/letzte|größte/kleinste|nördlich/südlich|östlich/westlich|Norden/Süden|Osten/Westen|höchste/niedrigste|immer/nie|mit/ohne|alle/keine|früher/später|stieg/sank|höher/niedriger|größer/kleiner|Sommer/Winter|gewann/verlor|Käufer/Verkäufer|Mieter/Vermieter|Arbeitnehmer/Arbeitgeber|zulässig/unzulässig",
    "es": "primero/último|primera/última|mayor/menor|norte/sur|siempre/nunca|con/sin|todos/ninguno de|más/menos|ganó/perdió|aumentó/disminuyó|verano/invierno|superior/inferior|mejor/peor|alta/baja|norteño/sureño|interior/exterior",
    "fr": "premier/dernier|première/dernière|plus grand/plus petit|nord/sud|est de/ouest de|toujours/jamais|avec/sans|gagné/perdu|augmenté/diminué|supérieur/inférieur|meilleur/pire|début/fin|gauche/droite|ancien/nouveau",
    "it": "primo/ultimo|prima volta/ultima volta|maggiore/minore|nord/sud|est/ovest|sempre/mai|con/senza|più/meno|vinse/perse|aumentò/diminuì|estate/inverno|superiore/inferiore|inizio/fine|migliore/peggiore",
    "pt": "primeiro/último|primeira/última|maior/menor|norte/sul|leste/oeste|sempre/nunca|com/sem|mais/menos|aumentou/diminuiu|verão/inverno|superior/inferior|início/fim",
    "no": "første/siste|største/minste|nord/sør|nordlige/sørlige|øst/vest|alltid/aldri|med/uten|mer/mindre|økte/sank|eldste/yngste|flere/færre|tidlig/sent|høyeste/laveste|vant/tapte|sommer/vinter|stor/liten|større/mindre",
    "sv": "första/sista|största/minsta|norr/söder|norra/södra|öster/väster|östra/västra|alltid/aldrig|med/utan|mer/mindre|ökade/minskade|fler/färre|tidigare/senare|högsta/lägsta|vann/förlorade|större/mindre",
    "zh": "最大/最小|最高/最低|最早/最晚|北部/南部|东部/西部|北方/南方|增加/减少|上升/下降|首次/末次|第一/最后|开始/结束|全部/没有|成功/失败|允许/禁止|以前/以后|最多/最少|支持/反对|胜利/失败|东/西|南/北|父亲/母亲|买方/卖方|同意/反对|增长/下跌",
    "zh-Hant": "最大/最小|最高/最低|最早/最晚|北部/南部|東部/西部|增加/減少|上升/下降|第一/最後|開始/結束|成功/失敗|支持/反對|東/西|南/北",
    "ja": "最大/最小|最高/最低|最初/最後|北部/南部|東部/西部|増加/減少|上昇/低下|開始/終了|成功/失敗|勝利/敗北|多い/少ない|高い/低い|大きい/小さい|男性/女性|父/母|兄/弟|多く/少なく|長い/短い|早い/遅い",
    "ru": "первый/последний|первая/последняя|первым/последним|больше/меньше|северный/южный|восточный/западный|всегда/никогда|выше/ниже|начала/конца|крупнейший/мельчайший|увеличилось/уменьшилось",
    "tr": "ilk/son|en büyük/en küçük|kuzey/güney|kuzeyinde/güneyinde|doğusunda/batısında|doğu/batı|her zaman/hiçbir zaman|arttı/azaldı|başladı/bitti",
    "id": "pertama/terakhir|terbesar/terkecil|utara/selatan|timur/barat|selalu/tidak pernah|dengan/tanpa|meningkat/menurun|tertinggi/terendah",
    "vi": "đầu tiên/cuối cùng|lớn nhất/nhỏ nhất|phía bắc/phía nam|phía đông/phía tây|luôn/không bao giờ|tăng/giảm|bắt đầu/kết thúc|cao nhất/thấp nhất",
    "ar": "الأول/الأخير|الأولى/الأخيرة|أكبر/أصغر|شمال/جنوب|شرق/غرب|دائما/أبدا|أعلى/أدنى|بداية/نهاية",
    "fa": "اولین/آخرین|بزرگ‌ترین/کوچک‌ترین|شمال/جنوب|شرق/غرب|همیشه/هرگز|بیشترین/کمترین|آغاز/پایان",
    "th": "แรก/สุดท้าย|ใหญ่ที่สุด/เล็กที่สุด|เหนือ/ใต้|ตะวันออก/ตะวันตก|เพิ่มขึ้น/ลดลง|สูงสุด/ต่ำสุด",
    "he": "הראשון/האחרון|הראשונה/האחרונה|הגדול/הקטן|צפון/דרום|מזרח/מערב|תמיד/אף פעם לא",
}  # fmt: skip
# What is said, and what denies it; both ways.
DENIALS = {
    "en": "is/is not|was/was not|are/are not|were/were not|can/cannot|will/will not|may/may not|must/need not|has been/has not been|have been/have not been|would/would not|could/could not|should/should not|had been/had not been|does/does not|shall/shall not|became/did not become|allows/does not allow|includes/does not include|covers/does not cover|pays/does not pay|contains/does not contain",
    "de": "ist/ist nicht|war/war nicht|sind/sind nicht|waren/waren nicht|ein/kein|eine/keine|einen/keinen|einem/keinem|kann/kann nicht|muss/muss nicht|darf/darf nicht|wird/wird nicht|wurde/wurde nicht|hat/hat nicht",
    "es": "es/no es|fue/no fue|son/no son|era/no era|tiene/no tiene|está/no está|puede/no puede|fueron/no fueron|había/no había|ha/no ha|se encuentra/no se encuentra|debe/no debe|cubre/no cubre|eran/no eran|hay/no hay",
    "fr": "est/n'est pas|sont/ne sont pas|était/n'était pas|fut/ne fut pas|a été/n'a pas été|ont été/n'ont pas été|peut/ne peut pas|doit/ne doit pas|peuvent/ne peuvent pas|étaient/n'étaient pas|devient/ne devient pas|a/n'a pas|ont/n'ont pas|couvre/ne couvre pas",
    "it": "è/non è|era/non era|sono/non sono|fu/non fu|ha/non ha|può/non può|deve/non deve|erano/non erano|furono/non furono|hanno/non hanno|viene/non viene|copre/non copre",
    "pt": "é/não é|foi/não foi|são/não são|tem/não tem|era/não era|foram/não foram|pode/não pode|está/não está|havia/não havia|deve/não deve",
    "no": "er/er ikke|var/var ikke|ble/ble ikke|har/har ikke|kan/kan ikke|hadde/hadde ikke|skal/skal ikke|må/må ikke|blir/blir ikke|vil/vil ikke|kom/kom ikke|fikk/fikk ikke",
    "sv": "är/är inte|var/var inte|har/har inte|blev/blev inte|kan/kan inte|hade/hade inte|finns/finns inte|ska/ska inte|måste/måste inte|fick/fick inte",
    "id": "adalah/bukan|merupakan/bukan merupakan|dapat/tidak dapat|memiliki/tidak memiliki|telah/belum|akan/tidak akan",
    "zh": "是/不是|有/没有|可以/不可以|承担/不承担|成为/没有成为|位于/不位于|属于/不属于|认为/不认为",
    "zh-Hant": "是/不是|有/沒有|可以/不可以|成為/沒有成為|位於/不位於|屬於/不屬於|認為/不認為",
    "ja": "である。/ではない。|した。/しなかった。|いる。/いない。|された。/されなかった。|れた。/れなかった。|ある。/ない。|なった。/ならなかった。|する。/しない。|れる。/れない。|できる/できない|だった。/ではなかった。|である/ではない",
    "tr": "dır./ değildir.|dir./ değildir.|mıştır./mamıştır.|miştir./memiştir.|vardır/yoktur|edildi/edilmedi|oldu/olmadı|etti/etmedi",
    "ru": "был/не был|является/не является|была/не была|были/не были|было/не было|может/не может|имеет/не имеет|стал/не стал|стала/не стала|находится/не находится",
    "vi": "là/không phải là|có/không có|được/không được|đã/chưa|có thể/không thể",
    "ar": "كان/لم يكن|كانت/لم تكن|هو/ليس|هي/ليست|يوجد/لا يوجد|يمكن/لا يمكن|تم/لم يتم",
    "fa": "است/نیست|بود/نبود|شد/نشد|دارد/ندارد|کرد/نکرد|بودند/نبودند|می‌شود/نمی‌شود|هستند/نیستند",
    "th": "เป็น/ไม่ได้เป็น|มี/ไม่มี|ได้/ไม่ได้|สามารถ/ไม่สามารถ",
    "he": "הוא/אינו|היא/אינה|היה/לא היה|הייתה/לא הייתה|יש/אין|היו/לא היו|יכול/אינו יכול",
}  # fmt: skip
SUFFIXED = {"ja", "tr"}
# Words that hold a verb of `DENIALS` without being one.
COMPOUNDS = {c + "是" for c in "但于於可就还還要只而总總凡若或不"} | {
    c + "有" for c in "所具拥擁没沒只还還共含享持固原现現"
}
NUMBER_WORDS = {
    "en": "two three four five six seven eight nine ten twelve twenty",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez doce veinte",
    "fr": "deux trois quatre cinq six sept huit dix douze vingt",
    "it": "due tre quattro cinque sei sette otto nove dieci dodici venti",
    "pt": "dois três quatro cinco seis sete oito nove dez doze vinte",
    "no": "to tre fire fem seks sju åtte ni ti tolv tjue",
    "sv": "två tre fyra fem sex sju åtta nio tio tolv tjugo",
    "ru": "два три четыре пять шесть семь восемь девять десять",
    "tr": "iki üç dört beş altı yedi sekiz dokuz",
    "id": "dua tiga empat lima enam tujuh delapan sembilan",
}
MONTHS = {
    "en": "January February March April June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
}


def bounds_swapped(draw: random.Random, sentence: str, language: str) -> str | None:
    """The sentence with one bound or order turned round: "at most" for "at least"."""
    return exchanged(draw, sentence, language, BOUNDS)


def denied(draw: random.Random, sentence: str, language: str) -> str | None:
    """The sentence with its verb denied, or a denial taken away."""
    return exchanged(draw, sentence, language, DENIALS)


def exchanged(
    draw: random.Random, sentence: str, language: str, table: dict[str, str]
) -> str | None:
    """The sentence with one word of a pair for the other, which is the longer where both begin alike."""
    found: list[tuple[int, int, str]] = []
    for pair in table.get(language, "").split("|"):
        sides = pair.split("/")
        if len(sides) < 2:
            continue
        taken: list[tuple[int, int]] = []
        # The longer side first: "is not" is a denial, not an "is" to deny.
        for old, new in sorted((sides, sides[::-1]), key=lambda each: -len(each[0])):
            start = sentence.find(old)
            while start >= 0:
                end = start + len(old)
                whole = language in UNSPACED or (
                    (language in SUFFIXED or not sentence[start - 1 : start].isalpha())
                    and not sentence[end : end + 1].isalpha()
                )
                if language in UNSPACED and sentence[start - 1 : end] in COMPOUNDS:
                    whole = False
                if whole and not any(a < end and start < b for a, b in taken):
                    taken.append((start, end))
                    found.append((start, end, new))
                start = sentence.find(old, end)
    if not found:
        return None
    start, end, new = draw.choice(found)
    # The longest match at this place: "is not" over "is" and "不是" over "是".
    for a, b, other in found:
        if a <= start and end <= b and b - a > end - start:
            start, end, new = a, b, other
    return sentence[:start] + new + sentence[end:]


def other_number(draw: random.Random, text: str) -> str:
    """The text with one of its numbers changed in value: a digit, a little more or less, or ten times."""
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    number = draw.choice(found)
    said = number.group()
    if said.isdigit() and len(said) <= 4 and said[0] != "0" and draw.random() < 0.35:
        near = max(1, int(said) + draw.choice([-10, -5, -3, -2, -1, 1, 2, 3, 5, 10]))
        new = str(near if near != int(said) else near + 1)
    elif said.isdigit() and draw.random() < 0.1:
        new = said + "0"
    else:
        digits = list(said)
        at = draw.choice([i for i, d in enumerate(digits) if d.isdigit()])
        digits[at] = draw.choice([d for d in "123456789" if d != digits[at]])
        new = "".join(digits)
    zero = ord(said[0]) - int(said[0])  # "۵" stays in its script
    new = "".join(chr(zero + int(d)) if d.isdigit() else d for d in new)
    return text[: number.start()] + new + text[number.end() :]


def of_list(draw: random.Random, sentence: str, language: str, table: dict[str, str]) -> str | None:
    """The sentence with another word of a list (months, numbers in words) for one that it has."""
    words = table.get(language, "").split()
    own = [w for w in words if re.search(rf"(?<!\w){w}(?!\w)", sentence)]
    if not own:
        return None
    old = draw.choice(own)
    new = draw.choice([w for w in words if w != old])
    return re.sub(rf"(?<!\w){old}(?!\w)", new, sentence, count=1)


def alter(
    draw: random.Random,
    sentence: str,
    language: str,
    names: Sequence[str],
    answers: Sequence[str] = (),
    other_answers: Sequence[str] = (),
) -> str | None:
    """The sentence made false; None where nothing can be made of it.

    `answers` are those of the sentence's paragraph, and `other_answers` those that may take their
    place: what makes names of every script change for others of their kind.
    """
    ways = []
    if NUMBER.search(sentence):
        ways += [lambda: other_number(draw, sentence)] * 2
    own = NAME.findall(sentence)
    others = [n for n in names if n not in sentence]
    if own and others:
        ways.append(lambda: sentence.replace(draw.choice(own), draw.choice(others)))
    if len(set(own)) > 1:
        a, b = draw.sample(sorted(set(own)), 2)
        # "A of B" turned round may be no sentence; names far apart are two of a kind.
        if a not in b and b not in a and abs(sentence.index(a) - sentence.index(b)) > 30:
            ways.append(lambda: sentence.replace(a, "\0").replace(b, a).replace("\0", b))
    held = [
        a for a in answers if 1 < len(a) < 30 and len(a) < 0.6 * len(sentence) and a in sentence
    ]
    if held:
        old = draw.choice(held)
        fitting = [
            o for o in other_answers
            if o not in sentence and old not in o and kind_of(o) == kind_of(old) and 0.5 < len(o) / len(old) < 2
        ]  # fmt: skip
        if fitting:
            new = draw.choice(fitting)
            ways += [lambda: sentence.replace(old, new, 1)] * 2
    for table, times in ((BOUNDS, 2), (OPPOSITES, 2), (DENIALS, 2)):
        made = exchanged(draw, sentence, language, table)
        if made:
            ways += [lambda made=made: made] * times
    for table in (MONTHS, NUMBER_WORDS):
        made = of_list(draw, sentence, language, table)
        if made:
            ways.append(lambda made=made: made)
    return draw.choice(ways)() if ways else None


def kind_of(text: str) -> tuple[bool, bool]:
    """Whether a text has digits, and whether it begins with a capital."""
    return bool(re.search(r"\d", text)), text[:1].isupper()
