-- name: insert
INSERT INTO contexts (id, space_id, name, content, created_at, updated_at)
VALUES (:id, :space_id, :name, :content, :created_at, :updated_at)

-- name: update
UPDATE contexts SET name = :name, content = :content, updated_at = :updated_at
WHERE space_id = :space_id AND id = :id

-- name: by_ids
SELECT * FROM contexts WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: of_space
SELECT * FROM contexts WHERE space_id = :space_id ORDER BY created_at, id

-- name: delete
DELETE FROM contexts WHERE space_id = :space_id AND id = :id
