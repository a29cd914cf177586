"""Convert JSON to headings, lines of names and values, and tables of similar records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.code import read_code
from footnote.ingestion.parsing.drafts import Draft, Reading, line_drafts
from footnote.ingestion.parsing.markdown import markdown_drafts
from footnote.ingestion.parsing.tables import record_rows, table_drafts
from footnote.ingestion.terminal_codes import without_terminal_codes

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_MAX_HEADING_LEVEL = 3
_LINES_TOGETHER = 40
_TITLES = ("title", "name", "subject")
_ERROR = ("ename", "evalue")
"""Keys of an error in a notebook, beside its traceback."""


def read_json(text: str, filename: str) -> Reading:
    """Read a JSON document or a Jupyter notebook; what is not quite JSON is kept as code."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return read_code(text, filename)
    if isinstance(value, dict) and isinstance(value.get("cells"), list) and "nbformat" in value:
        return _read_notebook(value)
    title = _title(value) or PurePath(filename).stem
    return Reading(drafts=tuple(_value_drafts(value, 1)), title=title)


def read_json_lines(text: str, filename: str) -> Reading:
    """Read one record a line; a line that is not JSON is kept as it is."""
    records: list[Json] = []
    for line in filter(str.strip, text.splitlines()):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):
            records.append(line)
    if all(isinstance(record, str) for record in records):
        return read_code(text, filename)
    return Reading(drafts=tuple(_value_drafts(records, 1)), title=PurePath(filename).stem)


def _title(value: Json) -> str | None:
    if isinstance(value, dict):
        for key in _TITLES:
            title = value.get(key)
            if isinstance(title, str) and title.strip():
                return title
    return None


# --- objects and arrays ---------------------------------------------------------------------


def _value_drafts(value: Json, level: int) -> Iterator[Draft]:
    if isinstance(value, dict):
        # First the plain values of the object, then each nested value under its key.
        plain = {key: item for key, item in value.items() if _is_plain(item)}
        lines = (f"{key}: {_scalar_text(item)}" for key, item in plain.items())
        yield from line_drafts(lines, _LINES_TOGETHER)
        for key, item in value.items():
            if key in plain or not item:
                continue
            if level > _MAX_HEADING_LEVEL:
                yield from line_drafts(_flat_lines(key, item), _LINES_TOGETHER)
            else:
                yield Draft(kind=BlockKind.HEADING, text=key or "…", level=level)
                yield from _value_drafts(item, level + 1)
    elif isinstance(value, list):
        yield from _array_drafts(value, level)
    elif text := _scalar_text(value):
        yield Draft(kind=BlockKind.PARAGRAPH, text=text)


def _array_drafts(value: Sequence[Json], level: int) -> Iterator[Draft]:
    records = [dict(_flat(item)) for item in value if isinstance(item, dict)]
    if 1 < len(records) == len(value) and (rows := record_rows(records, 1)):
        yield from table_drafts(rows)
        return
    for number, item in enumerate(value, start=1):
        if _is_plain(item):
            yield from line_drafts([_scalar_text(item)], _LINES_TOGETHER)
        elif level > _MAX_HEADING_LEVEL:
            yield from line_drafts(_flat_lines(str(number), item), _LINES_TOGETHER)
        else:
            heading = _title(item) or str(number)
            yield Draft(kind=BlockKind.HEADING, text=heading, level=level)
            yield from _value_drafts(item, level + 1)


def _flat(value: Json) -> Iterator[tuple[str, str]]:
    """Yield every nested value with its path, in order, without recursion."""
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        dot = "." if path else ""
        if _is_plain(item):
            if text := _scalar_text(item):
                yield path, text
        elif isinstance(item, dict):
            waiting += reversed([(f"{path}{dot}{key}", child) for key, child in item.items()])
        elif isinstance(item, list):
            waiting += reversed([(f"{path}[{index}]", child) for index, child in enumerate(item)])


def _flat_lines(name: str, value: Json) -> Iterator[str]:
    for path, text in _flat(value):
        yield f"{name}{'' if path.startswith('[') or not path else '.'}{path}: {text}"


def _is_plain(value: Json) -> bool:
    """Whether a value fits on one line: a scalar, or a list of scalars."""
    if isinstance(value, list):
        return all(not isinstance(item, list | dict) for item in value)
    return not isinstance(value, dict)


def _scalar_text(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_scalar_text, value)))
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


# --- notebooks ------------------------------------------------------------------------------


def _read_notebook(notebook: Mapping[str, Json]) -> Reading:
    drafts: list[Draft] = []
    cells = notebook["cells"]
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict):
            continue
        text = _joined(cell.get("source"))
        if cell.get("cell_type") == "markdown":
            drafts += markdown_drafts(text)
        else:
            drafts.append(Draft(kind=BlockKind.CODE, text=text))
        # The text output of cells, without pictures.
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            if isinstance(output, dict):
                bundle = output.get("data")
                text_output = (
                    bundle.get("text/plain") if isinstance(bundle, dict) else output.get("text")
                )
                error = ": ".join(filter(None, (_joined(output.get(key)) for key in _ERROR)))
                drafts.append(Draft(kind=BlockKind.CODE, text=_joined(text_output) or error))
    metadata = notebook.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    reading_metadata: dict[str, MetadataValue] = {}
    if isinstance(language, str):
        reading_metadata["programming_language"] = language
    return Reading(drafts=tuple(drafts), metadata=reading_metadata)


def _joined(source: Json) -> str:
    """The text of a notebook's field, a string or a list of them, without terminal codes."""
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return without_terminal_codes(source) if isinstance(source, str) else ""
