-- name: get
SELECT content FROM texts WHERE space_id = :space_id AND name = :name

-- name: put
INSERT INTO texts (space_id, name, content, updated_at) VALUES (:space_id, :name, :content, :at)
ON CONFLICT (space_id, name) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at

-- name: delete
DELETE FROM texts WHERE space_id = :space_id AND name = :name
