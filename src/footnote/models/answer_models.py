"""Build the models that write answers, and the agents over them, from the names in settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnote.errors import InvalidRequest, ModelUnavailable, how_to_install
from footnote.models.language import check_name, without_library
from footnote.models.roles import Role
from footnote.models.served import ModelKeys, ServedModel, served_model

if TYPE_CHECKING:
    # They bring the client libraries of an extra.
    from footnote.models.agent_loop import AgentLoop
    from footnote.models.answer_failures import NamedModel
    from footnote.models.answer_writing import AnswerWriter

ANSWERER = Role(
    title="answer model",
    model="FOOTNOTE_ANSWER_MODELS",
    limit="answer",
    share=1 / 4,
)
UNKNOWN_CONTEXT_TOKENS = 8192
"""Assumed context window of an unknown model; local servers are often set to no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerModelChoices:
    """The settings of the models that answer."""

    models: tuple[ServedModel, ...] = ()
    """In fallback order; named as in `language_model_from`."""
    keys: ModelKeys = field(default_factory=ModelKeys)
    timeout_seconds: float = 120.0
    first_token_seconds: float = 30.0
    max_output_tokens: int = 1024
    context_tokens: int | None = None
    """None uses the known context window of each model."""
    why_forbidden: Callable[[str], str]
    """Gives the reason why an MCP server may not have an IP address; empty when it may."""
    role: Role = ANSWERER


class AnswerModels:
    """The configured models, each with its connections, shared by all chains."""

    def __init__(self, choices: AnswerModelChoices) -> None:
        """Raises UnsupportedSettings, and ModelUnavailable when a library is not installed."""
        self.choices = choices
        self._models = {served.name: _open_model(served, choices) for served in choices.models}

    @property
    def names(self) -> tuple[str, ...]:
        """Every configured name, in fallback order."""
        return tuple(self._models)

    def writer(self, names: Sequence[str] | None = None) -> AnswerWriter | None:
        """Return a chain of these, or of all; None if there are none. Raises InvalidRequest."""
        chain = self._chain(names)
        if not chain:
            return None
        from footnote.models.answer_writing import AnswerWriter  # noqa: PLC0415  # an extra

        return AnswerWriter(
            models=chain,
            timeout_seconds=self.choices.timeout_seconds,
            first_token_seconds=self.choices.first_token_seconds,
            max_output_tokens=self.choices.max_output_tokens,
            context_tokens=min(self._context_tokens(named_model) for named_model in chain),
        )

    def agent(self, names: Sequence[str] | None = None) -> AgentLoop | None:
        """Return an agent over the same chain; None if there are none. Raises InvalidRequest."""
        chain = self._chain(names)
        if not chain:
            return None
        try:
            from footnote.models.agent_loop import AgentLoop  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise ModelUnavailable(
                "an agent needs a library that is not installed", hint=how_to_install("models")
            ) from error
        return AgentLoop(
            models=chain,
            first_token_seconds=self.choices.first_token_seconds,
            max_output_tokens=self.choices.max_output_tokens,
            why_forbidden=self.choices.why_forbidden,
        )

    async def close(self) -> None:
        """Close every connection."""
        for named_model in self._models.values():
            async with named_model.model:
                pass

    def _chain(self, names: Sequence[str] | None) -> tuple[NamedModel, ...]:
        requested = self.names if names is None else tuple(dict.fromkeys(names))
        unknown = [name for name in requested if name not in self._models]
        if unknown:
            raise InvalidRequest(
                f"no answer model is called {', '.join(unknown)}",
                hint=f"choose from {', '.join(self.names)}"
                if self.names
                else f"set {self.choices.role.model}",
            )
        return tuple(self._models[name] for name in requested)

    def _context_tokens(self, named_model: NamedModel) -> int:
        context_tokens = self.choices.context_tokens or named_model.model.context_window
        return context_tokens or UNKNOWN_CONTEXT_TOKENS


def models_from(text: str) -> tuple[ServedModel, ...]:
    """Parse a comma-separated list of models. Raises UnsupportedSettings."""
    served_models = (served_model(part, ANSWERER.model) for part in text.split(",") if part.strip())
    return tuple({model.name: model for model in served_models}.values())


def _open_model(served: ServedModel, choices: AnswerModelChoices) -> NamedModel:
    name, url = served.name, served.url
    key = choices.keys.of(served.vendor, url)
    check_name(name, url, key, choices.role)
    try:
        from footnote.models import writing  # noqa: PLC0415  # an optional package, slow to import
        from footnote.models.answer_failures import NamedModel  # noqa: PLC0415  # likewise
        from footnote.models.redacted_chat import RedactingModel  # noqa: PLC0415  # likewise
    except ImportError as error:
        raise without_library(name, choices.role) from error
    model = writing.model_named(name, url, key, choices.role)
    return NamedModel(name=name, model=RedactingModel(model), role=choices.role)
