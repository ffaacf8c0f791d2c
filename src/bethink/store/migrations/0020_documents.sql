-- Files of the knowledge base, and the passages that their texts were split into.

CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  size_bytes {int} NOT NULL,
  content_hash TEXT NOT NULL,
  status TEXT NOT NULL,
  problem TEXT,
  metadata {json} NOT NULL,
  passages {int} NOT NULL,
  characters {int} NOT NULL,
  original {bool} NOT NULL,
  path TEXT,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE INDEX documents_by_time ON documents (space_id, created_at, id);
CREATE INDEX documents_by_status ON documents (space_id, status, created_at, id);
CREATE UNIQUE INDEX documents_by_content ON documents (space_id, content_hash);
CREATE INDEX documents_by_path ON documents (space_id, path) WHERE path IS NOT NULL;

CREATE TABLE passages (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  document_name TEXT NOT NULL,
  position {int} NOT NULL,
  text TEXT NOT NULL,
  repeated {int} NOT NULL,
  first {int} NOT NULL,
  last {int} NOT NULL,
  title TEXT,
  part TEXT,
  page {int},
  last_page {int},
  sheet TEXT,
  observed_at {int} NOT NULL,
  created_at {int} NOT NULL
){strict};
CREATE INDEX passages_in_order ON passages (document_id, position);
CREATE INDEX passages_of_space ON passages (space_id, id);
