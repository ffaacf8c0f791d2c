-- What is going on in the channels of a space. Every weight is computed from the events.
CREATE TABLE insights (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  importance TEXT NOT NULL,
  urgency TEXT NOT NULL,
  status TEXT NOT NULL,
  task_label TEXT NOT NULL,
  details {json} NOT NULL,
  timeline {json} NOT NULL,
  people {json} NOT NULL,
  platforms {json} NOT NULL,
  channels {json} NOT NULL,
  bot_id TEXT NOT NULL,
  dedupe_key TEXT NOT NULL,
  preferences {json} NOT NULL,
  provenance {json} NOT NULL,
  due_at {int},
  closed_at {int},
  closed_by TEXT,
  closed_because TEXT,
  observed_at {int} NOT NULL,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE UNIQUE INDEX insights_by_key ON insights (space_id, bot_id, dedupe_key);
CREATE INDEX insights_by_time ON insights (space_id, status, observed_at);

CREATE TABLE insight_events (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  insight_id TEXT NOT NULL REFERENCES insights (id) ON DELETE CASCADE,
  person_id TEXT REFERENCES persons (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  value {real} NOT NULL,
  at {int} NOT NULL
){strict};
CREATE INDEX insight_events_by_insight ON insight_events (insight_id, at);
CREATE INDEX insight_events_of_space ON insight_events (space_id, at);
