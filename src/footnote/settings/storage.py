"""Settings of where data is kept, under which keys, and where it comes from."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.settings.kinds import DatabaseUrl, DatabaseUrls, Folder, default_home


class StorageSettings(BaseModel):
    """Database, files, keys, backups and sources."""

    # Where data is kept

    home: Folder = Field(
        default_factory=default_home,
        description="Folder of the embedded database, the received files and the models that are "
        "built; set it to a disk with room.",
    )
    database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="Address of a Postgres with pgvector, with the application's login; unset "
        "means an embedded one in home. Several machines need it.",
    )
    direct_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="The same database past the connection pooler (PgBouncer) that database_url "
        "goes through: connections of the queue, and those that hear of events, are one process's. "
        "Unset takes database_url.",
    )
    owner_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="The same with the login that owns the tables, past a pooler too, for "
        "migrations and index builds, so that the application's login need not; unset takes "
        "direct_database_url.",
    )
    replica_database_urls: DatabaseUrls = Field(
        "",
        repr=False,
        description="Addresses of streaming replicas, with spaces between them, that searches, "
        "answers and lists of documents are read from while they are near enough to the primary.",
    )
    pool_size: int = Field(
        8,
        ge=1,
        le=200,
        description="Connections a process keeps to Postgres; more let more requests work at "
        "once, within what Postgres allows.",
    )
    blob_url: str | None = Field(
        None,
        description="Object store of the received files, s3://bucket/prefix, gs://… or az://…; "
        "unset means the folder blobs in home, which several machines would have to share.",
    )
    blob_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object store wants to know, such as endpoint, "
        "access_key_id, secret_access_key and region.",
    )

    # Keys

    encryption: Literal["off", "on"] = Field(
        "off",
        description="Whether the content of new workspaces is encrypted: texts, titles, messages, "
        "files and vectors. On, workspaces that were made without are refused; off, those that "
        "were made with go on as they are.",
    )
    master_key: SecretStr | None = Field(
        None,
        description="What wraps the keys of workspaces: the path of a file, base64:…, "
        "vault://TOKEN@host:8200/transit/KEY, aws-kms://alias/KEY?region=… or "
        "gcp-kms://projects/…; behind a comma those of before, which still unwrap what the first "
        "has not wrapped yet. Unset means the file master.key in home, made when it is first "
        "needed. Several machines need the same one.",
    )

    # Backups

    backup_url: str | None = Field(
        None,
        description="Where `footnote backup` keeps backups: a folder, s3://bucket/prefix, gs://… "
        "or az://…; best on another machine, and not the place of the received files.",
    )
    backup_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object store of the backups wants to know, as in "
        "FOOTNOTE_BLOB_OPTIONS.",
    )
    backup_key: SecretStr | None = Field(
        None,
        description="What backups are encrypted under: the path of a file with 32 bytes in Base64, "
        "or base64:…; without it no backup is made, and without it none can be read.",
    )
    backup_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="Address of the external Postgres with a login that may make base backups "
        "(REPLICATION) or read all rows (BYPASSRLS); unset takes owner_database_url. See "
        "backup.md.",
    )

    # Sources

    allow_private_urls: bool = Field(
        False,
        description="Whether addresses of this machine and of private networks may be fetched "
        "from and sent events; off keeps users out of your network.",
    )
    source_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object stores that are ingested from want to know, "
        "as in FOOTNOTE_BLOB_OPTIONS.",
    )
    imap_password: SecretStr | None = Field(
        None, description="Password of the mailboxes that are ingested from."
    )
    source_places: str = Field(
        "",
        description="Places, with commas between them, below which administrators of workspaces "
        "may name sources over the network, such as folder:/srv/documents/{workspace}, "
        "s3://bucket/{workspace}, imaps://mail.example.org or https://wiki.example.org/public; "
        "without any, only commands on this machine can.",
    )
    webhook_secret: SecretStr | None = Field(
        None,
        description="Shared secret that signs POST /v1/webhooks/document-uploaded; unset refuses "
        "them all.",
    )
