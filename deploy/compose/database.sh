#!/bin/sh
# The two logins that Footnote works with, and its database; see docs/tenancy.md. The image of
# Postgres runs this once, when its folder is empty.
set -eu
psql --set ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set login_password="$FOOTNOTE_LOGIN_PASSWORD" --set owner_password="$FOOTNOTE_OWNER_PASSWORD" <<'SQL'
CREATE ROLE footnote_app NOSUPERUSER NOBYPASSRLS;
CREATE ROLE footnote_login LOGIN PASSWORD :'login_password' IN ROLE footnote_app;
CREATE ROLE footnote_owner LOGIN PASSWORD :'owner_password';
CREATE DATABASE footnote OWNER footnote_owner;
REVOKE TEMPORARY ON DATABASE footnote FROM PUBLIC;
\connect footnote
CREATE EXTENSION vector;
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (proname LIKE 'lo\_%' OR proname IN ('loread', 'lowrite'))
\gexec
SQL
