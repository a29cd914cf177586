-- migration: expand
-- Events of a workspace are read in the order of their numbers, where they were read in that of
-- transactions.

CREATE INDEX CONCURRENTLY events_in_order ON events (workspace_id, event_no);
