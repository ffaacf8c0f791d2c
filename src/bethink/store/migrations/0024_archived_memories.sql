-- Memories are archived: kept, and found no more. `archived_into` is the memory that tells of them since.
ALTER TABLE memories ADD COLUMN archived_at {int};
ALTER TABLE memories ADD COLUMN archived_into TEXT;
CREATE INDEX memories_archived ON memories (space_id, archived_at) WHERE archived_at IS NOT NULL;
CREATE INDEX memories_archived_into ON memories (archived_into) WHERE archived_into IS NOT NULL;
