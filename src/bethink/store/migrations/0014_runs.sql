-- What every sweep did in a space, and when: numbers and the kind of an error, never what is remembered.
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  sweep TEXT NOT NULL,
  started_at {int} NOT NULL,
  finished_at {int} NOT NULL,
  status TEXT NOT NULL,
  done {int} NOT NULL,
  counts {json} NOT NULL,
  error TEXT,
  dry_run {bool} NOT NULL
){strict};
CREATE INDEX runs_by_time ON runs (space_id, sweep, status, started_at, id);
CREATE INDEX runs_by_sweep ON runs (sweep, space_id, started_at);
