-- Browsers that are signed in, links that sign one in, and the numbers of spaces that are no more.

CREATE TABLE sign_ins (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  created_at {int} NOT NULL,
  expires_at {int} NOT NULL
){strict};
CREATE INDEX sign_ins_of_key ON sign_ins (key_id);

CREATE TABLE removed_spaces (
  number {int} PRIMARY KEY,
  removed_at {int} NOT NULL
){strict};
