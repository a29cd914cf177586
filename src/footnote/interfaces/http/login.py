"""Routes by which people log in with their browsers, at the provider of the settings, and out."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse

from footnote.domain.credentials import Presented
from footnote.engine.logins import begin_login, end_logins, finish_login, log_out
from footnote.errors import FootnoteError, Forbidden, NotAuthenticated, NotReady, RateLimited
from footnote.interfaces.failures import failure_of
from footnote.interfaces.http.scope import TheLifecycle
from footnote.interfaces.http.web_app import BUILT
from footnote.security.login import ATTEMPT_SECONDS

LOGIN_PATH = "/v1/login"
CALLBACK_PATH = f"{LOGIN_PATH}/callback"
BACKCHANNEL_PATH = f"{LOGIN_PATH}/backchannel"
SESSION_COOKIE = "__Host-footnote-session"
"""With this prefix browsers keep it only if this very host set it, for all paths, over TLS."""
_ATTEMPT_COOKIE = "__Host-footnote-login"
_SIGN_IN_PAGE = "/sign-in"
_REPORTED_ERRORS = (Forbidden, NotAuthenticated, NotReady, RateLimited)
"""What a person who logs in can do something about."""

# They are for browsers and for the provider, and so no part of the described API.
router = APIRouter(tags=["identity"], include_in_schema=False)

Path = Annotated[str, Query(max_length=2000)]
WorkspaceName = Annotated[str | None, Query(min_length=1, max_length=200)]


@router.get(LOGIN_PATH)
async def log_in(
    lifecycle: TheLifecycle,
    request: Request,
    next: Path = "/",  # noqa: A002  # as browsers send it
    workspace: WorkspaceName = None,
) -> Response:
    """Send the browser to the provider."""
    try:
        url, attempt = await begin_login(lifecycle.engine, workspace, next)
    except _REPORTED_ERRORS as error:
        return _sign_in_failure(request, error)
    response = RedirectResponse(url, 302)
    _set_cookie(response, _ATTEMPT_COOKIE, attempt, ATTEMPT_SECONDS)
    return response


@router.get(CALLBACK_PATH)
async def return_from_provider(lifecycle: TheLifecycle, request: Request) -> Response:
    """Take what the provider answered, and make a session of it."""
    attempt = request.cookies.get(_ATTEMPT_COOKIE)
    try:
        login = await finish_login(
            lifecycle.engine, attempt, dict(request.query_params), _client_of(request)
        )
    except _REPORTED_ERRORS as error:
        return _sign_in_failure(request, error)
    response = RedirectResponse(login.target, 303)
    _set_cookie(response, SESSION_COOKIE, login.session, login.seconds)
    _delete_cookie(response, _ATTEMPT_COOKIE)
    return response


@router.post("/v1/logout", status_code=204)
async def leave(lifecycle: TheLifecycle, request: Request) -> Response:
    """End the session of the browser."""
    await log_out(lifecycle.engine, request.cookies.get(SESSION_COOKIE, ""))
    response = Response(status_code=204)
    _delete_cookie(response, SESSION_COOKIE)
    return response


@router.post(BACKCHANNEL_PATH)
async def end_by_provider(
    lifecycle: TheLifecycle,
    request: Request,
    logout_token: Annotated[str, Form(max_length=16 * 1024)],
) -> Response:
    """End the sessions that the provider says have ended."""
    await end_logins(lifecycle.engine, logout_token, _client_of(request))
    return Response(status_code=200)


def _sign_in_failure(request: Request, error: FootnoteError) -> Response:
    """Send a browser to the page to sign in, which says what failed; raise for anything else.

    The address has only the code of the failure: text in it could be forged.
    """
    reads_pages = "text/html" in request.headers.get("accept", "")
    if not reads_pages or not (BUILT / "index.html").is_file():
        raise error
    response = RedirectResponse(
        f"{_SIGN_IN_PAGE}?{urlencode({'failed': failure_of(error).code})}", 303
    )
    _delete_cookie(response, _ATTEMPT_COOKIE)
    return response


def _client_of(request: Request) -> Presented:
    """The client of a request without one of our credentials."""
    return Presented(
        peer=None if request.client is None else request.client.host,
        forwarded=", ".join(request.headers.getlist("x-forwarded-for")) or None,
    )


def _set_cookie(response: Response, name: str, value: str, seconds: int) -> None:
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=True, httponly=True, samesite="lax"
    )


def _delete_cookie(response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="lax")
