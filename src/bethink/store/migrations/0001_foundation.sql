-- One schema, two databases. {int} {real} {bool} {json} {bytes} are spelled for each when it is applied;
-- a line "-- only: sqlite" or "-- only: postgres" opens a part for one of them, "-- both:" closes it.
-- Times are microseconds since 1970 in UTC.

CREATE TABLE spaces (
  id TEXT PRIMARY KEY,
  number {int} NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  mode TEXT NOT NULL,
  timezone TEXT NOT NULL,
  locale TEXT NOT NULL,
  settings {json} NOT NULL,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hint TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at {int} NOT NULL,
  last_used_at {int},
  revoked_at {int}
){strict};

CREATE TABLE persons (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  display_name TEXT NOT NULL,
  pronouns TEXT,
  role TEXT,
  aliases {json} NOT NULL,
  birth_date TEXT,
  notes TEXT,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE INDEX persons_of_space ON persons (space_id);

CREATE TABLE sessions (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  title TEXT,
  platform TEXT NOT NULL,
  metadata {json} NOT NULL,
  last_message_at {int},
  created_at {int} NOT NULL,
  PRIMARY KEY (space_id, id)
){strict};
CREATE INDEX sessions_by_activity ON sessions (space_id, last_message_at);

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  position {int} NOT NULL,
  external_id TEXT,
  role TEXT NOT NULL,
  name TEXT,
  platform TEXT NOT NULL,
  channel TEXT,
  contact TEXT,
  bot_id TEXT,
  person_id TEXT REFERENCES persons (id) ON DELETE SET NULL,
  sent_at {int} NOT NULL,
  sent_offset {int} NOT NULL,
  content TEXT NOT NULL,
  attachments {json} NOT NULL,
  metadata {json} NOT NULL,
  tier TEXT NOT NULL,
  importance {real} NOT NULL,
  pinned {bool} NOT NULL,
  access_count {int} NOT NULL,
  last_access_at {int},
  archived_at {int},
  summary_id TEXT,
  created_at {int} NOT NULL,
  FOREIGN KEY (space_id, session_id) REFERENCES sessions (space_id, id) ON DELETE CASCADE
){strict};
CREATE UNIQUE INDEX messages_in_order ON messages (space_id, session_id, position);
CREATE UNIQUE INDEX messages_by_external_id ON messages (space_id, platform, external_id)
  WHERE external_id IS NOT NULL;
CREATE INDEX messages_by_tier ON messages (space_id, tier, sent_at);
CREATE INDEX messages_by_name ON messages (space_id, name);
CREATE INDEX messages_by_time ON messages (space_id, sent_at);

CREATE TABLE memories (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  type TEXT NOT NULL,
  key TEXT,
  category TEXT,
  title TEXT,
  tags {json} NOT NULL,
  metadata {json} NOT NULL,
  person_id TEXT REFERENCES persons (id) ON DELETE SET NULL,
  session_id TEXT,
  source TEXT NOT NULL,
  source_ref {json} NOT NULL,
  observed_at {int} NOT NULL,
  expires_at {int},
  confidence {int} NOT NULL,
  pinned {bool} NOT NULL,
  promoted {bool} NOT NULL,
  access_count {int} NOT NULL,
  last_access_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE UNIQUE INDEX memories_by_key ON memories (space_id, key) WHERE key IS NOT NULL;
CREATE INDEX memories_by_age ON memories (space_id, created_at, id);
CREATE INDEX memories_by_session ON memories (space_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE facts (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  person_id TEXT REFERENCES persons (id) ON DELETE CASCADE,
  category TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  source TEXT NOT NULL,
  confidence {int} NOT NULL,
  source_context TEXT,
  provenance {json} NOT NULL,
  expires_at {int},
  last_verified_at {int},
  promoted {bool} NOT NULL,
  access_count {int} NOT NULL,
  last_access_at {int},
  valid_from {int} NOT NULL,
  valid_to {int},
  superseded_by TEXT,
  created_at {int} NOT NULL
){strict};
CREATE UNIQUE INDEX facts_current ON facts (space_id, COALESCE(person_id, ''), category, key)
  WHERE valid_to IS NULL;
CREATE INDEX facts_versions ON facts (space_id, category, key, valid_from);

CREATE TABLE settings (
  space_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value {json} NOT NULL,
  updated_at {int} NOT NULL,
  PRIMARY KEY (space_id, name)
){strict};

CREATE TABLE journal (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  at {int} NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  noun TEXT NOT NULL,
  record_id TEXT NOT NULL,
  reason TEXT,
  before {json},
  after {json}
){strict};
CREATE INDEX journal_by_record ON journal (space_id, record_id);
CREATE INDEX journal_by_time ON journal (space_id, at, id);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  expires_at {int} NOT NULL
){strict};

-- The index: one entry per record that can be recalled. The id leads with the space's number (high 32 bits).
CREATE TABLE entries (
  id {int} PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  layer TEXT NOT NULL,
  record_id TEXT NOT NULL,
  person_id TEXT,
  session_id TEXT,
  position {int},
  observed_at {int} NOT NULL,
  expires_at {int},
  fingerprint TEXT NOT NULL,
  signature TEXT NOT NULL,
  late TEXT NOT NULL
-- only: postgres
  , length INTEGER NOT NULL
  , terms tsvector NOT NULL
  , vector vector
-- both:
){strict};
CREATE UNIQUE INDEX entries_by_record ON entries (record_id, layer);
CREATE INDEX entries_by_signature ON entries (space_id, signature);
CREATE INDEX entries_by_late ON entries (space_id, late);
CREATE INDEX entries_by_fingerprint ON entries (space_id, fingerprint);
CREATE INDEX entries_by_expiry ON entries (space_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_by_time ON entries (space_id, observed_at);
CREATE INDEX entries_by_session ON entries (space_id, session_id, position) WHERE session_id IS NOT NULL;

-- Token vectors for late interaction: int8 codes and scales, see index.late.
CREATE TABLE token_vectors (
  entry_id {int} PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
  data {bytes} NOT NULL
){strict};

-- only: postgres
CREATE INDEX entries_by_terms ON entries USING gin (terms);
CREATE SEQUENCE entry_numbers AS INTEGER MAXVALUE 268435455;

-- only: sqlite
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
  signature TEXT NOT NULL,
  data BLOB NOT NULL
) STRICT;

-- What changed in the vectors, in order, so that a process refreshes only what is new to it.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  space_number INTEGER NOT NULL,
  entry_id INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_of_space ON changes (space_number, seq);

-- Terms are analysed in Python, so the tokenizer only splits at spaces.
CREATE VIRTUAL TABLE terms USING fts5 (
  body, context, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (terms, 'row');
