-- Who lives in a space, through what they speak, and what every prompt starts with.

ALTER TABLE persons ADD COLUMN voice_ids {json} NOT NULL DEFAULT '[]';
ALTER TABLE persons ADD COLUMN left_at {int};
CREATE INDEX facts_of_person ON facts (space_id, person_id) WHERE person_id IS NOT NULL;
CREATE INDEX facts_promoted ON facts (space_id) WHERE promoted AND valid_to IS NULL;

CREATE TABLE devices (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  primary_person_id TEXT REFERENCES persons (id) ON DELETE SET NULL,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  PRIMARY KEY (space_id, id)
){strict};

-- A space's own texts: its soul, and the narrative of what is remembered.
CREATE TABLE texts (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  updated_at {int} NOT NULL,
  PRIMARY KEY (space_id, name)
){strict};

-- Which facts stand in the prompt of a space that has more than fit, chosen anew only when a fact changes.
CREATE TABLE standing (
  space_id TEXT PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  fact_ids {json} NOT NULL
){strict};
