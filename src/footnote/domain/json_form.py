"""How a record looks as JSON where that is not simply its fields; pydantic's adapters ask for it.

Pydantic is imported only once it asks, so that the domain depends on the standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar, cast, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core.core_schema import (
        CoreSchema,
        DataclassArgsSchema,
        DataclassSchema,
        SerializerFunctionWrapHandler,
    )

Record = TypeVar("Record", bound=type)

_MEMBERS = "footnote_members"


def json_form(
    *,
    flat: str | None = None,
    hidden: tuple[str, ...] = (),
    computed: tuple[str, ...] = (),
    names: Mapping[str, str] | None = None,
) -> Callable[[Record], Record]:
    """Declare how a dataclass differs from its JSON; stands above `@dataclass`.

    The members of the record in the field `flat` stand beside the other members, which win over
    those of the same name. Fields in `hidden` are not written and need a default to be read.
    Properties in `computed` are written and passed over when read. `names` renames fields.
    """

    def declare(record: Record) -> Record:
        form = _Form(flat, hidden, computed, names or {})
        record.__get_pydantic_core_schema__ = classmethod(form.core_schema)  # type: ignore[attr-defined]  # pydantic's protocol
        if flat is not None:
            record.__get_pydantic_json_schema__ = classmethod(form.json_schema)  # type: ignore[attr-defined]  # pydantic's protocol
        return record

    return declare


class _Form:
    def __init__(
        self,
        flat: str | None,
        hidden: tuple[str, ...],
        computed: tuple[str, ...],
        names: Mapping[str, str],
    ) -> None:
        self._flat = flat
        self._hidden = hidden
        self._computed = computed
        self._names = names

    def core_schema(self, record: type, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema  # noqa: PLC0415  # see above

        schema = cast("DataclassSchema", handler(source))
        arguments = cast("DataclassArgsSchema", schema["schema"])
        for field in arguments["fields"]:
            if field["name"] in self._hidden:
                field["serialization_exclude"] = True
            if field["name"] in self._names:
                field["validation_alias"] = self._names[field["name"]]
                field["serialization_alias"] = self._names[field["name"]]
        arguments["computed_fields"] = [
            core_schema.computed_field(
                name,
                handler.generate_schema(get_type_hints(vars(record)[name].fget)["return"]),
            )
            for name in self._computed
        ]
        if self._flat is None:
            return schema
        flat_field = next(member for member in arguments["fields"] if member["name"] == self._flat)
        inner = cast("DataclassSchema", handler.resolve_ref_schema(flat_field["schema"]))
        members = {
            member["name"]: member
            for member in (
                *cast("DataclassArgsSchema", inner["schema"])["fields"],
                *arguments["fields"],
            )
            if member is not flat_field
        }
        reference = schema.pop("ref", None)
        return core_schema.no_info_before_validator_function(
            self._nested,
            schema,
            ref=reference,
            serialization=core_schema.wrap_serializer_function_ser_schema(
                self._flattened, schema=schema
            ),
            metadata={
                _MEMBERS: core_schema.dataclass_args_schema(
                    record.__name__,
                    list(members.values()),
                    computed_fields=[
                        *inner["schema"].get("computed_fields", ()),
                        *arguments["computed_fields"],
                    ],
                )
            },
        )

    def json_schema(
        self, _: type, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        members = handler(cast("CoreSchema", schema["metadata"][_MEMBERS]))
        handler.resolve_ref_schema(described).update(
            properties=members["properties"], required=members.get("required", [])
        )
        return described

    def _nested(self, value: object) -> object:
        if isinstance(value, Mapping) and self._flat not in value:
            return {**value, self._flat: value}
        return value

    def _flattened(self, record: object, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        members = cast("dict[str, object]", write(record))
        inner = cast("dict[str, object]", members.pop(cast("str", self._flat)))
        return {**inner, **members}
