-- name: count
SELECT
  (SELECT COUNT(*) FROM spaces) AS spaces,
  -- The range is for the index, which LIKE cannot use in every language.
  (SELECT COUNT(*) FROM entries) - (
    SELECT COUNT(*) FROM entries WHERE record_id > 'probe' AND record_id < 'probf' AND record_id LIKE 'probe:%'
  ) AS entries,
  (SELECT COUNT(*) FROM entries
   WHERE signature <> :signature AND record_id NOT LIKE 'probe:%') AS entries_awaiting_vectors,
  (SELECT COUNT(*) FROM extractions WHERE status = 'failed') AS extractions_failed
