"""Access tokens for Google's APIs from the machine's own credentials."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnote.errors import ModelUnavailable, how_to_install

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(slots=True, kw_only=True, eq=False)
class ApplicationDefaultToken:
    """Returns the token of the Application Default Credentials, refreshed when it expires.

    The credentials are the file in GOOGLE_APPLICATION_CREDENTIALS, else the login of `gcloud`, else
    the service account of the machine. Belongs to the event loop it is first used in.
    """

    _credentials: Credentials | None = field(default=None, init=False, repr=False)
    _renewing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def __call__(self) -> str:
        """Return a token that is valid now. Raises ModelUnavailable."""
        async with self._renewing:
            if self._credentials is None or not self._credentials.valid:
                self._credentials = await asyncio.to_thread(_refreshed, self._credentials)
            return str(self._credentials.token)


def _refreshed(cached: Credentials | None) -> Credentials:
    try:
        # Imported here, so that only its users need the extra.
        import google.auth  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
        from google.auth.transport.requests import Request  # noqa: PLC0415
    except ImportError as error:
        raise ModelUnavailable(
            "Vertex AI needs google-auth, which is not installed",
            hint=f"{how_to_install('vertex')}, or set the API key of the reranker or the judge "
            "to an access token",
        ) from error
    try:
        credentials: Credentials = cached or google.auth.default(scopes=[SCOPE])[0]
        credentials.refresh(Request())  # type: ignore[no-untyped-call]  # google-auth's gap
    except (GoogleAuthError, OSError, ValueError) as error:
        raise ModelUnavailable(
            f"Google gave no access token ({type(error).__name__})",
            hint="set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run: "
            "gcloud auth application-default login",
        ) from error
    return credentials
