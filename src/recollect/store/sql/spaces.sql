-- name: by_name
SELECT * FROM spaces WHERE name = :name

-- name: all
SELECT * FROM spaces ORDER BY number

-- name: next_number
SELECT COALESCE(MAX(number), 0) + 1 AS number FROM spaces

-- name: insert
INSERT INTO spaces (id, number, name, display_name, mode, timezone, locale, settings, created_at, updated_at)
VALUES (:id, :number, :name, :display_name, :mode, :timezone, :locale, :settings, :created_at, :updated_at)
