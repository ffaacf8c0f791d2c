-- name: insert
INSERT INTO keys (id, space_id, name, role, hint, memory, hash, created_at, last_used_at, revoked_at)
VALUES (:id, :space_id, :name, :role, :hint, :memory, :hash, :created_at, :last_used_at, :revoked_at)

-- name: by_hash
SELECT keys.*, spaces.name AS space_name FROM keys JOIN spaces ON spaces.id = keys.space_id
WHERE keys.hash = :hash AND keys.revoked_at IS NULL

-- name: all
SELECT keys.*, spaces.name AS space_name FROM keys JOIN spaces ON spaces.id = keys.space_id
ORDER BY keys.created_at, keys.id

-- name: revoke
UPDATE keys SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL

-- name: touch
UPDATE keys SET last_used_at = :at WHERE id = :id

-- name: by_id
SELECT keys.*, spaces.name AS space_name FROM keys JOIN spaces ON spaces.id = keys.space_id
WHERE keys.id = :id

-- name: rename
UPDATE keys SET name = :name WHERE id = :id

-- name: rehash
UPDATE keys SET hash = :hash, hint = :hint WHERE id = :id

-- name: set_memory
UPDATE keys SET memory = :memory WHERE id = :id
