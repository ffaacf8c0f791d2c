-- Vectors once more, as the int8 codes that a search keeps in memory: a quarter to read when a space is opened.
-- only: sqlite
CREATE TABLE codes (
  id INTEGER PRIMARY KEY REFERENCES vectors (id) ON DELETE CASCADE,
  signature TEXT NOT NULL,
  data BLOB NOT NULL
) STRICT;
-- What has vectors and no codes gets both anew.
UPDATE entries SET signature = '' WHERE signature <> '';
DELETE FROM vectors;
