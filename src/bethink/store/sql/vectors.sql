-- name: count
SELECT COUNT(*) AS total FROM entries
WHERE space_id = (SELECT spaces.id FROM spaces WHERE number = :space_number) AND signature = :signature

-- name: ids_of_range
SELECT id FROM entries WHERE id > :after AND id <= :end AND signature = :signature ORDER BY id

-- name: ended
SELECT COUNT(*) AS total FROM entries
WHERE space_id = :space_id AND signature = :signature AND expires_at <= :now

-- name: older
SELECT COUNT(*) AS total FROM entries
WHERE space_id = :space_id AND signature = :signature AND observed_at < :before
