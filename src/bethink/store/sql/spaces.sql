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
SELECT space_id, 'memories' AS noun, COUNT(*) AS total FROM memories GROUP BY space_id
UNION ALL SELECT space_id, 'messages', COUNT(*) FROM messages GROUP BY space_id
UNION ALL SELECT space_id, 'facts', COUNT(*) FROM facts WHERE valid_to IS NULL GROUP BY space_id
UNION ALL SELECT space_id, 'people', COUNT(*) FROM persons WHERE left_at IS NULL GROUP BY space_id
UNION ALL SELECT space_id, 'keys', COUNT(*) FROM keys WHERE revoked_at IS NULL GROUP BY space_id

-- name: counts_of
SELECT 'memories' AS noun, COUNT(*) AS total FROM memories WHERE space_id = :space_id
UNION ALL SELECT 'messages', COUNT(*) FROM messages WHERE space_id = :space_id
UNION ALL SELECT 'facts', COUNT(*) FROM facts WHERE space_id = :space_id AND valid_to IS NULL
UNION ALL SELECT 'people', COUNT(*) FROM persons WHERE space_id = :space_id AND left_at IS NULL
UNION ALL SELECT 'keys', COUNT(*) FROM keys WHERE space_id = :space_id AND revoked_at IS NULL

-- name: hold
SELECT id FROM spaces WHERE id = :id
