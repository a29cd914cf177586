"""SQL statements: their text from `sql/`, arrays as their parameters, and their rows as records."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, LiteralString, TypeVar

import numpy as np
import numpy.typing as npt
from psycopg import AsyncConnection, postgres, pq
from psycopg.adapt import Buffer, Dumper
from psycopg.rows import DictRow

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_INCLUDE = re.compile(r"^-- include: (\w+)$", re.MULTILINE)
_INT4 = postgres.types["int4"]
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">i4")])


@cache
def load_statements(module: str) -> dict[str, LiteralString]:
    """Load the statements of `sql/<module>.sql`, by the name in their `-- name:` line.

    A line `-- include: NAME` stands for the statement of that name, which comes before it.
    """
    text = (files("footnote.store") / "sql" / f"{module}.sql").read_text(encoding="utf-8")
    pieces = _NAME.split(text)
    statements: dict[str, LiteralString] = {}
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        statements[name] = _INCLUDE.sub(lambda match: statements[match[1]], body.strip())
    return statements


def record_of(kind: type[Record], row: DictRow, /, **others: object) -> Record:
    """Build a record from the columns named like its fields; arrays become tuples.

    `others` are fields whose column has another name or type.
    """
    columns = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row.items()
        if name in kind.__dataclass_fields__
    }
    return kind(**{**columns, **others})


@dataclass(frozen=True, slots=True)
class Integers:
    """A parameter of type `integer[]`; for a list, psycopg makes an object of each element."""

    values: npt.NDArray[np.integer]
    """Shape (n,), each within 32 bits with sign."""


class _IntegersDumper(Dumper):
    """Writes Integers in Postgres's binary format of arrays (array_recv in its arrayfuncs.c)."""

    format = pq.Format.BINARY
    oid = _INT4.array_oid

    def dump(self, obj: Integers) -> Buffer:
        """Write dimensions, no nulls, element type; length, lower bound; size and value of each."""
        elements = np.empty(obj.values.size, dtype=_ELEMENT)
        elements["size"] = 4
        elements["value"] = obj.values
        if not obj.values.size:
            return struct.pack(">iii", 0, 0, _INT4.oid)
        return struct.pack(">iiiii", 1, 0, _INT4.oid, obj.values.size, 1) + elements.tobytes()


def register_integers(connection: AsyncConnection[object]) -> None:
    """Let the connection take Integers as a parameter."""
    connection.adapters.register_dumper(Integers, _IntegersDumper)
