-- migration: expand
-- What the rotation of data keys needs.
-- Safe before a deploy: it only adds.

-- A key that is coming is known to every process before the first one encrypts under it.
ALTER TABLE data_keys DROP CONSTRAINT data_keys_state_check;
ALTER TABLE data_keys ADD CONSTRAINT data_keys_state_check
    CHECK (state IN ('coming', 'current', 'old'));

-- What is encrypted anew; policies bind both as before.
GRANT UPDATE (lexical_key) ON workspaces TO footnote_app;
GRANT UPDATE (salt, query) ON audit_queries TO footnote_app;
