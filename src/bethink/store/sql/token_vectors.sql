-- name: sign
UPDATE entries SET late = :signature WHERE id = :id AND fingerprint = :fingerprint

-- name: put
INSERT INTO token_vectors (entry_id, data) VALUES (:id, :data)
ON CONFLICT (entry_id) DO UPDATE SET data = excluded.data

-- name: of_ids
SELECT entries.id, token_vectors.data FROM entries JOIN token_vectors ON token_vectors.entry_id = entries.id
WHERE entries.id IN_LIST(:ids) AND entries.late = :signature

-- name: neighbours
-- Two joins: with both positions in one, PostgreSQL reads the whole session.
SELECT entries.id, near.id FROM entries JOIN entries AS near
  ON near.space_id = entries.space_id AND near.session_id = entries.session_id
  AND near.position = entries.position - 1
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
UNION ALL
SELECT entries.id, near.id FROM entries JOIN entries AS near
  ON near.space_id = entries.space_id AND near.session_id = entries.session_id
  AND near.position = entries.position + 1
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
