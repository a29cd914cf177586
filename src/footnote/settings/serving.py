"""Settings of the server, and of who may ask it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.settings.kinds import NAMESPACE, IdentityWays, TokenClaims, also, json_of, listed


class ServingSettings(BaseModel):
    """Identity, server and logs."""

    # Identity

    identity: IdentityWays = Field(
        "",
        description="How callers prove who they are, joined by commas: keys, tokens, gateway, "
        "login, scim. Empty serves this computer only, everybody on it as one administrator. See "
        "identity.md.",
    )
    identity_secret: SecretStr | None = Field(
        None,
        description="Secret of at least 32 characters that the hashes of keys are made with; unset "
        "takes the file identity.key in home. Servers of one database need the same.",
    )
    token_issuer: str | None = Field(None, description="Issuer (`iss`) whose tokens are accepted.")
    token_namespace: str = Field(
        "",
        pattern=NAMESPACE,
        description="What stands before everybody's name, groups and roles of that issuer, as in "
        "partners:ann; needed where people also log in at another one.",
    )
    token_audience: str | None = Field(
        None, description="Audience (`aud`) that a token must be meant for."
    )
    token_jwks_url: str | None = Field(
        None, description="Address of the issuer's public keys (JWKS)."
    )
    token_secret: SecretStr | None = Field(
        None,
        description="Secret that this server and the issuer share, of at least 32 characters, for "
        "the algorithms HS256, HS384 and HS512.",
    )
    token_algorithms: str = Field(
        "RS256,ES256,Ed25519",
        description="Algorithms a token may be signed with, joined by commas; those of "
        "token_secret must be named too.",
    )
    token_claims: Annotated[str, json_of(TokenClaims)] = Field(
        "{}",
        description="JSON object of the claims that say who asks (principal, else sub), in which "
        "groups (groups), with which role (role) and for which workspaces (workspace, else all are "
        "for the default one); dots lead into objects, as in realm_access.roles.",
    )
    token_roles: str = Field(
        "{}",
        description="JSON object of the roles (reader, writer, admin) that groups and values of "
        'the role claim stand for, such as {"finance": "writer"}.',
    )
    login_issuer: str | None = Field(
        None, description="Issuer of the OpenID provider at which people log in."
    )
    login_namespace: str = Field(
        "", pattern=NAMESPACE, description="The same for whoever logs in there."
    )
    login_client_id: str | None = Field(
        None, description="What this server is called there; public_url must be set too."
    )
    login_client_secret: SecretStr | None = Field(
        None, description="Its secret there; unset for a public client."
    )
    login_scopes: str = Field(
        "openid profile email", description="What is asked of the provider, with openid among it."
    )
    login_session_hours: float = Field(
        12.0, gt=0, le=720, description="How long a login is good at most."
    )
    login_idle_minutes: float = Field(
        120.0, gt=0, le=43_200, description="How long it is good while nobody uses it."
    )
    proxy_addresses: str = Field(
        "",
        description="Addresses and networks of the proxies before this server, joined by commas, "
        "whose X-Forwarded-For says where a request comes from. It counts for limits of failed "
        "credentials and for logs alone.",
    )
    gateway_addresses: str = Field(
        "",
        description="Addresses and networks of the proxies whose X-User-Id and X-User-Role are "
        "believed, joined by commas.",
    )
    gateway_roles: str = Field(
        "{}", description="JSON object of the roles that values of X-User-Role stand for."
    )

    backend_url: str | None = Field(
        None,
        validation_alias=also("backend_url", "BACKEND_URL"),
        description="Address of a backend of yours that decides which collections a caller may "
        "see. See access.md.",
    )
    backend_paths: str = Field(
        '{"customer": "/api/customer/projects/{id}", "auditor": "/api/auditor/projects/{id}"}',
        description="JSON object: what the backend is asked for each value of X-User-Role, `{id}` "
        "being the collection.",
    )
    backend_remember_seconds: float = Field(
        30.0, ge=0, le=3600, description="How long a yes of the backend is believed."
    )

    # Server and logs

    host: str = Field(
        "127.0.0.1",
        description="Address the server listens on; without identity only one of this computer.",
    )
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on; 0 picks one.")
    public_url: str | None = Field(
        None,
        description="Address under which browsers and other programs reach the server, such as "
        "https://documents.example.com; needed where it is another name than host.",
    )
    allowed_hosts: str = Field(
        "",
        description="Further names and addresses, joined by commas, that the Host header of a "
        "request may have.",
    )
    cors_origins: str = Field(
        "",
        description="Origins of other sites whose pages may ask, such as https://app.example.com, "
        "joined by commas; they send a key or a token, never cookies.",
    )
    prices: str | None = Field(
        None,
        description="JSON object of prices in US dollars by model or kind of use, over those that "
        "are known: input_per_million, output_per_million, per_request, per_unit.",
    )
    requests_per_minute: int | None = Field(
        None,
        ge=1,
        description="Requests that each API key or token may make in a minute, in all processes "
        "together; unset sets no limit. This computer without a credential has none.",
    )
    search_timeout_seconds: float = Field(
        60.0,
        gt=0,
        description="Longest a search may take, the time of its models included; a statement of a "
        "request, and one reply of the language model, may take half of it.",
    )
    audit_queries: bool = Field(
        True,
        description="Whether the audit log keeps what was asked; off leaves who searched when, "
        "and which documents were shown.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severe log line that is written."
    )
    log_format: Literal["console", "json"] = Field(
        "console", description="Shape of log lines: for people, or for what collects them."
    )
    metrics_address: str | None = Field(
        None,
        pattern=r"^(([^:]+|\[[0-9a-fA-F:]+\]):)?[1-9][0-9]{0,4}$",
        description="Port at which Prometheus finds `/metrics`, such as 9464, for this computer "
        "alone; 0.0.0.0:9464 for all that reach it, who may read it, and it names no workspace. "
        "The worker beside a server takes the next port. Unset measures nothing for it.",
    )
    traces_kept_hours: float = Field(
        0.0,
        ge=0,
        le=8760,
        description="How long traces are kept in the database for `footnote trace`; 0 keeps none.",
    )

    @property
    def identity_ways(self) -> frozenset[str]:
        """How callers may prove who they are; empty where this computer alone is served."""
        return frozenset(listed(self.identity))

    @property
    def metrics_at(self) -> tuple[str, int] | None:
        """The host and the port at which Prometheus finds the metrics of this process."""
        if self.metrics_address is None:
            return None
        host, _, port = self.metrics_address.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)
