-- How far the channel messages of each session were read for insights.
CREATE TABLE insight_reads (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  position {int} NOT NULL,
  PRIMARY KEY (space_id, session_id),
  FOREIGN KEY (space_id, session_id) REFERENCES sessions (space_id, id) ON DELETE CASCADE
){strict};
CREATE INDEX messages_of_channels ON messages (space_id, session_id, position) WHERE channel IS NOT NULL;
