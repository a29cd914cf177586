"""Serves the web app from the files of the package: its page, and the assets that it loads."""

from __future__ import annotations

import html
import mimetypes
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from footnote.interfaces.http.problems import Refused
from footnote.settings import Settings

BUILT = Path(__file__).with_name("web")
"""Where `make web` puts the app. It is built, never committed."""

PAGES = (
    "/",
    "/sign-in",
    "/find",
    "/map",
    "/compare",
    "/documents",
    "/documents/{document_id}",
    "/entities",
    "/entities/{entity_id}",
    "/clusters",
    "/clusters/{cluster_id}",
    "/conflicts",
    "/conversations/{conversation_id}",
    "/admin",
    "/admin/{section}",
)
_PREFIXES_OF_PAGES = tuple(page.partition("{")[0] for page in PAGES if "{" in page)
"""Paths of the app itself. Whatever else is asked for belongs to the API."""

WIDGET = "/widget.js"
"""The script that pages of other sites load; its name has no hash, so it is cached briefly."""

_ASSETS = "/assets/"
OF_PROGRAMS = frozenset(
    ("v1", "openai", "agui", "mcp", "health", "stats", "search", "context", "openapi.json")
)
"""The first segments of paths that are never the app's."""
_NONCE = "__NONCE__"
_SIGN_IN = "__SIGN_IN__"
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""What files were compressed with when they were built, the smallest first."""
_FOREVER = "public, max-age=31536000, immutable"
_FIVE_MINUTES = "public, max-age=300"
_ASSET_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
)
"""For the worker that reads PDF files: its decoders of pictures are WebAssembly."""

_NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Footnote</title>
<h1>The web app is not built</h1>
<p>This server answers its <a href="/openapi.json">HTTP API</a>. To have the web app too, run
<code>make web</code> in the clone that Footnote was installed from. It needs Node.js 20.19 or
newer, or fetches it.</p>
<ul>
<li>If Footnote runs from the clone (<code>make serve</code>, <code>pip install --editable</code>),
start the server again.</li>
<li>If it was installed with <code>pip install .</code>, the installed copy lacks what was built:
run <code>pip install --no-deps --force-reinstall .</code> in the clone, then start the server
again.</li>
<li>If it comes from a wheel, build that after <code>make web</code>, or take one of a release.</li>
</ul></html>
"""


def page_policy(nonce: str) -> str:
    """The Content-Security-Policy of the app's page.

    Only scripts with the nonce run, and what these load. Our own address is no source of scripts,
    since it serves files that others uploaded. Text becomes code or markup nowhere (Trusted Types).
    """
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; "
        "worker-src 'self'; require-trusted-types-for 'script'; trusted-types footnote"
    )


@dataclass(frozen=True, slots=True)
class WebApp:
    """The files of one build, which are listed once: a build that follows needs a new start."""

    page: str | None
    """The page, with places for the nonce and for the ways to sign in; None without a build."""
    assets: Mapping[str, Path]
    """By their path below `/assets/`, including the compressed copies."""
    widget: Mapping[str, Path]
    """The script of the widget in the same way, by its name."""

    @classmethod
    def built_in(cls, folder: Path) -> WebApp:
        """The build in a folder; one without a page if there is none."""
        index, assets = folder / "index.html", folder / "assets"
        if not index.is_file():
            return cls(page=None, assets={}, widget={})
        files = (path for path in assets.rglob("*") if path.is_file())
        return cls(
            page=index.read_text("utf-8"),
            assets={path.relative_to(assets).as_posix(): path for path in files},
            widget={path.name: path for path in folder.glob(f"{WIDGET[1:]}*")},
        )

    def shown(self, settings: Settings, status: int = 200) -> Response:
        """The page, with a nonce of its own; 503 where there is no build."""
        if self.page is None:
            return HTMLResponse(_NOT_BUILT, status_code=503)
        nonce = secrets.token_urlsafe(18)
        ways = html.escape(" ".join(sorted(settings.identity_ways)), quote=True)
        text = self.page.replace(_NONCE, nonce).replace(_SIGN_IN, ways)
        return HTMLResponse(text, status, {"Content-Security-Policy": page_policy(nonce)})

    def instead(self, request: Request, settings: Settings) -> Response | None:
        """What a browser is shown where nothing answers it; None for programs, or without a build.

        Somebody who typed `/search?q=…` is sent to the page that searches.
        """
        if self.page is None:
            return None
        if is_typed_search(request.scope):
            parameters = request.query_params
            query = urlencode({"query": parameters.get("q") or parameters.get("query", "")})
            return RedirectResponse(f"/find?{query}", 303)
        return self.shown(settings, status=404) if is_visit(request.scope) else None

    def routes(self, settings: Settings) -> list[Route]:
        """The routes of the app's pages, its assets and the widget."""

        async def show_page(_: Request) -> Response:
            return self.shown(settings)

        async def send_asset(request: Request) -> Response:
            # The name has the hash of what is in the file, so it tells one content from another.
            cache_headers = {
                "Cache-Control": _FOREVER,
                "Cross-Origin-Resource-Policy": "same-origin",
            }
            name = request.path_params["name"]
            return _file_response(self.assets, name, name, request.headers, cache_headers)

        built = self.widget.get(WIDGET[1:])
        version = "" if built is None else sha256(built.read_bytes()).hexdigest()

        async def send_widget(request: Request) -> Response:
            cache_headers = {
                "Cache-Control": _FIVE_MINUTES,
                "Cross-Origin-Resource-Policy": "cross-origin",
            }
            return _file_response(self.widget, WIDGET[1:], version, request.headers, cache_headers)

        pages = [Route(path, show_page, include_in_schema=False) for path in PAGES]
        return [
            *pages,
            Route(f"{_ASSETS}{{name:path}}", send_asset, include_in_schema=False),
            Route(WIDGET, send_widget, include_in_schema=False),
        ]


