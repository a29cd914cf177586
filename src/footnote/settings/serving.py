"""Settings of the server, and of who may ask it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, SecretStr

from footnote.settings.identity import (
    AcceptedTokens,
    BackendOptions,
    ClaimsRead,
    IdentityWays,
    LoginProvider,
    Networks,
    Origins,
    TrustedGateway,
    WebAddress,
)
from footnote.settings.kinds import (
    Address,
    LogLevel,
    MetricsAddress,
    Timeouts,
    also,
    host_and_port,
    json_of,
    listed,
)


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
    tokens: Annotated[str, json_of(AcceptedTokens)] = Field(
        "{}",
        description="JSON object of whose tokens are accepted: issuer (`iss`), audience (`aud`), "
        "jwks_url, the address of the issuer's public keys, algorithms (RS256,ES256,Ed25519; those "
        "of token_secret must be named too) and namespace, which stands before everybody's name, "
        "groups and roles of that issuer and is needed where people also log in at another one.",
    )
    token_secret: SecretStr | None = Field(
        None,
        description="Secret that this server and the issuer share, of at least 32 characters, for "
        "the algorithms HS256, HS384 and HS512.",
    )
    claims: Annotated[str, json_of(ClaimsRead)] = Field(
        "{}",
        description="JSON object of the claims of tokens and logins that say who asks (principal, "
        "else sub), in which groups (groups), with which role (role) and for which workspaces "
        "(workspace, else all are for the default one), with dots that lead into objects, as in "
        "realm_access.roles; and under roles the role (reader, writer, admin) that each group or "
        'value of the role claim stands for: {"roles": {"finance": "writer"}}.',
    )
    login: Annotated[str, json_of(LoginProvider)] = Field(
        "{}",
        description="JSON object of the OpenID provider at which people log in: issuer, client_id, "
        "what this server is called there, scopes (openid profile email), algorithms and namespace "
        "as in tokens, session_hours, how long a login is good at most (12), and idle_minutes, how "
        "long while nobody uses it (120). public_url must be set too.",
    )
    login_client_secret: SecretStr | None = Field(
        None, description="This server's secret at that provider; unset for a public client."
    )
    proxy_addresses: Networks = Field(
        "",
        description="Addresses and networks of the proxies before this server, joined by commas, "
        "whose X-Forwarded-For says where a request comes from. It counts for limits of failed "
        "credentials and for logs alone.",
    )
    gateway: Annotated[str, json_of(TrustedGateway)] = Field(
        "{}",
        description="JSON object of the proxies whose X-User-Id and X-User-Role are believed: "
        "addresses, which are addresses and networks joined by commas, and roles, what values of "
        'X-User-Role stand for: {"addresses": "10.1.0.0/16", "roles": {"auditor": "reader"}}.',
    )

    backend_url: WebAddress | None = Field(
        None,
        validation_alias=also("backend_url", "BACKEND_URL"),
        description="Address of a backend of yours that decides which collections a caller may "
        "see. See access.md.",
    )
    backend_options: Annotated[str, json_of(BackendOptions)] = Field(
        "{}",
        description="JSON object: paths, what the backend is asked for each value of X-User-Role, "
        "`{id}` being the collection (where it is not said, "
        '{"customer": "/api/customer/projects/{id}", "auditor": "/api/auditor/projects/{id}"}), '
        "and remember_seconds, how long a yes of it is believed (30).",
    )

    # Server and logs

    address: Address = Field(
        "127.0.0.1:8080",
        description="Where the server listens: 0.0.0.0:8080, or a port of this computer; 0 picks "
        "one. Without identity only addresses of this computer.",
    )
    processes: int = Field(
        1,
        ge=1,
        le=64,
        description="Processes that serve this address, each with its own connections, models and "
        "caches, some 155 MB more for each: one for two cores or so, where many ask at once. "
        "More than one needs Linux.",
    )
    public_url: WebAddress | None = Field(
        None,
        description="Address under which browsers and other programs reach the server, such as "
        "https://documents.example.com; needed where it is another name than host.",
    )
    allowed_hosts: str = Field(
        "",
        description="Further names and addresses, joined by commas, that the Host header of a "
        "request may have.",
    )
    cors_origins: Origins = Field(
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
    timeouts: Annotated[str, json_of(Timeouts)] = Field(
        "{}",
        description="JSON object of the longest that something may take, in seconds. search (60): "
        "the time of its models included; a statement of a request, and one reply of the language "
        "model, may take half of it. answer (120): all models together; a model must begin within "
        "a quarter of it, and an agent has half as long again. parse (300): a parser may compute "
        "twice as long on several cores; a slow machine, or long scans, need more; a fifth of it "
        "is for the description of a picture, three times it for a recording that a transcriber "
        "writes down, and for any later stage until a part of it is done. fetch (30): an address, "
        "or an answer of a mailbox; a slow line with large files needs more. "
        "worker (10): silence after which a worker's jobs are given to another; "
        "it says that it lives five times as often, and a machine that stalls for long needs more. "
        "replica (10): how old what a replica lacks may be; beyond, the primary is read.",
    )
    audit_queries: bool = Field(
        True,
        description="Whether the audit log keeps what was asked; off leaves who searched when, "
        "and which documents were shown.",
    )
    log: LogLevel = Field(
        "warning",
        description="Least severe log line that is written: debug, info, warning or error; with "
        "json:warning, or json for short, in the shape for what collects them.",
    )
    metrics_address: MetricsAddress | None = Field(
        None,
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
    def accepted_tokens(self) -> AcceptedTokens:
        """Whose tokens are accepted."""
        return AcceptedTokens.model_validate_json(self.tokens)

    @property
    def login_provider(self) -> LoginProvider:
        """Where people log in."""
        return LoginProvider.model_validate_json(self.login)

    @property
    def seconds(self) -> Timeouts:
        """The longest that things may take."""
        return Timeouts.model_validate_json(self.timeouts)

    @property
    def metrics_at(self) -> tuple[str, int] | None:
        """The host and the port at which Prometheus finds the metrics of this process."""
        return None if self.metrics_address is None else host_and_port(self.metrics_address)

    @property
    def logged(self) -> tuple[bool, str]:
        """Whether log lines are JSON, and the least severe one that is written."""
        return self.log.startswith("json"), self.log.removeprefix("json").lstrip(":") or "warning"

    @property
    def listens_at(self) -> tuple[str, int]:
        """The host, without brackets, and the port of the server."""
        return host_and_port(self.address)
