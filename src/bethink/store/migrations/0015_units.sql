-- What was read in each message, sentence by sentence: what it is worth, what it is about, whether it still
-- holds. Numbers and names of ours, never words that somebody said.
CREATE TABLE units (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  number {int} NOT NULL,
  first {int} NOT NULL,
  last {int} NOT NULL,
  sent_at {int} NOT NULL,
  worth {real} NOT NULL,
  label TEXT NOT NULL,
  harm {real} NOT NULL,
  kind TEXT NOT NULL,
  slot TEXT NOT NULL,
  sure {real} NOT NULL,
  other {real} NOT NULL,
  replaces {real} NOT NULL,
  topic {bytes} NOT NULL,
  memory_id TEXT,
  until {int},
  until_message TEXT,
  withdrawn {bool} NOT NULL,
  PRIMARY KEY (message_id, number)
){strict};
CREATE INDEX units_by_time ON units (space_id, sent_at);
CREATE INDEX units_by_memory ON units (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX units_by_ending ON units (until_message) WHERE until_message IS NOT NULL;
