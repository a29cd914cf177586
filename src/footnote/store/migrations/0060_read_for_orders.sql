-- migration: expand
-- Which reader looked at the chunks of a published version for orders to a model: the next version need
-- not have those read again that it shares with it. Null where none did, and of versions of before.

ALTER TABLE document_versions ADD COLUMN read_for_orders_with text;

COMMENT ON COLUMN document_versions.read_for_orders_with IS
    'The checksum of the reader that looked for orders to a model; null where nobody knows.';
