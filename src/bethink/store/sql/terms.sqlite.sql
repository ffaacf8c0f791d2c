-- name: put
INSERT OR REPLACE INTO terms (rowid, body, context) VALUES (:id, :body, :context)

-- name: delete
DELETE FROM terms WHERE rowid IN_LIST(:ids)

-- name: averages
SELECT block FROM terms_data WHERE id = 1

-- name: frequencies
SELECT wanted.value, vocabulary.doc FROM json_each(:terms) AS wanted JOIN vocabulary
  ON vocabulary.term = wanted.value

-- name: postings
SELECT (
  SELECT group_concat((doc - :low) * 2 + (col = 'context')) FROM postings WHERE postings.term = wanted.value
) FROM json_each(:terms) AS wanted ORDER BY wanted.key

-- name: sizes_of_ids
SELECT id, sz FROM terms_docsize WHERE id IN_LIST(:ids)

-- name: sizes_of_range
SELECT MAX(id), group_concat(CASE WHEN length(sz) = 2 THEN id - :base END),
  group_concat(CASE WHEN length(sz) = 2 THEN hex(sz) END, '')
FROM (SELECT id, sz FROM terms_docsize WHERE id BETWEEN :low AND :high ORDER BY id LIMIT :limit)

-- name: long_sizes_of_range
SELECT id, sz FROM terms_docsize WHERE id BETWEEN :low AND :high AND length(sz) > 2

-- name: space_size
SELECT COUNT(*) AS total FROM (SELECT 1 FROM entries WHERE id BETWEEN :low AND :high LIMIT :limit)
