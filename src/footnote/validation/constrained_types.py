"""Types for arguments that validate themselves, the same way in every interface.

Methods of the engine and of the client, routes and tools use these types in their signatures;
`footnote.validation.arguments` and FastAPI validate values against them.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetPydanticSchema,
    Json,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core.core_schema import no_info_before_validator_function

from footnote import domain
from footnote.domain import (
    MAX_EXTERNAL_ID_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    Principal,
)
from footnote.domain.identity import RESERVED_PREFIXES, SYSTEM_NAME
from footnote.domain.search import search_request_for
from footnote.validation.messages import describe_value, printable
from footnote.validation.text import (
    DuplicateName,
    is_blank,
    is_storable,
    json_fault,
    members_once,
    name_fault,
    one_line,
)

MAX_CHANGES = 200
MAX_COMMENT_CHARACTERS = 5000
MAX_CONTEXT_WINDOW = 50
MAX_KEY_CHARACTERS = 255
MAX_PAGE = 500
MAX_TITLE_CHARACTERS = 200
MAX_VIEW_NAME_CHARACTERS = 100


def storable(text: str) -> str:
    """The text, if Postgres can hold it. Raises ValueError."""
    if not is_storable(text):
        raise ValueError("it holds a character that cannot be stored: NUL, or half of a pair")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it must have printable characters alone, such as a UUID")
    return text


def _one_line(text: str) -> str:
    return "" if is_blank(text) else one_line(text)


MAX_SHARED = 1000
"""Names on an access list; a group is one of them."""


def _as_bytes(content: object) -> object:
    return bytes(content) if isinstance(content, (bytearray, memoryview)) else content


def _not_blank(text: str) -> str:
    """Return a name that is neither blank nor contains NUL, which would truncate it.

    Raises ValueError.
    """
    if not text.strip():
        raise ValueError("it must not be empty")
    return storable(text)


def _not_empty(name: str) -> str:
    if not name:
        raise ValueError("it must not be empty")
    return name


def _distinct(tags: Sequence[str]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(tags))
    if len(distinct) > MAX_TAGS:
        raise ValueError(f"it must have at most {MAX_TAGS} values, not {len(distinct)}")
    return distinct


def _metadata_value(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    """Return the value if metadata may contain it. Raises one ValueError for the whole union."""
    try:
        if isinstance(value, int):
            _WHOLE_NUMBER.validate_python(value)  # Else it would do for a number with a fraction.
        return validate(value)
    except ValidationError as error:
        if isinstance(value, str):
            storable(value)
        raise ValueError(
            "it must be text, a finite number of up to 64 bits, true or false, "
            f"not {describe_value(value)}"
        ) from error


def _checked_json_text(value: object) -> object:
    """Return JSON text unchanged, after the checks of a JSON request body. Raises ValueError."""
    if not isinstance(value, str):
        return value
    try:
        normalised = json.dumps(
            json.loads(value, object_pairs_hook=members_once), ensure_ascii=False
        )
    except DuplicateName as error:
        raise ValueError(
            f"{printable(error.name)} is there more than once in one object"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ValueError(json_fault(error)) from error
    storable(normalised)  # Pydantic would report a lone surrogate as invalid JSON.
    return value


def _visible_name(name: str) -> str:
    """Return a name that `name_fault` accepts. Raises ValueError."""
    if fault := name_fault(name):
        raise ValueError(fault)
    return name


def _tidy_name(name: str) -> str:
    """Normalise a name: NFC, single spaces, none at the ends. Raises ValueError."""
    tidy = " ".join(filter(None, name.split(" ")))
    return _visible_name(unicodedata.normalize("NFC", _not_blank(tidy)))


def _checked_principal(principal: Principal) -> Principal:
    people = (principal.principal_id, *principal.groups)
    for name in (*people, *dict(principal.collections)):
        try:
            _not_blank(name)
            if name in people:
                _visible_name(name)
        except ValueError as error:
            raise ValueError(f"one of its names cannot be used: {error}") from error
    _own_name(principal.principal_id)
    return principal


def _own_name(name: str) -> str:
    """Return a person's or program's name. Raises ValueError for a reserved one."""
    if name == SYSTEM_NAME or name.startswith(RESERVED_PREFIXES):
        raise ValueError(
            f"nobody may act as {name!r}: '*' and names that begin with "
            f"{', '.join(RESERVED_PREFIXES)} have a meaning of their own in access lists"
        )
    return name


def _listed_name(name: str) -> str:
    """An entry of an access list: a person, or a group with its prefix."""
    if name.startswith("group:"):
        _not_blank(name.removeprefix("group:"))
        return name
    return _own_name(name)


_WHOLE_NUMBER = TypeAdapter(Annotated[int, Field(ge=-(2**63), lt=2**63)])

Searched = Annotated[
    domain.SearchRequest | str,
    GetPydanticSchema(
        lambda _, handler: no_info_before_validator_function(
            search_request_for, handler.generate_schema(domain.SearchRequest)
        )
    ),
]
"""A search request, or only its query; errors are reported for a request alone, not for a union."""
StorableText = Annotated[str, AfterValidator(storable)]
Name = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS), AfterValidator(_not_blank)
]
"""Of a collection."""
WorkspaceName = Annotated[str, AfterValidator(_not_empty)]
"""Name of an existing workspace; the rules for new names apply where a workspace is created."""
ExternalId = Annotated[
    str, Field(min_length=1, max_length=MAX_EXTERNAL_ID_CHARACTERS), AfterValidator(storable)
]
Tag = Annotated[
    str,
    Field(min_length=1, max_length=MAX_TAG_CHARACTERS),
    AfterValidator(storable),
    AfterValidator(lambda tag: unicodedata.normalize("NFC", tag)),
]
Tags = Annotated[Sequence[Tag], AfterValidator(_distinct)]
"""Normalised to NFC, without repetitions, in the given order."""
DocumentIds = Annotated[
    Sequence[UUID],
    Field(min_length=1, max_length=MAX_PAGE),
    AfterValidator(lambda ids: tuple(dict.fromkeys(ids))),
]
"""Ids of documents, without repetitions, in the given order."""
MetadataValue = Annotated[
    bool | int | Annotated[float, Field(allow_inf_nan=False)] | StorableText,
    WrapValidator(_metadata_value),
]
Metadata = Annotated[Mapping[Name, MetadataValue], Field(max_length=200)]
"""A caller's own metadata of a document, by key."""
MetadataText = Annotated[
    Json[Annotated[dict[Name, MetadataValue], Field(max_length=200)]],
    BeforeValidator(_checked_json_text),
]
"""Metadata as the JSON of a form's field."""
AnyPrincipalId = Annotated[
    str,
    Field(max_length=MAX_NAME_CHARACTERS),
    AfterValidator(_not_blank),
    AfterValidator(_own_name),
]
"""A principal's id as it may be stored, to look for; new ones are `PrincipalId`."""
PrincipalId = Annotated[AnyPrincipalId, AfterValidator(_visible_name)]
AnySubject = Annotated[
    str,
    Field(max_length=MAX_NAME_CHARACTERS),
    AfterValidator(_not_blank),
    AfterValidator(_listed_name),
]
"""A `Subject` as it may be stored, for lookups and removal."""
Subject = Annotated[
    AnySubject, AfterValidator(lambda name: _visible_name(name.removeprefix("group:")) and name)
]
"""A principal's id, or `group:` and the name of a group."""
GroupName = Annotated[Name, AfterValidator(_not_blank), AfterValidator(_visible_name)]
KeyName = Annotated[Name, AfterValidator(_visible_name)]
EntityName = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_tidy_name)]
"""Name of an entity that a user gives; documents may spell it differently."""
WrittenName = Annotated[StorableText, Field(min_length=1, max_length=300)]
"""Name of an entity as a document spells it."""
EntityQuery = Annotated[StorableText, Field(max_length=300)]
"""Words that are all in one name of an entity."""
FactQuery = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(_not_blank)]
"""A question, or a topic."""
Access = Annotated[Sequence[Subject], Field(max_length=MAX_SHARED), AfterValidator(tuple)]
"""Subjects that may see a document."""
ActingPrincipal = Annotated[domain.Principal, AfterValidator(_checked_principal)]
IdempotencyKey = Annotated[
    str, Field(min_length=1, max_length=MAX_KEY_CHARACTERS), AfterValidator(_printable)
]
FirstTitle = Annotated[
    str,
    Field(max_length=MAX_TITLE_CHARACTERS),
    AfterValidator(storable),
    AfterValidator(_one_line),
]
"""Title of a new conversation; if it is empty or invisible, the first question is the title."""
Title = Annotated[FirstTitle, Field(min_length=1)]
Comment = Annotated[str, Field(max_length=MAX_COMMENT_CHARACTERS), AfterValidator(storable)]
FileContent = Annotated[bytes, BeforeValidator(_as_bytes)]
ListQuery = Annotated[str, Field(max_length=1000), AfterValidator(storable)]
"""Words to search for in a list."""
FileName = Annotated[str, AfterValidator(_not_empty)]
"""A path of which the last part is stored, without unprintable characters. A file system may allow
any bytes in a name, which `min_length` cannot count."""
FilePattern = Annotated[str, Field(min_length=1), AfterValidator(storable)]
"""Glob pattern for file names."""
FilterText = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(storable)]
"""A filter as JSON text."""
ViewName = Annotated[
    str, Field(min_length=1, max_length=MAX_VIEW_NAME_CHARACTERS), AfterValidator(_not_blank)
]
"""Of a view of a list."""
MetadataChanges = Annotated[Mapping[Name, MetadataValue | None], Field(max_length=MAX_CHANGES)]
"""Metadata to merge: a value replaces that of the same key; None removes it."""
MapWait = Annotated[float, Field(ge=0, le=60)]
"""Seconds to wait for a map."""
SimilarLimit = Annotated[int, Field(ge=1, le=50)]
ModelName = Annotated[str, Field(min_length=1, max_length=200)]
"""A model as it is configured, such as `openai:gpt-5-mini`."""
PageLimit = Annotated[int, Field(ge=1, le=MAX_PAGE)]
Window = Annotated[int, Field(ge=0, le=MAX_CONTEXT_WINDOW)]
MostPassages = Annotated[int, Field(ge=1, le=1_000_000)]
"""Most passages of one document."""
TextLength = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""Length of a text in characters; Postgres cannot store a longer one."""
TimeoutSeconds = Annotated[float, Field(ge=0)]
"""Timeout of a call in seconds."""
