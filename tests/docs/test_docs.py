"""What the docs mention exists, and what exists they mention."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import cast, get_args, get_type_hints

import pytest
import typer.main

import footnote
from footnote import errors
from footnote.domain import (
    AnswerEvent,
    BlockKind,
    DocumentClass,
    DocumentSort,
    DocumentStatus,
    SortOrder,
    SourceType,
    Stage,
    Workspace,
)
from footnote.domain.backups import (
    Backup,
    BackupList,
    BackupVerification,
    PrunedBackups,
    Restoration,
)
from footnote.domain.distribution import ClusterMove, ClusterPlan, ClusterStatus
from footnote.domain.encryption import (
    Destruction,
    EncryptionStatus,
    KeyExport,
    KeyImport,
    MasterKeyRotation,
)
from footnote.domain.events import Event
from footnote.domain.personal_data import PersonalDataExport
from footnote.domain.tracing import Trace
from footnote.domain.upgrading import Upgrade
from footnote.interfaces import schemas
from footnote.interfaces.answer_events import AnswerError, AnswerTool
from footnote.interfaces.cli.main import COMMANDS as LOADED
from footnote.interfaces.cli.main import app, load_command
from footnote.interfaces.failures import FAILURES
from footnote.interfaces.http import requests
from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.openapi import answers_of, records_in
from footnote.interfaces.schemas import adapter
from footnote.retrieval.query import MAX_QUERY_CHARACTERS
from footnote.settings import COMMAND_LINE_VARIABLES, Settings
from footnote.validation.constrained_types import MAX_PAGE
from tests.interfaces.description import DESCRIPTION

from .pages import ROOT, Page, page, pages

MEASURED = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "src/footnote").rglob("*.py")
)
"""The code, in which each name of a span, a metric and an attribute stands in quotes."""
PAGES = [pytest.param(each, id=each.name) for each in pages()]
FOREIGN_FOLDERS = ("apps/", "https:/", "http:/", "urn:")
FILE_NAME = re.compile(
    r"\.?[\w.\-]+(?:/[\w.\-]+)*\.(?:py|md|sql|toml|yaml|jsonl|lock|pdf|docx|xlsx|pptx|html|csv|eml|png|txt)"
    r"|(?:src|tests|docs|bench|examples|\.ci)/[\w./\-]*"
)
INVENTED = {
    "policy.pdf",
    "page.png",
    "server.log",
    "delivery-note-DN-7731.pdf",
    "calibration-results.csv",
}
"""File names of stories, and of files that exist only at run time or inside others."""
REFUSALS = {
    "unauthorized",
    "bad-request",
    "no-such-route",
    "method-not-allowed",
    "content-too-large",
    "range-not-satisfiable",
    "not-local",
    "foreign-origin",
    "misdirected-request",
}
"""Problems of HTTP alone, which no error of the engine becomes."""
VARIABLE = re.compile(r"FOOTNOTE_[A-Z][A-Z_]*[A-Z]")
COMMAND = re.compile(r"^footnote (?!\.)(.+)$")
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")
ROUTE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) (/[\w/{}.-]*)")
URL = re.compile(r"http://127\.0\.0\.1:8080(/[^\s'\"`)]*)")
TARGET = re.compile(r"^make ([a-z]+)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line, with the spellings of its options."""

    words: tuple[str, ...]
    options: frozenset[str]


class Node:
    """What typer's command objects have that we look at."""

    params: list[Node]
    commands: dict[str, Node]
    opts: list[str]
    secondary_opts: list[str]
    hidden: bool
    envvar: str | None


def _walk(node: Node, words: tuple[str, ...] = ()) -> Iterator[Command]:
    options = {
        spelling
        for parameter in node.params
        if not getattr(parameter, "hidden", False)
        for spelling in (*parameter.opts, *parameter.secondary_opts)
        if spelling.startswith("-")
    }
    yield Command(words, frozenset(options))
    for name, child in getattr(node, "commands", {}).items():
        yield from _walk(child, (*words, name))


ROOT_NODE = cast("Node", typer.main.get_command(app))
ROOT_NODE.commands = {name: cast("Node", load_command(name)) for name in LOADED}
COMMANDS = {command.words: command for command in _walk(ROOT_NODE)}
GROUPS = {words[:-1] for words in COMMANDS if words}
LEAVES = [words for words in COMMANDS if words not in GROUPS]
EVERYWHERE = COMMANDS[()].options | {"--help", "-h", "--json"}


