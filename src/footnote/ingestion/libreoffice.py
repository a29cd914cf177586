"""Convert office files with LibreOffice, with macros, links and the network disabled."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.sandbox import office_programs

PROGRAMS = ("soffice", "libreoffice")
INSTALL = (
    "apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"
)
FORMATS = {
    media.DOCX: (".docx", "writer"),
    media.DOC: (".doc", "writer"),
    media.ODT: (".odt", "writer"),
    media.RTF: (".rtf", "writer"),
    media.PPTX: (".pptx", "impress"),
    media.PPT: (".ppt", "impress"),
    media.ODP: (".odp", "impress"),
    media.XLSX: (".xlsx", "calc"),
    media.XLS: (".xls", "calc"),
    media.XLSB: (".xlsb", "calc"),
    media.ODS: (".ods", "calc"),
}
"""For each type that LibreOffice opens, its suffix and the application that opens it."""
_PDF_EXPORTS = {
    "writer": "pdf:writer_pdf_Export",
    # Hidden slides are counted in slide numbers, too.
    "impress": 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}',
    # One page per sheet, as pages were numbered when the file was parsed.
    "calc": 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}',
}
_OPEN_XML_EXPORTS = {
    "writer": (media.DOCX, "docx:MS Word 2007 XML"),
    "impress": (media.PPTX, "pptx:Impress MS PowerPoint 2007 XML"),
    "calc": (media.XLSX, "xlsx:Calc MS Excel 2007 XML"),
}
_IMPORT_FILTERS = {
    media.XLS: "MS Excel 97",
    media.XLSB: "Calc MS Excel 2007 Binary",
    media.ODS: "calc8",
}
"""Import filters for types of which LibreOffice would read a damaged file as plain text."""
_DEAD_PROXY = ("127.0.0.1", "9")
"""A proxy that does not exist, so that no network request succeeds despite the other settings."""
_SETTINGS = (
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Calc/Content/Update", "Link", "1"),
    ("Inet/Settings", "ooInetProxyType", "2"),
    ("Inet/Settings", "ooInetHTTPProxyName", _DEAD_PROXY[0]),
    ("Inet/Settings", "ooInetHTTPProxyPort", _DEAD_PROXY[1]),
    ("Inet/Settings", "ooInetHTTPSProxyName", _DEAD_PROXY[0]),
    ("Inet/Settings", "ooInetHTTPSProxyPort", _DEAD_PROXY[1]),
    ("Inet/Settings", "ooInetFTPProxyName", _DEAD_PROXY[0]),
    ("Inet/Settings", "ooInetFTPProxyPort", _DEAD_PROXY[1]),
    ("Inet/Settings", "ooInetNoProxy", ""),
)
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{items}
</oor:items>
"""


def find_office() -> str | None:
    """The program, if it is installed."""
    return next((program for name in PROGRAMS if (program := shutil.which(name))), None)


def require_office() -> str:
    """The program. Raises DocumentUnreadable with the command that installs it."""
    if program := find_office():
        return program
    raise unreadable(
        "pages of office files are drawn with LibreOffice, which is not installed here",
        f"install it with: {INSTALL}, or upload the file as PDF",
    )


def to_pdf(content: bytes, media_type: str) -> bytes:
    """Return the file as a PDF.

    Raises DocumentUnreadable when LibreOffice is not there or makes nothing of the file.
    """
    return _convert(content, media_type, _PDF_EXPORTS[FORMATS[media_type][1]])


def to_open_xml(content: bytes, media_type: str) -> tuple[bytes, str]:
    """Return the file as DOCX, PPTX or XLSX, and which of them. Raises as `to_pdf` does."""
    target, export = _OPEN_XML_EXPORTS[FORMATS[media_type][1]]
    return _convert(content, media_type, export), target


def _convert(content: bytes, media_type: str, export: str) -> bytes:
    """Run LibreOffice in the process group of the caller, with its limits and a fresh profile."""
    program = require_office()
    with TemporaryDirectory(prefix="footnote-") as name:
        folder = Path(name)
        source = folder / f"document{FORMATS[media_type][0]}"
        source.write_bytes(content)
        profile = folder / "profile"
        (profile / "user").mkdir(parents=True)
        items = "\n".join(
            f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
            f"<value>{value}</value></prop></item>"
            for path, name, value in _SETTINGS
        )
        registry = profile / "user" / "registrymodifications.xcu"
        registry.write_text(_PROFILE.format(items=items), encoding="utf-8")
        command = [
            # Not by its launcher script: a confined process may not run a shell.
            *(office_programs(program)[:1] or (program,)),
            f"-env:UserInstallation={profile.as_uri()}",
            *("--headless", "--invisible", "--norestore", "--nologo", "--nolockcheck"),
            "--nodefault",
        ]
        if media_type in _IMPORT_FILTERS:
            command.append(f"--infilter={_IMPORT_FILTERS[media_type]}")
        command += ["--convert-to", export, "--outdir", name, str(source)]
        environment = {**os.environ, "HOME": name, "TMPDIR": name}
        # The program is the installed LibreOffice, the arguments are ours, there is no shell.
        result = subprocess.run(command, capture_output=True, check=False, env=environment)
        output = folder / f"document.{export.partition(':')[0]}"
        if output.exists():
            return output.read_bytes()
    raise unreadable(
        "the file is damaged, or not what its type says: LibreOffice cannot open it "
        f"(exit code {result.returncode})",
        "open it in its own program, save it as PDF and upload that copy",
    )
