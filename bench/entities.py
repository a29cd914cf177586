"""How well names are found and linked, and what extracting entities costs.

    python bench/entities.py --data ../shared/data
    python bench/entities.py --documents FOLDER --json

`--data` names a folder with `facts`, `entities` and `matching`. `mentions` reads texts whose names
are marked and that nothing was fitted on (`named_texts.py`), as Footnote does, and gives precision,
recall and F1 of whole names with their kind. `clusters` joins the marked names of Re-DocRED's
documents and gives B³ (Bagga and Baldwin, 1998). `matching` links the records of organisations,
whose telephone number and address stand beside the name: precision and recall of pairs, for each
half of the true identities. `--spacy` gives the figures of `mentions` for a model of spaCy that is
installed, too. `--documents` ingests the files of a folder into a fresh installation and has their
entities extracted, which is what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import itertools
import resource
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from zlib import crc32

import footnote
from footnote.domain.entities import NAMED_KINDS, EntityKind, ExtractedEntity
from footnote.jobs.extracting import extract_entity_slice
from footnote.jobs.inline import work_until_resting
from footnote.knowledge.document_entities import entities_of
from footnote.knowledge.linking import best_link, keys_of, looked_up
from footnote.knowledge.mentions import Mention, mentions_of
from footnote.knowledge.names import normal_name, words_of
from footnote.models.reader import load_reader
from footnote.models.readers import packaged_file
from footnote.settings import settings_from
from installation import MODELS, share_models
from named_texts import Annotated, annotated
from reporting import finish, machine, show

SPACY_KINDS = {
    **{"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"},
    **dict.fromkeys(("NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"), "other"),
}
"""What OntoNotes' kinds are called here."""
CANDIDATES = 100
"""Of each key, as in the store."""
DIGITS_OF_NUMBER = 7
"""Of a telephone number, without the area."""


async def over_names(texts: Sequence[Annotated]) -> list[list[str]]:
    """Precision, recall and F1 of names, by corpus and kind."""
    file = packaged_file()
    assert file is not None, "the reader comes with Footnote"
    with tempfile.TemporaryDirectory(prefix="footnote-entities-") as home:
        share_models(MODELS, Path(home))
        reader = load_reader(file, Path(home) / "models", 2)
        named = await reader.names([each.text for each in texts])
        await reader.close()
    assert named is not None, "the head comes with the reader"
    found = (
        mentions_of(each.text, "en", spans, NAMED_KINDS)
        for each, spans in zip(texts, named, strict=True)
    )
    return figures_of(
        texts, [{(one.start, one.end, one.kind.value) for one in every} for every in found]
    )


def over_spacy(texts: Sequence[Annotated], model: str) -> list[list[str]]:
    """The same figures of a packaged model of spaCy, articles left out as the corpora do."""
    pipeline = import_module(model).load()
    read = pipeline.pipe((each.text for each in texts), disable=["parser", "lemmatizer"])
    return figures_of(
        texts,
        [
            {
                (one.start_char + 4 * one.text.lower().startswith("the "), one.end_char, kind)
                for one in document.ents
                if (kind := SPACY_KINDS.get(one.label_))
            }
            for document in read
        ],
    )