@cache
def routes() -> set[tuple[str, str]]:
    described = DESCRIPTION["paths"]
    return {(method.upper(), path) for path, methods in described.items() for method in methods}


def paths_of(mentioned: str) -> list[Path]:
    return [ROOT / mentioned, ROOT / "src/footnote" / mentioned]


def generated_settings() -> str:
    spec = importlib.util.spec_from_file_location("generated", ROOT / "docs/generate_settings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.render())


# --- files and links --------------------------------------------------------------------------


@pytest.mark.parametrize("each", PAGES)
def test_every_link_leads_somewhere(each: Page) -> None:
    for link in each.links:
        target, _, anchor = link.partition("#")
        path = each.path.parent / target if target else each.path
        assert path.exists(), f"{each.name} links to {link}"
        assert not anchor or anchor in Page(path).anchors, f"{each.name} links to {link}"


@pytest.mark.parametrize("each", PAGES)
def test_every_file_that_is_mentioned_exists(each: Page) -> None:
    spans = [span for span in each.code if not span.startswith(FOREIGN_FOLDERS)]
    mentioned = {word for span in spans for word in span.split() if FILE_NAME.fullmatch(word)}
    beside = each.path.parent
    missing = [
        name
        for name in sorted(mentioned - INVENTED)
        if not any(path.exists() for path in [*paths_of(name), beside / name])
        and not any(beside.rglob(name))
    ]
    assert missing == []


def test_every_module_of_the_journey_is_named_in_the_architecture() -> None:
    text = page("ARCHITECTURE.md").text
    rooms = sorted(
        path.name
        for path in (ROOT / "src/footnote").iterdir()
        if path.is_dir() and (path / "__init__.py").exists()
    )
    assert [room for room in rooms if f"src/footnote/{room}" not in text] == []


# --- settings ---------------------------------------------------------------------------------


def test_the_settings_page_is_the_generated_one() -> None:
    assert page("docs/settings.md").text == generated_settings(), "run: make docs"


# A changelog names what is gone.
@pytest.mark.parametrize("each", [page for page in PAGES if page.id != "CHANGELOG.md"])
def test_every_variable_that_is_mentioned_exists(each: Page) -> None:
    known = {f"FOOTNOTE_{name.upper()}" for name in Settings.model_fields}
    known |= {parameter.envvar or "" for parameter in ROOT_NODE.params}
    for file in ("tests/conftest.py", "tests/parts.py"):
        known |= set(VARIABLE.findall((ROOT / file).read_text(encoding="utf-8")))
    known |= {"FOOTNOTE_TEST_DATA", *COMMAND_LINE_VARIABLES}
    assert set(VARIABLE.findall(each.text)) <= known


# --- the command line -------------------------------------------------------------------------


def called(span: str) -> tuple[Command, set[str]] | None:
    """The command a code span calls, and the options it is given."""
    match = COMMAND.match(span)
    if match is None:
        return None
    given = re.sub(r"--workspace \S+|\"[^\"]*\"", "", match[1])
    words = tuple(word for word in given.split() if re.fullmatch(r"[a-z]+(?:-[a-z]+)*", word))
    best = max((known for known in COMMANDS if words[: len(known)] == known), key=len)
    assert best or not words, f"there is no command in {span!r}"
    assert best not in GROUPS or not words or best == words, f"no such command: {span!r}"
    return COMMANDS[best], set(OPTION.findall(given))


@pytest.mark.parametrize("each", PAGES)
def test_every_command_that_is_mentioned_exists(each: Page) -> None:
    for span in each.code:
        call = called(span)
        if call is not None:
            command, options = call
            assert options <= command.options | EVERYWHERE, f"{each.name}: {span}"


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_command_and_option_is_described(words: tuple[str, ...]) -> None:
    reference = page("docs/cli.md")
    section = reference.section(f"`footnote {' '.join(words)}")
    common = reference.section("Common options")
    described = set(OPTION.findall(section)) | set(OPTION.findall(common))
    assert COMMANDS[words].options <= described


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_no_option_is_described_that_a_command_lacks(words: tuple[str, ...]) -> None:
    section = page("docs/cli.md").section(f"`footnote {' '.join(words)}")
    assert set(OPTION.findall(section)) <= COMMANDS[words].options


def test_every_exit_code_is_described() -> None:
    codes = {failure.exit_code for failure in FAILURES.values()}
    section = page("docs/cli.md").section("Exit codes")
    assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}


