-- name: insert
INSERT INTO {table} ({columns}) VALUES ({values})

-- name: update
UPDATE {table} SET {changes} WHERE space_id = :space_id AND id = :id

-- name: by_ids
SELECT * FROM {table} WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: delete
DELETE FROM {table} WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: without_entry
SELECT id FROM {table} WHERE space_id = :space_id AND id > :after {shown} AND NOT EXISTS (
  SELECT 1 FROM entries WHERE entries.record_id = {table}.id AND entries.layer = :layer
)
ORDER BY id LIMIT :limit
