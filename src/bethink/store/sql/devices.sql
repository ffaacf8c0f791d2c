-- name: put
INSERT INTO devices (space_id, id, name, primary_person_id, created_at, updated_at)
VALUES (:space_id, :id, :name, :primary_person_id, :created_at, :updated_at)
ON CONFLICT (space_id, id) DO UPDATE
SET name = excluded.name, primary_person_id = excluded.primary_person_id, updated_at = excluded.updated_at

-- name: by_id
SELECT * FROM devices WHERE space_id = :space_id AND id = :id

-- name: of_space
SELECT * FROM devices WHERE space_id = :space_id ORDER BY created_at, id

-- name: delete
DELETE FROM devices WHERE space_id = :space_id AND id = :id
