"""LibreOffice turns an office file into a PDF, with macros, links and the network switched off."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media

PROGRAMS = ("soffice", "libreoffice")
INSTALL = (
    "apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"
)
_WRITER = "writer_pdf_Export"
_SLIDES = 'impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}'
"""Hidden slides have numbers too."""
_SHEETS = 'calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}'
"""A page for each sheet, as they were numbered when the file was read."""
FILTERS = {
    media.DOCX: (".docx", _WRITER),
    media.DOC: (".doc", _WRITER),
    media.ODT: (".odt", _WRITER),
    media.RTF: (".rtf", _WRITER),
    media.PPTX: (".pptx", _SLIDES),
    media.PPT: (".ppt", _SLIDES),
    media.ODP: (".odp", _SLIDES),
    media.XLSX: (".xlsx", _SHEETS),
    media.XLS: (".xls", _SHEETS),
    media.ODS: (".ods", _SHEETS),
}
"""For each type that can be shown its ending and how it is printed."""
_NOWHERE = ("127.0.0.1", "9")
"""The discard port: what asks for an address in spite of all the rest is told nothing."""
_SETTINGS = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Misc", "FirstRun", "false"),
    ("Writer/Content/Update", "Link", "0"),
    ("Calc/Content/Update", "Link", "1"),
    ("Inet/Settings", "ooInetProxyType", "2"),
    ("Inet/Settings", "ooInetHTTPProxyName", _NOWHERE[0]),
    ("Inet/Settings", "ooInetHTTPProxyPort", _NOWHERE[1]),
    ("Inet/Settings", "ooInetHTTPSProxyName", _NOWHERE[0]),
    ("Inet/Settings", "ooInetHTTPSProxyPort", _NOWHERE[1]),
    ("Inet/Settings", "ooInetFTPProxyName", _NOWHERE[0]),
    ("Inet/Settings", "ooInetFTPProxyPort", _NOWHERE[1]),
    ("Inet/Settings", "ooInetNoProxy", ""),
)
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{items}
</oor:items>
"""


def find_office() -> str:
    """The program. Raises DocumentUnreadable with the command that installs it."""
    for name in PROGRAMS:
        if program := shutil.which(name):
            return program
    raise DocumentUnreadable(
        stage=Stage.PARSE,
        cause="pages of office files are drawn with LibreOffice, which is not installed here",
        advice=f"install it with: {INSTALL}, or upload the file as PDF",
    )


def to_pdf(content: bytes, media_type: str, folder: Path) -> bytes:
    """The file as a PDF, made in a folder that is empty and stays private.

    LibreOffice stays in the process group of the caller, with its limits. Raises
    DocumentUnreadable when it is not there or makes nothing of the file.
    """
    program = find_office()
    ending, printed = FILTERS[media_type]
    source = folder / f"document{ending}"
    source.write_bytes(content)
    profile = folder / "profile"
    _write_profile(profile)
    command = [
        program,
        f"-env:UserInstallation={profile.as_uri()}",
        *("--headless", "--invisible", "--norestore", "--nologo", "--nolockcheck", "--nodefault"),
        *("--convert-to", f"pdf:{printed}", "--outdir", str(folder), str(source)),
    ]
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
    # The program is the installed LibreOffice, the arguments are ours, there is no shell.
    result = subprocess.run(command, capture_output=True, check=False, env=environment)
    target = folder / "document.pdf"
    if not target.exists():
        said = " ".join(result.stderr.decode("utf-8", "replace").split())[-200:]
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause=f"LibreOffice could not draw it (exit code {result.returncode}: {said})",
            advice="open it in its own program, save it as PDF and upload that copy",
        )
    return target.read_bytes()


def _write_profile(profile: Path) -> None:
    (profile / "user").mkdir(parents=True)
    items = "\n".join(
        f'<item oor:path="/org.openoffice.{_path(path)}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{escape(value)}</value></prop></item>"
        for path, name, value in _SETTINGS
    )
    text = _PROFILE.format(items=items)
    (profile / "user" / "registrymodifications.xcu").write_text(text, encoding="utf-8")


def _path(path: str) -> str:
    return path if path.startswith("Inet/") else f"Office.{path}"
