"""Regenerate the binary sample documents from the texts under `sources/`.

    python examples/generate.py [--out DIR]

Markdown, HTML, CSV and plain text documents are kept as they are; only the others are written here.
"""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from generators import mail, pdf, scans, sheets, slides, word

HERE = Path(__file__).parent
DOCUMENTS = HERE / "documents"
DELIVERY_NOTE = "delivery-note-DN-7731.pdf"
CALIBRATION = "calibration-results.csv"


def _source(name: str) -> str:
    return (HERE / "sources" / name).read_text(encoding="utf-8")


def insurance_policy() -> bytes:
    """The policy POL-88213-X, a PDF of several pages."""
    return pdf.render(
        _source("insurance-policy.md"), footer="Greywether Mutual, policy POL-88213-X"
    )


def annual_report() -> bytes:
    """The annual report with its quarterly tables, a PDF of several pages."""
    return pdf.render(
        _source("annual-report-2024.md"), footer="Quillfen Buoyworks Ltd, Annual Report 2024"
    )


def warehouse_lease() -> bytes:
    """The lease of the Nordersiel warehouse, a German PDF."""
    return pdf.render(_source("lagermietvertrag-nordersiel.md"), footer="Mietvertrag MV-2023-311")


def harbour_contract() -> bytes:
    """The rental agreement CTR-2024/17-B, a DOCX."""
    return word.render(_source("harbour-contract.md"), written=datetime(2024, 6, 3, 9, tzinfo=UTC))


def price_list() -> bytes:
    """The price list with a sheet for hardware and one for services, an XLSX."""
    written = datetime(2025, 2, 1, 9, tzinfo=UTC)
    return sheets.render(
        _source("price-list-2025.md"),
        title="Price list, valid from 1 February 2025",
        written=written,
    )


def launch_deck() -> bytes:
    """The launch briefing for Pelorus 4 with speaker notes, a PPTX."""
    return slides.render(
        _source("pelorus-4-launch.md"), written=datetime(2025, 5, 22, 9, tzinfo=UTC)
    )


def supplier_email() -> bytes:
    """The email of a supplier with a PDF and a CSV attached."""
    attachments = {
        DELIVERY_NOTE: pdf.render(
            _source("delivery-note-DN-7731.md"), footer="Kestrel and Loom Sensors, DN-7731"
        ),
        CALIBRATION: _source(CALIBRATION).encode(),
    }
    return mail.render(_source("supplier-email.txt"), attachments=attachments)


GENERATED: dict[str, Callable[[], bytes]] = {
    "insurance-policy.pdf": insurance_policy,
    "annual-report-2024.pdf": annual_report,
    "lagermietvertrag-nordersiel.pdf": warehouse_lease,
    "harbour-contract.docx": harbour_contract,
    "price-list-2025.xlsx": price_list,
    "pelorus-4-launch.pptx": launch_deck,
    "supplier-email.eml": supplier_email,
    "scanned-invoice.pdf": scans.scanned_invoice,
    "battery-store-sign.png": scans.battery_store_sign,
}


def main() -> None:
    """Write every generated document into the folder given with --out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=DOCUMENTS,
        help="folder to write to (default: examples/documents)",
    )
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, make in GENERATED.items():
        (out / name).write_bytes(make())


if __name__ == "__main__":
    main()
