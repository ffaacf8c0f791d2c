-- name: count
SELECT COUNT(*) AS total FROM entries
WHERE space_id = (SELECT spaces.id FROM spaces WHERE number = :space_number) AND signature = :signature
