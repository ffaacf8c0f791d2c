-- name: put
UPDATE entries SET signature = :signature, vector = :vector::vector, embedded_at = :at
WHERE space_id = :space_id AND id = :id AND fingerprint = :fingerprint

-- name: nearest
SELECT id, 1 - (vector <=> :query::vector) AS similarity FROM entries
WHERE space_id = :space_id AND signature = :signature AND (expires_at IS NULL OR expires_at > :now) {where}
ORDER BY vector <=> :query::vector LIMIT :limit

-- name: of_layer
SELECT entries.record_id, entries.vector::real[] FROM entries
WHERE entries.id BETWEEN :low AND :high AND entries.signature = :signature
ORDER BY entries.id DESC LIMIT :limit

-- name: of_records
SELECT entries.record_id, entries.vector::real[] FROM entries
WHERE CHECKED(entries.space_id) = :space_id AND entries.record_id IN_LIST(:record_ids)
  AND entries.layer = :layer AND entries.signature = :signature

-- name: nearest_of_range
SELECT id, 1 - (vector <=> :query::text::vector) AS similarity FROM (
  SELECT id, vector FROM entries
  WHERE id BETWEEN {low} AND {high} AND signature = {signature} AND (expires_at IS NULL OR expires_at > :now)
  ORDER BY (vector::halfvec({dimensions})) <=> :query::text::halfvec({dimensions}) LIMIT :limit
) AS near ORDER BY similarity DESC, id

-- name: indexes
SELECT pg_class.relname AS name, pg_index.indisvalid AS valid
FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
WHERE pg_index.indrelid = 'entries'::regclass AND starts_with(pg_class.relname, :prefix)

-- name: count_of_range
SELECT COUNT(*) AS total FROM (
  SELECT 1 FROM entries WHERE id BETWEEN :low AND :high AND signature = :signature LIMIT :limit
) AS part

-- name: build_index
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON entries
USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops)
WHERE id BETWEEN {low} AND {high} AND signature = {signature}

-- name: drop_index
DROP INDEX CONCURRENTLY IF EXISTS {index}

-- name: entries_of_ids
SELECT id, vector::real[], layer, person_id, session_id, observed_at, expires_at FROM entries
WHERE id IN_LIST(:ids) AND signature = :signature

-- name: entries_of_range
SELECT id, vector::real[], layer, person_id, session_id, observed_at, expires_at FROM entries
WHERE id > :after AND id <= :high AND signature = :signature ORDER BY id LIMIT :limit

-- name: left_of_ids
SELECT id FROM entries WHERE id IN_LIST(:ids) AND vector IS NOT NULL

-- name: left_of_range
SELECT id FROM entries WHERE id BETWEEN :low AND :high AND vector IS NOT NULL LIMIT :limit

-- name: check
SELECT vector IS NULL AS bare FROM entries LIMIT 1