def _file_response(
    files: Mapping[str, Path],
    name: str,
    version: str,
    headers: Headers,
    cache_headers: Mapping[str, str],
) -> Response:
    """A file of the build, compressed as its reader takes it. Raises Refused."""
    path = files.get(name)
    if path is None or name.endswith(tuple(ending for _, ending in _ENCODINGS)):
        raise Refused(
            404,
            "There is no such file of the web app.",
            code="no-such-route",
            hint="Load the page again: the app was built anew.",
        )
    response_headers = {
        **cache_headers,
        "Content-Security-Policy": _ASSET_POLICY,
        "Vary": "Accept-Encoding",
    }
    for encoding, ending in _ENCODINGS:
        compressed = files.get(name + ending)
        if compressed is not None and _accepts(headers.get("accept-encoding", ""), encoding):
            path, response_headers["Content-Encoding"] = compressed, encoding
            break
    response_headers["ETag"] = f'"{version}:{response_headers.get("Content-Encoding", "identity")}"'
    if response_headers["ETag"] in headers.get("if-none-match", ""):
        return Response(status_code=304, headers=response_headers)
    return FileResponse(path, media_type=_media_type(name), headers=response_headers)


def is_public(scope: Scope) -> bool:
    """Whether a request is for the app itself: it is the same for everybody and has no secrets."""
    path = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (
        path.startswith(_ASSETS)
        or path in (*PAGES, WIDGET)
        or any(
            path.startswith(prefix) and "/" not in path.removeprefix(prefix)
            for prefix in _PREFIXES_OF_PAGES
        )
        or is_visit(scope)
        or is_typed_search(scope)
    )


def is_visit(scope: Scope) -> bool:
    """Whether a browser opens an address outside the API, for which the app shows a page."""
    path = scope["path"]
    return (
        _asks_for_html(scope)
        and path.split("/")[1] not in OF_PROGRAMS
        and not path.startswith(_ASSETS)
    )


def is_typed_search(scope: Scope) -> bool:
    """Whether somebody typed `/search?q=…` into a browser; programs search by POST there."""
    return _asks_for_html(scope) and scope["path"] == "/search"


def _asks_for_html(scope: Scope) -> bool:
    accepted = Headers(raw=list(scope.get("headers", ()))).get("accept", "")
    return scope["method"] in ("GET", "HEAD") and "text/html" in accepted


def _media_type(name: str) -> str:
    if name.endswith((".js", ".mjs")):
        return "text/javascript; charset=utf-8"
    if name.endswith(".wasm"):
        return "application/wasm"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _accepts(accepted: str, encoding: str) -> bool:
    """Whether `Accept-Encoding` names an encoding, and not with a quality of zero."""
    for entry in accepted.split(","):
        name, _, parameter = entry.strip().partition(";")
        if name.strip().lower() == encoding:
            return parameter.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
