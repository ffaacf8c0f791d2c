-- name: note
INSERT INTO changes (space_number, entry_id) SELECT :space_number, unnest(:entry_ids::bigint[])

-- name: without_number
SELECT 1 AS yes FROM changes WHERE seq IS NULL LIMIT 1

-- name: newest_id
SELECT COALESCE(MAX(id), 0) AS id FROM changes

-- name: number
UPDATE changes SET seq = newest.seq + fresh.place
FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM changes WHERE seq IS NULL) AS fresh,
  (SELECT COALESCE(MAX(seq), 0) AS seq FROM changes) AS newest
WHERE changes.id = fresh.id

-- name: drop_read
-- The last of each space stays: it tells what is kept of the space in some process that it is stale.
DELETE FROM changes WHERE seq < (SELECT MAX(of_space.seq) FROM changes AS of_space
  WHERE of_space.space_number = changes.space_number)
AND NOT EXISTS (
  SELECT 1 FROM change_readers WHERE change_readers.space_number = changes.space_number
    AND change_readers.seq < changes.seq
)