@pytest.mark.parametrize("each", PAGES)
def test_every_make_target_that_is_mentioned_exists(each: Page) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    mentioned = {match[1] for span in each.code if (match := TARGET.match(span))}
    assert mentioned <= targets


# --- HTTP and JSON ----------------------------------------------------------------------------


@pytest.mark.parametrize("each", PAGES)
def test_every_route_that_is_mentioned_exists(each: Page) -> None:
    known = routes()
    assert set(ROUTE.findall(each.text)) <= known
    patterns = [re.sub(r"{\w+}", "[^/]+", path) for _, path in known]
    for path in URL.findall(each.text):
        assert any(re.fullmatch(pattern, path) for pattern in patterns), f"{each.name}: {path}"


@pytest.mark.parametrize("name", ["docs/http-api.md", "docs/json.md"])
def test_every_route_is_described(name: str) -> None:
    assert routes() <= set(ROUTE.findall(page(name).text))


def test_every_kind_of_problem_is_described() -> None:
    section = page("docs/http-api.md").section("Errors")
    codes = {failure.code for failure in FAILURES.values()} | REFUSALS
    assert [code for code in sorted(codes) if f"`{code}`" not in section] == []


def test_every_limit_is_the_one_that_holds() -> None:
    text = page("docs/http-api.md").text
    assert f"up to {MAX_QUERY_CHARACTERS:,} characters" in text
    assert f"`limit` (1 to {MAX_PAGE})" in text
    assert f"1 to {MAX_PAGE};" in page("docs/cli.md").section("`footnote documents list")


@pytest.mark.parametrize("request_shape", [requests.Search, requests.Context, requests.Question])
def test_every_field_of_a_request_is_described(
    request_shape: type[requests.Search | requests.Context | requests.Question],
) -> None:
    text = page("docs/http-api.md").text
    fields = set(request_shape.model_fields) | {
        f"filters.{name}" for name in requests.Filters.model_fields
    }
    missing = [name for name in sorted(fields) if not re.search(rf"[`\"]{name}[`\"]", text)]
    assert missing == []


SERVED = (
    *answers_of(create_app().state.routers),
    *(each for each in vars(schemas).values() if isinstance(each, type) and is_dataclass(each)),
    *get_args(AnswerEvent),
    AnswerTool,
    AnswerError,
    Event,
    Workspace,
    Destruction,
    EncryptionStatus,
    KeyExport,
    KeyImport,
    MasterKeyRotation,
    PersonalDataExport,
    ClusterMove,
    ClusterPlan,
    ClusterStatus,
    Backup,
    BackupList,
    BackupVerification,
    PrunedBackups,
    Restoration,
    Trace,
    Upgrade,
)
NOT_SERVED_THEMSELVES = {
    "AnswerDone",
    "AnswerFailed",
    "ChatModel",
    "CitationMade",
    "EventCursor",
    "MarkedQuote",
    "ModelsHere",
    "ModelsInUse",
    "PageRectangles",
    "SuggestionsMade",
    "ToolCalled",
    "ToolReturned",
    "UsageCounted",
}
RECORDS: dict[str, type] = {
    record.__name__: record
    for record in records_in(SERVED)
    if record.__name__ not in NOT_SERVED_THEMSELVES
}


VALUES: tuple[type[StrEnum], ...] = (
    *(DocumentStatus, Stage, SourceType, DocumentClass, BlockKind),
    *(DocumentSort, SortOrder),
)


def members(record: type) -> set[str]:
    schema = adapter(record).json_schema(mode="serialization")
    if "$ref" in schema:
        schema = schema["$defs"][record.__name__]
    return set(schema["properties"])


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_every_member_of_every_record_is_described(name: str) -> None:
    section = page("docs/json.md").section(f"{name}\n")
    own = members(RECORDS[name])
    described = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    for field, kind in get_type_hints(RECORDS[name]).items():
        if (
            field not in own
            and isinstance(kind, type)
            and is_dataclass(kind)
            and f"[{kind.__name__}](" in section
        ):
            described |= members(kind)
    assert described == own


