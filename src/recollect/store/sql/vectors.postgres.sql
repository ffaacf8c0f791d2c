-- name: put
UPDATE entries SET signature = :signature, vector = :vector::vector
WHERE space_id = :space_id AND id = :id AND fingerprint = :fingerprint

-- name: nearest
SELECT id, 1 - (vector <=> :query::vector) AS similarity FROM entries
WHERE space_id = :space_id AND signature = :signature AND (expires_at IS NULL OR expires_at > :now) {where}
ORDER BY vector <=> :query::vector LIMIT :limit

-- name: of_layer
SELECT entries.record_id, entries.vector::real[] FROM entries
WHERE entries.id BETWEEN :low AND :high AND entries.signature = :signature
ORDER BY entries.id DESC LIMIT :limit
