"""A document is about the contract, policy or invoice whose number it states as its own."""

from __future__ import annotations

import pytest

from footnote.domain import BlockKind
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.knowledge.facts import extract_facts, keys_of
from footnote.knowledge.subject_numbers import distinguishing_number, subject_number
from footnote.knowledge.texts import DocumentText, TextBlock


def document(text: str, title: str = "Letter", language: str = "en") -> DocumentText:
    block = TextBlock(kind=BlockKind.PARAGRAPH, start=0, end=len(text), headings=(title,))
    return DocumentText(text=text, title=title, language=language, blocks=(block,))


@pytest.mark.parametrize(
    ("text", "title", "number"),
    [
        ("Policy number: HH-2024-118", "Letter", "hh2024118"),
        ("**Policy no.:** HH 2024", "Letter", None),
        ("- **Contract No.** C/4711-B", "Letter", "c4711b"),
        ("| Policy number | HH-2024-118 |\n|---|---|\n| Limit | 5 EUR |", "Letter", "hh2024118"),
        ("Vertragsnummer: V-2024.77", "Brief", "v202477"),
        ("Versicherungsschein-Nr.: 12345678", "Brief", "policy 12345678"),
        ("Ihre Vertragsnr. V-2024.77", "Brief", "v202477"),
        ("Numéro de contrat : CT-0098", "Lettre", "ct0098"),
        ("N° de police : 99887766", "Lettre", "policy 99887766"),
        ("Número de póliza: PZ-4456", "Carta", "pz4456"),
        ("合同编号:HT-2024-009", "信", "ht2024009"),
        ("Nothing to see.", "Policy HH-2024-118", "hh2024118"),
        ("Nothing to see.", "Endorsement 2 to policy no. 44556677", "policy 44556677"),
        # An invoice for a contract is about the invoice.
        ("Invoice number: R-2024-5\nContract number: C-4711", "Letter", "r20245"),
        # Said twice, it is said.
        ("Policy number: HH-2024-118", "Policy HH 2024-118", "hh2024118"),
        # Also where its number is too short to tell it from all others: it is about none, then.
        ("Invoice number: INV-1\nContract number: ZT-7781", "Letter", None),
        ("Invoice number: 17\nContract number: ZT-7781", "Letter", None),
        ("| Order no. | 3 |\n|---|---|\n| Contract number | ZT-7781 |", "Letter", None),
        ("Rechnungs-Nr.: RE 17 vom 3. Mai\nVertragsnummer: ZT-7781", "Brief", None),
        ("Contract number: ZT-7781", "Invoice 17", None),
        ("Contract number: ZT-7781", "Invoice no. 3", None),
        ("Invoice number: pending\nContract number: ZT-7781", "Letter", "zt7781"),
        ("Invoice number: as agreed in 2024\nContract number: ZT-7781", "Letter", "zt7781"),
        ("Contract number: ZT-7781", "Order 2024", "zt7781"),
        # Another's, a list, a year, a count, and what is no number.
        ("It replaces policy number HH-2024-118.", "Letter", None),
        ("Policy number: HH-2024-118\nPolicy number: HH-2024-119", "Letter", None),
        ("See below.", "Policy FY2024", None),
        ("See below.", "Contract 2024", None),
        ("Order number: 12", "Letter", None),
        ("Claim number: pending", "Letter", None),
        ("Policy: HH-2024-118 and others", "Letter", None),
    ],
)
def test_a_document_is_about_the_number_it_states(
    text: str, title: str, number: str | None
) -> None:
    found = subject_number(document(text, title))
    assert (found and found.key) == number


def claims(text: str, title: str) -> dict[str, str]:
    """The claim of each fact by its predicate."""
    whole = document(text, title)
    found: list[ExtractedFact] = extract_facts(whole, tuple(FactKind))
    numbers = subject_number(whole), distinguishing_number(whole)
    return {each.predicate: keys_of(each, title, *numbers).claim for each in found}


POLICY = "Policy number: HH-2024-118\nDeductible: 250 EUR\nDate: 3 May 2024\nFloor: 3\n"


def test_amounts_under_one_number_are_compared_whatever_their_documents_are_called() -> None:
    own, letter = claims(POLICY, "Home policy"), claims(POLICY, "Renewal")
    assert own["Deductible"] == letter["Deductible"]
    # What may be of the paper rather than the contract is compared under one title alone.
    assert own["Date"] != letter["Date"]
    assert own["Floor"] != letter["Floor"]


def test_another_number_another_key_another_period_is_another_claim() -> None:
    own = claims(POLICY, "Home policy")["Deductible"]
    assert claims(POLICY.replace("118", "119"), "Home policy")["Deductible"] != own
    assert claims(POLICY.replace("HH-2024-118", "pending"), "Home policy")["Deductible"] != own
    excess = claims(POLICY.replace("Deductible", "Excess"), "Home policy")
    assert own not in excess.values()
    dated = claims(POLICY.replace("Deductible", "Deductible 2023"), "Home policy")
    assert own not in dated.values()


@pytest.mark.parametrize("short", ["INV-1", "17"])
def test_amounts_of_an_invoice_are_not_those_of_its_contract(short: str) -> None:
    contract = claims("Contract number: ZT-7781\nTotal: 9,000 EUR\n", "Contract")
    invoice = f"Invoice number: {short}\nContract number: ZT-7781\nTotal: 750 EUR\n"
    assert claims(invoice, "Invoice")["Total"] != contract["Total"]


def test_invoices_of_one_title_and_short_numbers_are_not_compared_with_each_other() -> None:
    said = "Invoice number: {}\nTotal: 750 EUR\n"
    own = claims(said.format("17"), "Invoice")["Total"]
    assert claims(said.format("17"), "Invoice")["Total"] == own
    assert claims(said.format("18"), "Invoice")["Total"] != own
    assert claims(said.format("RE 17 of 3 May"), "Invoice")["Total"] != own
    assert (
        claims("Total: 750 EUR\n", "Invoice 17")["Total"]
        != (claims("Total: 750 EUR\n", "Invoice 18")["Total"])
    )


def test_sentences_are_not_compared_beyond_their_title() -> None:
    text = "Policy number: HH-2024-118\n\nThe insurer pays 250 EUR."
    assert claims(text, "One")["pays"] != claims(text, "Two")["pays"]
