-- name: sign
UPDATE entries SET signature = :signature, embedded_at = :at
WHERE space_id = :space_id AND id = :id AND fingerprint = :fingerprint

-- name: put
INSERT OR REPLACE INTO vectors (id, signature, data) VALUES (:id, :signature, :vector)

-- name: put_codes
INSERT INTO codes (id, signature, data) VALUES (:id, :signature, :codes)

-- name: drop
DELETE FROM vectors WHERE id IN_LIST(:ids)

-- name: of_space
SELECT id, data FROM codes WHERE id BETWEEN :low AND :high AND signature = :signature
ORDER BY id LIMIT :limit

-- name: expiring
SELECT id, expires_at FROM entries
WHERE space_id = (SELECT spaces.id FROM spaces WHERE number = :space_number) AND expires_at IS NOT NULL

-- name: exact
SELECT id, data FROM vectors WHERE id IN_LIST(:ids) AND signature = :signature

-- name: of_ids
SELECT entries.id, vectors.data, COALESCE(entries.expires_at, 9223372036854775807) FROM entries
JOIN vectors ON vectors.id = entries.id
WHERE entries.id IN_LIST(:ids) AND vectors.signature = :signature

-- name: of_layer
SELECT entries.record_id, vectors.data FROM entries JOIN vectors ON vectors.id = entries.id
WHERE entries.id BETWEEN :low AND :high AND vectors.signature = :signature
ORDER BY entries.id DESC LIMIT :limit

-- name: of_records
SELECT entries.record_id, vectors.data FROM entries JOIN vectors ON vectors.id = entries.id
WHERE CHECKED(entries.space_id) = :space_id AND entries.record_id IN_LIST(:record_ids)
  AND entries.layer = :layer AND vectors.signature = :signature

-- name: entries_of_ids
SELECT entries.id, vectors.data, entries.layer, entries.person_id, entries.session_id, entries.observed_at,
  entries.expires_at
FROM entries JOIN vectors ON vectors.id = entries.id
WHERE entries.id IN_LIST(:ids) AND vectors.signature = :signature

-- name: entries_of_range
SELECT entries.id, vectors.data, entries.layer, entries.person_id, entries.session_id, entries.observed_at,
  entries.expires_at
FROM entries JOIN vectors ON vectors.id = entries.id
WHERE entries.id > :after AND entries.id <= :high AND vectors.signature = :signature
ORDER BY entries.id LIMIT :limit

-- name: left_of_ids
SELECT id FROM vectors WHERE id IN_LIST(:ids)

-- name: left_of_range
SELECT id FROM vectors WHERE id BETWEEN :low AND :high LIMIT :limit

-- name: check
SELECT id, data FROM vectors LIMIT 1
