-- name: secure
PRAGMA secure_delete = 1

-- name: leaves_bytes
PRAGMA user_version = 2

-- name: leftover_entries
SELECT 'vectors' AS noun, id FROM vectors WHERE id IN_LIST(:ids)
UNION ALL SELECT 'codes', id FROM codes WHERE id IN_LIST(:ids)
UNION ALL SELECT 'token_vectors', entry_id FROM token_vectors WHERE entry_id IN_LIST(:ids)
UNION ALL SELECT 'entries', id FROM entries WHERE id IN_LIST(:ids)
UNION ALL SELECT 'terms', rowid FROM terms WHERE rowid IN_LIST(:ids)

-- name: term_is_listed
SELECT 1 AS yes FROM vocabulary WHERE term = :term

-- name: term_is_held
SELECT 1 AS yes FROM terms WHERE terms MATCH :match LIMIT 1

-- name: terms_of_space
SELECT COUNT(*) AS total FROM vocabulary WHERE term >= :low AND term < :high

-- name: drop_vectors
DELETE FROM vectors WHERE id BETWEEN :low AND :high

-- name: drop_terms
DELETE FROM terms WHERE rowid BETWEEN :low AND :high
