-- name: by_name
SELECT * FROM spaces WHERE name = :name

-- name: all
SELECT * FROM spaces ORDER BY number

-- name: next_number
SELECT COALESCE(MAX(number), 0) + 1 AS number
FROM (SELECT number FROM spaces UNION ALL SELECT number FROM removed_spaces) AS used

-- name: insert
INSERT INTO spaces (id, number, name, display_name, mode, timezone, locale, settings, created_at, updated_at)
VALUES (:id, :number, :name, :display_name, :mode, :timezone, :locale, :settings, :created_at, :updated_at)

-- name: by_id
SELECT * FROM spaces WHERE id = :id

-- name: touch
UPDATE spaces SET updated_at = :at WHERE id = :id

-- name: update
UPDATE spaces SET display_name = :display_name, mode = :mode, timezone = :timezone, locale = :locale,
  settings = :settings, updated_at = :updated_at
WHERE id = :id

-- name: restore
UPDATE spaces SET display_name = :display_name, mode = :mode, timezone = :timezone, locale = :locale,
  settings = :settings, created_at = :created_at, updated_at = :updated_at
WHERE id = :id

-- name: rename
UPDATE spaces SET name = :name, display_name = :display_name, updated_at = :updated_at WHERE id = :id

-- name: retire
INSERT INTO removed_spaces (number, removed_at) VALUES (:number, :at)

-- name: delete
DELETE FROM spaces WHERE id = :id

-- name: counts
{counted}

-- name: hold
SELECT id FROM spaces WHERE id = :id
