"""`footnote ingest`: files and folders become documents."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from footnote import open as opened
from footnote.domain import Document, DocumentStatus, Received, SourceType, Visibility
from footnote.domain.sources import Labels
from footnote.errors import InvalidRequest
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import ending_with, entered, prepared, wait_for
from footnote.interfaces.cli.options import (
    AsJson,
    Collection,
    Workspace,
    of_kind,
    workspace_name,
)
from footnote.interfaces.cli.paths import (
    InputPath,
    entries,
    location_below,
    parse_input_path,
    printable,
)
from footnote.interfaces.cli.receiving import (
    QueueFullNotice,
    announce_worker,
    files_source,
    sources_at,
)
from footnote.interfaces.cli.watching import watch_files
from footnote.jobs.inline import work_until_resting
from footnote.jobs.sources.following import follow
from footnote.settings import Settings

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine
    from footnote.jobs.sources.following import Source, Step

RESTING = (DocumentStatus.INDEXED, DocumentStatus.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one file."""

    path: Path
    """As it was named, links and all."""
    location: str = ""
    """Its external id."""
    received: Received | None = None
    refusal: str = ""
    verdict: str = ""
    """What following its source came to, see `jobs.sources.following`."""
    document: Document | None = None
    attachments: tuple[Document, ...] = field(default=())

    @property
    def failed(self) -> bool:
        """Whether it, or something attached to it, did not get through."""
        documents = (*self.attachments, *([self.document] if self.document else []))
        return bool(self.refusal) or any(
            document.status is DocumentStatus.FAILED for document in documents
        )


