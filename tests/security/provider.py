"""An OpenID provider on loopback: discovery, keys that can change, codes with PKCE, tokens."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeyParameters, OctKey, RSAKey

CLIENT_ID = "footnote"
CLIENT_SECRET = "a secret of the client, & with signs"


@dataclass(slots=True)
class Provider:
    """Its keys, its people, and what it was asked."""

    url: str = ""
    keys: list[RSAKey | ECKey] = field(default_factory=list)
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "ann", "groups": ["finance"]})
    """Whoever sits before the browser."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The paths of requests."""
    failing: bool = False
    refusing: bool = False
    """Whether whoever sits before the browser does not let us know who it is."""
    also_published: list[dict[str, Any]] = field(default_factory=list)
    id_token_changes: dict[str, Any] = field(default_factory=dict)

    def new_key(self, kind: type[RSAKey] | type[ECKey] = RSAKey) -> RSAKey | ECKey:
        parameters: KeyParameters = {"kid": secrets.token_hex(4), "use": "sig"}
        key: RSAKey | ECKey = (
            RSAKey.generate_key(2048, parameters)
            if kind is RSAKey
            else ECKey.generate_key("P-256", parameters)
        )
        self.keys = [key]
        return key

    def signed(
        self,
        claims: dict[str, Any] | None = None,
        *,
        key: RSAKey | ECKey | OctKey | None = None,
        header: dict[str, Any] | None = None,
        without: tuple[str, ...] = (),
    ) -> str:
        """A token of this issuer for `footnote`, with these claims changed."""
        key = key or self.keys[0]
        algorithm = {"RSA": "RS256", "EC": "ES256", "oct": "HS256"}[key.key_type]
        now = int(time.time())
        all_claims = {
            **{"iss": self.url, "aud": CLIENT_ID, "sub": "ann", "iat": now, "exp": now + 300},
            **(claims or {}),
        }
        return jwt.encode(
            {"alg": algorithm, "kid": key.kid or "shared", "typ": "JWT", **(header or {})},
            {name: value for name, value in all_claims.items() if name not in without},
            key,
            algorithms=[algorithm],
        )

    @property
    def fetches_of_keys(self) -> int:
        return self.asked.count("/jwks")

    def answer(self, method: str, target: str, body: bytes, headers: Any) -> tuple[int, Any]:
        """Status, and JSON or the address of a redirect."""
        parts = urlsplit(target)
        self.asked.append(parts.path)
        if self.failing:
            return 500, {}
        match method, parts.path:
            case "GET", "/.well-known/openid-configuration":
                return 200, {
                    "issuer": self.url,
                    "authorization_endpoint": f"{self.url}/authorize",
                    "token_endpoint": f"{self.url}/token",
                    "jwks_uri": f"{self.url}/jwks",
                    "end_session_endpoint": f"{self.url}/logout",
                }
            case "GET", "/jwks":
                published = [key.as_dict(private=False) for key in self.keys]
                return 200, {"keys": [*published, *self.also_published]}
            case "GET", "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                assert asked["response_type"] == "code"
                assert asked["client_id"] == CLIENT_ID
                assert asked["code_challenge_method"] == "S256"
                assert "openid" in asked["scope"].split()
                if self.refusing:  # RFC 6749, section 4.1.2.1
                    denied = urlencode({"error": "access_denied", "state": asked["state"]})
                    return 302, f"{asked['redirect_uri']}?{denied}"
                code = secrets.token_urlsafe(8)
                self.codes[code] = asked
                given = urlencode({"code": code, "state": asked["state"], "iss": self.url})
                return 302, f"{asked['redirect_uri']}?{given}"
            case "POST", "/token":
                return self._token({n: v[0] for n, v in parse_qs(body.decode()).items()}, headers)
            case _:
                return 404, {}

    def _token(self, form: dict[str, str], headers: Any) -> tuple[int, Any]:
        kind, _, given = headers.get("Authorization", "").partition(" ")
        client = base64.b64decode(given).decode() if kind == "Basic" else ""
        if [unquote_plus(each) for each in client.split(":")] != [CLIENT_ID, CLIENT_SECRET]:
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        if asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        claims = {**self.person, "nonce": asked["nonce"], "sid": "s-1", **self.id_token_changes}
        return 200, {
            "access_token": secrets.token_urlsafe(8),
            "token_type": "Bearer",
            "id_token": self.signed(claims),
        }

    def logout_token(self, **changes: Any) -> str:
        events: dict[str, object] = {"http://schemas.openid.net/event/backchannel-logout": {}}
        claims = {"jti": secrets.token_hex(8), "events": events, "sid": "s-1", **changes}
        return self.signed(claims, header={"typ": "logout+jwt"})


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that is reached over HTTP, with one key."""
    served = Provider()
    served.new_key()

    class Requests(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            status, said = served.answer(self.command, self.path, body, self.headers)
            content = b"" if isinstance(said, str) else json.dumps(said).encode()
            self.send_response(status)
            if isinstance(said, str):
                self.send_header("Location", said)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815  # as the library calls them

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
