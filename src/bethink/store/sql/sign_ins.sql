-- name: insert
INSERT INTO sign_ins (hash, kind, key_id, created_at, expires_at)
VALUES (:hash, :kind, :key_id, :created_at, :expires_at)

-- name: find
SELECT keys.*, spaces.name AS space_name, sign_ins.expires_at AS until
FROM sign_ins JOIN keys ON keys.id = sign_ins.key_id JOIN spaces ON spaces.id = keys.space_id
WHERE sign_ins.hash = :hash AND sign_ins.kind = :kind AND sign_ins.expires_at > :now
  AND sign_ins.created_at > :begun_after AND keys.revoked_at IS NULL

-- name: delete
DELETE FROM sign_ins WHERE hash = :hash

-- name: delete_of_key
DELETE FROM sign_ins WHERE key_id = :key_id

-- name: delete_expired
DELETE FROM sign_ins WHERE expires_at <= :now

-- name: delete_oldest
DELETE FROM sign_ins WHERE kind = :kind AND key_id = :key_id AND hash NOT IN (
  SELECT hash FROM sign_ins WHERE kind = :kind AND key_id = :key_id ORDER BY created_at DESC, hash LIMIT :kept)
