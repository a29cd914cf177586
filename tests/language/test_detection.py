"""A document's language is told in every language that the index has rules for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from footnote.index.stemming import SNOWBALL
from footnote.ingestion.enrichment import words_of
from footnote.ingestion.parsing.reading import read_document
from footnote.language import detection
from footnote.language.detection import DETECTABLE_LANGUAGES, detect_language, language_identifier
from footnote.language.identifier_files import mapped_identifier

EXAMPLES = Path(__file__).parents[2] / "examples"

SENTENCES = {
    "ar": "مدة الإشعار ثلاثة أشهر ويجدد العقد بعد ذلك سنة أخرى.",
    "ca": "La pòlissa cobreix els danys causats per l'aigua a l'habitatge.",
    "cs": "Výpovědní lhůta činí tři měsíce a smlouva se poté prodlužuje o rok.",
    "da": "Forsikringen dækker skader, som vand har forvoldt i boligen, men ikke i haven.",
    "de": "Die Kündigungsfrist beträgt drei Monate zum Ende des Jahres.",
    "el": "Η προθεσμία προειδοποίησης είναι τρεις μήνες και η σύμβαση ανανεώνεται.",
    "en": "The notice period is three months to the end of the year.",
    "eo": "La kontrakto validas dum unu jaro kaj povas esti plilongigita.",
    "es": "La póliza cubre los daños causados por el agua en la vivienda.",
    "et": "Etteteatamise tähtaeg on kolm kuud ja lepingut pikendatakse aasta võrra.",
    "eu": "Kontratuaren iraupena urtebetekoa izango da, eta luzatu egin daiteke.",
    "fa": "مدت اطلاع قبلی سه ماه است و قرارداد یک سال تمدید می‌شود.",
    "fi": "Vakuutus korvaa veden aiheuttamat vahingot asunnossa.",
    "fr": "Le délai de préavis est de trois mois et le contrat est renouvelé chaque année.",
    "ga": "Is é trí mhí an tréimhse fógra agus déantar an conradh a athnuachan gach bliain.",
    "hi": "यह अनुबंध एक वर्ष के लिए मान्य होगा और इसे बढ़ाया जा सकता है।",
    "hu": "A felmondási idő három hónap, és a szerződés egy évvel meghosszabbodik.",
    "hy": "Պայմանագիրը գործում է մեկ տարի և կարող է երկարաձգվել։",
    "id": "Jangka waktu pemberitahuan adalah tiga bulan dan kontrak dapat diperpanjang.",
    "it": "La polizza copre i danni causati dall'acqua nell'abitazione.",
    "ja": "解約の予告期間は三か月で、契約は毎年更新されます。",
    "km": "ព្រះរាជាណាចក្រកម្ពុជា ជាប្រទេសមួយនៅអាស៊ីអាគ្នេយ៍",
    "ko": "해지 통지 기간은 삼 개월이며 계약은 매년 갱신됩니다.",
    "lo": "ສາທາລະນະລັດ ປະຊາທິປະໄຕ ປະຊາຊົນລາວ ແມ່ນປະເທດ",
    "lt": "Įspėjimo terminas yra trys mėnesiai, o sutartis pratęsiama metams.",
    "my": "မြန်မာနိုင်ငံသည် အရှေ့တောင်အာရှ နိုင်ငံဖြစ်သည်",
    "ne": "यो सम्झौता एक वर्षसम्म मान्य हुनेछ र नवीकरण गर्न सकिन्छ।",
    "nl": "De opzegtermijn bedraagt drie maanden en het contract wordt daarna verlengd.",
    "no": "Oppsigelsestiden er tre måneder, og avtalen blir deretter forlenget med ett år.",
    "pl": "Okres wypowiedzenia wynosi trzy miesiące, a umowa jest przedłużana o rok.",
    "pt": "A apólice cobre os danos causados pela água na habitação.",
    "ro": "Termenul de preaviz este de trei luni, iar contractul se prelungește cu un an.",
    "ru": "Срок уведомления составляет три месяца, после чего договор продлевается.",
    "sr": "Отказни рок је три месеца, а уговор се после тога продужава за годину дана.",
    "st": "Batho bohle ba tswala ba lokolohile mme ba lekana ka seriti le ditokelo.",
    "sv": "Uppsägningstiden är tre månader och avtalet förlängs därefter med ett år.",
    "ta": "ஒப்பந்தம் ஒரு வருடத்திற்கு செல்லுபடியாகும் மற்றும் நீட்டிக்கப்படலாம்.",
    "th": "ระยะเวลาการแจ้งล่วงหน้าคือสามเดือนและสัญญาจะต่ออายุ",
    "tr": "İhbar süresi üç aydır ve sözleşme her yıl yenilenir.",
    "yi": "דער קאָנטראַקט איז גילטיק פֿאַר איין יאָר און קען ווערן פֿאַרלענגערט.",
    "zh": "解除合同的通知期为三个月，合同每年续签。",
}


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_a_sentence_tells_its_language(language: str) -> None:
    assert detect_language(SENTENCES[language]) == language


def test_every_language_with_stems_can_be_told() -> None:
    assert set(SENTENCES) >= set(SNOWBALL)


def test_hebrew_is_not_taken_for_yiddish() -> None:
    assert detect_language("תקופת ההודעה המוקדמת היא שלושה חודשים והחוזה מתחדש") == "he"


@pytest.mark.parametrize("text", ["", "Hello", "12345 67890 12345 67890", "A-1"])
def test_too_little_text_tells_nothing(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The vault code is 4711.", "en"),
        ("The cat sat on the mat.", "en"),
        ("Das Passwort ist 4711.", "de"),
        ("Le code est sur le mur.", "fr"),
        ("El código está en la caja.", "es"),
    ],
)
def test_the_function_words_of_a_short_sentence_tell_its_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["Anna Tulip, Rome", "PEL-3-ICE is 4711", "Bern 4711, Basel 4712"])
def test_names_and_codes_tell_nothing(text: str) -> None:
    assert detect_language(text) is None


def test_the_names_of_columns_tell_the_language_of_a_table_of_codes_and_numbers() -> None:
    rows = [f"KL-T-5020{at},100,{90 + at}.4,{at}.6,3.0,pass,2025-03-0{at + 1}" for at in range(9)]
    head = (
        "serial,reference_ntu,measured_ntu,deviation_percent,tolerance_percent,result,calibrated_on"
    )
    assert detect_language("\n".join([head, *rows])) == "en"


@pytest.mark.parametrize(
    "path", sorted((EXAMPLES / "sources").iterdir()), ids=lambda path: path.name
)
def test_every_example_has_a_language(path: Path) -> None:
    parsed = read_document(path.read_bytes(), path.name)
    expected = "de" if path.name.startswith("lagermietvertrag") else "en"
    assert words_of(parsed).language == expected


def test_an_identifier_over_mapped_tables_gives_the_same_numbers(tmp_path: Path) -> None:
    made = language_identifier.__wrapped__()
    of_before = tmp_path / "models" / "languages-0.1-0123abcd"
    of_before.mkdir(parents=True)
    (of_before / "tk_row.npy").write_bytes(b"x")
    os.utime(of_before / "tk_row.npy", (0, 0))
    for _ in range(2):  # written, and found
        mapped = mapped_identifier(tmp_path / "models", DETECTABLE_LANGUAGES, lambda: made)
        for text in (*SENTENCES.values(), "", "1234", "\ud800"):
            assert mapped.rank(text) == made.rank(text)
    assert len(list((tmp_path / "models").iterdir())) == 1
    assert not of_before.exists(), "nobody opened it for a week"


def test_where_tables_cannot_be_written_the_process_holds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(detection, "_shared_folders", [tmp_path / "file"])
    assert language_identifier.__wrapped__().classify(SENTENCES["de"])[0] == "de"
