-- name: insert
INSERT INTO persons
  (id, space_id, display_name, pronouns, role, aliases, birth_date, notes, voice_ids, left_at, created_at, updated_at)
VALUES
  (:id, :space_id, :display_name, :pronouns, :role, :aliases, :birth_date, :notes, :voice_ids, :left_at, :created_at,
   :updated_at)

-- name: update
UPDATE persons SET display_name = :display_name, pronouns = :pronouns, role = :role, aliases = :aliases,
  birth_date = :birth_date, notes = :notes, voice_ids = :voice_ids, left_at = :left_at, updated_at = :updated_at
WHERE space_id = :space_id AND id = :id

-- name: of_space
SELECT * FROM persons WHERE space_id = :space_id AND left_at IS NULL ORDER BY created_at, id

-- name: everyone
SELECT * FROM persons WHERE space_id = :space_id ORDER BY created_at, id

-- name: by_id
SELECT * FROM persons WHERE space_id = :space_id AND id = :id

-- name: delete
DELETE FROM persons WHERE space_id = :space_id AND id = :id
