-- name: settings
SELECT name, value, updated_at FROM settings WHERE space_id = :space_id ORDER BY name {binary}

-- name: texts
SELECT name, content, updated_at FROM texts WHERE space_id = :space_id ORDER BY name {binary}

-- name: by_id
SELECT * FROM {table} WHERE space_id = :space_id ORDER BY id {binary}

-- name: messages
SELECT * FROM messages WHERE space_id = :space_id ORDER BY session_id {binary}, position

-- name: count
SELECT COUNT(*) AS total FROM {table} WHERE space_id = :space_id

-- name: of_others
SELECT id FROM {table} WHERE CHECKED(space_id) <> :space_id AND id IN_LIST(:ids)

-- name: known
SELECT id FROM {table} WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)
