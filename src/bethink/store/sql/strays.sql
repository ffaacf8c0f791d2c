-- name: orphans
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND layer = :layer AND record_id NOT LIKE 'probe:%' AND NOT EXISTS (
  SELECT 1 FROM {table} WHERE {table}.id = entries.record_id AND {table}.space_id = entries.space_id {shown}
)
ORDER BY id LIMIT :limit

-- name: without_tokens
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND late <> ''
  AND NOT EXISTS (SELECT 1 FROM token_vectors WHERE token_vectors.entry_id = entries.id)
ORDER BY id LIMIT :limit

-- name: tokens
SELECT entry_id FROM token_vectors
WHERE entry_id BETWEEN :low AND :high AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = token_vectors.entry_id)
ORDER BY entry_id LIMIT :limit

-- name: drop_without_vector
UPDATE entries SET signature = '' WHERE id IN_LIST(:ids)

-- name: drop_without_tokens
UPDATE entries SET late = '' WHERE id IN_LIST(:ids)

-- name: drop_tokens
DELETE FROM token_vectors WHERE entry_id IN_LIST(:ids)

-- name: records
SELECT layer, record_id FROM entries WHERE id IN_LIST(:ids)
