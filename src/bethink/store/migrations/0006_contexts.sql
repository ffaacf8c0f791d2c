-- Texts that are given to conversations, and so need not be remembered from them.

CREATE TABLE contexts (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE INDEX contexts_of_space ON contexts (space_id, created_at, id);
ALTER TABLE sessions ADD COLUMN context_ids {json} NOT NULL DEFAULT '[]';
