-- What some messages come to, which are archived since.
CREATE TABLE summaries (
  id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  summary_tier TEXT NOT NULL,
  source_tier TEXT NOT NULL,
  start_at {int} NOT NULL,
  end_at {int} NOT NULL,
  message_count {int} NOT NULL,
  source_ids {json} NOT NULL,
  key_points {json} NOT NULL,
  keywords {json} NOT NULL,
  summary_text TEXT NOT NULL,
  dimensions {json} NOT NULL,
  person_id TEXT REFERENCES persons (id) ON DELETE SET NULL,
  quality_score {real} NOT NULL,
  model TEXT,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
){strict};
CREATE INDEX summaries_by_tier ON summaries (space_id, summary_tier);
CREATE INDEX summaries_by_end ON summaries (space_id, end_at, id);
CREATE INDEX messages_summarised ON messages (summary_id) WHERE summary_id IS NOT NULL;