def figures_of(
    texts: Sequence[Annotated], named: Sequence[set[tuple[int, int, str]]]
) -> list[list[str]]:
    """Precision, recall and F1 of the names that were found in each text."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each, said in zip(texts, named, strict=True):
        true = set(each.spans)
        for kind in ("all", *(one.value for one in NAMED_KINDS)):
            ours, theirs = (
                {one for one in every if kind in ("all", one[2])} for every in (said, true)
            )
            counts[each.source, kind].update(
                said=len(ours), true=len(theirs), both=len(ours & theirs)
            )
    rows = []
    for (source, kind), count in sorted(counts.items()):
        if count["true"]:
            precision = count["both"] / max(1, count["said"])
            recall = count["both"] / count["true"]
            f1 = 2 * precision * recall / max(1e-9, precision + recall)
            figures = (f"{precision:.3f}", f"{recall:.3f}", f"{f1:.3f}", str(count["true"]))
            rows.append([source, kind, *figures])
    return rows


def over_clusters(texts: Iterable[Annotated]) -> dict[str, object]:
    """B³ of the entities that marked names are joined to."""
    precision = recall = 0.0
    mentions = 0
    for each in (one for one in texts if one.entities):
        kinds = {(start, end): kind for start, end, kind in each.spans}
        true = {
            span: number
            for number, entity in enumerate(each.entities)
            for span in entity
            if span in kinds
        }
        marked = [
            Mention(
                kind=(kind := EntityKind(kinds[span])),
                start=span[0],
                end=span[1],
                normal=normal_name(each.text[slice(*span)], kind) or each.text[slice(*span)],
                confidence=1.0,
            )
            for span in sorted(true)
        ]
        joined = {
            span: number
            for number, entity in enumerate(entities_of(each.text, marked))
            for span in entity.spans
        }
        for span, whose in true.items():
            ours = {one for one in true if joined[one] == joined[span]}
            theirs = {one for one, entity in true.items() if entity == whose}
            precision += len(ours & theirs) / len(ours)
            recall += len(ours & theirs) / len(theirs)
        mentions += len(true)
    precision, recall = precision / mentions, recall / mentions
    return {
        "mentions": mentions,
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(2 * precision * recall / (precision + recall), 3),
    }


def record_of(row: Mapping[str, str]) -> ExtractedEntity:
    """A record as an entity with its number and address beside it."""
    name, address = (" ".join(row[column].split()) for column in ("Site name", "Address"))
    digits = "".join(filter(str.isdigit, row["Phone"]))[-DIGITS_OF_NUMBER:]
    beside = []
    if digits:
        beside.append((EntityKind.PHONE, digits))
    if address:
        beside.append((EntityKind.ADDRESS, " ".join(words_of(address))))
    return ExtractedEntity(
        kind=EntityKind.ORGANISATION,
        name=name,
        forms=(name,),
        normals=(normal_name(name, EntityKind.ORGANISATION) or name,),
        spans=(),
        confidence=1.0,
        belongings=tuple(beside),
    )


def over_records(path: Path) -> dict[str, object]:
    """Pairs of records that are linked, and of these the ones that are."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    report: dict[str, object] = {"records": len(rows)}
    for half in (0, 1):
        records = [
            (row["True Id"], record_of(row))
            for row in rows
            if crc32(row["True Id"].encode()) % 2 == half
        ]
        known: dict[str, list[int]] = defaultdict(list)
        members: dict[int, list[int]] = defaultdict(list)
        whose: list[int] = []
        for number, (_, record) in enumerate(records):
            near = {at: None for key in looked_up(record) for at in known[key][:CANDIDATES]}
            found = best_link(record, ((whose[at], records[at][1]) for at in near))
            whose.append(number if found is None else found[0])
            members[whose[-1]].append(number)
            for key in set(keys_of(record)):
                known[key].append(number)
        said = [
            records[one][0] == records[two][0]
            for each in members.values()
            for one, two in itertools.combinations(each, 2)
        ]
        sizes = Counter(true for true, _ in records).values()
        pairs = sum(size * (size - 1) // 2 for size in sizes)
        report[f"precision_{half + 1}"] = round(sum(said) / len(said), 3)
        report[f"recall_{half + 1}"] = round(sum(said) / pairs, 3)
    return report


async def over_documents(folder: Path) -> dict[str, object]:
    """What extracting the entities of a folder's files costs."""
    with tempfile.TemporaryDirectory(prefix="footnote-entities-") as home:
        share_models(MODELS, Path(home))
        async with footnote.open(settings_from(None, {"home": home})) as engine:
            workspace = await engine.workspace()
            ids = []
            for path in sorted(each for each in folder.rglob("*") if each.is_file()):
                received = await workspace.receive_file(path)
                ids.append(received.document.document_id)
            began = perf_counter()
            rested = await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
            ingested = perf_counter() - began
            pages = sum(max(1, each.page_count or 1) for each in rested.values())
            # The reader's graph is built at the first use; ingestion used it where it looks for
            # orders to models.
            await workspace.change_setting("entities", "rules")
            memory, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, perf_counter()
            while (at := await workspace.entity_progress()).done + at.failed < at.documents:
                await extract_entity_slice(workspace.engine, workspace.workspace_id)
            seconds = perf_counter() - began
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
            began = perf_counter()
            listed = await workspace.entities(limit=200)
            listing = perf_counter() - began
    return {
        "documents": at.documents,
        "failed": at.failed,
        "pages": pages,
        "mentions": at.mentions,
        "in_two_documents_or_more": sum(each.documents > 1 for each in listed.entities),
        "ingestion_seconds": round(ingested, 1),
        "seconds": round(seconds, 1),
        "seconds_per_1000_pages": round(seconds / pages * 1000, 1),
        "memory_mb": round(grown / 1024),
        "listing_ms": round(1000 * listing, 1),
    }


async def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with facts, entities and matching")
    parser.add_argument("--documents", type=Path, help="folder whose files are ingested")
    parser.add_argument("--spacy", metavar="MODULE", help="a packaged model to compare with")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    if options.data is None and options.documents is None:
        parser.error("give --data, --documents or both")
    report: dict[str, object] = {"machine": machine()}
    if options.data is not None:
        texts = annotated(options.data)
        held_out = [each for each in texts if each.is_held_out]
        mentions = await over_names(held_out)
        columns = ("corpus", "kind", "precision", "recall", "F1", "names")
        show("mentions", columns, mentions)
        report["mentions"] = mentions
        if options.spacy:
            report["spacy"] = theirs = over_spacy(held_out, options.spacy)
            show(options.spacy, columns, theirs)
        report["clusters"] = over_clusters(texts)
        report["matching"] = over_records(options.data / "matching" / "people-with-true-ids.csv")
    if options.documents is not None:
        report["documents"] = await over_documents(options.documents)
    for name in ("clusters", "matching", "documents"):
        figures = report.get(name)
        if isinstance(figures, dict):
            show(name, ("figure", "value"), [[key, str(value)] for key, value in figures.items()])
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
