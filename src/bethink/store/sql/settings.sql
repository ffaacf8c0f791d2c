-- name: get
SELECT value FROM settings WHERE space_id = :space_id AND name = :name

-- name: set
INSERT INTO settings (space_id, name, value, updated_at) VALUES (:space_id, :name, :value, :at)
ON CONFLICT (space_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at

-- name: of_space
SELECT name, value FROM settings WHERE space_id = :space_id ORDER BY name

-- name: remove
DELETE FROM settings WHERE space_id = :space_id AND name = :name
