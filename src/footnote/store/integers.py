"""Arrays of numbers as Postgres wants them, without a Python object for each number."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from psycopg import AsyncConnection, postgres, pq
from psycopg.adapt import Buffer, Dumper

_INT4 = postgres.types["int4"]
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">i4")])


@dataclass(frozen=True, slots=True)
class Integers:
    """An `integer[]` to send; psycopg asks a Python object for each element of a list."""

    values: npt.NDArray[np.integer]
    """Shape (n,), each within 32 bits with sign."""


class IntegersDumper(Dumper):
    """Writes Integers in Postgres's binary format of arrays (array_recv in its arrayfuncs.c)."""

    format = pq.Format.BINARY
    oid = _INT4.array_oid

    def dump(self, obj: Integers) -> Buffer:
        """Dimensions, no nulls, element type; length, lower bound; size and value of each."""
        elements = np.empty(obj.values.size, dtype=_ELEMENT)
        elements["size"] = 4
        elements["value"] = obj.values
        if not obj.values.size:
            return struct.pack(">iii", 0, 0, _INT4.oid)
        return struct.pack(">iiiii", 1, 0, _INT4.oid, obj.values.size, 1) + elements.tobytes()


def register_integers(connection: AsyncConnection[object]) -> None:
    """Let the connection take Integers as a parameter."""
    connection.adapters.register_dumper(Integers, IntegersDumper)
