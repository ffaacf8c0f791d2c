-- name: without_terms
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND length > 0 AND terms = ''::tsvector ORDER BY id LIMIT :limit

-- name: without_vector
SELECT id FROM entries
WHERE id BETWEEN :low AND :high AND signature <> '' AND vector IS NULL ORDER BY id LIMIT :limit

-- name: sums_of_records
SELECT COUNT(*), SUM(ascii(right(id, 1)) * 65536 + ascii(right(id, 2)) * 256 + ascii(right(id, 3)))
FROM {table} WHERE space_id = :space_id {shown}

-- name: sums_of_entries
SELECT COUNT(*), SUM(ascii(right(record_id, 1)) * 65536 + ascii(right(record_id, 2)) * 256 + ascii(right(record_id, 3)))
FROM entries WHERE id BETWEEN :low AND :high AND record_id NOT LIKE 'probe:%'

-- name: sums_of_ids
SELECT COUNT(*), SUM(id & 4294967295) FROM entries WHERE id BETWEEN :low AND :high AND length > 0

-- name: sums_of_terms
SELECT COUNT(*), SUM(id & 4294967295) FROM entries
WHERE id BETWEEN :low AND :high AND length > 0 AND terms <> ''::tsvector

-- name: sums_of_signed
SELECT COUNT(*), SUM(id & 4294967295) FROM entries WHERE id BETWEEN :low AND :high AND signature <> ''

-- name: sums_of_vectors
SELECT COUNT(*), SUM(id & 4294967295) FROM entries
WHERE id BETWEEN :low AND :high AND signature <> '' AND vector IS NOT NULL
