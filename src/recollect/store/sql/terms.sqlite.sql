-- name: put
INSERT OR REPLACE INTO terms (rowid, body, context) VALUES (:id, :body, :context)

-- name: delete
DELETE FROM terms WHERE rowid IN_LIST(:ids)

-- name: averages
SELECT block FROM terms_data WHERE id = 1

-- name: frequency
SELECT doc FROM vocabulary WHERE term = :term

-- name: scores
SELECT rowid, bm25(terms, 1.0, :context_weight) FROM terms
WHERE terms MATCH :term AND rowid BETWEEN :low AND :high

-- name: space_size
SELECT COUNT(*) AS total FROM (SELECT 1 FROM entries WHERE id BETWEEN :low AND :high LIMIT :limit)
