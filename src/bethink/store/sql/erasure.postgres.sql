-- name: leftover_entries
SELECT 'token_vectors' AS noun, entry_id AS id FROM token_vectors WHERE entry_id IN_LIST(:ids)
UNION ALL SELECT 'entries', id FROM entries WHERE id IN_LIST(:ids)
