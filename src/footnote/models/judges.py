"""Build the judge of statements that the settings ask for."""

from __future__ import annotations

from typing import Literal, Protocol

from footnote.errors import UnsupportedSettings
from footnote.models.judge import LanguageModelJudge
from footnote.models.reader_roles import ReaderJudge
from footnote.models.readers import OwnedReader
from footnote.ports import Judge, LanguageModel

JudgeKind = Literal["none", "reader", "language_model", "vertex"]


class OwnedJudge(Judge, Protocol):
    """A judge with connections, to be closed."""

    async def close(self) -> None:
        """Close the connections."""
        ...


def judge_from(
    *,
    kind: JudgeKind,
    language_model: LanguageModel | None = None,
    url: str | None = None,
    api_key: str | None = None,
    project: str = "",
    location: str = "global",
    timeout_seconds: float = 5.0,
    reader: OwnedReader | None = None,
) -> OwnedJudge | None:
    """Return the judge of that kind; None for `none`, and for `reader` without a reader.

    Nothing is connected yet. `language_model` and `reader` are for the kinds of these names, the
    rest is for `vertex`, whose `api_key` is an access token; without one it uses the machine's own
    credentials. Raises UnsupportedSettings.
    """
    if kind == "none":
        return None
    if kind == "reader":
        return None if reader is None else ReaderJudge(reader=reader)
    if kind == "vertex":
        from footnote.models.google_token import ApplicationDefaultToken  # noqa: PLC0415  # as below
        from footnote.models.judge_vertex import vertex_judge  # noqa: PLC0415  # loads httpx
        from footnote.models.rerank_transport import fixed_token  # noqa: PLC0415  # as above

        token = fixed_token(api_key) if api_key else ApplicationDefaultToken()
        return vertex_judge(
            project=project,
            token=token,
            timeout_seconds=timeout_seconds,
            location=location,
            url=url,
        )
    if language_model is None:
        raise UnsupportedSettings(
            "The grounding judge language_model has no language model.",
            hint="Set FOOTNOTE_LANGUAGE_MODEL, or FOOTNOTE_GROUNDING_JUDGE to none.",
        )
    return LanguageModelJudge(model=language_model)
