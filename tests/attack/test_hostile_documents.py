"""Documents that reach for the network, for files and for memory, where nothing can leave."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.attack.hostile_documents import INJECTION, RAN, SECRET, WORDS
from tests.folders import server_home

ROOT = Path(__file__).parents[2]
# Root keeps its own user, as the embedded Postgres runs under another one.
UNSHARE = ("unshare", "--net", *(() if os.getuid() == 0 else ("--map-current-user",)))
READABLE = (
    "page.html notes.md notes.rst notes.adoc paper.tex letter.eml form.pdf contract.docx "
    "prices.xlsx minutes.odt book.epub links.tar out.zip out.tar"
).split()
REFUSED = {
    "drawing.svg": "entity",
    "bomb.xml": "entity",
    "bomb.docx": "document type",
    "bomb.zip": "200 times its size",
    "nested.zip": "archives inside archives",
}


class Outcome(BaseModel):
    """What became of a document."""

    status: str
    text: str
    drawn: bool
    cause: str = ""


class Isolated(BaseModel):
    """What `isolated_ingestion` found."""

    documents: dict[str, Outcome]
    sent: dict[str, int]
    asked: int
    sent_by_an_attempt: dict[str, int]
    asked_by_an_attempt: int
    written: bool


@pytest.fixture(scope="module")
def isolated(model_home: Path) -> Isolated:
    if subprocess.run((*UNSHARE, "true"), check=False, capture_output=True).returncode:
        pytest.skip("no network namespace can be made here (unshare --net)")
    path = f"{ROOT}{os.pathsep}{ROOT / 'src'}"
    with server_home() as folder:
        ran = subprocess.run(
            (*UNSHARE, sys.executable, "-m", "tests.attack.isolated_ingestion", folder, model_home),
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
    assert ran.returncode == 0, ran.stderr.decode()
    return Isolated.model_validate(json.loads(ran.stdout))


def test_an_attempt_to_reach_out_is_counted(isolated: Isolated) -> None:
    assert isolated.asked_by_an_attempt == 1
    assert isolated.sent_by_an_attempt["Tcp ActiveOpens"] == 1
    assert isolated.sent_by_an_attempt["Ip OutNoRoutes"] == 1


def test_nothing_reaches_out(isolated: Isolated) -> None:
    assert isolated.sent == {"Tcp ActiveOpens": 0, "Udp OutDatagrams": 0, "Ip OutNoRoutes": 0}
    assert isolated.asked == 0


@pytest.mark.parametrize("name", READABLE)
def test_its_words_are_read_all_the_same(isolated: Isolated, name: str) -> None:
    assert isolated.documents[name].status == "indexed", isolated.documents[name].cause
    inside = isolated.documents["inside: words.txt"].text if name.endswith(("zip", "tar")) else ""
    assert WORDS in isolated.documents[name].text + inside


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_bomb_is_refused_with_its_reason(isolated: Isolated, name: str) -> None:
    assert isolated.documents[name].status == "failed"
    assert REFUSED[name] in isolated.documents[name].cause


def test_no_script_runs_and_no_file_of_this_machine_is_read(isolated: Isolated) -> None:
    texts = {name: outcome.text for name, outcome in isolated.documents.items()}
    assert [name for name, text in texts.items() if RAN in text or SECRET in text] == []
    assert [name for name, text in texts.items() if "root:" in text] == []
    assert not isolated.written


def test_pages_are_drawn_under_the_same_eyes(isolated: Isolated) -> None:
    assert isolated.documents["form.pdf"].drawn
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice, which draws office files, is not installed")
    office = ("contract.docx", "prices.xlsx", "minutes.odt")
    assert {name: isolated.documents[name].drawn for name in office} == dict.fromkeys(office, True)


@pytest.mark.skipif(not INJECTION.is_dir(), reason="the shared mails are not here")
def test_mails_that_give_orders_are_text_like_any_other(isolated: Isolated) -> None:
    mails = [each for name, each in isolated.documents.items() if name.startswith("mail-")]
    assert len(mails) == 5
    assert all(mail.status == "indexed" for mail in mails)
