"""What every shape has in common."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Metadata = dict[str, str | int | float | bool]
"""What a document's metadata looks like outside."""


class Shape(BaseModel):
    """A JSON object of ours, readable from a domain record with the same field names."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


def values_of(record: DataclassInstance) -> dict[str, object]:
    """The fields of a record, to be combined with others in one shape."""
    return {field.name: getattr(record, field.name) for field in fields(record)}
