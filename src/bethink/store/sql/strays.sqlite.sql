-- name: without_terms
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND record_id NOT LIKE 'probe:%'
  AND NOT EXISTS (SELECT 1 FROM terms_docsize WHERE terms_docsize.id = entries.id)
ORDER BY id LIMIT :limit

-- name: without_vector
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND signature <> '' AND NOT EXISTS (
  SELECT 1 FROM vectors JOIN codes ON codes.id = vectors.id AND codes.signature = vectors.signature
  WHERE vectors.id = entries.id AND vectors.signature = entries.signature
)
ORDER BY id LIMIT :limit

-- name: terms
SELECT id FROM terms_docsize
WHERE id BETWEEN :low AND :high AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = terms_docsize.id)
ORDER BY id LIMIT :limit

-- name: vectors
SELECT id FROM vectors
WHERE id BETWEEN :low AND :high AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = vectors.id)
UNION
SELECT id FROM codes
WHERE id BETWEEN :low AND :high AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = codes.id)
ORDER BY 1 LIMIT :limit

-- name: drop_terms
DELETE FROM terms WHERE rowid IN_LIST(:ids)

-- name: drop_vectors
DELETE FROM vectors WHERE id IN_LIST(:ids)

-- name: drop_codes
DELETE FROM codes WHERE id IN_LIST(:ids)

-- name: sums_of_records
SELECT COUNT(*), SUM(unicode(substr(id, -1)) * 65536 + unicode(substr(id, -2, 1)) * 256 + unicode(substr(id, -3, 1)))
FROM {table} WHERE space_id = :space_id {shown}

-- name: sums_of_entries
SELECT COUNT(*), SUM(unicode(substr(record_id, -1)) * 65536 + unicode(substr(record_id, -2, 1)) * 256
  + unicode(substr(record_id, -3, 1)))
FROM entries WHERE id BETWEEN :low AND :high AND record_id NOT LIKE 'probe:%'

-- name: sums_of_ids
SELECT COUNT(*), SUM(id & 4294967295) FROM entries WHERE id BETWEEN :low AND :high

-- name: sums_of_terms
SELECT COUNT(*), SUM(id & 4294967295) FROM terms_docsize WHERE id BETWEEN :low AND :high

-- name: sums_of_signed
SELECT COUNT(*), SUM(id & 4294967295) FROM entries WHERE id BETWEEN :low AND :high AND signature <> ''

-- name: sums_of_vectors
SELECT COUNT(*), SUM(id & 4294967295) FROM codes WHERE id BETWEEN :low AND :high
