-- name: insert
INSERT INTO runs (id, space_id, sweep, started_at, finished_at, status, done, counts, error, dry_run)
SELECT :id, :space_id, :sweep, :started_at, :finished_at, :status, :done, :counts, :error, :dry_run
WHERE EXISTS (SELECT 1 FROM spaces WHERE id = :space_id)

-- name: prune
DELETE FROM runs WHERE space_id = :space_id AND sweep = :sweep AND status = :status AND (started_at, id) < (
  SELECT started_at, id FROM runs WHERE space_id = :space_id AND sweep = :sweep AND status = :status
  ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET :kept - 1
)

-- name: newest
SELECT * FROM runs WHERE space_id = :space_id {where} ORDER BY started_at DESC, id DESC LIMIT :limit

-- name: last_starts
SELECT space_id, sweep, MAX(started_at) AS started_at FROM runs
WHERE sweep IN_LIST(:sweeps) AND NOT dry_run GROUP BY space_id, sweep
