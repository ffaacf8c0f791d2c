-- Every reading of a session by an extractor, so that a failed one is seen and can be run again.

CREATE TABLE extractions (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  extractor TEXT NOT NULL,
  first_position {int} NOT NULL,
  last_position {int} NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  attempts {int} NOT NULL,
  model TEXT,
  counts {json} NOT NULL,
  at {int} NOT NULL,
  FOREIGN KEY (space_id, session_id) REFERENCES sessions (space_id, id) ON DELETE CASCADE
){strict};
CREATE INDEX extractions_by_time ON extractions (space_id, at, id);
CREATE INDEX extractions_of_session ON extractions (space_id, session_id, extractor, last_position);
CREATE INDEX extractions_failed ON extractions (space_id, at) WHERE status = 'failed';