def test_no_record_is_described_that_does_not_exist() -> None:
    sections = re.findall(r"^### (\w+)$", page("docs/json.md").text, re.MULTILINE)
    values = {kind.__name__ for kind in VALUES}
    assert set(sections) == set(RECORDS) | values


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_is_described(kind: type[StrEnum]) -> None:
    described = re.findall(r"`(\w+)`", page("docs/json.md").section(f"{kind.__name__}\n"))
    assert {value.value for value in kind} <= set(described)


# --- Python -----------------------------------------------------------------------------------


def test_every_error_is_described() -> None:
    text = page("docs/python.md").text.partition("## What can go wrong")[2]
    kinds = inspect.getmembers(errors, inspect.isclass)
    names = [name for name, kind in kinds if issubclass(kind, errors.FootnoteError)]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_public_name_is_described() -> None:
    text = page("docs/python.md").text
    missing = [name for name in footnote.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []


@pytest.mark.parametrize("each", PAGES)
def test_every_public_name_that_is_mentioned_exists(each: Page) -> None:
    modules = {path.stem for path in (ROOT / "src/footnote").iterdir()}
    spans = [*each.code, *each.blocks("python")]
    if each.name == "docs/telemetry.md":  # spans and metrics begin with our name, too
        spans = [span for span in spans if f'"{span}"' not in MEASURED]
    mentioned = {name for span in spans for name in re.findall(r"\bfootnote\.(\w+)\b", span)}
    assert mentioned <= {*footnote.__all__, *modules, "__all__"}


@pytest.mark.parametrize("each", PAGES)
def test_every_verb_in_a_snippet_exists(each: Page) -> None:
    for snippet in each.blocks("python"):
        tree = compile(
            snippet, each.name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        )
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = {
                    "engine": (footnote.Engine, footnote.SyncEngine),
                    "workspace": (footnote.WorkspaceEngine, footnote.SyncWorkspaceEngine),
                }.get(node.value.id)
                assert owner is None or any(hasattr(each, node.attr) for each in owner), node.attr


def test_the_snippet_of_the_readme_runs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("home", "database_url", "owner_database_url"):
        monkeypatch.setenv(f"FOOTNOTE_{name.upper()}", str(getattr(settings, name)))
    monkeypatch.chdir(ROOT)
    [snippet] = page("README.md").blocks("python")
    exec(compile(snippet, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert "Greywether Mutual Insurance Society" in said
    assert re.search(r" \[(\d+)\]\n\1 insurance-policy\.pdf 1 ", said)


# --- the project ------------------------------------------------------------------------------


def test_every_dependency_has_its_sentence_and_no_other_has_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(each for group in project["project"]["optional-dependencies"].values() for each in group),
        *(each for group in project["dependency-groups"].values() for each in group),
    ]
    names = {re.split(r"[^\w.-]", requirement)[0] for requirement in wanted}
    record = page("docs/decisions/0013-dependencies.md").text
    assert [name for name in sorted(names) if f"`{name}`" not in record] == []
    described = set(re.findall(r"^\| `([\w.-]+)` \|", record, re.MULTILINE))
    assert described <= names


@pytest.mark.parametrize("name", ["README.md", "docs/getting-started.md"])
def test_one_command_installs_everything(name: str) -> None:
    installing = re.findall(r"^pip install (.+)$", page(name).text, re.MULTILINE)
    assert installing == ["./packages/models '.[ocr]'"]


def test_every_page_has_a_place_in_the_navigation_of_the_site() -> None:
    configured = (ROOT / "docs/site.toml").read_text(encoding="utf-8")
    names = [each.name for each in pages() if "decisions/0" not in each.name]
    assert [name for name in names if f'"{name}"' not in configured] == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs/decisions"
    listed = set(page("docs/decisions/README.md").links)
    assert {path.name for path in folder.glob("0*.md")} == listed


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs/decisions").glob("0*.md")), ids=lambda path: path.stem
)
def test_every_decision_has_its_four_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for part in ("Context", "Choice", "Cost", "What would change our mind"):
        assert f"**{part}.**" in text


def test_the_hooks_fetch_nothing() -> None:
    configuration = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"repo: (.+)", configuration)) == {"local"}
    assert all(
        entry.startswith(".venv/bin/") for entry in re.findall(r"entry: (.+)", configuration)
    )