def ingest(
    *,
    context: typer.Context,
    places: Annotated[
        list[InputPath],
        typer.Argument(
            parser=parse_input_path,
            metavar="PLACE",
            help="Files, folders to walk, and addresses: https://, s3:// or imaps://.",
        ),
    ],
    collection: Collection = None,
    tags: Annotated[
        list[str] | None,
        typer.Option(
            "--tag",
            parser=of_kind("Tag"),
            metavar="TAG",
            help="Sort them under this; may be repeated.",
        ),
    ] = None,
    visibility: Annotated[
        Visibility | None,
        typer.Option(help="Who sees new ones beside those they are shared with."),
    ] = None,
    share_with: Annotated[
        list[str] | None,
        typer.Option(
            "--share-with",
            parser=of_kind("Subject"),
            metavar="NAME",
            help="A principal, or group:NAME, that sees new ones; may be repeated. Makes them "
            "private unless --visibility says otherwise.",
        ),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Index them now, or leave them to a worker."),
    ] = True,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            parser=of_kind("FilePattern"),
            metavar="PATTERN",
            help="Leave such files out; may be repeated.",
        ),
    ] = None,
    delete_missing: Annotated[
        bool, typer.Option("--delete-missing", help="Delete documents whose files are gone.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and follow every change until stopped.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Take files in and index them; what did not change is not even read."""
    settings = prepared()
    name = workspace_name(context, workspace)
    labels = Labels(
        collection=collection,
        tags=tuple(tags or ()),
        visibility=visibility,
        shared_with=None if share_with is None else tuple(share_with),
    )
    paths = [place.path for place in places if place.path is not None]
    addresses = [place.address for place in places if place.path is None]
    if watch:
        if as_json or addresses:
            raise InvalidRequest(
                "Only files and folders are watched, and without --json.",
                hint="Leave the addresses and --json out.",
            )
        wait_for(watch_files(settings, name, paths, tuple(ignore or ()), labels, index=wait))
        return
    files = list(entries(paths, ignore or ()))
    if not (files or addresses or delete_missing):
        raise InvalidRequest(
            "There is nothing to take in there.",
            hint="Name files, or folders with files that are not hidden.",
        )
    progress = _progress(visible=not as_json)
    tell = QueueFullNotice(console=progress.console, work=wait)
    address_sources = sources_at(addresses, settings, work=wait, tell=tell)
    ingested = ingest_files(
        settings,
        name,
        files,
        labels,
        progress,
        wait=wait,
        roots=paths,
        address_sources=address_sources,
        delete_missing=delete_missing,
    )
    outcomes: list[Outcome] = []
    with ending_with(lambda: int(any(outcome.failed for outcome in outcomes))):
        with progress:
            outcomes += wait_for(ingested)
        if as_json:
            counts = schemas.IngestCounts(**counts_of(outcomes))
            shapes = tuple(map(_ingested_file, outcomes))
            present.print_json(schemas.IngestReport(files=shapes, counts=counts))
        else:
            _show(outcomes)


async def ingest_files(
    settings: Settings,
    name: str | None,
    files: Sequence[Path],
    labels: Labels,
    progress: Progress,
    *,
    wait: bool,
    roots: Sequence[Path] = (),
    address_sources: Sequence[Source] = (),
    delete_missing: bool = False,
) -> list[Outcome]:
    """What became of each file; when interrupted, it says what remains to be done."""
    outcomes: list[Outcome] = []
    paths_by_location = {location_below(path, roots): path for path in files}
    documents: dict[UUID, Document] = {}
    sources = list(address_sources)
    if roots or files:
        tell = QueueFullNotice(console=progress.console, work=wait)
        sources.insert(0, files_source(lambda: files, roots, work=wait, tell=tell))
    async with opened(settings) as engine:
        workspace = await entered(engine, name)
        try:
            # How much an address holds is not known before it was followed.
            total = None if address_sources else len(files)
            reading = progress.add_task("taking in", total=total, stages="")
            completed = 0
            for source in sources:
                async for step in follow(
                    workspace, source, labels, delete_missing=delete_missing, retry_failed=True
                ):
                    file = paths_by_location.get(step.external_id, Path(step.external_id))
                    outcomes.append(await _outcome(workspace, step, file))
                    counts = step.verdict not in ("removed", "kept")
                    completed += counts
                    progress.update(reading, total=total and max(total, completed))
                    progress.advance(reading, counts)
            progress.update(reading, total=completed)
            order = {location: number for number, location in enumerate(paths_by_location)}
            outcomes.sort(key=lambda outcome: order.get(outcome.location, len(order)))
            documents.update(_accepted(outcomes))
            if not wait or not documents:
                return outcomes
            indexing = progress.add_task("indexing", total=len(documents), stages="")

            def show(changed: Mapping[UUID, Document]) -> None:
                documents.update(changed)
                resting = sum(document.status in RESTING for document in documents.values())
                progress.update(
                    indexing, total=len(documents), completed=resting, stages=stages(documents)
                )

            notify = partial(announce_worker, progress.console)
            show(await work_until_resting(engine, workspace, list(documents), show, notify))
        except asyncio.CancelledError:
            unfinished = await workspace.statuses(list(_accepted(outcomes)))
            sentence = remaining_work(unfinished, unread=len(files) - len(outcomes))
            progress.console.print(Text(sentence), soft_wrap=True)
            raise
        return [_with_documents(outcome, documents) for outcome in outcomes]


def _accepted(outcomes: Sequence[Outcome]) -> dict[UUID, Document]:
    return {
        outcome.document.document_id: outcome.document for outcome in outcomes if outcome.document
    }


def remaining_work(documents: Mapping[UUID, Document], *, unread: int) -> str:
    """What remains to be done after an interruption, and which command does it."""
    waiting = sum(document.status not in RESTING for document in documents.values())
    sentences = ["Interrupted."]
    if waiting:
        subject = "1 document waits" if waiting == 1 else f"{waiting} documents wait"
        sentences.append(
            f"{subject} to be indexed; `footnote worker` or `footnote serve` goes on with that."
        )
    if unread:
        subject = "1 file was" if unread == 1 else f"{unread} files were"
        sentences.append(f"{subject} not taken in; the same command takes in what is missing.")
    return " ".join(sentences)


async def _outcome(workspace: WorkspaceEngine, step: Step, path: Path) -> Outcome:
    received, document = step.received, None
    if received is not None:
        document = received.document
    elif step.entry is not None and step.verdict == "unchanged":
        document = await workspace.document(step.entry.document_id)
        received = Received(document=document, duplicate=True, new_version=False)
    return Outcome(
        path=path,
        location=step.external_id,
        received=received,
        document=document,
        refusal=printable(step.reason),
        verdict=step.verdict,
    )


def counts_of(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many things had each verdict."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    return {name: counts[name] for name in schemas.IngestCounts.__slots__}


def _with_documents(outcome: Outcome, documents: Mapping[UUID, Document]) -> Outcome:
    if outcome.document is None:
        return outcome
    document_id = outcome.document.document_id
    attachments = tuple(_attached(document_id, documents))
    return replace(outcome, document=documents[document_id], attachments=attachments)


def _attached(document_id: UUID, documents: Mapping[UUID, Document]) -> Iterator[Document]:
    """What is attached to a document, each followed by what is attached to it."""
    for document in documents.values():
        if document.parent_id == document_id:
            yield document
            yield from _attached(document.document_id, documents)


def stages(documents: Mapping[UUID, Document]) -> str:
    """How many documents are at which stage, in the order of the stages."""
    by_stage: dict[str, list[Document]] = {}
    for document in documents.values():
        working = document.status is DocumentStatus.INGESTING
        by_stage.setdefault((document.stage if working else document.status).value, []).append(
            document
        )
    order = ("queued", "receive", "parse", "chunk", "enrich", "embed", "publish")
    stage_names = [name for name in (*order, "indexed", "failed") if name in by_stage]
    return " · ".join(
        # Only a single document can show how far it has come.
        f"{len(by_stage[name])} "
        f"{present.stage_words(by_stage[name][0]) if len(by_stage[name]) == 1 else name}"
        if name in order[1:]
        else f"{len(by_stage[name])} {name}"
        for name in stage_names
    )


def _progress(*, visible: bool) -> Progress:
    return Progress(
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[stages]}[/dim]"),
        console=present.notices(),
        disable=not visible,
    )


def _show(outcomes: Sequence[Outcome]) -> None:
    console = present.terminal()
    listing = present.table("file", "status", "#pages", "#chunks", "")
    for outcome in outcomes:
        name = present.plain(printable(outcome.path.name))
        if outcome.verdict in ("removed", "kept", "waiting"):
            listing.add_row(name, Text(outcome.verdict), "", "", present.plain(outcome.refusal))
            continue
        if outcome.document is None:
            refused = Text("refused", style="bold red")
            listing.add_row(name, refused, "", "", present.plain(outcome.refusal))
            continue
        if outcome.document.source_type is SourceType.EMAIL:
            name = present.excerpt(outcome.document.title)  # its subject; its file is a number
        listing.add_row(name, *_cells(outcome.document, _remark(outcome)))
        for attachment in outcome.attachments:
            inner = f"└ {present.plain(attachment.filename)}"
            listing.add_row(inner, *_cells(attachment, ""))
    if listing.row_count:
        listing.show(console)
    counts = {name: count for name, count in counts_of(outcomes).items() if count}
    documents = [outcome.document for outcome in outcomes if outcome.document is not None]
    if failed := sum(document.status is DocumentStatus.FAILED for document in documents):
        counts["failed"] = failed
    if set(counts) - {"added"}:
        summary = " · ".join(f"{count} {name}" for name, count in counts.items())
        present.notices().print(Text(summary, style="dim"))


def _cells(document: Document, remark: str) -> tuple[Text, str, str, str]:
    pages, chunks = str(document.page_count or ""), str(document.chunk_count or "")
    status = present.status_text(document)
    return status, pages, chunks, present.failure_sentence(document) or remark


def _remark(outcome: Outcome) -> str:
    received = outcome.received
    if outcome.verdict in ("renamed", "retried"):
        return outcome.verdict
    if received is not None and received.duplicate:
        return "already there"
    if received is not None and received.new_version:
        return f"new version {received.document.version}"
    return ""


def _ingested_file(outcome: Outcome) -> schemas.IngestedFile:
    received = outcome.received
    return schemas.IngestedFile(
        path=printable(str(outcome.path)),
        duplicate=received is not None and received.duplicate,
        new_version=received is not None and received.new_version,
        document=outcome.document,
        attachments=outcome.attachments,
        refusal=outcome.refusal or None,
    )
