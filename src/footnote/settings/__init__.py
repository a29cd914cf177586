"""Every setting of Footnote: typed, documented, with its environment variable and default.

The comments before groups of them are the headings of docs/settings.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Annotated

from pydantic import AliasChoices, SecretStr, TypeAdapter, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from footnote.domain.configuration import SettingValue
from footnote.errors import InvalidRequest, UnsupportedSettings
from footnote.removed_settings import REMOVED
from footnote.settings.documents import DocumentSettings
from footnote.settings.identity import BackendOptions, ClaimsRead, TrustedGateway
from footnote.settings.kinds import EmbeddingOptions, listed
from footnote.settings.searching import SearchSettings
from footnote.settings.serving import ServingSettings
from footnote.settings.storage import StorageSettings
from footnote.validation.messages import invalid_locations, printable, wrong_value

__all__ = ["BackendOptions", "ClaimsRead", "EmbeddingOptions", "TrustedGateway", "listed"]

GROUPS = (StorageSettings, DocumentSettings, SearchSettings, ServingSettings)
"""In the order of docs/settings.md."""


class Settings(StorageSettings, DocumentSettings, SearchSettings, ServingSettings, BaseSettings):
    """Read from the environment (`FOOTNOTE_…`) when created; explicit arguments win."""

    @model_validator(mode="before")
    @classmethod
    def _none_removed(cls, values: dict[str, object]) -> dict[str, object]:
        for name in values.keys() & REMOVED.keys():
            raise UnsupportedSettings(
                f"There is no setting {name} any more.", hint=f"It was removed: {REMOVED[name]}."
            )
        return values

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        hide_input_in_errors=True,
    )


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, its own first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"FOOTNOTE_{name.upper()}",)


PER_WORKSPACE = (
    *("plan", "top_k", "recall_limit", "min_similarity", "fusion", "hybrid"),
    *("rrf_k", "rrf_dense_weight", "rrf_lexical_weight"),
    *(
        "blend_alpha",
        "diversity",
        "mmr_candidates",
        "neighbours",
        "reranker_enabled",
        "rerank_top_k",
    ),
    *("grounding_judge", "suggestions"),
    *("redact", "redact_embeddings", "redact_media"),
    *("facts", "fact_kinds", "fact_classes", "clusters", "paused_work"),
    *("entities", "entity_kinds", "graph_recall", "summaries"),
)
"""Settings of which a workspace may have its own value: what a search or an answer reads when it
begins, and what is read before a text leaves for a hosted model."""


def per_workspace(text: str) -> str | None:
    """The setting of PER_WORKSPACE with this name, or with a variable of this name."""
    requested = text.strip().upper()
    return next(
        (name for name in PER_WORKSPACE if requested in (name.upper(), *variables_of(name))), None
    )


def similar_names_hint(text: str) -> str:
    """A hint for a name that no setting of a workspace has: what it became or what is similar."""
    name = text.strip().lower().replace("-", "_").removeprefix(_PREFIX.lower())
    if name in REMOVED:
        return f"it was removed: {REMOVED[name]}"
    if name in Settings.model_fields and name not in PER_WORKSPACE:
        return f"it is for the whole installation: set {variables_of(name)[0]}"
    from difflib import get_close_matches  # noqa: PLC0415  # seldom needed

    close = get_close_matches(name, PER_WORKSPACE, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(PER_WORKSPACE)}"


@cache
def _checking(name: str) -> TypeAdapter[SettingValue]:
    field = Settings.model_fields[name]
    typed: object = Annotated[(field.annotation, *field.metadata, field.description)]
    return TypeAdapter(typed)  # type: ignore[arg-type]  # made at run time from the field


def checked_setting(name: str, value: object) -> SettingValue:
    """The value converted to the type of the setting, also from text. Raises InvalidRequest."""
    checking = _checking(name)
    if value == "null":  # a command line has no other way to say it
        value = None
    elif isinstance(value, bool):  # which would pass for a number
        value = "true" if value else "false"
    try:
        # A number is no flag; text is read as it is from the environment.
        return checking.validate_python(
            value, strict=True if isinstance(value, int | float) else None
        )
    except ValidationError as error:
        raise InvalidRequest(
            f"the setting {name} cannot be {printable(value)}: "
            f"{wrong_value(error.errors(include_url=False)[0])}",
            hint=f"give it another value; it says: {Settings.model_fields[name].description}",
        ) from error


COMMAND_LINE_VARIABLES = ("FOOTNOTE_API_KEY", "FOOTNOTE_NO_SERVER", "FOOTNOTE_WORKSPACE")
"""Variables that the command line reads in addition to the settings."""
_PREFIX = "FOOTNOTE_"
_OF_TESTS = "FOOTNOTE_TEST_"


def unknown_variables(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Variables that look like settings and are none, each with a suggestion."""
    known_names = {name for field in Settings.model_fields for name in variables_of(field)}
    known_names.update(COMMAND_LINE_VARIABLES)
    # Compared without the common prefix, which would make any two of them similar.
    ends = [name.removeprefix(_PREFIX) for name in sorted(known_names) if name.startswith(_PREFIX)]
    unknown = []
    for name in sorted(environment):
        upper_name = name.upper()
        if (
            upper_name.startswith(_PREFIX)
            and not upper_name.startswith(_OF_TESTS)
            and upper_name not in known_names
        ):
            from difflib import get_close_matches  # noqa: PLC0415  # seldom needed

            end = upper_name.removeprefix(_PREFIX)
            close = get_close_matches(end, ends, n=1)
            suggestion = (
                f"did you mean {_PREFIX}{close[0]}?" if close else "docs/settings.md lists all."
            )
            removal = REMOVED.get(end.lower())
            unknown.append((name, suggestion if removal is None else f"it was removed: {removal}."))
    return tuple(unknown)


