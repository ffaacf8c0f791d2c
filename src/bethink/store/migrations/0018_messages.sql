-- Messages as a layer of their own right: found by what is pinned and archived; and when each vector was made.
ALTER TABLE entries ADD COLUMN embedded_at {int};
CREATE INDEX messages_archived ON messages (space_id, archived_at) WHERE archived_at IS NOT NULL;
CREATE INDEX messages_pinned ON messages (space_id, sent_at) WHERE pinned;
