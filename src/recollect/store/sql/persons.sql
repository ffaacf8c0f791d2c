-- name: insert
INSERT INTO persons (id, space_id, display_name, pronouns, role, aliases, birth_date, notes, created_at, updated_at)
VALUES (:id, :space_id, :display_name, :pronouns, :role, :aliases, :birth_date, :notes, :created_at, :updated_at)

-- name: of_space
SELECT * FROM persons WHERE space_id = :space_id ORDER BY created_at, id

-- name: by_id
SELECT * FROM persons WHERE space_id = :space_id AND id = :id

-- name: delete
DELETE FROM persons WHERE space_id = :space_id AND id = :id
