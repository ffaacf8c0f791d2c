-- name: count
SELECT
  (SELECT COUNT(*) FROM spaces) AS spaces,
  (SELECT COUNT(*) FROM entries) AS entries,
  (SELECT COUNT(*) FROM entries WHERE signature <> :signature) AS entries_awaiting_vectors,
  (SELECT COUNT(*) FROM extractions WHERE status = 'failed') AS extractions_failed
