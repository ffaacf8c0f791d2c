-- name: last
SELECT COALESCE(MAX(seq), 0) AS seq FROM changes WHERE space_number = :space_number

-- name: oldest
SELECT COALESCE(MIN(seq), 0) AS seq FROM changes

-- name: newest
SELECT COALESCE(MAX(seq), 0) AS seq FROM changes

-- name: since
SELECT DISTINCT entry_id FROM changes WHERE space_number = :space_number AND seq > :seq

-- name: standing
SELECT
  (SELECT COALESCE(MAX(seq), 0) FROM changes WHERE space_number = :space_number) AS last,
  (SELECT COALESCE(MAX(seq), 0) FROM changes) AS newest,
  (SELECT COALESCE(MIN(seq), 0) FROM changes) AS oldest,
  (SELECT COUNT(*) FROM changes WHERE space_number = :space_number AND seq IS NULL) AS waiting,
  (SELECT MIN(expires_at) FROM entries WHERE space_id = :space_id AND expires_at > :now) AS ends_at

-- name: cut
DELETE FROM changes WHERE seq <= :seq

-- name: reader
SELECT signature, seq FROM change_readers WHERE name = :name AND space_number = :space_number

-- name: filled_at
SELECT filled_at FROM change_readers WHERE name = :name AND space_number = :space_number

-- name: readings
SELECT space_number, signature FROM change_readers WHERE name = :name ORDER BY space_number

-- name: readers
SELECT DISTINCT name FROM change_readers ORDER BY name

-- name: begin
INSERT INTO change_readers (name, space_number, signature, seq, read_at)
VALUES (:name, :space_number, '', :seq, :now)
ON CONFLICT (name, space_number)
DO UPDATE SET signature = '', seq = excluded.seq, read_at = excluded.read_at

-- name: finish
UPDATE change_readers SET signature = :signature, read_at = :now, filled_at = :now
WHERE name = :name AND space_number = :space_number AND signature = '' AND seq = :seq

-- name: advance
UPDATE change_readers SET seq = :seq, read_at = :now
WHERE name = :name AND space_number = :space_number AND signature = :signature AND seq = :was

-- name: leave
DELETE FROM change_readers WHERE name = :name AND space_number = :space_number

-- name: forget_cut
UPDATE change_readers SET signature = '', seq = (SELECT MAX(seq) FROM changes) WHERE EXISTS (
  SELECT 1 FROM changes WHERE changes.space_number = change_readers.space_number
    AND changes.seq > change_readers.seq AND changes.seq <= :seq
)

-- name: forget_lost
UPDATE change_readers SET signature = '', seq = (SELECT MAX(seq) FROM changes) WHERE read_at < :before AND EXISTS (
  SELECT 1 FROM changes WHERE changes.space_number = change_readers.space_number
    AND changes.seq > change_readers.seq
)

-- name: left_behind
SELECT space_number FROM change_readers
WHERE name = :name AND space_number NOT IN (SELECT number FROM spaces)
