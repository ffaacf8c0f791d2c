-- A vector index that lives elsewhere is fed from the log of changes: how far each has read, in each space.
-- A reader without a signature is being built, or must be because changes were cut off that it had not read.
CREATE TABLE change_readers (
  name TEXT NOT NULL,
  space_number {int} NOT NULL,
  signature TEXT NOT NULL,
  seq {int} NOT NULL,
  read_at {int} NOT NULL,
  PRIMARY KEY (name, space_number)
){strict};

-- only: postgres
-- The log that the other database has from the start. A change gets its number when someone reads the log and
-- it is committed, not when it is made: else one that is committed late would be numbered below what was read.
CREATE TABLE changes (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq BIGINT UNIQUE,
  space_number BIGINT NOT NULL,
  entry_id BIGINT NOT NULL
);
CREATE INDEX changes_of_space ON changes (space_number, seq);
CREATE INDEX changes_without_number ON changes (id) WHERE seq IS NULL;