def environment_of(settings: Settings) -> dict[str, str]:
    """The variables that give another process these settings, secrets included."""
    dumped = settings.model_dump(mode="json")
    variables = {}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if value is None or value == _default_of(field):
            continue
        secret = isinstance(value, SecretStr)
        variables[variables_of(name)[0]] = value.get_secret_value() if secret else str(dumped[name])
    return variables


def _default_of(field: FieldInfo) -> object:
    try:
        return field.get_default(call_default_factory=True)
    except UnsupportedSettings:
        return None  # Another product's variable, which the value wins over.


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process."""
    return settings_from(None, {})


def settings_from(base: Settings | None, overrides: Mapping[str, object]) -> Settings:
    """The overrides over `base`, or over the environment. Raises UnsupportedSettings."""
    supplied: object = base
    if not isinstance(supplied, Settings | None):
        raise UnsupportedSettings(
            f"Settings cannot be {type(supplied).__name__}.",
            hint='Give a footnote.Settings, or settings by name: footnote.open(home="/srv").',
        )
    explicit = {**(base.model_dump() if base is not None else {}), **overrides}
    if "home" not in explicit and os.environ.get("FOOTNOTE_HOME") == "":
        # Data would be in an unintended folder, such as that of an unset variable.
        raise UnsupportedSettings(
            "The setting home cannot be used: FOOTNOTE_HOME is empty.",
            hint="Set FOOTNOTE_HOME to a folder, or unset it for the one of this user.",
        )
    try:
        return Settings.model_validate(explicit)
    except ValidationError as error:
        setting, problem = _wrong_setting(error)
        name = next(
            (
                field_name
                for field_name in Settings.model_fields
                if setting in (field_name, *variables_of(field_name))
            ),
            "",
        )
        raise UnsupportedSettings(
            f"The setting {name or setting} cannot be used: {problem}.",
            hint=f"Set {' or '.join(_variables_set(name, explicit))} to another value."
            if name
            else "There is no such setting.",
        ) from error


def _variables_set(name: str, explicit: Mapping[str, object]) -> tuple[str, ...]:
    """The variable that a setting was read from; all its variables if it was set otherwise."""
    variables = variables_of(name)
    variables_in_use = (
        ()
        if name in explicit
        else {variable.upper() for variable, value in os.environ.items() if value}
    )
    return next(((variable,) for variable in variables if variable in variables_in_use), variables)


def _wrong_setting(error: ValidationError) -> tuple[str, str]:
    """The first wrong setting by the name used, and its error, without its value."""
    wrong = error.errors(include_url=False)[0]
    message = wrong_value(wrong, with_value=False)  # which may be a secret
    [(path, _)] = invalid_locations([wrong])
    inside = ".".join(map(str, path[1:]))
    return str(path[0]) if path else "", f"{inside}: {message}" if inside else message
