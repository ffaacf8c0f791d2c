-- name: insert
INSERT INTO runs (id, space_id, sweep, started_at, finished_at, status, done, counts, error, dry_run)
SELECT :id, :space_id, :sweep, :started_at::bigint, :finished_at::bigint, :status, :done::bigint, :counts::jsonb,
  :error, :dry_run::boolean
WHERE EXISTS (SELECT 1 FROM spaces WHERE id = :space_id)
