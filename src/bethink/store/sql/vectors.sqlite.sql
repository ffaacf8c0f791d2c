-- name: sign
UPDATE entries SET signature = :signature
WHERE space_id = :space_id AND id = :id AND fingerprint = :fingerprint

-- name: put
INSERT OR REPLACE INTO vectors (id, signature, data) VALUES (:id, :signature, :vector)

-- name: put_codes
INSERT INTO codes (id, signature, data) VALUES (:id, :signature, :codes)

-- name: drop
DELETE FROM vectors WHERE id IN_LIST(:ids)

-- name: note_change
INSERT INTO changes (space_number, entry_id) VALUES (:space_number, :entry_id)

-- name: prune_changes
DELETE FROM changes WHERE seq <= :seq

-- name: last_change
SELECT COALESCE(MAX(seq), 0) AS seq FROM changes WHERE space_number = :space_number

-- name: oldest_change
SELECT COALESCE(MIN(seq), 0) AS seq FROM changes

-- name: changed_since
SELECT DISTINCT entry_id FROM changes WHERE space_number = :space_number AND seq > :seq

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
